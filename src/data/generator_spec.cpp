#include "data/generate.h"
#include "data/lines.h"
#include "report/diagnostic.h"
#include "report/suggest.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

// The text form of generators: parsing and checks.
namespace unravel::data {

using report::fail;
using report::Kind;

namespace {

struct KindFacts {
  const char *name;
  std::size_t least_sizes; // how many sizes the text may have
  std::size_t most_sizes;
  std::vector<std::string> options;
  const char *example;
};

/// In the order of GeneratorKind.
const std::vector<KindFacts> &kinds() {
  static const std::vector<KindFacts> facts = {
      {"random", 1, 64, {"density", "entries", "seed"}, "random:1000x1000,density=0.01,seed=1"},
      {"ones", 1, 64, {"density", "entries", "seed"}, "ones:1000"},
      {"zeros", 1, 64, {"density", "entries", "seed"}, "zeros:1000"},
      {"integers",
       1,
       64,
       {"density", "entries", "most", "seed"},
       "integers:1000x1000,most=9,density=0.01,seed=1"},
      {"poisson2d", 2, 2, {}, "poisson2d:100x100"},
      {"poisson3d", 3, 3, {}, "poisson3d:20x20x20"},
      {"fem", 1, 2, {"block", "seed"}, "fem:1000,block=3,seed=1"},
      {"rmat", 0, 0, {"scale", "edges", "seed"}, "rmat:scale=12,edges=8,seed=1"},
      {"banded", 1, 2, {"width", "seed"}, "banded:1000,width=5,seed=1"},
      {"hypersparse", 1, 2, {"rows", "edges", "seed"}, "hypersparse:1000000,rows=100,edges=4,seed=1"},
  };
  return facts;
}

std::string list_of(const std::vector<std::string> &names) {
  return fmt::format("`{}`", fmt::join(names, "`, `"));
}

class SpecParser {
public:
  explicit SpecParser(const text::Span &span) : span_(span), text_(span.text()) {}

  GeneratorSpec parse() {
    std::size_t end = std::min(text_.find_first_of(":,"), text_.size());
    read_kind(end);
    spec_.span = span_;
    std::size_t at = end;
    // rmat has options only, and they may follow its colon.
    bool has_sizes = at < text_.size() && text_[at] == ':';
    if (has_sizes && facts().most_sizes > 0) {
      end = std::min(text_.find(',', at), text_.size());
      read_sizes(at + 1, end);
      at = end;
    }
    while (at < text_.size()) {
      end = std::min(text_.find(',', at + 1), text_.size());
      read_option(at + 1, end);
      at = end;
    }
    if (spec_.density && spec_.entries)
      fail(Kind::bad_generator, span_, "`density` and `entries` can't both be given");
    return spec_;
  }

private:
  const KindFacts &facts() const { return kinds()[static_cast<std::size_t>(spec_.kind)]; }
  text::Span part(std::size_t begin, std::size_t end) const {
    return text::Span{span_.source, span_.begin + begin, span_.begin + end};
  }

  void read_kind(std::size_t end) {
    std::string name = text_.substr(0, end);
    std::vector<std::string> names = generator_names();
    auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      fail(Kind::bad_generator, part(0, end), fmt::format("unknown generator `{}`", printable(name)),
           report::suggest(name, names, "generators are " + list_of(names)));
    }
    spec_.kind = static_cast<GeneratorKind>(found - names.begin());
  }

  void read_sizes(std::size_t begin, std::size_t end) {
    std::vector<std::int64_t> sizes;
    for (std::size_t at = begin; at <= end;) {
      std::size_t stop = std::min(text_.find('x', at), end);
      sizes.push_back(read_integer(at, stop, "a size"));
      at = stop + 1;
    }
    if (sizes.size() < facts().least_sizes || sizes.size() > facts().most_sizes)
      fail(Kind::bad_generator, part(begin, end),
           fmt::format("`{}` takes {} sizes, found {}", facts().name,
                       facts().least_sizes == facts().most_sizes
                           ? std::to_string(facts().most_sizes)
                           : fmt::format("{} to {}", facts().least_sizes, facts().most_sizes),
                       sizes.size()));
    spec_.sizes = std::move(sizes);
  }

  void read_option(std::size_t begin, std::size_t end) {
    std::size_t equals = std::min(text_.find('=', begin), end);
    std::string name = text_.substr(begin, equals - begin);
    const std::vector<std::string> &known = facts().options;
    if (std::ranges::find(known, name) == known.end()) {
      fail(Kind::bad_generator, part(begin, equals),
           fmt::format("`{}` has no option `{}`", facts().name, printable(name)),
           known.empty() ? "it has no options"
                         : report::suggest(name, known, "its options are " + list_of(known)));
    }
    if (equals == end)
      fail(Kind::bad_generator, part(begin, end), fmt::format("expected `{}=` and a value", name));
    if (!seen_.insert(name).second)
      fail(Kind::bad_generator, part(begin, end), fmt::format("`{}` is given twice", name));
    set_option(name, equals + 1, end);
  }

  void set_option(const std::string &name, std::size_t begin, std::size_t end) {
    if (name == "density") {
      double density = 0;
      const char *first = text_.data() + begin, *last = text_.data() + end;
      auto [next, code] = read_decimal(first, last, density);
      if (code != std::errc() || next != last || !(density >= 0 && density <= 1))
        fail(Kind::bad_generator, part(begin, end),
             fmt::format("expected a density from 0 to 1, found `{}`",
                         printable(text_.substr(begin, end - begin))));
      spec_.density = density;
      return;
    }
    std::int64_t number = read_integer(begin, end, "a number");
    bool positive = name == "block" || name == "edges" || name == "most";
    if (positive && number == 0)
      fail(Kind::bad_generator, part(begin, end), fmt::format("`{}` must be at least 1", name));
    if (name == "scale" && number > 40)
      fail(Kind::bad_generator, part(begin, end), "`scale` must be at most 40");
    if (name == "seed")
      spec_.seed = static_cast<std::uint64_t>(number);
    else if (name == "entries")
      spec_.entries = number;
    else if (name == "block")
      spec_.block = number;
    else if (name == "scale")
      spec_.scale = number;
    else if (name == "edges")
      spec_.edges = number;
    else if (name == "width")
      spec_.width = number;
    else if (name == "most")
      spec_.most = number;
    else
      spec_.rows = number;
  }

  std::int64_t read_integer(std::size_t begin, std::size_t end, const char *what) {
    std::int64_t number = 0;
    const char *first = text_.data() + begin, *last = text_.data() + end;
    auto [next, code] = std::from_chars(first, last, number);
    if (code == std::errc::result_out_of_range)
      fail(Kind::number_too_large, part(begin, end),
           fmt::format("the number `{}` is beyond 2^63 - 1", printable(text_.substr(begin, end - begin))));
    if (code != std::errc() || next != last || number < 0)
      fail(Kind::bad_generator, part(begin, end),
           fmt::format("expected {}, found {}", what,
                       begin == end ? "nothing" : "`" + printable(text_.substr(begin, end - begin)) + "`"),
           fmt::format("such as {}", facts().example));
    return number;
  }

  text::Span span_;
  std::string text_;
  GeneratorSpec spec_;
  std::set<std::string> seen_;
};

} // namespace

std::vector<std::string> generator_names() {
  std::vector<std::string> names;
  for (const KindFacts &facts : kinds())
    names.push_back(facts.name);
  return names;
}

bool is_generator(std::string_view text) {
  std::string first(text.substr(0, text.find_first_of(":,")));
  std::vector<std::string> names = generator_names();
  return std::ranges::find(names, first) != names.end();
}

GeneratorSpec parse_generator(std::string_view text, const std::string &name) {
  auto source = std::make_shared<const text::Source>(name, std::string(text));
  return SpecParser(text::Span{source, 0, text.size()}).parse();
}

std::uint64_t seed_of(std::string_view name) {
  std::uint64_t seed = 0xcbf29ce484222325; // FNV-1a, the same everywhere
  for (unsigned char byte : name)
    seed = (seed ^ byte) * 0x100000001b3;
  return seed;
}

std::vector<std::int64_t> generated_shape(const GeneratorSpec &spec) {
  const KindFacts &facts = kinds()[static_cast<std::size_t>(spec.kind)];
  if (spec.kind == GeneratorKind::Rmat) return {std::int64_t{1} << spec.scale, std::int64_t{1} << spec.scale};
  if (!spec.sizes)
    fail(Kind::bad_generator, spec.span, fmt::format("`{}` needs its sizes", facts.name),
         fmt::format("write them after a colon, such as {}:{}", facts.name,
                     facts.least_sizes == 3   ? "20x20x20"
                     : facts.least_sizes == 2 ? "100x100"
                                              : "1000"));
  std::vector<std::int64_t> shape = *spec.sizes;
  bool is_grid = spec.kind == GeneratorKind::Poisson2d || spec.kind == GeneratorKind::Poisson3d;
  if (is_grid) {
    std::int64_t points = element_count(shape);
    if (points < 0) fail(Kind::number_too_large, spec.span, "the grid has more than 2^63 - 1 points");
    return {points, points};
  }
  bool is_matrix = facts.most_sizes == 2;
  if (is_matrix && shape.size() == 1) shape.push_back(shape[0]);
  if (is_matrix && shape.size() != 2)
    fail(Kind::bad_generator, spec.span,
         fmt::format("`{}` makes a matrix, not a tensor of {} modes", facts.name, shape.size()));
  if (spec.kind == GeneratorKind::Fem && shape[0] != shape[1])
    fail(Kind::bad_generator, spec.span,
         fmt::format("`fem` makes a square matrix, not {} x {}", shape[0], shape[1]));
  return shape;
}

} // namespace unravel::data
