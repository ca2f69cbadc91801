// Statements of one line that set variables and elements.
#include "emit/statement_writer.h"
#include "emit/workspace.h"
#include "loop/arrays.h"
#include "text/characters.h"

#include <algorithm>

namespace unravel::emit {

using namespace loop;
using term::Term;

ElementType StatementWriter::type_in(const std::string &array) const {
  return element_type(array, program_).value_or(ElementType::Int64);
}

bool StatementWriter::is_hashed(const std::string &array) const {
  const WorkspaceArray *own = find_workspace(array, program_);
  return own && own->hashed;
}

void StatementWriter::write(const Assign &x) {
  const std::string &variable = names_.variable(x.variable);
  std::int64_t change = 0;
  if (!constant_difference(term::variable(x.variable), x.value, change) || change == INT64_MIN)
    return line("{} = {};", variable, expressions_.term(x.value));
  if (change == 1 || change == -1) return line(variable + (change > 0 ? "++;" : "--;"));
  line("{} {} {};", variable, change < 0 ? "-=" : "+=", change < 0 ? -change : change);
}

void StatementWriter::write(const ShareOut &x) {
  expressions_.need("share_out");
  const std::string threads = options_.openmp_pragmas ? threads_text(names_, expressions_) : "1";
  const std::string &parts = names_.variable(x.parts);
  line("const int64_t {} = unravel_share_out({}, {}, {});", parts, expressions_.term(x.total),
       expressions_.term(x.each), threads);
  line("const int64_t {} = ({}) / {};", names_.variable(x.share),
       expressions_.term(x.total + term::variable(x.parts) - Term(1)), parts);
}

void StatementWriter::write(const SetElement &x) {
  const std::string &array = names_.array(x.array), slot = expressions_.term(x.slot);
  if (expressions_.is_marked(x.array)) {
    const std::string function = x.value == Term(1) ? "unravel_mark"
                                 : x.whole_word     ? "unravel_unmark_each"
                                                    : expressions_.called("unmark");
    return line("{}({}, {}, {});", function, array, expressions_.marked().at(x.array), slot);
  }
  if (is_hashed(x.array))
    return line("{}({}, {}, {});", expressions_.for_table("enter", x.array), array, slot,
                expressions_.term(x.value));
  if (type_in(x.array) == ElementType::Bit)
    return line("{}({}, {});", expressions_.called(x.value == Term(1) ? "set_bit" : "clear_bit"), array,
                slot);
  line("{}[{}] = {};", array, slot, expressions_.as_element(x.value, type_in(x.array)));
}

void StatementWriter::write(const Sort &x) {
  const bool is_long = type_in(x.order) == ElementType::Int64;
  const std::string &order = names_.array(x.order), &room = names_.array(x.room);
  if (!x.keys.empty())
    return line("{}({}, {}, {}, {});", expressions_.called(is_long ? "sort_long" : "sort"), order,
                names_.array(x.keys), expressions_.term(x.count), room);
  expressions_.need(is_long ? "sort_digits_long" : "sort_digits");
  expressions_.need("lowest_bit");
  line("{}({}, {}, {});", expressions_.called(is_long ? "sort_alone_long" : "sort_alone"), order,
       expressions_.term(x.count), room);
}

void StatementWriter::write(const Zero &x) {
  const std::string &array = names_.array(x.array);
  if (expressions_.is_marked(x.array))
    return line("{}({}, {});", expressions_.called("unmark_all"), array, expressions_.marked().at(x.array));
  if (is_hashed(x.array)) return line("{}({});", expressions_.for_table("take_out", x.array), array);
  const bool is_set = type_in(x.array) == ElementType::Bit;
  if (x.count == Term(1) && !is_set)
    return line("{}[0] = {};", array, expressions_.value(Value{Number{0}}, type_in(x.array)));
  expressions_.need("memset");
  const std::string count = expressions_.term(is_set ? term::floor_divide(x.count + Term(31), 32) : x.count);
  const bool atom = std::ranges::all_of(count, text::is_of_name);
  line("memset({}, 0, (size_t){} * sizeof(*{}));", array, atom ? count : "(" + count + ")", array);
}

} // namespace unravel::emit
