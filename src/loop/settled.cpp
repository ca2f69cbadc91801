#include "loop/jam.h"
#include "loop/load.h"
#include "loop/passes.h"
#include "loop/rename.h"
#include "loop/types.h"
#include "loop/walk.h"

#include <algorithm>
#include <utility>

namespace unravel::loop {

namespace {

/// Does a reduction by it stay as it is once it differs from the identity, whatever is still to come? A truth
/// does, once it has been reduced, if the other truth absorbs.
bool settles(Operator by) {
  return by == Operator::Any ||
         (value::is_truth(by) && value::absorbed(by, 0, 1 - value::identity_of(by)).has_value());
}

/// The local that the loop reduces by an operator that may settle, where it does nothing else that is seen
/// outside. Otherwise empty.
std::string reduced_alone(const For &loop) {
  if (loop.parallel || loop.simd || loop.team || loop.masked || loop.together > 1) return "";
  if ((loop.upper - loop.lower).as<term::Constant>()) return ""; // short, perhaps written out
  const Effects effects = effects_of(loop.body);
  auto is_inside = [&](const std::string &name) { return effects.declared.contains(name); };
  std::vector<std::string> outside;
  std::copy_if(effects.stored.begin(), effects.stored.end(), std::back_inserter(outside),
               [&](const std::string &name) { return !is_inside(name); });
  if (outside.size() != 1 || effects.breaks || effects.misses || !effects.counted.empty() ||
      !std::all_of(effects.assigned.begin(), effects.assigned.end(), is_inside))
    return "";
  const bool is_local = !holds(loop.body, reduced_element);
  const std::optional<Operator> by = is_local ? reduction_of(loop.body, outside[0]) : std::nullopt;
  return by && settles(*by) ? outside[0] : "";
}

/// The truth that a reduction by it can't leave any more; none of `any`, which has many.
std::optional<double> settled_truth(Operator by) {
  return value::is_truth(by) ? std::optional(1 - value::identity_of(by)) : std::nullopt;
}

/// Does each iteration only reduce into the local, behind Lets? Such iterations are done several at once,
/// some of them twice, which makes no difference to a truth that has settled.
bool only_reduces(const For &loop, const std::string &local) {
  return loop.step == 1 && behind_lets(loop.body) && reduces(loop.body.back(), local);
}

class Leaver {
public:
  explicit Leaver(const Program &program) : names_(program), types_(program) {
    each_statement(program.body, [this](const Statement &statement) {
      if (const auto *declared = statement.as<DeclareValue>()) look_at(declared->name, declared->initial);
      if (const auto *store = statement.as<Store>())
        if (const Local *local = written_local(statement)) look_at(local->name, store->value);
      if (const auto *loop = statement.as<For>())
        if (loop->parallel && !loop->parallel->sum.empty()) copied_.insert(loop->parallel->sum);
    });
  }

  void leave_loops(Block &block) {
    Block made;
    for (Statement &statement : block) {
      auto *loop = statement.as<For>();
      const std::string local = loop ? reduced_alone(*loop) : "";
      const std::string outside = inside_;
      if (!local.empty()) inside_ = local;
      for (Block *inner : blocks_of(statement))
        leave_loops(*inner);
      inside_ = outside;
      if (local.empty() || copied_.contains(local)) {
        made.push_back(std::move(statement));
        continue;
      }
      const Operator by = reduction_of(loop->body, local).value();
      const std::optional<double> settled = settled_truth(by);
      const Origins origins = statement.origins;
      Block left;
      if (settled && only_reduces(*loop, local)) {
        left = by_steps(*loop, local, by, origins);
      } else {
        leave_once_settled(loop->body, local);
        left.push_back(std::move(statement));
      }
      // a loop around that reduces into it, too, is left by then
      if (settled && inside_ != local && !begins_with_identity(made, local, by))
        left = {{IfValue{local, std::move(left), "", IfValue::Test::Differs, false, *settled}, origins}};
      append(made, std::move(left));
    }
    block = std::move(made);
  }

private:
  void look_at(const std::string &local, const Value &value) {
    const auto *number = value.as<Number>();
    if (!number || (number->value != 0 && number->value != 1)) others_.insert(local);
  }

  /// Is that what the statements leave in the local?
  static bool begins_with_identity(const Block &before, const std::string &local, Operator by) {
    for (auto each = before.rbegin(); each != before.rend(); ++each) {
      const auto *declared = each->as<DeclareValue>();
      if (declared && declared->name == local) {
        const double *number = value::number_of(declared->initial);
        return number && *number == value::identity_of(by);
      }
      if (effects_of(*each).stored.contains(local)) return false;
    }
    return false;
  }

  /// The iteration for that value of the loop's variable.
  Block iteration(const For &loop, const term::Term &value) {
    Block copy = loop.body;
    std::map<std::string, std::string> names;
    for (const Statement &statement : copy)
      if (const auto *let = statement.as<Let>()) names[let->variable] = names_.name(let->variable);
    substitute_variable(copy, loop.variable, value);
    rename(copy, names);
    return copy;
  }

  /// How many iterations are done between two tests. Of four that read floating point C compilers make
  /// vectors of elements that they gather one by one.
  int at_once(const For &loop) const {
    bool has_reals = false;
    each_element(loop.body, [&](const Element &read) {
      has_reals = has_reals || !value::is_integer(types_.of_array(read.array));
    });
    return has_reals ? 2 : 4;
  }

  /// The loop in steps of several iterations, behind which the local is tested, and then the last ones, of
  /// which some may have been done: a branch per iteration would be mispredicted more often. Short loops have
  /// no other branch than whether they are empty.
  Block by_steps(const For &loop, const std::string &local, Operator by, const Origins &origins) {
    Block made;
    const auto named = [&](const term::Term &bound, const char *end) {
      if (bound.as<term::Variable>() || bound.as<term::Constant>()) return bound;
      const std::string name = names_.name(loop.variable + end);
      made.push_back({Let{name, bound}, origins});
      return term::variable(name);
    };
    const term::Term begin = named(loop.lower, "_begin"), end = named(loop.upper, "_end");
    const int step = at_once(loop);
    For main = loop;
    main.lower = begin;
    main.upper = end - term::Term(step - 1);
    main.step = step;
    main.body.clear();
    for (int k = 0; k < step; ++k)
      append(main.body, iteration(loop, term::variable(loop.variable) + term::Term(k)));
    main.body.push_back({IfValue{local,
                                 {{Break{}, origins}},
                                 "nothing can change it any more",
                                 IfValue::Test::Differs,
                                 false,
                                 value::identity_of(by)},
                         origins});
    made.push_back({std::move(main), origins});
    Block last;
    for (int k = step - 1; k > 0; --k)
      append(last,
             iteration(loop, k == 1 ? end - term::Term(1) : term::maximum({begin, end - term::Term(k)})));
    Block some{{If{term::less(begin, end), std::move(last), "", {}}, origins}};
    const char *what = step == 2 ? "the last one, perhaps again" : "the remaining ones, some of them again";
    made.push_back(
        {IfValue{local, std::move(some), what, IfValue::Test::Differs, false, *settled_truth(by)}, origins});
    return made;
  }

  /// Leaves the loop around the block where the local has settled. Behind a loop, which may have no
  /// iteration, only locals that are always 0 or 1 are asked: of another number the reduction makes one of
  /// these.
  void leave_once_settled(Block &block, const std::string &local) const {
    Block made;
    for (std::size_t k = 0; k < block.size(); ++k) {
      Statement &statement = block[k];
      bool here = reduces(statement, local);
      if (is_loop(statement) || tests(statement, local)) { // by_steps puts tests behind loops
        here = holds(statement, [&](const Statement &inner) { return reduces(inner, local); }) &&
               !others_.contains(local) && (k + 1 == block.size() || !tests(block[k + 1], local));
      } else {
        for (Block *inner : blocks_of(statement))
          leave_once_settled(*inner, local);
      }
      const std::optional<Operator> by = here ? reduction_of(statement, local) : std::nullopt;
      const Origins origins = statement.origins;
      made.push_back(std::move(statement));
      if (!by) continue;
      IfValue settled{local, {{Break{}, origins}},   "nothing can change it any more", IfValue::Test::Differs,
                      false, value::identity_of(*by)};
      made.push_back({std::move(settled), origins});
    }
    block = std::move(made);
  }

  FreshNames names_;
  const Types types_;
  std::string inside_;           // what the loop around, if it is one to leave, reduces into
  std::set<std::string> others_; // locals that may hold other numbers than 0 and 1
  std::set<std::string> copied_; // those that threads have copies of, which they don't read
};

} // namespace

Program leave_settled(Program program, const Known &) {
  Leaver(program).leave_loops(program.body);
  return program;
}

} // namespace unravel::loop
