#include "emit/mentioned.h"

#include "loop/arrays.h"
#include "loop/copies.h"
#include "loop/walk.h"

#include <algorithm>

namespace unravel::emit {

using namespace loop;
using term::Term;

std::set<std::string> mentioned(const Block &body) {
  std::set<std::string> names = names_read(body);
  each<Prefetch>(body, [&](const Prefetch &wanted) { names.insert(wanted.array); });
  each<For>(body, [&](const For &loop) {
    if (loop.parallel && !loop.parallel->copied.empty()) names.insert(copies_of(loop.parallel->copied));
  });
  Effects effects = effects_of(body);
  names.insert(effects.stored.begin(), effects.stored.end());
  return names;
}

bool is_work_in_pragma(const For &loop, const Program &program) {
  return loop.parallel && loop.parallel->work && is_over_sizes(*loop.parallel->work, program);
}

Block without_parallel(Block block) {
  std::erase_if(block, [](const Statement &statement) {
    const auto *loop = statement.as<For>();
    return loop && loop->parallel;
  });
  for (Statement &statement : block)
    for (Block *inner : blocks_of(statement))
      *inner = without_parallel(std::move(*inner));
  return block;
}

} // namespace unravel::emit
