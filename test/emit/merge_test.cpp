// Merges as the compilers make them: two to five ranges of keys of both types, at all lengths.
#include "each_compiler.h"
#include "emit/emit.h"
#include "loop/interpret.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

using namespace unravel;

namespace {

constexpr std::size_t most_ranges = 5;
constexpr std::int64_t width = 40; // keys lie below

/// y at the key: by powers of two which ranges hold it, and by thousands the how manieth key it is.
loop::Program kernel(std::size_t ranges) {
  std::string operands, merge;
  for (std::size_t k = 0; k < ranges; ++k) {
    const bool is_long = k == 1 || k == 4;
    operands += fmt::format("operand a{} : {}(N)\n  count NNZ\n  index idx[a{}.NNZ] : {}\n", k,
                            is_long ? "long_list" : "short_list", k, is_long ? "int64" : "int32");
    merge +=
        fmt::format("    at a{0}.p in 0 .. a{0}.NNZ by a{0}.idx {{\n      s += {1}\n    }}\n", k, 1 << k);
  }
  return loop::parse_program(
      fmt::format("kernel merge_{}\nexpression e\nresult y : list(N)\n  value val[y.N] : float64\n{}{{\n"
                  "  value s = 0\n  value count = 0\n  merge j {{\n{}    then {{\n"
                  "      count += 1000\n      y.val[j] = s + count\n      s = 0\n    }}\n  }}\n"
                  "  y.val[y.N - 1] = count\n}}\n",
                  ranges, operands, merge));
}

using Keys = std::vector<std::vector<std::int64_t>>;

/// What the interpreter makes of it.
std::vector<double> expected(const loop::Interpreter &program, const Keys &keys) {
  loop::Memory memory;
  memory.sizes["y.N"] = width + 1;
  memory.values["y.val"] = std::vector<double>(width + 1, 0);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const std::string name = fmt::format("a{}", k);
    memory.sizes[name + ".N"] = width;
    memory.sizes[name + ".NNZ"] = static_cast<std::int64_t>(keys[k].size());
    memory.indices[name + ".idx"] = keys[k];
  }
  EXPECT_EQ(program.run(memory), 0);
  return memory.values["y.val"];
}

struct Slots {
  std::int64_t size, count;
  const void *keys;
};
struct List {
  std::int64_t size;
  double *values;
};

std::vector<double> computed(void *library, const Keys &keys) {
  std::vector<double> result(width + 1, 0);
  List y{width + 1, result.data()};
  std::vector<std::int32_t> narrow[most_ranges];
  std::vector<Slots> slots;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    narrow[k].assign(keys[k].begin(), keys[k].end());
    const bool is_long = k == 1 || k == 4;
    slots.push_back({width, static_cast<std::int64_t>(keys[k].size()),
                     is_long ? static_cast<const void *>(keys[k].data()) : narrow[k].data()});
  }
  void *entry = dlsym(library, fmt::format("merge_{}", keys.size()).c_str());
  Slots *a = slots.data();
  int code = -1;
  switch (keys.size()) {
  case 1: code = reinterpret_cast<int (*)(List *, Slots *)>(entry)(&y, a); break;
  case 2: code = reinterpret_cast<int (*)(List *, Slots *, Slots *)>(entry)(&y, a, a + 1); break;
  case 3:
    code = reinterpret_cast<int (*)(List *, Slots *, Slots *, Slots *)>(entry)(&y, a, a + 1, a + 2);
    break;
  case 5:
    code = reinterpret_cast<int (*)(List *, Slots *, Slots *, Slots *, Slots *, Slots *)>(entry)(
        &y, a, a + 1, a + 2, a + 3, a + 4);
    break;
  }
  EXPECT_EQ(code, 0);
  return result;
}

} // namespace

TEST(EmitMerge, unites_at_all_lengths) {
  std::string text;
  std::vector<std::pair<std::size_t, loop::Interpreter>> programs;
  for (std::size_t ranges : {1, 2, 3, 5}) {
    text += emit::emit_c(kernel(ranges));
    programs.emplace_back(ranges, kernel(ranges));
  }
  std::vector<std::int64_t> all(width);
  std::iota(all.begin(), all.end(), 0);
  const bool any = test::with_each_compiler(text, [&](void *library) {
    std::mt19937 random(5);
    for (const auto &[ranges, program] : programs)
      for (int round = 0; round < 300; ++round) {
        Keys keys(ranges);
        for (std::vector<std::int64_t> &each : keys) {
          const std::size_t counts[] = {0, 1, 2, random() % 12, random() % (width + 1), width};
          std::sample(all.begin(), all.end(), std::back_inserter(each), counts[random() % 6], random);
        }
        ASSERT_EQ(computed(library, keys), expected(program, keys)) << ranges << " ranges, round " << round;
      }
  });
  if (!any) GTEST_SKIP() << "no compiler is installed";
}

/// A statement in it is written once, however many ranges there are.
TEST(EmitMerge, is_linear_in_the_number_of_ranges) {
  const auto size = [](std::size_t ranges) { return emit::emit_c(kernel(ranges)).size(); };
  EXPECT_LT(size(8) - size(4), 5 * (size(2) - size(1)));
}
