#include "emit/pragmas.h"

#include "loop/arrays.h"
#include "loop/walk.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::emit {

using namespace loop;
using term::Term;

namespace {

bool is_innermost(const For &loop) {
  return !holds(loop.body, is_loop);
}

/// The locals from outside that the iterations reduce, and by which operators.
std::map<std::string, Operator> sums_of(const For &loop) {
  const std::set<std::string> own = effects_of(loop.body).declared;
  std::map<std::string, Operator> sums;
  each_statement(loop.body, [&](const Statement &statement) {
    const Local *local = reduced_local(statement);
    if (local && !own.contains(local->name)) sums.emplace(local->name, statement.as<Accumulate>()->by);
  });
  return sums;
}

std::string sums_text(const For &loop, const Names &names, const Expressions &expressions) {
  std::map<std::string, std::set<std::string>> by_operator;
  for (const auto &[local, by] : sums_of(loop))
    by_operator[reduction_name(by, expressions.types().of_local(local), expressions)].insert(
        names.variable(local));
  std::string text;
  for (const auto &[name, sums] : by_operator)
    text += fmt::format(" reduction({} : {})", name, fmt::join(sums, ", "));
  return text;
}

/// The loop's constant length, if vectors of just that length exist.
std::optional<std::int64_t> length_of_vector(const For &loop) {
  std::int64_t length = 0;
  bool fits = constant_difference(loop.lower, loop.upper, length) && length >= 4 && length <= 16 &&
              (length & (length - 1)) == 0;
  return fits ? std::optional(length) : std::nullopt;
}

/// Whether its iterations are taken to be a few vectors: a dense mode inside another loop. Clang makes steps
/// of four vectors, and takes what is left of them one by one: in rows of 16 that is all.
bool is_row(const For &loop, bool inside) {
  return inside && applications_of(loop.lower).empty() && applications_of(loop.upper).empty();
}

/// Whether it is a row of a dense mode whose elements are computed, each by itself or as terms of a sum.
/// (What only sets them is a call of a library's function.)
bool computes_row(const For &loop, bool inside) {
  std::int64_t length = 0;
  if (loop.parallel || loop.step != 1 || loop.lower != Term(0) || !is_row(loop, inside) ||
      !is_innermost(loop) || constant_difference(loop.lower, loop.upper, length))
    return false;
  bool is_astray = false; // by what is read at its positions
  each_element(loop.body, [&](const Element &read) {
    is_astray = is_astray || (mentions(read.slot, loop.variable) && !runs_along(read.slot, loop.variable) &&
                              !applications_of(read.slot).empty());
  });
  if (is_astray) return false;
  return std::ranges::any_of(loop.body, [](const Statement &statement) {
    const auto *store = statement.as<Store>();
    return statement.is<Accumulate>() || (store && !store->value.is<Number>());
  });
}

/// Does the loop do nothing but count elements of bytes, wherever they lie? Compilers put vectors together
/// from them, element by element, or wait for each addition.
bool counts_bytes(const For &loop, const Types &types) {
  const Accumulate *count = loop.body.empty() ? nullptr : addition_of(loop.body.back());
  const Local *local = count ? written_local(loop.body.back()) : nullptr;
  if (!local || types.of_local(local->name) != ElementType::Int64) return false;
  bool are_bytes = true;
  int elements = 0;
  std::set<std::string> loaded; // variables
  const auto is_loaded = [&](const Term &term) {
    return !applications_of(term).empty() ||
           std::ranges::any_of(loaded, [&](const std::string &each) { return mentions(term, each); });
  };
  const auto look = [&](const Value &value) {
    each_element(value, [&](const Element &element) {
      ++elements;
      are_bytes = are_bytes && types.of_array(element.array) == ElementType::Bool && is_loaded(element.slot);
    });
  };
  for (const Statement &statement : loop.body) {
    const auto *let = statement.as<Let>();
    const auto *declared = statement.as<DeclareValue>();
    if (let && is_loaded(let->value)) loaded.insert(let->variable);
    if (declared) look(declared->initial);
    if (!let && !declared && &statement != &loop.body.back()) return false;
  }
  look(count->value);
  return are_bytes && elements == 1;
}

std::string for_clang(const std::string &hints, const std::string &otherwise) {
  return "#ifdef __clang__\n#pragma clang loop " + hints + "\n" + otherwise + "#endif\n";
}

/// How many iterations a thread takes at a time.
std::string chunk_text(const For &loop, const std::string &work, const Expressions &expressions) {
  std::string chunk = std::to_string(loop.parallel->chunk);
  if (loop.parallel->share == 0) return chunk;
  Term count = loop.upper - loop.lower;
  const term::Linear sum = linear_form(count);
  if (sum.constant < 0 ||
      std::any_of(sum.parts.begin(), sum.parts.end(), [](const auto &part) { return part.second < 0; }))
    count = term::maximum({Term(0), count}); // bounds may cross
  const char *open = count.as<term::Variable>() || count.as<term::Maximum>() ? "" : "(",
             *close = *open ? ")" : "";
  return chunk + fmt::format(" + {} * {}{}{} / ({} + 1)", loop.parallel->share, open, expressions.term(count),
                             close, work);
}

} // namespace

std::string reduction_name(const Operator &by, ElementType type, const Expressions &expressions) {
  if (by.own()) return expressions.own_function(by, type);
  const value::Laws &laws = value::laws_of(by);
  // C's own additions of integers with a sign may not overflow, nor those of bools come to more than 1.
  const bool wraps = value::is_integer(type) && type != value::without_sign(type);
  // Nor does clang add up complex numbers in parallel without a library for atomic operations.
  const bool is_plain = !wraps && !value::is_complex(type);
  if (!laws.symbol.empty() && is_plain) return std::string(laws.symbol);
  const std::string name(laws.name);
  const std::string suffix = expressions.need_typed("reduce_" + name, type);
  const bool calls = laws.symbol.empty() || (value::is_complex(type) && by == value::Operator::Multiply);
  if (calls) expressions.need_typed(name, type);
  return "unravel_" + name + suffix;
}

bool sums_for_clang(const For &loop, bool inside) {
  return loop.simd && (length_of_vector(loop) || is_row(loop, inside)) && !sums_of(loop).empty();
}

bool is_over_entries(const For &loop) {
  return std::ranges::any_of(loop.body, [&](const Statement &statement) {
    const auto *let = statement.as<Let>();
    return let && !applications_of(let->value).empty() && mentions(let->value, loop.variable);
  });
}

std::string vector_pragmas(const For &loop, bool inside, bool at_entries, bool openmp, const Names &names,
                           const Expressions &expressions) {
  if (loop.simd && openmp) {
    const std::string simd = "#pragma omp simd" + sums_text(loop, names, expressions) + "\n";
    const std::string otherwise = "#elif defined(_OPENMP)\n" + simd;
    // clang would unroll so short a loop before it comes to vectorising it
    if (std::optional<std::int64_t> length = length_of_vector(loop))
      return for_clang(fmt::format("unroll(disable) vectorize(assume_safety) vectorize_width({}) "
                                   "interleave_count(1)",
                                   *length),
                       otherwise);
    if (sums_for_clang(loop, inside))
      return for_clang("vectorize(assume_safety) interleave_count(1)", otherwise);
    return "#ifdef _OPENMP\n" + simd + "#endif\n";
  }
  if (!loop.parallel && counts_bytes(loop, expressions.types()))
    return for_clang("vectorize(disable) unroll_count(4)", "#elif defined(__GNUC__)\n#pragma GCC unroll 4\n");
  if (loop.brief && is_innermost(loop)) return for_clang("vectorize(disable) unroll(disable)", "");
  if (at_entries && !is_over_entries(loop) && computes_row(loop, inside))
    return for_clang("interleave_count(2)", "");
  return "";
}

std::string schedule_text(const For &loop, const std::string &work, const Expressions &expressions) {
  using Schedule = Parallel::Schedule;
  const Parallel &parallel = *loop.parallel;
  if (parallel.schedule == Schedule::Guided) return fmt::format("schedule(guided, {})", parallel.chunk);
  if (parallel.schedule == Schedule::Static)
    return parallel.chunk == 0 ? "schedule(static)" : fmt::format("schedule(static, {})", parallel.chunk);
  return fmt::format("schedule(dynamic, {})", chunk_text(loop, work, expressions));
}

} // namespace unravel::emit
