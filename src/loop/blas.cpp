#include "loop/blas.h"

#include "loop/arrays.h"
#include "loop/walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace unravel::loop {

using term::Term;

namespace {

constexpr std::int64_t most_of_int = 2147483647; // that an int holds

/// A size or a product of such, plus such: never negative. Loop variables count from 0.
bool is_non_negative(const Term &term) {
  if (const auto *number = term.as<term::Constant>()) return number->value >= 0;
  if (term.as<term::Variable>()) return true;
  if (const auto *product = term.as<term::Product>())
    return is_non_negative(product->left) && is_non_negative(product->right);
  if (const auto *sum = term.as<term::Linear>())
    return sum->constant >= 0 && std::ranges::all_of(sum->parts, [](const auto &part) {
             return part.second >= 0 && is_non_negative(part.first);
           });
  if (const auto *least = term.as<term::Minimum>()) return std::ranges::all_of(least->of, is_non_negative);
  return false;
}

/// Is an extent at most a leading dimension?
bool fits(const Term &extent, const Term &leading) {
  if (extent == leading) return true;
  if (const auto *least = extent.as<term::Minimum>())
    return std::ranges::any_of(least->of, [&](const Term &part) { return fits(part, leading); });
  return is_non_negative(leading - extent);
}

/// Whatever its parts are, an int holds it: a number, or at most a number, as a block at the edge.
bool is_short(const Term &extent) {
  if (const auto *number = extent.as<term::Constant>()) return number->value <= most_of_int;
  const auto *least = extent.as<term::Minimum>();
  return least && std::ranges::any_of(least->of, is_short);
}

bool is_zero(const Term &stride) {
  return stride == Term(0);
}

/// A matrix with these strides and extents of its rows and columns: whether it lies in columns, and the
/// leading dimension.
std::optional<std::pair<bool, Term>> matrix(const Term &row, const Term &rows, const Term &column,
                                            const Term &columns) {
  if (column == Term(1) && fits(columns, row)) return std::pair(false, row);
  if (row == Term(1) && fits(rows, column)) return std::pair(true, column);
  return std::nullopt;
}

std::string array_of(const Target &target) {
  const auto *element = std::get_if<Element>(&target);
  return element ? element->array : std::get<Local>(target).name;
}

std::string no_matrix(const std::string &array) {
  return fmt::format("`{}` isn't a matrix there with neighbouring elements along one of its modes", array);
}

/// Axes by what they are of; where one is none of these, or two are the same, why.
std::string sort_axes(const Blas &blas, BlasForm &form) {
  for (const Blas::Axis &axis : blas.axes) {
    const bool target = !is_zero(axis.target), left = !is_zero(axis.left), right = !is_zero(axis.right);
    const Blas::Axis **place = target && left && !right   ? &form.m
                               : target && right && !left ? &form.n
                               : left && right && !target ? &form.k
                                                          : nullptr;
    if (!place)
      return target && left && right ? "all of a product and the target change along one loop"
                                     : "along a loop one tensor alone changes";
    if (*place) return "two loops change the same tensors";
    *place = &axis;
  }
  return "";
}

} // namespace

const char *name_of(BlasForm::Call call) {
  switch (call) {
  case BlasForm::Call::Dot: return "dot";
  case BlasForm::Call::Axpy: return "axpy";
  case BlasForm::Call::Ger: return "ger";
  case BlasForm::Call::Gemv: return "gemv";
  case BlasForm::Call::Gemm: return "gemm";
  }
  return "dot";
}

std::optional<BlasForm> form_of(const Blas &blas, std::string &why) {
  using Call = BlasForm::Call;
  const auto fails = [&](std::string text) { return why = std::move(text), std::nullopt; };
  BlasForm form;
  if (std::string text = sort_axes(blas, form); !text.empty()) return fails(std::move(text));
  for (const Blas::Axis &axis : blas.axes)
    for (const Term &stride : {axis.target, axis.left, axis.right})
      if (!is_non_negative(stride)) return fails("a tensor's elements are gone through backwards");
  const bool m = form.m, n = form.n, k = form.k;
  if (k && !m && !n)
    form.call = Call::Dot;
  else if (m && !n && !k && !blas.right)
    form.call = Call::Axpy;
  else if (m && n)
    form.call = k ? Call::Gemm : Call::Ger;
  else if (m && k)
    form.call = Call::Gemv;
  else
    return fails("no call of BLAS has these loops");
  if (form.call != Call::Dot && std::holds_alternative<Local>(blas.target))
    return fails("the target is one number");
  if (m && n) {
    if (form.n->target != Term(1) || !fits(form.n->extent, form.m->target))
      return fails(no_matrix(array_of(blas.target)));
    form.target_leading = form.m->target;
  }
  if (m && k) {
    const auto left = matrix(form.m->left, form.m->extent, form.k->left, form.k->extent);
    if (!left) return fails(no_matrix(blas.left.array));
    std::tie(form.left_transposed, form.left_leading) = *left;
  }
  if (n && k) {
    const auto right = matrix(form.k->right, form.k->extent, form.n->right, form.n->extent);
    if (!right) return fails(no_matrix(blas.right->array));
    std::tie(form.right_transposed, form.right_leading) = *right;
  }
  return form;
}

Statement as_loops(const Blas &blas) {
  Term target, left, right;
  const auto *element = std::get_if<Element>(&blas.target);
  if (element) target = element->slot;
  left = blas.left.slot;
  if (blas.right) right = blas.right->slot;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < blas.axes.size(); ++k) {
    const Blas::Axis &axis = blas.axes[k];
    names.push_back(fmt::format("blas.{}", k));
    const Term at = term::variable(names.back());
    target = target + term::multiply(axis.target, at);
    left = left + term::multiply(axis.left, at);
    right = right + term::multiply(axis.right, at);
  }
  std::vector<Value> factors{blas.scale, {Element{blas.left.array, left}}};
  if (blas.right) factors.push_back({Element{blas.right->array, right}});
  Accumulate sum{blas.target, apply(Operator::Multiply, std::move(factors))};
  if (element) sum.target = Element{element->array, target};
  Statement made{std::move(sum)};
  for (std::size_t k = blas.axes.size(); k-- > 0;) {
    For loop{names[k], Term(0), blas.axes[k].extent};
    loop.body.push_back(std::move(made));
    made = {std::move(loop)};
  }
  return made;
}

namespace {

/// Loops around a product that is added up, from the inside on.
struct Work {
  struct Factor {
    Element first; // in the loops' first iterations
    std::vector<Term> strides;
  };
  Target target; // likewise
  std::vector<Term> target_strides;
  std::vector<Factor> factors;
  std::vector<Value> others; // that don't change in the loops
  bool negative = false;
  std::vector<Term> extents;
  bool threads = false;
};

/// Takes a product apart; false where there is more than elements, locals and numbers.
bool add_factors(const Value &value, Work &work) {
  if (const auto *negative = arguments_of(Operator::Negate, value)) {
    work.negative = !work.negative;
    return add_factors(negative->front(), work);
  }
  if (const auto *factors = arguments_of(Operator::Multiply, value))
    return std::ranges::all_of(*factors, [&](const Value &factor) { return add_factors(factor, work); });
  if (const auto *element = value.as<Element>())
    work.factors.push_back({*element, std::vector<Term>(work.extents.size())});
  else if (parts_of(value).empty() && !value.is<Term>())
    work.others.push_back(value);
  else
    return false;
  return true;
}

/// What the call does, so that a loop around can be added.
Work work_of(const Blas &call) {
  Work work;
  work.target = call.target;
  work.threads = call.threads;
  Work::Factor left{call.left, {}}, right{call.right.value_or(Element{}), {}};
  for (std::size_t k = call.axes.size(); k-- > 0;) {
    work.extents.push_back(call.axes[k].extent);
    work.target_strides.push_back(call.axes[k].target);
    left.strides.push_back(call.axes[k].left);
    right.strides.push_back(call.axes[k].right);
  }
  work.factors.push_back(std::move(left));
  if (call.right) work.factors.push_back(std::move(right));
  add_factors(call.scale, work);
  std::erase_if(work.others, [](const Value &other) {
    const double *number = value::number_of(other);
    return number && *number == 1;
  });
  return work;
}

/// Of a statement in the innermost loop.
std::optional<Work> work_of(const Accumulate &sum, std::string &why) {
  const auto fails = [&](const char *text) { return why = text, std::nullopt; };
  if (sum.atomic) return fails("it adds atomically");
  if (sum.by != Operator::Add) return fails("it doesn't add up");
  Work work;
  work.target = sum.target;
  if (add_factors(sum.value, work)) return work;
  return fails("it adds up more than a product");
}

/// The call for the loops, its operands in one of their two orders.
std::optional<Blas> call_for(const Work &work, std::string &why) {
  std::vector<const Work::Factor *> changing;
  std::vector<Value> scale = work.others;
  for (const Work::Factor &factor : work.factors)
    if (std::ranges::all_of(factor.strides, is_zero))
      scale.push_back({factor.first});
    else
      changing.push_back(&factor);
  if (changing.empty() || changing.size() > 2) {
    why = changing.empty() ? "nothing changes in it but the target"
                           : fmt::format("{} factors change in it, BLAS multiplies two", changing.size());
    return std::nullopt;
  }
  Blas blas;
  blas.target = work.target;
  blas.threads = work.threads;
  blas.scale = scale.empty()      ? Value{Number{1}}
               : scale.size() > 1 ? apply(Operator::Multiply, std::move(scale))
                                  : std::move(scale.front());
  if (work.negative) blas.scale = apply(Operator::Negate, std::vector<Value>{std::move(blas.scale)});
  for (const bool swapped : {false, true}) {
    if (swapped && changing.size() == 1) break;
    const Work::Factor &left = *changing[swapped ? 1 : 0];
    const Work::Factor *right = changing.size() == 2 ? changing[swapped ? 0 : 1] : nullptr;
    blas.left = left.first;
    blas.right.reset();
    if (right) blas.right = right->first;
    blas.axes.clear();
    for (std::size_t k = work.extents.size(); k-- > 0;)
      blas.axes.push_back(
          {work.extents[k], work.target_strides[k], left.strides[k], right ? right->strides[k] : Term(0)});
    if (form_of(blas, why)) return blas;
  }
  return std::nullopt;
}

class Calls {
public:
  Calls(Program program, bool keep_parallel) : keep_parallel_(keep_parallel) {
    made_.program = std::move(program);
    sizes_ = sizes_of(made_.program);
    sizes_.insert(made_.program.sizes.begin(), made_.program.sizes.end());
  }

  BlasCalls make() {
    if (may_end_early()) return std::move(made_);
    Block body = std::move(made_.program.body);
    block(body, {});
    made_.program.body = std::move(body);
    each<Blas>(made_.program.body, [&](const Blas &call) { ++made_.calls, bound(call); });
    return std::move(made_);
  }

private:
  /// Where memory runs out BLAS would be left with one thread.
  bool may_end_early() {
    const bool may = holds<Reserve>(made_.program.body) ||
                     std::ranges::any_of(made_.program.parameters, &TensorParameter::assembled);
    if (may) made_.left.push_back({"", "the kernel makes its result's arrays", {}});
    return may;
  }

  /// `copied`: an array that threads have copies of, whatever is around.
  void block(Block &statements, const std::string &copied) {
    for (std::size_t k = 0; k < statements.size(); ++k) {
      const auto *loop = statements[k].as<For>();
      const bool copies = loop && loop->parallel && !loop->parallel->copied.empty();
      for (Block *inner : blocks_of(statements[k]))
        block(*inner, copies ? loop->parallel->copied : copied);
      if (!loop) continue;
      Block taken = take(statements[k], copied);
      if (taken.empty()) continue;
      k = replace(statements, k, std::move(taken)) - 1;
    }
  }

  /// What takes the loop's place: what clears elements, then a call. Empty: it stays.
  Block take(Statement &statement, const std::string &copied) {
    auto &loop = std::get<For>(statement.kind);
    if (loop.body.empty()) return {};
    Statement &last = loop.body.back();
    const auto *sum = last.as<Accumulate>();
    const auto *call = last.as<Blas>();
    if (!sum && !call) return {};
    std::string why;
    std::optional<Work> work = sum ? work_of(*sum, why) : work_of(*call);
    std::optional<Blas> made;
    if (work && may_take(loop, array_of(work->target), copied, why) &&
        (sum || clears_alone(loop, *work, why)) && (!sum || is_alone(loop, why)) && around(*work, loop, why))
      made = call_for(*work, why);
    if (made && !has_type(*made, why)) made.reset();
    if (!made) {
      if (sum) made_.left.push_back({loop.variable, why, statement.origins});
      return {};
    }
    Block taken;
    if (loop.body.size() > 1) {
      For clears = loop;
      clears.body.pop_back();
      taken.push_back({std::move(clears), loop.body.front().origins});
    }
    taken.push_back({std::move(*made), joined(statement.origins, last.origins)});
    return taken;
  }

  static bool is_alone(const For &loop, std::string &why) {
    if (loop.body.size() == 1) return true;
    why = "there is more in the loop than a sum";
    return false;
  }

  bool may_take(const For &loop, const std::string &target, const std::string &copied,
                std::string &why) const {
    if (loop.step != 1 || loop.together > 1 || loop.simd || loop.masked || loop.team)
      why = "the loop was asked to be another one";
    else if (loop.parallel && keep_parallel_)
      why = "the loop is to run in parallel";
    else if (loop.parallel && ((!loop.parallel->sum.empty() && loop.parallel->sum != target) ||
                               !loop.parallel->copied.empty() || loop.parallel->appended))
      why = "threads share what it adds to";
    else if (target == copied)
      why = "threads have copies of what it adds to";
    else
      return true;
    return false;
  }

  /// The work with the loop around it; false where it doesn't fit.
  bool around(Work &work, const For &loop, std::string &why) const {
    const auto fails = [&](std::string text) { return why = std::move(text), false; };
    const Term extent = loop.upper - loop.lower;
    if (!is_over_sizes(extent) && !is_short(extent))
      return fails(fmt::format("its loop's length, `{}`, isn't known from sizes", to_text(extent)));
    for (const Term &inner : work.extents)
      if (mentions(inner, loop.variable)) return fails("a loop inside has another length in each iteration");
    const auto add = [&](Element &element, std::vector<Term> &strides) {
      const std::optional<Term> stride = stride_of(element.slot, loop.variable);
      if (!stride || !is_over_sizes(*stride))
        return fails(fmt::format("elements of `{}` aren't equally far apart in it", element.array));
      for (const Term &other : strides)
        if (mentions(other, loop.variable)) return fails("how far elements are apart changes in it");
      strides.push_back(*stride);
      element.slot = substitute(element.slot, {{loop.variable, loop.lower}});
      return true;
    };
    for (Work::Factor &factor : work.factors) {
      if (factor.first.array == array_of(work.target)) return fails("it reads what it adds to");
      if (!add(factor.first, factor.strides)) return false;
    }
    if (auto *element = std::get_if<Element>(&work.target)) {
      if (!add(*element, work.target_strides)) return false;
    } else {
      work.target_strides.emplace_back(0);
      const auto is_target = [&](const Value &other) {
        const auto *local = other.as<Local>();
        return local && local->name == std::get<Local>(work.target).name;
      };
      if (std::ranges::any_of(work.others, is_target)) return fails("it reads what it adds to");
    }
    work.extents.push_back(extent);
    work.threads = work.threads || loop.parallel.has_value();
    return true;
  }

  /// Does what stands before the call set those elements to zero that it adds to, all of them and no others?
  /// (Each iteration then has its own, since the call with this loop has a matrix or vector as its target.)
  static bool clears_alone(const For &loop, const Work &work, std::string &why) {
    if (loop.body.size() == 1) return true;
    const auto *target = std::get_if<Element>(&work.target);
    if (loop.body.size() == 2 && target && mentions(target->slot, loop.variable) &&
        clears(loop.body.front(), *target, work))
      return true;
    why = "there is more in the loop than a sum";
    return false;
  }

  static bool clears(const Statement &statement, const Element &target, const Work &work) {
    std::vector<std::pair<Term, std::string>> loops;
    const Statement *inner = &statement;
    while (const auto *loop = inner->as<For>()) {
      if (loop->lower != Term(0) || loop->step != 1 || loop->parallel || loop->body.size() != 1) return false;
      loops.emplace_back(loop->upper, loop->variable);
      inner = &loop->body.front();
    }
    const Element *element = element_set_to(0, *inner);
    if (!element || element->array != target.array) return false;
    std::multiset<std::string> cleared, added;
    Term first = element->slot;
    for (const auto &[extent, variable] : loops) {
      const std::optional<Term> stride = stride_of(first, variable);
      if (!stride) return false;
      cleared.insert(to_text(extent) + " " + to_text(*stride));
      first = substitute(first, {{variable, Term(0)}});
    }
    for (std::size_t k = 0; k < work.extents.size(); ++k)
      if (!is_zero(work.target_strides[k]))
        added.insert(to_text(work.extents[k]) + " " + to_text(work.target_strides[k]));
    return first == target.slot && cleared == added;
  }

  bool has_type(const Blas &blas, std::string &why) const {
    const auto is_float = [&](const std::string &array) {
      const auto type = element_type(array, made_.program);
      return type == ElementType::Float32 || type == ElementType::Float64;
    };
    std::vector<std::string> arrays{blas.left.array};
    if (blas.right) arrays.push_back(blas.right->array);
    if (const auto *element = std::get_if<Element>(&blas.target)) arrays.push_back(element->array);
    each_element(blas.scale, [&](const Element &element) { arrays.push_back(element.array); });
    const auto type = element_type(arrays.front(), made_.program);
    for (const std::string &array : arrays)
      if (!is_float(array) || element_type(array, made_.program) != type) {
        why = fmt::format("BLAS has values of one type, f32 or f64, and `{}` has others", array);
        return false;
      }
    return true;
  }

  bool is_over_sizes(const Term &term) const {
    return applications_of(term).empty() &&
           std::ranges::all_of(variables_of(term),
                               [&](const std::string &name) { return sizes_.contains(name); });
  }

  /// What is passed as an int has to fit in one.
  void bound(const Blas &call) {
    for (const Blas::Axis &axis : call.axes)
      for (const Term &number : {axis.extent, axis.target, axis.left, axis.right}) {
        if (is_short(number)) continue;
        const Term fits = term::at_most(number, Term(most_of_int));
        if (std::ranges::none_of(made_.program.preconditions,
                                 [&](const Precondition &known) { return known.formula == fits; }))
          made_.program.preconditions.push_back({fits, "BLAS takes sizes as int"});
      }
  }

  bool keep_parallel_;
  BlasCalls made_;
  std::set<std::string> sizes_;
};

} // namespace

BlasCalls call_blas(Program program, bool keep_parallel) {
  return Calls(std::move(program), keep_parallel).make();
}

} // namespace unravel::loop
