#include "emit/together.h"

#include "emit/mentioned.h"
#include "loop/passes.h"
#include "loop/walk.h"

#include <algorithm>

namespace unravel::emit {

using namespace loop;
using term::Term;

Block tested_lets(const For &x) {
  Block result;
  std::vector<Term> read = {std::get<If>(x.body.back().kind).condition};
  for (std::size_t k = x.body.size() - 1; k-- > 0;) {
    const auto &let = std::get<Let>(x.body[k].kind);
    bool needed =
        std::any_of(read.begin(), read.end(), [&](const Term &term) { return mentions(term, let.variable); });
    if (!needed) continue;
    read.push_back(let.value);
    result.insert(result.begin(), x.body[k]);
  }
  return result;
}

std::string tested_bits(const For &x, const Program &program) {
  if (x.together != 64 || x.lower != Term(0) || !tested_lets(x).empty()) return "";
  const Term &condition = std::get<If>(x.body.back().kind).condition;
  for (const WorkspaceArray &array : program.workspace)
    if (array.element == ElementType::Bit && array.extent == x.upper &&
        condition == term::equal(term::apply(array.name, {term::variable(x.variable)}), Term(1)))
      return array.name;
  return "";
}

std::set<std::string> marked_sets(const Program &program) {
  std::set<std::string> sets;
  each_statement(program.body, [&](const Statement &statement) {
    if (const auto *loop = std::get_if<For>(&statement.kind); loop && loop->together > 1)
      sets.insert(tested_bits(*loop, program));
    if (const auto *clear = std::get_if<SetElement>(&statement.kind); clear && clear->whole_word)
      sets.insert(clear->array);
  });
  sets.erase("");
  return sets;
}

bool takes_all_out(const Statement &loop, const Statement &next, const Program &program) {
  const auto *x = std::get_if<For>(&loop.kind);
  const auto *zero = std::get_if<Zero>(&next.kind);
  return x && zero && x->together > 1 && zero->array == tested_bits(*x, program) && zero->count == x->upper &&
         !mentioned(std::get<If>(x->body.back().kind).then).contains(zero->array);
}

Block accepted(const For &x) {
  Block result(x.body.begin(), x.body.end() - 1);
  const Block &then = std::get<If>(x.body.back().kind).then;
  result.insert(result.end(), then.begin(), then.end());
  return drop_unused(std::move(result));
}

} // namespace unravel::emit
