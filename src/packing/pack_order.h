#pragma once

#include "packing/pack_plan.h"
#include "prove/prover.h"

namespace unravel::packing {

/// What slots are as subscripts, over the positions of `levels`.
std::vector<term::Term> subscripts_of(const std::vector<Slot> &slots, const std::vector<Level> &levels);
/// The modes that tell the nodes of a level apart, below the same node above.
std::vector<std::size_t> modes_of(const Level &level);
/// The application that holds a key: array(slots).
term::Term key_term(const Key &key, const std::vector<Level> &levels);
/// Where the segment of a node begins and ends: pointer(parents), pointer(parents, the last one later).
std::pair<term::Term, term::Term> segment_of(const Level &level, const std::vector<Level> &levels);

/// What a layout's properties demand of the order of its entries, found by proof: the questions that
/// plan_piece asks.
class PackOrders {
public:
  /// `modes` must outlive it.
  PackOrders(const layout::Layout &layout, const std::vector<Mode> &modes);

  /// Is `condition` true under the conditions `accepted`?
  bool is_implied(const term::Term &condition, const std::vector<term::Term> &accepted);

  /// Sets order, merge and reasons of level `l`, which has keys. `relation`: all conjuncts. An `inner` level
  /// always merges: levels below are laid out per node.
  void decide(std::vector<Level> &levels, std::size_t l, const std::vector<term::Term> &relation, bool inner);

  /// What the keys of unused positions of a level may hold: something that the relation excludes, and the
  /// properties permit.
  std::optional<term::Term> mark_of(const Level &level, const std::vector<Level> &levels,
                                    const std::vector<term::Term> &relation);

private:
  std::vector<term::Term> bounds_of_positions(const Level &level,
                                              const std::vector<term::Term> &relation) const;

  bool refuted(const std::string &about, std::vector<term::Term> hypotheses);

  const layout::Layout &layout_;
  const std::vector<Mode> &modes_;
  prove::Prover prover_;
};

} // namespace unravel::packing
