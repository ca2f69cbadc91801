#pragma once

#include "contract/network.h"

#include <optional>
#include <string>
#include <vector>

/// Loop nest forests: a contraction path, and the loops in which its terms stand (Kanakagiri and Solomonik
/// 2024, sections 3 and 4). What a term leaves for another one is a buffer, with the indices of which the two
/// don't share the loops.
namespace unravel::contract {

/// One contraction: the product of what it reads is summed into a buffer, or, of the last term, the result.
struct Term {
  std::vector<std::size_t> factors; // of the network, that it reads
  std::vector<std::size_t> terms;   // whose buffers it reads
  Set indices = 0;                  // that it goes through
  Set target = 0;                   // those of them that what it writes has

  /// What is multiplied, or divided by. Masks are only asked.
  std::size_t operands(const Network &network) const;
};

/// A loop with what is in it, or a term.
struct Node {
  bool is_loop = false;
  std::size_t number = 0; // of the index, or of the term
  std::vector<Node> body;
};

struct Forest {
  std::vector<Term> terms; // in the order in which they are executed; the last one writes the result
  std::vector<Node> roots;
};

struct Buffer {
  std::size_t term = 0; // that writes it
  Set shared = 0;       // the loops around it
  Set modes = 0;        // its own indices
};

std::vector<Buffer> buffers_of(const Forest &forest);

/// The factors of the network whose product the term's sum is made of.
Set factors_below(const Forest &forest, std::size_t term);

/// A buffer with one mode, which all dense factors have and no sparse one, that begins anew in the loops
/// `shared`: these are gone through for some vectors of the row at a time, which stay in registers
/// (loop/columns.h). MTTKRP's sums along fibres.
bool is_kept_row(const Network &network, Set shared, Set modes);

/// Sets a term its buffer, which begins anew in the loops `shared`, and never adds to it? It is a kept row,
/// and each element is written once.
bool sets_buffer(const Network &network, const Term &term, Set shared);

/// What is made small. Each is separable: the cost of a loop is a function, which doesn't decrease, of the
/// combined costs of what is in it (definition 4.6 of the paper).
enum class Objective {
  Time,      // estimated, in nanoseconds of one thread (cost/contractions.h)
  Work,      // operations: the multiplications and additions of each term, each time that it is executed
  Dimension, // the largest number of indices of a buffer
  Size,      // the elements of the largest buffer
  Misses,    // how often a piece of a tensor with more than one index is come to
};

const char *name_of(Objective objective);

/// A loop in which some terms stand, and what is come to in each of its iterations.
class LoopShape {
public:
  /// In the loops `opened`. `alone`: of the one term in it, the loops that it shares with others; nothing
  /// where there are several terms.
  LoopShape(const Network &network, Set opened, std::size_t index, std::optional<Set> alone)
      : network_(network), opened_(opened), index_(index), alone_(alone) {}

  /// A term in it, whose factors are read.
  void add(const Term &term);
  /// What a term in it reads of one that isn't.
  void read(const Term &written);
  /// What a term in it leaves for others.
  void write(const Term &term) { come_to(term.target, last_of_target(term)); }

  /// What fetching costs in each iteration.
  double fetched() const;

  double trips = 0;
  double visited = 0;              // with those at which a sparse factor has nothing beside another's entry
  std::size_t stored = 0;          // sparse factors of which the next position is come to
  std::size_t touched = 0;         // tensors of which there is more than one index left
  double pieces = 0, elements = 0; // what fetching these costs, or single elements (cost/contractions.h)
  bool is_innermost = true;        // nothing is left to loop over
  std::size_t operands = 0;        // of the terms
  std::size_t strided = 0;         // of these, whose elements don't lie side by side
  bool sums = false;               // a term adds to one element
  /// It adds to several, which are kept in registers in loops around this one: so many terms of each.
  double terms_in_lanes = 1;
  /// Of what is read and written, rows of buffers that are kept in registers (is_kept_row).
  std::size_t kept_reads = 0;
  bool keeps_written = false;

private:
  void come_to(Set indices, std::size_t last);
  double terms_of_sums(const Term &term) const;
  double rows_in_tiles(const Term &term) const;
  bool is_kept(Set target) const;
  std::size_t last_of_target(const Term &term) const;

  const Network &network_;
  Set opened_ = 0;
  std::size_t index_ = 0;
  std::optional<Set> alone_;
};

/// How an objective is computed, for a search that builds forests and for a forest that is there.
struct Price {
  Objective objective = Objective::Time;

  bool is_sum() const { return objective != Objective::Dimension && objective != Objective::Size; }
  double both(double one, double other) const { return is_sum() ? one + other : one > other ? one : other; }
  /// Of a term, each time that it is executed. `sets`: as it never adds (sets_buffer).
  double term(const Network &network, const Term &term, bool sets) const;
  /// Of a buffer, each time that it begins anew in the loops `shared`.
  double buffer(const Network &network, Set shared, Set modes) const;
  /// Of a loop, what is in it costing `inside` each time.
  double loop(const LoopShape &loop, double inside) const;
};

/// Of the forest as it stands: how often each loop is executed follows from the sparse factors that the terms
/// in it read.
double cost_of(const Network &network, const Forest &forest, const Price &price);

/// How often the bodies of the loops are executed in all, in the order of the text: of the first root, of
/// what is in it, of the next one. As cost_of counts.
std::vector<double> executions_of(const Network &network, const Forest &forest);

/// What begins anew in front of a node of this body: what a term in it leaves for another node.
std::vector<Buffer> begun_before(const Node &node, const std::vector<Node> &body, const Forest &forest);

/// A program in text: loops, `let w(j) = 0`, sums.
std::string to_text(const Network &network, const Forest &forest);

/// The name of a term's buffer: "w", "w2".
std::string buffer_name(const Network &network, std::size_t term);
/// What a term does: "w(j) += B(j, k) * x(k)".
std::string term_text(const Network &network, const Forest &forest, std::size_t term);
/// What it writes: "w(j)", or the target.
std::string written_text(const Network &network, const Forest &forest, std::size_t term);

} // namespace unravel::contract
