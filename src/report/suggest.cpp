#include "report/suggest.h"

#include "report/diagnostic.h"

#include <fmt/format.h>

namespace unravel::report {

std::string suggest(std::string_view name, const std::vector<std::string> &candidates,
                    const std::string &otherwise) {
  std::string best = nearest(std::string(name), candidates);
  return best.empty() ? otherwise : fmt::format("did you mean `{}`?", best);
}

std::string list_words(const std::vector<std::string> &words) {
  std::string result;
  for (std::size_t k = 0; k < words.size(); ++k)
    result += fmt::format("{}`{}`", k == 0 ? "" : k + 1 == words.size() ? " or " : ", ", words[k]);
  return result;
}

} // namespace unravel::report
