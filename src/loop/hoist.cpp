#include "loop/hash.h"
#include "loop/load.h"
#include "loop/passes.h"

#include <algorithm>

namespace unravel::loop {

namespace {

class Hoister {
public:
  Hoister(const Program &program, const Safe &safe) : names_(program), safe_(safe) {}

  /// `evaluated` are the loads that have certainly been evaluated, and would still give the same.
  void block(Block &statements, std::vector<Load> evaluated) {
    for (std::size_t k = 0; k < statements.size(); ++k) {
      bool loop = is_loop(statements[k]);
      if (loop) {
        Block hoisted = take_invariants(statements[k], evaluated);
        statements.insert(place(statements, k), hoisted.begin(), hoisted.end());
        k += hoisted.size();
      }
      for (Load &load : certain_loads(statements[k]))
        evaluated.push_back(std::move(load));
      for (Block *inner : blocks_of(statements[k])) {
        std::vector<Load> inside = evaluated;
        if (loop) forget(inside, effects_of(statements[k]));
        block(*inner, std::move(inside));
      }
      forget(evaluated, effects_of(statements[k]));
    }
  }

private:
  /// Reads no array: it can't be out of bounds.
  static bool is_pure(const Load &load) {
    return load.term.as<term::Apply>()->function == hash_name && applications_of(load.term).size() == 1;
  }

  static void forget(std::vector<Load> &loads, const Effects &effects) {
    std::erase_if(loads, [&](const Load &load) { return changes(effects, load); });
  }

  /// Gives names to the loop's invariant loads; the result declares them.
  Block take_invariants(Statement &loop, const std::vector<Load> &evaluated) {
    Block declarations;
    while (true) {
      std::vector<Load> certain = certain_loads(loop);
      Effects effects = effects_of(loop);
      std::vector<Load> loads = repeated_loads(loop);
      auto hoistable = [&](const Load &load) {
        if (changes(effects, load)) return false;
        bool known = std::find(evaluated.begin(), evaluated.end(), load) != evaluated.end() ||
                     std::find(certain.begin(), certain.end(), load) != certain.end();
        return known || is_pure(load) || (safe_ && safe_(load.term));
      };
      auto found = std::find_if(loads.begin(), loads.end(), hoistable);
      if (found == loads.end()) return declarations;
      std::string name = names_.name(*found);
      declarations.push_back(declare_load(*found, name, origins_of(*found, loop)));
      replace_load(loop, *found, name);
    }
  }

  /// Loads that are evaluated in each iteration: not those of the bounds of a For, unless they occur inside
  /// too.
  static std::vector<Load> repeated_loads(const Statement &loop) {
    if (loop.is<While>()) return all_loads(loop);
    std::vector<Load> loads;
    for (const Block *block : blocks_of(loop))
      for (const Statement &inner : *block)
        for (Load &load : all_loads(inner))
          if (std::find(loads.begin(), loads.end(), load) == loads.end()) loads.push_back(std::move(load));
    return loads;
  }

  FreshNames names_;
  const Safe &safe_;
};

} // namespace

Program hoist(Program program, const Known &known) {
  Hoister(program, known.safe).block(program.body, {});
  return program;
}

} // namespace unravel::loop
