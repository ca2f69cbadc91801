#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Integer terms with applications of uninterpreted functions (UFs), and formulas over them.
///
/// Meaning: integers are unbounded; division and modulo round towards minus infinity; a formula is a term of
/// the kinds Compare, And, Or, Not. Terms are immutable values, kept in a normal form by the constructors
/// below: two affine terms over the same atoms that are equal as functions are equal as terms. (Zhao et al.,
/// section 3: affine constraints over tuple variables, symbolic constants and UF applications.)
namespace unravel::term {

struct Node;

/// A term or a formula: a handle to an immutable node. Default: the constant 0.
class Term {
public:
  Term();
  Term(std::int64_t constant); // NOLINT: integers are terms
  explicit Term(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

  const Node &node() const { return *node_; }
  /// The node as the kind T, or null.
  template <class T> const T *as() const;

  /// Structural; cheap when unequal (hashes are kept).
  friend bool operator==(const Term &a, const Term &b);
  /// A total structural order: deterministic from run to run, no other meaning.
  friend std::strong_ordering operator<=>(const Term &a, const Term &b);
  std::size_t hash() const;

private:
  std::shared_ptr<const Node> node_;
};

struct Constant {
  std::int64_t value = 0;
  std::strong_ordering operator<=>(const Constant &) const = default;
};

struct Variable {
  std::string name;
  std::strong_ordering operator<=>(const Variable &) const = default;
};

/// sum of coefficient * atom, plus a constant. Atoms are sorted, distinct, no Constant or Linear;
/// coefficients are not 0; not the form 1 * atom + 0.
struct Linear {
  std::vector<std::pair<Term, std::int64_t>> parts;
  std::int64_t constant = 0;
  std::strong_ordering operator<=>(const Linear &) const = default;
};

/// f(arguments) for an uninterpreted function (an index array, a count is a Variable).
struct Apply {
  std::string function;
  std::vector<Term> arguments;
  std::strong_ordering operator<=>(const Apply &) const = default;
};

/// floor(numerator / divisor), divisor > 1.
struct FloorDivide {
  std::int64_t divisor = 1;
  Term numerator;
  std::strong_ordering operator<=>(const FloorDivide &) const = default;
};

/// numerator - divisor * floor(numerator / divisor), divisor > 1.
struct Modulo {
  std::int64_t divisor = 1;
  Term numerator;
  std::strong_ordering operator<=>(const Modulo &) const = default;
};

/// A product of two non-constant terms; only in slots of arrays and sizes, never in what isl or Z3 decides.
struct Product {
  Term left;
  Term right;
  std::strong_ordering operator<=>(const Product &) const = default;
};

struct Minimum {
  std::vector<Term> of;
  std::strong_ordering operator<=>(const Minimum &) const = default;
};

struct Maximum {
  std::vector<Term> of;
  std::strong_ordering operator<=>(const Maximum &) const = default;
};

enum class Relation { Equal, AtLeast };

/// `left` = 0 or `left` >= 0.
struct Compare {
  Relation relation = Relation::Equal;
  Term left;
  std::strong_ordering operator<=>(const Compare &) const = default;
};

/// Conjunction in the given order, evaluated from left to right (later parts may rely on earlier ones); the
/// empty one is true.
struct And {
  std::vector<Term> parts;
  std::strong_ordering operator<=>(const And &) const = default;
};

/// Disjunction; the empty one is false.
struct Or {
  std::vector<Term> parts;
  std::strong_ordering operator<=>(const Or &) const = default;
};

struct Not {
  Term of;
  std::strong_ordering operator<=>(const Not &) const = default;
};

using Kind = std::variant<Constant, Variable, Linear, Apply, FloorDivide, Modulo, Product, Minimum, Maximum,
                          Compare, And, Or, Not>;

struct Node {
  Kind kind;
  std::size_t hash = 0;
};

template <class T> const T *Term::as() const {
  return std::get_if<T>(&node_->kind);
}
inline std::size_t Term::hash() const {
  return node_->hash;
}

/// For std::visit with one lambda per kind.
template <class... Ts> struct overloaded : Ts... { using Ts::operator()...; };
template <class... Ts> overloaded(Ts...) -> overloaded<Ts...>;

// ---- integer terms. Constants are folded; a fold that overflows 64 bits fails with number_too_large.

Term variable(std::string name);
Term apply(std::string function, std::vector<Term> arguments);
Term operator+(const Term &a, const Term &b);
Term operator-(const Term &a, const Term &b);
Term operator-(const Term &a);
Term scale(std::int64_t factor, const Term &a);
/// scale where one side is constant, otherwise a Product.
Term multiply(const Term &a, const Term &b);
/// floor(a / divisor). Precondition: divisor > 0.
Term floor_divide(const Term &a, std::int64_t divisor);
/// ceil(a / divisor). Precondition: divisor > 0.
Term ceil_divide(const Term &a, std::int64_t divisor);
Term modulo(const Term &a, std::int64_t divisor);
/// Of at least one term.
Term minimum(std::vector<Term> of);
Term maximum(std::vector<Term> of);

// ---- formulas

Term truth();
Term falsity();
bool is_true(const Term &formula);
bool is_false(const Term &formula);
Term equal(const Term &a, const Term &b);
Term at_most(const Term &a, const Term &b);
Term less(const Term &a, const Term &b);
Term conjunction(std::vector<Term> parts);
Term disjunction(std::vector<Term> parts);
Term negation(const Term &formula);
Term implication(const Term &hypothesis, const Term &conclusion);
/// low <= a < high
Term between(const Term &low, const Term &a, const Term &high);
/// The parts of a conjunction, or the formula itself.
std::vector<Term> conjuncts(const Term &formula);

// ---- looking and rewriting

/// Replacement of variables (by name).
using Substitution = std::map<std::string, Term>;
/// Replaces variables, everywhere, at once; results are in normal form.
Term substitute(const Term &term, const Substitution &by);
std::vector<Term> substitute(std::vector<Term> terms, const Substitution &by);
/// Renames functions and variables by a map; names that are not in it stay.
Term rename(const Term &term, const std::map<std::string, std::string> &variables,
            const std::map<std::string, std::string> &functions);
/// Replaces every maximal occurrence of a whole subterm, outermost first.
Term replace(const Term &term, const std::map<Term, Term> &by);

/// Variables that occur, also inside arguments of applications.
std::set<std::string> variables_of(const Term &term);
bool mentions(const Term &term, const std::string &variable);
/// All applications that occur, inner ones before those that contain them, each once.
std::vector<Term> applications_of(const Term &term);

/// The term as sum of atoms: a Linear, whatever its kind (an atom a becomes 1*a + 0).
Linear linear_form(const Term &term);
/// The coefficient of a variable at the top level of the term (not inside applications).
std::int64_t coefficient_of(const Term &term, const std::string &variable);
/// If b - a is a constant: that constant.
bool constant_difference(const Term &a, const Term &b, std::int64_t &difference);

/// As text in the notation of layout files: rowptr(r + 1), p < q, 2*i + 1 = j mod 3, a and (b or c).
std::string to_text(const Term &term);

/// Concrete meaning, for the interpreter, for tests and for counterexamples.
struct Environment {
  virtual ~Environment() = default;
  /// Precondition: the name is known; otherwise report kind internal.
  virtual std::int64_t variable(const std::string &name) const = 0;
  virtual std::int64_t apply(const std::string &function,
                             const std::vector<std::int64_t> &arguments) const = 0;
};
/// Value of an integer term (formulas give 0 or 1). And and Or stop at the first part that decides.
std::int64_t evaluate(const Term &term, const Environment &environment);

} // namespace unravel::term

template <> struct std::hash<unravel::term::Term> {
  std::size_t operator()(const unravel::term::Term &term) const { return term.hash(); }
};
