#pragma once

#include "tensor/pack_plan.h"

/// Forms of terms that a planner of packing looks for.
namespace unravel::tensor {

/// The only mode that occurs in a term, outside applications and with coefficient 1 or -1.
struct ModeUse {
  std::size_t mode = 0;
  std::int64_t coefficient = 0;
};

std::optional<ModeUse> mode_of(const term::Term &term, const std::vector<Mode> &modes);

/// A subscript that is a level's position, but for a constant.
std::optional<Slot> slot_of(const term::Term &term, const std::vector<Level> &levels);
/// Subscripts: of the levels, of the one to come after them (`position`), and constants.
std::optional<std::vector<Slot>> slots_of(const std::vector<term::Term> &subscripts,
                                          const std::vector<Level> &levels, const std::string &position);

/// position = pointer(parent) + mode + offset, or that less first(parent): sets mode, offset and first of a
/// level that has its pointer and parent. `pointer`: the application that the segment begins with.
bool set_run(Level &level, const term::Term &equation, const term::Term &pointer, const PiecePlan &plan);

/// pointer(r + 1) = pointer(r) + length and first(r) <= most, where properties say so.
void set_length(Level &level, const layout::Layout &layout, const std::vector<Level> &levels);

/// Whether some property compares a position with what is read there: h(key(p)) <= p.
bool states_homes(const layout::Layout &layout);

} // namespace unravel::tensor
