// Sums of products with gathered elements in steps of many positions at once, and lanes that add such
// products in pairs.
#include "emit/statement_writer.h"
#include "loop/arrays.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::emit {

using namespace loop;
using term::Term;

namespace {

using Factor = GatheredSum::Factor;

/// The steps of many positions at once, behind the declarations of the loop's variable and of its end:
///
///     begin  over_steps { inside }  finish
struct StepsText {
  std::string begin, over_steps;
  std::vector<std::string> inside, finish;
};

std::string gathered(const Factor &factor, const std::string &rest, const Names &names,
                     Expressions &expressions) {
  const std::string &array = std::get<Element>(factor.value.kind).array;
  bool is_long = expressions.type_of(factor.keys.as<term::Apply>()->function) == ElementType::Int64;
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
  const bool is_long = expressions.type_of(keys.as<term::Apply>()->function) == ElementType::Int64;
  const std::string &array = element_of(factor).array;
  return fmt::format("{}({}, &{})", expressions.pick(form, is_long, expressions.type_of(array)),
                     names.array(array), expressions.term(keys));
}

/// By the processor's own instructions: of floating point alone.
bool has_gathers(const GatheredSum &sum) {
  return sum.gathers() && !value::is_integer(sum.element);
}

/// 8 elements at a time, with gathers and masks of the processor.
StepsText gathered_text(const For &loop, const GatheredSum &sum, const std::string &end, Names &names,
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

/// With plain loads: 4 elements at a time, as two pairs, or 8 as two fours where none is gathered. In the
/// last step elements behind the segment are read too. Where their arrays have no more, the variable stays at
/// what is left.
StepsText plain_text(const For &loop, const GatheredSum &sum, const std::string &end, const Program &program,
                     Names &names, Expressions &expressions) {
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
                                   expressions.term_of_members(*slots_of(array, program)));
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
  const char *integer = value::facts_of(sum.element).bytes == 4 ? "int32_t" : "int64_t";
  text.finish.push_back(
      fmt::format(fmt::runtime(first), in_pairs ? std::string(integer) : bits, mask, suffix, end, variable));
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

/// Bytes that are counted, 4 at a time. In the last step those behind the segment are read too, if there are.
StepsText counted_text(const For &loop, const GatheredSum &sum, const std::string &end,
                       const Program &program, Names &names, Expressions &expressions) {
  const std::string &variable = names.variable(loop.variable);
  const Factor &factor = sum.factors.front();
  const auto *keys = factor.keys.as<term::Apply>();
  auto ahead = [&](const Term &term, int by) {
    return with(term, loop.variable, term::variable(loop.variable) + by);
  };
  StepsText text;
  text.over_steps = fmt::format("for (; {0} + 4 < {1}; {0} += 4)", variable, end);
  text.finish.push_back(fmt::format("if ({} < {} && {} < {}) {{", variable, end,
                                    expressions.term(ahead(keys->arguments[0], 3)),
                                    expressions.term_of_members(*slots_of(keys->function, program))));
  for (int k = 0; k < 4; ++k) {
    const std::string one =
        fmt::format("{} {}= {}", names.variable(sum.sum.name), sum.subtracts ? "-" : "+",
                    expressions.element({element_of(factor).array, ahead(factor.keys, k)}));
    text.inside.push_back(one + ";");
    text.finish.push_back("  " + one + (k > 0 ? fmt::format(" & ({} + {} < {});", variable, k, end) : ";"));
  }
  text.finish.insert(text.finish.end(), {fmt::format("  {} = {};", variable, end), "}"});
  return text;
}

} // namespace

void StatementWriter::masks() {
  bool sums = false, lanes = false;
  std::map<std::string, bool> paired; // by the condition: whether a loop takes steps of pairs by it
  each_statement(program_.body, [&](const Statement &statement) {
    const auto *loop = statement.as<For>();
    if (!loop) return;
    lanes = lanes || loop->sums == VectorSum::Gathered;
    const std::optional<GatheredSum> sum = masked_sum(*loop);
    if (!sum) return;
    sums = sums || has_gathers(*sum);
    const std::string when = masked_condition(*loop->masked);
    if (when.empty()) return;
    paired[when] = paired[when] || loop->masked->reads_on;
    if (loop->masked->reads_on && !loop->masked->pointers.empty()) expressions_.need("uneven_in_pairs");
    std::string &name = masked_[when];
    if (name.empty()) name = names_.fresh(names_.variable(loop->variable) + "_masked");
  });
  auto macro = [](bool in_pairs) { return in_pairs ? "__GNUC__" : "UNRAVEL_MASKS"; };
  for (const auto &[when, in_pairs] : paired)
    guarded_line(macro(in_pairs), fmt::format("const int {} = {};", masked_.at(when), when));
  if (!(sums || lanes) || gathers_form() == EmitOptions::Gathers::Never) return;
  expressions_.need("gathers");
  gathers_ = names_.fresh("gathers");
  guarded_line(macro(lanes), fmt::format("const int {} = UNRAVEL_GATHERS;", gathers_));
}

EmitOptions::Gathers StatementWriter::gathers_form() const {
  using Gathers = EmitOptions::Gathers;
  return options_.in_process && options_.gathers == Gathers::Tested ? Gathers::Never : options_.gathers;
}

std::string StatementWriter::masked_condition(const Masked &masked) {
  if (is_true(masked.when)) return "";
  std::string text = is_false(masked.when) ? "" : expressions_.term_of_members(masked.when);
  if (masked.pointers.empty()) return text;
  const Term segments = *slots_of(masked.pointers, program_) - Term(1);
  return text + fmt::format("{}{}({}, {})", text.empty() ? "" : " || ",
                            expressions_.uneven(expressions_.type_of(masked.pointers)),
                            names_.array(masked.pointers), expressions_.term_of_members(segments));
}

ElementType StatementWriter::value_type() const {
  return expressions_.plain_type();
}

bool StatementWriter::is_in_plain_steps(const For &x, const GatheredSum &sum) const {
  if (sum.counts) return x.masked->reads_on;
  const ElementType type = sum.element;
  return x.masked->reads_on && sum.gathers() && value::is_integer(type) && value::facts_of(type).bytes == 4 &&
         expressions_.types().of_local(sum.sum.name) == type &&
         std::ranges::none_of(sum.factors,
                              [](const Factor &factor) { return factor.kind == Factor::Kind::Fixed; });
}

std::optional<GatheredSum> StatementWriter::masked_sum(const For &x) const {
  if (!x.masked || (!x.masked->reads_on && gathers_form() == EmitOptions::Gathers::Never)) return {};
  std::optional<GatheredSum> sum = gathered_sum(x, program_);
  return sum && (sum->element == value_type() || is_in_plain_steps(x, *sum)) ? sum : std::nullopt;
}

std::string StatementWriter::write_masked(const For &x) {
  std::optional<GatheredSum> sum = masked_sum(x);
  if (!sum) return "";
  const std::string &variable = names_.variable(x.variable);
  const std::string end = names_.fresh(variable + "_end");
  open("", {fmt::format("int64_t {} = {};", variable, expressions_.term(x.lower)),
            fmt::format("const int64_t {} = {};", end, expressions_.term(x.upper))});
  const std::string when = masked_condition(*x.masked);
  const std::string masked = when.empty() ? "" : masked_.at(when);
  auto write_steps = [&](const std::string &condition, const StepsText &text) {
    open(condition.empty() ? "" : fmt::format("if ({})", condition), {});
    if (!text.begin.empty()) line("{}", text.begin);
    open(text.over_steps, text.inside);
    close({});
    lines(text.finish);
    --indent_;
  };
  if (!gathers_.empty() && has_gathers(*sum)) {
    text_ += "#ifdef UNRAVEL_MASKS\n";
    write_steps(masked.empty() ? gathers_ : fmt::format("{} && {}", masked, gathers_),
                gathered_text(x, *sum, end, names_, expressions_));
    line(x.masked->reads_on ? "} else" : "}");
    text_ += "#endif\n";
  }
  if (x.masked->reads_on) {
    text_ += "#ifdef __GNUC__\n";
    const auto steps = sum->counts ? counted_text : plain_text;
    write_steps(masked, steps(x, *sum, end, program_, names_, expressions_));
    line("}");
    text_ += "#endif\n";
  }
  return end;
}

std::optional<GatheredLanes> StatementWriter::paired_lanes(const For &x) const {
  if (x.sums != VectorSum::Gathered) return {};
  return gathered_lanes(x, program_);
}

void StatementWriter::write_additions(const For &x, const GatheredLanes &lanes, const Term &first,
                                      const std::vector<std::string> &sums) {
  auto at = [&](const Term &term, std::size_t lane) {
    return with(term, x.variable, first + static_cast<std::int64_t>(lane));
  };
  const Term &keys = std::ranges::find(lanes.factors, Factor::Kind::Gathered, &Factor::kind)->keys;
  const bool is_long = expressions_.type_of(keys.as<term::Apply>()->function) == ElementType::Int64;
  auto pair = [&](std::size_t lane, const std::string &form) {
    return product_of(lanes.factors, expressions_, [&](const Factor &factor) {
      if (factor.kind == Factor::Kind::Gathered)
        return picked(form, factor, at(factor.keys, lane), names_, expressions_);
      return expressions_.pair_at({element_of(factor).array, at(element_of(factor).slot, lane)});
    });
  };
  const char *sign = lanes.subtracts ? "-" : "+";
  std::vector<std::string> full, blended, all_keys; // where all lanes are used, and where some are
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const std::size_t lane = 2 * k;
    full.push_back(fmt::format("{} {}= {};", sums[k], sign, pair(lane, "pick")));
    if (!lanes.guarded) continue;
    blended.push_back(fmt::format("{} {}= {}({}, &{});", sums[k], sign,
                                  expressions_.pick("used", is_long, lanes.element), pair(lane, "pick_used"),
                                  expressions_.term(at(keys, lane))));
    for (std::size_t each : {lane, lane + 1})
      all_keys.push_back(expressions_.term(at(keys, each)));
  }
  if (!lanes.guarded) return lines(full);
  open(fmt::format("if (({}) >= 0)", fmt::join(all_keys, " | ")), full);
  --indent_;
  open(fmt::format("}} else if (({}) >= 0)", fmt::join(all_keys, " & ")), blended);
  close({});
}

std::string StatementWriter::write_paired_lanes(const For &x) {
  const std::optional<GatheredLanes> lanes = x.simd && !lanes_ ? paired_lanes(x) : std::nullopt;
  if (!lanes) return "";
  const auto &target = std::get<Element>(lanes->sum->target);
  const Term variable = term::variable(x.variable);
  const char *pair = expressions_.pair_type();
  std::vector<std::string> sums;
  for (std::int64_t k : {0, 2})
    sums.push_back(fmt::format(
        "*({} *)&{}", pair,
        expressions_.element({target.array, substitute(target.slot, {{x.variable, variable + Term(k)}})})));
  const std::string &name = names_.variable(x.variable), left = names_.fresh(name + "_left");
  line("int64_t {} = {};", left, expressions_.term(x.lower));
  text_ += "#ifdef __GNUC__\n";
  open(gathers_.empty() ? "" : fmt::format("if (!{})", gathers_), {});
  open(fmt::format("for (; {0} + 4 <= {1}; {0} += 4)", left, expressions_.term(x.upper)),
       {fmt::format("const int64_t {} = {};", name, left)});
  write_additions(x, *lanes, variable, sums);
  close({});
  close({});
  text_ += "#endif\n";
  return left;
}

bool StatementWriter::write_lanes_in_pairs(const For &x, const std::string &array) {
  if (!paired_lanes(*lanes_->lanes)) return false;
  const char *pair = expressions_.pair_type();
  std::vector<std::string> stores;
  text_ += "#ifdef __GNUC__\n";
  open(gathers_.empty() ? "" : fmt::format("if (!{})", gathers_), {});
  for (std::int64_t k = 0; k < lanes_->length; k += 2) {
    lane_pairs_.push_back(names_.fresh(fmt::format("{}_{}", array, k)));
    line("{} {} = {{0}};", pair, lane_pairs_.back());
    stores.push_back(fmt::format("*({} *)&{}[{}] = {};", pair, array, k, lane_pairs_.back()));
  }
  write(x);
  lane_pairs_.clear();
  lines(stores);
  --indent_;
  line(gathers_.empty() ? "}" : "} else");
  text_ += gathers_.empty() ? "#else\n" : "#endif\n";
  open("", {});
  expressions_.set_facts(facts_);
  write(x);
  close({});
  if (gathers_.empty()) text_ += "#endif\n";
  return true;
}

bool StatementWriter::write_in_lanes(const For &x) {
  if (x.sums != VectorSum::Lanes || lanes_) return false;
  std::optional<LaneSums> sums = lane_sums(x);
  const Element element{std::get<Element>(sums->sum->target).array, sums->slot};
  const For &lanes = *sums->lanes;
  const std::string &variable = names_.variable(lanes.variable);
  const char *type = expressions_.single_precision() ? "float" : "double";
  std::string array = names_.fresh(names_.array(element.array) + "_sums");
  lane_ = fmt::format("{}[{}]", array, expressions_.term(term::variable(lanes.variable) - lanes.lower));
  lanes_ = sums;
  line("{} {}[{}] = {{0}};", type, array, sums->length);
  if (!write_lanes_in_pairs(x, array)) write(x);
  lanes_.reset();
  expressions_.set_facts(facts_);
  line("for (int64_t {0} = {1}; {0} < {2}; {0}++) {{", variable, expressions_.term(lanes.lower),
       expressions_.term(lanes.upper));
  ++indent_;
  line("{} += {};", expressions_.element(element), lane_);
  --indent_;
  line("}");
  return true;
}

bool StatementWriter::is_slot_alone(const Let &let) const {
  const Term variable = term::variable(let.variable);
  int all = 0;
  for (const Statement &statement : lanes_->lanes->body)
    all += occurrences(statement, variable);
  return all == occurrences(std::get<Element>(lanes_->sum->target).slot, variable);
}

} // namespace unravel::emit
