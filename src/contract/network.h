#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// A product of several tensors that is summed over some of its indices, as a planner sees it: which factor
/// has which indices, how large these are, and in which order a sparse factor stores them.
namespace unravel::contract {

/// Indices, or factors, by their numbers: bit k stands for number k.
using Set = std::uint64_t;

inline constexpr std::size_t most_indices = 32, most_factors = 12;

constexpr Set bit(std::size_t number) {
  return Set{1} << number;
}
constexpr bool has(Set set, std::size_t number) {
  return (set >> number & 1) != 0;
}

struct Index {
  std::string name;
  double size = 0; // the number of its values
};

struct Factor {
  /// A part is multiplied with the others, in a tree. A mask is asked by each term that has all of its
  /// indices, and what is beside the tree is read by the first one of these.
  enum class Role { Part, Beside, Mask };

  std::string text;                 // as it is written: "A(i,j)"
  std::vector<std::size_t> indices; // as its subscripts stand
  /// Of a sparse factor: its indices as they are stored, the outermost first, and how many values the first
  /// one has that are stored, the first two together, and so on. Empty: it is dense.
  std::vector<std::size_t> stored;
  std::vector<double> prefixes;
  Role role = Role::Part;
  bool divides = false;   // the product is divided by it
  bool is_absent = false; // of a mask: there is something where nothing is stored

  bool is_sparse() const { return !stored.empty(); }
  /// Has a product with it perhaps nothing to sum?
  bool may_miss() const { return is_sparse() || role == Role::Mask; }
};

/// Two sparse factors with one index in common, where data say how many pairs of their entries have the same
/// value of it: how many times as many as if the entries lay anywhere.
struct Join {
  std::size_t one = 0, other = 0; // factors
  double ratio = 1;
};

struct Network {
  std::string target;   // "y(i)"
  std::string semiring; // where it isn't `+.*`: " in min.+"
  std::vector<Index> indices;
  std::vector<Factor> factors;
  std::vector<Join> joins = {};
  Set result = 0;                      // the indices of the target, numbered in the order of its subscripts
  bool is_lent = false;                // the result has the entries of a factor
  double line = 1;                     // what it costs to fetch a line, in proportion to cost/contractions.h
  std::vector<std::string> taken = {}; // names with another meaning: of operators

  Set all() const { return bit(factors.size()) - 1; } // factors
  /// Those that trees are made of.
  Set parts() const;
  /// The factors that a product of these ones has yet to meet: what has no indices but theirs stands in it,
  /// if it is no part.
  Set others(Set factors) const;
  Set of(std::size_t factor) const;
  /// The indices of these factors.
  Set of_all(Set factors) const;
  /// Those of them that the result or another factor has, too: of these factors' product, summed over the
  /// rest. Of a single factor all of its own.
  Set open(Set factors) const;
  /// The indices that only this factor has, and the result hasn't: it may be summed over them by itself.
  Set own(std::size_t factor) const;
  /// The number of elements of a dense tensor with these indices.
  double elements(Set indices) const;

  /// May such a product have no value: is a factor sparse, or a mask?
  bool may_miss(Set factors) const;

  /// How many of a sparse factor's indices, as they are stored, are opened.
  std::size_t depth(std::size_t factor, Set opened) const;
  /// Which part of the values of the opened indices a sparse factor leaves: those that are a stored prefix.
  double share(std::size_t factor, Set opened) const;
  /// The same of all of these sparse factors, in a loop that the indices `now` are opened by: which part of
  /// its values they leave, as if they were independent but for joins; and which one it goes through, the
  /// entries of that with the fewest.
  struct Part {
    double left = 1, visited = 1;
  };
  Part part(Set factors, Set opened, Set now) const;
  /// Are both factors' entries found in loops over these indices?
  bool is_met(const Join &join, Set opened) const;
  /// May a loop over the index come after those of `opened`, in which these sparse factors are read? It keeps
  /// their stored order, and what is stored comes first.
  bool may_open(Set sparse, Set opened, std::size_t index) const;
  /// The sparse factors whose stored orders agree with each other, chosen from the first one on: loops keep
  /// them. Of the others elements are looked for.
  Set in_order() const;
};

/// Some of the factors, and more that are multiplied with them: "A(i,j) * w(j) / d(i) mask M(i,l)".
std::string product_text(const Network &network, const std::vector<std::size_t> &factors,
                         const std::vector<std::string> &more);

std::string to_text(const Network &network);

} // namespace unravel::contract
