#include "loop/passes.h"
#include "loop/types.h"
#include "loop/walk.h"

#include <map>
#include <set>
#include <utility>

namespace unravel::loop {

namespace {

bool is_false_or_true(const Value &value) {
  const double *number = value::number_of(value);
  return number && (*number == 0 || *number == 1);
}

/// Locals that hold 0 or 1 of floating point at any time, and are reduced in a loop.
class Truths {
public:
  explicit Truths(const Program &program) : types_(program) {
    look_at(program.body, 0);
    for (const std::string &name : others_)
      declared_.erase(name);
    std::erase_if(declared_, [&](const auto &each) { return !reduced_.contains(each.first); });
  }

  bool none() const { return declared_.empty(); }

  void make_bool(Block &block) const {
    each_statement(block, [&](Statement &statement) {
      if (auto *declared = statement.as<DeclareValue>(); declared && declared_.contains(declared->name))
        declared->type = ElementType::Bool;
      if (const Local *local = reduced_local(statement); local && declared_.contains(local->name)) {
        Value &value = statement.as<Accumulate>()->value;
        value = truth(std::move(value));
      }
    });
  }

  /// The value with those locals as they were.
  Value converted_back(const Value &value) const {
    return map_leaves(value, [&](const Value &leaf) {
      const ElementType *type = made_bool(leaf);
      return type ? value::apply(value::conversion_to(*type), std::vector<Value>{leaf}) : leaf;
    });
  }

private:
  void look_at(const Block &statements, int loops) {
    for (const Statement &statement : statements) {
      if (const auto *declared = statement.as<DeclareValue>()) {
        const ElementType type = types_.of_local(declared->name);
        declared_[declared->name] = type;
        depth_[declared->name] = loops;
        if (declared->type || !value::is_floating(type) || !is_false_or_true(declared->initial))
          others_.insert(declared->name);
      }
      if (const auto *store = statement.as<Store>(); store && !is_false_or_true(store->value))
        if (const Local *local = written_local(statement)) others_.insert(local->name);
      if (const Local *local = reduced_local(statement)) {
        if (!value::is_truth(statement.as<Accumulate>()->by)) others_.insert(local->name);
        if (loops > depth_[local->name]) reduced_.insert(local->name);
      }
      const auto *loop = statement.as<For>();
      if (loop && loop->parallel && !loop->parallel->sum.empty()) others_.insert(loop->parallel->sum);
      for (const Block *inner : blocks_of(statement))
        look_at(*inner, loops + is_loop(statement));
    }
  }

  const ElementType *made_bool(const Value &value) const {
    const auto *local = value.as<Local>();
    const auto found = local ? declared_.find(local->name) : declared_.end();
    return found == declared_.end() ? nullptr : &found->second;
  }

  /// What is reduced, as true or false; such a local, converted back, is itself.
  Value truth(Value value) const {
    if (const double *number = value::number_of(value)) return {Number{*number != 0 ? 1.0 : 0.0}};
    const auto *made = value.as<Value::Apply>();
    if (made && value::made_by_conversion(made->op) && made_bool(made->arguments.front()))
      return made->arguments.front();
    return value::apply(value::conversion_to(ElementType::Bool), std::vector<Value>{std::move(value)});
  }

  const Types types_;
  std::map<std::string, ElementType> declared_; // what they are so far
  std::map<std::string, int> depth_;            // in how many loops
  std::set<std::string> others_, reduced_;
};

} // namespace

Program keep_truths(Program program, const Known &) {
  const Truths truths(program);
  if (truths.none()) return program;
  rewrite(program.body, {}, [&](const Value &value) { return truths.converted_back(value); });
  truths.make_bool(program.body);
  return program;
}

} // namespace unravel::loop
