#pragma once

#include "choose/assembled.h"
#include "choose/equal_work.h"
#include "cost/thresholds.h"
#include "pipeline.h"
#include "pipeline/steps.h"
#include "scan/tree.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// From the space of one leaf, or of a program's statement, to its plan: the steps between the iteration
/// space and the loops.
namespace unravel::pipeline {

/// What the plans of all leaves are made from.
struct LeafInput {
  const Request &request;
  const combine::Combination &combination;
  /// Its leaves before the transformations.
  const std::vector<combine::IterationSpace> &untransformed;
  const parse::ScheduleTree &schedule;
  const find::Requests &requests;
  prove::Prover &prover;
  const cost::Thresholds &thresholds;
  bool details = false; // of dependences
  const Front &front;
};

/// The finds of a plan for which nothing better than a scan was proved.
schedule::Scans scans_of(const plan::LeafPlan &leaf);

class LeafPlanner {
public:
  explicit LeafPlanner(const LeafInput &input) : in_(input) {}

  /// The plan of the leaf of that number; without alternatives, unless these decide which plan it is.
  Leaf plan(std::size_t number, Steps &steps);
  /// Those that aren't there yet, and in which of its plans threads share the loop that was chosen for them.
  /// After the plans of all leaves: these matter more, where time is short.
  void add_alternatives(Leaf &leaf, std::size_t number, Steps &steps);

  /// Neighbouring statements whose parallel loops have enough to do together get them again: one team does
  /// them (emit::StatementWriter::begin_joined).
  void join_teams(std::vector<Leaf> &leaves, Steps &steps);

  /// Statements that the source binds to no loop may share their outermost one (choose/statements.h).
  void join_loops(std::vector<Leaf> &leaves) const;

  /// Which of the tree's loops run in parallel, and how they are shared out. Their verdicts are those of the
  /// first statement inside.
  void plan_shared(const std::vector<scan::Node> &tree, std::vector<Leaf> &leaves);

  /// From now on the loops that the statement has alone stay in the order of the source. False where that was
  /// said before.
  bool keep_as_written(std::size_t number) { return as_written_.insert(number).second; }

  /// The finds that requests may name.
  const std::vector<std::string> &findable() const { return findable_; }
  /// A statement's loop wasn't cut into pieces of equal work as was asked for: why.
  std::optional<choose::WorkBefore> &not_cut() { return not_cut_; }
  /// A statement's entries don't come in the order of its result, and no other order of its loops helps:
  /// their plans are of no use, unless the result gets its entries in another way.
  const std::optional<std::size_t> &out_of_order() const { return out_of_order_; }
  std::string why_out_of_order() const;
  /// Is there another way for a statement whose entries come in order only in loops that cost much more?
  bool may_be_collected() const;
  [[noreturn]] void fail_out_of_order() const;
  /// Some additions are done as was asked for.
  bool reduced() const { return reduced_; }

private:
  schedule::Order order_of(std::size_t number, const schedule::Counts &counts, const schedule::Scans &scans,
                           const std::set<std::string> &wanted, std::size_t shared) const;
  Leaf planned(std::size_t number, Steps &steps);
  /// The plan of a statement that appends to a result: its entries come in the result's order.
  void require_entry_order(Leaf &leaf, std::size_t number, Steps &steps);
  /// Has the loops of the terms that a plan wants nested, if the leaf may have them: its order and parts.
  /// `scan`: the nest of its order.
  bool nest_terms(Leaf &leaf, std::size_t number, const std::function<void()> &scan, Steps &steps) const;
  /// The program, with parts that are the leaf's own in the place of its statement, as text; empty where
  /// there is none that says that.
  std::string program_in_parts(const plan::LeafPlan &plan, const combine::IterationSpace &space) const;
  void plan_alternatives(Leaf &leaf, std::size_t number, Steps &steps);
  /// Is its parallel loop the one that the schedule wants to run in parallel?
  bool is_asked_for(const Leaf &leaf) const;
  /// The plan without alternatives.
  Leaf plan_loops(std::size_t number, schedule::Counts counts, Steps &steps);
  /// scan::Nest::changed of the statement, whose nest has so many levels.
  std::map<std::string, std::size_t> changed_around(std::size_t number, std::size_t levels) const;
  /// May the values that the statement reads change while it is executed?
  bool reads_what_changes(std::size_t number) const;
  void run_in_parallel(Leaf &leaf, std::size_t number, const find::Lengths &lengths);
  /// Entries that are dealt to the segments of a result: by all threads, where that pays.
  void deal_in_parallel(Leaf &leaf, std::size_t number);
  /// The plan's parallel loop does too little for a team.
  void run_in_one_thread(plan::LeafPlan &plan) const;
  void plan_shared(const scan::Node &loop, std::vector<Leaf> &leaves);
  /// What questions about parallel loops are for; empty where the schedule speaks of these.
  std::string parallel_purpose() const;
  /// " of product 3", where there are several.
  std::string of_product(std::size_t number) const;
  /// For data that lie in one tile the loops as they are without tiles.
  void add_untiled(Leaf &leaf, std::size_t number);

  LeafInput in_;
  std::vector<std::string> findable_;
  std::optional<choose::WorkBefore> not_cut_;
  bool reduced_ = false;
  std::optional<std::size_t> out_of_order_;
  choose::EntryOrder found_order_; // of that one
  std::set<std::size_t> as_written_;
  std::map<std::size_t, std::vector<std::string>> begin_with_; // by leaf: what its order begins with
  std::map<std::size_t, double> parts_of_team_; // by leaf: the work of a parallel loop (choose/threads.h)
  std::set<std::size_t> joined_;                // leaves that keep theirs, as others have more to do
  std::set<std::size_t> with_alternatives_;     // leaves for which these were looked for
};

} // namespace unravel::pipeline
