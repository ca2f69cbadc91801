#include "value/own.h"

#include "value/complex.h"
#include "value/exact.h"
#include "value/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <random>

namespace unravel::value {

namespace {

template <class Number> Number of_definition(const Definition &tree, const std::vector<Number> &arguments) {
  if (const double *number = number_of(tree)) return Number(*number);
  if (const auto *argument = std::get_if<Argument>(&tree.kind)) return arguments[argument->number];
  const auto &made = std::get<Definition::Apply>(tree.kind);
  std::vector<Number> parts;
  for (const Definition &part : made.arguments)
    parts.push_back(of_definition(part, arguments));
  if constexpr (std::is_floating_point_v<Number>)
    return evaluate<Number>(made.op, parts);
  else
    return evaluate_complex<typename Number::value_type>(made.op, parts);
}

Scalar of_definition(const Definition &tree, Type type, const std::vector<Scalar> &arguments) {
  if (const double *number = number_of(tree)) return Scalar::written(*number, type);
  if (const auto *argument = std::get_if<Argument>(&tree.kind)) return arguments[argument->number];
  const auto &made = std::get<Definition::Apply>(tree.kind);
  std::vector<Scalar> parts;
  for (const Definition &part : made.arguments)
    parts.push_back(of_definition(part, type, arguments));
  return evaluate_exactly(made.op, type, std::move(parts));
}

/// Two at a time, where there are more than the definition has.
template <class Number, class Of>
Number folded(const OwnOperator &own, const std::vector<Number> &arguments, const Of &of) {
  if (arguments.size() == own.arguments.size()) return of(arguments);
  Number result = arguments.front();
  for (std::size_t k = 1; k < arguments.size(); ++k)
    result = of(std::vector<Number>{result, arguments[k]});
  return result;
}

bool is_fraction(const Definition &tree) {
  if (const double *number = number_of(tree)) return !holds(Type::Int64, *number);
  const auto *made = std::get_if<Definition::Apply>(&tree.kind);
  return made && (is_real(made->op) || std::ranges::any_of(made->arguments, is_fraction));
}

/// Looks for a sample that breaks a law.
class Tester {
public:
  Tester(const Operator &op, Type type) : op_(op), own_(*op.own()), type_(type) { find_samples(); }

  std::optional<BrokenLaw> test() {
    if (is_bounded()) test_range();
    if (own_.laws.is_commutative) test_commutative();
    if (own_.laws.is_idempotent)
      each_sample(
          [&](const Scalar &a) { differs("idempotent", call(number(a), number(a)), of(a, a), "", a, true); });
    if (own_.laws.identity)
      test_with(fmt::format("identity {}", *own_.laws.identity), *own_.laws.identity, false);
    if (own_.absorbing) test_with(fmt::format("absorbs {}", *own_.absorbing), *own_.absorbing, true);
    if (own_.laws.is_associative) test_associative();
    for (const Operator &over : own_.distributes_over)
      test_distributive(over);
    return std::move(broken_);
  }

private:
  bool is_bounded() const { return std::isfinite(own_.least) || std::isfinite(own_.greatest); }

  bool is_in_range(double number) const { return own_.least <= number && number <= own_.greatest; }

  void add(double number) {
    if (!is_in_range(number)) return;
    if (!is_integer(type_) || holds(type_, number)) samples_.push_back(Scalar::of(number, type_));
  }

  void find_samples() {
    for (double number : {0.0, 1.0, -1.0, 2.0, 0.5, -0.25, 3.0, -7.0})
      add(number);
    for (double number :
         {own_.least, own_.greatest, own_.laws.identity.value_or(0), own_.absorbing.value_or(1)})
      add(number);
    specials_ = samples_.size();
    for (double number : {1.5, -2.0, 10.0, 100.0, -100.0})
      add(number);
    std::mt19937_64 random(20);
    const double low = std::max(own_.least, -16.0), high = std::min(own_.greatest, 16.0);
    if (!(low <= high)) return;
    for (int k = 0; k < 12; ++k) { // exact in binary
      const double step = std::ldexp(static_cast<double>(random() % 1025), -10);
      add(is_integer(type_) ? std::trunc(low + (high - low) * step) : low + (high - low) * step);
    }
  }

  Scalar of(const Scalar &a, const Scalar &b) const { return by(op_, a, b); }
  Scalar by(const Operator &op, const Scalar &a, const Scalar &b) const {
    return evaluate_exactly(op, type_, {a, b});
  }

  static bool is_nan(const Scalar &number) { return !is_integer(number.type) && std::isnan(number.real); }

  static bool is_same(const Scalar &a, const Scalar &b) {
    if (is_integer(a.type)) return a.integer == b.integer;
    if (a.real == b.real) return true;
    constexpr double rounding = 1e-6;
    return std::fabs(a.real - b.real) <= rounding * std::max(std::fabs(a.real), std::fabs(b.real)) &&
           std::isfinite(a.real) && std::isfinite(b.real);
  }

  static std::string number(const Scalar &of) { return fmt::format("{}", of.number()); }
  std::string call(const std::string &a, const std::string &b) const { return call(op_, a, b); }
  static std::string call(const Operator &op, const std::string &a, const std::string &b) {
    const Laws &laws = laws_of(op);
    return laws.symbol.empty() ? fmt::format("{}({}, {})", laws.name, a, b)
                               : fmt::format("({} {} {})", a, laws.symbol, b);
  }

  template <class Visit> void each_sample(const Visit &visit) {
    for (const Scalar &a : samples_)
      if (!broken_) visit(a);
  }
  template <class Visit> void each_pair(const Visit &visit) {
    for (const Scalar &a : samples_)
      for (const Scalar &b : samples_)
        if (!broken_) visit(a, b);
  }
  /// All of the special ones, some of the others.
  template <class Visit> void each_triple(const Visit &visit) {
    for (std::size_t a = 0; a < specials_; ++a)
      for (std::size_t b = 0; b < specials_; ++b)
        for (std::size_t c = 0; c < specials_; ++c)
          if (!broken_) visit(samples_[a], samples_[b], samples_[c]);
    std::mt19937_64 random(7);
    const auto any = [&]() -> const Scalar & { return samples_[random() % samples_.size()]; };
    for (int k = 0; k < 500 && !broken_ && !samples_.empty(); ++k) {
      const Scalar &a = any(), &b = any();
      visit(a, b, any());
    }
  }

  /// `nan_counts`: a value that is no number differs from one that is; else nothing is said of it.
  void differs(const std::string &law, const std::string &one, const Scalar &is, const std::string &other,
               const Scalar &wanted, bool nan_counts) {
    if (is_nan(is) && is_nan(wanted)) return;
    if (is_nan(is) || is_nan(wanted) ? !nan_counts : is_same(is, wanted)) return;
    broken_ = {law, other.empty()
                        ? fmt::format("{} is {}, not {}", one, number(is), number(wanted))
                        : fmt::format("{} is {}, but {} is {}", one, number(is), other, number(wanted))};
  }

  void test_range() {
    const std::string law = fmt::format("on [{}, {}]", own_.least, own_.greatest);
    const auto check = [&](const std::string &what, const Scalar &is) {
      if (!is_nan(is) && !is_in_range(is.number()))
        broken_ = {law, fmt::format("{} is {}", what, number(is))};
    };
    if (own_.arguments.size() == 1)
      each_sample([&](const Scalar &a) {
        check(fmt::format("{}({})", own_.name, number(a)), evaluate_exactly(op_, type_, {a}));
      });
    if (own_.arguments.size() == 2)
      each_pair([&](const Scalar &a, const Scalar &b) { check(call(number(a), number(b)), of(a, b)); });
  }

  void test_commutative() {
    each_pair([&](const Scalar &a, const Scalar &b) {
      differs("commutative", call(number(a), number(b)), of(a, b), call(number(b), number(a)), of(b, a),
              false);
    });
  }

  /// An identity, or one that absorbs.
  void test_with(const std::string &law, double given, bool absorbs) {
    if (!is_in_range(given) || (is_integer(type_) && !holds(type_, given))) {
      broken_ = {law, fmt::format("{} is no number that it is for", given)};
      return;
    }
    const Scalar e = Scalar::of(given, type_);
    each_sample([&](const Scalar &a) {
      const Scalar &wanted = absorbs ? e : a;
      differs(law, call(number(e), number(a)), of(e, a), "", wanted, true);
      if (!broken_) differs(law, call(number(a), number(e)), of(a, e), "", wanted, true);
    });
  }

  void test_associative() {
    each_triple([&](const Scalar &a, const Scalar &b, const Scalar &c) {
      differs("associative", call(call(number(a), number(b)), number(c)), of(of(a, b), c),
              call(number(a), call(number(b), number(c))), of(a, of(b, c)), false);
    });
  }

  void test_distributive(const Operator &over) {
    const std::string law = "distributes over " + name_in_semiring(over);
    each_triple([&](const Scalar &a, const Scalar &b, const Scalar &c) {
      differs(law, call(call(over, number(a), number(b)), number(c)), of(by(over, a, b), c),
              call(over, call(number(a), number(c)), call(number(b), number(c))),
              by(over, of(a, c), of(b, c)), false);
      if (broken_) return;
      differs(law, call(number(c), call(over, number(a), number(b))), of(c, by(over, a, b)),
              call(over, call(number(c), number(a)), call(number(c), number(b))),
              by(over, of(c, a), of(c, b)), false);
    });
  }

  const Operator &op_;
  const OwnOperator &own_;
  const Type type_;
  std::vector<Scalar> samples_;
  std::size_t specials_ = 0; // so many come first
  std::optional<BrokenLaw> broken_;
};

} // namespace

Operator own_operator(OwnOperator made) {
  made.is_real = is_fraction(made.definition);
  auto own = std::make_shared<OwnOperator>(std::move(made));
  own->laws.name = own->name;
  own->laws.least = own->arguments.size();
  return Operator(std::shared_ptr<const OwnOperator>(std::move(own)));
}

double evaluate_own(const OwnOperator &own, const std::vector<double> &arguments) {
  return folded(own, arguments, [&](const auto &some) { return of_definition(own.definition, some); });
}

long double evaluate_own(const OwnOperator &own, const std::vector<long double> &arguments) {
  return folded(own, arguments, [&](const auto &some) { return of_definition(own.definition, some); });
}

std::complex<double> evaluate_own(const OwnOperator &own,
                                  const std::vector<std::complex<double>> &arguments) {
  return folded(own, arguments, [&](const auto &some) { return of_definition(own.definition, some); });
}

std::complex<long double> evaluate_own(const OwnOperator &own,
                                       const std::vector<std::complex<long double>> &arguments) {
  return folded(own, arguments, [&](const auto &some) { return of_definition(own.definition, some); });
}

/// Step by step. As C computes with integers of fewer than 32 bits; what has roots and the like, in double.
Scalar evaluate_own(const OwnOperator &own, Type type, const std::vector<Scalar> &arguments) {
  return folded(own, arguments, [&](std::vector<Scalar> some) {
    if (own.is_real && is_integer(type)) {
      std::vector<double> numbers;
      for (const Scalar &argument : some)
        numbers.push_back(argument.number());
      return converted(Scalar{Type::Float64, of_definition(own.definition, numbers)}, type);
    }
    for (Scalar &argument : some)
      argument = converted(argument, promoted(type));
    return converted(of_definition(own.definition, promoted(type), some), type);
  });
}

/// What is read from one text twice is one operator.
bool Operator::is_same_own(const Operator &one, const Operator &other) {
  return to_text(*one.own_) == to_text(*other.own_);
}

/// In double precision: single precision rounds more than `is_same` allows.
std::optional<BrokenLaw> broken_law(const Operator &own, Type type) {
  return Tester(own, is_integer(type) ? type : widest(type)).test();
}

void collect_own(const Operator &op, std::vector<Operator> &own) {
  if (!op.own() || std::ranges::find(own, op) != own.end()) return;
  collect_own_in(op.own()->definition, own);
  for (const Operator &over : op.own()->distributes_over)
    collect_own(over, own);
  own.push_back(op);
}

std::string head_text(const OwnOperator &own) {
  std::string arguments;
  for (const std::string &name : own.arguments)
    arguments += (arguments.empty() ? "" : ", ") + name;
  return fmt::format("operator {}({})", own.name, arguments);
}

std::string laws_text(const OwnOperator &own) {
  std::string laws;
  const auto add = [&](bool holds, const std::string &law) {
    if (holds) laws += (laws.empty() ? " : " : ", ") + law;
  };
  add(std::isfinite(own.least) || std::isfinite(own.greatest),
      fmt::format("on [{}, {}]", own.least, own.greatest));
  add(own.laws.is_associative, "associative");
  add(own.laws.is_commutative, "commutative");
  add(own.laws.is_idempotent, "idempotent");
  if (own.laws.identity) add(true, fmt::format("identity {}", *own.laws.identity));
  if (own.absorbing) add(true, fmt::format("absorbs {}", *own.absorbing));
  for (const Operator &over : own.distributes_over)
    add(true, "distributes over " + name_in_semiring(over));
  return laws;
}

std::string to_text(const OwnOperator &own) {
  const std::string definition = to_text(own.definition, [&](const Definition &leaf) {
    return own.arguments[std::get<Argument>(leaf.kind).number];
  });
  return head_text(own) + " = " + definition + laws_text(own);
}

} // namespace unravel::value
