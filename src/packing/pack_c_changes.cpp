// Entries that become others in C before they are sorted: runs of equal values, zeros where there were none.
#include "packing/pack_c_piece.h"

#include <algorithm>

namespace unravel::packing {

bool PieceWriter::is_partial() const {
  bool runs = false;
  for (const Mode &mode : plan_.modes)
    runs = runs || mode.run != Mode::Run::None;
  return !plan_.conditions.empty() || !before_.empty() || runs || is_filled_up() || plan_.spills;
}

void PieceWriter::add_run_comparison() {
  std::vector<KeyComparison> together;
  std::string first;
  for (std::size_t mode = 0; mode < plan_.modes.size(); ++mode) {
    std::string member = fmt::format("index[{}]", mode);
    if (plan_.modes[mode].run == Mode::Run::None) together.push_back({member});
    if (plan_.modes[mode].run == Mode::Run::First) first = member;
  }
  if (first.empty()) return;
  together.push_back({first});
  write_comparison("run", together);
  run_ = together;
}

void PieceWriter::write_joined_runs() {
  std::string kept = c_.choose("kept"), here = fmt::format("{}[{}]", entry_, e_),
              last = fmt::format("{}[{} - 1]", entry_, kept), same = kept + " > 0";
  for (std::size_t k = 0; k + 1 < run_.size(); ++k)
    same += fmt::format(" && {}.{} == {}.{}", last, run_[k].member, here, run_[k].member);
  const std::string first = run_.back().member;
  std::string end, behind; // of a run: what grows, and the place behind it
  for (std::size_t mode = 0; mode < plan_.modes.size(); ++mode) {
    std::string member = fmt::format("{}.index[{}]", last, mode);
    if (plan_.modes[mode].run == Mode::Run::Last) end = member, behind = member + " + 1";
    if (plan_.modes[mode].run == Mode::Run::Length)
      end = member, behind = fmt::format("{}.{} + {}", last, first, member);
  }
  auto keep_unless = [&](const std::string &condition, const std::string &action) {
    c_.open_loop(e_, n_);
    c_.line("if ({})", condition);
    c_.line("  {};", action);
    c_.line("else");
    c_.line("  {}[{}++] = {};", entry_, kept, here);
    c_.close();
    c_.line("{} = {};", n_, kept);
  };
  c_.line("// Equal coordinates are added up; then a run of equal values becomes one entry.");
  sort_by("run");
  c_.line("int64_t {} = 0;", kept);
  keep_unless(fmt::format("{} && {}.{} == {}.{}", same, last, first, here, first),
              fmt::format("{}.value += {}.value", last, here));
  c_.line("{} = 0;", kept);
  keep_unless(fmt::format("{0} && {1} == {2}.{3} && {4}.value == {2}.value && ({2}.value != 0 || 1 / "
                          "{4}.value == 1 / {2}.value)",
                          same, behind, here, first, last),
              "++" + end);
  c_.line("for (int64_t {0} = 0; {0} < {1}; ++{0}) {2}.number = {0};", e_, n_, here);
}

bool PieceWriter::is_filled_up() const {
  return !plan_.levels.empty() && plan_.levels.back().kind == Level::Kind::Padded &&
         !plan_.levels.back().unused;
}

std::vector<KeyComparison> PieceWriter::node_comparisons() const {
  std::vector<KeyComparison> members;
  for (std::size_t l = 0; l + 1 < plan_.levels.size(); ++l)
    members.push_back({fmt::format("index[{}]", plan_.levels[l].mode)});
  members.push_back({fmt::format("index[{}]", plan_.levels.back().keys[0].mode)});
  return members;
}

/// How many entries each node is to have: a variable, or a number.
std::string PieceWriter::write_fill() {
  const Level &level = plan_.levels.back();
  const Term &size = plan_.modes[level.keys[0].mode].size;
  if (const auto *constant = size.as<term::Constant>(); constant && level.width > 0)
    return std::to_string(std::min(level.width, constant->value));
  std::string fill = c_.choose("fill");
  c_.line("int64_t {} = {};", fill, level.width);
  if (level.width == 0) {
    std::vector<KeyComparison> members = node_comparisons(), above(members.begin(), members.end() - 1);
    std::string rank = c_.choose("rank");
    c_.line("int64_t {} = 0;", rank);
    c_.open_loop(e_, n_);
    c_.line("{0} = {1} ? {0} + !({2}) : 1;", rank, same_as_before(above), same_as_before(members));
    c_.line("if ({0} > {1}) {1} = {0};", rank, fill);
    c_.close();
  }
  c_.line("if ({0} > {1}) {0} = {1};", fill, c_.term(size));
  return fill;
}

void PieceWriter::write_zeros() {
  std::size_t mode = plan_.levels.back().keys[0].mode;
  c_.line("// Zeros at the least coordinates that have no entry, until every position has its entry.");
  sort_by("node");
  std::string fill = write_fill(), nodes = c_.choose("nodes"), node = c_.choose("node");
  c_.line("int64_t {} = 1;", nodes);
  std::vector<std::pair<std::size_t, std::string>> above; // modes, and which values of theirs a node has
  std::string rest = "1";
  for (std::size_t l = plan_.levels.size() - 1; l-- > 0;) {
    const Mode &of = plan_.modes[plan_.levels[l].mode];
    std::string size = PackCText::factor(c_.term(of.size)), at = rest == "1" ? node : node + " / " + rest;
    std::string value = l == 0 ? at : fmt::format("{} % {}", at, size);
    if (of.least != Term(0)) value += " + " + PackCText::factor(c_.term(of.least));
    above.emplace_back(plan_.levels[l].mode, value);
    rest = rest == "1" ? size : fmt::format("({} * {})", rest, size);
    fail_if(fmt::format("{0} > 0 && {1} > INT64_MAX / {0}", size, nodes), 2);
    c_.line("{} *= {};", nodes, size);
  }
  bool some = fill.find_first_not_of("0123456789") == std::string::npos;
  fail_if(fmt::format("{3}{1} > (INT64_MAX - {2}) / {0}", fill, nodes, n_, some ? "" : fill + " > 0 && "), 2);
  std::string longer = c_.choose("padded"), next = c_.choose("next"), count = c_.choose("count");
  c_.line("{0}_entry *{1} = ({0}_entry *){0}_allocate({2} + {3} * {4}, sizeof({0}_entry));", c_.prefix,
          longer, n_, nodes, fill);
  fail_if("!" + longer, 2);
  c_.line("int64_t {} = 0, {} = 0;", next, count);
  c_.open_loop(node, nodes);
  std::string at = c_.choose("at"), missing = c_.choose("missing"), same = fmt::format("{} < {}", next, n_);
  for (auto &[of, value] : above) {
    std::string local = c_.choose(fmt::format("index_{}", of));
    c_.line("int64_t {} = {};", local, value);
    value = local;
  }
  for (const auto &[of, value] : above)
    same += fmt::format(" && {}[{}].index[{}] == {}", entry_, next, of, value);
  auto key = [&](const std::string &e) { return fmt::format("{}[{}].index[{}]", entry_, e, mode); };
  c_.line("int64_t {} = {}, {} = {};", at, next, missing, fill);
  c_.open(fmt::format("for (; {}; ++{})", same, next));
  c_.line("if ({0} == {1} || {2} != {3}) --{4};", next, at, key(next), key(next + " - 1"), missing);
  c_.line("{}[{}++] = {}[{}];", longer, count, entry_, next);
  c_.close();
  std::string value = c_.choose("value"), least = c_.term(plan_.modes[mode].least);
  c_.open(fmt::format("for (int64_t {0} = {1}; {2} > 0; ++{0})", value, least, missing));
  c_.line("while ({0} < {1} && {2} < {3}) ++{0};", at, next, key(at), value);
  c_.line("if ({} < {} && {} == {}) continue;", at, next, key(at), value);
  for (const auto &[of, is] : above)
    c_.line("{}[{}].index[{}] = {};", longer, count, of, is);
  c_.line("{}[{}].index[{}] = {};", longer, count, mode, value);
  c_.line("{}[{}].number = {};", longer, count, count);
  if (c_.fill != 0.0)
    c_.line("{}[{}].value = {};", longer, count, c_.fill_as_sum(plan_.value, plan_.negative));
  c_.line("++{};", count);
  c_.line("--{};", missing);
  c_.close();
  c_.close();
  c_.line("free({});", entry_);
  c_.line("{} = {};", entry_, longer);
  c_.line("{} = {};", n_, count);
}

} // namespace unravel::packing
