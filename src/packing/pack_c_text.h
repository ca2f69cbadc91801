#pragma once

#include "packing/pack_c.h"

#include <fmt/format.h>
#include <functional>
#include <set>
#include <utility>

namespace unravel::packing {

/// What the C text of packing is made of: lines, names, terms.
class PackCText {
public:
  PackCText(const layout::Layout &layout, const PackNames &names, tensor::IndexType index,
            tensor::ValueType value, std::optional<double> fill);

  /// The text so far, which is empty then; and back.
  std::string take() { return std::exchange(text_, ""); }
  void put(const std::string &text) { text_ += text; }

  template <class... Arguments> void line(fmt::format_string<Arguments...> format, Arguments &&...arguments) {
    std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
    text_ += text.empty() ? "\n" : std::string(indent_, ' ') + text + "\n";
  }
  void open(const std::string &head);
  void close(const std::string &tail = "");
  /// for (int64_t variable = from; variable < to; ++variable) {
  void open_loop(const std::string &variable, const std::string &to, int from = 0);

  /// A name for a local variable that nothing else has.
  std::string choose(std::string name);
  std::string member_name(const std::string &name) const;
  std::string member(const std::string &name) const { return self + "->" + member_name(name); }
  /// The type of an array's elements.
  value::Type type_of(const std::string &array) const;
  std::string element(const std::string &array) const;
  /// An int64_t expression as what an element of the array is assigned.
  std::string as_element(const std::string &array, const std::string &value) const;
  /// A value of slots that no entry has, as an element of the array: the fill, or with the other sign.
  std::string fill_of(const std::string &array, bool is_negative) const;
  /// As what is added up to it, the sign that the array has it with not counted.
  std::string fill_as_sum(const std::string &array, bool is_negative) const;
  /// The type in which values are given, and that in which they are added up: integers without a sign, so
  /// that sums wrap around.
  std::string number() const;
  std::string sum() const;
  /// The value of an entry that is given, as it is added up.
  std::string value(const std::string &entry) const;
  bool is_narrow(const std::string &array) const { return element(array) == "int32_t"; }

  /// A term over sizes, counts, arrays, the coordinates of the input's current entry and `locals`, as C.
  std::string term(const term::Term &term) const;
  /// The same for a formula.
  std::string condition(const term::Term &formula) const;
  /// Variables of terms that stand for a local variable.
  std::map<std::string, std::string> locals;

  /// Counts, and arrays of pointers, that have their values by now.
  std::set<std::string> known;
  /// Gives values to the counts whose definitions mention nothing but sizes and what is known.
  /// `refuse_if`: writes what gives up where a condition holds, as where an array would be read outside.
  void define_counts(const std::function<void(const std::string &)> &refuse_if);

  /// sign * text + offset
  std::string shifted(int sign, const std::string &text, const term::Term &offset) const;
  /// The product of an array's extents.
  std::string size_of(const std::string &array) const;
  /// An array's extent: 0 where the layout says less.
  std::string extent(const Term &of) const;
  static std::string factor(const std::string &text);

  const layout::Layout &layout;
  std::vector<std::string> sizes;     // each name once
  std::string prefix;                 // of functions and types
  std::string type;                   // of the layout's struct
  std::string self, n, index, values; // parameters
  std::optional<double> fill;
  std::string fill_name;   // of the parameter, where `fill` is none
  std::string entry, e, k; // the sorted entries, counters

private:
  bool is_natural(const term::Term &of) const;
  bool is_known(const layout::Count &count) const;
  std::string linear(const term::Linear &linear) const;
  std::string quotient(const term::Term &numerator, std::int64_t divisor) const;
  std::string remainder(const term::Term &numerator, std::int64_t divisor) const;
  std::string joined(const std::vector<term::Term> &parts, const char *by) const;

  const PackNames &names_;
  tensor::IndexType index_type_;
  tensor::ValueType value_type_;
  std::set<std::string> taken_;
  std::string text_;
  std::size_t indent_ = 0;
};

} // namespace unravel::packing
