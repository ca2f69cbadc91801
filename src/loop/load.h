#pragma once

#include "loop/loop.h"
#include "loop/walk.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Loads: reads of arrays as the passes see them. An element of a value array is written as the application
/// of the array to its slot, so that index and value arrays are treated alike.
namespace unravel::loop {

struct Load {
  term::Term term; // A.rowptr(i + 1), A.val(p)
  bool is_value = false;

  friend bool operator==(const Load &, const Load &) = default;
};

/// Loads that are evaluated whenever the statement is reached, inner before outer, each once: not those
/// behind another part of a condition, nor those in a body.
std::vector<Load> certain_loads(const Statement &statement);
/// All loads in the statement and inside it, inner before outer, each once.
std::vector<Load> all_loads(const Statement &statement);

/// How often the load occurs in the statement and inside it.
int count_load(const Statement &statement, const Load &load);
/// What statements that read it, this one or some inside it, were made for.
Origins origins_of(const Load &load, const Statement &statement);
/// Whether the statements with these effects give the load another value, or make it meaningless outside.
bool changes(const Effects &effects, const Load &load);
/// Writes the name in the place of the load everywhere in the statement.
void replace_load(Statement &statement, const Load &load, const std::string &name);
/// The declaration that gives the load a name. `origins`: of what it is read for.
Statement declare_load(const Load &load, const std::string &name, const Origins &origins);

/// Names that are not yet in a program: "A.rowptr_i", "A.val_p", with a number where that is taken.
class FreshNames {
public:
  explicit FreshNames(const Program &program);
  std::string name(const Load &load);
  std::string name(const std::string &wanted);

private:
  std::set<std::string> taken_;
};

} // namespace unravel::loop
