#include "emit/statement_writer.h"

#include "emit/together.h"
#include "loop/passes.h"
#include "loop/walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace unravel::emit {

using namespace loop;
using term::Term;

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
    const std::size_t begin = text_.size();
    line(fmt::format("{} |= ({}){} << {};", hits, mask,
                     expressions_.cast_operand(std::get<If>(x.body.back().kind).condition), offset));
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
  line(fmt::format("while ({}) {{", hits));
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
  line(fmt::format("const int64_t {} = {};", end, expressions_.term(floor_divide(x.upper + Term(63), 64))));
  line(fmt::format("for (int64_t {0} = 0; {0} < {1}; {0} += 64) {{", block, end));
  ++indent_;
  line(fmt::format("uint64_t {} = unravel_marked({});", blocks, all));
  if (empties) line(fmt::format("if ({}) memset({}, 0, 64);", blocks, all));
  line(fmt::format("while ({}) {{", blocks));
  ++indent_;
  line(fmt::format("const int64_t {} = 64 * ({} + {}({}));", first, block, expressions_.called("lowest_bit"),
                   blocks));
  line(fmt::format("uint64_t {} = unravel_marked({} + {});", hits, marks, first));
  line(fmt::format("{0} &= {0} - 1;", blocks));
  if (empties) line(fmt::format("memset({} + {}, 0, 64);", marks, first));
  line(fmt::format("while ({}) {{", hits));
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
  bool is_used = std::any_of(body.begin(), body.end(), [&](const Statement &statement) {
    return occurrences(statement, term::variable(x.variable)) > 0;
  });
  if (is_used)
    line(fmt::format("const int64_t {} = {} + {}({});", names_.variable(x.variable), first,
                     expressions_.called("lowest_bit"), hits));
  line(fmt::format("{0} &= {0} - 1;", hits));
  comment(guard.comment);
  facts_.learn(guard.condition);
  block(body);
}

} // namespace unravel::emit
