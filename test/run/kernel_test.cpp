// Compiled kernels against the reference evaluator: every computation, in every layout, with indices and
// values of every width, on one thread and on two. A seeded sample; all with UNRAVEL_TEST_ALL=1.
#include "convert/pack.h"
#include "data/tensor_file.h"
#include "report/diagnostic.h"
#include "run/compiled.h"
#include "run/session.h"

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <iostream>

using namespace unravel;
using namespace unravel::run::test;

namespace {

/// Nothing where a layout can't be packed.
std::optional<Packer> packer_of(const Problem &problem) {
  try {
    return Packer(problem);
  } catch (const report::Error &error) {
    EXPECT_EQ(error.diagnostic().kind, report::Kind::cannot_pack) << problem.text() << "\n" << error.what();
    return std::nullopt;
  }
}

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "unravel-run-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(folder_); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string path(const std::string &name) const { return (folder_ / name).string(); }

private:
  std::filesystem::path folder_;
};

} // namespace

TEST(Kernel, sampled_problems_of_every_width_on_one_thread_and_two) {
  std::mt19937_64 random(11);
  std::size_t kernels = 0, calls = 0, number = 0;
  std::set<std::string> methods;
  for (Problem problem : sample_of(all_problems(), 150, 11)) {
    problem.index = number % 2 ? loop::ElementType::Int64 : loop::ElementType::Int32;
    problem.value = number % 3 == 2 ? loop::ElementType::Float32 : loop::ElementType::Float64;
    problem.schedules = {"chunk " + std::to_string(number % 5 == 0 ? 32 : 1 + number % 4)};
    ++number;
    std::optional<Packer> packer = packer_of(problem);
    if (!packer) continue;
    Compiled kernel(problem);
    ++kernels;
    for (const Sizes &sizes : sizes_of_all_kinds(packer->front().computation))
      for (int round = 0; round < 2; ++round) {
        std::optional<PackedCase> input = packer->draw(sizes, random);
        if (!input) continue;
        calls += 2;
        if (!kernel.check(*input, 1) || !kernel.check(*input, 2)) return;
      }
  }
  std::cout << kernels << " kernels, " << calls << " calls\n";
  EXPECT_GT(kernels, 100u);
}

TEST(Kernel, segments_of_known_lengths) {
  std::mt19937_64 random(17);
  for (Problem problem : with_known_lengths())
    for (loop::ElementType index : {loop::ElementType::Int32, loop::ElementType::Int64})
      for (loop::ElementType value : {loop::ElementType::Float32, loop::ElementType::Float64}) {
        problem.index = index;
        problem.value = value;
        std::optional<Packer> packer = packer_of(problem);
        ASSERT_TRUE(packer);
        Compiled kernel(problem);
        for (const Sizes &sizes : sizes_of_all_kinds(packer->front().computation))
          if (std::optional<PackedCase> input = packer->draw(sizes, random))
            if (!kernel.check(*input, 1) || !kernel.check(*input, 2)) return;
      }
}

/// Each plan of a kernel with several of them, on inputs of all kinds, also where zeros, infinities and NaN
/// are stored.
TEST(Kernel, every_alternative_on_one_thread_and_two) {
  std::mt19937_64 random(13);
  std::size_t kernels = 0, calls = 0;
  for (Problem problem : with_alternatives()) {
    std::size_t count = number_of_plans(problem);
    if (count < 2) continue;
    problem.index = kernels % 2 ? loop::ElementType::Int64 : loop::ElementType::Int32;
    problem.schedules = {"chunk " + std::to_string(1 + kernels % 4)};
    Packer packer(problem);
    for (std::size_t number = 0; number < count; ++number) {
      problem.only_alternative = number;
      Compiled kernel(problem);
      ++kernels;
      for (const Sizes &sizes : sizes_of_all_kinds(packer.front().computation))
        for (Values values : {Values::Exact, Values::Special}) {
          std::optional<PackedCase> input = packer.draw(sizes, random, values);
          if (!input) continue;
          calls += 2;
          if (!kernel.check(*input, 1) || !kernel.check(*input, 2)) return;
        }
    }
  }
  std::cout << kernels << " kernels, " << calls << " calls\n";
  EXPECT_GT(kernels, 50u);
}

/// A chunk's walk begins at its first visit. Its first iteration may be none: there the target may be larger.
TEST(Kernel, chunks_that_begin_with_an_iteration_that_is_skipped) {
  std::mt19937_64 random(17);
  const Sizes six{{{"i", 6}}};
  for (const char *vector : {"sv", "@sv_weak", "@sv_from_one"}) {
    Problem problem{"t = A(i,i) * v(i)", {{"A", "@coo_rows"}, {"v", vector}}, {"chunk 2"}, {}};
    Packer packer(problem);
    Compiled kernel(problem);
    for (int round = 0; round < 40; ++round)
      if (std::optional<PackedCase> input = packer.draw(six, random))
        if (!kernel.check(*input, 1) || !kernel.check(*input, 2)) return;
  }
}

/// Keys like 4*g + meta(g) range over something that depends on g: no map, whose room is taken beforehand.
TEST(Kernel, keys_that_have_their_position_in_them) {
  std::mt19937_64 random(19);
  Problem problem{"y(j) = B(k,j) * x(k)", {{"B", "warp24"}}, {"order k, B.s, y.a, B.g, j"}, {}};
  Packer packer(problem);
  Compiled kernel(problem);
  for (std::int64_t columns : {1, 5, 12})
    if (std::optional<PackedCase> input = packer.draw({{{"k", 6}, {"j", columns}}}, random))
      if (!kernel.check(*input, 1)) return;
}

TEST(Kernel, through_the_whole_session_with_files) {
  TemporaryFolder folder;
  std::mt19937_64 random(12);
  std::size_t number = 0, runs = 0;
  std::vector<Problem> problems = sample_of(all_problems(), 40, 12);
  if (!take_all()) problems.resize(std::min<std::size_t>(problems.size(), 50));
  for (Problem problem : problems) {
    problem.index = number % 2 ? loop::ElementType::Int64 : loop::ElementType::Int32;
    problem.value = number % 3 == 2 ? loop::ElementType::Float32 : loop::ElementType::Float64;
    std::optional<Packer> packer = packer_of(problem);
    if (!packer) continue;
    std::vector<Sizes> kinds = sizes_of_all_kinds(packer->front().computation);
    // The session gives a mode with a shifted subscript of the result what the index's extent asks for.
    Sizes sizes = kinds[number % kinds.size()];
    if (problem.expression.starts_with("y(i+1)")) sizes.shifted_surplus = 1;
    if (problem.expression.starts_with("y(i-1)")) sizes.shifted_surplus = -1;
    std::optional<PackedCase> input = packer->draw(sizes, random);
    ++number;
    if (!input) continue;
    run::Request request;
    request.compile = problem.request();
    request.check = true;
    request.threads = 1 + static_cast<int>(number % 2);
    for (const auto &[index, extent] : input->sizes.indices)
      request.extents[index] = extent;
    for (const auto &[tensor, coordinates] : input->coordinates) {
      const bool is_result = tensor == packer->front().computation.tensors.front().name;
      if (is_result && problem.expression.find("+=") == std::string::npos &&
          problem.expression.find(tensor + "(", 1) == std::string::npos)
        continue; // it isn't read
      std::string path = folder.path(tensor + (coordinates.shape.size() > 2 ? ".tns" : ".mtx"));
      data::write_tensor(path, coordinates);
      request.inputs[tensor] = path;
    }
    SCOPED_TRACE(problem.text() + " " + input->about);
    try {
      run::Report report = run::run(request);
      ++runs;
      ASSERT_TRUE(report.comparison && report.comparison->ok);
      std::vector<double> got = data::to_dense(convert::unpack(report.result));
      EXPECT_TRUE(check::compare(got, input->expected,
                                 request.compile.value == loop::ElementType::Float32 ? 1e-5 : 1e-12)
                      .ok);
    } catch (const report::Error &error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_GT(runs, 20u);
}

/// Sums of long results are stored past the caches; here of all, whose arrays lie in whole lines of the
/// cache.
TEST(Kernel, stores_past_the_caches) {
  Problem problem{"Y(i,r) = A(i,j) * B(j,r)", {{"A", "csr"}}, {"chunk 7"}};
  bool found = false;
  Compiled kernel(problem, [&](std::string text) {
    const std::string length = "4194304";
    std::size_t at = text.find(length);
    found = at != std::string::npos;
    return found ? text.replace(at, length.size(), "0") : text;
  });
  EXPECT_TRUE(found);
  std::mt19937_64 random(5);
  for (std::int64_t width : {1, 8, 19, 56}) {
    std::optional<PackedCase> input = Packer(problem).draw({{{"i", 8000}, {"j", 11}, {"r", width}}}, random);
    ASSERT_TRUE(input);
    if (!kernel.check(*input, 1) || !kernel.check(*input, 2)) return;
  }
}
