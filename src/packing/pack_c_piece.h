#pragma once

#include "packing/pack_c_text.h"

#include <memory>

namespace unravel::packing {

/// Writes what packs one piece. `taken`: the conditions of the pieces before, which take their entries first;
/// `suffix` tells the names of its functions from those of other pieces. The plan and the text must outlive
/// it.
class PieceWriter {
public:
  PieceWriter(const PiecePlan &plan, const std::string &suffix, std::vector<term::Term> taken, PackCText &c);
  ~PieceWriter();
  PieceWriter(PieceWriter &&) noexcept;

  /// How many members `index` of an entry has at least, where permutations are chosen.
  static constexpr std::size_t members_of_places = 2;

  /// Functions that compare entries; nothing where none are sorted.
  void write_comparisons();
  /// How many groups an entry is in, after write_comparisons().
  std::size_t groups() const;
  /// Counts that are as large as some entry wants them.
  void write_limits();
  /// Arrays from entries.
  void write();

private:
  class Body;
  std::unique_ptr<Body> body_;
};

} // namespace unravel::packing
