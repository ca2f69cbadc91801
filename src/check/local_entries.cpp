#include "check/local_entries.h"

namespace unravel::check {

std::set<std::string> locals_with_entries(const compute::Program &program) {
  std::set<std::string> found;
  const auto add = [&](const compute::Access &access) {
    if (program.local_tensors.contains(access.tensor)) found.insert(access.tensor);
  };
  for (const compute::Statement &statement : program.statements)
    for (const compute::Mask &mask : statement.masks)
      add(mask.access);
  for (std::size_t before = found.size() + 1; before != found.size();) {
    before = found.size();
    for (const compute::Statement &statement : program.statements)
      if (found.contains(statement.target.tensor)) value::each_leaf<compute::Access>(statement.value, add);
  }
  return found;
}

} // namespace unravel::check
