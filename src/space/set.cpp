#include "space/set.h"

#include "report/diagnostic.h"
#include "term/children.h"

#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <span>
#include <unordered_map>

namespace unravel::space {

using namespace term;

namespace {

/// The thread's isl context and the atoms behind the names of its parameters. It is leaked on purpose: sets
/// may be destroyed later than any thread-local object of ours.
struct Context {
  isl_ctx *isl;
  std::unordered_map<std::string, Term> atoms;
  std::unordered_map<Term, isl_id *> ids;

  Context() : isl(isl_ctx_alloc()) { isl_options_set_on_error(isl, ISL_ON_ERROR_CONTINUE); }

  isl_id *id_of(const Term &atom) {
    auto [at, fresh] = ids.emplace(atom, nullptr);
    if (fresh) {
      std::string name = term::to_text(atom);
      atoms.emplace(name, atom);
      at->second = isl_id_alloc(isl, name.c_str(), nullptr);
    }
    return isl_id_copy(at->second);
  }
};

Context &context() {
  thread_local Context *const instance = new Context;
  return *instance;
}

template <class T> T *checked(T *object) {
  report::require(object != nullptr, "isl could not do an operation");
  return object;
}

bool checked_bool(isl_bool answer) {
  report::require(answer != isl_bool_error, "isl could not answer a question");
  return answer == isl_bool_true;
}

/// What is a parameter to isl.
bool is_atom(const Term &term) {
  return term.as<Variable>() || term.as<Apply>() || term.as<Product>();
}

void collect_atoms(const Term &term, std::set<Term> &atoms) {
  if (is_atom(term)) {
    atoms.insert(term);
    return;
  }
  term::each_child(term, [&](const Term &part) { collect_atoms(part, atoms); });
}

/// More rows than this are given to isl at once: it simplifies the whole set after each step. Fewer come one
/// by one, which is what the order of bounds in texts goes by.
constexpr std::size_t most_one_by_one = 256;

/// Builds isl objects over one parameter space that holds all atoms of a formula.
class Builder {
public:
  explicit Builder(const Term &formula) {
    std::set<Term> atoms;
    collect_atoms(formula, atoms);
    space_ = isl_space_params_alloc(context().isl, static_cast<unsigned>(atoms.size()));
    unsigned position = 0;
    for (const Term &atom : atoms)
      space_ = isl_space_set_dim_id(space_, isl_dim_param, position++, context().id_of(atom));
  }
  ~Builder() { isl_space_free(space_); }
  Builder(const Builder &) = delete;
  Builder &operator=(const Builder &) = delete;

  isl_set *set(const Term &formula) {
    if (const auto *compare = formula.as<Compare>()) {
      isl_pw_aff *left = affine(compare->left);
      isl_set *result =
          compare->relation == Relation::Equal ? isl_pw_aff_zero_set(left) : isl_pw_aff_nonneg_set(left);
      return checked(result);
    }
    if (const auto *both = formula.as<And>()) {
      // Plain comparisons, the common case, are the rows of one basic set.
      std::vector<std::pair<Relation, Linear>> comparisons;
      std::vector<Term> others;
      for (const Term &part : both->parts)
        if (std::optional<Linear> sum = plain_sum(part))
          comparisons.emplace_back(part.as<Compare>()->relation, std::move(*sum));
        else
          others.push_back(part);
      isl_basic_set *rows = isl_basic_set_universe(isl_space_copy(space_));
      const std::size_t step = comparisons.size() > most_one_by_one ? comparisons.size() : 1;
      for (std::size_t k = 0; k < comparisons.size(); k += step)
        rows = isl_basic_set_intersect(rows, rows_of(std::span(comparisons).subspan(k, step)));
      isl_set *result = isl_set_from_basic_set(rows);
      for (const Term &part : others)
        result = isl_set_intersect(result, set(part));
      return checked(result);
    }
    if (const auto *either = formula.as<Or>()) {
      isl_set *result = isl_set_empty(isl_space_copy(space_));
      for (const Term &part : either->parts)
        result = isl_set_union(result, set(part));
      return checked(result);
    }
    const auto *inverse = formula.as<Not>();
    report::require(inverse != nullptr, "a set is made from a formula");
    return checked(isl_set_complement(set(inverse->of)));
  }

private:
  /// The left side of a comparison of an affine sum of atoms; nothing where the formula is anything else.
  static std::optional<Linear> plain_sum(const Term &formula) {
    const auto *compare = formula.as<Compare>();
    if (!compare) return std::nullopt;
    Linear sum = linear_form(compare->left);
    bool plain = std::ranges::all_of(sum.parts, [](const auto &part) { return is_atom(part.first); });
    return plain ? std::optional(std::move(sum)) : std::nullopt;
  }

  isl_basic_set *rows_of(std::span<const std::pair<Relation, Linear>> comparisons) {
    return checked(isl_basic_set_from_constraint_matrices(
        isl_space_copy(space_), matrix(comparisons, Relation::Equal), matrix(comparisons, Relation::AtLeast),
        isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div));
  }

  /// Of the comparisons by this relation a row each: the constant, then a coefficient per atom.
  isl_mat *matrix(std::span<const std::pair<Relation, Linear>> comparisons, Relation relation) {
    const auto count =
        std::ranges::count_if(comparisons, [&](const auto &each) { return each.first == relation; });
    const int columns = 1 + static_cast<int>(isl_space_dim(space_, isl_dim_param));
    isl_mat *rows =
        isl_mat_alloc(context().isl, static_cast<unsigned>(count), static_cast<unsigned>(columns));
    int row = 0;
    for (const auto &[own, sum] : comparisons) {
      if (own != relation) continue;
      for (int column = 0; column < columns; ++column)
        rows = isl_mat_set_element_si(rows, row, column, 0);
      rows = isl_mat_set_element_val(rows, row, 0, isl_val_int_from_si(context().isl, sum.constant));
      for (const auto &[atom, coefficient] : sum.parts)
        rows = isl_mat_set_element_val(rows, row, 1 + position_of(atom),
                                       isl_val_int_from_si(context().isl, coefficient));
      ++row;
    }
    return checked(rows);
  }

  int position_of(const Term &atom) {
    isl_id *id = context().id_of(atom);
    int position = isl_space_find_dim_by_id(space_, isl_dim_param, id);
    isl_id_free(id);
    return position;
  }

  isl_pw_aff *constant(std::int64_t value) {
    isl_aff *result = isl_aff_zero_on_domain_space(isl_space_copy(space_));
    return isl_pw_aff_from_aff(isl_aff_add_constant_val(result, isl_val_int_from_si(context().isl, value)));
  }

  isl_pw_aff *affine(const Term &term) {
    if (is_atom(term))
      return isl_pw_aff_from_aff(
          isl_aff_param_on_domain_space_id(isl_space_copy(space_), context().id_of(term)));
    auto extreme = [&](const std::vector<Term> &of, auto join) {
      isl_pw_aff *result = affine(of.front());
      for (std::size_t k = 1; k < of.size(); ++k)
        result = join(result, affine(of[k]));
      return result;
    };
    auto divided = [&](const Term &numerator, std::int64_t divisor) {
      return isl_pw_aff_floor(
          isl_pw_aff_scale_down_val(affine(numerator), isl_val_int_from_si(context().isl, divisor)));
    };
    if (const auto *x = term.as<Constant>()) return constant(x->value);
    if (const auto *x = term.as<Linear>()) return sum(*x);
    if (const auto *x = term.as<FloorDivide>()) return divided(x->numerator, x->divisor);
    if (const auto *x = term.as<Modulo>())
      return isl_pw_aff_mod_val(affine(x->numerator), isl_val_int_from_si(context().isl, x->divisor));
    if (const auto *x = term.as<Minimum>()) return extreme(x->of, isl_pw_aff_min);
    if (const auto *x = term.as<Maximum>()) return extreme(x->of, isl_pw_aff_max);
    report::require(false, "an integer term is affine over atoms");
    return nullptr;
  }

  isl_pw_aff *sum(const Linear &linear) {
    // Plain affine sums, the common case, as one isl_aff.
    isl_aff *plain = isl_aff_zero_on_domain_space(isl_space_copy(space_));
    plain = isl_aff_add_constant_val(plain, isl_val_int_from_si(context().isl, linear.constant));
    std::vector<std::pair<Term, std::int64_t>> others;
    for (const auto &[atom, coefficient] : linear.parts) {
      if (!is_atom(atom)) {
        others.emplace_back(atom, coefficient);
        continue;
      }
      plain = isl_aff_add_coefficient_val(plain, isl_dim_param, position_of(atom),
                                          isl_val_int_from_si(context().isl, coefficient));
    }
    isl_pw_aff *result = isl_pw_aff_from_aff(plain);
    for (const auto &[atom, coefficient] : others)
      result = isl_pw_aff_add(
          result, isl_pw_aff_scale_val(affine(atom), isl_val_int_from_si(context().isl, coefficient)));
    return result;
  }

  isl_space *space_;
};

bool is_in_64_bits(isl_val *value) {
  return isl_val_is_int(value) == isl_bool_true && isl_val_cmp_si(value, INT64_MAX) <= 0 &&
         isl_val_cmp_si(value, INT64_MIN) >= 0;
}

std::int64_t take_integer(isl_val *value) {
  report::require(is_in_64_bits(value), "a coefficient of isl fits in 64 bits");
  std::int64_t result = isl_val_get_num_si(value);
  isl_val_free(value);
  return result;
}

Term atom_at(isl_aff *aff, int position) {
  const char *name = isl_aff_get_dim_name(aff, isl_dim_param, static_cast<unsigned>(position));
  return context().atoms.at(name);
}

/// The numerator of an affine expression as a term; its denominator separately.
Term numerator_of(isl_aff *aff, std::int64_t &denominator) {
  isl_val *common = isl_aff_get_denominator_val(aff);
  denominator = isl_val_get_num_si(common);
  aff = isl_aff_scale_val(isl_aff_copy(aff), common);
  Term result(take_integer(isl_aff_get_constant_val(aff)));
  for (int k = 0; k < isl_aff_dim(aff, isl_dim_param); ++k) {
    std::int64_t coefficient = take_integer(isl_aff_get_coefficient_val(aff, isl_dim_param, k));
    if (coefficient != 0) result = result + scale(coefficient, atom_at(aff, k));
  }
  for (int k = 0; k < isl_aff_dim(aff, isl_dim_div); ++k) {
    std::int64_t coefficient = take_integer(isl_aff_get_coefficient_val(aff, isl_dim_div, k));
    if (coefficient == 0) continue;
    isl_aff *division = checked(isl_aff_get_div(aff, k));
    std::int64_t divisor = 1;
    Term inner = numerator_of(division, divisor);
    isl_aff_free(division);
    result = result + scale(coefficient, floor_divide(inner, divisor));
  }
  isl_aff_free(aff);
  return result;
}

struct Collected {
  std::vector<Term> constraints;
  std::exception_ptr failure; // exceptions must not pass through isl's C code
};

std::vector<Term> listed_constraints(isl_basic_set *set) {
  Collected collected;
  isl_basic_set_foreach_constraint(
      set,
      [](isl_constraint *constraint, void *user) {
        auto &into = *static_cast<Collected *>(user);
        try {
          if (!isl_constraint_is_div_constraint(constraint)) {
            isl_aff *aff = isl_constraint_get_aff(constraint);
            std::int64_t denominator = 1;
            Term left = numerator_of(aff, denominator);
            isl_aff_free(aff);
            into.constraints.push_back(isl_constraint_is_equality(constraint) ? equal(left, Term())
                                                                              : at_most(Term(), left));
          }
        } catch (...) {
          into.failure = std::current_exception();
        }
        isl_constraint_free(constraint);
        return into.failure ? isl_stat_error : isl_stat_ok;
      },
      &collected);
  isl_basic_set_free(set);
  if (collected.failure) std::rethrow_exception(collected.failure);
  return collected.constraints;
}

std::vector<Term> constraints_of(isl_basic_set *taken) {
  return listed_constraints(isl_basic_set_remove_redundancies(taken));
}

Term parameter(isl_set *set, int position) {
  return context().atoms.at(isl_set_get_dim_name(set, isl_dim_param, static_cast<unsigned>(position)));
}

/// Calls visit(first, count) for the longest runs of parameters that are to be dropped, the last run first.
/// All of a run at once: isl simplifies after each call.
template <class Visit>
void each_run(isl_set *set, const std::function<bool(const Term &)> &drop, Visit visit) {
  std::vector<bool> dropped;
  for (int k = 0; k < isl_set_dim(set, isl_dim_param); ++k)
    dropped.push_back(drop(parameter(set, k)));
  for (std::size_t end = dropped.size(); end > 0; --end) {
    if (!dropped[end - 1]) continue;
    std::size_t first = end - 1;
    while (first > 0 && dropped[first - 1])
      --first;
    visit(static_cast<unsigned>(first), static_cast<unsigned>(end - first));
    end = first + 1;
  }
}

} // namespace

std::set<Term> atoms_of(const Term &formula) {
  std::set<Term> atoms;
  collect_atoms(formula, atoms);
  return atoms;
}

Set::Set() : set_(checked(isl_set_universe(isl_space_params_alloc(context().isl, 0)))) {}
Set::Set(const Term &formula) : set_(Builder(formula).set(formula)) {}
Set::Set(const Set &other) : set_(isl_set_copy(other.set_)) {}
Set::Set(Set &&other) noexcept : set_(std::exchange(other.set_, nullptr)) {}
Set &Set::operator=(Set other) noexcept {
  std::swap(set_, other.set_);
  return *this;
}
Set::~Set() {
  isl_set_free(set_);
}

Set Set::intersect(const Set &other) const {
  return Set(checked(isl_set_intersect(isl_set_copy(set_), isl_set_copy(other.set_))));
}
Set Set::unite(const Set &other) const {
  return Set(checked(isl_set_union(isl_set_copy(set_), isl_set_copy(other.set_))));
}
Set Set::subtract(const Set &other) const {
  return Set(checked(isl_set_subtract(isl_set_copy(set_), isl_set_copy(other.set_))));
}
bool Set::is_empty() const {
  return checked_bool(isl_set_is_empty(set_));
}
bool Set::is_subset(const Set &of) const {
  return checked_bool(isl_set_is_subset(set_, of.set_));
}
bool Set::is_equal(const Set &to) const {
  return checked_bool(isl_set_is_equal(set_, to.set_));
}

Set Set::project(const std::function<bool(const Term &)> &drop) const {
  isl_set *result = isl_set_copy(set_);
  for (int k = isl_set_dim(result, isl_dim_param) - 1; k >= 0; --k)
    if (drop(parameter(result, k)))
      result = isl_set_project_out(result, isl_dim_param, static_cast<unsigned>(k), 1);
  return Set(checked(result));
}

Set Set::without_constraints_on(const std::function<bool(const Term &)> &drop) const {
  isl_set *result = isl_set_copy(set_);
  each_run(set_, drop, [&](unsigned first, unsigned count) {
    result = isl_set_drop_constraints_involving_dims(result, isl_dim_param, first, count);
    result = isl_set_project_out(result, isl_dim_param, first, count);
  });
  return Set(checked(result));
}

Set Set::gist(const Set &context) const {
  return Set(checked(isl_set_gist(isl_set_copy(set_), isl_set_copy(context.set_))));
}
Set Set::simple_hull() const {
  isl_basic_set *conjunction = checked(isl_set_simple_hull(isl_set_copy(set_)));
  bool has_divisions = isl_basic_set_dim(conjunction, isl_dim_div) > 0;
  Set hull(checked(isl_set_from_basic_set(conjunction)));
  if (!has_divisions) return hull;
  // It may need several where its existentially quantified variables get values.
  Set known(checked(isl_set_compute_divs(isl_set_copy(hull.set_))));
  return known.pieces() > 1 ? hull.without_divisions() : hull;
}
Set Set::without_divisions() const {
  return Set(checked(isl_set_remove_divs(isl_set_copy(set_))));
}
Set Set::coalesce() const {
  return Set(checked(isl_set_coalesce(isl_set_copy(set_))));
}
std::size_t Set::pieces() const {
  return static_cast<std::size_t>(isl_set_n_basic_set(set_));
}

std::set<Term> Set::atoms() const {
  std::set<Term> result;
  for (int k = 0; k < isl_set_dim(set_, isl_dim_param); ++k)
    if (isl_set_involves_dims(set_, isl_dim_param, static_cast<unsigned>(k), 1))
      result.insert(parameter(set_, k));
  return result;
}

std::vector<Term> Set::constraints() const {
  isl_set *set = isl_set_compute_divs(isl_set_copy(set_));
  report::require(isl_set_n_basic_set(set) <= 1, "a conjunction has one piece");
  if (isl_set_n_basic_set(set) == 0) {
    isl_set_free(set);
    return {falsity()};
  }
  return constraints_of(isl_set_simple_hull(set));
}

std::optional<std::vector<Term>> Set::plain_constraints() const {
  if (isl_set_n_basic_set(set_) != 1) return std::nullopt;
  isl_basic_set *only = checked(isl_set_simple_hull(isl_set_copy(set_)));
  if (isl_basic_set_dim(only, isl_dim_div) == 0) return listed_constraints(only);
  isl_basic_set_free(only);
  return std::nullopt;
}

Term Set::formula() const {
  struct Pieces {
    std::vector<Term> parts;
    std::exception_ptr failure;
  } pieces;
  isl_set *set = isl_set_compute_divs(isl_set_copy(set_));
  isl_set_foreach_basic_set(
      set,
      [](isl_basic_set *piece, void *user) {
        auto &into = *static_cast<Pieces *>(user);
        try {
          into.parts.push_back(conjunction(constraints_of(piece)));
        } catch (...) {
          into.failure = std::current_exception();
        }
        return into.failure ? isl_stat_error : isl_stat_ok;
      },
      &pieces);
  isl_set_free(set);
  if (pieces.failure) std::rethrow_exception(pieces.failure);
  // isl's order of the pieces and constraints is not ours: sort, so that texts are stable.
  std::ranges::sort(pieces.parts);
  return disjunction(pieces.parts);
}

std::optional<std::vector<std::pair<Term, std::int64_t>>> Set::sample() const {
  isl_point *point = isl_set_sample_point(isl_set_copy(set_));
  if (!point || checked_bool(isl_point_is_void(point))) {
    isl_point_free(point);
    return std::nullopt;
  }
  std::vector<std::pair<Term, std::int64_t>> values;
  bool fits = true;
  for (int k = 0; k < isl_set_dim(set_, isl_dim_param); ++k) {
    isl_val *value = isl_point_get_coordinate_val(point, isl_dim_param, k);
    fits = fits && is_in_64_bits(value);
    if (fits) values.emplace_back(parameter(set_, k), isl_val_get_num_si(value));
    isl_val_free(value);
  }
  isl_point_free(point);
  if (!fits) values.clear();
  return values;
}

std::string to_text(const Set &set) {
  return fmt::format("{{ {} }}", term::to_text(set.formula()));
}

Term substitute_arguments(const Term &conjunction_of, const Substitution &by) {
  std::map<Term, Term> replacements;
  for (const Term &application : applications_of(conjunction_of)) {
    Term rewritten = substitute(application, by);
    if (rewritten != application) replacements.emplace(application, rewritten);
  }
  return replace(conjunction_of, replacements);
}

} // namespace unravel::space
