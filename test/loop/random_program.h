#pragma once

#include "loop/interpret.h"
#include "loop/loop.h"

#include <fmt/format.h>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace unravel::test {

/// Random loop programs over index arrays A.f, A.g, A.h, values A.x and a result y.v of 8 elements each, as
/// text. A.g and A.h strictly increase. Every slot is taken modulo 8 (or is a loop's variable below 8), so
/// all reads are in bounds; loops are short.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random_(seed) {}

  std::string text(const std::string &name) {
    return "kernel " + name +
           "\nexpression random\nresult y : small()\n  value v[8] : float64\noperand A : big(N)\n"
           "  index f[8] : int32\n  index g[8] : int32\n  index h[8] : int32\n  value x[8] : float64\n{\n" +
           block(3) + "}\n";
  }

  static loop::Memory memory(unsigned seed) {
    std::mt19937 random(seed);
    loop::Memory memory;
    memory.sizes["A.N"] = static_cast<std::int64_t>(random() % 5);
    for (int k = 0; k < 8; ++k) {
      memory.indices["A.f"].push_back(static_cast<std::int64_t>(random() % 17) - 8);
      for (const char *keys : {"A.g", "A.h"}) {
        std::vector<std::int64_t> &array = memory.indices[keys];
        array.push_back((array.empty() ? -1 : array.back()) + 1 + static_cast<std::int64_t>(random() % 2));
      }
      memory.values["A.x"].push_back(static_cast<double>(random() % 5) - 2);
      memory.values["y.v"].push_back(static_cast<double>(random() % 3));
    }
    return memory;
  }

private:
  enum class Sort { Constant, Slot, Changeable, Number, Hidden };
  struct Name {
    std::string name;
    Sort sort;
  };

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  /// Names are reused in sibling scopes, as the compiler's are.
  std::string declare(Sort sort) {
    std::string name = fmt::format("{}{}",
                                   sort == Sort::Number ? "s"
                                   : below(2)           ? "A.v"
                                                        : "v",
                                   scope_.size());
    scope_.push_back({name, sort});
    return name;
  }

  std::string pick(std::initializer_list<Sort> sorts, const std::string &otherwise) {
    std::vector<std::string> names;
    for (const Name &name : scope_)
      for (Sort sort : sorts)
        if (name.sort == sort) names.push_back(name.name);
    return names.empty() ? otherwise : names[static_cast<std::size_t>(below(static_cast<int>(names.size())))];
  }

  std::string variable() { return pick({Sort::Constant, Sort::Slot, Sort::Changeable}, "A.N"); }

  std::string slot() {
    if (below(3) == 0) return pick({Sort::Slot}, "3");
    return fmt::format("({}) mod 8", term(1));
  }

  std::string term(int depth) {
    switch (below(depth > 0 ? 10 : 3)) {
    case 0: return std::to_string(below(6));
    case 1:
    case 2: return variable();
    case 3: return fmt::format("{} + {}", term(depth - 1), term(depth - 1));
    case 4: return fmt::format("{} - ({})", term(depth - 1), term(depth - 1));
    case 5: return fmt::format("2*({})", term(depth - 1));
    case 6: return fmt::format("floor(({}) / 3)", term(depth - 1));
    case 7: return fmt::format("{}({}, {})", below(2) ? "min" : "max", term(depth - 1), term(depth - 1));
    default: return fmt::format("A.f({})", slot());
    }
  }

  std::string formula(int depth) {
    static constexpr const char *signs[] = {"=", "!=", "<", "<=", ">", ">="};
    switch (below(depth > 0 ? 6 : 1)) {
    case 1: return fmt::format("({} and {})", formula(depth - 1), formula(depth - 1));
    case 2: return fmt::format("({} or {})", formula(depth - 1), formula(depth - 1));
    case 3: return fmt::format("not ({})", formula(depth - 1));
    default: return fmt::format("{} {} {}", term(1), signs[below(6)], term(1));
    }
  }

  std::string value() {
    switch (below(5)) {
    case 0: return fmt::format("{}.5", below(3));
    case 1: return pick({Sort::Number}, "1");
    case 2: return fmt::format("-(A.x[{}])", slot());
    case 3: return fmt::format("y.v[{}]", slot());
    default: return fmt::format("A.x[{}] * {} * A.x[{}]", slot(), below(2) ? "1" : "2", slot());
    }
  }

  std::string block(int depth) {
    std::size_t outside = scope_.size();
    std::string result;
    for (int k = 2 + below(4); k > 0; --k)
      result += statement(depth);
    scope_.resize(outside);
    return result;
  }

  std::string loop_body(int depth) {
    ++loops_;
    std::string body = block(depth - 1);
    --loops_;
    return body;
  }

  std::string statement(int depth) {
    switch (below(depth > 0 ? 16 : 8)) {
    case 0: {
      std::string read = term(2);
      return fmt::format("let {} = {}\n", declare(Sort::Constant), read);
    }
    case 1: {
      std::string read = value();
      return fmt::format("value {} = {}\n", declare(Sort::Number), read);
    }
    case 2: {
      std::string read = term(1);
      return fmt::format("var {} = {}\n", declare(Sort::Changeable), read);
    }
    case 3: {
      std::string name = pick({Sort::Changeable}, "");
      return name.empty() ? "" : fmt::format("{} := ({}) mod 8\n", name, term(2));
    }
    case 4: return fmt::format("y.v[{}] {} {}\n", slot(), below(2) ? "=" : "+=", value());
    case 5: return fmt::format("y.v[{}] += {}\n", pick({Sort::Constant}, "0") == "0" ? "0" : slot(), value());
    case 6: {
      std::string name = pick({Sort::Number}, "");
      return name.empty() ? "" : fmt::format("{} {} {}\n", name, below(2) ? "=" : "+=", value());
    }
    case 7: return loops_ && below(2) ? fmt::format("if {} {{\nbreak\n}}\n", formula(1)) : "";
    case 8:
    case 9: {
      std::string upper = below(2) ? std::to_string(below(4)) : fmt::format("({}) mod 4", term(1));
      std::size_t outside = scope_.size();
      std::string name = declare(Sort::Slot);
      std::string body = loop_body(depth);
      scope_.resize(outside);
      return fmt::format("for {} in 0 .. {} {{\n{}}}\n", name, upper, body);
    }
    case 10: {
      std::size_t outside = scope_.size();
      std::string counter = declare(Sort::Constant); // only this loop changes it
      std::string condition = formula(1);
      std::string body = loop_body(depth);
      scope_.resize(outside + 1);
      scope_.back().sort = Sort::Constant;
      return fmt::format("var {0} = 0\nwhile {0} < 3 and {1} {{\n{0} := {0} + 1\n{2}}}\n", counter, condition,
                         body);
    }
    case 11: {
      std::size_t outside = scope_.size();
      std::string ranges = fmt::format("0 .. ({}) mod 9 by A.g, {{}} in {} .. 8 by A.h", term(1), below(3));
      std::string first = declare(Sort::Slot), second = declare(Sort::Slot);
      int loops = std::exchange(loops_, 0); // no break leaves it
      std::string body = block(depth - 1);
      loops_ = loops;
      scope_.resize(outside);
      return fmt::format("intersect {} in {} {{\n{}}}\n", first, fmt::format(fmt::runtime(ranges), second),
                         body);
    }
    case 12: return sum_over_segments();
    case 13: return merge(depth);
    default: {
      std::string condition = formula(2);
      std::string then = block(depth - 1);
      std::string otherwise = below(2) ? fmt::format("}} else {{\n{}", block(depth - 1)) : "";
      return fmt::format("if {} {{\n{}{}}}\n", condition, then, otherwise);
    }
    }
  }

  /// Of up to four ranges, some of the same keys.
  std::string merge(int depth) {
    const std::size_t outside = scope_.size();
    const int loops = std::exchange(loops_, 0); // no break leaves it
    std::vector<std::string> ranges;
    for (int k = 1 + below(4); k > 0; --k)
      ranges.push_back(fmt::format("{} .. ({}) mod 9 by A.{}", below(3), term(1), below(2) ? "g" : "h"));
    const std::string key = declare(Sort::Constant);
    const std::size_t first = scope_.size();
    for (std::size_t k = 0; k < ranges.size(); ++k)
      declare(Sort::Hidden);
    std::string text = fmt::format("merge {} {{\n", key);
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      scope_[first + k].sort = Sort::Slot;
      const std::string body = below(4) ? block(depth - 1) : ""; // declares names of its own
      text += fmt::format("at {} in {} {{\n{}}}\n", scope_[first + k].name, ranges[k], body);
      scope_[first + k].sort = Sort::Hidden;
    }
    text += fmt::format("then {{\n{}}}\n}}\n", below(4) ? block(depth - 1) : "");
    scope_.resize(outside);
    loops_ = loops;
    return text;
  }

  /// As of a matrix's rows, some of them empty.
  std::string sum_over_segments() {
    std::size_t outside = scope_.size();
    std::string row = declare(Sort::Slot), sum = declare(Sort::Number), entry = declare(Sort::Slot);
    scope_.resize(outside);
    const char *factors[] = {"", "", "A.x[{} mod 8] * ", "y.v[({} + 1) mod 8] * "};
    std::string factor = fmt::format(fmt::runtime(factors[below(4)]), entry);
    const char *targets[] = {"{}", "{}", "6 - {}", "floor({} / 2)"};
    std::string to = fmt::format(fmt::runtime(targets[below(4)]), row);
    return fmt::format("for {0} in {1} .. 7 {{\nvalue {2} = 0\nfor {3} in A.{7}({0}) .. A.{7}({0} + 1) {{\n"
                       "{2} += {4}A.x[A.f({3} mod 8) mod 8]\n}}\ny.v[{5}] {6} {2}\n}}\n",
                       row, below(3), sum, entry, factor, to, below(3) ? "=" : "+=", below(3) ? "f" : "g");
  }

  std::mt19937 random_;
  std::vector<Name> scope_;
  int loops_ = 0;
};

} // namespace unravel::test
