#include "compute/as_line.h"

#include "compute/build_tree.h"
#include "compute/coordinates.h"
#include "text/contains.h"
#include "value/typed.h"

#include <algorithm>

namespace unravel::compute {

namespace {

using term::Term;

bool is_plain(const Subscript &subscript, const std::string &variable) {
  return subscript.index == variable && subscript.shift == 0;
}

/// Does it set its target to what the sum of nothing is?
bool clears(const Statement &statement) {
  return !statement.accumulate && value::is_zero(statement.value) && statement.masks.empty();
}

/// Does what one does to an element of the target come before what the other does to it? Where they share a
/// loop whose variable is a subscript of both, both come to an element in one iteration.
bool comes_first(const Statement &one, const Statement &other) {
  const std::size_t shared = shared_loops(one.place, other.place);
  const std::vector<Subscript> &here = one.target.subscripts, &there = other.target.subscripts;
  for (std::size_t loop = 0; loop < shared; ++loop) {
    const std::string &variable = one.loops[loop].variable;
    bool is_common = false;
    for (std::size_t mode = 0; mode < here.size(); ++mode)
      is_common = is_common || (here[mode].index == variable && here[mode].value == there[mode].value);
    if (!is_common) return false;
  }
  return one.place[shared] < other.place[shared];
}

/// Has each instance an element of its own?
bool sets_each_once(const Statement &statement) {
  return std::ranges::all_of(statement.loops, [&](const Loop &loop) {
    return contains(statement.target.subscripts, loop.variable, &Subscript::index);
  });
}

/// Does it come to each element of its target?
bool sets_all(const Statement &statement, const Program &program) {
  const std::vector<Subscript> &modes = statement.target.subscripts;
  return statement.masks.empty() && statement.condition == term::truth() &&
         std::ranges::all_of(statement.loops, [&](const Loop &loop) {
           const auto mode = std::ranges::find(modes, loop.variable, &Subscript::index);
           const auto extents = program.extents.find(statement.target.tensor);
           return loop.low == Term(0) && mode != modes.end() && extents != program.extents.end() &&
                  loop.high == extents->second[static_cast<std::size_t>(mode - modes.begin())];
         });
}

/// The one tensor that the program computes; none of several, or where there are locals, rounds, or sizes
/// that no tensor has.
std::optional<std::string> only_result(const Program &program) {
  if (!program.locals.empty() || !program.local_tensors.empty() || !program.given.empty() ||
      !program.least.empty())
    return {};
  const std::string &result = program.statements.front().target.tensor;
  for (const Statement &statement : program.statements)
    if (statement.is_free || statement.target.tensor != result ||
        std::ranges::any_of(statement.loops, [](const Loop &loop) { return !loop.until.empty(); }))
      return {};
  return result;
}

bool are_same(const Access &one, const Access &other) {
  return std::ranges::equal(one.subscripts, other.subscripts, {}, &Subscript::value, &Subscript::value);
}

class LineOfProgram {
public:
  LineOfProgram(const Computation &program, const std::string &result,
                const std::map<std::string, value::Type> &types)
      : program_(program.program), result_(result), types_(types), made_(program) {
    made_.program.statements.clear();
    std::erase_if(made_.program.extents, [](const auto &each) { return !is_declared(each.second); });
    std::erase_if(made_.program.sizes, is_of_loop);
  }

  std::optional<Computation> made() {
    if (!is_sum_of_terms()) return {};
    for (const Statement &statement : program_.statements)
      if (!clears(statement) && !add_terms_of(statement)) return {};
    if (made_.program.statements.empty()) return {};
    // In loops each value is converted when it is added.
    if (is_reduced_before_conversion(made_.program, types_) || !are_computed_alike()) return {};
    return std::move(made_);
  }

private:
  /// Does each statement set the result or add to it, and does what sets an element come first?
  bool is_sum_of_terms() const {
    for (const Statement &one : program_.statements) {
      const bool is_sum = one.by == value::Operator::Add && !one.product && !reads(one, result_);
      if (!is_sum || one.target.fill_or_zero() != 0) return false;
      if (one.accumulate) continue;
      if (!clears(one) && !sets_each_once(one)) return false;
      for (const Statement &other : program_.statements)
        if (&other != &one && !clears(other) && !comes_first(one, other)) return false;
    }
    return true;
  }

  bool add_terms_of(const Statement &statement) {
    const std::vector<Value> terms = value::parts_by(value::Operator::Add, statement.value);
    if (terms.size() > 1 &&
        (!may_convert_terms(statement, types_) ||
         !std::ranges::all_of(terms, [&](const Value &term) { return is_computed_alike(term, statement); })))
      return false;
    return std::ranges::all_of(terms, [&](const Value &term) {
      Statement one = statement;
      one.value = term;
      return add_free(std::move(one));
    });
  }

  /// A line computes its terms in one type: are statements computed in that? Where it adds up terms of an
  /// element before it converts them, loops convert each of them.
  bool are_computed_alike() const {
    const std::vector<Statement> &all = made_.program.statements;
    if (all.size() == 1) return true;
    std::vector<Value> terms;
    for (const Statement &each : all)
      terms.push_back(each.value);
    Statement line = all.front();
    line.type = type_of(apply(value::Operator::Add, std::move(terms))).value_or(line.type);
    if (!may_convert_terms(line, types_) && !std::ranges::all_of(all, reduces_points)) return false;
    const bool is_of_result = line.type == compute::type_of(types_, result_);
    return std::ranges::all_of(all, [&](const Statement &each) {
      return type_of(each.value) == line.type || (is_of_result && is_computed_alike(each.value, line));
    });
  }

  std::optional<value::Type> type_of(const Value &value) const {
    return value::computed_in(value, [&](const Value &leaf) {
      const auto *access = std::get_if<Access>(&leaf.kind);
      return std::optional(access ? compute::type_of(types_, access->tensor) : value::Type::Int64);
    });
  }

  /// Tells whether the term has the statement's type if it stands alone.
  bool is_computed_alike(const Value &term, const Statement &statement) const {
    if (!std::holds_alternative<Value::Apply>(term.kind)) return true; // it is only converted
    const std::optional<value::Type> own = type_of(term);
    return own ? *own == statement.type : value::is_floating(statement.type);
  }

  /// For all values of the variables, where the conditions hold.
  bool add_free(Statement term) {
    const std::vector<std::string> variables = variables_of(term);
    std::vector<Term> conditions{term.condition};
    for (const Loop &loop : term.loops)
      if (!add_range(loop, term, conditions)) return false;
    term.condition = term::conjunction(std::move(conditions));
    term.loops.clear();
    term.is_free = true;
    term.indices.clear();
    bool is_known = true;
    each_access(term, [&](const Access &access) {
      for (const Subscript &subscript : access.subscripts) {
        // Where it would lie outside a line isn't executed; loops must keep it inside.
        is_known = is_known && contains(variables, subscript.index) && subscript.shift == 0;
        if (!contains(term.indices, subscript.index)) term.indices.push_back(subscript.index);
      }
    });
    const auto has = [&](const std::string &name) { return contains(variables, name); };
    is_known = is_known && std::ranges::all_of(term::variables_of(term.condition), has);
    each_coordinate(term.value, [&](const std::string &name) { is_known = is_known && has(name); });
    if (!is_known) return false;
    if (!made_.program.statements.empty() && !are_same(term.target, made_.program.statements.front().target))
      return false;
    name_occurrences(term);
    term.accumulate = !made_.program.statements.empty();
    term.place = {static_cast<int>(made_.program.statements.size())};
    made_.program.statements.push_back(std::move(term));
    return true;
  }

  static std::vector<std::string> variables_of(const Statement &term) {
    std::vector<std::string> variables;
    for (const Loop &loop : term.loops)
      variables.push_back(loop.variable);
    return variables;
  }

  /// What is to hold of the loop's variable, beside that all subscripts lie inside their tensors. None: in a
  /// line the variable would have other values.
  bool add_range(const Loop &loop, const Statement &term, std::vector<Term> &conditions) {
    bool is_subscript = false, is_one = true;
    each_access(term, [&](const Access &access) {
      for (std::size_t mode = 0; mode < access.subscripts.size(); ++mode) {
        if (!is_plain(access.subscripts[mode], loop.variable)) continue;
        const auto declared = program_.extents.find(access.tensor);
        is_one =
            is_one && declared != program_.extents.end() && declared->second[mode].as<term::Variable>() &&
            extents_.emplace(loop.variable, declared->second[mode]).first->second == declared->second[mode];
        is_subscript = true;
      }
    });
    if (!is_subscript || !is_one) return false;
    const Term variable = term::variable(loop.variable);
    if (loop.low != Term(0)) conditions.push_back(term::at_most(loop.low, variable));
    if (loop.high != extents_.at(loop.variable)) conditions.push_back(term::less(variable, loop.high));
    return true;
  }

  /// All terms have the target; what each reads has numbers of its own.
  void name_occurrences(Statement &term) {
    std::map<std::string, int> numbers; // by the name before: a mask may be what the value reads
    term.target.occurrence = occurrences_[term.target.tensor] = 1;
    each_read(term, [&](Access &read) {
      const auto [number, is_new] = numbers.emplace(read.name(), 0);
      if (is_new) number->second = ++occurrences_[read.tensor];
      read.occurrence = number->second;
    });
  }

  const Program &program_;
  const std::string &result_;
  const std::map<std::string, value::Type> &types_;
  Computation made_;
  std::map<std::string, int> occurrences_;
  std::map<std::string, Term> extents_; // of what a variable subscripts, in all terms
};

} // namespace

std::optional<Computation> as_line(const Computation &program,
                                   const std::map<std::string, value::Type> &types) {
  const std::optional<std::string> result = only_result(program.program);
  return result ? LineOfProgram(program, *result, types).made() : std::nullopt;
}

std::optional<Computation> as_dense_line(const Computation &program,
                                         const std::map<std::string, value::Type> &types) {
  std::optional<Computation> line = as_line(program, types);
  if (!line) return {};
  bool sets = false;
  for (const Statement &statement : program.program.statements) {
    if (statement.accumulate) continue;
    if (!sets_all(statement, program.program)) return {};
    sets = true;
  }
  line->program.statements.front().accumulate = !sets;
  return line;
}

} // namespace unravel::compute
