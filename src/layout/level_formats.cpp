// Compositions of level formats, expanded to the text of a layout.
#include "layout/level_formats.h"

#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::layout {

using report::Kind;

namespace {

constexpr std::string_view coordinate_names = "ijklmnoabcdefgh";

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
  Expansion(const std::string &letters, const std::vector<LevelFormat> &levels,
            const std::vector<std::int64_t> &mode_order, const text::Span &span)
      : letters_(letters), levels_(levels), modes_(mode_order), span_(span) {
    if (modes_.empty())
      for (std::size_t level = 0; level < levels.size(); ++level)
        modes_.push_back(static_cast<std::int64_t>(level));
    std::vector<std::int64_t> sorted = modes_;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t mode = 0; mode < levels.size(); ++mode)
      if (sorted.size() != levels.size() || sorted[mode] != static_cast<std::int64_t>(mode))
        report::fail(Kind::wrong_arity, span_,
                     fmt::format("`{}` is no order of the {} modes of `{}`", fmt::join(modes_, ","),
                                 levels.size(), letters),
                     "write each mode once, from 0: `ss:1,0` stores columns");
  }

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
  static std::string coordinate(std::size_t mode) { return std::string(1, coordinate_names[mode]); }
  static std::string size(std::size_t mode) { return fmt::format("D{}", mode + 1); }
  std::size_t mode_of(std::size_t level) const { return static_cast<std::size_t>(modes_[level]); }

  [[noreturn]] void refuse(std::size_t level, const std::string &reason, const std::string &hint) const {
    report::fail(Kind::not_supported, span_,
                 fmt::format("level {} of `{}` (`{}`) {}", level + 1, letters_, letters_[level], reason),
                 hint);
  }

  void add_dense(std::size_t level) {
    std::string position = fmt::format("r{}", level + 1);
    positions_.push_back(position);
    conditions_.push_back(fmt::format("{} = {}", coordinate(mode_of(level)), position));
    conditions_.push_back(fmt::format("0 <= {} < {}", position, size(mode_of(level))));
    slots_.push_back(position);
    extents_.push_back(size(mode_of(level)));
  }

  void add_compressed(std::size_t level) {
    if (slots_.size() > 1)
      refuse(level, "comes below two positions that number its segments together",
             "their number would be a product of a position and a size, which is not affine; put the dense "
             "levels inside");
    segments_.clear();
    std::string position = fmt::format("p{}", level + 1), count = fmt::format("N{}", level + 1);
    if (slots_.empty()) {
      counts_.push_back(count);
      conditions_.push_back(fmt::format("0 <= {} < {}", position, count));
    } else {
      segments_ = fmt::format("pos{}", level + 1);
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
    std::string array = fmt::format("idx{}", level + 1);
    indices_.push_back(fmt::format("{}[{}]", array, extents_[0]));
    conditions_.push_back(fmt::format("{} = {}({})", coordinate(mode_of(level)), array, slots_[0]));
    properties_.push_back(fmt::format("range {} in [0, {})", array, size(mode_of(level))));
    keys_.push_back(array);
  }

  /// Once the coordinates of a position tell it from the others.
  void add_order(std::size_t level) {
    if (!is_keyed(levels_[level])) return;
    if (repeats(levels_[level])) {
      bool last = level + 1 == levels_.size() || !is_singleton(levels_[level + 1]);
      if (last && level + 1 < levels_.size())
        refuse(level, "has coordinates that repeat, and no singleton level after it tells them apart",
               "write `s` or `q`");
      return; // at the end: entries add up, in any order
    }
    std::string what = keys_.size() == 1 ? keys_[0] : fmt::format("({})", fmt::join(keys_, ", "));
    properties_.push_back("strictly increasing " + what + (segments_.empty() ? "" : " within " + segments_));
  }

  std::string assembled() const {
    bool in_order = std::is_sorted(modes_.begin(), modes_.end());
    std::string name = in_order ? letters_ : fmt::format("{}_{}", letters_, fmt::join(modes_, "_"));
    std::string text = fmt::format("# The level formats {}, outermost first, of the modes {}.\nlayout {}(",
                                   letters_, fmt::join(modes_, ", "), name);
    std::vector<std::string> coordinates;
    for (std::size_t mode = 0; mode < levels_.size(); ++mode) {
      text += fmt::format("{}{}: {}", mode ? ", " : "", coordinate(mode), size(mode));
      coordinates.push_back(coordinate(mode));
    }
    text += ") {\n";
    if (!indices_.empty()) text += fmt::format("  index  {};\n", fmt::join(indices_, ", "));
    for (const std::string &count : counts_)
      text += fmt::format("  count  {};\n", count);
    text += fmt::format("  value  val[{}];\n", fmt::join(extents_, ", "));
    text += fmt::format("  stored {{ [{}] -> [{}] : {} }} at val({});\n", fmt::join(positions_, ", "),
                        fmt::join(coordinates, ", "), fmt::join(conditions_, "\n           and "),
                        fmt::join(slots_, ", "));
    for (const std::string &property : properties_)
      text += fmt::format("  property {};\n", property);
    return text + "}\n";
  }

  const std::string &letters_;
  const std::vector<LevelFormat> &levels_;
  std::vector<std::int64_t> modes_;
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

std::string layout_text(const std::string &letters, const std::vector<LevelFormat> &levels,
                        const std::vector<std::int64_t> &mode_order, const text::Span &span) {
  return Expansion(letters, levels, mode_order, span).text();
}

} // namespace unravel::layout
