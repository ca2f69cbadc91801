#include "loop/load.h"
#include "loop/passes.h"

#include <algorithm>

namespace unravel::loop {

namespace {

class Sharer {
public:
  explicit Sharer(const Program &program) : names_(program) {}

  void block(Block &statements) {
    for (std::size_t k = 0; k < statements.size(); ++k) {
      while (share_one(statements, k)) {
      }
      for (Block *inner : blocks_of(statements[k]))
        block(*inner);
    }
  }

private:
  /// The end of the statements from `begin` on through which the load keeps its value.
  static std::size_t end_of_region(const Block &statements, std::size_t begin, const Load &load) {
    std::size_t end = begin;
    while (end < statements.size() && !changes(effects_of(statements[end]), load))
      ++end;
    return end;
  }

  static void replace_between(Block &statements, std::size_t begin, std::size_t end, const Load &load,
                              const std::string &name) {
    for (std::size_t k = begin; k < end; ++k)
      replace_load(statements[k], load, name);
  }

  /// Gives one load of statement k, or of all before the end of its region, a name; false if none is left.
  bool share_one(Block &statements, std::size_t k) {
    if (reuse_let(statements, k)) return true;
    for (const Load &load : certain_loads(statements[k])) {
      std::size_t end = end_of_region(statements, k, load);
      int count = 0;
      for (std::size_t inner = k; inner < end; ++inner)
        count += count_load(statements[inner], load);
      if (count < 2) continue;
      std::string name = names_.name(load);
      Origins origins;
      for (std::size_t reader = k; reader < end; ++reader)
        origins = joined(origins, origins_of(load, statements[reader]));
      replace_between(statements, k, end, load, name);
      statements.insert(place(statements, k), declare_load(load, name, origins));
      return true;
    }
    return false;
  }

  /// let j = A.col(p): j stands for the load from here on.
  static bool reuse_let(Block &statements, std::size_t k) {
    Load load;
    std::string name;
    if (const auto *let = statements[k].as<Let>(); let && let->value.as<term::Apply>()) {
      load = {let->value, false};
      name = let->variable;
    } else if (const auto *value = statements[k].as<DeclareValue>()) {
      const auto *element = value->initial.as<Element>();
      if (!element || is_stored(statements, k + 1, value->name)) return false;
      load = {term::apply(element->array, {element->slot}), true};
      name = value->name;
    } else {
      return false;
    }
    std::size_t end = end_of_region(statements, k + 1, load);
    bool used = false;
    for (std::size_t inner = k + 1; inner < end; ++inner)
      used = used || count_load(statements[inner], load) > 0;
    if (used) replace_between(statements, k + 1, end, load, name);
    return used;
  }

  static bool is_stored(const Block &statements, std::size_t begin, const std::string &local) {
    return std::any_of(
        statements.begin() + static_cast<std::ptrdiff_t>(begin), statements.end(),
        [&](const Statement &statement) { return effects_of(statement).stored.contains(local); });
  }

  FreshNames names_;
};

} // namespace

Program share(Program program, const Known & /*known*/) {
  Sharer(program).block(program.body);
  return program;
}

} // namespace unravel::loop
