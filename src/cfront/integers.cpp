// Integer expressions: polynomials in loop variables and sizes; conditions on them.
#include "cfront/translate.h"

#include <algorithm>

namespace unravel::cfront {

namespace {

/// Products are multiplied out: nothing that a program would mean has more terms.
constexpr std::size_t most_terms = 64;

/// Narrower integers wrap around where a loop nest's needn't.
constexpr int bits_of_int = 32;

Integer exactly(Polynomial value) {
  return {Integer::Kind::Exact, {std::move(value)}};
}

Integer::Kind opposite(Integer::Kind kind) {
  if (kind == Integer::Kind::Exact) return kind;
  return kind == Integer::Kind::Least ? Integer::Kind::Greatest : Integer::Kind::Least;
}

Integer times(const Integer &value, std::int64_t factor) {
  Integer result{factor < 0 ? opposite(value.kind) : value.kind, {}};
  for (const Polynomial &each : value.of)
    result.of.push_back(each * Polynomial(factor));
  return result;
}

/// The least of several plus the least of several others is the least of all sums; of mixed kinds nothing.
std::optional<Integer> sum(const Integer &left, const Integer &right) {
  using Kind = Integer::Kind;
  if (left.kind != right.kind && left.kind != Kind::Exact && right.kind != Kind::Exact) return std::nullopt;
  Integer result{left.kind == Kind::Exact ? right.kind : left.kind, {}};
  for (const Polynomial &one : left.of)
    for (const Polynomial &other : right.of)
      result.of.push_back(one + other);
  return result.of.size() <= most_terms ? std::optional(result) : std::nullopt;
}

[[noreturn]] void refuse_choice(const text::Span &span) {
  refuse(span, "a minimum or maximum is supported only as a loop's bound or in a comparison",
         "such as `j < (i < n ? i : n)`");
}

[[noreturn]] void refuse_data(const Node &node) {
  if (node.kind == UnravelDecimal)
    refuse(node.span, quoted(node) + " is not an integer: conditions compare integers");
  refuse(node.span, quoted(node) + " is data: conditions compare loop variables and sizes",
         "a sparse tensor needs no condition: only its stored entries are visited");
}

} // namespace

bool is_comparison(const Node &node) {
  return node.kind == UnravelBinary && (node.text == "<" || node.text == "<=" || node.text == ">" ||
                                        node.text == ">=" || node.text == "==" || node.text == "!=");
}

bool is_logical(const Node &node) {
  return (node.kind == UnravelBinary && (node.text == "&&" || node.text == "||")) ||
         (node.kind == UnravelUnary && node.text == "!");
}

Integer Translator::integer(const Node &node) {
  switch (node.kind) {
  case UnravelInteger: return exactly(Polynomial(node.integer));
  case UnravelReference: {
    if (auto found = integers_.find(node.declaration); found != integers_.end()) {
      if (found->second.value) return *found->second.value;
      refuse(node.span, "`" + node.text + "` " + found->second.why,
             "write subscripts, bounds and conditions in loop variables and sizes");
    }
    if (node.type == UnravelIntegral && node.is(UnravelIsNoParameter))
      refuse(node.span, "`" + node.text + "` is defined outside of the function", "make it a parameter");
    refuse(node.span, quoted(node) + " is not an integer known before the loops run",
           "write subscripts, bounds and conditions in loop variables and sizes");
  }
  case UnravelSubscript:
  case UnravelDereference:
    refuse(node.span, quoted(node) + " is read from memory, where loop variables and sizes are expected",
           node.type == UnravelIntegral
               ? "write a sparse tensor as a dense array: `-f A=csr` gives its layout"
               : "`if` and loop bounds can't depend on data");
  case UnravelCast: {
    const Node &operand = node.children[0];
    if (operand.type != UnravelIntegral)
      refuse(node.span,
             quoted(operand) + " is computed from data, where loop variables and sizes are expected");
    if (is_comparison(operand) || is_logical(operand)) refuse_expression(operand);
    if (node.bits < bits_of_int)
      refuse(node.span,
             quoted(operand) + " is converted to `" + node.type_name + "`, which may be too narrow",
             "use `int`, `long` or `size_t`");
    Integer value = integer(operand);
    if (operand.is_unsigned && node.bits > operand.bits) check_unsigned(operand, value);
    return value;
  }
  case UnravelUnary:
    if (node.text == "+") return integer(node.children[0]);
    if (node.text == "-") return times(integer(node.children[0]), -1);
    refuse_expression(node);
  case UnravelBinary: {
    if (node.text == "*") return product(node);
    if (node.text == "/" || node.text == "%")
      refuse_not_affine(node.span, std::string(node.text == "/" ? "the quotient " : "the remainder ") +
                                       quoted(node) + " is not affine");
    if (node.text != "+" && node.text != "-") refuse_expression(node);
    Integer left = integer(node.children[0]), right = integer(node.children[1]);
    std::optional<Integer> result = sum(left, node.text == "-" ? times(right, -1) : right);
    if (!result) refuse_choice(node.span);
    return *result;
  }
  case UnravelConditional: return choice(node);
  default: refuse_expression(node);
  }
}

Integer Translator::product(const Node &node) {
  Integer left = integer(node.children[0]), right = integer(node.children[1]);
  if (left.kind == Integer::Kind::Exact && left.of[0].is_constant()) std::swap(left, right);
  if (right.kind == Integer::Kind::Exact && right.of[0].is_constant())
    return right.of[0].constant() == 0 ? exactly(0) : times(left, right.of[0].constant());
  if (left.kind != Integer::Kind::Exact || right.kind != Integer::Kind::Exact) refuse_choice(node.span);
  if (left.of[0].terms().size() * right.of[0].terms().size() > most_terms)
    refuse_not_affine(node.span, "the product " + quoted(node) + " is not affine");
  return exactly(left.of[0] * right.of[0]);
}

/// c ? a : b as the least or greatest of a and b, where c compares just these: j < n ? j : n.
Integer Translator::choice(const Node &node) {
  const Node *test = &node.children[0];
  while (test->kind == UnravelCast)
    test = &test->children[0];
  Integer then = integer(node.children[1]), otherwise = integer(node.children[2]);
  auto refused = [&]() -> Integer {
    refuse(node.span, "this choice is neither the minimum nor the maximum of its two values",
           "write it as `a < b ? a : b` or `a > b ? a : b`");
  };
  if (!is_comparison(*test) || test->text == "==" || test->text == "!=") return refused();
  comparison(*test); // for its checks
  Integer left = integer(test->children[0]), right = integer(test->children[1]);
  bool greater = test->text[0] == '>';
  bool or_equal = test->text.size() == 2;
  using Kind = Integer::Kind;
  auto of_both = [&](Kind kind) {
    if (opposite(kind) == then.kind || opposite(kind) == otherwise.kind) refuse_choice(node.span);
    Integer result{kind, then.of};
    for (const Polynomial &each : otherwise.of)
      if (std::ranges::find(result.of, each) == result.of.end()) result.of.push_back(each);
    return result.of.size() == 1 ? exactly(result.of[0]) : result;
  };
  auto same = [](const Integer &a, const Integer &b) { return a.kind == b.kind && a.of == b.of; };
  if (same(left, then) && same(right, otherwise)) return of_both(greater ? Kind::Greatest : Kind::Least);
  if (same(left, otherwise) && same(right, then)) return of_both(greater ? Kind::Least : Kind::Greatest);
  for (const Integer *each : {&left, &right, &then, &otherwise})
    if (each->kind != Kind::Exact) return refused();
  // The first value is taken where `above` <= 0.
  Polynomial above = greater ? right.of[0] - left.of[0] : left.of[0] - right.of[0];
  if (!or_equal) above = above + 1;
  Polynomial excess = then.of[0] - otherwise.of[0];
  if (above == excess || above == excess + 1) return of_both(Kind::Least);
  if (above == Polynomial() - excess || above == Polynomial(1) - excess) return of_both(Kind::Greatest);
  return refused();
}

Polynomial Translator::exact(const Node &node, const char *role) {
  Integer value = integer(node);
  if (value.kind != Integer::Kind::Exact)
    refuse(node.span, "a minimum or maximum as a " + std::string(role) + " is not supported",
           "use it as a loop's bound or in a comparison");
  return value.of[0];
}

void Translator::require_affine(const Polynomial &polynomial, const text::Span &span,
                                const char *role) const {
  if (!polynomial.is_affine()) refuse_not_affine(span, "this " + std::string(role) + " multiplies variables");
}

Polynomial Translator::affine(const Node &node, const char *role) {
  Polynomial value = exact(node, role);
  require_affine(value, node.span, role);
  return value;
}

/// C computes modulo a power of two where we don't: no value of an unsigned type may be negative where that
/// matters.
void Translator::check_unsigned(const Node &node, const Integer &value) {
  for (const Polynomial &each : value.of) {
    // n - 1 in the head of a loop: where it wraps around, the loop runs out of every array.
    if (in_loop_head_ && !variables_.has_loop(each)) continue;
    if (each.terms().size() == 1 && each.terms().begin()->second == 1 && !each.is_constant() &&
        each.is_affine() && counted_unsigned_.count(each.terms().begin()->first[0]))
      continue;
    if (!is_natural(each, facts_, variables_))
      refuse(node.span,
             quoted(node) + " may be negative, and then wraps around: its type is `" + node.type_name + "`",
             "use signed integers, or move the subtracted term to the other side");
  }
}

Condition Translator::comparison(const Node &node) {
  for (const Node &side : node.children) {
    const Node *inner = &side;
    while (inner->kind == UnravelCast)
      inner = &inner->children[0];
    if (is_comparison(*inner))
      refuse(node.span, "C compares the result of " + quoted(*inner) + ", 0 or 1, here",
             "write `a <= b && b < c`");
    if (inner->type != UnravelIntegral) refuse_data(side);
  }
  Integer left = integer(node.children[0]), right = integer(node.children[1]);
  Comparison comparison = node.text == "<"    ? Comparison::Less
                          : node.text == "<=" ? Comparison::AtMost
                          : node.text == ">"  ? Comparison::Greater
                          : node.text == ">=" ? Comparison::AtLeast
                          : node.text == "==" ? Comparison::Equal
                                              : Comparison::NotEqual;
  bool ordered = comparison != Comparison::Equal && comparison != Comparison::NotEqual;
  if (ordered && (node.children[0].is_unsigned || node.children[1].is_unsigned)) {
    check_unsigned(node.children[0], left);
    check_unsigned(node.children[1], right);
  }
  for (const Node &side : node.children) // -1 among unsigned integers
    if (!ordered && side.is_unsigned && side.kind == UnravelInteger &&
        (side.integer < 0 || (side.bits < 64 && side.integer >> (side.bits - 1) != 0)))
      refuse(side.span, quoted(side) + " is compared as an unsigned integer here, which wraps around",
             "use signed integers");
  if (!ordered && (left.kind != Integer::Kind::Exact || right.kind != Integer::Kind::Exact))
    refuse_choice(node.span);
  // a < min(b, c): both; a > min(b, c): one of them. The rest follows from turning the comparison around.
  auto combination = [&](Integer::Kind kind, bool is_right) {
    bool below = comparison == Comparison::Less || comparison == Comparison::AtMost;
    return (kind == Integer::Kind::Least) == (below == is_right) ? Condition::Kind::And : Condition::Kind::Or;
  };
  std::vector<Condition> outer;
  for (const Polynomial &one : left.of) {
    require_affine(one, node.span, "condition");
    std::vector<Condition> inner;
    for (const Polynomial &other : right.of) {
      require_affine(other, node.span, "condition");
      inner.push_back(Condition::compare(one, comparison, other, node.span));
    }
    outer.push_back(Condition::of(combination(right.kind, true), std::move(inner), node.span));
  }
  return Condition::of(combination(left.kind, false), std::move(outer), node.span);
}

/// Less may be known than is true: too many cases aren't told apart.
void Translator::assume(const Condition &condition) {
  constexpr double most_pieces = 32;
  double more = pieces_ * pieces(condition);
  if (more > most_pieces) return;
  pieces_ = more;
  facts_.push_back(term(condition, variables_));
}

Condition Translator::condition(const Node &node) {
  if (node.kind == UnravelCast && node.children[0].type == UnravelIntegral && node.bits != 1 &&
      node.bits < bits_of_int)
    refuse_expression(node);
  if (node.kind == UnravelCast &&
      (node.bits == 1 || is_comparison(node.children[0]) || is_logical(node.children[0])) &&
      node.children[0].type == UnravelIntegral)
    return condition(node.children[0]);
  if (is_comparison(node)) return comparison(node);
  if (node.kind == UnravelUnary && node.text == "!") {
    Condition result = negated(condition(node.children[0]));
    result.span = node.span;
    return result;
  }
  if (node.kind == UnravelBinary && (node.text == "&&" || node.text == "||")) {
    bool is_and = node.text == "&&";
    Condition left = condition(node.children[0]);
    // The right side is evaluated only where the left one doesn't decide.
    Condition right = under(is_and ? left : negated(left), [&] { return condition(node.children[1]); });
    return Condition::of(is_and ? Condition::Kind::And : Condition::Kind::Or,
                         {std::move(left), std::move(right)}, node.span);
  }
  if (node.kind == UnravelInteger) {
    Condition result;
    result.kind = node.integer != 0 ? Condition::Kind::Truth : Condition::Kind::Falsity;
    result.span = node.span;
    return result;
  }
  if (node.type != UnravelIntegral) refuse_data(node);
  return Condition::compare(affine(node, "condition"), Comparison::NotEqual, Polynomial(), node.span);
}

} // namespace unravel::cfront
