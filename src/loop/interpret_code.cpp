#include "loop/interpret_code.h"

#include "loop/assembled.h"
#include "loop/blas.h"
#include "loop/hash.h"
#include "loop/types.h"
#include "loop/walk.h"
#include "report/diagnostic.h"

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

/// Resolves names to slots.
template <class CodeType> class Compiler {
public:
  Compiler(const Program &program, CodeType &code) : code_(code), types_(program) {
    for (const TensorParameter &parameter : program.parameters) {
      auto give = [&](const std::string &name) { code_.sizes.emplace_back(name, variable(name)); };
      for (const std::string &size : parameter.sizes)
        give(parameter.name + "." + size);
      for (const std::string &count : parameter.counts)
        if (const std::string name = parameter.name + "." + count; parameter.assembled)
          code_.counts.push_back({name, variable(name), most_counted(parameter)});
        else
          give(name);
      for (const ArrayParameter &array : parameter.arrays)
        parameters_[parameter.name + "." + array.name] = &array;
    }
    for (const std::string &size : program.sizes)
      code_.sizes.emplace_back(size, variable(size));
    for (const WorkspaceArray &array : program.workspace)
      declare(array);
    sums_ = effects_of(program.body).stored;
    each_statement(program.body, [&](const Statement &inner) { note(inner); });
    for (const TensorParameter &parameter : program.parameters)
      if (parameter.assembled) declare(parameter);
    for (const Precondition &condition : program.preconditions)
      (applications_of(condition.formula).empty() ? code_.conditions_of_sizes : code_.conditions_of_arrays)
          .push_back(term(condition.formula));
    code_.body = block(program.body);
    code_.variables.resize(variables_.size());
    for (const auto &[name, slot] : variables_)
      code_.variables[slot] = name;
    code_.locals.resize(locals_.size());
    for (const auto &[name, slot] : locals_)
      code_.locals[slot] = types_.of_local(name);
  }

private:
  static std::size_t slot(std::map<std::string, std::size_t> &slots, const std::string &name) {
    return slots.emplace(name, slots.size()).first->second;
  }
  std::size_t variable(const std::string &name) { return slot(variables_, name); }
  std::size_t local(const std::string &name) { return slot(locals_, name); }

  void declare(const WorkspaceArray &array) {
    const bool is_value = array.has_values();
    code_.arrays.push_back({array.name,
                            is_value,
                            array.element,
                            {term(array.extent)},
                            array,
                            term(array.when),
                            !array.per_thread});
    arrays_[array.name] = code_.arrays.size() - 1;
  }

  void declare(const TensorParameter &assembled) {
    for (const ArrayParameter &parameter : assembled.arrays) {
      const std::size_t index = array(assembled.name + "." + parameter.name);
      const std::string count = count_of_array(assembled, parameter);
      code_.arrays[index].assembled = true;
      code_.arrays[index].is_counted = !count.empty();
      if (!count.empty()) code_.arrays[index].may_race = false; // threads that append have their own
      if (!count.empty()) arrays_of_[count].push_back(index);
    }
  }

  std::size_t array(const std::string &name) {
    if (auto found = arrays_.find(name); found != arrays_.end()) return found->second;
    ArrayCode array{name, parameters_.at(name)->is_value, parameters_.at(name)->element, {}, {}, 0};
    for (const Term &extent : parameters_.at(name)->extents)
      array.extents.push_back(term(extent));
    array.may_race = sums_.contains(name);
    code_.arrays.push_back(std::move(array));
    return arrays_[name] = code_.arrays.size() - 1;
  }

  std::vector<std::size_t> terms(const std::vector<Term> &of) {
    std::vector<std::size_t> result;
    for (const Term &inner : of)
      result.push_back(term(inner));
    return result;
  }

  std::size_t term(const Term &term_) {
    Node node = std::visit(
        overloaded{
            [](const term::Constant &x) { return Node{Node::Constant, x.value, 0, {}, {}}; },
            [&](const term::Variable &x) { return Node{Node::Variable, 0, variable(x.name), {}, {}}; },
            [&](const term::Linear &x) {
              Node linear{Node::Linear, x.constant, 0, {}, {}};
              for (const auto &[atom, coefficient] : x.parts) {
                linear.children.push_back(term(atom));
                linear.coefficients.push_back(coefficient);
              }
              return linear;
            },
            [&](const term::Apply &x) {
              if (x.function == hash_name) return Node{.op = Node::Hash, .children = terms(x.arguments)};
              return Node{Node::Load, 0, array(x.function), terms(x.arguments), {}};
            },
            [&](const term::FloorDivide &x) {
              return Node{Node::FloorDivide, x.divisor, 0, {term(x.numerator)}, {}};
            },
            [&](const term::Modulo &x) { return Node{Node::Modulo, x.divisor, 0, {term(x.numerator)}, {}}; },
            [&](const term::Product &x) {
              return Node{Node::Product, 0, 0, {term(x.left), term(x.right)}, {}};
            },
            [&](const term::Minimum &x) { return Node{.op = Node::Minimum, .children = terms(x.of)}; },
            [&](const term::Maximum &x) { return Node{.op = Node::Maximum, .children = terms(x.of)}; },
            [&](const term::Compare &x) {
              Node::Op op = x.relation == term::Relation::Equal ? Node::Equal : Node::AtLeast;
              return Node{op, 0, 0, {term(x.left)}, {}};
            },
            [&](const term::And &x) { return Node{.op = Node::And, .children = terms(x.parts)}; },
            [&](const term::Or &x) { return Node{.op = Node::Or, .children = terms(x.parts)}; },
            [&](const term::Not &x) { return Node{Node::Not, 0, 0, {term(x.of)}, {}}; },
        },
        term_.node().kind);
    code_.nodes.push_back(std::move(node));
    return code_.nodes.size() - 1;
  }

  std::size_t value(const Value &value_) {
    auto all = [&](const std::vector<Value> &of) {
      std::vector<std::size_t> result;
      for (const Value &inner : of)
        result.push_back(value(inner));
      return result;
    };
    ValueNode node =
        std::visit(overloaded{
                       [](const Number &x) { return ValueNode{ValueNode::Number, x.value, 0, 0}; },
                       [&](const Element &x) {
                         return ValueNode{ValueNode::Element, 0, array(x.array), term(x.slot)};
                       },
                       [&](const Local &x) { return ValueNode{ValueNode::Local, 0, local(x.name), 0}; },
                       [&](const Term &x) { return ValueNode{ValueNode::Term, 0, 0, term(x)}; },
                       [&](const Value::Apply &x) {
                         return ValueNode{ValueNode::Apply,  0,   0, 0, ElementType::Float64,
                                          all(x.arguments), x.op};
                       },
                   },
                   value_.kind);
    node.type = types_.of(value_).value_or(ElementType::Float64);
    code_.values.push_back(std::move(node));
    return code_.values.size() - 1;
  }

  std::vector<Step> block(const Block &statements) {
    std::vector<Step> result;
    for (const Statement &inner : statements)
      result.push_back(statement(inner));
    return result;
  }

  Step write(const Target &target, const Value &given, Step::Op element_op, Step::Op local_op) {
    Value value_ = given;
    if (const double *number = value::number_of(given); number && std::isinf(*number)) // an end of the type
      value_ = Value{Number{value::Scalar::of(*number, types_.of(target)).number()}};
    if (const auto *element = std::get_if<Element>(&target))
      return {element_op, array(element->array), term(element->slot), value(value_)};
    return {local_op, local(std::get<Local>(target).name), 0, value(value_)};
  }

  /// What the writes of a leaf are, in one of its plans.
  struct Leaf {
    int innermost = 0;          // the level of what is done at its points
    std::set<std::string> sums; // what it reduces into
    bool computes = false;      // something that isn't a number is stored at its points
  };

  void note(const Statement &statement) {
    const auto *store = statement.as<Store>();
    for (const Origin &origin : statement.origins) {
      Leaf &leaf = leaves_[{origin.leaf, origin.plan}];
      if (origin.level > leaf.innermost) leaf.innermost = origin.level, leaf.computes = false;
      if (const Element *element = reduced_element(statement)) leaf.sums.insert(element->array);
      if (const Local *local = reduced_local(statement)) leaf.sums.insert(local->name);
      if (store && origin.level == leaf.innermost) leaf.computes |= !value::number_of(store->value);
    }
  }

  /// Is it computed from no sum that its leaf has made? In a program that was read there are no leaves.
  bool is_new(const Value &value_, const Origins &origins) const {
    bool is_new = true;
    const auto has_none_of = [&](const std::set<std::string> &sums) {
      each_local(value_, [&](const Local &part) { is_new &= !sums.contains(part.name); });
    };
    if (origins.empty()) has_none_of(sums_);
    for (const Origin &origin : origins)
      has_none_of(leaves_.at({origin.leaf, origin.plan}).sums);
    return is_new;
  }

  /// Is it all that its leaf does at a point? A leaf that reduces has its points where it does so: it stores
  /// what a sum begins with, and finished ones. A number beside what a leaf computes isn't a point either.
  bool is_statement(const Store &store, const Origins &origins) const {
    return !origins.empty() && std::ranges::all_of(origins, [&](const Origin &origin) {
      const Leaf &leaf = leaves_.at({origin.leaf, origin.plan});
      return origin.level == leaf.innermost && leaf.sums.empty() &&
             !(leaf.computes && value::number_of(store.value));
    });
  }

  /// Is the value of an entry computed that is appended to a result, and not moved in it?
  bool is_entry(const Store &store) const {
    const auto is_assembled = [&](const std::string &name) { return code_.arrays[arrays_.at(name)].assembled; };
    const auto *element = std::get_if<Element>(&store.target);
    bool is_new = element && is_assembled(element->array) && !value::number_of(store.value);
    each_element(store.value, [&](const Element &read) { is_new = is_new && !is_assembled(read.array); });
    return is_new;
  }

  RangeCode keyed_range(const KeyedRange &range) {
    Term key = term::apply(range.key, {term::variable(range.variable)});
    return {variable(range.variable), term(range.lower), term(range.upper), term(key)};
  }

  Step set(const std::string &name, const Term &value_) {
    return {Step::SetVariable, variable(name), term(value_)};
  }

  std::size_t number_of(const std::string &count) const {
    std::size_t number = 0;
    while (code_.counts[number].name != count)
      ++number;
    return number;
  }

  Step of_count(Step::Op op, const std::string &count, const Term &value_) {
    Step step{op, number_of(count), term(value_)};
    step.arrays = arrays_of_[count];
    return step;
  }

  AppendedCode appended(const Appended &made) {
    AppendedCode result;
    for (const Appended::Counter &each : made.counters)
      result.counters.push_back({number_of(each.count), variable(each.end), arrays_of_[each.count]});
    for (const Appended::Pointers &each : made.pointers)
      result.pointers.push_back({array(each.array), variable(each.end), variable(each.into),
                                 made.counter(each.end) != nullptr});
    return result;
  }

  Step statement(const Statement &x) {
    return std::visit(
        overloaded{
            [&](const For &loop) {
              Step step{Step::For, variable(loop.variable),   term(loop.lower), term(loop.upper),
                        loop.step, loop.parallel.has_value(), block(loop.body), {}};
              if (loop.parallel && !loop.parallel->copied.empty()) step.copied = array(loop.parallel->copied);
              if (loop.parallel && loop.parallel->appended)
                step.appended = appended(*loop.parallel->appended);
              step.is_simd = loop.simd;
              return step;
            },
            [&](const While &loop) {
              Step step{.op = Step::While, .first = term(loop.condition), .body = block(loop.body)};
              step.lets = !loop.body.empty() && loop.body.front().is<Let>();
              return step;
            },
            [&](const Intersect &loop) {
              Step step{.op = Step::Intersect, .body = block(loop.body)};
              step.ranges = {keyed_range(loop.first), keyed_range(loop.second)};
              return step;
            },
            [&](const Merge &loop) {
              Step step{.op = Step::Merge, .slot = variable(loop.variable), .otherwise = block(loop.body)};
              for (const MergedRange &merged : loop.ranges) {
                step.ranges.push_back(keyed_range(merged.range));
                step.body.push_back({.op = Step::MergedRange, .body = block(merged.body)});
              }
              return step;
            },
            [&](const If &guard) {
              return Step{.op = Step::If,
                          .first = term(guard.condition),
                          .body = block(guard.then),
                          .otherwise = block(guard.otherwise),
                          .speculative = guard.speculative};
            },
            [&](const Let &let) { return set(let.variable, let.value); },
            [&](const Declare &declaration) { return set(declaration.variable, declaration.initial); },
            [&](const Assign &assignment) { return set(assignment.variable, assignment.value); },
            [&](const ShareOut &out) {
              Step step{Step::ShareOut, variable(out.parts), term(out.total), variable(out.share)};
              step.third = term(out.each);
              return step;
            },
            [&](const DeclareValue &x_) { return Step{Step::StoreLocal, local(x_.name), 0, value(x_.initial)}; },
            [&](const Store &store) {
              Step step = write(store.target, store.value, Step::StoreElement, Step::StoreLocal);
              step.is_point =
                  is_new(store.value, x.origins) && (is_entry(store) || is_statement(store, x.origins));
              return step;
            },
            [&](const Accumulate &store) {
              Step add = write(store.target, store.value, Step::AddElement, Step::AddLocal);
              add.is_point = is_new(store.value, x.origins);
              add.atomic = store.atomic;
              add.by = store.by;
              return add;
            },
            [&](const Zero &zero) { return Step{Step::Zero, array(zero.array), term(zero.count)}; },
            [&](const SetElement &set) {
              Step step{Step::SetElement, array(set.array), term(set.slot), term(set.value)};
              step.whole_word = set.whole_word;
              return step;
            },
            [&](const Sort &sort) {
              Step step{Step::Sort, array(sort.order), term(sort.count)};
              step.arrays = {sort.keys.empty() ? step.slot : array(sort.keys), array(sort.room)};
              return step;
            },
            [&](const IfValue &guard) {
              const auto kind = guard.test == IfValue::Test::Stored       ? Step::IfStored
                                : guard.test == IfValue::Test::NotANumber ? Step::IfNan
                                                                          : Step::IfDiffers;
              return Step{.op = kind,
                          .slot = local(guard.local),
                          .body = block(guard.then),
                          .number = guard.number,
                          .speculative = guard.speculative};
            },
            [&](const Reserve &x_) {
              if (!x_.count.empty()) return of_count(Step::Reserve, x_.count, x_.least);
              Step step{Step::ReserveWorkspace, 0, term(x_.least)};
              for (const std::string &name : x_.arrays)
                step.arrays.push_back(array(name));
              return step;
            },
            [&](const SetCount &x_) { return of_count(Step::SetCount, x_.count, x_.value); },
            [](const Break &) { return Step{Step::Break}; },
            [](const Miss &) { return Step{Step::Miss}; },
            [&](const Blas &call) { return statement(as_loops(call)); },
            [&](const Prefetch &x_) { return Step{Step::Evaluate, 0, term(x_.slot)}; },
        },
        x.kind);
  }

  CodeType &code_;
  const Types types_;
  std::map<std::string, std::size_t> variables_, locals_, arrays_;
  std::map<std::string, std::vector<std::size_t>> arrays_of_; // counts that the run sets
  std::map<std::string, const ArrayParameter *> parameters_;
  std::set<std::string> sums_; // what something is added to, locals among them
  std::map<std::pair<int, int>, Leaf> leaves_; // by the numbers of leaf and plan
};

} // namespace

std::unique_ptr<Interpreter::Code> Interpreter::Code::of(const Program &program) {
  auto code = std::make_unique<Code>();
  Compiler<Code>(program, *code);
  return code;
}

} // namespace unravel::loop
