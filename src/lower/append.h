#pragma once

#include "combine/space.h"
#include "loop/loop.h"
#include "lower/elements.h"
#include "lower/leaf.h"
#include "lower/lower.h"
#include "lower/workspace.h"
#include "scan/nest.h"

#include <functional>
#include <memory>
#include <optional>

/// Assembled results: entries are appended, each behind those before it (packing/append.h). Pointers are set
/// as nodes begin: that of a node above which entries come later, or never, too.
namespace unravel::lower {

/// The variable that says how many of a level's nodes, or of an array's pointers, there are so far.
std::string end_of(const std::string &name);

/// A pointer, where nodes of the node above begin: an element of the level's array plus an offset.
term::Term pointer_at(const packing::AppendLevel &level, const term::Term &above);

/// Where the nodes of the node above end, once that is set.
term::Term segment_end(const packing::AppendLevel &level, const term::Term &above);

/// A node above begins, and its segment.
loop::Block begun_at(const packing::AppendLevel &level, const term::Term &above);

/// What is done before the first entry, and behind the last one. `is_dealt`: who deals the entries makes room
/// for all of them at once.
loop::Block begin_assembly(const combine::AssembledResult &result, bool is_dealt);
loop::Block end_assembly(const combine::AssembledResult &result);

/// What a parallel loop appends to it. Precondition: threads can append apart.
loop::Appended appended_to(const combine::AssembledResult &result);

/// What a statement does with an entry of an assembled result.
class EntryCode {
public:
  explicit EntryCode(std::optional<double> dropped = std::nullopt) : dropped_(dropped) {}
  virtual ~EntryCode() = default;

  /// Makes the entry of this point; its value is the identity of what is done to it, unless each entry is
  /// new.
  virtual loop::Block entry() const = 0;
  virtual loop::Element element() const = 0;
  virtual bool is_new() const = 0;

  /// What stands inside the level of the nest.
  virtual loop::Block with_node(std::size_t level, loop::Block inside) const = 0;

  /// A value with which there is no entry; none, or where values aren't known when entries are made.
  const std::optional<double> &dropped() const { return dropped_; }

private:
  const std::optional<double> dropped_;
};

/// What is done with a value, `stored`, unless it is the one that is dropped, if one is. `of`: the result.
loop::Block unless_dropped(std::optional<double> dropped, const std::string &of, loop::Value value,
                           const std::function<loop::Block(loop::Value)> &stored);

/// Is what a statement computes at a point all of an entry's value, or of an element's in it? Else others may
/// be added to it.
bool has_whole_values(const combine::AssembledResult &result, const LeafPlan &plan);

/// Of a statement that appends to it.
class Appending : public EntryCode {
public:
  Appending(const combine::IterationSpace &space, const LeafPlan &plan, const SharedLoops &shared,
            const combine::Combination &combination, std::optional<double> dropped = std::nullopt);

  /// Begins the nodes that the entry needs.
  loop::Block entry() const override;
  loop::Element element() const override;
  bool is_new() const override;

  /// Behind the beginning of nodes where its loop visits all of a computed position's in their order: these
  /// begin with its iterations, and not with entries.
  loop::Block with_node(std::size_t level, loop::Block inside) const override;

private:
  term::Term position(std::size_t level) const;
  loop::Block begun(std::size_t level) const;
  loop::Block made(std::size_t level) const;
  term::Term begins(std::size_t level) const;
  loop::Block cleared() const;
  loop::Element value_at(const term::Substitution &by) const;

  const combine::AssembledResult &result_;
  const std::map<std::string, std::vector<term::Term>> &extents_; // of arrays
  const bool is_distinct_;
  const double initial_;
  term::Substitution entry_; // its coordinates, and its positions once its nodes are there
  std::optional<std::size_t> begins_at_;
};

// ---- Entries of assembled results that are dropped once their values are known.

/// Behind the last entry: takes those of that value out, of blocks such as have no other value, and nodes
/// that have no entry then. What stays moves up, in its order. Precondition: the result's nodes and entries
/// are there (append.h), but not their counts.
loop::Block drop_entries(const combine::AssembledResult &result, double dropped, const Extents &extents);

/// What the statement does with its entries; null where its result isn't assembled.
std::shared_ptr<const EntryCode> code_of_entries(const combine::IterationSpace &space, const LeafPlan &plan,
                                                 const SharedLoops &shared, Workspace &workspace);

} // namespace unravel::lower
