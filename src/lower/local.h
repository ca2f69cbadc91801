#pragma once

#include "combine/space.h"
#include "loop/loop.h"
#include "lower/workspace.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Local tensors whose entries are inserted (layout::Insertion).
namespace unravel::lower {

/// What is done where such a local begins, and where nothing is about it any more.
struct LocalCode {
  loop::Block begin, end;
  const Members *members = nullptr; // where it has some
};

/// Of all of the combination's, by tensor.
std::map<std::string, LocalCode> local_codes(const Workspace &workspace);

/// The element of a target that may have been inserted: its position stands in a variable, where an array
/// tells it.
loop::Element element_of(const combine::Operand &target, const combine::Combination &combination);

/// Is each insertion another entry, whose value is still to be set?
bool inserts_another(const combine::Operand &target, const combine::Combination &combination);

/// Makes the target stored, with its initial value, if it isn't; or is another entry. Declares that variable.
/// `listed`: of a local with members, whether they are listed; none: to be tested.
loop::Block insert(const combine::Operand &target, const Workspace &workspace, std::optional<bool> listed);

/// What is written to an element of a masked local (combine::LocalTensor), which has no value while it is
/// -0.0: sums are never that. Nothing of another target.
std::optional<loop::Store> written_to_masked(const combine::IterationSpace &space,
                                             const loop::Element &target, const loop::Value &value,
                                             const combine::Combination &combination);
/// `then`, made for the value, where it is no element of a masked local without one.
loop::Block where_it_has_a_value(const combine::IterationSpace &space, const loop::Value &value,
                                 const combine::Combination &combination,
                                 const std::function<loop::Block(loop::Value)> &then);

/// Does `insert` test whether an element is new, and does that have the value of the first operand that it is
/// reduced with, whatever this is? Then set_where_new may stand behind it.
bool sets_what_is_new(const combine::Operand &target, const Workspace &workspace, std::optional<bool> listed,
                      loop::Operator by);

/// Behind `insert`: what is new is set, and not read. Precondition: sets_what_is_new.
loop::Block set_where_new(loop::Block inserted, loop::Accumulate add);

/// The local whose members are the find's matches, if nothing is inserted there meanwhile, and no threads
/// share its list; else null.
const Members *members_at(const combine::IterationSpace &space, const LeafPlan &leaf, const LevelPlan &find,
                          const Workspace &workspace);

/// The elements of locals that are zero once they are read (combine::LocalTensor), behind a statement that
/// reads these operands.
loop::Block zero_once_read(const std::vector<combine::Operand> &operands,
                           const combine::Combination &combination);

/// Whether members are listed is asked where the plan's second own loop begins, or its only one: often
/// enough, as the list has room for all, and not for each short loop further in. `shared`: the number of
/// levels that are loops of other statements, too.
bool asks_for_list(const LeafPlan &plan, std::size_t shared, std::size_t level);

} // namespace unravel::lower
