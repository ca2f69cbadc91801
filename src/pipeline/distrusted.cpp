// What is refused since properties of the data were only sampled.
#include "pipeline.h"
#include "pipeline/narrow_sums.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace unravel::pipeline {

namespace {

/// Of the properties that are distrusted those without which the request is refused: of several such sets
/// one. Empty where it is refused with all of them, too.
std::vector<std::string> missed(const Request &request, const Front &front) {
  Request other = request;
  const auto compiles_without = [&](const std::vector<std::string> &distrusted) {
    other.distrusted = distrusted;
    return report::unless_refused([&] { return compile(other, front); }).has_value();
  };
  std::vector<std::string> distrusted, needed;
  if (!compiles_without(distrusted)) return {};
  for (const std::string &property : request.distrusted) {
    distrusted.push_back(property);
    if (compiles_without(distrusted)) continue;
    distrusted.pop_back();
    needed.push_back(property);
  }
  return needed;
}

} // namespace

Compilation compile_for_data(const Request &request, const Front &front) {
  report::Diagnostic why;
  if (auto made = report::unless_refused([&] { return compile(request, front); }, &why)) {
    std::ranges::copy(front.notes_on_sums, std::back_inserter(made->notes));
    std::ranges::move(notes_on_narrow_sums(request, front), std::back_inserter(made->notes));
    return std::move(*made);
  }
  if (const std::vector<std::string> needed = missed(request, front); !needed.empty())
    why.hint +=
        fmt::format("{}it isn't refused where the data are known to have `{}`, which was only sampled",
                    why.hint.empty() ? "" : "; ", fmt::join(needed, "` and `"));
  throw report::Error(why);
}

} // namespace unravel::pipeline
