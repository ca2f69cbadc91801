#include "emit/assignment.h"

#include "loop/arrays.h"
#include "loop/vector_sums.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace unravel::emit {

using namespace loop;
using term::Term;

namespace {

ElementType element_of(const std::string &name, const Program &program) {
  return element_type(name, program).value_or(ElementType::Int64);
}

bool is_hashed(const std::string &name, const Program &program) {
  return std::ranges::any_of(program.workspace,
                             [&](const WorkspaceArray &array) { return array.name == name && array.hashed; });
}

} // namespace

std::string assignment_text(const Assign &x, const Names &names, const Expressions &expressions) {
  const std::string &variable = names.variable(x.variable);
  std::int64_t change = 0;
  if (!constant_difference(term::variable(x.variable), x.value, change) || change == INT64_MIN)
    return fmt::format("{} = {};", variable, expressions.term(x.value));
  if (change == 1 || change == -1) return variable + (change > 0 ? "++;" : "--;");
  return fmt::format("{} {} {};", variable, change < 0 ? "-=" : "+=", change < 0 ? -change : change);
}

std::string assignment_text(const SetElement &x, const Program &program, const Names &names,
                            Expressions &expressions) {
  const std::string &array = names.array(x.array);
  ElementType element = element_of(x.array, program);
  if (expressions.is_marked(x.array)) {
    const std::string function = x.value == Term(1) ? "unravel_mark"
                                 : x.whole_word     ? "unravel_unmark_each"
                                                    : expressions.called("unmark");
    return fmt::format("{}({}, {}, {});", function, array, expressions.marked().at(x.array),
                       expressions.term(x.slot));
  }
  if (is_hashed(x.array, program))
    return fmt::format("{}({}, {}, {});", expressions.for_table("enter", x.array), array,
                       expressions.term(x.slot), expressions.term(x.value));
  if (element == ElementType::Bit) {
    const std::string function = expressions.called(x.value == Term(1) ? "set_bit" : "clear_bit");
    return fmt::format("{}({}, {});", function, array, expressions.term(x.slot));
  }
  return fmt::format("{}[{}] = {};", array, expressions.term(x.slot),
                     expressions.as_element(x.value, element));
}

std::string sort_text(const Sort &x, const Program &program, const Names &names, Expressions &expressions) {
  const bool is_long = element_of(x.order, program) == ElementType::Int64;
  if (x.keys.empty()) {
    expressions.need(is_long ? "sort_digits_long" : "sort_digits");
    expressions.need("lowest_bit");
    return fmt::format("{}({}, {}, {});", expressions.called(is_long ? "sort_alone_long" : "sort_alone"),
                       names.array(x.order), expressions.term(x.count), names.array(x.room));
  }
  return fmt::format("{}({}, {}, {}, {});", expressions.called(is_long ? "sort_long" : "sort"),
                     names.array(x.order), names.array(x.keys), expressions.term(x.count),
                     names.array(x.room));
}

std::string zero_text(const Zero &x, const Program &program, const Names &names, Expressions &expressions) {
  if (expressions.is_marked(x.array))
    return fmt::format("{}({}, {});", expressions.called("unmark_all"), names.array(x.array),
                       expressions.marked().at(x.array));
  if (is_hashed(x.array, program))
    return fmt::format("{}({});", expressions.for_table("take_out", x.array), names.array(x.array));
  const bool is_set = element_of(x.array, program) == ElementType::Bit;
  if (x.count == Term(1) && !is_set)
    return fmt::format("{} = {};", names.array(x.array) + "[0]",
                       expressions.value(Value{Number{0}}, element_of(x.array, program)));
  expressions.need("memset");
  const std::string &array = names.array(x.array);
  std::string count = expressions.term(is_set ? term::floor_divide(x.count + Term(31), 32) : x.count);
  bool atom = std::all_of(count.begin(), count.end(),
                          [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
  return fmt::format("memset({}, 0, (size_t){} * sizeof(*{}));", array, atom ? count : "(" + count + ")",
                     array);
}

} // namespace unravel::emit
