// Compositions of level formats, expanded to the text of a layout.
#include "layout/level_formats.h"

#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <sstream>

namespace unravel::layout {

using report::Kind;

namespace {

constexpr std::string_view coordinate_names = "ijklmnoabcdefgh";

const char *word_for(LevelFormat format) {
  switch (format) {
  case LevelFormat::Dense: return "dense";
  case LevelFormat::Compressed: return "compressed";
  case LevelFormat::CompressedRepeats: return "compressed not unique";
  case LevelFormat::Singleton: return "singleton";
  case LevelFormat::SingletonRepeats: return "singleton not unique";
  }
  return "";
}

bool is_keyed(LevelFormat format) {
  return format != LevelFormat::Dense;
}
bool is_singleton(LevelFormat format) {
  return format == LevelFormat::Singleton || format == LevelFormat::SingletonRepeats;
}
bool repeats(LevelFormat format) {
  return format == LevelFormat::CompressedRepeats || format == LevelFormat::SingletonRepeats;
}

class Expansion {
public:
  Expansion(const Composition &composition, const text::Span &span)
      : parts_(composition), levels_(composition.levels), span_(span) {}

  std::string text() {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if (!is_keyed(levels_[level]))
        add_dense(level);
      else if (is_singleton(levels_[level]))
        add_singleton(level);
      else
        add_compressed(level);
      add_order(level);
    }
    return assembled();
  }

private:
  const std::string &coordinate(std::size_t level) const { return parts_.coordinates[parts_.modes[level]]; }
  const std::string &size(std::size_t level) const { return parts_.sizes[parts_.modes[level]]; }

  [[noreturn]] void refuse(std::size_t level, const std::string &reason, const std::string &hint) const {
    report::fail(
        Kind::not_supported, span_,
        fmt::format("level {} of `{}` ({}) {}", level + 1, parts_.name, word_for(levels_[level]), reason),
        hint);
  }

  /// "p2", or where the user has called something else so, "p2_".
  std::string fresh(const char *base, std::size_t level) const {
    std::string name = fmt::format("{}{}", base, level + 1);
    while (std::count(parts_.coordinates.begin(), parts_.coordinates.end(), name) ||
           std::count(parts_.sizes.begin(), parts_.sizes.end(), name))
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
    add_key(level);
  }

  void add_singleton(std::size_t level) {
    if (level == 0 || !is_keyed(levels_[level - 1]))
      refuse(level, "has no compressed or singleton level before it", "write `uq` for a coordinate list");
    if (!repeats(levels_[level - 1]))
      refuse(level, "comes below a level whose coordinates don't repeat",
             "write `u` or `c` for the level before it");
    add_key(level);
  }

  void add_key(std::size_t level) {
    std::string array = fresh("idx", level);
    indices_.push_back(fmt::format("{}[{}]", array, extents_[0]));
    conditions_.push_back(fmt::format("{} = {}({})", coordinate(level), array, slots_[0]));
    properties_.push_back(fmt::format("range {} in [0, {})", array, size(level)));
    keys_.push_back(array);
  }

  /// Once the coordinates of a position tell it from the others.
  void add_order(std::size_t level) {
    if (!is_keyed(levels_[level])) return;
    if (repeats(levels_[level])) {
      if (level + 1 < levels_.size() && !is_singleton(levels_[level + 1]))
        refuse(level, "has coordinates that repeat, and no singleton level after it tells them apart",
               "write `s` or `q`");
      return; // at the end: entries add up, in any order
    }
    std::string what = keys_.size() == 1 ? keys_[0] : fmt::format("({})", fmt::join(keys_, ", "));
    properties_.push_back("strictly increasing " + what + (segments_.empty() ? "" : " within " + segments_));
  }

  std::string assembled() const {
    std::string text;
    std::istringstream lines(parts_.comment);
    for (std::string line; std::getline(lines, line);)
      text += "# " + line + "\n";
    text += fmt::format("layout {}(", parts_.name);
    for (std::size_t mode = 0; mode < levels_.size(); ++mode)
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
  const std::vector<LevelFormat> &levels_;
  const text::Span &span_;
  std::vector<std::string> positions_, conditions_, indices_, counts_, properties_;
  /// The positions that number what is below, and how many of each there are.
  std::vector<std::string> slots_, extents_;
  std::vector<std::string> keys_; // arrays of the last compressed level and the singletons behind it
  std::string segments_;          // its pointers; empty at the root
};

} // namespace

std::optional<std::vector<LevelFormat>> read_level_formats(std::string_view letters) {
  std::vector<LevelFormat> levels;
  for (char letter : letters) {
    switch (letter) {
    case 'd': levels.push_back(LevelFormat::Dense); break;
    case 's': levels.push_back(LevelFormat::Compressed); break;
    case 'u': levels.push_back(LevelFormat::CompressedRepeats); break;
    case 'q': levels.push_back(LevelFormat::Singleton); break;
    case 'c': levels.push_back(LevelFormat::SingletonRepeats); break;
    default: return std::nullopt;
    }
  }
  if (levels.empty() || levels.size() > coordinate_names.size()) return std::nullopt;
  return levels;
}

std::optional<Composition> composition_of(const std::string &letters,
                                          const std::vector<std::int64_t> &mode_order,
                                          const text::Span &span) {
  std::optional<std::vector<LevelFormat>> levels = read_level_formats(letters);
  if (!levels) return std::nullopt;
  Composition result;
  result.levels = std::move(*levels);
  std::vector<std::int64_t> in_order(letters.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  const std::vector<std::int64_t> &order = mode_order.empty() ? in_order : mode_order;
  if (!std::is_permutation(order.begin(), order.end(), in_order.begin(), in_order.end()))
    report::fail(Kind::wrong_arity, span,
                 fmt::format("`{}` is no order of the {} modes of `{}`", fmt::join(mode_order, ","),
                             letters.size(), letters),
                 "write each mode once, from 0: `ss:1,0` stores columns");
  for (std::size_t mode = 0; mode < letters.size(); ++mode) {
    result.coordinates.push_back(std::string(1, coordinate_names[mode]));
    result.sizes.push_back(fmt::format("D{}", mode + 1));
  }
  result.modes.assign(order.begin(), order.end());
  result.name = order == in_order ? letters : fmt::format("{}_{}", letters, fmt::join(result.modes, "_"));
  result.comment = fmt::format("The level formats {}, outermost first, of the modes {}.", letters,
                               fmt::join(result.modes, ", "));
  return result;
}

Composition composition_of(const parse::LayoutTree &tree) {
  if (!tree.arrays.empty() || !tree.counts.empty() || !tree.stored.empty() || !tree.properties.empty())
    report::fail(Kind::syntax_error, tree.levels.front().coordinate.span,
                 fmt::format("layout `{}` has level formats and other statements", tree.name.text),
                 "`levels` stands for arrays, relation and properties: `unravel layout show` prints these");
  Composition result{tree.name.text, tree.comment, {}, {}, {}, {}};
  for (const parse::CoordinateTree &coordinate : tree.coordinates) {
    result.coordinates.push_back(coordinate.name.text);
    result.sizes.push_back(coordinate.size.text);
  }
  for (const parse::LevelTree &level : tree.levels) {
    const std::string &format = level.format.text;
    if (format == "dense" && !level.unique)
      report::fail(Kind::wrong_arity, level.format.span, "a dense level has each coordinate once",
                   "write `compressed not unique`");
    result.levels.push_back(format == "dense" ? LevelFormat::Dense
                            : format == "compressed"
                                ? level.unique ? LevelFormat::Compressed : LevelFormat::CompressedRepeats
                            : level.unique ? LevelFormat::Singleton
                                           : LevelFormat::SingletonRepeats);
    auto found = std::find(result.coordinates.begin(), result.coordinates.end(), level.coordinate.text);
    if (found == result.coordinates.end())
      report::fail(Kind::unknown_name, level.coordinate.span,
                   fmt::format("`{}` is no coordinate of layout `{}`", level.coordinate.text, tree.name.text),
                   fmt::format("its coordinates are {}", fmt::join(result.coordinates, ", ")));
    auto mode = static_cast<std::size_t>(found - result.coordinates.begin());
    if (std::find(result.modes.begin(), result.modes.end(), mode) != result.modes.end())
      report::fail(Kind::duplicate_name, level.coordinate.span,
                   fmt::format("`{}` has a level already", level.coordinate.text),
                   "write each coordinate once");
    result.modes.push_back(mode);
  }
  if (result.modes.size() != result.coordinates.size())
    report::fail(Kind::wrong_arity, tree.levels.back().coordinate.span,
                 fmt::format("{} of the {} coordinates of layout `{}` have a level", result.modes.size(),
                             result.coordinates.size(), tree.name.text),
                 "write one per coordinate");
  return result;
}

std::string layout_text(const Composition &composition, const text::Span &span) {
  return Expansion(composition, span).text();
}

} // namespace unravel::layout
