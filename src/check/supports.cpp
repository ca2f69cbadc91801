#include "check/supports.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace unravel::check {

using compute::Access;

namespace {

bool is_nothing_without(const compute::Statement &statement, const Support &accesses) {
  std::set<std::string> names;
  for (const Access *access : accesses)
    names.insert(access->name());
  return !names.empty() && compute::is_nothing_without(statement, statement.value, names);
}

/// Without those that the others don't need to be one.
Support least_support(const compute::Statement &statement, Support support) {
  for (std::size_t k = 0; k < support.size();) {
    Support fewer = support;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    if (is_nothing_without(statement, fewer))
      support = std::move(fewer);
    else
      ++k;
  }
  return support;
}

} // namespace

std::vector<Support> supports_of(const compute::Statement &statement,
                                 const std::function<bool(const Access &)> &is_sparse) {
  std::vector<Support> found;
  Support others;
  compute::each_read(statement, [&](const Access &read) {
    if (compute::is_factor(statement, read))
      found.push_back({&read});
    else if (is_sparse(read))
      others.push_back(&read);
  });
  while (is_nothing_without(statement, others)) {
    found.push_back(least_support(statement, others));
    const auto is_taken = [&](const Access *access) {
      return std::ranges::find(found.back(), access) != found.back().end();
    };
    std::erase_if(others, is_taken);
  }
  return found;
}

} // namespace unravel::check
