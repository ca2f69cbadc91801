#include "emit/statement_writer.h"

#include "emit/mentioned.h"
#include "emit/together.h"
#include "loop/passes.h"
#include "loop/walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace unravel::emit {

using namespace loop;
using term::Term;

namespace {

/// The Lets before the If that its condition needs.
Block tested_lets(const For &x) {
  Block result;
  std::vector<Term> read = {std::get<If>(x.body.back().kind).condition};
  for (std::size_t k = x.body.size() - 1; k-- > 0;) {
    const auto &let = std::get<Let>(x.body[k].kind);
    bool needed =
        std::any_of(read.begin(), read.end(), [&](const Term &term) { return mentions(term, let.variable); });
    if (!needed) continue;
    read.push_back(let.value);
    result.insert(result.begin(), x.body[k]);
  }
  return result;
}

/// The workspace's array of bits, if all that is tested of its elements is whether they are set; else empty.
std::string tested_bits(const For &x, const Program &program) {
  if (x.together != 64 || x.lower != Term(0) || !tested_lets(x).empty()) return "";
  const Term &condition = std::get<If>(x.body.back().kind).condition;
  for (const WorkspaceArray &array : program.workspace)
    if (array.element == ElementType::Bit && array.extent == x.upper &&
        condition == term::equal(term::apply(array.name, {term::variable(x.variable)}), Term(1)))
      return array.name;
  return "";
}

/// What an iteration whose condition holds does.
Block accepted(const For &x) {
  Block result(x.body.begin(), x.body.end() - 1);
  const Block &then = std::get<If>(x.body.back().kind).then;
  result.insert(result.end(), then.begin(), then.end());
  return drop_unused(std::move(result));
}

} // namespace

std::set<std::string> marked_sets(const Program &program) {
  std::set<std::string> sets;
  each_statement(program.body, [&](const Statement &statement) {
    if (const auto *loop = statement.as<For>(); loop && loop->together > 1)
      sets.insert(tested_bits(*loop, program));
    if (const auto *clear = statement.as<SetElement>(); clear && clear->whole_word) sets.insert(clear->array);
  });
  sets.erase("");
  return sets;
}

bool takes_all_out(const Statement &loop, const Statement &next, const Program &program) {
  const auto *x = loop.as<For>();
  const auto *zero = next.as<Zero>();
  return x && zero && x->together > 1 && zero->array == tested_bits(*x, program) && zero->count == x->upper &&
         !mentioned(std::get<If>(x->body.back().kind).then).contains(zero->array);
}

void StatementWriter::write_together(const For &x) {
  if (const std::string set = tested_bits(x, program_); !set.empty()) return write_over_marks(x, set);
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
  line("for ({}; {} < {}; {} += {}) {{", start, first, end, first, x.together);
  ++indent_;
  comment(fmt::format("{} iterations are tested at once; a bit is set for each that passes", x.together));
  line("{} {} = 0;", mask, hits);
  line("if ({} + {} <= {}) {{", first, x.together, end);
  auto test = [&](const std::string &count, bool is_known) {
    ++indent_;
    // clang would unroll so short a loop before it comes to vectorising it, and prefers shorter vectors
    if (is_known)
      text_ += "#ifdef __clang__\n#pragma clang loop vectorize_width(16) interleave_count(2)\n#endif\n";
    line("for (int {0} = 0; {0} < {1}; {0}++) {{", offset, count);
    ++indent_;
    Block lets = tested_lets(x);
    line("const int64_t {} = {} + {};", variable, first, offset);
    block(lets);
    expressions_.set_facts(facts_);
    const std::size_t begin = text_.size();
    line("{} |= ({}){} << {};", hits, mask,
         expressions_.cast_operand(std::get<If>(x.body.back().kind).condition), offset);
    note(begin, x.body.back());
    --indent_;
    line("}");
    --indent_;
    facts_ = inside;
  };
  test(std::to_string(x.together), true);
  line("} else {");
  test(fmt::format("{} - {}", end, first), false);
  line("}");
  line("while ({}) {{", hits);
  ++indent_;
  write_accepted(x, first, hits);
  --indent_;
  line("}");
  --indent_;
  line("}");
  facts_ = std::move(before);
}

/// Of 64 blocks at once those that have something, then what they have: looking at each would be
/// mispredicted.
void StatementWriter::write_over_marks(const For &x, const std::string &set) {
  const std::string &variable = names_.variable(x.variable), &marks = names_.array(set);
  const std::string block = names_.fresh(variable + "_block"), end = names_.fresh(variable + "_end");
  const std::string blocks = names_.fresh(variable + "_blocks"), first = names_.fresh(variable + "_first");
  const std::string hits = names_.fresh(variable + "_hits");
  const std::string all = fmt::format("{} + {} + {}", marks, expressions_.marked().at(set), block);
  const bool empties = statement_ == emptying_;
  const Facts before = facts_;
  facts_ = before.inside(*statement_, 0);
  line("const int64_t {} = {};", end, expressions_.term(floor_divide(x.upper + Term(63), 64)));
  line("for (int64_t {0} = 0; {0} < {1}; {0} += 64) {{", block, end);
  ++indent_;
  line("uint64_t {} = unravel_marked({});", blocks, all);
  if (empties) line("if ({}) memset({}, 0, 64);", blocks, all);
  line("while ({}) {{", blocks);
  ++indent_;
  line("const int64_t {} = 64 * ({} + {}({}));", first, block, expressions_.called("lowest_bit"), blocks);
  line("uint64_t {} = unravel_marked({} + {});", hits, marks, first);
  line("{0} &= {0} - 1;", blocks);
  if (empties) line("memset({} + {}, 0, 64);", marks, first);
  line("while ({}) {{", hits);
  ++indent_;
  write_accepted(x, first, hits);
  for (int open = 0; open < 3; ++open) {
    --indent_;
    line("}");
  }
  facts_ = before;
}

void StatementWriter::write_accepted(const For &x, const std::string &first, const std::string &hits) {
  const auto &guard = std::get<If>(x.body.back().kind);
  Block body = accepted(x);
  if (mentions_variable(body, x.variable))
    line("const int64_t {} = {} + {}({});", names_.variable(x.variable), first,
         expressions_.called("lowest_bit"), hits);
  line("{0} &= {0} - 1;", hits);
  comment(guard.comment);
  facts_.learn(guard.condition);
  block(body);
}

} // namespace unravel::emit
