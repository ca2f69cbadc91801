#include "loop/passes.h"
#include "loop/walk.h"

#include <algorithm>
#include <utility>

namespace unravel::loop {

namespace {

/// Does a reduction by it stay as it is once it differs from the identity, whatever is still to come? A truth
/// does, once it has been reduced, if the other truth absorbs.
bool settles(Operator by) {
  return by == Operator::Any ||
         (value::is_truth(by) && value::absorbed(by, 0, 1 - value::identity_of(by)).has_value());
}

/// The local that the loop reduces by an operator that may settle, where it does nothing else that is seen
/// outside. Otherwise empty.
std::string reduced_alone(const For &loop) {
  if (loop.parallel || loop.simd || loop.team || loop.masked || loop.together > 1) return "";
  if ((loop.upper - loop.lower).as<term::Constant>()) return ""; // short, perhaps written out
  const Effects effects = effects_of(loop.body);
  auto is_inside = [&](const std::string &name) { return effects.declared.contains(name); };
  std::vector<std::string> outside;
  std::copy_if(effects.stored.begin(), effects.stored.end(), std::back_inserter(outside),
               [&](const std::string &name) { return !is_inside(name); });
  if (outside.size() != 1 || effects.breaks || effects.misses || !effects.counted.empty() ||
      !std::all_of(effects.assigned.begin(), effects.assigned.end(), is_inside))
    return "";
  bool is_local = true;
  each_statement(loop.body, [&](const Statement &statement) {
    if (const auto *accumulate = std::get_if<Accumulate>(&statement.kind))
      is_local &= std::holds_alternative<Local>(accumulate->target);
  });
  const std::optional<Operator> by = is_local ? reduction_of(loop.body, outside[0]) : std::nullopt;
  return by && settles(*by) ? outside[0] : "";
}

class Leaver {
public:
  explicit Leaver(const Program &program) {
    each_statement(program.body, [this](const Statement &statement) {
      if (const auto *declared = std::get_if<DeclareValue>(&statement.kind))
        look_at(declared->name, declared->initial);
      if (const auto *store = std::get_if<Store>(&statement.kind))
        if (const auto *local = std::get_if<Local>(&store->target)) look_at(local->name, store->value);
      if (const auto *loop = std::get_if<For>(&statement.kind))
        if (loop->parallel && !loop->parallel->sum.empty()) copied_.insert(loop->parallel->sum);
    });
  }

  void leave_loops(Block &block) const {
    for (Statement &statement : block) {
      for (Block *inner : blocks_of(statement))
        leave_loops(*inner);
      auto *loop = std::get_if<For>(&statement.kind);
      if (const std::string local = loop ? reduced_alone(*loop) : "";
          !local.empty() && !copied_.contains(local))
        leave_once_settled(loop->body, local);
    }
  }

private:
  void look_at(const std::string &local, const Value &value) {
    const auto *number = std::get_if<Number>(&value.kind);
    if (!number || (number->value != 0 && number->value != 1)) others_.insert(local);
  }

  /// Leaves the loop around the block where the local has settled. Behind a loop, which may have no
  /// iteration, only locals that are always 0 or 1 are asked: of another number the reduction makes one of
  /// these.
  void leave_once_settled(Block &block, const std::string &local) const {
    Block made;
    for (Statement &statement : block) {
      bool here = reduces(statement, local);
      if (is_loop(statement)) {
        each_statement(statement, [&](const Statement &inner) { here = here || reduces(inner, local); });
        here = here && !others_.contains(local);
      } else {
        for (Block *inner : blocks_of(statement))
          leave_once_settled(*inner, local);
      }
      const std::optional<Operator> by = here ? reduction_of(statement, local) : std::nullopt;
      const Origins origins = statement.origins;
      made.push_back(std::move(statement));
      if (!by) continue;
      IfValue settled{local, {{Break{}, origins}},   "nothing changes it any more", IfValue::Test::Differs,
                      false, value::identity_of(*by)};
      made.push_back({std::move(settled), origins});
    }
    block = std::move(made);
  }

  std::set<std::string> others_; // locals that may hold other numbers than 0 and 1
  std::set<std::string> copied_; // those that threads have copies of, which they don't read
};

} // namespace

Program leave_settled(Program program, const Known &) {
  Leaver(program).leave_loops(program.body);
  return program;
}

} // namespace unravel::loop
