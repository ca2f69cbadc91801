#include "emit/together.h"

#include "loop/passes.h"

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

Block accepted(const For &x) {
  Block result(x.body.begin(), x.body.end() - 1);
  const Block &then = std::get<If>(x.body.back().kind).then;
  result.insert(result.end(), then.begin(), then.end());
  return drop_unused(std::move(result));
}

} // namespace unravel::emit
