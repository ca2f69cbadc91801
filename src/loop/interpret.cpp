#include "loop/interpret.h"

#include "loop/assembled.h"
#include "loop/hash.h"
#include "loop/interpret_appended.h"
#include "loop/interpret_code.h"
#include "loop/races.h"
#include "loop/verify.h"
#include "loop/walk.h"
#include "report/diagnostic.h"
#include "term/quotient.h"

#include <algorithm>
#include <fmt/format.h>
#include <random>
#include <ranges>
#include <set>

namespace unravel::loop {

namespace {

using term::overloaded;
using term::Term;
using value::Scalar;

/// One run.
template <class CodeType> class Machine {
public:
  Machine(const CodeType &code, Memory &memory, const InterpretOptions &options)
      : code_(code), options_(options), budget_(options.iteration_budget), observer_(options.observer),
        random_(options.seed), variables_(code.variables.size()), locals_(code.locals.size()),
        is_nothing_in_(code.locals.size()) {
    for (std::size_t k = 0; k < locals_.size(); ++k)
      locals_[k].type = code.locals[k];
    for (const auto &[name, slot] : code.sizes) {
      auto found = memory.sizes.find(name);
      if (found == memory.sizes.end()) refuse("size `{}` is not given", name);
      variables_[slot] = found->second;
    }
    memory_ = &memory;
  }

  int run() {
    const auto holds = [&](std::size_t condition) { return term(condition) != 0; };
    if (!std::ranges::all_of(code_.conditions_of_sizes, holds)) return 1; // arrays are of other sizes then
    for (const CountCode &count : code_.counts)
      variables_[count.slot] = -1; // nothing is reserved
    bind_arrays();
    if (!std::ranges::all_of(code_.conditions_of_arrays, holds)) return 1;
    if (observer_) observer_->start(code_.variables, code_.array_names());
    try {
      block(code_.body);
    } catch (const Ended &ended) {
      return ended.code;
    }
    check_workspace(false);
    if (missed_) return 3;
    give_results();
    return 0;
  }

private:
  void bind_arrays() {
    for (const ArrayCode &code : code_.arrays) {
      Array array;
      if (code.assembled) {
        make_array(code, array);
        arrays_.push_back(std::move(array));
        continue;
      }
      if (code.workspace)
        make_workspace(code, array);
      else
        bind(code, *memory_, array);
      for (std::size_t k = 0; k < code.extents.size() && !code.workspace; ++k) {
        array.extents.push_back(term(code.extents[k]));
        array.total *= array.extents.back();
      }
      arrays_.push_back(std::move(array));
    }
  }

  // ---- assembled results

  void make_array(const ArrayCode &code, Array &array) {
    make(code, made_, array);
    set_extents(code, array);
    if (code.is_counted)
      array.extents[0] = array.total = 0;
    else
      resize(array);
  }

  /// As they are with the counts' present values; ends the run where nobody has memory for so much.
  void set_extents(const ArrayCode &code, Array &array) {
    array.extents.clear();
    array.total = 1;
    for (std::size_t extent : code.extents) {
      array.extents.push_back(std::max<std::int64_t>(0, term(extent)));
      if (array.extents.back() > 0 && array.total > most_in_memory / array.extents.back()) throw Ended{2};
      array.total *= array.extents.back();
    }
  }

  void reserve(const Step &step) {
    const std::int64_t least = term(step.first);
    if (least > variables_[code_.counts[step.slot].slot]) make_room({step.slot, 0, step.arrays}, least);
  }

  void reserve_workspace(const Step &step) {
    for (std::size_t each : step.arrays)
      loop::reserve(code_.arrays[each], arrays_[each], term(step.first));
  }

  void set_count(const Step &step) {
    const CountCode &count = code_.counts[step.slot];
    variables_[count.slot] = term(step.first);
    if (variables_[count.slot] < 0) refuse("the count `{}` is set to {}", count.name, variables_[count.slot]);
    for (std::size_t each : step.arrays) {
      Array &array = arrays_[each];
      const std::int64_t reserved = array.total;
      set_extents(code_.arrays[each], array);
      if (array.total > reserved)
        refuse("array `{}` has {} elements, too few for the count of {}", code_.arrays[each].name, reserved,
               variables_[count.slot]);
      resize(array);
    }
  }

  void give_results() {
    for (const CountCode &count : code_.counts)
      memory_->sizes[count.name] = variables_[count.slot];
    for (auto &[name, elements] : made_.indices)
      memory_->indices[name] = std::move(elements);
    for (auto &[name, elements] : made_.values)
      memory_->values[name] = std::move(elements);
    for (auto &[name, elements] : made_.imaginary)
      memory_->imaginary[name] = std::move(elements);
  }

  // ---- the workspace

  void make_workspace(const ArrayCode &code, Array &array) {
    std::int64_t count = term(code.when) ? std::max<std::int64_t>(0, term(code.extents[0])) : 0;
    array.extents = {count};
    array.total = count;
    make(code, workspace_, array);
    resize(array);
    fill(code, array);
  }

  /// The arrays that begin as a number are that again (`per_thread`: only those that each thread has).
  void check_workspace(bool per_thread) const {
    for (std::size_t k = 0; k < code_.arrays.size(); ++k) {
      const ArrayCode &code = code_.arrays[k];
      if (!code.workspace || !code.workspace->initial || (per_thread && !code.workspace->per_thread))
        continue;
      std::int64_t initial = *code.workspace->initial;
      const Array &array = arrays_[k];
      for (std::int64_t slot = 0; slot < array.total; ++slot) {
        auto at = static_cast<std::size_t>(slot);
        if (code.is_value ? is_stored((*array.values)[at]) : (*array.indices)[at] != initial)
          refuse("array `{}` holds another value than {} at slot {} {}", code.name, initial, slot,
                 per_thread ? "after an iteration" : "at the end");
      }
    }
  }

  /// An iteration of a parallel loop can't rely on what another one has left in a thread's own arrays.
  void begin_parallel_iteration() {
    for (std::size_t k = 0; k < code_.arrays.size(); ++k)
      if (const auto &workspace = code_.arrays[k].workspace;
          workspace && workspace->per_thread && !workspace->initial)
        fill(code_.arrays[k], arrays_[k]);
  }

  void set_element(const Step &step) {
    const ArrayCode &code = code_.arrays[step.slot];
    Array &array = arrays_[step.slot];
    std::int64_t value = term(step.second);
    std::int64_t slot = term(step.first);
    if (slot < 0 || slot >= array.total) out_of_range(step.slot, slot, array.total);
    enter(code, array, slot);
    constexpr std::int64_t word = 64;
    const std::int64_t first = step.whole_word ? slot / word * word : slot;
    const std::int64_t end = step.whole_word ? std::min(first + word, array.total) : slot + 1;
    for (std::int64_t other = first; other < end; ++other) {
      touch(step.slot, other, Races::Touch::Write);
      (*array.indices)[static_cast<std::size_t>(other)] = value;
    }
    if (code.element == ElementType::Int32 && value != static_cast<std::int32_t>(value))
      refuse("array `{}` can't hold {}", code.name, value);
  }

  void share_out(const Step &step) {
    const std::int64_t total = term(step.first), each = term(step.third), threads = 3;
    if (each <= 0) refuse("a share of {} is nothing", each);
    const std::int64_t parts = variables_[step.slot] = std::clamp<std::int64_t>(total / each, 1, threads);
    variables_[step.second] = (total + parts - 1) / parts;
  }

  void sort(const Step &step) {
    const std::int64_t count = term(step.first);
    if (count <= 0) return;
    const std::size_t keys = step.arrays[0], other = step.arrays[1];
    const std::int64_t room = count * room_to_sort(code_.arrays[step.slot].element, keys != step.slot);
    std::vector<std::vector<std::int64_t> *> written;
    for (std::size_t array : {step.slot, keys, other}) {
      const std::int64_t most = array == other ? room : count;
      if (most > arrays_[array].total) out_of_range(array, most - 1, arrays_[array].total);
      for (std::int64_t slot = 0; slot < most; ++slot)
        touch(array, slot, Races::Touch::Write);
      written.push_back(arrays_[array].indices);
    }
    sort_by_keys(*written[0], *written[1], count);
    std::fill_n(written[2]->begin(), room, odd_number);
  }

  std::int64_t hash(const Node &node) {
    std::uint64_t state = 0;
    for (std::size_t k = 1; k < node.children.size(); ++k)
      state = hash_key(state, term(node.children[k]));
    return hash_range(state, term(node.children[0]));
  }

  // ---- terms and values

  [[noreturn]] void out_of_range(std::size_t array, std::int64_t slot, std::int64_t extent) const {
    refuse("array `{}` is accessed at slot {}, its extent is {}", code_.arrays[array].name, slot, extent);
  }

  void check_given(std::size_t array, std::int64_t slot, std::size_t given) const {
    if (slot >= 0 && static_cast<std::size_t>(slot) < given) return;
    refuse("array `{}` is accessed at slot {}, but {} elements are given", code_.arrays[array].name, slot,
           given);
  }

  std::int64_t load(const Node &node) {
    const Array &array = arrays_[node.slot];
    std::int64_t slot = 0;
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      std::int64_t argument = term(node.children[k]);
      if (argument < 0 || argument >= array.extents[k]) out_of_range(node.slot, argument, array.extents[k]);
      slot = slot * array.extents[k] + argument;
    }
    check_given(node.slot, slot, array.indices->size());
    touch(node.slot, slot, Races::Touch::Read);
    return (*array.indices)[static_cast<std::size_t>(slot)];
  }

  /// An element is accessed; with iterations in another order they are also looked at for races.
  void touch(std::size_t array, std::int64_t slot, Races::Touch how) {
    if (observer_) observer_->touch(array, slot, 1);
    if (!options_.permute_parallel || !code_.arrays[array].may_race) return;
    if (races_.touch(array, slot, how))
      refuse("iterations of a parallel loop race for slot {} of array `{}`", slot, code_.arrays[array].name);
  }

  /// The slot of an element that is accessed.
  std::size_t element(std::size_t array, std::size_t slot_term, Races::Touch how) {
    std::int64_t slot = term(slot_term);
    if (slot < 0 || slot >= arrays_[array].total) out_of_range(array, slot, arrays_[array].total);
    check_given(array, slot, arrays_[array].values->size());
    touch(array, slot, how);
    return static_cast<std::size_t>(slot);
  }

  std::int64_t term(std::size_t index) {
    const Node &node = code_.nodes[index];
    switch (node.op) {
    case Node::Constant: return node.constant;
    case Node::Variable: return variables_[node.slot];
    case Node::Linear: {
      std::int64_t sum = node.constant;
      for (std::size_t k = 0; k < node.children.size(); ++k)
        sum += node.coefficients[k] * term(node.children[k]);
      return sum;
    }
    case Node::Load: return load(node);
    case Node::Hash: return hash(node);
    case Node::FloorDivide: return term::floor_quotient(term(node.children[0]), node.constant);
    case Node::Modulo: {
      std::int64_t numerator = term(node.children[0]);
      return numerator - node.constant * term::floor_quotient(numerator, node.constant);
    }
    case Node::Product: return term(node.children[0]) * term(node.children[1]);
    case Node::Minimum:
    case Node::Maximum: {
      std::int64_t result = term(node.children[0]);
      for (std::size_t k = 1; k < node.children.size(); ++k) {
        std::int64_t other = term(node.children[k]);
        result = node.op == Node::Minimum ? std::min(result, other) : std::max(result, other);
      }
      return result;
    }
    case Node::Equal: return term(node.children[0]) == 0;
    case Node::AtLeast: return term(node.children[0]) >= 0;
    case Node::And:
      return std::all_of(node.children.begin(), node.children.end(), [&](auto c) { return term(c) != 0; });
    case Node::Or:
      return std::any_of(node.children.begin(), node.children.end(), [&](auto c) { return term(c) != 0; });
    case Node::Not: return term(node.children[0]) == 0;
    }
    return 0;
  }

  Scalar value(std::size_t index) {
    const ValueNode &node = code_.values[index];
    switch (node.op) {
    case ValueNode::Number: return Scalar::written(node.number);
    case ValueNode::Element: {
      const std::size_t slot = element(node.slot, node.term, Races::Touch::Read);
      const Array &from = arrays_[node.slot];
      is_nothing_ |= code_.arrays[node.slot].workspace && !is_stored((*from.values)[slot]) &&
                     !(from.imaginary && (*from.imaginary)[slot] != 0);
      return read(from, code_.arrays[node.slot].element, slot);
    }
    case ValueNode::Term: return {ElementType::Int64, 0, term(node.term)};
    case ValueNode::Local: is_nothing_ |= is_nothing_in_[node.slot]; return locals_[node.slot];
    case ValueNode::Apply: {
      if (observer_ && !value::made_by_conversion(node.apply))
        observer_->operate(std::max<std::size_t>(node.children.size(), 2) - 1);
      auto arguments = node.children | std::views::transform([&](std::size_t child) { return value(child); });
      if (node.type == ElementType::Float64 && !value::made_by_conversion(node.apply) &&
          !value::takes_part(node.apply))
        return {node.type,
                value::evaluate<double>(node.apply, arguments | std::views::transform(&Scalar::number))};
      return value::evaluate_exactly(node.apply, node.type, {arguments.begin(), arguments.end()});
    }
    }
    return {};
  }

  /// The value to be added or stored. What isn't stored in a map of values belongs to no point.
  Scalar written(const Step &step) {
    is_nothing_ = false;
    Scalar result = value(step.second);
    if (observer_ && step.is_point && !is_nothing_) observer_->point();
    return result;
  }

  void count_iteration() {
    if (--budget_ < 0) refuse("the program runs for more than {} iterations", options_.iteration_budget);
  }

  /// False when a break was met.
  bool block(const std::vector<Step> &steps) {
    return std::all_of(steps.begin(), steps.end(), [&](const Step &step) { return run(step); });
  }

  void for_loop(const Step &loop) {
    std::int64_t lower = term(loop.first);
    std::int64_t upper = term(loop.second);
    if (loop.appended && options_.permute_parallel) return appending_loop(loop, lower, upper);
    if ((loop.parallel || loop.is_simd) && options_.permute_parallel)
      return permuted_iterations(loop, lower, upper, [&] { block(loop.body); });
    for (std::int64_t k = lower; k < upper; k += loop.step) {
      count_iteration();
      variables_[loop.slot] = k;
      if (observer_) observer_->enter(loop.slot, k);
      if (loop.parallel && !observer_) begin_parallel_iteration();
      bool goes_on = block(loop.body);
      if (observer_) observer_->leave(loop.slot);
      if (!goes_on) return;
      if (loop.parallel && !observer_) check_workspace(true);
    }
  }

  /// The body of a While that begins with a Let.
  bool observed(const std::vector<Step> &body) {
    run(body.front());
    observer_->enter(body.front().slot, variables_[body.front().slot]);
    bool goes_on = std::all_of(body.begin() + 1, body.end(), [&](const Step &step) { return run(step); });
    observer_->leave(body.front().slot);
    return goes_on;
  }

  /// Calls `iteration` with the loop's variable set.
  template <class Iteration>
  void permuted_iterations(const Step &loop, std::int64_t lower, std::int64_t upper, Iteration iteration) {
    std::vector<std::int64_t> order;
    for (std::int64_t k = lower; k < upper; k += loop.step) {
      count_iteration();
      order.push_back(k);
    }
    std::shuffle(order.begin(), order.end(), random_);
    if (loop.parallel) races_.enter(loop.copied);
    for (std::int64_t k : order) {
      variables_[loop.slot] = k;
      if (loop.parallel) races_.begin_iteration(k), begin_parallel_iteration();
      iteration();
      if (loop.parallel) check_workspace(true);
    }
    if (loop.parallel) races_.leave();
  }

  /// Each iteration appends to arrays of its own, which are joined at the end.
  void appending_loop(const Step &loop, std::int64_t lower, std::int64_t upper) {
    AppendedParts parts(
        *loop.appended, variables_, lower, upper, loop.step,
        [&](const AppendedCode::Counter &counter, std::int64_t count) { make_room(counter, count); },
        [&](std::size_t array) -> const Array & { return arrays_[array]; });
    permuted_iterations(loop, lower, upper, [&] {
      const std::int64_t iteration = variables_[loop.slot];
      parts.begin(iteration);
      block(loop.body);
      parts.end(iteration);
    });
    parts.join();
  }

  void make_room(const AppendedCode::Counter &counter, std::int64_t count) {
    const CountCode &code = code_.counts[counter.count];
    if (count > code.most) throw Ended{code.most < most_in_memory ? 4 : 2};
    variables_[code.slot] = count;
    for (std::size_t array : counter.arrays)
      set_extents(code_.arrays[array], arrays_[array]);
    for (std::size_t array : counter.arrays)
      resize(arrays_[array]);
  }

  /// The keys of a range, which must strictly increase. `joined`: how ranges are.
  std::vector<std::int64_t> keys_of(const RangeCode &range, std::int64_t lower, std::int64_t upper,
                                    const char *joined) {
    std::vector<std::int64_t> keys;
    for (std::int64_t at = lower; at < upper; ++at) {
      variables_[range.slot] = at;
      keys.push_back(term(range.key));
      if (keys.size() > 1 && keys[keys.size() - 2] >= keys.back())
        refuse("keys that are {} don't strictly increase: {} comes before {}", joined, keys[keys.size() - 2],
               keys.back());
    }
    return keys;
  }

  void intersect(const Step &step) {
    const RangeCode &first = step.ranges[0], &second = step.ranges[1];
    std::int64_t first_lower = term(first.lower), first_upper = term(first.upper);
    std::int64_t second_lower = term(second.lower), second_upper = term(second.upper);
    if (first_lower >= first_upper || second_lower >= second_upper) return;
    std::vector<std::int64_t> first_keys = keys_of(first, first_lower, first_upper, "intersected");
    std::vector<std::int64_t> second_keys = keys_of(second, second_lower, second_upper, "intersected");
    for (std::size_t p = 0, q = 0; p < first_keys.size() && q < second_keys.size();) {
      count_iteration();
      std::int64_t left = first_keys[p], right = second_keys[q];
      if (left == right) {
        variables_[first.slot] = first_lower + static_cast<std::int64_t>(p);
        variables_[second.slot] = second_lower + static_cast<std::int64_t>(q);
        block(step.body);
      }
      p += left <= right;
      q += right <= left;
    }
  }

  void merge(const Step &step) {
    struct Side {
      std::int64_t lower;
      std::vector<std::int64_t> keys;
      std::size_t at = 0;
    };
    std::vector<Side> sides;
    std::set<std::int64_t> all;
    for (const RangeCode &range : step.ranges) { // all bounds come before the first key
      const std::int64_t lower = term(range.lower);
      sides.push_back({lower, keys_of(range, lower, term(range.upper), "merged")});
      all.insert(sides.back().keys.begin(), sides.back().keys.end());
    }
    for (std::int64_t key : all) {
      count_iteration();
      for (std::size_t k = 0; k < sides.size(); ++k) {
        Side &side = sides[k];
        if (side.at == side.keys.size() || side.keys[side.at] != key) continue;
        variables_[step.slot] = key;
        variables_[step.ranges[k].slot] = side.lower + static_cast<std::int64_t>(side.at++);
        block(step.body[k].body);
      }
      variables_[step.slot] = key;
      block(step.otherwise);
    }
  }

  bool choose(const Step &step, bool holds) {
    if (!holds && step.speculative)
      std::for_each(step.body.begin(), step.body.end() - 1, [&](const Step &each) { run(each); });
    return block(holds ? step.body : step.otherwise);
  }

  static Scalar reduced(value::Operator by, const Scalar &target, const Scalar &value) {
    if (target.type != ElementType::Float64) return value::evaluate_exactly(by, target.type, {target, value});
    return {target.type, value::evaluate<double>(by, std::array{target.number(), value.number()})};
  }

  bool run(const Step &step) {
    switch (step.op) {
    case Step::For: for_loop(step); return true;
    case Step::While:
      while (term(step.first)) {
        count_iteration();
        if (!(observer_ && step.lets ? observed(step.body) : block(step.body))) break;
      }
      return true;
    case Step::Intersect: intersect(step); return true;
    case Step::Merge: merge(step); return true;
    case Step::MergedRange: return true; // run by its Merge
    case Step::If: return choose(step, term(step.first) != 0);
    case Step::IfNan: return choose(step, is_nan(locals_[step.slot]));
    case Step::IfDiffers: return choose(step, differs(locals_[step.slot], step.number));
    case Step::IfStored: return choose(step, is_stored(locals_[step.slot]));
    case Step::SetElement: set_element(step); return true;
    case Step::Sort: sort(step); return true;
    case Step::ShareOut: share_out(step); return true;
    case Step::SetVariable: variables_[step.slot] = term(step.first); return true;
    case Step::StoreElement: {
      const std::size_t slot = element(step.slot, step.first, Races::Touch::Write);
      loop::write(arrays_[step.slot], slot, converted(written(step), code_.arrays[step.slot].element));
      return true;
    }
    case Step::AddElement: {
      const Scalar added = written(step);
      if (observer_) observer_->operate(1);
      const std::size_t slot =
          element(step.slot, step.first, step.atomic ? Races::Touch::Atomic : Races::Touch::Write);
      const Array &to = arrays_[step.slot];
      loop::write(to, slot, reduced(step.by, read(to, code_.arrays[step.slot].element, slot), added));
      return true;
    }
    case Step::StoreLocal:
      locals_[step.slot] = converted(written(step), code_.locals[step.slot]);
      is_nothing_in_[step.slot] = is_nothing_;
      return true;
    case Step::AddLocal:
      if (observer_) observer_->operate(1);
      locals_[step.slot] = reduced(step.by, locals_[step.slot], written(step));
      return true;
    case Step::Zero: zero(step); return true;
    case Step::Break: return false;
    case Step::Miss: missed_ = true; return true;
    case Step::Reserve: reserve(step); return true;
    case Step::ReserveWorkspace: reserve_workspace(step); return true;
    case Step::SetCount: set_count(step); return true;
    case Step::Evaluate: term(step.first); return true;
    }
    return true;
  }

  void zero(const Step &step) {
    Array &array = arrays_[step.slot];
    std::int64_t count = term(step.first);
    if (count > array.total) out_of_range(step.slot, count - 1, array.total);
    if (const ArrayCode &code = code_.arrays[step.slot]; !code.is_value) { // bits, or hashed
      each_to_zero(code, array, count, [&](std::int64_t slot) {
        touch(step.slot, slot, Races::Touch::Write);
        (*array.indices)[static_cast<std::size_t>(slot)] = code.workspace->initial.value_or(0);
      });
      array.entered.clear(), array.reserved = 0;
      return;
    }
    if (count > 0) check_given(step.slot, count - 1, array.values->size());
    if (observer_ && count > 0) observer_->touch(step.slot, 0, count);
    clear(array, count);
  }

  const CodeType &code_;
  const InterpretOptions &options_;
  std::int64_t budget_;
  bool missed_ = false;
  Observer *observer_ = nullptr;
  bool is_nothing_ = false; // a value that was read of a map is none
  std::mt19937_64 random_;
  Races races_;
  std::vector<std::int64_t> variables_;
  std::vector<Scalar> locals_;
  std::vector<bool> is_nothing_in_; // per local
  std::vector<Array> arrays_;
  Memory workspace_, made_; // of assembled results, until the run ends
  Memory *memory_ = nullptr;
};

} // namespace

Interpreter::Interpreter(const Program &program) {
  verify(program);
  code_ = Code::of(program);
}

Interpreter::~Interpreter() = default;
Interpreter::Interpreter(Interpreter &&) noexcept = default;
Interpreter &Interpreter::operator=(Interpreter &&) noexcept = default;

int Interpreter::run(Memory &memory, const InterpretOptions &options) const {
  return Machine<Code>(*code_, memory, options).run();
}

int interpret(const Program &program, Memory &memory, const InterpretOptions &options) {
  return Interpreter(program).run(memory, options);
}

} // namespace unravel::loop
