#include "emit/lanes.h"

#include "loop/arrays.h"
#include "loop/vector_sums.h"

#include <fmt/format.h>

namespace unravel::emit {

using namespace loop;
using term::Term;

namespace {

/// Elements of a vector, and of the parts: as many as there are registers for, then less, since every part
/// walks over the whole nest.
constexpr int vector_lanes = 8;
constexpr int lanes_of_part[] = {32, 16, vector_lanes};

/// Elements of a result, 32 MB, that isn't found in a cache by whom it is for.
constexpr std::int64_t most_cached = std::int64_t{1} << 22;

class LanesWriter {
public:
  LanesWriter(const DenseSum &sum, bool sets, const std::string &past_caches, Names &names,
              Expressions &expressions)
      : sum_(sum), sets_(sets), past_caches_(past_caches), names_(names), expressions_(expressions) {
    expressions_.need("lanes");
    if (!past_caches_.empty()) expressions_.need("stored_lanes");
    const std::string &variable = names_.variable(sum.inner->variable);
    std::string end = expressions_.term(sum.inner->upper);
    text_.first = names_.fresh(variable + "_first");
    text_.begin = fmt::format("int64_t {} = 0;", text_.first);
    text_.rest = fmt::format("if ({} < {})", text_.first, end);
    for (int lanes : lanes_of_part) {
      LanesText::Part part;
      part.over_parts = fmt::format("for (; {0} + {1} <= {2}; {0} += {1})", text_.first, lanes, end);
      part.declare.push_back(fmt::format("const int64_t {} = {};", variable, text_.first));
      for (int lane = 0; lane < lanes; lane += vector_lanes)
        add(part, lane);
      text_.parts.push_back(std::move(part));
    }
  }

  LanesText take() { return std::move(text_); }

private:
  void add(LanesText::Part &part, int lane) {
    const auto &target = std::get<Element>(sum_.sum->target);
    std::string vector =
        names_.fresh(fmt::format("{}_sum{}", names_.array(target.array), lane / vector_lanes));
    part.declare.push_back(fmt::format("unravel_lanes {} = {{0}};", vector));
    const auto *negative = arguments_of(Operator::Negate, sum_.sum->value);
    part.inside.push_back(fmt::format("{} {}= {};", vector, negative ? "-" : "+",
                                      value(negative ? negative->front() : sum_.sum->value, lane)));
    part.finish.push_back(
        past_caches_.empty()
            ? fmt::format("*(unravel_lanes *)&{} {} {};", element(target, lane), sets_ ? "=" : "+=", vector)
            : fmt::format("unravel_store_lanes(&{}, &{}, {});", element(target, lane), vector, past_caches_));
  }

  std::string element(const Element &element, int lane) const {
    return expressions_.element({element.array, element.slot + Term(lane)});
  }

  std::string value(const Value &value_, int lane) const {
    if (const auto *factors = arguments_of(Operator::Multiply, value_)) {
      std::string text;
      for (const Value &factor : *factors)
        text += (text.empty() ? "" : " * ") + value(factor, lane);
      return text;
    }
    const auto *read = std::get_if<Element>(&value_.kind);
    if (!read || !term::mentions(read->slot, sum_.inner->variable)) return expressions_.value(value_);
    return "*(const unravel_lanes *)&" + element(*read, lane);
  }

  const DenseSum &sum_;
  const bool sets_;
  const std::string &past_caches_;
  Names &names_;
  Expressions &expressions_;
  LanesText text_;
};

} // namespace

LanesText lanes_text(const DenseSum &sum, bool sets, const std::string &past_caches, Names &names,
                     Expressions &expressions) {
  return LanesWriter(sum, sets, past_caches, names, expressions).take();
}

Term longer_than_caches(const std::string &array, const Program &program) {
  return at_most(Term(most_cached), *slots_of(array, program));
}

} // namespace unravel::emit
