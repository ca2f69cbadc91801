#pragma once

#include "emit/names.h"
#include "loop/facts.h"
#include "loop/loop.h"
#include "loop/types.h"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace unravel::emit {

// C's precedences, the tightest first.
inline constexpr int primary = 10, unary = 9, multiplicative = 8, additive = 7, relational = 6, equality = 5;
inline constexpr int both = 4, either = 3;

inline std::string wrap(const std::string &text, bool parentheses) {
  return parentheses ? "(" + text + ")" : text;
}

/// Of an element in memory; bits lie 32 to a word.
std::string c_type(loop::ElementType type);
/// How C's functions of mathematics end for that type.
const char *end_of_c(loop::ElementType type);
/// Calls of a function of two arguments, one after the other: f(f(a, b), c).
std::string joined_by(const std::string &function, const std::vector<std::string> &arguments);

/// Terms, conditions and values as C expressions, with the parentheses that C needs and gcc asks for, and
/// casts where arithmetic on 32-bit elements could overflow.
class Expressions {
public:
  Expressions(const loop::Program &program, const Names &names);

  std::string term(const term::Term &term) const;
  /// With parentheses where a cast before it needs them.
  std::string cast_operand(const term::Term &term) const;
  std::string value(const loop::Value &value) const;
  /// Where numbers alone don't tell the type.
  std::string value(const loop::Value &value, loop::ElementType wanted) const;
  /// The assignment that reduces the target, C text of that type, by the value.
  std::string reduction(const std::string &target, loop::ElementType type, const loop::Operator &by,
                        const loop::Value &value) const;
  /// The same by `reduced`, C text of that type, which isn't a reduction by `-`.
  std::string reduction(const std::string &target, loop::ElementType type, const loop::Operator &by,
                        const std::string &reduced) const;
  /// The reduction where other threads may reduce into the same target at the same time; `has_pragma`: behind
  /// `#pragma omp atomic`.
  struct AtomicText {
    std::string text;
    bool has_pragma = false;
  };
  AtomicText atomic_reduction(const std::string &target, loop::ElementType type, const loop::Operator &by,
                              const loop::Value &value) const;
  std::string element(const loop::Element &element) const;
  /// The value in two neighbouring iterations of a loop over the variable at once: elements that run along it
  /// are read in pairs.
  std::string pair(const loop::Value &value, const std::string &variable);
  /// The C type of two values, and the element with the next one.
  const char *pair_type() const { return single_precision_ ? "unravel_pair_f" : "unravel_pair"; }
  std::string pair_at(const loop::Element &element) const;
  /// Of the elements of an index array.
  loop::ElementType type_of(const std::string &array) const { return arrays_.at(array).element; }
  /// The sets that are written as marks (together.h), with the variables that say where their blocks begin.
  using Marked = std::map<std::string, std::string>;
  const Marked &marked() const { return marked_; }
  void set_marked(Marked marked) { marked_ = std::move(marked); }
  bool is_marked(const std::string &array) const { return marked_.contains(array); }
  /// The function of that name for the table of a hashed array.
  std::string for_table(const std::string &name, const std::string &array) const;
  /// The type of the workspace's array.
  std::string type_in_workspace(const loop::WorkspaceArray &array) const;
  /// The function that compares 8 keys with 8 others.
  std::string equal_pairs(loop::ElementType type);
  /// The function that says whether the lengths of the segments of an array of pointers vary.
  std::string uneven(loop::ElementType pointers);
  /// The function for two elements of that type at 32- or 64-bit keys: "pick"; "pick_used", any element where
  /// a key is negative; "used", 0 there. Of integers the first alone.
  std::string pick(const std::string &form, bool is_long, loop::ElementType type);
  /// The function that gathers elements at 32- or 64-bit keys, `plain`, or at these times something and plus
  /// something.
  std::string gather(bool is_long, bool is_plain);
  /// Whether the local holds anything but 0.0.
  std::string is_stored(const std::string &local) const;
  /// The term as an element of an array of integers, with the cast that makes it one.
  std::string as_element(const term::Term &term, loop::ElementType type) const;
  /// Like term, but sizes and arrays are members of the parameters: `A->M`.
  std::string term_of_members(const term::Term &term) const;
  /// Extents in terms of a struct's own members: `M + 1`.
  std::string term_of_struct(const term::Term &term, const StructType &type) const;

  /// What is known where the next term stands: divisions of what it shows not to be negative are plain ones.
  void set_facts(loop::Facts facts) { facts_ = std::move(facts); }

  bool single_precision() const { return single_precision_; }
  /// What the text needs of the C files in src/emit/c, by names of their parts.
  const std::set<std::string> &needs() const { return needs_; }
  void need(const std::string &part) const { needs_.insert(part); }
  /// The function of that part, which is needed then; its name ends with suffix() where it is about values.
  std::string called(const std::string &part) const { return "unravel_" + *needs_.insert(part).first; }
  const char *suffix() const { return single_precision_ ? "_f" : ""; }
  /// Needs the function of that part for values of that type, and returns how its name ends.
  std::string need_typed(const std::string &name, loop::ElementType type) const;
  /// Whether sums and quotients in values are computed as they are written, though the compiler is told that
  /// sums over iterations may be reassociated: it would make x of (x + z) - z.
  void keep_order(bool keeps) { keeps_order_ = keeps; }
  bool keeps_order() const { return keeps_order_; }
  /// What operators of the user's own are called in C, by their names.
  void name_own(std::map<std::string, std::string> names) { own_names_ = std::move(names); }
  const std::map<std::string, std::string> &own_names() const { return own_names_; }
  /// The function of such an operator for values of that type, which is needed then.
  std::string own_function(const loop::Operator &op, loop::ElementType type) const;
  const std::vector<std::pair<loop::Operator, loop::ElementType>> &own_functions() const {
    return own_functions_;
  }
  /// Needs what the name of the type is declared by.
  void need_type(loop::ElementType type) const;
  const loop::Types &types() const { return types_; }
  /// Of values in vectors, and of numbers where nothing tells.
  loop::ElementType plain_type() const {
    return single_precision_ ? loop::ElementType::Float32 : loop::ElementType::Float64;
  }

private:
  /// How sizes and arrays are written.
  enum class Place { Local, Member, Struct };

  struct Printed {
    std::string text;
    int binding = 0;     // of its operator, as C's precedence
    bool narrow = false; // its C type is int or int32_t
  };

  static Printed cast(const std::string &type, const Printed &printed);
  Printed print(const term::Term &term) const;
  Printed print_linear(const term::Linear &linear) const;
  Printed print_part(const term::Term &atom, std::int64_t size) const;
  Printed print_compare(const term::Compare &compare, bool negated) const;
  Printed print_load(const term::Apply &load) const;
  Printed print_bit(const term::Apply &load) const;
  Printed print_hash(const term::Apply &call) const;
  std::optional<Printed> print_bit_test(const term::Compare &compare, bool negated) const;
  Printed print_quotient(const term::Term &numerator, std::int64_t divisor, bool modulo) const;
  Printed print_extreme(const std::vector<term::Term> &of, bool smallest) const;
  Printed print_parts(const std::vector<term::Term> &parts, bool conjunction) const;
  Printed print_value(const loop::Value &value) const;
  Printed in_order(Printed printed) const;
  Printed print_chain(const loop::Value::Apply &x, const Printed &first,
                      const std::function<Printed(const loop::Value &)> &print) const;
  Printed print_applied(const loop::Value::Apply &x) const;
  Printed print_called(const loop::Value::Apply &x, const Printed &first) const;
  Printed print_part(const loop::Value::Apply &x, loop::ElementType below) const;
  Printed print_complex(const loop::Value::Apply &x) const;
  Printed print_complex_product(const loop::Value::Apply &x) const;
  std::string complex_product(const std::vector<std::string> &factors, loop::ElementType type) const;
  /// The value as a real one, where it is that: a number, or a conversion of one.
  std::optional<Printed> print_as_real(const loop::Value &value) const;
  Printed print_converted(const loop::Value::Apply &x, loop::ElementType made) const;
  Printed print_unsigned(const loop::Value &value) const;
  Printed print_wrapping(const loop::Value &value) const;
  Printed added_part(const loop::Value &value, loop::ElementType type) const;
  std::string suffix_of(loop::ElementType type) const;
  std::string function_of(const loop::Operator &op, loop::ElementType type) const;
  std::string called_with(const loop::Operator &op, const std::vector<std::string> &arguments,
                          loop::ElementType type) const;
  std::string print_number(double number) const;
  std::string operand(const term::Term &term, int binding) const;

  std::string member_name(const std::string &name) const; // not of locals
  std::string name_of_variable(const std::string &name) const;
  std::string name_of_array(const std::string &name) const;

  /// An array as its loads are written.
  struct Array {
    loop::ElementType element = loop::ElementType::Int32;
    bool non_negative = false;
    std::vector<term::Term> extents;
    std::optional<std::int64_t> unset = std::nullopt; // of a hashed one: what most elements are
  };

  Marked marked_;

  void find_short(const loop::Block &body);
  bool is_short_load(const term::Term &term) const;
  bool is_short(const term::Term &term) const;
  void find_non_negative(const loop::Program &program);
  bool is_non_negative(const term::Term &term) const;
  bool is_non_negative(const term::Term &term, const loop::Facts &facts, int depth = 2) const;
  bool has_non_negative_kind(const term::Term &term, const loop::Facts &facts, int depth) const;
  bool is_counter(const term::Linear &linear) const;

  const Names &names_;
  loop::Types types_;
  mutable loop::ElementType type_ = loop::ElementType::Float64; // of the value that is written
  std::string paired_along_; // the variable, while a value is written in pairs
  std::map<std::string, Array> arrays_;
  std::set<std::string> short_;        // variables that hold an element of 32 bits
  std::set<std::string> non_negative_; // variables
  std::set<std::string> assigned_;     // variables that run through positions
  loop::Facts facts_;
  bool single_precision_ = false, keeps_order_ = false;
  mutable Place place_ = Place::Local;
  mutable const StructType *struct_ = nullptr;
  mutable std::set<std::string> needs_;
  std::map<std::string, std::string> own_names_;
  mutable std::vector<std::pair<loop::Operator, loop::ElementType>> own_functions_;
};

} // namespace unravel::emit
