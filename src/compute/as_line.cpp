#include "compute/as_line.h"

#include "compute/coordinates.h"
#include "text/contains.h"

#include <algorithm>

namespace unravel::compute {

namespace {

using term::Term;

bool is_plain(const Subscript &subscript, const std::string &variable) {
  return subscript.index == variable && subscript.shift == 0;
}

bool reads(const Statement &statement, const std::string &tensor) {
  bool found = false;
  each_read(statement, [&](const Access &read) { found = found || read.tensor == tensor; });
  return found;
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
      is_common = is_common || (here[mode].index == variable && there[mode].index == variable &&
                                here[mode].shift == there[mode].shift);
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

/// The one tensor that the program computes; none of several, or where there are local tensors or rounds.
std::optional<std::string> only_result(const Program &program) {
  std::optional<std::string> result;
  if (!program.local_tensors.empty()) return {};
  for (const Statement &statement : program.statements) {
    if (statement.is_free ||
        std::ranges::any_of(statement.loops, [](const Loop &loop) { return !loop.until.empty(); }))
      return {};
    if (statement.target.is_local) continue;
    if (result && *result != statement.target.tensor) return {};
    result = statement.target.tensor;
  }
  return result;
}

class Line {
public:
  Line(const Computation &program, const std::string &result, const std::map<std::string, value::Type> &types)
      : program_(program.program), result_(result), types_(types), made_(program) {
    made_.program = {};
    made_.program.operators = program_.operators;
    made_.program.fills = program_.fills;
  }

  std::optional<Computation> made() {
    if (!is_sum_of_terms()) return {};
    for (const Statement &statement : program_.statements)
      if (!statement.target.is_local && !clears(statement) && !add_terms_of(statement)) return {};
    if (made_.program.statements.empty()) return {};
    return std::move(made_);
  }

private:
  /// Does each statement set the result or add to it, and does what sets an element come first?
  bool is_sum_of_terms() const {
    for (const Statement &one : program_.statements) {
      const bool is_sum = one.by == value::Operator::Add && !one.product && !reads(one, result_);
      if (!is_sum || one.target.fill_or_zero() != 0) return false;
      if (one.target.is_local || one.accumulate) continue;
      if (!clears(one) && !sets_each_once(one)) return false;
      for (const Statement &other : program_.statements)
        if (&other != &one && !other.target.is_local && !clears(other) && !comes_first(one, other))
          return false;
    }
    return true;
  }

  bool add_terms_of(const Statement &statement) {
    const std::vector<Value> terms = value::parts_by(value::Operator::Add, statement.value);
    return std::ranges::all_of(terms, [&](const Value &term) { return add_term(statement, term); });
  }

  bool add_term(Statement statement, const Value &term) {
    statement.value = term;
    std::vector<std::string> scalars;
    each_read(statement, [&](const Access &read) {
      if (read.is_local) scalars.push_back(read.tensor);
    });
    if (scalars.empty()) return add_free(std::move(statement));
    return scalars.size() == 1 && add_with_sum(statement, scalars.front());
  }

  /// Of a term with a scalar: what is added up in it takes its place.
  bool add_with_sum(const Statement &reader, const std::string &scalar) {
    if (!is_read_once(scalar) || !holds_what_the_result_does(scalar)) return false;
    bool is_factor = true;
    value::each_role<Access>(reader.value, [&](const Access &read, value::Role role) {
      is_factor = is_factor && (read.tensor != scalar || role == value::Role::Factor);
    });
    const std::size_t around = program_.locals.at(scalar);
    if (!is_factor || reader.loops.size() != around) return false;
    bool is_begun = false;
    for (const Statement &writer : program_.statements) {
      if (writer.target.tensor != scalar) continue;
      const std::size_t shared = shared_loops(writer.place, reader.place);
      const bool begins =
          !writer.accumulate && writer.loops.size() == around && term::is_true(writer.condition);
      if (shared < around || writer.place[shared] > reader.place[shared] || !writer.masks.empty() ||
          begins == is_begun)
        return false;
      is_begun = true;
      for (const Value &part : value::parts_by(value::Operator::Add, writer.value)) {
        if (value::is_zero(part)) continue;
        Statement term = reader;
        term.value = value::map_leaves<Value>(
            reader.value, [&](const Access &read) { return read.tensor == scalar ? part : Value{read}; });
        term.loops = writer.loops;
        term.condition = term::conjunction({reader.condition, writer.condition});
        if (!add_free(std::move(term))) return false;
      }
    }
    return is_begun;
  }

  bool is_read_once(const std::string &scalar) const {
    std::size_t count = 0;
    for (const Statement &statement : program_.statements)
      each_read(statement, [&](const Access &read) { count += read.tensor == scalar; });
    return count == 1;
  }

  bool holds_what_the_result_does(const std::string &scalar) const {
    const value::Type type = type_of(types_, result_);
    return type_of(types_, scalar) == type && (value::is_floating(type) || value::is_complex(type));
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
        is_known = is_known && contains(variables, subscript.index);
        if (!contains(term.indices, subscript.index)) term.indices.push_back(subscript.index);
      }
    });
    const auto has = [&](const std::string &name) { return contains(variables, name); };
    is_known = is_known && std::ranges::all_of(term::variables_of(term.condition), has);
    each_coordinate(term.value, [&](const std::string &name) { is_known = is_known && has(name); });
    if (!is_known) return false;
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

  /// What is to hold of the loop's variable, beside that all subscripts lie inside their tensors.
  bool add_range(const Loop &loop, const Statement &term, std::vector<Term> &conditions) const {
    bool is_subscript = false, is_whole = false;
    each_access(term, [&](const Access &access) {
      const auto extents = program_.extents.find(access.tensor);
      for (std::size_t mode = 0; mode < access.subscripts.size(); ++mode) {
        if (!is_plain(access.subscripts[mode], loop.variable)) continue;
        is_subscript = true;
        is_whole = is_whole || (extents != program_.extents.end() && loop.high.as<term::Variable>() &&
                                extents->second[mode] == loop.high);
      }
    });
    const Term variable = term::variable(loop.variable);
    if (loop.low != Term(0)) conditions.push_back(term::at_most(loop.low, variable));
    if (!is_whole) conditions.push_back(term::less(variable, loop.high));
    return is_subscript;
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
};

} // namespace

std::optional<Computation> as_line(const Computation &program,
                                   const std::map<std::string, value::Type> &types) {
  const std::optional<std::string> result = only_result(program.program);
  return result ? Line(program, *result, types).made() : std::nullopt;
}

} // namespace unravel::compute
