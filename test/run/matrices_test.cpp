// The main job on real matrices: those of the folder UNRAVEL_DATA, or of the sibling folder of the sources;
// on generated ones where there is none. By default small files first, until the time is up; all of them with
// UNRAVEL_TEST_ALL=1.
#include "data/tensor_file.h"
#include "odd_layouts.h"
#include "places.h"
#include "report/diagnostic.h"
#include "run/problem.h"
#include "run/session.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <iostream>

using namespace unravel;
using namespace unravel::run::test;

namespace {

struct Matrix {
  std::string input; // as after -i A=
  std::uintmax_t bytes = 0;
};

std::filesystem::path data_folder() {
  if (const char *path = std::getenv("UNRAVEL_DATA")) return path;
  return std::filesystem::path(unravel::test::source_folder()) / "../shared/data";
}

/// Smallest files first.
std::vector<Matrix> matrices() {
  std::vector<Matrix> found;
  if (!std::filesystem::is_directory(data_folder())) {
    std::cout << "no folder " << data_folder() << ": generated matrices instead\n";
    for (const char *generated : {"poisson2d:20x20", "rmat:scale=9,edges=6,seed=3", "fem:300,block=3,seed=4",
                                  "hypersparse:20000,rows=50,edges=3,seed=5", "banded:400,width=3,seed=6",
                                  "random:90x40,density=0.1,seed=7"})
      found.push_back({generated, 0});
    return found;
  }
  for (const auto &entry : std::filesystem::directory_iterator(data_folder())) {
    std::string name = entry.path().filename().string();
    if (name.find(".mtx") == std::string::npos) continue;
    // Compressed text is about four times as long.
    found.push_back({entry.path().string(), entry.file_size() * (name.ends_with(".gz") ? 4 : 1)});
  }
  std::sort(found.begin(), found.end(), [](const Matrix &a, const Matrix &b) { return a.bytes < b.bytes; });
  return found;
}

struct Command {
  std::string expression;
  std::map<std::string, std::string> formats, inputs;
};

/// The four commands of the main job; "FILE" stands for the matrix.
std::vector<Command> commands() {
  std::vector<Command> all;
  for (const char *layout : {"csr", "csc", "coo", "dcsr", "@csr_once"}) {
    all.push_back({"y(i) = A(i,j) * x(j)", {{"A", layout}}, {{"A", "FILE"}, {"x", "random"}}});
    all.push_back({"y(i) = A(i,j) * x(j)",
                   {{"A", layout}, {"x", "sv"}},
                   {{"A", "FILE"}, {"x", "random,density=0.01"}}});
  }
  for (const char *first : {"csr", "coo", "dcsr"})
    for (const char *second : {"csr", "coo", "dcsr"})
      all.push_back({"s = A(i,j) * B(i,j)", {{"A", first}, {"B", second}}, {{"A", "FILE"}, {"B", "FILE"}}});
  for (const char *second : {"csr", "csc", "dense"})
    all.push_back(
        {"C(i,j) = A(i,k) * B(k,j)", {{"A", "csr"}, {"B", second}}, {{"A", "FILE"}, {"B", "THIN"}}});
  return all;
}

run::Request request_of(const Command &command, const Matrix &matrix,
                        const std::vector<std::int64_t> &shape) {
  run::Request request;
  request.compile.expression = command.expression;
  for (const auto &[tensor, layout] : command.formats)
    request.compile.formats[tensor] = unravel::test::layout_reference(layout);
  for (const auto &[tensor, input] : command.inputs) {
    request.inputs[tensor] = input == "FILE" ? matrix.input : input;
    if (input == "THIN")
      request.inputs[tensor] = "random:" + std::to_string(shape[1]) + "x" +
                               std::to_string(std::min<std::int64_t>(shape[1], 20)) + ",density=0.2,seed=3";
  }
  request.check = true;
  request.threads = 2;
  return request;
}

} // namespace

TEST(Matrices, the_main_job) {
  auto begin = std::chrono::steady_clock::now();
  auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::size_t runs = 0, left = 0;
  for (const Matrix &matrix : matrices()) {
    if (!take_all() && (seconds() > 8 || matrix.bytes > 1'000'000)) {
      ++left;
      continue;
    }
    std::vector<std::int64_t> shape{0, 0};
    for (const Command &command : commands()) {
      if (command.expression[0] == 'C' && shape[0] > 200'000) continue;
      run::Request request = request_of(command, matrix, shape);
      std::string text = "'" + command.expression + "'";
      for (const auto &[tensor, layout] : command.formats)
        text += " -f " + tensor + "=" + layout;
      for (const auto &[tensor, input] : request.inputs)
        text += " -i " + tensor + "=" + input;
      SCOPED_TRACE(text);
      try {
        run::Report report = run::run(request);
        ++runs;
        shape = report.shapes.at("A");
        ASSERT_TRUE(report.comparison.has_value());
        EXPECT_TRUE(report.comparison->ok)
            << report.comparison->bad_elements << " elements are wrong: expected "
            << report.comparison->expected.number() << ", got " << report.comparison->got.number();
      } catch (const report::Error &error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
  std::cout << runs << " runs in " << seconds() << " s";
  if (left) std::cout << "; " << left << " matrices are left for UNRAVEL_TEST_ALL=1";
  std::cout << "\n";
  EXPECT_GT(runs, 20u);
}

// Rows that have the same columns are done at once where they are long, by the data's counts
// (loop/group_rows.cpp, group_appended.cpp): results that are appended, in any number of threads.
TEST(Matrices, rows_with_the_same_columns) {
  std::size_t together = 0;
  for (const char *layout : {"csr", "csc", "coo", "@csr_once", "@csr_from_one"})
    for (const auto &[input, threads] :
         {std::pair("fem:3700,block=3,seed=4", 3), {"fem:2003,block=6,seed=5", 1}}) {
      run::Request request;
      request.compile.expression = "C(i,j) = A(i,k) * B(k,j)";
      const std::string operand = std::string(layout) == "csc" ? "csc" : "csr";
      request.compile.formats = {
          {"A", operand}, {"B", operand}, {"C", unravel::test::layout_reference(layout)}};
      request.inputs = {{"A", input}, {"B", input}};
      request.check = true;
      request.threads = threads;
      const run::Report report = run::run(request);
      ASSERT_TRUE(report.comparison.has_value());
      EXPECT_TRUE(report.comparison->ok)
          << layout << " " << input << ": " << report.comparison->bad_elements << " elements are wrong";
      together +=
          report.c_text.find("rows with the same columns are done at once") != std::string::npos ? 1 : 0;
    }
  EXPECT_GE(together, 8u); // not where pointers are something else than where rows begin
}
