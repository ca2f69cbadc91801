#include "check/reference_program.h"

#include "check/free_points.h"
#include "check/resolved_statement.h"
#include "check/rounding.h"
#include "check/stored_elements.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <set>

namespace unravel::check {

using compute::Access;
using compute::Statement;

namespace {

class Runner {
public:
  /// `is_sparse`: of results only the elements are kept that something is computed for. `computes_absent`:
  /// also what is_open() says may be nothing.
  Runner(const TypedProgram &typed, const ProgramInput &input, bool is_sparse, bool computes_absent)
      : statements_(typed.program.statements), input_(input), is_sparse_(is_sparse),
        computes_absent_(computes_absent), collected_in_(typed.collected_in),
        adds_(!statements_.empty() && statements_.front().accumulate) {
    const compute::Program &program = typed.program;
    memory_.types = input.types;
    if (collected_in_) memory_.types[statements_.front().target.tensor] = *collected_in_;
    for (const auto &[name, size] : input.sizes)
      memory_.variables.all[name] = {size, true};
    for (std::size_t k = 0; k < statements_.size(); ++k) {
      if (!statements_[k].is_free) continue;
      if (!statements_[k].accumulate) cleared_.insert(k);
      statements_[k].accumulate = true;
    }
    for (const auto &[name, result] : input.results)
      begin_result(program, name, result);
    for (const auto &[name, around] : program.local_tensors) {
      Written &written = memory_.written[name];
      for (const term::Term &extent : program.extents.at(name))
        written.shape.push_back(std::max<std::int64_t>(0, value_of(extent)));
      written.elements.resize(static_cast<std::size_t>(data::element_count(written.shape)));
    }
    for (const Statement &statement : statements_)
      compute::each_read(statement, [&](const Access &access) {
        if (auto operand = input.operands.find(access.tensor); operand != input.operands.end())
          memory_.operands.try_emplace(access.tensor, *operand->second, type_of(access.tensor));
      });
    stored_.emplace(program, statements_, input.listed);
    resolved_.resize(statements_.size());
    for (std::size_t k = 0; k < statements_.size(); ++k)
      resolve(
          statements_[k], memory_, [&](auto &name) { return stored_->has(name); }, resolved_[k]);
    for (ResolvedStatement &resolved : resolved_) // of what nothing reads it doesn't matter
      resolved.lists_entries =
          resolved.lists_entries &&
          (!resolved.statement->accumulate || std::ranges::any_of(statements_, [&](const Statement &reader) {
            return compute::reads(reader, resolved.statement->target.tensor);
          }));
  }

  SparseReference run_sparse() {
    body(0, statements_.size(), 0);
    const std::string &name = statements_.front().target.tensor;
    const Written &written = memory_.written.at(name);
    SparseReference result{written.shape, {}, {}, {}};
    result.choices = memory_.choices[name];
    result.type = compute::type_of(input_.types, name);
    result.fill = static_cast<double>(constant(nothing_, result.type).value);
    result.offset.resize(written.elements.size());
    for (const auto &[offset, number] : written.number)
      result.offset[number] = offset;
    for (const Value &element : written.elements)
      append(collected_in_ ? as_result(element, result.type) : element, result);
    return result;
  }

  ProgramReference run() {
    body(0, statements_.size(), 0);
    ProgramReference reference;
    for (const auto &[name, given] : input_.results) {
      const Written &written = memory_.written.at(name);
      Reference &result = reference.results[name];
      result.shape = written.shape;
      result.has_truths = std::ranges::any_of(statements_, [&](const compute::Statement &statement) {
        return statement.target.tensor == name && statement.accumulate && value::is_truth(statement.by);
      });
      result.choices = memory_.choices[name];
      result.type = compute::type_of(input_.types, name);
      for (std::size_t k = 0; k < written.elements.size(); ++k)
        append(collected_in_ ? collected(written, k, given, result.type) : written.elements[k], result);
    }
    reference.missing = missing_;
    reference.missing_span = missing_span_;
    return reference;
  }

  /// Is there an element of which the language doesn't say whether it is nothing or no number?
  bool is_open() const { return is_open_; }

private:
  void begin_result(const compute::Program &program, const std::string &name, const ProgramResult &result) {
    Written &written = memory_.written[name];
    written.shape = result.shape;
    if (is_sparse_ || collected_in_) {
      nothing_ = adds_ && is_sparse_ ? compute::initial_of(program, name)
                                     : compute::identity_of(statements_.front());
      written.first = constant(nothing_, type_of(name));
    }
    if ((written.is_sparse = is_sparse_)) return;
    const auto count = static_cast<std::size_t>(data::element_count(result.shape));
    written.elements.resize(count, written.first);
    is_computed_.resize(collected_in_ ? count : 0);
    for (std::size_t k = 0; k < count && !collected_in_; ++k)
      written.elements[k] = before(result, k, type_of(name));
  }

  /// An element of a line, which was made up of its terms, as one of the result.
  Value as_result(const Value &element, value::Type to) const {
    Value made = in_type(element, *collected_in_, to);
    if (!value::is_integer(to)) made.magnitude = std::max(made.magnitude, made.size());
    return made;
  }

  /// And with what the result holds before.
  Value collected(const Written &written, std::size_t k, const ProgramResult &given, value::Type type) const {
    const Value old = adds_ ? before(given, k, type) : constant(nothing_, type);
    if (!is_computed_[k]) return old;
    const Value made = as_result(written.elements[k], type);
    return adds_ ? combined(statements_.front().by, std::array{old, made}, type) : made;
  }

  template <class Result> static void append(const Value &element, Result &result) {
    result.value.push_back(static_cast<double>(element.value));
    result.magnitude.push_back(element.magnitude);
    if (value::is_complex(result.type)) result.imaginary.push_back(static_cast<double>(element.imaginary));
    if (value::is_integer(result.type)) result.integer.push_back(element.integer);
  }

  static Value before(const ProgramResult &result, std::size_t k, value::Type type) {
    if (k >= result.initial.size()) return {};
    const double imaginary = result.imaginary.empty() ? 0 : result.imaginary[k];
    if (result.in_halves) return entry_of(result.initial[k], imaginary, true, type);
    if (value::is_integer(type)) return constant(result.initial[k], type);
    return {result.initial[k], 0, imaginary};
  }

  std::int64_t value_of(const term::Term &term) const { return term::evaluate(term, memory_.variables); }

  void body(std::size_t begin, std::size_t end, std::size_t depth) {
    for (std::size_t first = begin; first < end;) {
      std::size_t last = first + 1;
      while (last < end && statements_[last].place[depth] == statements_[first].place[depth])
        ++last;
      if (depth == 0 && cleared_.contains(first)) {
        std::ranges::fill(resolved_[first].target->written->elements, resolved_[first].identity);
        resolved_[first].target->choices->clear();
      }
      if (statements_[first].is_free)
        FreePoints(resolved_[first], memory_, input_.ranges).each([&] { execute(resolved_[first]); });
      else if (statements_[first].loops.size() == depth)
        execute(resolved_[first]);
      else
        loop(first, last, depth);
      first = last;
    }
  }

  void loop(std::size_t begin, std::size_t end, std::size_t depth) {
    const compute::Loop &head = statements_[begin].loops[depth];
    std::int64_t low = value_of(head.low), high = value_of(head.high);
    restrict(begin, end, head.variable, low, high);
    Variables::Variable &variable = memory_.variables.all[head.variable];
    variable.is_known = true;
    std::vector<std::int64_t> entries;
    if (end - begin == 1 && finds_entries_along(begin, depth, entries)) {
      for (std::int64_t each : entries)
        if (low <= each && each < high) variable.value = each, body(begin, end, depth + 1);
    } else {
      std::optional<Value> &last = memory_.scalars[head.until];
      last.reset();
      for (std::int64_t each = low; each < high; ++each) {
        variable.value = each, body(begin, end, depth + 1);
        // Where nothing in the rounds was executed, not even the test, they end.
        if (!head.until.empty() && (!last || last->value != 0)) break;
      }
    }
    variable.is_known = false;
  }

  /// Leaves out values at which no statement's condition holds: a band may be wider than its matrix.
  void restrict(std::size_t begin, std::size_t end, const std::string &variable, std::int64_t &low,
                std::int64_t &high) const {
    std::int64_t first = high, last = low; // of the statements together
    for (std::size_t k = begin; k < end; ++k) {
      std::int64_t own_low = low, own_high = high;
      for (const term::Term &part : term::conjuncts(statements_[k].condition)) {
        const auto *compare = part.as<term::Compare>();
        if (!compare) continue;
        const std::int64_t factor = term::coefficient_of(compare->left, variable);
        const term::Term rest = compare->left - term::scale(factor, term::variable(variable));
        const std::set<std::string> names = term::variables_of(rest);
        if ((factor != 1 && factor != -1) || !std::ranges::all_of(names, [&](const std::string &name) {
              return memory_.variables.knows(name);
            }))
          continue;
        const std::int64_t bound = -factor * value_of(rest); // where the left side is 0
        const bool is_equal = compare->relation == term::Relation::Equal;
        if (factor > 0 || is_equal) own_low = std::max(own_low, bound);
        if (factor < 0 || is_equal) own_high = std::min(own_high, bound + 1);
      }
      first = std::min(first, own_low);
      last = std::max(last, own_high);
    }
    low = std::max(low, first);
    high = std::min(high, last);
  }

  /// The values of the loop's variable for which one of a support has entries, where the statement adds
  /// nothing for others; increasing. False where no support tells.
  bool finds_entries_along(std::size_t statement, std::size_t depth, std::vector<std::int64_t> &entries) {
    if (!statements_[statement].accumulate) return false;
    Variables::Variable &variable = memory_.variables.all[statements_[statement].loops[depth].variable];
    for (const std::vector<Place *> &support : resolved_[statement].supports) {
      entries.clear();
      if (!std::ranges::all_of(support,
                               [&](Place *place) { return adds_entries_along(*place, variable, entries); }))
        continue;
      std::ranges::sort(entries);
      entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
      return true;
    }
    return false;
  }

  /// Those of an access for which it has entries, where one subscript is the variable and the others are
  /// known.
  bool adds_entries_along(Place &place, Variables::Variable &variable,
                          std::vector<std::int64_t> &entries) const {
    if (!place.operand->is_sparse()) return false;
    std::size_t along = place.subscripts.size();
    std::vector<std::size_t> others;
    Coordinate at;
    for (std::size_t k = 0; k < place.subscripts.size(); ++k) {
      const PlaceSubscript &subscript = place.subscripts[k];
      if (subscript.term) return false;
      if (along == place.subscripts.size() && subscript.constant == 0 && subscript.parts.size() == 1 &&
          subscript.parts.front() == std::pair<Variables::Variable *, std::int64_t>(&variable, 1)) {
        along = k;
        continue;
      }
      for (const auto &[other, coefficient] : subscript.parts)
        if (other == &variable || !other->is_known) return false;
      others.push_back(k);
      at.push_back(check::value_of(subscript, memory_.variables));
    }
    if (along == place.subscripts.size()) return false;
    place.operand->each(place.operand->by(others), others, at.data(),
                        [&](std::size_t e) { entries.push_back(place.operand->index(along, e)); });
    return true;
  }

  Offset offset_of(const Place &place) const {
    Offset offset = 0;
    for (std::size_t k = 0; k < place.subscripts.size(); ++k)
      offset = offset * static_cast<std::size_t>(place.written->shape[k]) +
               static_cast<std::size_t>(check::value_of(place.subscripts[k], memory_.variables));
    return offset;
  }

  Value &element(const Place &place, Offset offset) {
    if (place.written) return place.written->at(offset);
    if (!*place.scalar) place.scalar->emplace();
    return **place.scalar;
  }

  /// False where nothing is stored.
  bool read(const Node &node, Value &value) {
    Place &place = *node.place;
    if (place.operand) {
      const std::size_t e = entry_at(place, memory_.variables);
      if (e == Entries::none) return false;
      value = node.is_linear ? place.operand->terms(e) : place.operand->value(e);
      return true;
    }
    if (!is_stored(place)) return false;
    const Offset offset = offset_of(place);
    value = element(place, offset);
    if (!place.choices->empty() && place.choices->contains(offset))
      value.magnitude = std::numeric_limits<double>::infinity(); // whatever it is
    return true;
  }

  /// `any` may choose each value that isn't 0; what becomes of its choice isn't known.
  void note_choice(const ResolvedStatement &resolved, Offset offset, Value &before, const Value &value) {
    const auto choice = [](const Value &of) {
      return Choice{static_cast<double>(of.value), of.magnitude, static_cast<double>(of.imaginary),
                    of.integer};
    };
    Choices &known = *resolved.target->choices;
    if (resolved.statement->accumulate && resolved.statement->by == value::Operator::Any) {
      if (value.size() == 0 || before.size() == 0) return;
      std::vector<Choice> &choices = known[offset];
      if (choices.empty()) choices.push_back(choice(before));
      choices.push_back(choice(value));
    } else if (!known.empty() && known.erase(offset) > 0) {
      before.magnitude = std::numeric_limits<double>::infinity();
    }
  }

  void execute(ResolvedStatement &resolved) {
    const Statement &statement = *resolved.statement;
    if (!resolved.is_unconditional && !value_of(statement.condition)) return;
    if (is_masked_out(resolved) || is_of_nothing(resolved)) return;
    const value::Type type = resolved.target_type;
    double sizes = 0; // of the terms that are written, brackets evaluated: they are added in any order
    Evaluated made;
    const bool is_any = evaluate(resolved, resolved.parts, &sizes, made);
    Value value = is_any ? taken_as(statement.value, made.value, resolved.from, type) : resolved.identity;
    if (!value::is_integer(type))
      value.magnitude = std::max(value.magnitude, adds_terms(statement) ? sizes : value.size());
    if (!resolved.in_target.empty() && value.value != in_target_type(resolved).value)
      value.magnitude = std::numeric_limits<double>::infinity();
    if (statement.accumulate && (!is_any || (!made.is_stored && is_same(value, resolved.identity, type))))
      return;
    // A result that lists its entries gets none where a product has none.
    if (resolved.lists_entries) {
      const bool is_left_out = !is_any && input_.results.contains(statement.target.tensor);
      if (is_left_out) value = constant(statement.target.fill.value_or(0), type);
      const bool is_there =
          !is_left_out && (!is_any || made.is_stored ||
                           !is_same(value, constant(stored_->fill_of(statement.target), type), type));
      stored_->note(statement, coordinate_of(*resolved.target, memory_.variables), is_there);
    }
    const Offset offset = offset_of(*resolved.target);
    Value &target = element(*resolved.target, offset);
    note_choice(resolved, offset, target, value);
    if (!statement.accumulate)
      target = value;
    else if (statement.by == value::Operator::Add && !value::is_integer(type))
      target = {held(target.value + value.value, type), target.magnitude + value.magnitude,
                held(target.imaginary + value.imaginary, type)};
    else
      target = combined(statement.by, std::array{target, value}, type);
    if (!is_computed_.empty()) is_computed_[static_cast<std::size_t>(offset)] = true;
  }

  /// In the text: the terms of a line are statements.
  static bool adds_terms(const Statement &statement) {
    return !statement.is_free && value::arguments_of(value::Operator::Add, statement.value);
  }

  /// Have they the same value? Of the second only the real part isn't 0.
  static bool is_same(const Value &value, const Value &real, value::Type type) {
    if (value::is_integer(type)) return value.integer == real.integer;
    return value.value == real.value && value.imaginary == 0;
  }

  /// Is nothing stored of what the statement reduces by, where the operators' laws say that this is nothing?
  /// Then it isn't executed, though it may have numbers or dense elements.
  bool is_of_nothing(ResolvedStatement &resolved) {
    return resolved.statement->accumulate && resolved.is_nothing_without &&
           std::ranges::none_of(resolved.sparse, [&](Place *place) { return is_stored(*place); });
  }

  /// The value, where all of it is computed in the target's type.
  Value in_target_type(ResolvedStatement &resolved) {
    Evaluated made;
    return evaluate(resolved, resolved.in_target, nullptr, made) ? made.value : resolved.identity;
  }

  bool is_masked_out(ResolvedStatement &resolved) {
    return std::ranges::any_of(resolved.masks, [&](const auto &mask) {
      const auto &[place, is_absent] = mask;
      return is_stored(*place) == is_absent;
    });
  }

  /// Says so of all elements of results and locals that don't list their entries.
  bool is_stored(Place &place) {
    if (place.operand) return entry_at(place, memory_.variables) != Entries::none;
    return !stored_->has(place.access->tensor) ||
           stored_->contains(place.access->tensor, coordinate_of(place, memory_.variables));
  }

  struct Evaluated {
    Value value;
    bool is_stored = true; // else it is what it is where nothing is stored
    double nothing = 0;    // and that is, whatever the type: infinities absorb what they meet
  };

  /// The statement's value; with a product, what is there of the parts that are reduced: false if none is.
  /// `sizes`: becomes the sum of the terms' absolute values, of a sum.
  bool evaluate(const ResolvedStatement &resolved, const std::vector<Node> &parts, double *sizes,
                Evaluated &made) {
    const bool is_product = resolved.statement->product.has_value();
    if (parts.size() == 1) return evaluate(parts.front(), is_product, sizes, made);
    const value::Type type = parts.front().type;
    made = {constant(compute::identity_of(*resolved.statement), type), false};
    bool is_any = false;
    for (const Node &part : parts) {
      Evaluated one;
      if (!evaluate(part, is_product, nullptr, one)) continue;
      is_any = true;
      if (sizes) *sizes += one.value.size();
      made.value = combined(resolved.statement->by, std::array{made.value, one.value}, type);
      made.is_stored = made.is_stored || one.is_stored;
    }
    return is_any;
  }

  /// False where a part isn't stored, and nothing is made of that; or what it is there, whatever that meets.
  /// `sizes`: to which the absolute values of the arguments are added.
  bool evaluate(const Node &node, bool absent_is_nothing, double *sizes, Evaluated &result) {
    switch (node.kind) {
    case Node::Kind::Number: result = {node.number}; return true;
    case Node::Kind::Read: {
      const Access &access = *node.place->access;
      if (Value value; read(node, value))
        result = {value::is_integer(node.place->type) ? as_read(value, node.type)
                  : value::is_integer(node.type)      ? converted(value, node.place->type, node.type)
                                                      : value}; // the ones of a pattern have no type
      else if (absent_is_nothing && !access.fill)
        return false;
      else
        result = {node.number, false,
                  value::is_integer(node.place->type) ? static_cast<double>(node.number.value)
                                                      : access.fill_or_zero()};
      return true;
    }
    case Node::Kind::Index: {
      const value::Scalar number{value::Type::Int64, 0, value_of(*node.tree->as<term::Term>())};
      result = {as_read(of_integer(number), node.type)};
      return true;
    }
    case Node::Kind::Apply: break;
    }
    if (node.is_real_term && makes_real_term(node, result)) return true;
    const auto &made = *node.tree->as<compute::Value::Apply>();
    const std::size_t begin = arguments_.size();
    bool is_stored = false;
    std::optional<double> absorbs;
    for (std::size_t k = 0; k < node.arguments.size(); ++k) {
      Evaluated argument;
      if (!evaluate(node.arguments[k], absent_is_nothing, nullptr, argument)) {
        arguments_.resize(begin);
        return false;
      }
      is_stored = is_stored || argument.is_stored;
      if (sizes) *sizes += argument.value.size();
      arguments_.push_back(argument.value);
      if (argument.is_stored) continue;
      if (!absorbs) absorbs = value::absorbed(made.op, k, argument.nothing);
      if (made.op == value::Operator::Divide && k > 0) note_missing(node.arguments[k]);
    }
    const auto arguments = std::span(arguments_).subspan(begin);
    result = absorbs ? absorbed(node, arguments, *absorbs) : applied(node, arguments, is_stored);
    arguments_.resize(begin);
    return true;
  }

  /// As applied() makes it, without a detour: most time goes into these. False where one isn't stored.
  bool makes_real_term(const Node &node, Evaluated &result) const {
    long double value = 0;
    double size = 1;
    CancellingFactors cancelling;
    for (std::size_t k = 0; k < node.arguments.size(); ++k) {
      const Node &factor = node.arguments[k];
      std::size_t e = Entries::none;
      if (factor.place && (e = entry_at(*factor.place, memory_.variables)) == Entries::none) return false;
      const Value own = factor.place ? factor.place->operand->terms(e) : factor.number;
      value = k == 0 ? own.value : held(value * own.value, node.type);
      size = size_of_product(size, std::max(std::fabs(static_cast<double>(own.value)), own.magnitude),
                             node.type);
      cancelling.add(own);
    }
    if (cancelling.meet_infinity()) value = std::numeric_limits<double>::quiet_NaN();
    result = {{value, size}, true, static_cast<double>(value)};
    return true;
  }

  /// Each entry of one factor times each of another one is a term.
  static double size_of_terms(std::span<const Value> factors, value::Type type) {
    double size = 1;
    for (const Value &factor : factors)
      size = size_of_product(size, std::max(factor.size(), factor.magnitude), type);
    return size;
  }

  /// 0 times infinity and 0 divided by 0 where nothing is stored: what is added is nothing, but what other
  /// operators are given may be computed.
  Evaluated absorbed(const Node &node, std::span<const Value> arguments, double number) {
    const Evaluated nothing{constant(number, node.above), false, number};
    if (node.is_linear) return nothing;
    const Evaluated computed = applied(node, arguments, false);
    if (!std::isnan(computed.value.value) && !std::isnan(computed.value.imaginary)) return nothing;
    is_open_ = true;
    return computes_absent_ ? computed : nothing;
  }

  Evaluated applied(const Node &node, std::span<const Value> arguments, bool is_stored) const {
    const auto &made = *node.tree->as<compute::Value::Apply>();
    Value value = value::made_by_conversion(made.op)
                      ? taken_as(made.arguments.front(), arguments.front(), node.below, node.above)
                      : combined(made.op, arguments, node.above);
    if (node.is_term) {
      value.magnitude = size_of_terms(arguments, node.above);
      CancellingFactors cancelling;
      std::ranges::for_each(arguments, [&](const Value &factor) { cancelling.add(factor); });
      if (cancelling.meet_infinity()) value.value = std::numeric_limits<double>::quiet_NaN();
    } else if (node.is_product_of_sums)
      value.magnitude = std::max(value.magnitude, size_of_terms(arguments, node.above));
    value = converted(value, node.above, node.type);
    if (may_lie_beyond_cut(made, arguments.front(), node.type, memory_.operands) ||
        may_be_rounded_otherwise(made, arguments.front(), node.below, memory_.operands))
      value.magnitude = std::numeric_limits<double>::infinity();
    return {value, is_stored, static_cast<double>(value.value)};
  }

  /// From one type to another. Of what is cut to an integer nothing is known where rounding errors of several
  /// steps may decide to which.
  Value taken_as(const compute::Value &tree, const Value &value, value::Type from, value::Type to) const {
    return is_one_step(tree, memory_.operands) ? converted(value, from, to) : in_type(value, from, to);
  }

  static Value in_type(const Value &value, value::Type from, value::Type to) {
    Value made = converted(value, from, to);
    if (!value::is_integer(from) && value::is_integer(to) && may_be_cut_otherwise(value, from))
      made.magnitude = std::numeric_limits<double>::infinity();
    return made;
  }

  value::Type type_of(const std::string &tensor) const { return memory_.type_of(tensor); }

  void note_missing(const Node &divisor) {
    for (const Node &part : divisor.arguments)
      note_missing(part);
    if (Value value; divisor.kind == Node::Kind::Read && missing_.empty() &&
                     divisor.place->access->fill_or_zero() == 0 && !read(divisor, value))
      missing_ = where(*divisor.place->access), missing_span_ = divisor.place->access->span;
  }

  std::string where(const Access &access) const {
    std::string at;
    for (const compute::Subscript &subscript : access.subscripts)
      for (const std::string &name : term::variables_of(subscript.value)) {
        std::string part = fmt::format("{} = {}", name, memory_.variables.variable(name));
        if (at.find(part) == std::string::npos) at += (at.empty() ? "" : ", ") + part;
      }
    return fmt::format("`{}`{}{}", compute::to_text(access), at.empty() ? "" : " at ", at);
  }

  std::vector<Statement> statements_;
  const ProgramInput &input_;
  const bool is_sparse_, computes_absent_;
  bool is_open_ = false;
  const std::optional<value::Type> collected_in_; // of a line's result, as TypedProgram has it
  const bool adds_;                               // does the first statement keep what the result holds?
  double nothing_ = 0;                            // what a line's result begins with
  std::vector<bool> is_computed_; // is there a term of that element of a line that is collected?
  std::set<std::size_t> cleared_; // statements before which the target is set to the identity
  Memory memory_;
  std::optional<StoredElements> stored_; // of tensors of which that matters
  std::vector<ResolvedStatement> resolved_;
  std::vector<Value> arguments_; // of operators that are being evaluated
  std::string missing_;
  text::Span missing_span_;
};

} // namespace

ProgramReference evaluate_program(const compute::Program &program, const ProgramInput &input) {
  const TypedProgram statements = typed(program, input.types);
  Runner runner(statements, input, false, false);
  ProgramReference made = runner.run();
  if (!runner.is_open()) return made;
  for (const auto &[name, other] : Runner(statements, input, false, true).run().results)
    allow(made.results.at(name), other);
  return made;
}

SparseReference evaluate_sparse_program(const compute::Program &program, const ProgramInput &input) {
  report::require(is_line(program), "a sparse reference is that of free statements of one target");
  const TypedProgram line = typed(program, input.types);
  Runner runner(line, input, true, false);
  SparseReference made = runner.run_sparse();
  if (runner.is_open()) allow(made, Runner(line, input, true, true).run_sparse());
  return made;
}

} // namespace unravel::check
