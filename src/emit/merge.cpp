#include "emit/merge.h"

#include <fmt/format.h>

namespace unravel::emit {

MergeText merge_text(const loop::Merge &loop, Names &names, Expressions &expressions) {
  const std::string &key = names.variable(loop.variable);
  const std::string none = names.fresh(key + "_none"); // more than any key
  MergeText text;
  text.cursors.push_back(fmt::format("const int64_t {} = 9223372036854775807;", none));
  std::vector<std::string> keys, first_keys;
  for (const loop::MergedRange &merged : loop.ranges) {
    const std::string &position = names.variable(merged.range.variable);
    const std::string end = names.fresh(position + "_end");
    const std::string at = names.fresh(position + "_key");
    const std::string next = fmt::format("{} = {} < {} ? {}[{}] : {};", at, position, end,
                                         names.array(merged.range.key), position, none);
    text.cursors.push_back(fmt::format("int64_t {} = {};", position, expressions.term(merged.range.lower)));
    text.cursors.push_back(fmt::format("const int64_t {} = {};", end, expressions.term(merged.range.upper)));
    first_keys.push_back("int64_t " + next);
    text.holds_key.push_back(fmt::format("if ({} == {})", at, key));
    text.advance.push_back({fmt::format("{}++;", position), next});
    keys.push_back(at);
  }
  text.cursors.insert(text.cursors.end(), first_keys.begin(), first_keys.end());
  text.over_keys = "for (;;)";
  text.take_key.push_back(fmt::format("int64_t {} = {};", key, keys.front()));
  for (std::size_t k = 1; k < keys.size(); ++k)
    text.take_key.push_back(fmt::format("if ({1} < {0}) {0} = {1};", key, keys[k]));
  text.take_key.push_back(fmt::format("if ({} == {}) break;", key, none));
  return text;
}

} // namespace unravel::emit
