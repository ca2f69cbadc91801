#include "loop/jam.h"
#include "loop/passes.h"

#include <algorithm>

namespace unravel::loop {

namespace {

using term::Term;

int count_loops(const Statement &statement) {
  int count = 0;
  each_statement(statement, [&](const Statement &inner) { count += is_loop(inner); });
  return count;
}

/// A loop that is parallel however short it is.
bool is_asked_for(const For &loop) {
  return loop.parallel && loop.parallel->least == 0;
}

/// One that was asked for: with another loop in it, it may be none any more.
bool is_simd(const Statement &statement) {
  const auto *loop = statement.as<For>();
  return loop && loop->simd;
}

/// What threads add to copies of is all that the loop writes outside of itself.
bool adds_to_nothing_but(const std::string &array, const Statement &loop) {
  const Effects effects = effects_of(loop);
  return std::all_of(effects.stored.begin(), effects.stored.end(), [&](const std::string &name) {
    return name == array || effects.declared.contains(name);
  });
}

class Fuser {
public:
  explicit Fuser(const Program &program) : names_(program) {}

  void block(Block &statements) {
    for (std::size_t k = 0; k + 1 < statements.size();) {
      std::optional<Statement> both = fused(statements[k], statements[k + 1]);
      if (!both) {
        ++k;
        continue;
      }
      statements[k] = std::move(*both);
      statements.erase(place(statements, k + 1));
    }
    for (Statement &statement : statements)
      for (Block *inner : blocks_of(statement))
        block(*inner);
  }

private:
  /// The two loops as one, if they share a loop inside as well.
  std::optional<Statement> fused(const Statement &first, const Statement &second) {
    const auto *one = first.as<For>();
    const auto *other = second.as<For>();
    if (!one || !other || holds(first, is_simd) || holds(second, is_simd) || !only_adds(Block{first, second}))
      return {};
    Block apart{second};
    keep_apart(apart, effects_of(first).declared, names_);
    Block both = jam({first}, std::move(apart), names_);
    if (both.size() != 1 || count_loops(both[0]) + 1 >= count_loops(first) + count_loops(second)) return {};
    bool asked_for = is_asked_for(*one) || is_asked_for(*other);
    if (one->parallel && other->parallel) {
      auto &loop = std::get<For>(both[0].kind);
      const auto &parallel = other->parallel->copied.empty() ? one->parallel : other->parallel;
      if (!parallel->copied.empty() && !adds_to_nothing_but(parallel->copied, both[0])) return {};
      if (parallel->copied.empty() && !keeps_to_its_element(loop, {})) return {};
      loop.parallel = parallel;
      bool adds_twice = !parallel->copied.empty() && one->parallel->work && other->parallel->work;
      if (adds_twice) loop.parallel->work = *one->parallel->work + *other->parallel->work;
    } else if (asked_for) {
      return {};
    }
    return both[0];
  }

  FreshNames names_;
};

} // namespace

Program fuse(Program program, const Known & /*known*/) {
  Fuser(program).block(program.body);
  return program;
}

} // namespace unravel::loop
