
#include "loop/arrays.h"
#include "loop/assembled.h"
#include "loop/passes.h"
#include "loop/segment.h"
#include "loop/types.h"
#include "loop/vector_sums.h"
#include "loop/walk.h"

#include <algorithm>
#include <map>

namespace unravel::loop {

using term::Term;

namespace {

/// From so many positions in a segment on, masked steps are faster than one position after the other, also
/// where all segments are equally long: measured with Clang 19 and gcc 12 on a Xeon (Sapphire Rapids) and on
/// an EPYC (Zen 5), y = A x in CSR. With 7 in each row they tie on one and save a sixth on the other.
constexpr std::int64_t least_mean_length = 7;
/// The same where nothing is gathered. With 5 in each row a quarter is saved (on an EPYC, Zen 5), with 3 as
/// much as is lost.
constexpr std::int64_t least_mean_stretch = 4;

/// Of integers, also where lengths vary: with 2 in each row a quarter is lost, with 3 half is saved (on an
/// EPYC).
constexpr double least_mean_of_integers = 3;

/// Of bytes that are counted, by counts alone: with 5 in each row 0.94 of the time (email-Enron), with 3 1.1
/// (memplus; triangles, on an EPYC, Zen 4).
constexpr std::int64_t least_mean_of_counts = 5;

using FactorKind = GatheredSum::Factor::Kind;

class Reader {
public:
  Reader(const For &loop, const Program &program) : loop_(loop), program_(program) {}

  std::optional<GatheredSum> read() {
    if (!is_serial(loop_) || loop_.body.empty()) return {};
    for (std::size_t k = 0; k + 1 < loop_.body.size(); ++k)
      if (!define(loop_.body[k])) return {};
    const Accumulate *add = addition_of(loop_.body.back());
    const Local *sum = add ? written_local(loop_.body.back()) : nullptr;
    if (!sum || values_.contains(sum->name)) return {};
    sum_.sum = *sum;
    factor(inlined(add->value));
    if (sum_.element == ElementType::Bool && sum_.factors.size() == 1 && sum_.gathers())
      sum_.counts = Types(program_).of_local(sum->name) == ElementType::Int64;
    const bool varies =
        std::ranges::any_of(sum_.factors, [](const auto &each) { return each.kind != FactorKind::Fixed; });
    return good_ && varies ? std::optional(sum_) : std::nullopt;
  }

  /// Lets; then the addition, maybe in an If, or behind one that gives a local its value, 0 otherwise.
  std::optional<GatheredLanes> read_lanes() {
    if (!is_serial(loop_) || loop_.body.empty()) return {};
    const If *guard = nullptr;
    const Statement *last = &loop_.body.back();
    std::size_t before = loop_.body.size() - 1;
    if (const auto *only = last->as<If>())
      guard = only;
    else if (before > 0 && (guard = loop_.body[before - 1].as<If>()))
      --before;
    for (std::size_t k = 0; k < before; ++k)
      if (!define(loop_.body[k])) return {};
    const bool stores = guard && !last->is<If>();
    if (guard) {
      if (!guard->otherwise.empty() || guard->then.empty()) return {};
      for (std::size_t k = 0; k + 1 < guard->then.size(); ++k)
        if (!define(guard->then[k])) return {};
      if (!stores) last = &guard->then.back();
    }
    GatheredLanes lanes;
    lanes.sum = addition_of(*last);
    if (!lanes.sum || lanes.sum->atomic || !std::holds_alternative<Element>(lanes.sum->target)) return {};
    Value product = lanes.sum->value;
    if (stores) {
      const auto *store = guard->then.back().as<Store>();
      const Local *local = store ? written_local(guard->then.back()) : nullptr;
      const auto *added = product.as<Local>();
      if (!local || !added || added->name != local->name || !begins_as_zero(local->name)) return {};
      product = store->value;
    }
    factor(inlined(product));
    const GatheredSum::Factor *gathered = nullptr;
    for (const GatheredSum::Factor &each : sum_.factors) {
      if (each.kind != FactorKind::Gathered) continue;
      good_ = good_ && !gathered && each.scale == Term(1) && each.base == Term(0);
      gathered = &each;
    }
    if (!good_ || !gathered) return {};
    if (guard && substitute(guard->condition, lets_) != at_most(Term(0), gathered->keys)) return {};
    lanes.factors = sum_.factors, lanes.subtracts = sum_.subtracts, lanes.element = sum_.element;
    lanes.guarded = guard != nullptr;
    return lanes;
  }

private:
  bool begins_as_zero(const std::string &local) const {
    const auto value = values_.find(local);
    return value != values_.end() && value::is_zero(value->second);
  }

  bool define(const Statement &statement) {
    if (const auto *let = statement.as<Let>()) {
      lets_[let->variable] = substitute(let->value, lets_);
      return true;
    }
    const auto *value = statement.as<DeclareValue>();
    if (!value) return false;
    values_[value->name] = inlined(value->initial);
    return true;
  }

  Value inlined(const Value &value) const {
    return map_leaves(value, [&](const Value &leaf) {
      if (const auto *element = leaf.as<Element>())
        return Value{Element{element->array, substitute(element->slot, lets_)}};
      if (const auto *term = leaf.as<Term>()) return Value{substitute(*term, lets_)};
      const auto *local = leaf.as<Local>();
      auto found = local ? values_.find(local->name) : values_.end();
      return found == values_.end() ? leaf : found->second;
    });
  }

  /// A coordinate of a loop outside, perhaps converted.
  bool is_fixed_coordinate(const Value &value) const {
    if (const auto *term = value.as<Term>()) return !mentions(*term, loop_.variable);
    const auto *made = value.as<Value::Apply>();
    return made && value::made_by_conversion(made->op) && is_fixed_coordinate(made->arguments.front());
  }

  void factor(const Value &value) {
    if (const auto *factors = arguments_of(Operator::Multiply, value)) {
      for (const Value &each : *factors)
        factor(each);
    } else if (const auto *negative = arguments_of(Operator::Negate, value)) {
      sum_.subtracts = !sum_.subtracts;
      factor(negative->front());
    } else if (const auto *element = value.as<Element>()) {
      std::optional<ElementType> type = element_type(element->array, program_);
      good_ = good_ && type && (!type_ || type_ == type) && !assembled_result(element->array, program_);
      if (type) type_ = type, sum_.element = *type;
      if (!mentions(element->slot, loop_.variable))
        sum_.factors.push_back({FactorKind::Fixed, value, {}, {}, {}});
      else if (runs_along(element->slot, loop_.variable))
        sum_.factors.push_back({FactorKind::Stretch, value, {}, {}, {}});
      else
        gathered(value, element->slot);
    } else {
      const auto *local = value.as<Local>();
      const bool is_fixed = is_fixed_coordinate(value) || (parts_of(value).empty() && !value.is<Term>());
      good_ = good_ && is_fixed && !(local && local->name == sum_.sum.name);
      sum_.factors.push_back({FactorKind::Fixed, value, {}, {}, {}});
    }
  }

  /// Keys, once, times something and plus something.
  void gathered(const Value &value, const Term &slot) {
    GatheredSum::Factor found{FactorKind::Gathered, value, {}, {}, slot};
    int places = 0;
    for (const auto &[atom, coefficient] : linear_form(slot).parts) {
      if (!mentions(atom, loop_.variable)) continue;
      ++places;
      found.base = found.base - term::scale(coefficient, atom);
      const auto *product = atom.as<term::Product>();
      bool left = product && mentions(product->left, loop_.variable);
      found.keys = product ? left ? product->left : product->right : atom;
      Term other = product ? left ? product->right : product->left : Term(1);
      good_ = good_ && !mentions(other, loop_.variable);
      found.scale = term::scale(coefficient, other);
    }
    good_ = good_ && places == 1 && are_keys(found.keys);
    sum_.factors.push_back(std::move(found));
  }

  bool are_keys(const Term &keys) const {
    const auto *read = keys.as<term::Apply>();
    const ArrayParameter *array = read ? find_array(read->function, program_) : nullptr;
    return array && !array->is_value && !assembled_result(read->function, program_) &&
           runs_along(read->arguments.back(), loop_.variable) &&
           std::none_of(read->arguments.begin(), read->arguments.end() - 1,
                        [&](const Term &argument) { return mentions(argument, loop_.variable); });
  }

  const For &loop_;
  const Program &program_;
  term::Substitution lets_;
  std::map<std::string, Value> values_;
  std::optional<ElementType> type_;
  GatheredSum sum_;
  bool good_ = true;
};

/// Marks the loops of blocks; knows the definitions around them.
class Marker {
public:
  Marker(const Program &program, const Counts &counts, const NameElements &name_elements)
      : program_(program), counts_(counts), name_elements_(name_elements) {}

  /// `written`: what the loops around the block write to.
  void block(Block &statements, term::Substitution lets, const std::set<std::string> &written,
             bool in_parallel = false) const {
    for (Statement &statement : statements) {
      if (const auto *let = statement.as<Let>()) lets[let->variable] = substitute(let->value, lets);
      if (auto *loop = statement.as<For>(); loop && !loop->simd && !loop->masked)
        if (std::optional<GatheredSum> sum = gathered_sum(*loop, program_)) {
          loop->masked = masked_steps(*loop, *sum, lets);
          if (loop->masked) loop->masked->reads_on = may_read_on(*sum, written, in_parallel);
          if (!sum->gathers() && loop->masked && !loop->masked->reads_on) loop->masked.reset();
        }
      const bool outermost = is_loop(statement) && written.empty();
      const std::set<std::string> inside = outermost ? effects_of(statement).stored : written;
      const auto *loop = statement.as<For>();
      for (Block *inner : blocks_of(statement))
        block(*inner, lets, inside, in_parallel || (loop && loop->parallel));
    }
  }

private:
  /// When the segments that the loop runs over are long on average; or where only their varying lengths are
  /// left to speak for masked steps, that.
  std::optional<Masked> masked_steps(const For &loop, const GatheredSum &sum,
                                     const term::Substitution &lets) const {
    Term lower = substitute(loop.lower, lets), upper = substitute(loop.upper, lets);
    const std::int64_t least = sum.counts      ? least_mean_of_counts
                               : sum.gathers() ? least_mean_length
                                               : least_mean_stretch;
    if (is_over_sizes(lower, program_) && is_over_sizes(upper, program_)) {
      if (loop.brief || !sum.gathers()) return {}; // C compilers know what to do
      return Masked{at_most(least_mean_length + lower, upper), {}, false};
    }
    const std::optional<Segment> segment = segment_between(lower, upper);
    if (!segment) return {};
    const ArrayParameter *pointers = find_array(segment->pointers, program_);
    const bool sampled = pointers && pointers->extents.size() == 1 &&
                         is_over_sizes(pointers->extents[0], program_) &&
                         !assembled_result(segment->pointers, program_);
    Masked masked{term::falsity(), sampled ? segment->pointers : std::string(), false};
    if (auto mean = counts_.find(segment->pointers); mean != counts_.end()) {
      if (mean->second >= static_cast<double>(least)) return Masked{term::truth(), {}, false};
      if (sum.counts || (value::is_integer(sum.element) && mean->second < least_mean_of_integers)) return {};
      return sampled ? std::optional(masked) : std::nullopt;
    }
    const std::optional<Term> positions = positions_of(sum);
    if (!sampled || !positions || !is_over_sizes(*positions, program_)) return {};
    if (sum.counts) masked.pointers.clear();
    masked.when = at_most(scale(least, pointers->extents[0] - Term(1)), *positions);
    return masked;
  }

  /// How many there are of what the loop goes through: keys, or else elements.
  std::optional<Term> positions_of(const GatheredSum &sum) const {
    const FactorKind kind = sum.gathers() ? FactorKind::Gathered : FactorKind::Stretch;
    const auto factor = std::ranges::find(sum.factors, kind, &GatheredSum::Factor::kind);
    const ArrayParameter *array =
        find_array(kind == FactorKind::Gathered ? factor->keys.as<term::Apply>()->function
                                                : std::get<Element>(factor->value.kind).array,
                   program_);
    return array && array->extents.size() == 1 ? std::optional(array->extents[0]) : std::nullopt;
  }

  /// Are elements behind a segment those of keys, which no other thread writes?
  bool may_read_on(const GatheredSum &sum, const std::set<std::string> &written, bool in_parallel) const {
    return std::all_of(sum.factors.begin(), sum.factors.end(), [&](const GatheredSum::Factor &factor) {
      if (factor.kind == FactorKind::Fixed) return true;
      const std::string &array = std::get<Element>(factor.value.kind).array;
      const WorkspaceArray *own = sum.counts ? find_workspace(array, program_) : nullptr;
      if (written.contains(array) && !(own && (own->per_thread || !in_parallel))) return false;
      if (factor.kind == FactorKind::Stretch) return true;
      const std::optional<Term> length = slots_of(array, program_);
      return name_elements_ && length && factor.scale == Term(1) && factor.base == Term(0) &&
             name_elements_(factor.keys.as<term::Apply>()->function, *length);
    });
  }

  const Program &program_;
  const Counts &counts_;
  const NameElements &name_elements_;
};

} // namespace

bool GatheredSum::gathers() const {
  return std::ranges::find(factors, FactorKind::Gathered, &Factor::kind) != factors.end();
}

std::optional<GatheredSum> gathered_sum(const For &loop, const Program &program) {
  return Reader(loop, program).read();
}

std::optional<GatheredLanes> gathered_lanes(const For &loop, const Program &program) {
  return Reader(loop, program).read_lanes();
}

Program mask_sums(Program program, const Known &known) {
  Block body = program.body; // the program tells the types of its locals
  Marker(program, known.counts, known.name_elements).block(body, {}, {});
  program.body = std::move(body);
  return program;
}

} // namespace unravel::loop
