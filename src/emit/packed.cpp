#include "emit/packed.h"

#include "emit/body.h"
#include "emit/main_values.h"
#include "emit/names.h"
#include "emit/wrap.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace unravel::emit {

using loop::ArrayParameter;
using loop::Program;
using loop::TensorParameter;

namespace {

/// Stands for the names; MODES: how many indices an entry has; NUMBER: the type of its value; SUM: that in
/// which values are added up; IS_ZERO: whether the sum is, as a value of the result.
const char *const drop_zeros_text = R"(typedef struct {
  int64_t index[MODES], number;
  NUMBER value;
} ENTRY;

static int ENTRY_order(const void *a, const void *b) {
  const ENTRY *x = (const ENTRY *)a, *y = (const ENTRY *)b;
  for (int mode = 0; mode < MODES; mode++)
    if (x->index[mode] != y->index[mode]) return x->index[mode] < y->index[mode] ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

// Adds up the entries of each coordinate, and drops those that add up to 0. Returns 2 if memory runs out.
static int ENTRY_drop_zeros(int64_t *count, int64_t *const index[], NUMBER *values) {
  ENTRY *all = (ENTRY *)malloc((*count > 0 ? (size_t)*count : 1) * sizeof(ENTRY));
  if (!all) return 2;
  for (int64_t e = 0; e < *count; e++) {
    for (int mode = 0; mode < MODES; mode++) all[e].index[mode] = index[mode][e];
    all[e].number = e;
    all[e].value = values[e];
  }
  qsort(all, (size_t)*count, sizeof(ENTRY), ENTRY_order);
  int64_t kept = 0;
  for (int64_t e = 0, next; e < *count; e = next) {
    SUM sum = all[e].value;
    for (next = e + 1; next < *count; next++) {
      int same = 1;
      for (int mode = 0; mode < MODES; mode++) same &= all[next].index[mode] == all[e].index[mode];
      if (!same) break;
      sum += all[next].value;
    }
    if (IS_ZERO) continue;
    for (int mode = 0; mode < MODES; mode++) index[mode][kept] = all[e].index[mode];
    values[kept++] = sum;
  }
  *count = kept;
  free(all);
  return 0;
}

)";

std::string replaced(std::string text, const std::string &name, const std::string &by) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += by.size())
    text.replace(at, name.size(), by);
  return text;
}

class PackingWriter {
public:
  PackingWriter(const Program &whole, const Program &lists, const std::vector<PackedResult> &packed)
      : whole_(whole), lists_(lists), names_(whole), of_lists_(lists) {
    for (const PackedResult &result : packed)
      packed_.push_back({result, names_.fresh(names_.parameter(result.parameter) + "_list"),
                         names_.fresh(names_.parameter(result.parameter) + "_index")});
    for (std::size_t k = 0; k < whole.parameters.size(); ++k)
      if (whole.parameters[k].assembled) made_.emplace(k, names_.fresh(names_.parameter(k) + "_made"));
    work_ = names_.fresh("work");
    code_ = names_.fresh("code");
  }

  std::string text() {
    for (const One &one : packed_)
      declare(one);
    for (const auto &[parameter, made] : made_)
      line("{} {} = *{};", names_.type_of(parameter).name, made, names_.parameter(parameter));
    if (works()) line("{} {};", of_lists_.workspace().type, work_);
    line("int {};", code_);
    for (const One &one : packed_)
      give_sizes(one);
    for (const auto &[parameter, made] : made_)
      for (const ArrayParameter &array : whole_.parameters[parameter].arrays)
        line("{}.{} = 0;", made, names_.type_of(parameter).members.at(array.name));
    if (works()) line("{}(&{});", of_lists_.workspace().init, work_);
    line("{} = {}({});", code_, of_lists_.kernel(), fmt::join(arguments(), ", "));
    if (works()) line("{}(&{});", of_lists_.workspace().free, work_);
    line("if ({0} != 0) return {0};", code_);
    for (const One &one : packed_)
      pack(one);
    for (const One &one : packed_)
      line("{}(&{});", list_type(one).free, one.list);
    keep_or_free();
    line("return {0} == 1 ? 4 : {0};", code_);
    std::string functions;
    for (const One &one : packed_)
      if (one.result.drops_zeros) functions += drop_zeros(one);
    return functions +
           wrap_text(comment_text("Lists the entries of " + packed_names() + ", then packs them."), "// ") +
           wrap_code(signature(whole_, names_) + " {", "") + body_ + "}\n";
  }

private:
  struct One {
    PackedResult result;
    std::string list, index; // C names
  };

  template <class... Arguments> void line(fmt::format_string<Arguments...> format, Arguments &&...arguments) {
    body_ += wrap_code(fmt::format(format, std::forward<Arguments>(arguments)...), "  ");
  }

  bool works() const { return !lists_.workspace.empty(); }
  const StructType &list_type(const One &one) const { return of_lists_.type_of(one.result.parameter); }
  const TensorParameter &list(const One &one) const { return lists_.parameters[one.result.parameter]; }

  std::string entry_type(const One &one) const {
    return fmt::format("{}_{}_entry", names_.kernel(), names_.parameter(one.result.parameter));
  }

  std::string drop_zeros(const One &one) const {
    const value::Type number = value_type(list(one));
    const value::Type element = value_type(whole_.parameters[one.result.parameter]);
    std::string text = drop_zeros_text;
    text = replaced(text, "NUMBER", c_type(number));
    text = replaced(text, "SUM", c_type(value::is_integer(number) ? value::Type::UInt64 : number));
    text = replaced(text, "IS_ZERO",
                    value::is_integer(element) ? fmt::format("({})sum == 0", c_type(element)) : "sum == 0.0");
    text = replaced(text, "ENTRY", entry_type(one));
    return replaced(text, "MODES", std::to_string(one.result.modes.size()));
  }

  std::string packed_names() const {
    std::vector<std::string> names;
    for (const One &one : packed_)
      names.push_back(whole_.parameters[one.result.parameter].name);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  void declare(const One &one) {
    line("{} {};", list_type(one).name, one.list);
    line("int64_t *{}[{}];", one.index, one.result.modes.size());
  }

  std::string size(const One &one, const std::string &name) const {
    return names_.member(whole_.parameters[one.result.parameter].name + "." + name);
  }

  void give_sizes(const One &one) {
    for (std::size_t mode = 0; mode < one.result.modes.size(); ++mode)
      line("{}.{} = {};", one.list, list_type(one).members.at(list(one).sizes[mode]),
           size(one, one.result.modes[mode]));
  }

  std::vector<std::string> arguments() const {
    std::vector<std::string> result;
    for (std::size_t k = 0; k < lists_.parameters.size(); ++k) {
      const auto found = std::ranges::find_if(packed_, [&](auto &one) { return one.result.parameter == k; });
      result.push_back(found != packed_.end() ? "&" + found->list
                       : made_.contains(k)    ? "&" + made_.at(k)
                                              : names_.parameter(k));
    }
    for (const std::string &given : whole_.sizes)
      result.push_back(names_.variable(given));
    if (works()) result.push_back("&" + work_);
    return result;
  }

  /// Unless packing one before has failed.
  void pack(const One &one) {
    const TensorParameter &wanted = whole_.parameters[one.result.parameter];
    std::string values, sizes;
    std::size_t mode = 0;
    for (const ArrayParameter &array : list(one).arrays) {
      const std::string member = fmt::format("{}.{}", one.list, list_type(one).members.at(array.name));
      if (array.is_value)
        values = member;
      else
        line("{}[{}] = {};", one.index, mode++, member);
    }
    for (const std::string &name : wanted.sizes)
      sizes += ", " + size(one, name);
    if (one.result.drops_zeros)
      line("if ({0} == 0) {0} = {1}_drop_zeros(&{2}.{3}, {4}, {5});", code_, entry_type(one), one.list,
           list_type(one).members.at(list(one).counts.front()), one.index, values);
    const bool may_have_failed = &one != packed_.data() || one.result.drops_zeros;
    if (may_have_failed) line("if ({} == 0)", code_);
    line("{}{} = pack_{}(&{}, {}.{}, {}, {}{});", may_have_failed ? "  " : "", code_,
         names_.type_of(one.result.parameter).name, made_.at(one.result.parameter), one.list,
         list_type(one).members.at(list(one).counts.front()), one.index, values, sizes);
  }

  /// The caller's structs are changed once nothing can fail any more.
  void keep_or_free() {
    line("if ({} == 0) {{", code_);
    for (const auto &[parameter, made] : made_)
      line("  *{} = {};", names_.parameter(parameter), made);
    line("}} else {{");
    for (const auto &[parameter, made] : made_)
      line("  {}(&{});", names_.type_of(parameter).free, made);
    line("}}");
  }

  const Program &whole_, &lists_;
  Names names_, of_lists_;
  std::vector<One> packed_;
  std::map<std::size_t, std::string>
      made_; // by the parameter of a sparse result: the struct while it is made
  std::string work_, code_, body_;
};

} // namespace

std::string emit_packing(const Program &whole, const Program &lists,
                         const std::vector<PackedResult> &packed) {
  return PackingWriter(whole, lists, packed).text();
}

} // namespace unravel::emit
