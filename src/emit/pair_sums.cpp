// Short loops over neighbouring elements, two iterations at a time: the rows of a block.

#include "emit/statement_writer.h"
#include "loop/vector_sums.h"
#include "loop/walk.h"

#include <fmt/format.h>

namespace unravel::emit {

using namespace loop;

bool StatementWriter::write_pair_sums(const For &x) {
  if (x.sums != VectorSum::Pairs) return false;
  const std::optional<std::vector<std::string>> sums = pair_sums(x);
  expressions_.need("pairs");
  const char *pair = expressions_.pair_type();
  const std::string &variable = names_.variable(x.variable);
  std::map<std::string, std::string> pairs; // by the local
  std::vector<std::string> begin, inside, finish;
  for (const std::string &sum : *sums) {
    const std::string &name = pairs[sum] = names_.fresh(names_.variable(sum) + "_pair");
    begin.push_back(fmt::format("{} {} = {{0}};", pair, name));
    finish.push_back(fmt::format("{} += {}[0] + {}[1];", names_.variable(sum), name, name));
  }
  for (const Statement &statement : x.body) {
    if (const auto *value = statement.as<DeclareValue>()) {
      inside.push_back(fmt::format("const {} {} = {};", pair, names_.variable(value->name),
                                   expressions_.pair(value->initial, x.variable)));
      continue;
    }
    const auto &add = std::get<Accumulate>(statement.kind);
    const auto *negative = arguments_of(Operator::Negate, add.value);
    inside.push_back(fmt::format(
        "{} {} {};", pairs.at(std::get<Local>(add.target).name),
        negative ? "-=" : "+=", expressions_.pair(negative ? negative->front() : add.value, x.variable)));
  }
  text_ += "#ifdef __GNUC__\n";
  open("", begin);
  open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0} += 2)", variable, expressions_.term(x.lower),
                   expressions_.term(x.upper)),
       inside);
  close({});
  close(finish);
  return true;
}

} // namespace unravel::emit
