// The heads of `for` loops.
#include "cfront/translate.h"
#include "parse/parse.h"

#include <algorithm>

namespace unravel::cfront {

using parse::StatementTree;

/// A loop's head, as far as it is understood.
struct Translator::Loop {
  /// `variable` compared with something else, beside the bound that the tree's loop has.
  struct Extra {
    Comparison comparison;
    Polynomial bound;
    text::Span span;
  };

  const Node *counted = nullptr; // where the variable is counted: a Reference
  bool down = false;
  bool is_unsigned = false;
  text::Span name_span;
  Variable variable = 0; // the tree's; of a loop that counts down it runs up
  std::string name;
  Integer start;
  text::Span start_span, bound_span;
  std::optional<Polynomial> bound; // the last value, and one more where it counts up
  std::vector<Extra> extras;
};

namespace {

constexpr const char *as_usual = "write `for (int i = 0; i < n; i++)`";

bool is_step(const Node &node) {
  return node.kind == UnravelUnary && (node.text == "++" || node.text == "--");
}

/// `i-- > 0` or `i--`: the step that a condition has.
const Node *step_in(const Node &condition) {
  const Node *node = &condition;
  if (node->kind == UnravelBinary && !node->children.empty()) node = &node->children[0];
  while (node->kind == UnravelCast)
    node = &node->children[0];
  return is_step(*node) && node->text == "--" && node->is(UnravelIsPostfix) ? node : nullptr;
}

bool mentions(const parse::Expression &value, const std::string &name) {
  return value.name.text == name || std::any_of(value.children.begin(), value.children.end(),
                                                [&](auto &child) { return mentions(child, name); });
}

bool is_zero(const parse::Expression &value) {
  return value.kind == parse::Expression::Kind::Integer && value.integer == 0;
}

/// Of a loop right behind a local array: its only assignment, where it sets each element once. Else null.
const StatementTree *first_values(const StatementTree &local, const StatementTree &loop) {
  const parse::Expression &array = local.assignment.target;
  if (local.kind != StatementTree::Kind::Local || !is_zero(local.assignment.value)) return nullptr;
  const StatementTree *inside = &loop;
  std::vector<std::string> variables;
  for (const std::optional<parse::Expression> &extent : local.extents) {
    if (inside->kind != StatementTree::Kind::For || !is_zero(*inside->low) || inside->body.size() != 1 ||
        parse::to_text(*inside->high) != parse::to_text(*extent))
      return nullptr;
    variables.push_back(inside->variable.text);
    inside = &inside->body.front();
  }
  const parse::AssignmentTree &set = inside->assignment;
  if (variables.empty() || inside->kind != StatementTree::Kind::Assign ||
      set.op != parse::AssignmentTree::Operator::Set || set.target.name.text != array.name.text ||
      mentions(set.value, array.name.text))
    return nullptr;
  for (std::size_t k = 0; k < variables.size(); ++k)
    if (set.target.children[k].kind != parse::Expression::Kind::Name ||
        set.target.children[k].name.text != variables[k])
      return nullptr;
  return inside;
}

} // namespace

/// The variable, its first value, and the direction.
Translator::Loop Translator::head(const Node &node) {
  Loop loop;
  const Node &first = node.children[0], &condition = node.children[1], &step = node.children[2];
  if (!step.is_there()) {
    const Node *counted = step_in(condition);
    if (!counted) refuse(node.head, "this loop has no variable that it counts", as_usual);
    loop.counted = &counted->children[0];
    loop.down = true;
  } else if (is_step(step)) {
    loop.counted = &step.children[0];
    loop.down = step.text == "--";
  } else if (step.kind == UnravelAssign && (step.text == "+=" || step.text == "-=" || step.text == "=")) {
    loop.counted = &step.children[0];
  } else {
    refuse(step.span, "this step is not supported: a loop counts one variable by one", as_usual);
  }
  const Node &counted = *loop.counted;
  if (counted.kind != UnravelReference || counted.type != UnravelIntegral)
    refuse(counted.span, quoted(counted) + " is not an integer variable", as_usual);
  if (counted_.count(counted.declaration))
    refuse(counted.span, "`" + counted.text + "` is counted by an outer loop too", "use another variable");
  const Node *other_step = step.is_there() ? step_in(condition) : nullptr;
  if (other_step && other_step->children[0].declaration == counted.declaration)
    refuse(condition.span, "this loop doesn't count by one: its condition counts, too", as_usual);
  constexpr int least_bits = 16;
  if (counted.bits < least_bits)
    refuse(counted.span,
           "`" + counted.text + "` is of type `" + counted.type_name + "`, which may be too narrow",
           "count with `int`, `long` or `size_t`");
  loop.is_unsigned = counted.is_unsigned;
  loop.name_span = counted.span;
  find_start(first, loop);
  return loop;
}

void Translator::find_start(const Node &node, Loop &loop) {
  const int declaration = loop.counted->declaration;
  auto begin = [&](const Node &value, const text::Span &name) {
    loop.start = integer(value);
    loop.start_span = value.span;
    loop.name_span = name;
  };
  if (node.kind == UnravelBinary && node.text == ",") {
    for (const Node &child : node.children)
      find_start(child, loop);
    return;
  }
  if (node.kind == UnravelDeclare) {
    for (const Node &variable : node.children) {
      if (variable.type != UnravelIntegral || !variable.children[0].is_there())
        refuse(variable.span, "`" + variable.text + "` is not an initialised integer", as_usual);
      if (variable.declaration == declaration)
        begin(variable.children[0],
              {variable.span.source, variable.span.begin, variable.span.begin + variable.text.size()});
      else
        integers_[variable.declaration] = {integer(variable.children[0]), {}};
    }
  } else if (node.kind == UnravelAssign && node.text == "=" && node.children[0].kind == UnravelReference &&
             node.children[0].type == UnravelIntegral) {
    if (node.children[0].declaration == declaration)
      begin(node.children[1], node.children[0].span);
    else
      set_integer(node.children[0], "=", integer(node.children[1]), node.span);
  } else if (node.is_there()) {
    refuse(node.span, "this start of a loop is not supported", as_usual);
  }
  if (!loop.start.of.empty()) return;
  if (node.is_there() && node.kind != UnravelDeclare) return; // of several, one may follow
  loop.start = integer(*loop.counted);                        // the value that it has
  loop.start_span = loop.counted->span;
}

/// One comparison of the loop's condition, which has to hold for the loop to go on.
void Translator::add_bound(const Condition &condition, const Node &whole, Loop &loop) {
  const std::string name = "`" + loop.counted->text + "`";
  if (condition.kind == Condition::Kind::And) {
    for (const Condition &child : condition.children)
      add_bound(child, whole, loop);
    return;
  }
  if (condition.kind == Condition::Kind::Or)
    refuse(condition.span, "a loop that runs while one of several conditions holds is not supported",
           "an upper bound may be the minimum of two values, a lower bound the maximum");
  Polynomial difference = condition.left - condition.right;
  std::int64_t factor = difference.coefficient({loop.variable});
  if (condition.kind != Condition::Kind::Compare || factor == 0)
    refuse(condition.span, "this condition doesn't bound " + name, as_usual);
  if (factor != 1 && factor != -1)
    refuse(condition.span, "this condition bounds a multiple of " + name,
           "divide the bound: " + std::string(as_usual));
  Polynomial bound = (Polynomial::of(loop.variable) * Polynomial(factor) - difference) * Polynomial(factor);
  Comparison comparison = factor == 1 ? condition.comparison : turned(condition.comparison);
  bool is_alone =
      !loop.bound && whole.span.begin == condition.span.begin && whole.span.end == condition.span.end;
  switch (comparison) {
  case Comparison::Equal:
    refuse(condition.span, "a loop that runs while " + name + " has one value is not supported", as_usual);
  case Comparison::NotEqual:
    if (!is_alone) refuse(condition.span, "`!=` beside another condition is not supported", "write `<`");
    break;
  case Comparison::Less:
  case Comparison::AtMost:
    if (loop.down)
      refuse(condition.span, "the loop counts down, but its condition bounds " + name + " from above",
             "write `>=`");
    if (comparison == Comparison::AtMost) bound = bound + 1;
    break;
  case Comparison::Greater:
  case Comparison::AtLeast:
    if (!loop.down)
      refuse(condition.span, "the loop counts up, but its condition bounds " + name + " from below",
             "write `<`");
    break;
  }
  if (loop.down && comparison != Comparison::AtLeast) bound = bound + 1;
  require_affine(bound, condition.span, "bound");
  Loop::Extra added{loop.down ? Comparison::AtLeast : Comparison::Less, bound, condition.span};
  if (loop.bound) {
    // Of j < i + k and j < n the second becomes the loop's: it is what the tensors' extents are.
    if (variables_.has_loop(*loop.bound) && !variables_.has_loop(bound)) {
      std::swap(*loop.bound, added.bound);
      std::swap(loop.bound_span, added.span);
    }
    loop.extras.push_back(std::move(added));
  } else {
    loop.bound = added.bound;
    loop.bound_span = added.span;
  }
}

void Translator::read_condition(const Node &node, Loop &loop) {
  const Node *step = step_in(node);
  if (!step || step->children[0].declaration != loop.counted->declaration) {
    if (node.is_there()) return add_bound(condition(node), node, loop);
    refuse(node.is_there() ? node.span : loop.counted->span, "this loop has no condition, and never ends",
           as_usual);
  }
  // for (i = n; i-- > 0;) compares the value before, and its body has the one after.
  Node plain = node;
  Node *at = &plain;
  while (!is_step(*at))
    at = &at->children[0];
  Node before = at->children[0];
  *at = std::move(before);
  add_bound(condition(plain), plain, loop);
  loop.bound = *loop.bound - 1;
  if (!loop.extras.empty()) refuse(node.span, "`--` beside several conditions is not supported", as_usual);
}

void Translator::loop(const Node &node, Body &body) {
  auto integers = integers_;
  Loop loop = head(node);
  const Node &test = node.children[1], &step = node.children[2];
  const int declaration = loop.counted->declaration;
  std::set<int> assigned;
  for (std::size_t k = 1; k < node.children.size(); ++k)
    collect_assigned(node.children[k], assigned);
  assigned.erase(declaration);
  forget(assigned, "changes from iteration to iteration");

  auto names = in_scope_;
  loop.name = fresh_name(loop.counted->text, true);
  loop.variable = variables_.add(loop.name, true);
  const Polynomial variable = Polynomial::of(loop.variable);
  integers_[declaration] = {Integer{Integer::Kind::Exact, {variable}}, {}};
  if (loop.is_unsigned) counted_unsigned_.insert(loop.variable);
  if (step.kind == UnravelAssign) {
    Polynomial by = exact(step.children[1], "step");
    if (step.text == "=") by = by - variable;
    if (step.text == "-=") by = Polynomial() - by;
    loop.down = by == Polynomial(-1);
    if (by != Polynomial(1) && by != Polynomial(-1))
      refuse(step.span, "this loop doesn't count by one",
             "write `i++`, and the multiple of `i` in the subscripts");
  }
  const bool steps_first = !step.is_there();
  const std::size_t known = facts_.size();
  using Kind = Integer::Kind;
  if (loop.start.kind == (loop.down ? Kind::Greatest : Kind::Least))
    refuse(loop.start_span,
           std::string("a loop that counts ") +
               (loop.down ? "down can't start at the maximum" : "up can't start at the minimum") +
               " of two values");
  for (const Polynomial &start : loop.start.of) {
    require_affine(start, loop.start_span, "bound");
    // n - 1 where the loop counts down: where it wraps around, the loop begins outside of every array.
    bool may_wrap = loop.down && !variables_.has_loop(start);
    if (loop.is_unsigned && !may_wrap && !is_natural(start, facts_, variables_))
      refuse(loop.start_span,
             "`" + loop.counted->text + "` may begin below 0 here, and then wraps around: its type is `" +
                 loop.counted->type_name + "`",
             "count with a signed integer");
  }
  std::stable_partition(loop.start.of.begin(), loop.start.of.end(),
                        [&](const Polynomial &start) { return !variables_.has_loop(start); });
  for (const Polynomial &start : loop.start.of)
    facts_.push_back(term::at_most(variables_.term(loop.down ? variable : start),
                                   variables_.term(loop.down ? start : variable)));
  in_loop_head_ = true;
  read_condition(test, loop);
  in_loop_head_ = false;
  facts_.resize(known);

  // [low, high), and the variable's value in terms of the tree's.
  Polynomial low = loop.start.of[0], high = *loop.bound, value = variable;
  if (loop.down) {
    low = *loop.bound;
    high = steps_first ? loop.start.of[0] : loop.start.of[0] + 1;
    value = low + high - 1 - variable;
    Polynomial least = steps_first ? low : low - 1;
    if (loop.is_unsigned && !is_natural(least, facts_, variables_))
      refuse(loop.bound_span,
             "`" + loop.counted->text + "` wraps around below 0, so this loop may not end: its type is `" +
                 loop.counted->type_name + "`",
             "count with a signed integer, or write `for (i = n; i-- > 0;)`");
  }
  for (std::size_t k = 1; k < loop.start.of.size(); ++k)
    loop.extras.push_back({loop.down ? Comparison::AtMost : Comparison::AtLeast,
                           steps_first ? loop.start.of[k] - 1 : loop.start.of[k], loop.start_span});
  integers_[declaration] = {Integer{Kind::Exact, {value}}, {}};
  std::vector<Condition> extras;
  for (const Loop::Extra &extra : loop.extras)
    extras.push_back(Condition::compare(value, extra.comparison, extra.bound, extra.span));
  facts_.push_back(term::between(variables_.term(low), variables_.term(variable), variables_.term(high)));
  for (const Condition &extra : extras)
    assume(extra); // a single comparison, and no `!=`
  counted_.insert(declaration);

  StatementTree statement;
  statement.kind = StatementTree::Kind::For;
  statement.span = node.head;
  statement.variable = {loop.name, loop.name_span};
  statement.low = variables_.expression(low, loop.down ? loop.bound_span : loop.start_span);
  statement.high = variables_.expression(high, loop.down ? loop.start_span : loop.bound_span);
  statement.body = inner_body(node.children[3], node.head);
  if (!extras.empty()) {
    StatementTree restricted;
    restricted.kind = StatementTree::Kind::If;
    restricted.span = node.head;
    restricted.condition =
        expression(Condition::of(Condition::Kind::And, std::move(extras), test.span), variables_);
    restricted.body = std::move(statement.body);
    statement.body.clear();
    statement.body.push_back(std::move(restricted));
  }
  counted_.erase(declaration);
  facts_.resize(known);
  in_scope_ = std::move(names);
  integers_ = std::move(integers);
  assigned.insert(declaration);
  collect_assigned(node.children[0], assigned);
  forget(assigned, "has an unknown value after a loop that changes it");
  bool is_empty = statement.body.empty() ||
                  (statement.body.size() == 1 && statement.body[0].kind == StatementTree::Kind::If &&
                   statement.body[0].body.empty());
  if (is_empty) return;
  if (const StatementTree *first = body.empty() ? nullptr : first_values(body.back(), statement))
    body.back().assignment = StatementTree(*first).assignment;
  else
    body.push_back(std::move(statement));
}

} // namespace unravel::cfront
