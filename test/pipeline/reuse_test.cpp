// `reuse`: a kernel for the structure of a sparse result, another one for its values.
#include "pipeline/request_text.h"

#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::pipeline;
using namespace unravel::pipeline::test;

namespace {

const std::string all_csr = "\n-f A=csr\n-f B=csr\n-f C=csr\n-s reuse";

std::string body_of(const loop::Program &program) {
  return loop::to_text(program.body, 0);
}

} // namespace

TEST(Reuse, the_structure_of_a_product_needs_no_values) {
  const Compilation made = compile_text("C(i,j) = A(i,k) * B(k,j)" + all_csr);
  EXPECT_EQ(made.program.name, "kernel_structure");
  const std::string body = body_of(made.program);
  EXPECT_EQ(body.find(".val["), std::string::npos) << body;
  for (const loop::WorkspaceArray &array : made.program.workspace)
    EXPECT_NE(array.element, loop::ElementType::Float64) << array.name;
  EXPECT_NE(body.find("C.col("), std::string::npos) << body;
}

TEST(Reuse, the_values_of_a_product_are_scattered_and_gathered) {
  const Compilation made = compile_text("C(i,j) = A(i,k) * B(k,j)" + all_csr);
  ASSERT_TRUE(made.values);
  const loop::Program &values = made.values->program;
  EXPECT_EQ(values.name, "kernel_values");
  ASSERT_EQ(values.parameters.size(), 3U);
  EXPECT_EQ(values.parameters[0].name, "C");
  EXPECT_TRUE(values.parameters[0].has_given_arrays());
  const loop::For *rows = parallel_loop(values.body);
  ASSERT_TRUE(rows);
  EXPECT_EQ(loop::to_text(rows->body, 0), R"(# positions of A
for A.p in A.rowptr(i) .. A.rowptr(i + 1) {
  let k = A.col(A.p)
  # positions of B
  for B.p in B.rowptr(k) .. B.rowptr(k + 1) {
    w.val[B.col(B.p)] += A.val[A.p] * B.val[B.p]
  }
}
# positions of C_entries
for C.p in C.rowptr(i) .. C.rowptr(i + 1) {
  let j = C.col(C.p)
  C.val[C.p] = w.val[j]
  w.val[j] = 0
}
)");
}

TEST(Reuse, one_product_is_found_where_the_result_has_an_entry) {
  const Compilation made = compile_text("C(i,j) = A(i,j) * B(i,j)" + all_csr);
  ASSERT_TRUE(made.values);
  EXPECT_TRUE(made.values->program.parameters.size() == 3);
  EXPECT_EQ(body_of(made.values->program).find("C_entries.col"), std::string::npos);
}

TEST(Reuse, names_of_the_user_are_left_alone) {
  const Compilation made =
      compile_text("C(i,j) = A(i,j) * C_entries(i,j)\n-f A=csr\n-f C_entries=csr\n-f C=csr\n"
                   "-s reuse");
  ASSERT_TRUE(made.values);
  EXPECT_EQ(made.values->program.parameters.size(), 3U);
}

TEST(Reuse, what_it_is_not_for) {
  EXPECT_NE(message_of("y(i) = A(i,j) * x(j)\n-f A=csr\n-s reuse").find("`y` already has its structure"),
            std::string::npos);
  EXPECT_NE(message_of("C(i,j) = A(i,k) * B(k,j)\n-f A=csr\n-f B=csr\n-f C=ell\n-s reuse")
                .find("`reuse`: `C` is packed after the kernel"),
            std::string::npos);
  // Of csr it is the schedule that is in the way, and it is named.
  for (const std::string asked : {"tile i by 2", "order j, i"})
    EXPECT_NE(message_of("C(i,j) = A(i,j) + B(i,j)\n-f A=csr\n-f B=csr\n-f C=csr\n-s reuse; " + asked)
                  .find("`reuse`: with `" + asked + "` the entries of `C` come in another order"),
              std::string::npos);
  EXPECT_NE(message_of("C(i,j) = A(i,k) * B(k,j)\n-f A=csr\n-f B=csr\n-f C=ell\n-s reuse; tile i by 2")
                .find("`reuse`: `C` is packed after the kernel"),
            std::string::npos);
  EXPECT_NE(
      message_of(
          "tensor A(n, n), C(n, n); for i { for j { C(i,j) = A(i,j) * n; } }\n-f A=csr\n-f C=csr\n-s reuse")
          .find("a program can't reuse its structure"),
      std::string::npos);
  EXPECT_NE(message_of("C(i,j) = A(i,k) * B(k,j)\n-f A=csr\n-f B=csr\n-f C=coo_dup\n-s reuse")
                .find("`C` may have several entries of one coordinate"),
            std::string::npos);
  EXPECT_NE(message_of("C(i,j) = A(i,j)\n-f A=csr\n-f C=csr4\n-s reuse").find("csr4"), std::string::npos);
  EXPECT_NE(message_of("C(i,j) = A(i,j)\n-f A=csr\n-f C=csr\n-s reuse; reuse").find("twice"),
            std::string::npos);
}

namespace {

/// The program that computes the values.
std::string program_of(const std::string &text) {
  Request request = read_request_text(text);
  request.details = true;
  const Compilation made = compile(request);
  const auto stage = std::ranges::find(made.stages, "values: program", &Stage::name);
  return stage == made.stages.end() ? "none" : stage->text;
}

} // namespace

TEST(Reuse, the_values_are_those_of_a_line_at_the_results_entries) {
  EXPECT_EQ(
      program_of("C(i,j) = 2 * A(i,j) * B(i,j) in min.+\n-f A=csr fill inf\n-f B=csr fill inf\n-f C=csr fill "
                 "inf\n-s reuse"),
      "C(i, j) = 2 * A(i, j) * B(i, j) in min.+ mask C_entries(i, j)\n");
  EXPECT_EQ(program_of("C(i,j) = A(i,j) + 2 * A(j,i)\n-f A=csr\n-f C=csr\n-s reuse"),
            "C(i, j) = A(i, j) + 2 * A(j, i) mask C_entries(i, j)\n");
  EXPECT_EQ(program_of("C(i,j) = A(i,k) * B(k,j)" + all_csr), R"(for i {
  let w(j) = 0;
  for k {
    for j {
      w(j) += A(i, k) * B(k, j);
    }
  }
  for j {
    C(i, j) = w(j) mask C_entries(i, j);
  }
}
)");
}
