#include "emit/masked.h"

#include <fmt/format.h>

namespace unravel::emit {

using loop::GatheredSum;
using term::Term;

namespace {

using Factor = GatheredSum::Factor;

std::string gathered(const Factor &factor, const std::string &rest, const Names &names,
                     Expressions &expressions) {
  const std::string &array = std::get<loop::Element>(factor.value.kind).array;
  bool is_long = expressions.type_of(factor.keys.as<term::Apply>()->function) == loop::ElementType::Int64;
  bool is_plain = factor.scale == Term(1) && factor.base == Term(0);
  std::string function = expressions.gather(is_long, is_plain);
  std::string place =
      is_plain ? "" : fmt::format(", {}, {}", expressions.term(factor.scale), expressions.term(factor.base));
  return fmt::format("{}({}, {}, &{}{})", function, rest, names.array(array), expressions.term(factor.keys),
                     place);
}

} // namespace

MaskedText masked_text(const loop::For &loop, const GatheredSum &sum, Names &names,
                       Expressions &expressions) {
  expressions.needs().masks = true;
  bool single = expressions.single_precision();
  const char *suffix = single ? "_f" : "";
  const std::string &variable = names.variable(loop.variable);
  const std::string &target = names.variable(sum.sum.name);
  std::string lanes = names.fresh(target + "_lanes");
  std::string end = names.fresh(variable + "_end");
  std::string rest = names.fresh(variable + "_rest");
  std::string product;
  for (const Factor &factor : sum.factors) {
    if (!product.empty()) product += " * ";
    switch (factor.kind) {
    case Factor::Kind::Fixed: product += expressions.value(factor.value); break;
    case Factor::Kind::Stretch:
      expressions.needs().stretch = true;
      product += fmt::format("unravel_stretch{}({}, &{})", suffix, rest,
                             expressions.element(std::get<loop::Element>(factor.value.kind)));
      break;
    case Factor::Kind::Gathered: product += gathered(factor, rest, names, expressions); break;
    }
  }
  return {fmt::format("{} {} = {{0}};", single ? "__m256" : "__m512d", lanes),
          fmt::format("for (int64_t {0} = {1}, {2} = {3}; {0} < {2}; {0} += 8)", variable,
                      expressions.term(loop.lower), end, expressions.term(loop.upper)),
          fmt::format("{} {}= unravel_lanes_sum{}({});", target, sum.subtracts ? "-" : "+", suffix, lanes),
          {fmt::format("const __mmask8 {} = unravel_rest({} - {});", rest, end, variable),
           fmt::format("{} += {};", lanes, product)}};
}

} // namespace unravel::emit
