// The entries of a piece in C: their modes, sorted, and which of them begin new positions.
#include "packing/pack_c_piece.h"
#include "packing/pack_order.h"

namespace unravel::packing {

void PieceWriter::write_comparison(const std::string &name, const std::vector<KeyComparison> &comparisons) {
  c_.open(fmt::format("static int {}_{}{}(const void *a, const void *b)", c_.prefix, name, suffix_));
  c_.line("const {0}_entry *x = (const {0}_entry *)a;", c_.prefix);
  c_.line("const {0}_entry *y = (const {0}_entry *)b;", c_.prefix);
  for (const KeyComparison &by : comparisons)
    c_.line("if (x->{0} != y->{0}) return x->{0} {1} y->{0} ? -1 : 1;", by.member, by.descending ? ">" : "<");
  c_.line("return x->number < y->number ? -1 : x->number > y->number;");
  c_.close();
  c_.line("");
}

void PieceWriter::add_comparisons(std::size_t l, std::vector<KeyComparison> &sorted) {
  const Level &level = plan_.levels[l];
  std::vector<KeyComparison> together = sorted;
  if (level.has_mode()) sorted.push_back({fmt::format("index[{}]", level.mode), level.sign < 0});
  for (const SortKey &key : level.order)
    sorted.push_back({fmt::format("index[{}]", key.mode), key.descending});
  for (const Key &key : level.keys) {
    together.push_back({fmt::format("index[{}]", key.mode)});
    if (plan_.modes[key.mode].cover == 0) continue;
    write_comparison("cover", together);
    cover_ = {key.mode, together};
  }
  if (!level.merge || level.orders_keys() || level.has_mode()) return;
  write_comparison(fmt::format("group_{}", groups_.size()), together);
  groups_.push_back(together);
  sorted.push_back({fmt::format("group[{}]", groups_.size() - 1)});
}

void PieceWriter::sort(const std::string &comparison, const std::string &entries, const std::string &count) {
  c_.line("qsort({0}, (size_t){1}, sizeof *{0}, {2}_{3}{4});", entries, count, c_.prefix, comparison,
          suffix_);
}

std::string PieceWriter::same_as_before(const std::vector<KeyComparison> &members) const {
  std::string same = e_ + " > 0";
  for (const KeyComparison &by : members)
    same += fmt::format(" && {0}[{1}].{2} == {0}[{1} - 1].{2}", entry_, e_, by.member);
  return same;
}

void PieceWriter::write_entries() {
  hold(entry_, c_.prefix + "_entry", c_.n);
  std::string to = e_;
  if (is_partial()) {
    c_.line("int64_t {} = 0;", n_);
    to = n_;
  }
  open_own_entries();
  for (std::size_t mode = 0; mode < plan_.modes.size(); ++mode)
    c_.line("{}[{}].index[{}] = {};", entry_, to, mode,
            plan_.modes[mode].rest ? "0" : c_.term(plan_.modes[mode].value));
  c_.line("{0}[{1}].number = {2};", entry_, to, e_);
  c_.line("{}[{}].value = {};", entry_, to, c_.value(e_));
  if (is_partial()) c_.line("++{};", n_);
  c_.close();
  if (!run_.empty()) write_joined_runs();
  if (!cover_.second.empty()) write_cover();
  if (is_filled_up()) write_zeros();
  for (std::size_t group = 0; group < groups_.size(); ++group)
    write_group(group);
  sort_by("order");
  if (plan_.spills) write_spilling();
}

void PieceWriter::write_spilling() {
  const Level &level = plan_.levels[*plan_.spills];
  const std::string place = c_.choose("place"), kept = c_.choose("kept");
  std::string begins = e_ + " == 0";
  for (std::size_t l = 0; l < *plan_.spills; ++l)
    begins += " || " + differs(plan_.levels[l]);
  c_.line("int64_t {} = 0, {} = 0;", place, kept);
  c_.open_loop(e_, n_);
  c_.line("if ({})", begins);
  c_.line("  {} = 0;", place);
  c_.line("else{}", level.merge ? " if (" + differs(level) + ")" : "");
  c_.line("  ++{};", place);
  c_.line("if ({} < {})", place, level.width);
  c_.line("  {0}[{1}++] = {0}[{2}];", entry_, kept, e_);
  c_.line("else");
  c_.line("  {0}[{1}[{2}].number] |= INT64_C(1) << {3};", left_, entry_, e_, before_.size());
  c_.close();
  c_.line("{} = {};", n_, kept);
}

std::string PieceWriter::differs(const Level &level) const {
  std::vector<std::string> parts;
  for (std::size_t mode : modes_of(level))
    parts.push_back(fmt::format("{0}[{1}].index[{2}] != {0}[{1} - 1].index[{2}]", entry_, e_, mode));
  return fmt::format("{}", fmt::join(parts, " || "));
}

void PieceWriter::write_cover() {
  sort_by("cover");
  std::string first = c_.choose("first"), mode = coordinate(cover_.first);
  std::vector<KeyComparison> above(cover_.second.begin(), cover_.second.end() - 1);
  c_.line("int64_t {} = 0;", first);
  c_.open_loop(e_, n_);
  // The block before has put its first value in the entry before.
  std::string same = same_as_before(above);
  c_.line("if (!({0} && {1} - {2} < {3})) {2} = {1};", same, mode, first, plan_.modes[cover_.first].cover);
  c_.line("{} = {} - {};", coordinate(cover_.first + 1), mode, first);
  c_.close();
  c_.line("for (int64_t {0} = 0; {0} < {1}; ++{0}) {2} -= {3};", e_, n_, mode, coordinate(cover_.first + 1));
}

void PieceWriter::write_group(std::size_t group) {
  sort_by(fmt::format("group_{}", group));
  c_.open_loop(e_, n_);
  c_.line("{0}[{1}].group[{2}] = {3} ? {0}[{1} - 1].group[{2}] : {0}[{1}].number;", entry_, e_, group,
          same_as_before(groups_[group]));
  c_.close();
}

void PieceWriter::write_openings() {
  std::string levels;
  for (std::size_t l = 0; l < plan_.levels.size(); ++l)
    levels += fmt::format("{}{} of {}", l ? ", " : "", l, plan_.levels[l].position);
  c_.line("// Where new positions begin: level {}.", levels);
  std::vector<std::size_t> counted;
  for (std::size_t l = 0; l < plan_.levels.size(); ++l)
    if (!plan_.levels[l].count.empty() && plan_.levels[l].kind != Level::Kind::Padded) counted.push_back(l);
  for (std::size_t l : counted)
    start(l, 0);
  c_.open_loop(e_, n_);
  bool last_shares = plan_.levels.back().merge;
  std::size_t compared = plan_.levels.size() - (last_shares ? 0 : 1);
  c_.line("{} = {};", opens(), compared);
  if (compared == 0) c_.line("// every entry has a position of its own");
  for (std::size_t l = 0; l < compared; ++l) {
    c_.line("{}if ({}{})", l == 0 ? "" : "else ", l == 0 ? e_ + " == 0 || " : "", differs(plan_.levels[l]));
    c_.line("  {} = {};", opens(), l);
  }
  for (std::size_t l : counted)
    c_.line("if ({} <= {}) ++{};", opens(), l, nodes_[l]);
  c_.close();
}

void PieceWriter::start(std::size_t l, int value) {
  c_.line("{}{} = {};", started_.insert(l).second ? "int64_t " : "", nodes_[l], value);
}

} // namespace unravel::packing
