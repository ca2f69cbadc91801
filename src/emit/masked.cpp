#include "emit/masked.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::emit {

using loop::Element;
using loop::GatheredSum;
using term::Term;

namespace {

using Factor = GatheredSum::Factor;

std::string gathered(const Factor &factor, const std::string &rest, const Names &names,
                     Expressions &expressions) {
  const std::string &array = std::get<Element>(factor.value.kind).array;
  bool is_long = expressions.type_of(factor.keys.as<term::Apply>()->function) == loop::ElementType::Int64;
  bool is_plain = factor.scale == Term(1) && factor.base == Term(0);
  std::string function = expressions.gather(is_long, is_plain);
  std::string place =
      is_plain ? "" : fmt::format(", {}, {}", expressions.term(factor.scale), expressions.term(factor.base));
  return fmt::format("{}({}, {}, &{}{})", function, rest, names.array(array), expressions.term(factor.keys),
                     place);
}

/// The product, of factors that `varying` writes.
template <class Varying>
std::string product_of(const std::vector<Factor> &factors, const Expressions &expressions, Varying varying) {
  std::string product;
  for (const Factor &factor : factors) {
    if (!product.empty()) product += " * ";
    product += factor.kind == Factor::Kind::Fixed ? expressions.value(factor.value) : varying(factor);
  }
  return product;
}

const Element &element_of(const Factor &factor) {
  return std::get<Element>(factor.value.kind);
}

Term with(const Term &term, const std::string &variable, const Term &value) {
  return substitute(term, {{variable, value}});
}

/// Two elements, at keys from this one on; `form`: "pick" or "pick_used" (Expressions::pick).
std::string picked(const std::string &form, const Factor &factor, const Term &keys, const Names &names,
                   Expressions &expressions) {
  const bool is_long = expressions.type_of(keys.as<term::Apply>()->function) == loop::ElementType::Int64;
  const std::string &array = element_of(factor).array;
  return fmt::format("{}({}, &{})", expressions.pick(form, is_long, expressions.type_of(array)),
                     names.array(array), expressions.term(keys));
}

} // namespace

StepsText gathered_text(const loop::For &loop, const GatheredSum &sum, const std::string &end, Names &names,
                        Expressions &expressions) {
  bool single = expressions.single_precision();
  expressions.need(single ? "lanes_sum_f" : "lanes_sum");
  const std::string &variable = names.variable(loop.variable);
  const std::string &target = names.variable(sum.sum.name);
  std::string lanes = names.fresh(target + "_lanes");
  std::string rest = names.fresh(variable + "_rest");
  const std::string product = product_of(sum.factors, expressions, [&](const Factor &factor) {
    if (factor.kind == Factor::Kind::Gathered) return gathered(factor, rest, names, expressions);
    return fmt::format("{}{}({}, &{})", expressions.called("stretch"), expressions.suffix(), rest,
                       expressions.element(element_of(factor)));
  });
  return {fmt::format("{} {} = {{0}};", single ? "__m256" : "__m512d", lanes),
          fmt::format("for (; {0} < {1}; {0} += 8)", variable, end),
          {fmt::format("const __mmask8 {} = {}({} - {});", rest, expressions.called("rest"), end, variable),
           fmt::format("{} += {};", lanes, product)},
          {fmt::format("{} {}= unravel_lanes_sum{}({});", target, sum.subtracts ? "-" : "+",
                       expressions.suffix(), lanes)}};
}

StepsText plain_text(const loop::For &loop, const GatheredSum &sum, const std::string &end,
                     const loop::Program &program, Names &names, Expressions &expressions) {
  const bool in_pairs = sum.gathers();
  const std::string suffix = expressions.need_typed(in_pairs ? "kept" : "fours", sum.element);
  const int half = in_pairs ? 2 : 4, step = 2 * half;
  const std::string form = in_pairs ? "pair" : "four", type = "unravel_" + form + suffix;
  const std::string bits = "unravel_four_mask" + suffix;
  const std::string &variable = names.variable(loop.variable);
  const std::string &target = names.variable(sum.sum.name);
  const std::string sums[] = {names.fresh(target + "_" + form), names.fresh(target + "_next_" + form)};
  const std::string mask = names.fresh(variable + "_mask");

  auto ahead = [&](const Term &term, int by) {
    return with(term, loop.variable, term::variable(loop.variable) + by);
  };
  auto product = [&](int by) {
    return product_of(sum.factors, expressions, [&](const Factor &factor) {
      if (factor.kind == Factor::Kind::Gathered)
        return picked("pick", factor, ahead(factor.keys, by), names, expressions);
      const Element element{element_of(factor).array, ahead(element_of(factor).slot, by)};
      return in_pairs ? expressions.pair_at(element)
                      : fmt::format("*(const {} *)&{}", type, expressions.element(element));
    });
  };
  auto kept = [&](int k) {
    const std::string all = product(half * k);
    if (in_pairs) return fmt::format("unravel_kept{}({}, {})", suffix, all, k == 0 ? mask : mask + " + 2");
    return fmt::format("({0})(({1}){2} & {3}[{4}])", type, bits,
                       sum.factors.size() == 1 ? all : "(" + all + ")", mask, k);
  };
  // The last step's last elements must exist.
  std::vector<std::string> exist{fmt::format("{} < {}", variable, end)};
  auto require = [&](const std::string &array, const Term &slot) {
    std::string text = fmt::format("{} < {}", expressions.term(ahead(slot, step - 1)),
                                   expressions.term_of_members(*loop::slots_of(array, program)));
    if (std::find(exist.begin(), exist.end(), text) == exist.end()) exist.push_back(std::move(text));
  };
  for (const Factor &factor : sum.factors) {
    if (factor.kind == Factor::Kind::Stretch) require(element_of(factor).array, element_of(factor).slot);
    if (factor.kind == Factor::Kind::Gathered)
      require(factor.keys.as<term::Apply>()->function, factor.keys.as<term::Apply>()->arguments[0]);
  }
  StepsText text;
  text.begin = fmt::format("{} {} = {{0}}, {} = {{0}};", type, sums[0], sums[1]);
  text.over_steps = fmt::format("for (; {0} + {2} < {1}; {0} += {2})", variable, end, step);
  for (int k : {0, 1})
    text.inside.push_back(fmt::format("{} += {};", sums[k], product(half * k)));
  text.finish.push_back(fmt::format("if ({}) {{", fmt::join(exist, " && ")));
  const char *first = in_pairs
                          ? "  const {0} *{1} = unravel_first{2} + (4 - ({3} - {4}));"
                          : "  const {0} *{1} = (const {0} *)(unravel_first_of_8{2} + (8 - ({3} - {4})));";
  const bool is_integer = value::is_integer(sum.element);
  const std::string integer = is_integer                       ? c_type(sum.element)
                              : expressions.single_precision() ? "int32_t"
                                                               : "int64_t";
  text.finish.push_back(
      fmt::format(fmt::runtime(first), in_pairs ? integer : bits, mask, suffix, end, variable));
  for (int k : {0, 1})
    text.finish.push_back(fmt::format("  {} += {};", sums[k], kept(k)));
  text.finish.push_back(fmt::format("  {} = {};", variable, end));
  text.finish.push_back("}");
  text.finish.push_back(fmt::format("{0} += {1};", sums[0], sums[1]));
  const char *all = in_pairs ? "{0}[0] + {0}[1]" : "({0}[0] + {0}[2]) + ({0}[1] + {0}[3])";
  const char sign = sum.subtracts ? '-' : '+';
  const std::string total = fmt::format(fmt::runtime(all), sums[0]);
  text.finish.push_back(
      is_integer ? fmt::format("{0} = ({1})((uint32_t){0} {2} ({3}));", target, integer, sign, total)
                 : fmt::format("{} {}= {};", target, sign, total));
  return text;
}

LanesAtOnce lanes_at_once(const loop::For &loop, const loop::GatheredLanes &lanes, const Term &first,
                          const std::vector<std::string> &sums, const Names &names,
                          Expressions &expressions) {
  auto at = [&](const Term &term, std::size_t lane) {
    return with(term, loop.variable, first + static_cast<std::int64_t>(lane));
  };
  const Term &keys = std::find_if(lanes.factors.begin(), lanes.factors.end(), [](const Factor &factor) {
                       return factor.kind == Factor::Kind::Gathered;
                     })->keys;
  const bool is_long = expressions.type_of(keys.as<term::Apply>()->function) == loop::ElementType::Int64;
  auto pair = [&](std::size_t lane, const std::string &form) {
    return product_of(lanes.factors, expressions, [&](const Factor &factor) {
      if (factor.kind == Factor::Kind::Gathered)
        return picked(form, factor, at(factor.keys, lane), names, expressions);
      return expressions.pair_at({element_of(factor).array, at(element_of(factor).slot, lane)});
    });
  };
  const char *sign = lanes.subtracts ? "-" : "+";
  LanesAtOnce text;
  std::vector<std::string> all_keys;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const std::size_t lane = 2 * k;
    text.full.push_back(fmt::format("{} {}= {};", sums[k], sign, pair(lane, "pick")));
    if (!lanes.guarded) continue;
    text.blended.push_back(fmt::format("{} {}= {}({}, &{});", sums[k], sign,
                                       expressions.pick("used", is_long, lanes.element),
                                       pair(lane, "pick_used"), expressions.term(at(keys, lane))));
    for (std::size_t each : {lane, lane + 1})
      all_keys.push_back(expressions.term(at(keys, each)));
  }
  if (lanes.guarded) {
    text.all_used = fmt::format("({}) >= 0", fmt::join(all_keys, " | "));
    text.any_used = fmt::format("({}) >= 0", fmt::join(all_keys, " & "));
  }
  return text;
}

} // namespace unravel::emit
