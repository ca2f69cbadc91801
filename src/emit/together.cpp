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

Block accepted(const For &x) {
  Block result(x.body.begin(), x.body.end() - 1);
  const Block &then = std::get<If>(x.body.back().kind).then;
  result.insert(result.end(), then.begin(), then.end());
  return drop_unused(std::move(result));
}

} // namespace unravel::emit
