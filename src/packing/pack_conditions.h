#pragma once

#include "packing/pack_piece.h"

namespace unravel::packing {

/// Which entries have a place in a piece: conditions on coordinates, from what is left of the relation and
/// from properties that say something of each position alone; and counts that are as large as entries want.
class PieceConditions {
public:
  /// All must outlive it; `plan` has its modes and gets its levels while this lives.
  PieceConditions(const layout::Layout &layout, PiecePlan &plan, PackOrders &orders, Determined &determined);

  /// Adds a formula over positions and modes as a condition, unless it is true of all coordinates. False: it
  /// is none over coordinates.
  bool add(const term::Term &part);

  /// Whether a property holds of what is stored because it is, position by position, a condition on
  /// coordinates, which is added where it isn't true of all. `relation`: all conjuncts; `known`: of every
  /// entry.
  bool keeps(const prove::Axiom &axiom, const std::vector<term::Term> &relation,
             const std::vector<term::Term> &known);

  /// Where the entries of the last level lie at the earliest: what properties say is at most its position, as
  /// `key(p) mod 8 <= p`. `relation`: all conjuncts.
  struct FirstPlace {
    Mode mode; // without a name
    term::Term at;
  };
  std::optional<FirstPlace> first_place(const std::vector<term::Term> &relation) const;

  /// Turns conditions count + rest >= 0 into limits, where nothing else in them is unknown. What is wrong
  /// then, if anything: a count that remains unknown.
  std::optional<std::string> find_limits();

  /// Is it a count that doesn't follow from others?
  bool is_free_count(const std::string &name) const;

private:
  using Relation = std::vector<term::Term>;
  /// `permuted`: may it have coordinates that are?
  std::optional<term::Term> of_coordinates(const term::Term &part, bool permuted = true) const;
  template <class Use>
  void each_instance(const prove::Axiom &axiom, const Relation &relation, std::vector<std::string> &images,
                     const Use &use) const;
  bool keeps_instance(const prove::Axiom &axiom, const term::Substitution &positions,
                      const Relation &relation, const Relation &known);
  bool is_every_node(const term::Term &guard, const term::Substitution &positions, const Relation &relation);
  bool is_count(const std::string &name) const;
  bool is_unknown(const std::string &count) const;
  bool is_limited(const std::string &count) const;
  bool limit(const std::string &count);

  void add_first_places(const prove::Axiom &axiom, const Relation &relation, std::vector<term::Term> &at,
                        std::vector<term::Term> &values) const;

  const layout::Layout &layout_;
  PiecePlan &plan_;
  PackOrders &orders_;
  Determined &determined_;
};

} // namespace unravel::packing
