#pragma once

#include "combine/space.h"
#include "loop/loop.h"
#include "lower/append.h"
#include "lower/leaf.h"
#include "lower/workspace.h"

#include <functional>
#include <memory>

/// Assembled results whose entries are dealt by the first position, which is computed of their coordinates:
/// the statement is visited twice. First its entries are counted by that position, and sums of the counts
/// tell where its segments begin; then each entry goes to the next place of its segment, without a list of
/// them (Gustavson, TOMS 1978, "permuted transposition").
namespace unravel::lower {

class Dealing : public EntryCode {
public:
  /// `is_distinct`: no two entries are of one coordinate. Otherwise those of one coordinate come one after
  /// the other within their segment, and are added up. Entries that are dropped are counted, and taken out
  /// at the end: what is computed twice may differ in its last bits.
  Dealing(const combine::Operand &target, bool is_distinct, double initial, Workspace &workspace);

  /// Before the first visit, at each of its points, and between the two.
  loop::Block begin() const;
  loop::Block count() const;
  loop::Block between() const;
  /// At each point of the second visit, and behind it.
  loop::Block entry() const override;
  loop::Element element() const override { return value_at(slot()); }
  bool is_new() const override { return !result_.append.merges || is_distinct_; }
  loop::Block with_node(std::size_t, loop::Block inside) const override { return inside; }
  loop::Block end() const;

private:
  const packing::AppendLevel &segments() const { return result_.append.levels[0]; }
  const packing::AppendLevel &entries() const { return result_.append.levels[1]; }
  term::Term slot() const;
  term::Term next(const term::Term &segment) const;
  loop::Statement set_next(const term::Term &segment, const term::Term &value) const;
  /// What is done for each segment, by its variable.
  loop::Statement for_each(const std::function<loop::Block(const term::Term &)> &body) const;
  term::Substitution at(const term::Term &slot) const;
  loop::Element value_at(const term::Term &slot) const;
  loop::Block closed_up() const;

  const combine::AssembledResult &result_;
  const std::map<std::string, std::vector<term::Term>> &extents_; // of arrays
  const bool is_distinct_;
  const double initial_; // the value of an entry that is made
  const std::optional<double> dropped_;
  term::Substitution entry_; // its coordinates, and the position of its segment
  term::Term segment_;
  std::string next_;           // the array: where the next entry of each segment goes
  std::string counted_, made_; // variables: how many entries there are, and of different coordinates
};

/// What the statement does with its entries; null where its result isn't assembled.
std::shared_ptr<const EntryCode> code_of_entries(const combine::IterationSpace &space, const LeafPlan &plan,
                                                 Workspace &workspace);

/// Both visits. Precondition: no other statement shares its loops.
LoweredLeaf lower_dealt(const combine::IterationSpace &space, const LeafPlan &plan, std::size_t number,
                        const SharedLoops &shared, Workspace &workspace);

} // namespace unravel::lower
