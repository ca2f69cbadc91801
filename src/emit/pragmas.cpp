#include "emit/pragmas.h"

#include "loop/walk.h"

#include <fmt/format.h>

namespace unravel::emit {

namespace {

bool is_innermost(const loop::For &loop) {
  bool innermost = true;
  loop::each_statement(loop.body,
                       [&](const loop::Statement &inner) { innermost = innermost && !loop::is_loop(inner); });
  return innermost;
}

std::string for_clang(const std::string &hints, const std::string &otherwise) {
  return "#ifdef __clang__\n#pragma clang loop " + hints + "\n" + otherwise + "#endif\n";
}

/// How many iterations a thread takes at a time.
std::string chunk_text(const loop::For &loop, const std::string &work, const Expressions &expressions) {
  std::string chunk = std::to_string(loop.parallel->chunk);
  if (loop.parallel->share == 0) return chunk;
  term::Term count = loop.upper - loop.lower;
  const char *open = count.as<term::Variable>() ? "" : "(", *close = *open ? ")" : "";
  return chunk + fmt::format(" + {} * {}{}{} / ({} + 1)", loop.parallel->share, open, expressions.term(count),
                             close, work);
}

} // namespace

std::string vector_pragmas(const loop::For &loop, bool openmp) {
  if (loop.simd && openmp) {
    std::int64_t length = 0;
    bool is_short = constant_difference(loop.lower, loop.upper, length) && length >= 4 && length <= 16 &&
                    (length & (length - 1)) == 0;
    if (!is_short) return "#ifdef _OPENMP\n#pragma omp simd\n#endif\n";
    // clang would unroll so short a loop before it comes to vectorising it
    return for_clang(fmt::format("unroll(disable) vectorize(assume_safety) vectorize_width({}) "
                                 "interleave_count(1)",
                                 length),
                     "#elif defined(_OPENMP)\n#pragma omp simd\n");
  }
  if (loop.brief && is_innermost(loop)) return for_clang("vectorize(disable) unroll(disable)", "");
  return "";
}

std::string schedule_text(const loop::For &loop, const std::string &work, const Expressions &expressions) {
  using Schedule = loop::Parallel::Schedule;
  const loop::Parallel &parallel = *loop.parallel;
  if (parallel.schedule == Schedule::Guided) return fmt::format("schedule(guided, {})", parallel.chunk);
  if (parallel.schedule == Schedule::Static)
    return parallel.chunk == 0 ? "schedule(static)" : fmt::format("schedule(static, {})", parallel.chunk);
  return fmt::format("schedule(dynamic, {})", chunk_text(loop, work, expressions));
}

} // namespace unravel::emit
