#include "emit/statement_writer.h"

#include "emit/pragmas.h"
#include "emit/together.h"
#include "emit/wrap.h"
#include "loop/arrays.h"
#include "loop/passes.h"

#include <fmt/format.h>
#include <utility>

namespace unravel::emit {

using namespace loop;
using term::overloaded;
using term::Term;

/// Elements of a result, 32 MB, that isn't found in a cache by whom it is for.
constexpr std::int64_t most_cached = std::int64_t{1} << 22;

void StatementWriter::block(const Block &statements) {
  std::size_t joined = 0; // the end of statements that one team does
  for (std::size_t k = 0; k < statements.size(); ++k) {
    rest_ = {};
    if (statements[k].is<DeclareValue>())
      for (std::size_t later = k + 1; later < statements.size(); ++later)
        rest_.add(statements[later]);
    statement_ = &statements[k];
    expressions_.set_facts(facts_);
    if (k + 1 < statements.size() && (clears_sum(statements[k + 1]) || clears_copied(statements[k + 1])))
      continue;
    if (joined == 0) joined = begin_joined(statements, k);
    const std::size_t begin = text_.size();
    const bool empties =
        k + 1 < statements.size() && takes_all_out(statements[k], statements[k + 1], program_);
    if (empties) emptying_ = &statements[k];
    std::visit([&](const auto &x) { write(x); }, statements[k].kind);
    note(begin, statements[k]);
    facts_.pass(statements[k]);
    if (empties) facts_.pass(statements[++k]);
    if (k + 1 == joined) end_joined(), joined = 0;
  }
}

void StatementWriter::line(const std::string &text) {
  text_ += wrap_code(text, indentation());
}

void StatementWriter::guarded_line(const std::string &macro, const std::string &text) {
  text_ += "#ifdef " + macro + "\n";
  line(text);
  text_ += "#endif\n";
}

void StatementWriter::end() {
  if (!assembly_.any()) return line(missed_.empty() ? "return 0;" : fmt::format("return {};", missed_));
  if (!missed_.empty()) {
    open(fmt::format("if ({})", missed_), assembly_.release());
    close({fmt::format("return {};", missed_)});
  }
  lines(assembly_.finish());
  close({"return 0;"});
  if (assembly_.label().empty()) return;
  text_ += assembly_.label() + ":\n";
  lines(assembly_.fail());
}

void StatementWriter::assemble() {
  if (!assembly_.any()) return;
  lines(assembly_.declare());
  open("", assembly_.make());
  outermost_ = indent_;
}

void StatementWriter::begin() {
  if (effects_of(program_.body).misses) missed_ = names_.fresh("missed"), line("int " + missed_ + " = 0;");
}

void StatementWriter::body() {
  std::string before = std::exchange(text_, {});
  block(program_.body);
  std::string statements = std::exchange(text_, std::move(before));
  std::string blas_threads;
  if (holds<Blas>(program_.body)) {
    blas_threads = names_.fresh("blas_threads");
    line("const int {} = {}(1);", blas_threads, expressions_.called("blas_threads"));
  }
  for (const auto &[array, name] : past_caches_)
    guarded_line("__GNUC__", fmt::format("const int {} = {};", name,
                                         expressions_.term_of_members(
                                             at_most(Term(most_cached), *slots_of(array, program_)))));
  for (Span &span : spans_)
    span.begin += text_.size(), span.end += text_.size();
  text_ += statements;
  for (const auto &[array, name] : past_caches_)
    guarded_line("__GNUC__", fmt::format("unravel_finish_lanes({});", name));
  if (!blas_threads.empty()) line("unravel_blas_threads({});", blas_threads);
}

void StatementWriter::note(std::size_t begin, const Statement &statement) {
  if (begin < text_.size()) spans_.push_back({begin, text_.size(), statement.origins});
}

void StatementWriter::nested(const std::string &head, const Block &body, const std::string &first) {
  const Statement &outer = *statement_;
  line(head.empty() ? "{" : head + " {");
  text_ += first;
  branch(outer, 0, body);
  line("}");
}

void StatementWriter::branch(const Statement &outer, std::size_t index, const Block &body) {
  Facts before = facts_;
  facts_ = before.inside(outer, index);
  ++indent_;
  block(body);
  --indent_;
  facts_ = std::move(before);
}

void StatementWriter::comment(const std::string &text) {
  if (!text.empty()) text_ += wrap_text(comment_text(names_.translate(text)), indentation() + "// ");
}

/// Does it write integers? Clang doesn't make use of `restrict` where a local variable is declared so:
/// behind such a write it reads integers once more that may be those, and behind one of bytes anything.
static bool writes_integers(const Statement &statement) {
  return statement.is<SetElement>() || statement.is<Sort>();
}

bool StatementWriter::is_repeatable(const Term &bound, const Block &body) const {
  const std::size_t reads = applications_of(bound).size();
  bool simple =
      reads <= 1 && !effects_of(body).changes(bound) && (reads == 0 || !holds(body, writes_integers));
  std::string text = expressions_.term(bound);
  return simple && text.find("unravel_") == std::string::npos && text.find(" / ") == std::string::npos &&
         text.find(" % ") == std::string::npos;
}

void StatementWriter::write(const For &x) {
  const bool is_over_entries = emit::is_over_entries(x);
  entries_ += is_over_entries;
  write_for(x);
  entries_ -= is_over_entries;
}

void StatementWriter::write_for(const For &x) {
  if (std::optional<DenseSum> sum = sum_in_registers(*statement_)) return write_in_registers(*sum);
  if ((&x == dense_.inner || &x == tile_.rows) && !inside_.empty()) return lines(inside_);
  if (write_columns_inside(x) || write_in_tiles(x) || write_columns(x)) return;
  if (write_in_lanes(x)) return;
  comment(x.comment);
  if (lanes_ && lanes_->lanes == &x && !lane_pairs_.empty())
    return write_additions(x, *paired_lanes(x), x.lower, lane_pairs_);
  if (x.together > 1) return write_together(x);
  if (write_pair_sums(x)) {
    text_ += "#else\n";
    expressions_.set_facts(facts_);
    write_loop(x);
    text_ += "#endif\n";
    return;
  }
  write_loop(x);
}

std::string StatementWriter::step_of(const For &loop) const {
  const std::string &variable = names_.variable(loop.variable);
  return loop.step == 1 ? variable + "++" : fmt::format("{} += {}", variable, loop.step);
}

void StatementWriter::write_loop(const For &x) {
  const std::string masked_end = write_masked(x);
  const std::string left = write_paired_lanes(x);
  const std::string &variable = names_.variable(x.variable);
  bool is_left = &x == dense_.inner || (clearing_ && statement_ == clearing_);
  std::string lower = is_left ? first_lane_ : left.empty() ? expressions_.term(x.lower) : left;
  if (const auto begin = lower_.find(&x); begin != lower_.end()) lower = begin->second;
  std::string start = fmt::format("int64_t {} = {}", variable, lower);
  std::string end = expressions_.term(x.upper);
  if (!masked_end.empty()) {
    start.clear();
    end = masked_end;
  } else if (!is_repeatable(x.upper, x.body)) {
    std::string name = names_.fresh(variable + "_end");
    if (x.parallel || x.simd)
      line("const int64_t {} = {};", name, end);
    else
      start += fmt::format(", {} = {}", name, end);
    end = name;
  }
  std::string head = fmt::format("for ({}; {} < {}; {})", start, variable, end, step_of(x));
  if (x.team && options_.openmp_pragmas) return write_team(x, head);
  if (x.parallel && options_.openmp_pragmas) {
    ++threads_;
    if (x.parallel->appended)
      write_appending(x, lower, end);
    else
      x.parallel->copied.empty() ? write_parallel(x, head) : write_with_copies(x, head);
    --threads_;
    return;
  }
  const bool inside = indent_ > outermost_;
  if (lanes_ && lanes_->lanes == &x) {
    For lanes = x; // adds to an array of its own
    lanes.simd = true;
    text_ += vector_pragmas(lanes, inside, entries_ > 0, options_.openmp_pragmas, names_, expressions_);
  } else {
    text_ +=
        vector_pragmas(x, inside, entries_ > 0 && !is_left, options_.openmp_pragmas, names_, expressions_);
  }
  const std::string from = x.lower == Term(0) ? "" : fmt::format(" - {}", lower);
  const bool tells = x.step == 1 && left.empty() && !is_left && masked_end.empty() &&
                     assembly_.begin_loop({fmt::format("{} + 1{}", variable, from), end + from});
  // Flags of the compiler in process say that sums may be reassociated, but a user may compile without.
  const bool tells_clang = options_.openmp_pragmas && !options_.in_process && sums_for_clang(x, inside);
  expressions_.keep_order(options_.in_process || tells_clang);
  nested(head, x.body, tells_clang ? "#ifdef __clang__\n#pragma clang fp reassociate(on)\n#endif\n" : "");
  expressions_.keep_order(options_.in_process);
  if (tells) assembly_.end_loop();
  if (!masked_end.empty()) close({});
}

void StatementWriter::lines(const std::vector<std::string> &texts) {
  for (const std::string &each : texts)
    line(each);
}

void StatementWriter::open(const std::string &head, const std::vector<std::string> &first) {
  line(head.empty() ? "{" : head + " {");
  ++indent_;
  lines(first);
}

void StatementWriter::close(const std::vector<std::string> &last) {
  lines(last);
  --indent_;
  line("}");
}

void StatementWriter::write(const While &x) {
  if (std::optional<DenseSum> sum = sum_in_registers(*statement_)) return write_in_registers(*sum);
  comment(x.comment);
  Facts each_round = facts_;
  each_round.forget(effects_of(x.body));
  expressions_.set_facts(std::move(each_round));
  nested(fmt::format("while ({})", expressions_.term(x.condition)), x.body);
}

void StatementWriter::append_if(const std::string &condition, const Block &then) {
  block(Block(then.begin(), then.end() - 1)); // the condition tells nothing
  const auto &counts = std::get<Assign>(then.back().kind);
  line("{} += {};", names_.variable(counts.variable), condition);
}

void StatementWriter::write(const If &x) {
  comment(x.comment);
  if (x.speculative) return append_if(expressions_.cast_operand(x.condition), x.then);
  chain(*statement_, x, "");
  line("}");
}

void StatementWriter::chain(const Statement &statement, const If &x, const std::string &before) {
  line(before + (is_true(x.condition) ? "{" : fmt::format("if ({}) {{", expressions_.term(x.condition))));
  branch(statement, 0, x.then);
  if (x.otherwise.empty() || is_true(x.condition)) return;
  const auto *next = x.otherwise.size() == 1 ? x.otherwise[0].as<If>() : nullptr;
  if (!next || !next->comment.empty() || is_true(next->condition)) {
    line("} else {");
    branch(statement, 1, x.otherwise);
    return;
  }
  Facts outside = facts_;
  facts_ = outside.inside(statement, 1);
  expressions_.set_facts(facts_);
  const std::size_t begin = text_.size();
  chain(x.otherwise[0], *next, "} else ");
  note(begin, x.otherwise[0]);
  facts_ = std::move(outside);
}

void StatementWriter::write(const IfValue &x) {
  comment(x.comment);
  const std::string &local = names_.variable(x.local);
  const bool stored = x.test == IfValue::Test::Stored;
  const std::string other =
      x.test == IfValue::Test::NotANumber
          ? local
          : expressions_.value(loop::Value{loop::Number{x.number}}, expressions_.types().of_local(x.local));
  const std::string test = stored ? expressions_.is_stored(x.local) : local + " != " + other;
  if (x.speculative) return append_if(stored ? test : "(" + test + ")", x.then);
  nested(fmt::format("if ({})", test), x.then);
}

void StatementWriter::write(const Let &x) {
  if (lanes_ && is_slot_alone(x)) return;
  line("const int64_t {} = {};", names_.variable(x.variable), expressions_.term(x.value));
}

void StatementWriter::write(const Declare &x) {
  line("int64_t {} = {};", names_.variable(x.variable), expressions_.term(x.initial));
}

void StatementWriter::write(const DeclareValue &x) {
  const char *constant = rest_.stored.contains(x.name) ? "" : "const ";
  const ElementType type = expressions_.types().of_local(x.name);
  expressions_.need_type(type);
  line("{}{} {} = {};", constant, c_type(type), names_.variable(x.name), expressions_.value(x.initial, type));
}

std::string StatementWriter::target(const Target &target_) {
  return std::visit(overloaded{[&](const Element &x) { return expressions_.element(x); },
                               [&](const Local &x) { return names_.variable(x.name); }},
                    target_);
}

void StatementWriter::write(const Store &x) {
  line("{} = {};", target(x.target), expressions_.value(x.value, expressions_.types().of(x.target)));
}

void StatementWriter::write(const Accumulate &x) {
  const std::string to = lanes_ && lanes_->sum == &x ? lane_ : target(x.target);
  const ElementType type = expressions_.types().of(x.target);
  if (!x.atomic || !options_.openmp_pragmas) return line(expressions_.reduction(to, type, x.by, x.value));
  if (value::is_complex(type) && x.by == Operator::Add) return write_atomic_parts(to, type, x);
  if (value::is_complex(type)) { // of 16 bytes: no processor's instruction
    pragma("critical(unravel)", "");
    return line(expressions_.reduction(to, type, x.by, x.value));
  }
  const Expressions::AtomicText atomic = expressions_.atomic_reduction(to, type, x.by, x.value);
  if (atomic.has_pragma) pragma("atomic", "");
  line(atomic.text);
}

/// OpenMP's atomic additions are of real numbers.
void StatementWriter::write_atomic_parts(const std::string &to, ElementType type, const Accumulate &x) {
  expressions_.need_type(type);
  const ElementType part = value::type_of_parts(type);
  const std::string added = names_.fresh("added"), end = part == ElementType::Float32 ? "f" : "";
  open("", {fmt::format("const {} {} = {};", c_type(type), added, expressions_.value(x.value, type))});
  for (int k : {0, 1}) {
    pragma("atomic", "");
    line("(({} *)&{})[{}] += {}{}({});", c_type(part), to, k, k == 0 ? "creal" : "cimag", end, added);
  }
  close({});
}

void StatementWriter::write(const Reserve &x) {
  const Assembly::Growth growth = assembly_.grow(x);
  open(growth.test, growth.inside);
  close({});
}

void StatementWriter::write(const SetCount &x) {
  line(assembly_.set(x));
}

void StatementWriter::write(const Break &) {
  line("break;");
}

void StatementWriter::write(const Prefetch &x) {
  expressions_.need("prefetch");
  line("UNRAVEL_PREFETCH(&{}[{}]);", names_.array(x.array), expressions_.term(x.slot));
}

void StatementWriter::write(const Miss &) {
  if (threads_ > 0) text_ += "#ifdef _OPENMP\n#pragma omp atomic write\n#endif\n";
  line(missed_ + " = 3;");
}

} // namespace unravel::emit
