// The union of sets of keys: each body is written once, however many ranges there are. The key at each
// range's cursor stands in a variable, which holds more than any key behind the range's end.
#include "emit/statement_writer.h"

#include <fmt/format.h>

namespace unravel::emit {

using namespace loop;

void StatementWriter::write(const Merge &x) {
  const Statement &loop = *statement_;
  comment(x.comment);
  const std::string &key = names_.variable(x.variable);
  const std::string none = names_.fresh(key + "_none"); // more than any key
  open("", {fmt::format("const int64_t {} = 9223372036854775807;", none)});
  std::vector<std::string> keys, next;
  for (const MergedRange &merged : x.ranges) {
    const std::string &position = names_.variable(merged.range.variable);
    const std::string end = names_.fresh(position + "_end");
    keys.push_back(names_.fresh(position + "_key"));
    next.push_back(fmt::format("{} = {} < {} ? {}[{}] : {};", keys.back(), position, end,
                               names_.array(merged.range.key), position, none));
    line("int64_t {} = {};", position, expressions_.term(merged.range.lower));
    line("const int64_t {} = {};", end, expressions_.term(merged.range.upper));
  }
  for (const std::string &each : next)
    line("int64_t " + each);
  open("for (;;)", {fmt::format("int64_t {} = {};", key, keys.front())});
  for (std::size_t k = 1; k < keys.size(); ++k)
    line("if ({1} < {0}) {0} = {1};", key, keys[k]);
  line("if ({} == {}) break;", key, none);
  for (std::size_t k = 0; k < x.ranges.size(); ++k) {
    line("if ({} == {}) {{", keys[k], key);
    branch(loop, k, x.ranges[k].body);
    ++indent_;
    close({fmt::format("{}++;", names_.variable(x.ranges[k].range.variable)), next[k]});
  }
  --indent_;
  branch(loop, x.ranges.size(), x.body);
  line("}");
  --indent_;
  line("}");
}

} // namespace unravel::emit
