#pragma once

#include "combine/space.h"

/// What assignments and programs have in common when they meet layouts.
namespace unravel::combine {

/// Which sizes are one: classes of qualified sizes, each with a representative.
class Sizes {
public:
  void add(const std::string &size) { representative_.emplace(size, size); }
  std::string find(const std::string &size) const;
  /// The class of `other` joins that of `kept`; false where they were one already.
  bool join(const std::string &kept, const std::string &other);

private:
  std::map<std::string, std::string> representative_;
};

/// Is the subscript the index by itself, without a shift?
bool is_plain(const compute::Subscript &subscript, const std::string &index);
/// Does the access have such a subscript?
bool has_plain(const compute::Access &access, const std::string &index);

/// Qualified names for everything that belongs to the tensors of a computation: "A.M", "A.rowptr", "A#2.p".
class Naming {
public:
  /// `lender`: the tensor whose structure the result has, or empty.
  Naming(const std::map<std::string, layout::Layout> &layouts, std::string lender)
      : layouts_(layouts), lender_(std::move(lender)) {}

  Sizes sizes;

  const layout::Layout &layout_of(const std::string &tensor) const { return layouts_.at(tensor); }
  /// All tensors but locals have one.
  bool has_layout(const std::string &tensor) const { return layouts_.contains(tensor); }
  /// Of one of its modes, as the variable that stands for the size.
  term::Term extent(const std::string &tensor, std::size_t mode) const;
  /// The variable that stands for a count of the tensor, or a size of the tensor whose structure it has.
  std::string number_of(const Binding &binding, const std::string &name) const;
  /// From the layout's names to qualified ones.
  void rename(const Binding &binding, std::map<std::string, std::string> &variables,
              std::map<std::string, std::string> &functions) const;

  /// The tensor's arrays with their extents, its axioms; of a result with a structure the equalities of its
  /// numbers with the operand's.
  void add(const Binding &binding, Combination &to) const;
  /// What is known of a result of which only the sizes are given.
  AssembledResult assembled(const Binding &binding, Combination &to) const;
  /// The target for an access to it.
  Operand appended(const compute::Access &access) const;
  /// That the access lies inside its tensor, also where none of those that a line reads has an index of its
  /// as it is: a target without slots doesn't say so, nor what may not be stored.
  void stay_inside(const compute::Access &access, const std::vector<const compute::Access *> &reads,
                   std::vector<term::Term> &relation) const;
  /// A local tensor of these extents, without a layout a dense one, row-major; its arrays, and what its
  /// layout says of them, go to the combination, too.
  LocalTensor local(const std::string &tensor, std::size_t around, const std::vector<term::Term> &extents,
                    Combination &to) const;
  /// What stands for the sizes of a tensor that has these extents.
  term::Substitution sizes_of(const std::string &tensor, const std::vector<term::Term> &extents) const;
  /// The operand for an access through a piece; its part of the relation goes to `relation`. `structure`: the
  /// access whose positions a result has, or empty.
  Operand operand(const compute::Access &access, const layout::Piece &piece, bool is_result,
                  const std::string &structure, std::vector<term::Term> &relation) const;

private:
  void add_arrays(const Binding &binding, Combination &to) const;
  void add_axioms(const Binding &binding, Combination &to) const;
  bool is_borrowed(const Operand &operand, const std::string &position) const;

  const std::map<std::string, layout::Layout> &layouts_;
  std::string lender_;
};

std::string qualified(const std::string &tensor, const std::string &name);

/// The positions of the operands and the target, as the space has them: each once.
void list_positions(IterationSpace &space);

/// Positions that are affine in coordinates (dense levels) are replaced inside arguments and slots, so that
/// equal arguments have equal texts; the equalities themselves stay. Sets the space's relation and places.
void join_arguments(IterationSpace &space, const std::vector<term::Term> &relation,
                    const std::vector<term::Term> &places);

} // namespace unravel::combine
