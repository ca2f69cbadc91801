#include "loop/verify.h"

#include "loop/arrays.h"
#include "loop/blas.h"
#include "loop/vector_sums.h"

#include "loop/assembled.h"
#include "loop/copies.h"
#include "loop/hash.h"
#include "loop/walk.h"
#include "report/diagnostic.h"
#include "term/solve.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace unravel::loop {

namespace {

using term::overloaded;
using term::Term;

template <class... Parts> [[noreturn]] void refuse(fmt::format_string<Parts...> what, Parts &&...parts) {
  report::fail(report::Kind::internal,
               "malformed loop program: " + fmt::format(what, std::forward<Parts>(parts)...),
               "please report this as a bug");
}

enum class Role { Constant, Changeable, Number };

/// A name in scope, with the number of parallel loops around its declaration.
struct Entry {
  Role role = Role::Constant;
  int parallel_depth = 0;
};

class Verifier {
public:
  explicit Verifier(const Program &program) : program_(program) {
    for (const TensorParameter &parameter : program.parameters)
      declare_parameter(parameter);
    for (const std::string &size : program.sizes)
      declare(size, Role::Constant);
    for (const Precondition &condition : program.preconditions)
      check(condition.formula);
    for (const WorkspaceArray &array : program.workspace)
      declare_workspace(array);
    block(program.body);
  }

private:
  struct Array {
    bool is_value = false;
    std::size_t extents = 1;
    bool writable = false;
    const WorkspaceArray *workspace = nullptr; // where it is one
  };

  /// The parallel loop around.
  struct Around {
    const For *loop = nullptr;
    std::vector<Term> conditions; // inside of it
    std::string sum;
    std::string copied; // the array that its threads have copies of
  };

  void declare_parameter(const TensorParameter &parameter) {
    for (const auto *names : {&parameter.sizes, &parameter.counts})
      for (const std::string &name : *names)
        declare(parameter.name + "." + name, Role::Constant);
    for (const ArrayParameter &array : parameter.arrays) {
      const std::string name = parameter.name + "." + array.name;
      const Array made{array.is_value, array.extents.size(), parameter.is_result, nullptr};
      if (scope_.contains(name) || !arrays_.emplace(name, made).second)
        refuse("array `{}` is declared twice", name);
      for (const Term &extent : array.extents)
        check(extent);
      if (array.element == ElementType::Bit) refuse("the array `{}` of a parameter has bits", name);
    }
  }

  void declare_workspace(const WorkspaceArray &array) {
    const bool is_value = array.has_values();
    if (scope_.contains(array.name) || !arrays_.emplace(array.name, Array{is_value, 1, true, &array}).second)
      refuse("array `{}` is declared twice", array.name);
    if (array.initial && *array.initial != 0 &&
        (*array.initial != -1 || is_value || array.element == ElementType::Bit))
      refuse("array `{}` can't begin as {}", array.name, *array.initial);
    if (array.grows && (array.initial || array.per_thread || array.extent != Term(0) ||
                        array.element == ElementType::Bit || !is_true(array.when)))
      refuse("array `{}` can't grow", array.name);
    if (array.hashed && (array.grows || is_value || array.element == ElementType::Bit || !array.initial ||
                         array.for_teams || !is_true(array.when)))
      refuse("array `{}` can't lie in a hash table", array.name);
    check(array.extent);
    check(array.when);
    if (!applications_of(array.extent).empty())
      refuse("the extent of the array `{}` reads an array", array.name);
    if (!applications_of(array.when).empty())
      refuse("the condition of the array `{}` reads an array", array.name);
  }

  void declare(const std::string &name, Role role) {
    if (!scope_.emplace(name, Entry{role, parallel_depth_}).second) refuse("`{}` is declared twice", name);
  }

  const Entry &look_up(const std::string &name) const {
    auto found = scope_.find(name);
    if (found == scope_.end()) refuse("`{}` is not declared", name);
    return found->second;
  }

  const Array &array(const std::string &name, bool is_value) const {
    auto found = arrays_.find(name);
    if (found == arrays_.end() || found->second.is_value != is_value)
      refuse("`{}` is no {} array", name, is_value ? "value" : "index");
    return found->second;
  }

  void check(const Term &term) const {
    for (const std::string &name : variables_of(term))
      if (look_up(name).role == Role::Number) refuse("`{}` is no integer", name);
    for (const Term &application : applications_of(term)) {
      const auto &call = *application.as<term::Apply>();
      if (call.function == hash_name) {
        if (call.arguments.size() < 2) refuse("`{}` has no key", to_text(application));
        continue;
      }
      std::size_t extents = array(call.function, false).extents;
      if (call.arguments.size() != extents)
        refuse("`{}` has {} arguments, its array {} extents", to_text(application), call.arguments.size(),
               extents);
    }
  }

  void check(const Value &value) const {
    each_element(value, [&](const Element &element) { array(element.array, true); });
    each_local(value, [&](const Local &local) {
      if (look_up(local.name).role != Role::Number) refuse("`{}` is no value", local.name);
    });
    for (const Value &part : parts_of(value))
      check(part);
    const auto *made = value.as<Value::Apply>();
    if (!made) return;
    const value::Laws &laws = laws_of(made->op);
    const std::size_t count = made->arguments.size();
    if (count < laws.least || (count > laws.least && !laws.is_associative))
      refuse("a {} of {} values", laws.name, count);
  }

  void written(const std::string &name, Role role) const {
    const Entry &entry = look_up(name);
    if (entry.role != role) refuse("`{}` can't be assigned to", name);
    if (entry.parallel_depth != parallel_depth_ && !is_appended(name))
      refuse("iterations of a parallel loop race for `{}`", name);
  }

  void written(const Target &target) const {
    if (const auto *local = std::get_if<Local>(&target)) return written(local->name, Role::Number);
    const auto &element = std::get<Element>(target);
    written_array(element.array);
    const WorkspaceArray *workspace = array(element.array, true).workspace;
    if (parallel_depth_ == 0 || element.array == around_.copied || (workspace && workspace->per_thread) ||
        belongs_to_appended(element.array))
      return;
    if (depends_on_iteration(element.slot) || is_one_iteration()) return;
    refuse("iterations of a parallel loop race for `{}[{}]`", element.array, to_text(element.slot));
  }

  bool depends_on_iteration(const Term &slot) const {
    std::set<std::string> names = variables_of(slot);
    return std::any_of(names.begin(), names.end(), [&](const std::string &name) {
      return look_up(name).parallel_depth == parallel_depth_;
    });
  }

  /// Do its bounds, or a condition here, leave one iteration of the parallel loop: j <= its first value, j =
  /// t?
  bool is_one_iteration() const {
    const Term &upper = around_.loop->upper, second = around_.loop->lower + Term(1);
    const auto *least = upper.as<term::Minimum>();
    if (upper == second ||
        (least && std::find(least->of.begin(), least->of.end(), second) != least->of.end()))
      return true;
    const Term variable = term::variable(around_.loop->variable);
    const std::string &name = around_.loop->variable;
    return std::any_of(around_.conditions.begin(), around_.conditions.end(), [&](const Term &condition) {
      const auto *compare = condition.as<term::Compare>();
      if (!compare) return false;
      if (compare->relation == term::Relation::Equal) {
        std::optional<Term> value = term::solve_for(name, condition);
        return value && !depends_on_iteration(*value);
      }
      const Term rest = compare->left - term::scale(term::coefficient_of(compare->left, name), variable);
      if (term::coefficient_of(compare->left, name) == -1) return rest == around_.loop->lower;
      if (term::coefficient_of(compare->left, name) == 1)
        return term::scale(-1, rest) == around_.loop->upper - Term(1);
      return false;
    });
  }

  /// Each thread of the parallel loop around has its own.
  bool is_appended(const std::string &variable) const {
    const Appended *appended = appended_by(around_.loop);
    return appended && std::ranges::count(appended->variables(), variable) > 0;
  }

  /// Does the parallel loop around append to the result with that array?
  bool belongs_to_appended(const std::string &array) const {
    const Appended *appended = appended_by(around_.loop);
    return appended &&
           array.substr(0, array.find('.')) == appended->counters.front().count.substr(0, array.find('.'));
  }

  static const Appended *appended_by(const For *loop) {
    return loop && loop->parallel && loop->parallel->appended ? &*loop->parallel->appended : nullptr;
  }

  void written_array(const std::string &name) const {
    if (!array(name, true).writable) refuse("`{}` is written, but is no result's", name);
  }

  static bool has_bits(const WorkspaceArray *workspace) {
    return workspace && workspace->element == ElementType::Bit;
  }

  void blas(const Blas &call) {
    std::string why;
    if (!form_of(call, why)) refuse("BLAS has no such call: {}", why);
    if (call.threads && parallel_depth_ > 0) refuse("a call of BLAS has threads in a parallel loop");
    if (const auto *element = std::get_if<Element>(&call.target)) {
      if (element->array == around_.copied) refuse("BLAS adds to what threads have copies of");
      if (element->array == call.left.array || (call.right && element->array == call.right->array))
        refuse("BLAS reads `{}`, to which it adds", element->array);
    }
    added_to(call.target);
  }
  static bool is_hashed(const WorkspaceArray *workspace) { return workspace && workspace->hashed; }

  void zero(const Zero &x) const {
    const auto found = arrays_.find(x.array);
    const WorkspaceArray *workspace = found == arrays_.end() ? nullptr : found->second.workspace;
    const bool is_set = has_bits(workspace) || is_hashed(workspace);
    if (!is_set) written_array(x.array);
    if (is_hashed(workspace) && x.count != workspace->extent)
      refuse("some elements of the hashed array `{}` are taken out", x.array);
    if (is_set && parallel_depth_ > 0 && !workspace->per_thread)
      refuse("iterations of a parallel loop race for words of `{}`", x.array);
  }

  void set_element(const SetElement &x) const {
    const Array &set = array(x.array, false);
    if (!set.writable) refuse("`{}` is written, but is neither the result's nor of the workspace", x.array);
    const WorkspaceArray *workspace = set.workspace;
    if (x.whole_word && (!has_bits(workspace) || x.value != Term(0)))
      refuse("`{}` has no words of bits that are set to 0", x.array);
    if (!workspace && parallel_depth_ > 0 && !depends_on_iteration(x.slot) && !belongs_to_appended(x.array))
      refuse("iterations of a parallel loop race for `{}[{}]`", x.array, to_text(x.slot));
    if (is_hashed(workspace) && parallel_depth_ > 0 && !workspace->per_thread)
      refuse("iterations of a parallel loop race for the hash table of `{}`", x.array);
    if (!has_bits(workspace)) return;
    if (x.value != Term(0) && x.value != Term(1))
      refuse("a bit of `{}` is set to `{}`, which is neither 0 nor 1", x.array, to_text(x.value));
    if (parallel_depth_ > 0 && !workspace->per_thread)
      refuse("iterations of a parallel loop race for words of `{}`", x.array);
  }

  void sort(const Sort &x) const {
    ElementType type = ElementType::Bit;
    for (const std::string &name : {x.order, x.keys, x.room}) {
      if (name.empty() && name == x.keys) continue;
      const WorkspaceArray *array = this->array(name, false).workspace;
      const bool is_room = name == x.room;
      if (!array || array->element == ElementType::Bit || array->hashed)
        refuse("`{}` is sorted, but is no workspace array of integers", name);
      if (is_room ? array->element != ElementType::Int64 : type != ElementType::Bit && array->element != type)
        refuse("`{}` has elements of another type than sorting needs", name);
      if (parallel_depth_ > 0 && !array->per_thread)
        refuse("iterations of a parallel loop race for `{}`", name);
      type = array->element;
    }
    if (x.order == x.keys || x.order == x.room || x.keys == x.room)
      refuse("`{}` is sorted by itself, or in an array of its own", x.order);
  }

  void speculative(const Block &then, const Block &otherwise) const {
    const bool sets_bits = holds(then, [&](const Statement &statement) {
      const auto *set = statement.as<SetElement>();
      return set && has_bits(array(set->array, false).workspace);
    });
    if (appends_to(then).empty() || sets_bits || !otherwise.empty())
      refuse("what may be done where a condition doesn't hold does more than append");
  }

  void if_value(const IfValue &x) {
    if (look_up(x.local).role != Role::Number) refuse("`{}` is no value", x.local);
    if (std::isnan(x.number)) refuse("`{}` differs from what is no number", x.local);
    if (x.speculative) speculative(x.then, {});
    block(x.then);
  }

  void choice(const If &guard) {
    if (guard.speculative) speculative(guard.then, guard.otherwise);
    const std::size_t outside = around_.conditions.size();
    for (const Term &part : term::conjuncts(guard.condition))
      around_.conditions.push_back(part);
    block(guard.then);
    around_.conditions.resize(outside);
    block(guard.otherwise);
  }

  void block(const Block &statements) {
    auto outside = scope_;
    for (const Statement &inner : statements)
      statement(inner);
    scope_ = std::move(outside);
  }

  void loop(const Block &body, bool parallel) {
    parallel_depth_ += parallel;
    bool outside = may_break_;
    may_break_ = !parallel;
    block(body);
    may_break_ = outside;
    parallel_depth_ -= parallel;
  }

  void statement(const Statement &x) {
    each_own_term(x, [&](const Term &term) { check(term); });
    each_own_value(x, [&](const Value &value) { check(value); });
    std::visit(overloaded{
                   [&](const For &loop_) { for_loop(loop_); },
                   [&](const While &loop_) { loop(loop_.body, false); },
                   [&](const Intersect &loop_) { intersect(loop_, x); },
                   [&](const Merge &loop_) { merge(loop_, x); },
                   [&](const If &guard) { choice(guard); },
                   [&](const Let &let) { declare(let.variable, Role::Constant); },
                   [&](const Declare &declaration) { declare(declaration.variable, Role::Changeable); },
                   [&](const Assign &assignment) { written(assignment.variable, Role::Changeable); },
                   [&](const ShareOut &out) {
                     if (parallel_depth_ > 0) refuse("`{}` stands in a parallel loop", out.parts);
                     declare(out.parts, Role::Constant), declare(out.share, Role::Constant);
                   },
                   [&](const DeclareValue &declaration) { declare(declaration.name, Role::Number); },
                   [&](const Store &store) { written(store.target); },
                   [&](const Accumulate &store) {
                     if (!value::is_reduction(store.by))
                       refuse("`{}` has no identity", value::laws_of(store.by).name);
                     store.atomic ? atomic(store) : added_to(store.target);
                   },
                   [&](const Zero &zeroed) { zero(zeroed); },
                   [&](const SetElement &set) { set_element(set); },
                   [&](const Sort &sorted) { sort(sorted); },
                   [&](const IfValue &guard) { if_value(guard); },
                   [](const Reserve &) {}, // verify_assembled looks at these two
                   [](const SetCount &) {},
                   [&](const Break &) {
                     if (!may_break_)
                       refuse("a break leaves no loop, a parallel one, an intersection or a merge");
                   },
                   [](const Miss &) {},
                   [&](const Prefetch &wanted) {
                     if (!arrays_.contains(wanted.array)) refuse("there is no array `{}`", wanted.array);
                   },
                   [&](const Blas &call) { blas(call); },
               },
               x.kind);
  }

  /// The local that iterations of a parallel loop add to: declared just outside, and not read inside.
  void begin_sum(const For &loop_) const {
    written(loop_.parallel->sum, Role::Number);
    const bool is_read = holds(loop_.body, [&](const Statement &inner) {
      bool found = tests(inner, around_.sum);
      each_own_value(inner, [&](const Value &value) {
        each_local(value, [&](const Local &local) { found = found || local.name == around_.sum; });
      });
      return found;
    });
    if (is_read) refuse("iterations of a parallel loop read their sum `{}`", around_.sum);
  }

  void added_to(const Target &target) {
    const auto *local = std::get_if<Local>(&target);
    if (!local || around_.sum.empty() || local->name != around_.sum) written(target);
  }

  void atomic(const Accumulate &add) const {
    const auto *element = std::get_if<Element>(&add.target);
    if (!element || parallel_depth_ == 0)
      refuse("the addition to `{}` can't be atomic",
             element ? element->array : std::get<Local>(add.target).name);
    written_array(element->array);
  }

  static bool is_atomic(const Statement &statement) {
    const auto *add = statement.as<Accumulate>();
    return add && add->atomic;
  }

  /// How a parallel loop is shared out.
  static void check_chunks(const For &loop_) {
    const Parallel &parallel = *loop_.parallel;
    bool dynamic = parallel.schedule == Parallel::Schedule::Dynamic;
    if (parallel.chunk < (parallel.schedule == Parallel::Schedule::Static ? 0 : 1))
      refuse("the parallel loop over `{}` has no chunks", loop_.variable);
    if (parallel.share < 0 || (parallel.share > 0 && (!parallel.work || !dynamic)))
      refuse("the loop over `{}` has no work to share out", loop_.variable);
  }

  /// Whether locals that are declared outside are added to, if at all, and not read.
  static bool only_adds_outside(const Block &block) {
    const std::set<std::string> own = effects_of(block).declared;
    std::set<std::string> sums, others;
    each_statement(block, [&](const Statement &statement) {
      const Local *local = statement.is<Blas>() ? nullptr : written_local(statement);
      if (local) sums.insert(local->name);
      if (local && statement.is<Store>()) others.insert(local->name);
      if (const auto *test = statement.as<IfValue>()) others.insert(test->local);
      each_own_value(statement, [&](const Value &value) {
        each_local(value, [&](const Local &read) { others.insert(read.name); });
      });
    });
    return std::none_of(sums.begin(), sums.end(),
                        [&](auto &name) { return !own.contains(name) && others.contains(name); });
  }

  void check_masked(const For &loop_, bool plain) const {
    const std::string &pointers = loop_.masked->pointers;
    auto array = arrays_.find(pointers);
    bool good =
        pointers.empty() || (array != arrays_.end() && !array->second.is_value && array->second.extents == 1);
    if (!plain || loop_.simd || !is_over_sizes(loop_.masked->when, program_) || !good ||
        !gathered_sum(loop_, program_))
      refuse("the loop over `{}` can't be a masked one", loop_.variable);
  }

  void check_team(const For &loop_) const {
    const Statement *last = behind_lets(loop_.body);
    const auto *shared = last ? last->as<For>() : nullptr;
    if (loop_.parallel || parallel_depth_ > 0 || !shared || !shared->parallel ||
        shared->parallel->least > 0 || shared->parallel->work || !shared->parallel->sum.empty() ||
        !shared->parallel->copied.empty())
      refuse("the loop over `{}` is not one for a team", loop_.variable);
  }

  void for_loop(const For &loop_) {
    if (loop_.step <= 0) refuse("the step of the loop over `{}` is not positive", loop_.variable);
    if (loop_.together < 1 || loop_.together > 64 || (loop_.together > 1 && !may_test_together(loop_)))
      refuse("the loop over `{}` can't test {} iterations together", loop_.variable, loop_.together);
    const bool plain = is_serial(loop_);
    bool may_be_simd = loop_.step == 1 && loop_.together == 1 && !effects_of(loop_.body).breaks &&
                       !holds(loop_.body, is_loop) && only_adds_outside(loop_.body) &&
                       !holds(loop_.body, is_atomic);
    if (loop_.simd && !may_be_simd) refuse("the loop over `{}` can't be a simd loop", loop_.variable);
    if (loop_.masked) check_masked(loop_, plain);
    if (loop_.parallel) check_chunks(loop_);
    if (loop_.team) check_team(loop_);
    const auto outside = scope_;
    const Around around = around_;
    if (const auto &parallel = loop_.parallel) {
      if (!parallel->copied.empty()) {
        around_.copied = parallel->copied;
        written_array(parallel->copied);
        if (parallel_depth_ > 0 || !only_adds_to(loop_.body, parallel->copied))
          refuse("the parallel loop over `{}` can't add to copies of `{}`", loop_.variable, parallel->copied);
      }
      around_.sum = parallel->sum;
      if (!parallel->sum.empty()) begin_sum(loop_);
    }
    parallel_depth_ += loop_.parallel.has_value();
    declare(loop_.variable, Role::Constant);
    parallel_depth_ -= loop_.parallel.has_value();
    if (loop_.parallel) around_.loop = &loop_, around_.conditions.clear();
    loop(loop_.body, loop_.parallel.has_value());
    around_ = around;
    scope_ = outside;
  }

  /// The ranges of the loop.
  void check_keys(const Statement &loop_, const char *joined) const {
    const Effects effects = effects_of(loop_);
    for (const KeyedRange *range : keyed_ranges_of(loop_)) {
      if (array(range->key, false).extents != 1)
        refuse("the keys `{}` have not exactly one extent", range->key);
      if (is_hashed(array(range->key, false).workspace))
        refuse("the keys `{}` don't lie one behind the other", range->key);
      if (effects.stored.contains(range->key))
        refuse("the keys `{}` are written where they are {}", range->key, joined);
    }
  }

  void unbroken(const Block &body) {
    bool may_break = std::exchange(may_break_, false);
    block(body);
    may_break_ = may_break;
  }

  void intersect(const Intersect &x, const Statement &loop_) {
    check_keys(loop_, "intersected");
    auto outside = scope_;
    declare(x.first.variable, Role::Constant);
    declare(x.second.variable, Role::Constant);
    unbroken(x.body);
    scope_ = std::move(outside);
  }

  void merge(const Merge &x, const Statement &loop_) {
    check_keys(loop_, "merged");
    if (x.ranges.empty()) refuse("nothing is merged by `{}`", x.variable);
    auto outside = scope_;
    declare(x.variable, Role::Constant);
    std::set<std::string> positions; // stand side by side in C
    for (const MergedRange &merged : x.ranges) {
      auto around = scope_;
      declare(merged.range.variable, Role::Constant);
      if (!positions.insert(merged.range.variable).second)
        refuse("`{}` is declared twice", merged.range.variable);
      unbroken(merged.body);
      scope_ = std::move(around);
    }
    unbroken(x.body);
    scope_ = std::move(outside);
  }

  const Program &program_;
  std::map<std::string, Entry> scope_;
  std::map<std::string, Array> arrays_;
  int parallel_depth_ = 0;
  bool may_break_ = false;
  Around around_;
};

} // namespace

void verify(const Program &program) {
  Verifier{program};
  verify_assembled(program);
  verify_vector_sums(program);
}

} // namespace unravel::loop
