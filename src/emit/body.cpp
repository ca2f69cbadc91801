#include "emit/body.h"

#include "emit/assignment.h"
#include "emit/copies.h"
#include "emit/intersect.h"
#include "emit/lanes.h"
#include "emit/masked.h"
#include "emit/mentioned.h"
#include "emit/opening.h"
#include "emit/pragmas.h"
#include "emit/together.h"
#include "emit/workspace.h"
#include "emit/wrap.h"
#include "loop/facts.h"
#include "loop/passes.h"
#include "loop/walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace unravel::emit {

namespace {

using namespace loop;
using term::overloaded;
using term::Term;

class StatementWriter {
public:
  StatementWriter(const Program &program, const EmitOptions &options, Names &names, Expressions &expressions)
      : program_(program), options_(options), names_(names), expressions_(expressions) {}

  void block(const Block &statements) {
    for (std::size_t k = 0; k < statements.size(); ++k) {
      rest_ = {};
      if (std::holds_alternative<DeclareValue>(statements[k].kind))
        for (std::size_t later = k + 1; later < statements.size(); ++later)
          rest_.add(statements[later]);
      statement_ = &statements[k];
      expressions_.set_facts(facts_);
      if (k + 1 < statements.size() && (clears_sum(statements[k + 1]) || clears_copied(statements[k + 1])))
        continue;
      std::visit([&](const auto &x) { write(x); }, statements[k].kind);
      facts_.pass(statements[k]);
    }
  }

  void begin() {
    if (effects_of(program_.body).misses) missed_ = names_.fresh("missed"), line("int " + missed_ + " = 0;");
  }

  void end() { line(missed_.empty() ? "return 0;" : fmt::format("return {};", missed_)); }

  /// Room in the workspace, and pointers to its arrays.
  void workspace(const std::set<std::string> &used) {
    outside_ = mentioned(options_.openmp_pragmas ? without_parallel(program_.body) : program_.body);
    each_statement(program_.body, [&](const Statement &statement) {
      const auto *loop = std::get_if<For>(&statement.kind);
      if (options_.openmp_pragmas && loop && loop->parallel) in_parallel_.merge(mentioned({statement}));
    });
    for (const WorkspaceArray &array : program_.workspace)
      if (used.contains(array.name) && !array.for_teams) reserve(array);
    for (const WorkspaceArray &array : program_.workspace) {
      bool in_parts = strides_.contains(array.name);
      if (!used.contains(array.name) || array.for_teams || (in_parts && !outside_.contains(array.name)))
        continue;
      expressions_.needs().restrict_macro = true;
      line(fmt::format("{} *UNRAVEL_RESTRICT {} = {}->{};", c_type(array.element), names_.array(array.name),
                       names_.workspace().parameter, names_.workspace().members.at(array.name)));
    }
  }

  /// Which loops take masked steps.
  void masks() {
    each_statement(program_.body, [&](const Statement &statement) {
      const auto *loop = std::get_if<For>(&statement.kind);
      if (!loop || !masked_sum(*loop) || is_true(*loop->masked) || masked_.contains(*loop->masked)) return;
      std::string &name = masked_[*loop->masked] = names_.fresh(names_.variable(loop->variable) + "_masked");
      text_ += "#ifdef UNRAVEL_MASKS\n";
      line(fmt::format("const int {} = {};", name, expressions_.term_of_members(*loop->masked)));
      text_ += "#endif\n";
    });
  }

  /// The program's statements, and in front of them what they ask for.
  void body() {
    std::string before = std::exchange(text_, {});
    block(program_.body);
    std::string statements = std::exchange(text_, std::move(before));
    auto guarded_line = [&](const std::string &text) {
      text_ += "#ifdef __GNUC__\n";
      line(text);
      text_ += "#endif\n";
    };
    for (const auto &[array, name] : past_caches_)
      guarded_line(fmt::format("const int {} = {};", name,
                               expressions_.term_of_members(longer_than_caches(array, program_))));
    text_ += statements;
    for (const auto &[array, name] : past_caches_)
      guarded_line(fmt::format("unravel_finish_lanes({});", name));
  }

  void line(const std::string &text) { text_ += wrap_code(text, indentation()); }

  std::string take() { return std::move(text_); }

private:
  std::string indentation() const { return std::string(static_cast<std::size_t>(2 * indent_), ' '); }

  void nested(const std::string &head, const Block &body) {
    const Statement &outer = *statement_;
    line(head.empty() ? "{" : head + " {");
    branch(outer, 0, body);
    line("}");
  }

  /// The block of that index in the statement, with what is known in it.
  void branch(const Statement &outer, std::size_t index, const Block &body) {
    Facts before = facts_;
    facts_ = before.inside(outer, index);
    ++indent_;
    block(body);
    --indent_;
    facts_ = std::move(before);
  }

  void comment(const std::string &text) {
    if (!text.empty()) text_ += wrap_text(comment_text(names_.translate(text)), indentation() + "// ");
  }

  /// Whether a bound may be computed again in each iteration: it doesn't change and is short.
  bool is_repeatable(const Term &bound, const Block &body) const {
    bool simple = applications_of(bound).size() <= 1 && !effects_of(body).changes(bound);
    std::string text = expressions_.term(bound);
    return simple && text.find("unravel_") == std::string::npos && text.find(" / ") == std::string::npos &&
           text.find(" % ") == std::string::npos;
  }

  void write(const For &x) {
    if (std::optional<DenseSum> sum = sum_in_registers(*statement_)) return write_in_registers(*sum);
    if (&x == dense_.inner && !inside_.empty()) return lines(inside_);
    comment(x.comment);
    if (x.together > 1) return write_together(x);
    bool two_forms = write_masked(x);
    const std::string &variable = names_.variable(x.variable);
    bool is_left = &x == dense_.inner || (clearing_ && statement_ == clearing_);
    std::string lower = is_left ? first_lane_ : expressions_.term(x.lower);
    std::string start = fmt::format("int64_t {} = {}", variable, lower);
    std::string end = expressions_.term(x.upper);
    if (!is_repeatable(x.upper, x.body)) {
      std::string name = names_.fresh(variable + "_end");
      if (x.parallel || x.simd)
        line(fmt::format("const int64_t {} = {};", name, end));
      else
        start += fmt::format(", {} = {}", name, end);
      end = name;
    }
    std::string step = x.step == 1 ? variable + "++" : fmt::format("{} += {}", variable, x.step);
    std::string head = fmt::format("for ({}; {} < {}; {})", start, variable, end, step);
    if (x.parallel && options_.openmp_pragmas)
      return x.parallel->copied.empty() ? write_parallel(x, head) : write_with_copies(x, head);
    text_ += vector_pragmas(x, options_.openmp_pragmas);
    nested(head, x.body);
    if (two_forms) text_ += "#endif\n";
  }

  // ---- sums of products with gathered elements, in masked vectors

  std::optional<GatheredSum> masked_sum(const For &x) const {
    if (!x.masked) return {};
    std::optional<GatheredSum> sum = gathered_sum(x, program_);
    ElementType element = expressions_.single_precision() ? ElementType::Float32 : ElementType::Float64;
    return sum && sum->element == element ? sum : std::nullopt;
  }

  /// The steps of many iterations at once, in front of the loop as it is for where they aren't taken. Returns
  /// whether that one is to be followed by an #endif.
  bool write_masked(const For &x) {
    std::optional<GatheredSum> sum = masked_sum(x);
    if (!sum) return false;
    bool always = is_true(*x.masked);
    text_ += "#ifdef UNRAVEL_MASKS\n";
    MaskedText text = masked_text(x, *sum, names_, expressions_);
    open(always ? "" : fmt::format("if ({})", masked_.at(*x.masked)), {text.begin});
    open(text.over_steps, text.inside);
    close({});
    lines({text.finish});
    --indent_;
    line(always ? "}" : "} else");
    text_ += always ? "#else\n" : "#endif\n";
    return always;
  }

  // ---- sums along a dense mode, in registers

  /// Whether the statement is to be written so: the outermost nest that can.
  std::optional<DenseSum> sum_in_registers(const Statement &statement) const {
    if (dense_.inner || expressions_.single_precision()) return {};
    return dense_sum(statement, program_);
  }

  /// Whether the statement clears what the next one sums up, which then clears what it doesn't store.
  bool clears_sum(const Statement &next) {
    std::optional<DenseSum> sum = sum_in_registers(next);
    if (sum && clears_stretch(*statement_, *sum)) clearing_ = statement_;
    return clearing_ == statement_;
  }

  /// The C variable that says whether what the nest sums up is stored past the caches.
  std::string past_caches(const DenseSum &sum) {
    const std::string &array = std::get<Element>(sum.sum->target).array;
    auto [found, is_new] = past_caches_.try_emplace(array);
    if (is_new) found->second = names_.fresh(names_.array(array) + "_is_long");
    return found->second;
  }

  void write_in_registers(const DenseSum &sum) {
    const Statement &loop = *statement_;
    if (const Element *element = in_copy(*sum.sum)) {
      line(stretch_text(marks_, element->slot, *sum.inner, names_, expressions_));
      std::string copied = std::exchange(copied_, {});
      write_in_registers(sum);
      copied_ = std::move(copied);
      return;
    }
    dense_ = sum;
    LanesText text = lanes_text(sum, clearing_ ? past_caches(sum) : "", names_, expressions_);
    const auto *counted = clearing_ ? nullptr : std::get_if<For>(&loop.kind);
    if (counted) open(fmt::format("if ({})", expressions_.term(less(counted->lower, counted->upper))), {});
    line(text.begin);
    text_ += "#ifdef __GNUC__\n";
    for (const LanesText::Part &part : text.parts) {
      open(part.over_parts, part.declare);
      inside_ = part.inside;
      write_again(loop);
      inside_.clear();
      close(part.finish);
    }
    text_ += "#endif\n";
    first_lane_ = text.first;
    open(text.rest, {});
    if (clearing_) write_again(*clearing_);
    write_again(loop);
    clearing_ = nullptr;
    close({});
    if (counted) close({});
    dense_ = {};
  }

  void write_again(const Statement &loop) {
    statement_ = &loop;
    expressions_.set_facts(facts_);
    std::visit([&](const auto &x) { write(x); }, loop.kind);
  }

  void lines(const std::vector<std::string> &texts) {
    for (const std::string &each : texts)
      line(each);
  }

  void open(const std::string &head, const std::vector<std::string> &first) {
    line(head.empty() ? "{" : head + " {");
    ++indent_;
    lines(first);
  }

  void close(const std::vector<std::string> &last) {
    lines(last);
    --indent_;
    line("}");
  }

  // ---- the workspace

  void reserve(const WorkspaceArray &array) {
    bool in_parts = array.per_thread && in_parallel_.contains(array.name);
    Reservation made = reserve_text(array, in_parts, names_, expressions_);
    if (in_parts) strides_[array.name] = made.stride;
    lines(made.before);
    open(made.test, made.inside);
    close({});
  }

  // ---- parallel loops

  void write_parallel(const For &x, const std::string &head) {
    std::string reduction;
    if (!x.parallel->sum.empty())
      reduction = fmt::format(" reduction(+ : {})", names_.variable(x.parallel->sum));
    std::string work = expressions_.term(x.upper - x.lower);
    std::string otherwise;
    bool needs_work = x.parallel->work && (x.parallel->least > 0 || x.parallel->share > 0);
    if (needs_work && is_work_in_pragma(x, program_)) {
      work = expressions_.term_of_members(*x.parallel->work);
    } else if (needs_work) {
      work = names_.fresh(names_.variable(x.variable) + "_work");
      line(fmt::format("const int64_t {} = {};", work, expressions_.term(*x.parallel->work)));
      otherwise = fmt::format("(void){};", work);
    }
    std::string enough = x.parallel->least > 0 ? fmt::format(" if ({} >= {})", work, x.parallel->least) : "";
    std::string schedule =
        fmt::format("for schedule(dynamic, {}){}", chunk_text(x, work, expressions_), reduction);
    std::set<std::string> used = mentioned(x.body);
    std::vector<const WorkspaceArray *> own;
    for (const WorkspaceArray &array : program_.workspace)
      if (array.per_thread && used.contains(array.name)) own.push_back(&array);
    if (own.empty()) {
      pragma("parallel " + schedule + enough, otherwise);
      return nested(head, x.body);
    }
    const Statement &loop = *statement_;
    pragma("parallel" + enough, otherwise);
    line("{");
    ++indent_;
    std::vector<std::string> outside;
    for (const WorkspaceArray *array : own)
      outside.push_back(declare_own(*array));
    pragma(schedule, "");
    statement_ = &loop;
    nested(head, x.body);
    --indent_;
    line("}");
    for (std::size_t k = 0; k < own.size(); ++k)
      names_.rename_array(own[k]->name, outside[k]);
  }

  /// What the statement clears is added up by the next one, from copies or without.
  bool clears_copied(const Statement &next) {
    const auto *zero = std::get_if<Zero>(&statement_->kind);
    const auto *loop = options_.openmp_pragmas ? std::get_if<For>(&next.kind) : nullptr;
    if (zero && loop && emit::clears_copied(*zero, *loop, program_)) zeroed_ = zero;
    return zero && zeroed_ == zero;
  }

  /// With several threads and enough to do in copies, otherwise as it is.
  void write_with_copies(const For &x, const std::string &head) {
    const Statement &loop = *statement_;
    const Zero *zeroed = std::exchange(zeroed_, nullptr);
    CopiesText text = copies_text(x, program_, zeroed != nullptr, names_, expressions_);
    lines(text.before);
    text_ += "#ifdef _OPENMP\n";
    open(text.test, {});
    text_ += "#pragma omp parallel\n";
    open("", text.own);
    copied_ = x.parallel->copied, marks_ = text.marks;
    std::string result = names_.array(copied_);
    names_.rename_array(copied_, text.copy);
    text_ += "#pragma omp " + text.schedule + "\n";
    statement_ = &loop;
    nested(head, x.body);
    names_.rename_array(std::exchange(copied_, {}), result);
    text_ += "#pragma omp for schedule(dynamic, 8)\n";
    open(text.over_blocks, text.add_up);
    close({});
    close({});
    --indent_;
    line("} else");
    text_ += "#endif\n";
    open("", {});
    if (zeroed) write(*zeroed);
    statement_ = &loop;
    nested(head, x.body);
    close({});
  }

  void pragma(const std::string &text, const std::string &otherwise) {
    text_ += "#ifdef _OPENMP\n#pragma omp " + text + "\n";
    if (!otherwise.empty()) {
      text_ += "#else\n";
      line(otherwise);
    }
    text_ += "#endif\n";
  }

  /// The thread's part of an array; returns the array's name outside.
  std::string declare_own(const WorkspaceArray &array) {
    std::string outside = names_.array(array.name);
    std::string local = outside_.contains(array.name) ? names_.fresh(outside + "_own") : outside;
    expressions_.needs().thread = true;
    expressions_.needs().restrict_macro = true;
    line(fmt::format("{} *UNRAVEL_RESTRICT {} = {}->{} + unravel_thread() * {};", c_type(array.element),
                     local, names_.workspace().parameter, names_.workspace().members.at(array.name),
                     strides_.at(array.name)));
    names_.rename_array(array.name, local);
    return outside;
  }

  // ---- loops that test many iterations at once

  void write_together(const For &x) {
    const std::string &variable = names_.variable(x.variable);
    std::string first = names_.fresh(variable + "_first");
    std::string hits = names_.fresh(variable + "_hits");
    std::string offset = names_.fresh(variable + "_offset");
    std::string end = expressions_.term(x.upper);
    std::string start = fmt::format("int64_t {} = {}", first, expressions_.term(x.lower));
    if (!is_repeatable(x.upper, x.body) || !applications_of(x.upper).empty()) {
      std::string name = names_.fresh(variable + "_end");
      start += fmt::format(", {} = {}", name, end);
      end = name;
    }
    const char *mask = x.together <= 32 ? "uint32_t" : "uint64_t";
    const Statement &loop = *statement_;
    Facts before = facts_;
    facts_ = before.inside(loop, 0);
    Facts inside = facts_;
    line(fmt::format("for ({}; {} < {}; {} += {}) {{", start, first, end, first, x.together));
    ++indent_;
    comment(fmt::format("{} iterations are tested at once; a bit is set for each that passes", x.together));
    line(fmt::format("{} {} = 0;", mask, hits));
    line(fmt::format("if ({} + {} <= {}) {{", first, x.together, end));
    auto test = [&](const std::string &count, bool is_known) {
      ++indent_;
      // clang would unroll so short a loop before it comes to vectorising it, and prefers shorter vectors
      if (is_known)
        text_ += "#ifdef __clang__\n#pragma clang loop vectorize_width(16) interleave_count(2)\n#endif\n";
      line(fmt::format("for (int {0} = 0; {0} < {1}; {0}++) {{", offset, count));
      ++indent_;
      Block lets = tested_lets(x);
      line(fmt::format("const int64_t {} = {} + {};", variable, first, offset));
      block(lets);
      expressions_.set_facts(facts_);
      line(fmt::format("{} |= ({}){} << {};", hits, mask,
                       expressions_.cast_operand(std::get<If>(x.body.back().kind).condition), offset));
      --indent_;
      line("}");
      --indent_;
      facts_ = inside;
    };
    test(std::to_string(x.together), true);
    line("} else {");
    test(fmt::format("{} - {}", end, first), false);
    line("}");
    line(fmt::format("while ({}) {{", hits));
    ++indent_;
    write_accepted(x, first, hits);
    --indent_;
    line("}");
    --indent_;
    line("}");
    facts_ = std::move(before);
  }

  void write_accepted(const For &x, const std::string &first, const std::string &hits) {
    const auto &guard = std::get<If>(x.body.back().kind);
    expressions_.needs().lowest_bit = true;
    Block body = accepted(x);
    bool is_used = std::any_of(body.begin(), body.end(), [&](const Statement &statement) {
      return occurrences(statement, term::variable(x.variable)) > 0;
    });
    if (is_used)
      line(fmt::format("const int64_t {} = {} + unravel_lowest_bit({});", names_.variable(x.variable), first,
                       hits));
    line(fmt::format("{0} &= {0} - 1;", hits));
    comment(guard.comment);
    facts_.learn(guard.condition);
    block(body);
  }

  void write(const While &x) {
    if (std::optional<DenseSum> sum = sum_in_registers(*statement_)) return write_in_registers(*sum);
    comment(x.comment);
    Facts each_round = facts_;
    each_round.forget(effects_of(x.body));
    expressions_.set_facts(std::move(each_round));
    nested(fmt::format("while ({})", expressions_.term(x.condition)), x.body);
  }

  void write(const Intersect &x) {
    const Statement &loop = *statement_;
    comment(x.comment);
    IntersectText text = intersect_text(x, names_, expressions_);
    open(text.over_blocks, text.compare);
    open(text.over_hits, text.take_hit);
    --indent_;
    branch(loop, 0, x.body);
    line("}");
    close(text.advance);
  }

  void write(const If &x) {
    comment(x.comment);
    chain(*statement_, x, "");
    line("}");
  }

  /// if (...) { ... } else if (...) { ... } else { ... without the last brace. `before` is what closes the
  /// branch that comes before it.
  void chain(const Statement &statement, const If &x, const std::string &before) {
    line(before + (is_true(x.condition) ? "{" : fmt::format("if ({}) {{", expressions_.term(x.condition))));
    branch(statement, 0, x.then);
    if (x.otherwise.empty() || is_true(x.condition)) return;
    const auto *next = x.otherwise.size() == 1 ? std::get_if<If>(&x.otherwise[0].kind) : nullptr;
    if (!next || !next->comment.empty() || is_true(next->condition)) {
      line("} else {");
      branch(statement, 1, x.otherwise);
      return;
    }
    Facts outside = facts_;
    facts_ = outside.inside(statement, 1);
    expressions_.set_facts(facts_);
    chain(x.otherwise[0], *next, "} else ");
    facts_ = std::move(outside);
  }

  void write(const IfValue &x) {
    comment(x.comment);
    const std::string &local = names_.variable(x.local);
    bool stored = x.test == IfValue::Test::Stored;
    nested(fmt::format("if ({})", stored ? expressions_.is_stored(x.local) : local + " != " + local), x.then);
  }

  void write(const Let &x) {
    line(fmt::format("const int64_t {} = {};", names_.variable(x.variable), expressions_.term(x.value)));
  }

  void write(const Declare &x) {
    line(fmt::format("int64_t {} = {};", names_.variable(x.variable), expressions_.term(x.initial)));
  }

  void write(const DeclareValue &x) {
    const char *constant = rest_.stored.contains(x.name) ? "" : "const ";
    const char *type = expressions_.single_precision() ? "float" : "double";
    line(
        fmt::format("{}{} {} = {};", constant, type, names_.variable(x.name), expressions_.value(x.initial)));
  }

  std::string target(const Target &target_) {
    return std::visit(overloaded{[&](const Element &x) { return expressions_.element(x); },
                                 [&](const Local &x) { return names_.variable(x.name); }},
                      target_);
  }

  void write(const Store &x) { line(fmt::format("{} = {};", target(x.target), expressions_.value(x.value))); }

  void write(const Accumulate &x) {
    if (const Element *element = in_copy(x)) line(mark_text(marks_, element->slot, expressions_));
    if (const auto *minus = std::get_if<Minus>(&x.value.kind))
      return line(fmt::format("{} -= {};", target(x.target), expressions_.value(minus->of.at(0))));
    line(fmt::format("{} += {};", target(x.target), expressions_.value(x.value)));
  }

  /// The element, if it lies in a copy.
  const Element *in_copy(const Accumulate &x) const {
    const auto *element = std::get_if<Element>(&x.target);
    return element && element->array == copied_ ? element : nullptr;
  }

  void write(const SetElement &x) { line(assignment_text(x, program_, names_, expressions_)); }

  void write(const Assign &x) { line(assignment_text(x, names_, expressions_)); }

  void write(const Zero &x) { line(zero_text(x, names_, expressions_)); }

  void write(const Break &) { line("break;"); }

  void write(const Miss &) { line(missed_ + " = 3;"); }

  const Program &program_;
  const EmitOptions &options_;
  Names &names_;
  Expressions &expressions_;
  std::string missed_;                          // the variable's name, or empty
  std::set<std::string> in_parallel_, outside_; // what parallel loops mention, and what others do
  std::map<std::string, std::string> strides_;  // between the threads' parts of an array
  std::map<Term, std::string> masked_;          // of conditions for masked steps, the names
  Effects rest_;                                // of the statements after a declaration
  Facts facts_;                                 // at the statement that is written
  DenseSum dense_;                              // that is being written in registers, or none
  const Statement *clearing_ = nullptr;         // the loop before it that clears its stretch
  std::vector<std::string> inside_;             // takes the place of its innermost loop; empty: what is left
  const Zero *zeroed_ = nullptr;                // what a loop that adds to copies is to clear
  std::string copied_, marks_;                  // the array that has copies, and the marks of their blocks
  std::string first_lane_;                      // where that begins
  const Statement *statement_ = nullptr;
  std::map<std::string, std::string> past_caches_; // by the array
  std::string text_;
  int indent_ = 1;
};

} // namespace

std::string function_text(const Program &program, const EmitOptions &options, Names &names,
                          Expressions &expressions) {
  std::set<std::string> used = used_by(program);
  StatementWriter writer(program, options, names, expressions);
  for (const std::string &line : opening_lines(program, used, names, expressions))
    writer.line(line);
  writer.begin();
  writer.workspace(used);
  writer.masks();
  writer.body();
  writer.end();
  return wrap_code(signature(program, names) + " {", "") + writer.take() + "}\n";
}

} // namespace unravel::emit
