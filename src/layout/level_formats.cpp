// Compositions of level formats, expanded to the text of a layout.
#include "layout/level_formats.h"

#include "parse/parse.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <sstream>

namespace unravel::layout {

using report::Kind;

namespace {

constexpr std::string_view coordinate_names = "ijklmnoabcdefgh";
constexpr const char *diagonals_hint =
    "write `levels k: compressed, i: range, j: offset`, where k is not a coordinate; in letters `sro`";

/// The properties of levels of Chou et al., table 1, and what a format has of them.
constexpr const char *quality_names[] = {"full", "ordered", "unique", "branchless", "compact"};
enum Quality { Always, Never, Either };

/// A format's word and its row of the table.
struct FormatRow {
  LevelFormat format;
  const char *word;
  Quality qualities[std::size(quality_names)];
};

constexpr FormatRow format_rows[] = {
    {LevelFormat::Dense, "dense", {Always, Always, Always, Never, Always}},
    {LevelFormat::Compressed, "compressed", {Never, Either, Either, Never, Always}},
    {LevelFormat::Singleton, "singleton", {Never, Either, Either, Always, Always}},
    {LevelFormat::Range, "range", {Never, Always, Always, Never, Never}},
    {LevelFormat::Offset, "offset", {Never, Always, Always, Always, Never}},
    {LevelFormat::Hashed, "hashed", {Never, Never, Either, Never, Never}},
};

const FormatRow &row_of(LevelFormat format) {
  return format_rows[static_cast<std::size_t>(format)];
}

/// As it is written after the colon in `levels`.
std::string words_for(const Level &level) {
  const FormatRow &row = row_of(level.format);
  std::string words = row.word;
  if (!level.ordered && row.qualities[1] == Either) words += " not ordered";
  if (!level.unique) words += " not unique";
  return words;
}

bool is_keyed(const Level &level) {
  return level.format == LevelFormat::Compressed || level.format == LevelFormat::Singleton;
}

class Expansion {
public:
  Expansion(const Composition &composition, const text::Span &span)
      : parts_(composition), levels_(composition.levels), span_(span) {}

  std::string text() {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      switch (levels_[level].format) {
      case LevelFormat::Dense: add_dense(level); break;
      case LevelFormat::Compressed: add_compressed(level); break;
      case LevelFormat::Singleton: add_singleton(level); break;
      case LevelFormat::Range: add_range(level); break;
      case LevelFormat::Offset: add_offset(level); break;
      case LevelFormat::Hashed: add_hashed(level); break;
      }
      if (is_keyed(levels_[level])) add_order(level);
    }
    return assembled();
  }

private:
  bool is_over_diagonals(std::size_t level) const { return !parts_.modes[level]; }
  bool is_at(std::size_t level, LevelFormat format) const {
    return level < levels_.size() && levels_[level].format == format;
  }
  const std::string &coordinate(std::size_t level) const { return parts_.coordinates[*parts_.modes[level]]; }
  const std::string &size(std::size_t level) const { return parts_.sizes[*parts_.modes[level]]; }

  [[noreturn]] void refuse(std::size_t level, const std::string &reason, const std::string &hint) const {
    report::fail(
        Kind::not_supported, span_,
        fmt::format("level {} of `{}` ({}) {}", level + 1, parts_.name, words_for(levels_[level]), reason),
        hint);
  }

  /// "p2", or where the user has called something else so, "p2_".
  std::string fresh(const char *base, std::size_t level) const {
    std::string name = fmt::format("{}{}", base, level + 1);
    while (std::ranges::count(parts_.coordinates, name) || std::ranges::count(parts_.sizes, name) ||
           std::ranges::count(parts_.parameters, name))
      name += "_";
    return name;
  }

  void add_dense(std::size_t level) {
    std::string position = fresh("r", level);
    positions_.push_back(position);
    conditions_.push_back(fmt::format("{} = {}", coordinate(level), position));
    conditions_.push_back(fmt::format("0 <= {} < {}", position, size(level)));
    slots_.push_back(position);
    extents_.push_back(size(level));
  }

  void add_compressed(std::size_t level) {
    if (is_over_diagonals(level) &&
        !(is_at(level + 1, LevelFormat::Range) && is_at(level + 2, LevelFormat::Offset)))
      refuse(level, "is over diagonals, but no range and offset level follow", diagonals_hint);
    if (slots_.size() > 1)
      refuse(level, "comes below two positions that number its segments together",
             "their number would be a product of a position and a size, which is not affine; put the dense "
             "levels inside");
    segments_.clear();
    std::string position = fresh("p", level), count = fresh("N", level);
    if (slots_.empty()) {
      counts_.push_back(count);
      conditions_.push_back(fmt::format("0 <= {} < {}", position, count));
    } else {
      segments_ = fresh("pos", level);
      indices_.push_back(fmt::format("{}[{} + 1]", segments_, extents_[0]));
      counts_.push_back(fmt::format("{} = {}({})", count, segments_, extents_[0]));
      conditions_.push_back(fmt::format("{0}({1}) <= {2} < {0}({1} + 1)", segments_, slots_[0], position));
      properties_.push_back(segments_ + "(0) = 0");
      properties_.push_back("increasing " + segments_);
    }
    positions_.push_back(position);
    slots_ = {position};
    extents_ = {count};
    keys_.clear();
    is_over_diagonals(level) ? add_offsets(level) : add_key(level);
  }

  void add_singleton(std::size_t level) {
    if (level == 0 || !is_keyed(levels_[level - 1]))
      refuse(level, "has no compressed or singleton level before it", "write `uq` for a coordinate list");
    if (levels_[level - 1].unique)
      refuse(level, "comes below a level whose coordinates don't repeat",
             "write `not unique` for the level before it; in letters `u` or `c`");
    if (levels_[level].ordered && !levels_[level - 1].ordered)
      refuse(level, "is ordered below a level that isn't", "write `singleton not ordered`");
    add_key(level);
  }

  void add_key(std::size_t level) {
    std::string array = fresh("idx", level);
    indices_.push_back(fmt::format("{}[{}]", array, extents_[0]));
    conditions_.push_back(fmt::format("{} = {}({})", coordinate(level), array, slots_[0]));
    properties_.push_back(fmt::format("range {} in [0, {})", array, size(level)));
    keys_.push_back(array);
  }

  /// Of the diagonals: the offset level's coordinate minus the range level's.
  void add_offsets(std::size_t level) {
    std::string array = fresh("off", level);
    indices_.push_back(fmt::format("{}[{}]", array, extents_[0]));
    properties_.push_back(fmt::format("range {} in [1 - {}, {})", array, size(level + 1), size(level + 2)));
    keys_.push_back(array);
    offset_ = fmt::format("{}({})", array, slots_[0]);
  }

  void add_range(std::size_t level) {
    if (level == 0 || !is_over_diagonals(level - 1))
      refuse(level, "has no level over diagonals before it", diagonals_hint);
    add_dense(level);
  }

  void add_offset(std::size_t level) {
    if (level == 0 || !is_at(level - 1, LevelFormat::Range))
      refuse(level, "has no range level before it", diagonals_hint);
    conditions_.push_back(fmt::format("{} = {} + {}", coordinate(level), slots_.back(), offset_));
    conditions_.push_back(fmt::format("0 <= {} < {}", coordinate(level), size(level)));
  }

  /// Slots of which those from hash(c) up to the one that holds c are all used, unused ones hold -1. The last
  /// buckets run over into slots of their own, so that no search begins anew at the front.
  void add_hashed(std::size_t level) {
    const std::string outer = slots_.empty() ? "" : fmt::format("{}, ", fmt::join(slots_, ", "));
    const std::string position = fresh("p", level), second = fresh("q", level), width = fresh("W", level);
    const std::string array = fresh("key", level), &buckets = levels_[level].buckets;
    const std::string key = fmt::format("{}({}{})", array, outer, position);
    const std::string other = fmt::format("{}({}{})", array, outer, second);
    counts_.push_back(width);
    positions_.push_back(position);
    slots_.push_back(position);
    extents_.push_back(width);
    indices_.push_back(fmt::format("{}[{}]", array, fmt::join(extents_, ", ")));
    conditions_.push_back(fmt::format("0 <= {} < {}", position, width));
    conditions_.push_back(fmt::format("{} = {} and 0 <= {}", coordinate(level), key, coordinate(level)));
    const std::string one = fmt::format("forall {}{} : ", outer, position);
    const std::string two = fmt::format("forall {}{}, {} : ", outer, position, second);
    properties_.push_back(fmt::format("{}-1 <= {} < {}", one, key, size(level)));
    properties_.push_back(fmt::format("{}0 <= {} => {} mod {} <= {}", one, key, key, buckets, position));
    properties_.push_back(fmt::format("{}{} mod {} <= {} < {} and 0 <= {} => 0 <= {}", two, other, buckets,
                                      position, second, other, key));
    if (levels_[level].unique)
      properties_.push_back(
          fmt::format("{}{} < {} and 0 <= {} => {} != {}", two, position, second, key, key, other));
    keys_.clear();
    segments_.clear();
  }

  /// Once the coordinates of a position tell it from the others, or at the end.
  void add_order(std::size_t level) {
    if (levels_[level].format == LevelFormat::Compressed) ordered_ = 0;
    if (levels_[level].ordered) ++ordered_;
    bool unique = levels_[level].unique;
    if (!unique && level + 1 < levels_.size()) {
      if (!is_at(level + 1, LevelFormat::Singleton))
        refuse(level, "has coordinates that repeat, and no singleton level after it tells them apart",
               "leave out `not unique`; in letters write `s` or `q`");
      return;
    }
    auto state = [&](const char *form, std::size_t keys) {
      std::string what = keys == 1 ? keys_[0] : fmt::format("({})", fmt::join(keys_.begin(), at(keys), ", "));
      properties_.push_back(form + what + (segments_.empty() ? "" : " within " + segments_));
    };
    if (unique && ordered_ == keys_.size()) return state("strictly increasing ", ordered_);
    if (ordered_ > 0) state("increasing ", ordered_);
    if (unique) state("injective ", keys_.size());
  }

  std::vector<std::string>::const_iterator at(std::size_t key) const {
    return keys_.begin() + static_cast<std::ptrdiff_t>(key);
  }

  std::string assembled() const {
    std::string text;
    std::istringstream lines(parts_.comment);
    for (std::string line; std::getline(lines, line);)
      text += "# " + line + "\n";
    text += fmt::format("{}layout {}", parts_.permutable ? "permutable " : "", parts_.name);
    if (!parts_.parameters.empty()) text += fmt::format("<{}>", fmt::join(parts_.parameters, ", "));
    text += "(";
    for (std::size_t mode = 0; mode < parts_.coordinates.size(); ++mode)
      text += fmt::format("{}{}: {}", mode ? ", " : "", parts_.coordinates[mode], parts_.sizes[mode]);
    text += ") {\n";
    if (!indices_.empty()) text += fmt::format("  index  {};\n", fmt::join(indices_, ", "));
    for (const std::string &count : counts_)
      text += fmt::format("  count  {};\n", count);
    text += fmt::format("  value  val[{}];\n", fmt::join(extents_, ", "));
    text += fmt::format("  stored {{ [{}] -> [{}] : {} }} at val({});\n", fmt::join(positions_, ", "),
                        fmt::join(parts_.coordinates, ", "), fmt::join(conditions_, "\n           and "),
                        fmt::join(slots_, ", "));
    for (const std::string &property : properties_)
      text += fmt::format("  property {};\n", property);
    return text + "}\n";
  }

  const Composition &parts_;
  const std::vector<Level> &levels_;
  const text::Span &span_;
  std::vector<std::string> positions_, conditions_, indices_, counts_, properties_;
  /// The positions that number what is below, and how many of each there are.
  std::vector<std::string> slots_, extents_;
  std::vector<std::string> keys_; // arrays of the last compressed level and the singletons behind it
  std::string segments_;          // its pointers; empty at the root
  std::size_t ordered_ = 0;       // so many of the keys' levels are ordered
  std::string offset_;            // of the last diagonals
};

} // namespace

std::optional<std::vector<Level>> read_level_formats(std::string_view letters) {
  std::vector<Level> levels;
  for (std::size_t k = 0; k < letters.size(); ++k) {
    switch (letters[k]) {
    case 'd': levels.push_back({LevelFormat::Dense}); break;
    case 's': levels.push_back({LevelFormat::Compressed}); break;
    case 'u': levels.push_back({LevelFormat::Compressed, false}); break;
    case 'q': levels.push_back({LevelFormat::Singleton}); break;
    case 'c': levels.push_back({LevelFormat::Singleton, false}); break;
    case 'r':
      if (k == 0 || letters[k - 1] != 's' || letters.substr(k, 2) != "ro") return std::nullopt;
      levels.push_back({LevelFormat::Range});
      levels.push_back({LevelFormat::Offset});
      ++k;
      break;
    default: return std::nullopt;
    }
  }
  if (levels.empty() || order_of(levels) > coordinate_names.size()) return std::nullopt;
  return levels;
}

std::size_t order_of(const std::vector<Level> &levels) {
  return static_cast<std::size_t>(
      std::ranges::count_if(levels, [](const Level &each) { return each.format != LevelFormat::Offset; }));
}

std::optional<Composition> composition_of(const std::string &letters,
                                          const std::vector<std::int64_t> &mode_order,
                                          const text::Span &span) {
  std::optional<std::vector<Level>> levels = read_level_formats(letters);
  if (!levels) return std::nullopt;
  Composition result;
  std::vector<std::int64_t> in_order(order_of(*levels));
  std::iota(in_order.begin(), in_order.end(), 0);
  const std::vector<std::int64_t> &order = mode_order.empty() ? in_order : mode_order;
  if (!std::is_permutation(order.begin(), order.end(), in_order.begin(), in_order.end()))
    report::fail(Kind::wrong_arity, span,
                 fmt::format("`{}` is not an order of the {} modes of `{}`", fmt::join(mode_order, ","),
                             in_order.size(), letters),
                 "write each mode once, from 0: `ss:1,0` stores columns");
  for (std::size_t mode = 0; mode < order.size(); ++mode) {
    result.coordinates.push_back(std::string(1, coordinate_names[mode]));
    result.sizes.push_back(fmt::format("D{}", mode + 1));
  }
  auto next = order.begin();
  for (std::size_t level = 0; level < levels->size(); ++level) {
    bool diagonals = level + 1 < levels->size() && (*levels)[level + 1].format == LevelFormat::Range;
    result.modes.push_back(diagonals ? std::nullopt : std::optional(static_cast<std::size_t>(*next++)));
  }
  result.levels = std::move(*levels);
  result.name = order == in_order ? letters : fmt::format("{}_{}", letters, fmt::join(order, "_"));
  result.comment =
      fmt::format("The level formats {}, outermost first, of the modes {}.", letters, fmt::join(order, ", "));
  return result;
}

namespace {

/// Reads a level of a layout file.
Level level_of(const parse::LevelTree &tree, const std::vector<std::string> &parameters) {
  const auto *row = std::ranges::find(format_rows, tree.format.text, &FormatRow::word);
  Level level{row->format};
  if (tree.buckets) {
    level.buckets = parse::to_text(*tree.buckets);
    bool number = tree.buckets->kind == parse::Expression::Kind::Integer && tree.buckets->integer > 0;
    if (!number && std::ranges::find(parameters, level.buckets) == parameters.end())
      report::fail(Kind::bad_property, tree.buckets->span,
                   fmt::format("`{}` is not a number of buckets", level.buckets),
                   "write a positive integer, or a parameter of the layout");
  }
  for (const parse::LevelPropertyTree &property : tree.properties) {
    const std::string &name = property.name.text;
    const Quality quality = row->qualities[std::ranges::find(quality_names, name) - quality_names];
    if (quality == Either) {
      (name == "unique" ? level.unique : level.ordered) = property.holds;
    } else if (property.holds != (quality == Always)) {
      std::vector<std::string> may;
      for (std::size_t k = 0; k < std::size(quality_names); ++k)
        if (row->qualities[k] == Either) may.push_back(fmt::format("`not {}`", quality_names[k]));
      report::fail(Kind::bad_property, property.name.span,
                   fmt::format("a {} level is {} {}", row->word, property.holds ? "never" : "always", name),
                   may.empty() ? "leave out the property"
                               : fmt::format("write {}, or leave out the property", fmt::join(may, " and ")));
    }
  }
  return level;
}

} // namespace

Composition composition_of(const parse::LayoutTree &tree) {
  if (!tree.arrays.empty() || !tree.counts.empty() || !tree.stored.empty() || !tree.properties.empty())
    report::fail(Kind::syntax_error, tree.levels.front().coordinate.span,
                 fmt::format("layout `{}` has level formats and other statements", tree.name.text),
                 "`levels` stands for arrays, relation and properties: `unravel layout show` prints these");
  Composition result;
  result.name = tree.name.text;
  result.comment = tree.comment;
  result.permutable = tree.permutable;
  for (const parse::ParameterTree &parameter : tree.parameters)
    result.parameters.push_back(parameter.name.text);
  for (const parse::CoordinateTree &coordinate : tree.coordinates) {
    result.coordinates.push_back(coordinate.name.text);
    result.sizes.push_back(coordinate.size.text);
  }
  for (std::size_t k = 0; k < tree.levels.size(); ++k) {
    const parse::LevelTree &level = tree.levels[k];
    result.levels.push_back(level_of(level, result.parameters));
    auto found = std::ranges::find(result.coordinates, level.coordinate.text);
    if (found == result.coordinates.end()) {
      bool diagonals = level.format.text == "compressed" && k + 1 < tree.levels.size() &&
                       tree.levels[k + 1].format.text == "range";
      if (!diagonals)
        report::fail(
            Kind::unknown_name, level.coordinate.span,
            fmt::format("`{}` is not a coordinate of layout `{}`", level.coordinate.text, tree.name.text),
            k + 1 < tree.levels.size() && tree.levels[k + 1].format.text == "range"
                ? diagonals_hint
                : fmt::format("its coordinates are {}", fmt::join(result.coordinates, ", ")));
      result.modes.push_back(std::nullopt);
      continue;
    }
    auto mode = static_cast<std::size_t>(found - result.coordinates.begin());
    if (std::ranges::find(result.modes, mode) != result.modes.end())
      report::fail(Kind::duplicate_name, level.coordinate.span,
                   fmt::format("`{}` already has a level", level.coordinate.text),
                   "write each coordinate once");
    result.modes.push_back(mode);
  }
  std::size_t given =
      result.modes.size() -
      static_cast<std::size_t>(std::count(result.modes.begin(), result.modes.end(), std::nullopt));
  if (given != result.coordinates.size())
    report::fail(Kind::wrong_arity, tree.levels.back().coordinate.span,
                 fmt::format("{} of the {} coordinates of layout `{}` have a level", given,
                             result.coordinates.size(), tree.name.text),
                 "write one per coordinate");
  return result;
}

std::string layout_text(const Composition &composition, const text::Span &span) {
  return Expansion(composition, span).text();
}

} // namespace unravel::layout
