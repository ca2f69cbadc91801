// Kernels with a workspace, compiled in process: kept from call to call, made by the call itself, and one for
// each of several threads.
#include "build/kernel.h"
#include "emit/emit.h"
#include "golden.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace unravel;

namespace {

std::string text_of(const std::string &program) {
  return emit::emit_in_process(loop::parse_program(test::golden_inputs("emit", program).at(0)));
}

build::Kernel compiled(const std::string &program) {
  build::Options options;
  options.cache = false;
  return build::compile(text_of(program), options);
}

/// y = A x, where row i of A has the columns j = (i + k) mod n for k < 40, of value i + j, and x has every
/// third entry, of value j - 3 (a zero among them).
class Case {
public:
  explicit Case(std::int64_t n) : n_(n), y_(static_cast<std::size_t>(n)) {
    std::vector<double> dense(y_.size());
    for (std::int64_t j = 0; j < n; j += 3) {
      idx_.push_back(static_cast<std::int32_t>(j));
      x_.push_back(static_cast<double>(j - 3));
      dense[static_cast<std::size_t>(j)] = x_.back();
    }
    rowptr_.push_back(0);
    for (std::int64_t i = 0; i < n; ++i) {
      expected_.push_back(0);
      std::size_t begin = col_.size();
      for (std::int64_t k = 0; k < std::min<std::int64_t>(n, 40); ++k)
        col_.push_back(static_cast<std::int32_t>((i + k) % n));
      std::sort(col_.begin() + static_cast<std::ptrdiff_t>(begin), col_.end());
      for (std::size_t p = begin; p < col_.size(); ++p) {
        a_.push_back(static_cast<double>(i + col_[p]));
        expected_.back() += a_.back() * dense[static_cast<std::size_t>(col_[p])];
      }
      rowptr_.push_back(static_cast<std::int32_t>(col_.size()));
    }
  }

  bool agrees(const build::Kernel &kernel, void *workspace) {
    auto address = [](auto &vector) { return reinterpret_cast<std::int64_t>(vector.data()); };
    auto size = [](auto &vector) { return static_cast<std::int64_t>(vector.size()); };
    std::int64_t y[] = {n_, address(y_)};
    std::int64_t a[] = {n_, n_, size(col_), address(rowptr_), address(col_), address(a_)};
    std::int64_t x[] = {n_, size(idx_), address(idx_), address(x_)};
    void *arguments[] = {y, a, x, workspace};
    std::fill(y_.begin(), y_.end(), 7);
    int code = reinterpret_cast<int (*)(void **)>(kernel.symbol("unravel_entry"))(arguments);
    return code == 0 && y_ == expected_;
  }

private:
  std::int64_t n_;
  std::vector<std::int32_t> rowptr_, col_, idx_;
  std::vector<double> a_, x_, y_, expected_; // integers: sums are exact in any order
};

const std::vector<std::string> programs = {"kernel_marks", "kernel_positions", "kernel_hash",
                                           "kernel_threads", "kernel_when"};

} // namespace

TEST(Workspace, is_kept_from_call_to_call_and_grows) {
  for (const std::string &program : programs) {
    build::Kernel kernel = compiled(program);
    build::Workspace workspace(kernel);
    ASSERT_TRUE(workspace.get());
    for (int threads : {1, 3, 2})
      for (std::int64_t n : {5, 1, 300, 70, 301}) {
        kernel.set_threads(threads);
        EXPECT_TRUE(Case(n).agrees(kernel, workspace.get())) << program << " of size " << n;
      }
    EXPECT_TRUE(Case(90).agrees(kernel, nullptr)) << program << " without a workspace";
    build::Workspace moved = std::move(workspace);
    EXPECT_FALSE(workspace.get());
    EXPECT_TRUE(Case(91).agrees(kernel, moved.get()));
  }
}

TEST(Workspace, each_of_several_threads_has_one) {
  for (const std::string &program : programs) {
    build::Kernel kernel = compiled(program);
    std::vector<int> good(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < good.size(); ++t)
      threads.emplace_back([&, t] {
        build::Workspace workspace(kernel);
        kernel.set_threads(2);
        for (std::int64_t n = 1; n < 40; ++n)
          good[t] += Case(7 * n).agrees(kernel, workspace.get());
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(good, std::vector<int>(4, 39)) << program;
  }
}

TEST(Workspace, there_is_none_where_the_kernel_needs_none) {
  build::Kernel kernel = compiled("kernel_spmspv");
  build::Workspace workspace(kernel);
  EXPECT_FALSE(workspace.get());
  EXPECT_FALSE(kernel.find_symbol("unravel_workspace_new"));
  EXPECT_TRUE(Case(50).agrees(kernel, workspace.get()));
}
