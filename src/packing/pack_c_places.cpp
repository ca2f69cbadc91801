// Permutations that packing chooses, in C: the values of a coordinate, those with most entries first.
#include "packing/pack_c_piece.h"
#include "packing/pack_permutation.h"

namespace unravel::packing {

void PieceWriter::write_place_comparisons() {
  for (const Permutation &permutation : plan_.permutations) {
    std::vector<KeyComparison> by;
    if (permutation.window > 0) by.push_back({"index[1]"});
    by.push_back({"index[0]", true});
    write_comparison("place_of_" + permutation.name, by);
  }
  if (plan_.permutations.empty() || !shares_positions(plan_)) return;
  std::vector<KeyComparison> coordinates;
  for (std::size_t mode = 0; mode < layout_.order(); ++mode)
    coordinates.push_back({fmt::format("index[{}]", mode)});
  write_comparison("coordinates", coordinates);
}

void PieceWriter::write_stored_counts(const Permutation &permutation, const std::string &counts) {
  if (!shares_positions(plan_)) {
    open_own_entries();
    c_.line("++{}[{}[{}][{}]];", counts, c_.index, permutation.coordinate, e_);
    c_.close();
    return;
  }
  std::string given = c_.choose("given"), own = c_.choose("own");
  hold(given, c_.prefix + "_entry", c_.n);
  c_.line("int64_t {} = 0;", own);
  open_own_entries();
  std::string same = e_ + " > 0";
  for (std::size_t mode = 0; mode < layout_.order(); ++mode) {
    c_.line("{}[{}].index[{}] = {}[{}][{}];", given, own, mode, c_.index, mode, e_);
    same += fmt::format(" && {0}[{1}].index[{2}] == {0}[{1} - 1].index[{2}]", given, e_, mode);
  }
  c_.line("++{};", own);
  c_.close();
  sort("coordinates", given, own);
  c_.open_loop(e_, own);
  c_.line("if (!({})) ++{}[{}[{}].index[{}]];", same, counts, given, e_, permutation.coordinate);
  c_.close();
  release(given);
}

void PieceWriter::write_permutation(std::size_t n) {
  const Permutation &permutation = plan_.permutations[n];
  const std::string &place = places_[n];
  std::string size = c_.term(term::variable(layout_.sizes[permutation.coordinate])),
              values = c_.choose(permutation.name + "_values"), array = c_.member(permutation.array);
  std::string within = permutation.window > 1 ? fmt::format(", in windows of {}", permutation.window) : "";
  if (permutation.window == 1)
    c_.line("// `{}`: increasing.", permutation.array);
  else
    c_.line("// `{}`: most entries first{}; equally many by increasing {}.", permutation.array, within,
            permutation.name);
  allocate({permutation.array});
  hold(place, "int64_t", size);
  write_stored_counts(permutation, place);
  hold(values, c_.prefix + "_entry", size);
  c_.open_loop(k_, size);
  c_.line("{}[{}].index[0] = {}[{}];", values, k_, place, k_);
  if (permutation.window > 0) {
    std::string stored = permutation.sign > 0 ? k_ : fmt::format("({} - 1 - {})", size, k_);
    c_.line("{}[{}].index[1] = {} / {};", values, k_, stored, permutation.window);
  }
  c_.line("{}[{}].number = {};", values, k_, k_);
  c_.close();
  sort("place_of_" + permutation.name, values, size);
  c_.open_loop(k_, size);
  c_.line("{}[{}[{}].number] = {};", place, values, k_, k_);
  Term offset = permutation.sign > 0 ? -permutation.offset : permutation.offset;
  std::string value = c_.shifted(permutation.sign, fmt::format("{}[{}].number", values, k_), offset);
  c_.line("{}[{}] = {};", array, k_, c_.as_element(permutation.array, value));
  c_.close();
  release(values);
  c_.locals[permutation.place] = fmt::format("{}[{}[{}][{}]]", place, c_.index, permutation.coordinate, e_);
}

void PieceWriter::release(const std::string &pointer) {
  c_.line("free({});", pointer);
  std::erase(held_, pointer);
}

} // namespace unravel::packing
