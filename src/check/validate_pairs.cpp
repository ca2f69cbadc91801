
#include "check/neighbours.h"
#include "tensor/enumeration.h"
#include "term/solve.h"

#include <algorithm>
#include <bit>

namespace unravel::check {

using tensor::Enumeration;
using tensor::Evaluator;
using tensor::Tensor;
using term::Term;

namespace {

/// p < q of which a formula says that some of `terms`, over p, differ from what they are at q.
struct Differing {
  std::string p, q;
  std::vector<Term> terms;
  std::vector<Term> first, second; // the guard of p; that of q, said of p
};

/// The part of `left` over p, if the rest of it is the same over q, subtracted.
std::optional<Term> differing_term(const Term &left, const std::string &p, const std::string &q) {
  term::Linear form = term::linear_form(left);
  Term over_p, over_q;
  for (const auto &[atom, coefficient] : form.parts) {
    bool with_p = term::mentions(atom, p), with_q = term::mentions(atom, q);
    if (with_p == with_q) return std::nullopt;
    Term &side = with_p ? over_p : over_q;
    side = side + term::scale(coefficient, atom);
  }
  if (form.constant != 0 || term::substitute(over_p, {{p, term::variable(q)}}) != -over_q)
    return std::nullopt;
  return over_p;
}

std::optional<Differing> differing(const prove::Axiom &axiom, const std::string &p, const std::string &q) {
  Differing result{p, q, {}, {}, {}};
  const Term ordered = term::less(term::variable(p), term::variable(q));
  const term::Substitution to_p{{q, term::variable(p)}};
  bool is_ordered = false;
  for (const Term &part : term::conjuncts(axiom.guard)) {
    bool with_p = term::mentions(part, p), with_q = term::mentions(part, q);
    is_ordered = is_ordered || part == ordered;
    if (part == ordered) continue;
    if (with_p && with_q) return std::nullopt;
    // What bounds q from above bounds p, and what bounds p from below q.
    if (!with_q || bounding(part, q) < 0) result.first.push_back(term::substitute(part, to_p));
    if (!with_p || bounding(part, p) > 0) result.second.push_back(term::substitute(part, to_p));
  }
  if (!is_ordered) return std::nullopt;
  std::vector<Term> parts{axiom.conclusion};
  if (const auto *any = axiom.conclusion.as<term::Or>()) parts = any->parts;
  for (const Term &part : parts) {
    const auto *denied = part.as<term::Not>();
    const Term *left = denied ? term::equation(denied->of) : nullptr;
    if (!left) return std::nullopt;
    std::optional<Term> over_p = differing_term(*left, p, q);
    if (!over_p) return std::nullopt;
    result.terms.push_back(*over_p);
  }
  return result;
}

/// The least position for each number.
class Positions {
public:
  explicit Positions(const std::vector<std::pair<std::uint64_t, std::int64_t>> &found)
      : slots_(std::bit_ceil(2 * found.size() + 1), {0, none}) {
    for (const auto &[number, position] : found) {
      Slot &slot = slots_[place(number)];
      slot = {number, std::min(slot.position, position)};
    }
  }

  /// `none` where there isn't one.
  std::int64_t at(std::uint64_t number) const { return slots_[place(number)].position; }
  static constexpr std::int64_t none = INT64_MAX;

private:
  struct Slot {
    std::uint64_t number;
    std::int64_t position;
  };
  std::size_t place(std::uint64_t number) const {
    std::size_t at = number & (slots_.size() - 1);
    while (slots_[at].position != none && slots_[at].number != number)
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<Slot> slots_;
};

std::uint64_t mixed(std::uint64_t number, std::int64_t value) {
  number = (number ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15;
  return number ^ number >> 32;
}

class EqualPairs {
public:
  EqualPairs(const Tensor &tensor, const prove::Axiom &axiom, const Differing &form)
      : tensor_(tensor), axiom_(axiom), form_(form) {
    for (const std::string &variable : axiom.variables)
      if (variable != form.q) variables_.push_back(variable);
    for (const Term &term : form.terms)
      terms_.emplace_back(term, tensor, variables_);
  }

  std::optional<EqualPair> find(std::int64_t budget) const {
    std::vector<std::pair<std::uint64_t, std::int64_t>> firsts;
    bool known = each(form_.first, budget, [&](std::uint64_t number, const std::int64_t *values) {
      firsts.emplace_back(number, values[number_of(form_.p)]);
      return true;
    });
    if (!known) return std::nullopt;
    Positions positions(firsts);
    EqualPair pair;
    known = each(form_.second, budget, [&](std::uint64_t number, const std::int64_t *values) {
      std::int64_t second = values[number_of(form_.p)], first = positions.at(number);
      if (first >= second) return true;
      for (const std::string &variable : axiom_.variables)
        pair.push_back(variable == form_.p   ? first
                       : variable == form_.q ? second
                                             : values[number_of(variable)]);
      return false;
    });
    if (pair.empty()) return known ? std::optional(pair) : std::nullopt;
    if (!violates(pair)) return std::nullopt; // two tuples have one number
    return pair;
  }

private:
  std::size_t number_of(const std::string &variable) const {
    return static_cast<std::size_t>(std::ranges::find(variables_, variable) - variables_.begin());
  }

  /// Calls use(number of the terms and of the variables but p, values) until it gives false. False: not all
  /// were visited.
  template <class Use> bool each(const std::vector<Term> &guard, std::int64_t budget, Use use) const {
    Enumeration cases(tensor_, variables_, term::conjunction(guard));
    if (cases.unbounded()) return false;
    bool defined = true;
    std::size_t p = number_of(form_.p);
    auto visit = [&](const std::int64_t *values) {
      std::uint64_t number = 0;
      for (std::size_t v = 0; v < variables_.size(); ++v)
        if (v != p) number = mixed(number, values[v]);
      for (const Evaluator &term : terms_) {
        std::optional<std::int64_t> value = term.evaluate(values);
        defined = defined && value;
        number = mixed(number, value.value_or(0));
      }
      return defined && use(number, values);
    };
    Enumeration::Trouble trouble;
    return cases.run(visit, budget, trouble) == Enumeration::End::Complete && defined;
  }

  bool violates(const EqualPair &pair) const {
    Term violation = term::conjunction({axiom_.guard, term::negation(axiom_.conclusion)});
    return Evaluator(violation, tensor_, axiom_.variables).evaluate(pair.data()).value_or(0) != 0;
  }

  const Tensor &tensor_;
  const prove::Axiom &axiom_;
  const Differing &form_;
  std::vector<std::string> variables_; // without q
  std::vector<Evaluator> terms_;
};

} // namespace

std::optional<EqualPair> find_equal_pair(const Tensor &tensor, const prove::Axiom &axiom,
                                         std::int64_t budget) {
  for (const std::string &p : axiom.variables)
    for (const std::string &q : axiom.variables) {
      std::optional<Differing> form = p == q ? std::nullopt : differing(axiom, p, q);
      if (form) return EqualPairs(tensor, axiom, *form).find(budget);
    }
  return std::nullopt;
}

std::vector<std::string> order_to_try(std::vector<std::string> variables, const Term &guard) {
  std::vector<Term> parts = term::conjuncts(guard);
  for (auto next = variables.begin(); next != variables.end(); ++next) {
    auto waits_for = [&](const std::string &variable) {
      return std::ranges::count_if(parts, [&](const Term &part) {
        return bounding(part, variable) != 0 && std::any_of(next, variables.end(), [&](const auto &other) {
                 return other != variable && term::mentions(part, other);
               });
      });
    };
    auto best = std::min_element(next, variables.end(), [&](const std::string &a, const std::string &b) {
      return waits_for(a) < waits_for(b);
    });
    std::rotate(next, best, best + 1);
  }
  return variables;
}

} // namespace unravel::check
