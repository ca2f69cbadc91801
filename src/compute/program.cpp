#include "compute/argmin.h"
#include "compute/coordinates.h"
#include "compute/fills.h"
#include "compute/mask.h"
#include "compute/open_extents.h"
#include "compute/rounds.h"
#include "compute/subscripts.h"
#include "compute/value.h"

#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace unravel::compute {

using parse::Expression;
using parse::StatementTree;
using report::Kind;
using term::Term;
using AssignOp = parse::AssignmentTree::Operator;

namespace {

class ProgramMaker {
public:
  explicit ProgramMaker(const parse::ProgramTree &tree) : tree_(tree), operators_(tree.operators) {}

  Computation make() {
    result_.text = tree_.span.text();
    program().operators = tree_.operators;
    declare();
    statements(tree_.body);
    if (program().statements.empty())
      report::fail(Kind::syntax_error, tree_.span, "the program assigns nothing");
    find_results();
    find_extents();
    list_tensors();
    list_given();
    return std::move(result_);
  }

private:
  Program &program() { return result_.program; }

  /// A loop around what is read.
  struct Scope {
    Loop loop;
    text::Span span;
  };

  // ---- names

  void declare() {
    for (const parse::TensorTree &tensor : tree_.tensors) {
      check_declared_name(tensor.name, tensor.extents.empty());
      if (!declared_.insert(tensor.name.text).second)
        report::fail(Kind::duplicate_name, tensor.name.span,
                     fmt::format("`{}` is declared twice", tensor.name.text));
      orders_[tensor.name.text] = tensor.extents.size();
      spans_[tensor.name.text] = tensor.name.span;
      order_of_names_.push_back(tensor.name.text);
    }
    for (const parse::SizeTree &size : tree_.sizes)
      declare_size(size);
    for (const parse::TensorTree &tensor : tree_.tensors) {
      std::vector<Term> &extents = program().extents[tensor.name.text];
      for (const Expression &extent : tensor.extents) {
        add_sizes(extent);
        extents.push_back(affine(extent, "an extent"));
      }
    }
  }

  /// Elements are written as operators are called, a scalar's value isn't.
  void check_declared_name(const parse::Name &name, bool is_scalar) const {
    is_scalar ? check_number_name(name, "scalar") : check_target_name(name, operators_);
  }

  void declare_size(const parse::SizeTree &size) {
    const std::string &name = size.name.text;
    check_number_name(size.name, "size");
    if (declared_.count(name) || is_size(name))
      report::fail(Kind::duplicate_name, size.name.span,
                   declared_.count(name) ? fmt::format("`{}` is a tensor and a size", name)
                                         : fmt::format("`{}` is declared twice", name));
    program().sizes.push_back(name);
    size_spans_.emplace(name, size.name.span);
    if (size.least) program().least.push_back({name, *size.least, size.name.span});
  }

  /// The names in the extent of a tensor are sizes.
  void add_sizes(const Expression &extent) {
    if (extent.kind == Expression::Kind::Name) {
      check_number_name(extent.name, "size");
      if (declared_.count(extent.name.text))
        report::fail(Kind::duplicate_name, extent.span,
                     fmt::format("`{}` is a tensor here and a size", extent.name.text));
      if (!is_size(extent.name.text)) program().sizes.push_back(extent.name.text);
      size_spans_.emplace(extent.name.text, extent.span);
    }
    for (const Expression &child : extent.children)
      add_sizes(child);
  }

  bool is_size(const std::string &name) {
    return std::find(program().sizes.begin(), program().sizes.end(), name) != program().sizes.end();
  }
  bool is_loop(const std::string &name) const {
    return std::any_of(scopes_.begin(), scopes_.end(),
                       [&](const Scope &scope) { return scope.loop.variable == name; });
  }

  [[noreturn]] void fail_unknown(const parse::Name &name) {
    std::vector<std::string> known = program().sizes;
    for (const Scope &scope : scopes_)
      known.push_back(scope.loop.variable);
    std::string near = report::nearest(name.text, known);
    const bool has_loops = std::ranges::any_of(
        tree_.body, [](const StatementTree &each) { return each.kind == StatementTree::Kind::For; });
    report::fail(
        Kind::unknown_variable, name.span,
        fmt::format("`{}` is neither the variable of a loop around this nor a size", name.text),
        !has_loops ? fmt::format("write `for {} {{ ... }}` around it; a line of index notation has no `;`",
                                 name.text)
        : !near.empty()
            ? fmt::format("did you mean `{}`? A size is declared: `size {};`", near, name.text)
            : fmt::format("declare it as a size, `size {0};`, or as an extent, `tensor A({0}, {0});`",
                          name.text));
  }

  // ---- affine terms and conditions

  Term named(const parse::Name &name) {
    if (!is_loop(name.text) && !is_size(name.text)) fail_unknown(name);
    return term::variable(name.text);
  }

  NamedTerm named() {
    return [this](const parse::Name &name) { return named(name); };
  }

  Term affine(const Expression &written, const std::string &what) {
    return affine_of(written, what, named());
  }

  // ---- accesses and values

  Access access(const Expression &written) {
    if (written.kind != Expression::Kind::Name && written.kind != Expression::Kind::Call)
      report::fail(Kind::bad_subscript, written.span,
                   fmt::format("`{}` is not a tensor access", written.span.text()));
    const std::string &name = written.name.text;
    if (is_loop(name) || is_size(name))
      report::fail(
          Kind::not_a_product, written.span,
          fmt::format("`{}` is {}, not a tensor", name, is_loop(name) ? "the variable of a loop" : "a size"),
          "use it as a number, without subscripts; it can't be assigned to");
    Access made;
    made.tensor = name;
    made.span = written.span;
    if (auto local = program().locals.find(name); local != program().locals.end()) {
      if (written.kind == Expression::Kind::Call)
        report::fail(Kind::order_mismatch, written.span, fmt::format("`{}` is a scalar", name));
      require_visible(written);
      made.is_local = true;
      for (std::size_t k = 0; k < local->second; ++k)
        made.subscripts.push_back({scopes_[k].loop.variable, 0, term::variable(scopes_[k].loop.variable)});
    } else {
      check_subscripts(written, operators_, "a loop adds up: `let s = 0; for j { s += A(i,j); }`");
      for (const Expression &child : written.children)
        made.subscripts.push_back(subscript(child));
      note_tensor(made);
      if (program().local_tensors.count(name)) require_visible(written);
    }
    made.occurrence = ++occurrences_[name];
    return made;
  }

  /// The variable of a loop, or a size, is a number.
  Value leaf(const Expression &written) {
    const std::string &name = written.name.text;
    if (written.kind == Expression::Kind::Name && (is_loop(name) || is_size(name)))
      return {term::variable(name)};
    return {access(written)};
  }

  void require_visible(const Expression &written) const {
    const std::string &name = written.name.text;
    if (!visible_.count(name))
      report::fail(Kind::unknown_variable, written.span,
                   fmt::format("`{}` was declared in a body that has ended", name),
                   "declare it outside the loop");
  }

  Subscript subscript(const Expression &written) {
    Subscript made{"", 0, affine(written, "a subscript")};
    term::Linear form = term::linear_form(made.value);
    if (form.parts.size() == 1 && form.parts[0].second == 1) {
      const std::string &name = form.parts[0].first.as<term::Variable>()->name;
      if (is_loop(name)) made.index = name, made.shift = form.constant;
    }
    return made;
  }

  void note_tensor(const Access &made) {
    auto [known, fresh] = orders_.emplace(made.tensor, made.subscripts.size());
    if (fresh) spans_[made.tensor] = made.span, order_of_names_.push_back(made.tensor);
    if (known->second != made.subscripts.size())
      report::fail(Kind::order_mismatch, made.span,
                   fmt::format("`{}` has {} subscript{} here, but {} before", made.tensor,
                               made.subscripts.size(), made.subscripts.size() == 1 ? "" : "s",
                               known->second));
  }

  Sum value(const Expression &written, const Algebra &algebra = {}) {
    Sum sum = sum_of(
        written, [this](const Expression &each) { return leaf(each); }, algebra, operators_);
    return algebra.is_plain() ? with_affine_factors(std::move(sum), {}) : sum;
  }

  // ---- statements

  void statements(const std::vector<StatementTree> &body) {
    std::set<std::string> outside = visible_;
    for (const StatementTree &statement : body) {
      switch (statement.kind) {
      case StatementTree::Kind::Assign: assign(statement); break;
      case StatementTree::Kind::Local: local(statement); break;
      case StatementTree::Kind::For: loop(statement); break;
      case StatementTree::Kind::If: {
        Term kept = condition_;
        condition_ = term::conjunction({kept, condition_of(statement.condition, named())});
        statements(statement.body);
        condition_ = kept;
        break;
      }
      case StatementTree::Kind::Repeat: report::require(false, "rounds are loops"); break;
      }
    }
    visible_ = std::move(outside);
  }

  void loop(const StatementTree &statement) {
    Loop made{statement.variable.text, Term(0), OpenExtents::of(statement.variable.text)};
    if (statement.low) {
      made.low = affine(*statement.low, "a bound");
      made.high = affine(*statement.high, "a bound");
    }
    if (statement.until) made.until = statement.until->name.text;
    enter(statement.variable, std::move(made), statement.span);
    statements(statement.body);
    leave();
  }

  void enter(const parse::Name &variable, Loop made, const text::Span &span) {
    const std::string &name = variable.text;
    check_number_name(variable, "variable of a loop");
    const char *taken = is_loop(name)                  ? "a loop around this has the same variable"
                        : is_size(name)                ? "it is a size"
                        : orders_.count(name)          ? "it is a tensor"
                        : program().locals.count(name) ? "it is a scalar"
                                                       : nullptr;
    if (taken)
      report::fail(Kind::duplicate_name, variable.span,
                   fmt::format("`{}` can't be the variable of this loop: {}", name, taken),
                   "choose another name");
    if (made.high == OpenExtents::of(name)) {
      open_.add(name);
      open_places_.emplace(name,
                           std::pair(variable.span, fmt::format("give it bounds: `for {} in [0, n)`", name)));
    }
    if (std::find(result_.indices.begin(), result_.indices.end(), name) == result_.indices.end())
      result_.indices.push_back(name);
    scopes_.push_back({std::move(made), span});
    place_.push_back(0);
  }

  void leave() {
    place_.pop_back();
    scopes_.pop_back();
    ++place_.back();
  }

  /// A scalar, or a tensor that is set in loops over its modes.
  void local(const StatementTree &statement) {
    const Expression &target = statement.assignment.target;
    const parse::Name &name = target.name;
    check_declared_name(name, target.kind == Expression::Kind::Name);
    if (is_loop(name.text) || is_size(name.text) || orders_.count(name.text) ||
        program().locals.count(name.text))
      report::fail(Kind::duplicate_name, name.span,
                   fmt::format("`{}` already has another meaning", name.text), "choose another name");
    const std::size_t around = scopes_.size();
    std::vector<Loop> modes;
    for (std::size_t k = 0; k < target.children.size(); ++k) {
      const auto &[index, span] = target.children[k].name;
      const std::optional<Expression> &extent = statement.extents[k];
      open_places_.emplace(index,
                           std::pair(span, fmt::format("say how many there are: `{} in [0, n)`", index)));
      modes.push_back({index, Term(0), extent ? affine(*extent, "an extent") : OpenExtents::of(index)});
      const auto is_around = [&](const std::string &variable) { return is_loop(variable); };
      if (extent) require_sizes(modes.back().high, is_around, name, extent->span);
    }
    for (std::size_t k = 0; k < modes.size(); ++k)
      enter(target.children[k].name, modes[k], statement.span);
    Sum made = value(statement.assignment.value);
    if (orders_.count(name.text))
      report::fail(Kind::unknown_variable, name.span,
                   fmt::format("the first value of `{}` can't be computed from itself", name.text));
    (target.kind == Expression::Kind::Call ? program().local_tensors : program().locals)
        .emplace(name.text, around);
    visible_.insert(name.text);
    add(statement, access(target), false, std::move(made), {});
    while (scopes_.size() > around)
      leave();
  }

  void assign(const StatementTree &statement) {
    const parse::AssignmentTree &tree = statement.assignment;
    check_target_name(tree.target.name, operators_);
    Algebra algebra = algebra_of(tree, operators_);
    Access target = access(tree.target);
    Sum made = value(tree.value, algebra);
    switch (tree.op) {
    case AssignOp::Set: break;
    case AssignOp::Subtract:
      refuse_in_semiring(algebra, tree.span, "a difference");
      made = negated(std::move(made));
      [[fallthrough]];
    case AssignOp::Add:
    case AssignOp::Reduce: return add(statement, std::move(target), true, std::move(made), algebra);
    case AssignOp::Multiply:
    case AssignOp::Divide: {
      Expression whole; // x *= e is x = x * (e)
      whole.kind = tree.op == AssignOp::Multiply ? Expression::Kind::Multiply : Expression::Kind::Divide;
      whole.span = tree.span;
      whole.children = {tree.target, tree.value};
      return add(statement, std::move(target), false, value(whole, algebra), algebra);
    }
    }
    const auto by = take_old_value(made, target, algebra);
    if (by) algebra.add = algebra.by = *by;
    add(statement, std::move(target), by.has_value(), std::move(made), algebra);
  }

  Statement statement_of(const Access &target, bool accumulate, const Algebra &algebra, Value value) const {
    Statement made;
    made.target = target;
    made.accumulate = accumulate;
    made.value = std::move(value);
    made.by = algebra.by;
    if (algebra.is_semiring) made.product = algebra.multiply;
    made.condition = condition_;
    return made;
  }

  void add(const StatementTree &statement, Access target, bool accumulate, Sum value,
           const Algebra &algebra) {
    std::vector<Statement> all;
    if (algebra.by == value::Operator::Add && algebra.is_plain())
      all.push_back(statement_of(target, accumulate, algebra, sum_of_terms(std::move(value))));
    else {
      // Where products are made by what reduces, each term is a statement: in one value they aren't told
      // apart.
      const bool are_alike = algebra.is_semiring && algebra.multiply == algebra.by;
      for (Value &term :
           reduced_terms(std::move(value), algebra, (!accumulate || !algebra.is_semiring) && !are_alike))
        all.push_back(statement_of(target, accumulate || !all.empty(), algebra, std::move(term)));
    }
    const std::vector<MaskCase> cases = cases_of(
        statement.assignment.mask, [this](const Expression &each) { return access(each); }, named());
    for (const Statement &each : all)
      for (Statement &made : masked(each, cases)) {
        for (const Scope &scope : scopes_)
          made.loops.push_back(scope.loop);
        made.place = place_;
        made.span = statement.span;
        program().statements.push_back(std::move(made));
        ++place_.back();
      }
  }

  static Value sum_of_terms(Sum terms) {
    std::erase_if(terms, [](const Value &term) { return value::quotient_of(term).constant == 0; });
    return value::sum(std::move(terms));
  }

  // ---- tensors and their extents

  /// What is written, in the order of the first writes.
  void find_results() {
    for (const Statement &statement : program().statements)
      if (const std::string &tensor = statement.target.tensor;
          !statement.target.is_local && !program().local_tensors.count(tensor) && !is_result(tensor))
        results_.push_back(tensor);
    if (results_.empty())
      report::fail(Kind::syntax_error, tree_.span,
                   "the program assigns only to what `let` declares: it has no result");
  }

  bool is_result(const std::string &tensor) const {
    return std::find(results_.begin(), results_.end(), tensor) != results_.end();
  }

  /// Loops without bounds run over the extents of what they subscript; undeclared tensors have the extents of
  /// the loops that subscript them.
  void find_extents() {
    auto visit_modes = [&](const auto &visit) {
      for (Statement &statement : program().statements)
        each_access(statement, [&](Access &access) {
          if (access.is_local) return;
          for (std::size_t k = 0; k < access.subscripts.size(); ++k) {
            const Subscript &subscript = access.subscripts[k];
            if (subscript.index.empty() || subscript.shift != 0) continue;
            auto loop = std::find_if(statement.loops.begin(), statement.loops.end(),
                                     [&](const Loop &each) { return each.variable == subscript.index; });
            visit(access, k, *loop);
          }
        });
    };
    // A loop over a declared mode; then modes from loops, loops from those modes.
    visit_modes([&](const Access &access, std::size_t mode, const Loop &loop) {
      if (declared_.count(access.tensor)) close(loop, program().extents.at(access.tensor)[mode]);
    });
    std::map<std::string, std::vector<std::optional<Term>>> found;
    visit_modes([&](const Access &access, std::size_t mode, const Loop &loop) {
      if (declared_.count(access.tensor)) return;
      auto &modes = found[access.tensor];
      modes.resize(access.subscripts.size());
      Term high = open_.resolved(loop.high);
      if (modes[mode])
        close(loop, *modes[mode]), close(*modes[mode], loop);
      else if (loop.low == Term(0) && over_sizes(high))
        modes[mode] = high;
    });
    for (const std::string &tensor : order_of_names_) {
      if (declared_.count(tensor)) continue;
      std::vector<Term> &extents = program().extents[tensor];
      for (std::size_t k = 0; k < orders_.at(tensor); ++k) {
        auto known = found.find(tensor);
        if (known == found.end() || !known->second[k])
          report::fail(Kind::unknown_extent, spans_.at(tensor),
                       fmt::format("the extent of mode {} of `{}` is unknown", k, tensor),
                       declaration_hint(tensor));
        extents.push_back(*known->second[k]);
      }
    }
    name_open_sizes();
  }

  std::string declaration_hint(const std::string &tensor) const {
    const std::size_t order = orders_.at(tensor);
    std::string extents = order == 1 ? "n" : "";
    for (std::size_t k = 0; order > 1 && k < order; ++k)
      extents += fmt::format("{}n{}", k > 0 ? ", " : "", k);
    return fmt::format("declare it at the beginning: `tensor {}({});`", tensor, extents);
  }

  bool over_sizes(const Term &extent) {
    std::set<std::string> names = term::variables_of(extent);
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string &name) { return is_size(name) || open_.contains(name); });
  }

  void close(const Loop &loop, const Term &extent) {
    if (loop.high == OpenExtents::of(loop.variable)) open_.join(loop.high, extent);
  }

  /// What was declared without bounds has those of a loop that subscripts it.
  void close(const Term &extent, const Loop &loop) {
    const std::set<std::string> sizes = term::variables_of(loop.high);
    if (loop.low == Term(0) &&
        std::all_of(sizes.begin(), sizes.end(), [&](const std::string &size) { return is_size(size); }))
      open_.set(extent, loop.high);
  }

  /// What is still open is a size of its own. Everything is said over sizes.
  void name_open_sizes() {
    for (const std::string &name : open_.unknown())
      program().sizes.push_back(name);
    for (auto &[tensor, extents] : program().extents)
      for (Term &extent : extents)
        extent = open_.resolved(extent);
    for (Statement &statement : program().statements)
      for (Loop &each : statement.loops)
        each.high = open_.resolved(each.high);
  }

  void list_tensors() {
    auto add = [&](const std::string &name) {
      result_.tensors.push_back({name, orders_.at(name), is_result(name), spans_.at(name)});
    };
    for (const std::string &name : results_)
      add(name);
    std::set<std::string> used;
    for (Statement &statement : program().statements)
      each_access(statement, [&](const Access &access) { used.insert(access.tensor); });
    for (const std::string &name : order_of_names_)
      if (!is_result(name) && used.count(name) && !program().local_tensors.count(name)) add(name);
  }

  /// Sizes that are declared, and those in extents of what is used, where no tensor says what they are.
  void list_given() {
    std::set<std::string> told, used;
    for (const parse::SizeTree &size : tree_.sizes)
      used.insert(size.name.text);
    for (const TensorUse &tensor : result_.tensors)
      for (const Term &extent : program().extents.at(tensor.name)) {
        used.merge(term::variables_of(extent));
        if (const auto *size = extent.as<term::Variable>()) told.insert(size->name);
      }
    for (const Statement &statement : program().statements) {
      used.merge(term::variables_of(statement.condition));
      each_coordinate(statement.value, [&](const std::string &name) { used.insert(name); });
      for (const Loop &loop : statement.loops) {
        used.merge(term::variables_of(loop.low));
        used.merge(term::variables_of(loop.high));
      }
      each_access(statement, [&](const Access &access) {
        for (const Subscript &subscript : access.subscripts)
          used.merge(term::variables_of(subscript.value));
      });
    }
    for (const std::string &size : program().sizes) {
      if (told.count(size) || !used.count(size)) continue;
      if (open_.contains(size)) fail_open(size);
      program().given.push_back({size, size_spans_.at(size)});
    }
  }

  [[noreturn]] void fail_open(const std::string &size) const {
    const std::string loop = size.substr(0, size.find('.'));
    const auto &[place, hint] = open_places_.at(loop);
    report::fail(Kind::unknown_extent, place,
                 fmt::format("the upper bound of the loop over `{}` is unknown", loop), hint);
  }

  const parse::ProgramTree &tree_;
  const Operators operators_;
  Computation result_;
  std::vector<Scope> scopes_;
  std::vector<int> place_{0};
  Term condition_ = term::truth();
  std::set<std::string> declared_;
  std::set<std::string> visible_; // locals
  std::map<std::string, std::pair<text::Span, std::string>>
      open_places_; // where their loops begin, and hints
  OpenExtents open_;
  std::map<std::string, std::size_t> orders_;
  std::map<std::string, text::Span> spans_, size_spans_;
  std::vector<std::string> order_of_names_;
  std::map<std::string, int> occurrences_;
  std::vector<std::string> results_;
};

/// Those that the program declares.
std::map<std::string, value::Type> declared_types(const parse::ProgramTree &tree) {
  std::map<std::string, value::Type> types;
  for (const parse::TensorTree &tensor : tree.tensors) {
    if (!tensor.values.type) continue;
    const auto type = value::type_called(tensor.values.type->text);
    if (!type)
      report::fail(Kind::syntax_error, tensor.values.type->span,
                   fmt::format("expected a type of values, saw `{}`", tensor.values.type->text),
                   "types are " + value::type_words());
    types.emplace(tensor.name.text, *type);
  }
  return types;
}

} // namespace

Computation make_computation(const parse::ProgramTree &tree, const Fills &fills) {
  const parse::ProgramTree loops = with_argmin(with_rounds_as_loops(tree));
  Computation made = ProgramMaker(loops).make();
  set_fills(made, declared_fills(tree, fills));
  check_rounds(made);
  made.types = declared_types(tree);
  return made;
}

} // namespace unravel::compute
