#pragma once

#include "parse/tree.h"

#include <set>
#include <string>
#include <vector>

namespace unravel::compute {

/// The names in a program, for rewritings that need others.
class TakenNames {
public:
  explicit TakenNames(const parse::ProgramTree &tree);
  explicit TakenNames(const parse::AssignmentTree &tree);

  /// `wanted`, or with a number behind it: a name that isn't taken. Then it is.
  std::string fresh(const std::string &wanted);

private:
  void take(const std::vector<parse::OperatorTree> &operators);
  void take(const parse::Expression &written);
  void take(const parse::AssignmentTree &assignment);
  void take(const parse::StatementTree &statement);

  std::set<std::string> taken_;
};

} // namespace unravel::compute
