#pragma once

#include "check/typed_value.h"
#include "data/coordinates.h"
#include "value/exact.h"

#include <map>
#include <span>
#include <vector>

namespace unravel::check {

using Coordinate = std::vector<std::int64_t>;

/// Modulo 2^64.
inline std::int64_t added(std::int64_t one, std::int64_t other) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(one) + static_cast<std::uint64_t>(other));
}

/// An entry of a tensor with values of that type: its value, or the two halves of an integer.
inline Value entry_of(double real, double imaginary, bool in_halves, value::Type type) {
  if (!value::is_integer(type)) return {real, 0, imaginary};
  value::Scalar number = value::Scalar::of(real, value::widest(type));
  if (in_halves) {
    const std::int64_t high = value::Scalar::of(imaginary, value::Type::Int64).integer;
    number.integer = added(number.integer, static_cast<std::int64_t>(static_cast<std::uint64_t>(high) << 32));
  }
  return of_integer(number);
}
inline Value entry_of(const data::Coordinates &tensor, std::size_t e, value::Type type) {
  return entry_of(tensor.value[e], tensor.imaginary_of(e), tensor.in_halves, type);
}

inline std::uint64_t mixed(std::uint64_t hash, std::int64_t index) {
  hash = (hash ^ static_cast<std::uint64_t>(index)) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

/// A tensor's entries hashed by their indices in some modes. Those of one bucket lie side by side, in their
/// order in the tensor.
class EntryIndex {
public:
  EntryIndex(const std::vector<std::vector<std::int64_t>> &index, std::size_t count,
             const std::vector<std::size_t> &modes);

  /// The entries that have these indices in those modes, and perhaps others.
  std::span<const std::uint32_t> candidates(const std::int64_t *at) const {
    std::uint64_t hash = 0;
    for (std::size_t k = 0; k < modes_; ++k)
      hash = mixed(hash, at[k]);
    const std::uint32_t *begin = bucket_begin_.data() + (hash & mask_);
    return {entries_.data() + begin[0], entries_.data() + begin[1]};
  }

private:
  std::size_t modes_;
  std::uint64_t mask_;
  std::vector<std::uint32_t> bucket_begin_, entries_;
};

/// The entries of an operand, each coordinate once, with its duplicates added up. It refers to the tensor.
class Entries {
public:
  static constexpr std::size_t none = SIZE_MAX;

  /// `type`: of its values. Sums of integers are those modulo 2^64 and, in `value`, the whole ones.
  Entries(const data::Coordinates &tensor, value::Type type);
  Entries(const Entries &) = delete;
  Entries &operator=(const Entries &) = delete;

  const std::vector<std::int64_t> &shape() const { return tensor_.shape; }
  std::size_t size() const { return sums_.empty() ? tensor_.size() : sums_.size(); }
  /// Fewer entries than elements.
  bool is_sparse() const { return is_sparse_; }
  /// Has a coordinate several entries?
  bool has_sums() const { return !sums_.empty(); }

  std::int64_t index(std::size_t mode, std::size_t e) const {
    return (has_sums() ? distinct_ : tensor_.index)[mode][e];
  }
  /// Its magnitude isn't known.
  Value value(std::size_t e) const { return has_sums() ? sums_[e].sum : entry_of(tensor_, e, type_); }
  /// The same where each entry of the coordinate is a term, as products distribute over their sum: its
  /// rounding error is in proportion to their sizes.
  Value terms(std::size_t e) const {
    Value made = value(e);
    if (has_sums()) made.magnitude = sums_[e].sizes, made.cancels = sums_[e].cancels;
    return made;
  }

  /// By these modes; made once.
  const EntryIndex &by(const std::vector<std::size_t> &modes);
  /// The entry at a coordinate, or none.
  std::size_t find(const std::int64_t *at);
  /// Calls visit(e) for each entry that has these indices in those modes.
  template <class Visit>
  void each(const EntryIndex &index, const std::vector<std::size_t> &modes, const std::int64_t *at,
            const Visit &visit) const {
    for (std::uint32_t e : index.candidates(at)) {
      std::size_t k = 0;
      while (k < modes.size() && this->index(modes[k], e) == at[k])
        ++k;
      if (k == modes.size()) visit(static_cast<std::size_t>(e));
    }
  }

private:
  struct Sum {
    Value sum;
    double sizes = 0; // of its entries, where it has several
    bool cancels = false;
  };

  void add_up();

  const data::Coordinates &tensor_;
  value::Type type_;
  bool is_sparse_ = false;
  std::vector<std::size_t> all_; // modes
  std::vector<std::vector<std::int64_t>> distinct_;
  std::vector<Sum> sums_; // of all coordinates, where one has several entries
  std::map<std::vector<std::size_t>, EntryIndex> indices_;
  const EntryIndex *by_all_ = nullptr;
};

} // namespace unravel::check
