#include "loop/load.h"
#include "loop/passes.h"
#include "loop/walk.h"

#include <utility>

namespace unravel::loop {

namespace {

/// Whether a loop in the block reduces the local where a condition holds.
bool reduces_at_times(const Block &block, const std::string &local, bool in_loop = false,
                      bool at_times = false) {
  for (const Statement &statement : block) {
    if (in_loop && at_times && reduces(statement, local)) return true;
    const bool loops = in_loop || is_loop(statement);
    const bool asks = loops && (at_times || !statement.is<For>());
    for (const Block *inner : blocks_of(statement))
      if (reduces_at_times(*inner, local, loops, asks)) return true;
  }
  return false;
}

void give_own_sums(Block &block, FreshNames &names) {
  for (Statement &statement : block) {
    for (Block *inner : blocks_of(statement))
      give_own_sums(*inner, names);
    auto *loop = statement.as<For>();
    if (!loop || !loop->parallel || loop->parallel->sum.empty()) continue;
    const std::string &sum = loop->parallel->sum;
    const std::optional<Operator> by = reduction_of(loop->body, sum);
    if (!by || !reduces_at_times(loop->body, sum)) continue;
    const std::string own = names.name(sum + "_own");
    each_statement(loop->body, [&](Statement &inner) {
      if (reduces(inner, sum)) inner.as<Accumulate>()->target = Local{own};
    });
    loop->body.insert(loop->body.begin(),
                      {DeclareValue{own, {Number{value::identity_of(*by)}}}, statement.origins});
    loop->body.push_back({Accumulate{Local{sum}, {Local{own}}, false, *by}, statement.origins});
  }
}

} // namespace

Program reduce_in_own_locals(Program program, const Known &) {
  FreshNames names(program);
  give_own_sums(program.body, names);
  return program;
}

} // namespace unravel::loop
