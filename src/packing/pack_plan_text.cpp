// A plan of packing as text.
#include "packing/pack_order.h"
#include "packing/pack_segments.h"
#include "term/list.h"

#include <cstdlib>
#include <fmt/format.h>

namespace unravel::packing {

namespace {

using Segments = std::vector<BoundSegments>;

/// What a mode stands for, over coordinates.
Term meaning_of(const Mode &mode) {
  if (mode.cover > 0)
    return term::variable(fmt::format("first {} of {}", term::to_text(mode.value), mode.cover));
  if (mode.rest) return term::variable(fmt::format("{} after the first", term::to_text(mode.value)));
  switch (mode.run) {
  case Mode::Run::None: return mode.value;
  case Mode::Run::First: return term::variable(fmt::format("first {} of a run", term::to_text(mode.value)));
  case Mode::Run::Last: return term::variable(fmt::format("last {} of a run", term::to_text(mode.value)));
  case Mode::Run::Length: return term::variable("length of a run");
  }
  return mode.value;
}

/// sign * atom + offset, as a formula would have it.
std::string shifted(int sign, const Mode &mode, const Term &offset) {
  return term::to_text(term::scale(sign, meaning_of(mode)) + offset);
}

std::string slots_text(const std::vector<Slot> &slots, const std::vector<Level> &levels) {
  return term::to_text(subscripts_of(slots, levels));
}

/// begin(r) and begin(r) + length(r), as the layout has them.
std::string bound_text(const Level &level, const PiecePlan &plan, const BoundSegments &by) {
  auto element = [&](const std::string &array, std::int64_t later, std::int64_t offset) {
    std::vector<Slot> slots = level.parents;
    slots.back().constant += later;
    std::string text = fmt::format("{}({})", array, slots_text(slots, plan.levels));
    return offset == 0 ? text : fmt::format("{} {} {}", text, offset < 0 ? '-' : '+', std::abs(offset));
  };
  std::string begin = element(by.begin, 0, by.begin_offset),
              end = element(by.end, 1 - by.shift, by.end_offset);
  return fmt::format("{} <= {} < {}{}", begin, level.position, by.is_length ? begin + " + " : "", end);
}

std::string segment_text(const Level &level, const PiecePlan &plan, const Segments &segments) {
  if (const BoundSegments *by = segments_with(segments, level.pointer)) return bound_text(level, plan, *by);
  const auto [begin, end] = segment_of(level, plan.levels);
  return fmt::format("{} <= {} < {}", term::to_text(begin), level.position, term::to_text(end));
}

std::string run_text(const Level &level, const PiecePlan &plan, const Segments &segments) {
  const BoundSegments *by = segments_with(segments, level.pointer);
  Term offset = level.offset + Term(by ? by->begin_offset : 0);
  std::string parent = slots_text(level.parents, plan.levels);
  std::string text = fmt::format("runs: {} = {} + {}({})", level.position,
                                 shifted(1, plan.modes[level.mode], offset), level.pointer, parent);
  if (!level.first.empty()) text += fmt::format(" - {}({})", level.first, parent);
  std::string length = level.length ? term::to_text(*level.length) : "as long as needed";
  return fmt::format("{}; length: {}\n", text, length);
}

std::string level_text(const Level &level, const PiecePlan &plan, const Segments &segments) {
  std::string text;
  std::string in_all = level.count.empty() ? "" : fmt::format(", {} in all", level.count);
  switch (level.kind) {
  case Level::Kind::Dense:
    return fmt::format("dense: {} = {}\n", level.position,
                       shifted(level.sign, plan.modes[level.mode], level.offset));
  case Level::Kind::Counted:
    text = fmt::format("counted: 0 <= {} < {}\n", level.position, level.count);
    break;
  case Level::Kind::Segment:
    text = fmt::format("segments: {}{}\n", segment_text(level, plan, segments), in_all);
    break;
  case Level::Kind::Padded:
    text =
        (level.home ? "hash table: " : "padded: ") +
        (level.pointer.empty() ? fmt::format("0 <= {} < {}", level.position,
                                             level.count.empty() ? std::to_string(level.width) : level.count)
                               : segment_text(level, plan, segments));
    text += level.unused ? fmt::format("; unused: {}\n", term::to_text(*level.unused))
                         : "; unused: zeros at other coordinates\n";
    if (!level.lengths.empty())
      text += fmt::format("    {}({}) of them used\n", level.lengths,
                          slots_text(level.length_slots, plan.levels));
    if (level.home)
      text += fmt::format("    the first free position from {} on\n",
                          term::to_text(plan.modes[level.home->mode].value));
    break;
  case Level::Kind::Run: return run_text(level, plan, segments);
  }
  for (const Key &key : level.keys)
    text += fmt::format("    {}({}) = {}\n", key.array, slots_text(key.slots, plan.levels),
                        shifted(key.sign, plan.modes[key.mode], term::scale(-key.sign, key.offset)));
  std::string order;
  for (const SortKey &key : level.order)
    order +=
        fmt::format("{}{}{}", order.empty() ? "by " : ", ", term::to_text(meaning_of(plan.modes[key.mode])),
                    key.descending ? " descending" : "");
  text += fmt::format("    {}; {}\n", order.empty() ? "in the order of the input" : order,
                      level.merge ? "equal coordinates share a position" : "each entry has its own position");
  for (const std::string &reason : level.reasons)
    text += fmt::format("      proved: {}\n", reason);
  return text;
}

std::string permutation_text(const Permutation &permutation) {
  Term stored = term::apply(permutation.array, {term::variable(permutation.place)});
  std::string order = "most entries first";
  if (permutation.window == 1) order = "increasing";
  if (permutation.window > 1) order += fmt::format(", in windows of {}", permutation.window);
  return fmt::format("permuted: {} = {}; {}\n", permutation.name,
                     term::to_text(term::scale(permutation.sign, stored) + permutation.offset), order);
}

std::string piece_text(const PiecePlan &plan, const Segments &segments) {
  std::string text;
  for (const Term &condition : plan.conditions)
    text += fmt::format("  entries with: {}\n", term::to_text(condition));
  for (const Limit &limit : plan.limits)
    text += fmt::format("  least {} with: {}\n", limit.count,
                        term::to_text(term::at_most(-limit.rest, term::variable(limit.count))));
  for (const Permutation &permutation : plan.permutations)
    text += "  " + permutation_text(permutation);
  for (const Level &level : plan.levels)
    text += "  " + level_text(level, plan, segments);
  if (plan.spills)
    text += fmt::format("  entries that find no position `{}`: to the next piece\n",
                        plan.levels[*plan.spills].position);
  for (const Flag &flag : plan.flags)
    text += fmt::format("  flags: {}({}) = {}, elsewhere {}\n", flag.array,
                        slots_text(flag.slots, plan.levels), flag.value, flag.other);
  std::string slots = plan.slots.empty() ? "0" : slots_text(plan.slots, plan.levels);
  std::string sign = plan.negative ? "-" : "";
  text += plan.value.empty() ? fmt::format("  value: each {}{}\n", sign, plan.literal)
                             : fmt::format("  value: {}({}) = {}sum\n", plan.value, slots, sign);
  return text;
}

} // namespace

std::string to_text(const PackPlan &plan, const Layout &layout) {
  std::string text = fmt::format("pack {}\n", layout.name);
  for (std::size_t k = 0; k < plan.pieces.size(); ++k) {
    if (layout.pieces.size() > 1) text += fmt::format("  piece {}:\n", plan.pieces[k].piece + 1);
    text += piece_text(plan.pieces[k], plan.segments);
  }
  if (plan.compared) text += "  compared afterwards: that these entries are meant\n";
  for (std::size_t property : plan.checked)
    text += fmt::format("  checked afterwards: {}\n", layout.properties[property].axiom.text);
  return text;
}

} // namespace unravel::packing
