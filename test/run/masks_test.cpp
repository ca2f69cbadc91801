// Masks, and values that are computed where an operand isn't stored, by the interpreter.
#include "run/sweep.h"

#include <gtest/gtest.h>

namespace unravel::run::test {

namespace {

void check_all(std::vector<Problem> problems) {
  leave_out_other_formats(problems);
  std::mt19937_64 random(22);
  check_each_on_small_inputs(problems, 6, random);
}

} // namespace

TEST(Masks, on_small_inputs) {
  std::vector<Problem> problems;
  auto add = [&](const std::string &line, const std::map<std::string, std::string> &formats) {
    problems.push_back({line, formats, {}, {}});
  };
  for (const char *mask : {"M(i,j)", "!M(i,j)", "not M(i,j) and i < j", "M(i,j) or N(i,j)",
                           "not (M(i,j) and N(i,j))", "i = j or M(i,j) and not N(i,j)"})
    for (const char *line : {"C(i,j) = A(i,j)", "C(i,j) = A(i,k) * B(k,j)", "y(i) = A(i,j) * x(j)",
                             "y(i) = A(i,j) * x(j) in min.+", "C(i,j) = A(i,j) - B(i,j)"})
      for (const char *layout : {"csr", "csc", "dcsr", "ell"}) {
        const std::string all = line + std::string(" mask ") + mask;
        add(all, {{"A", "csr"}, {"B", "csr"}, {"M", layout}, {"N", "csr"}});
        if (layout == std::string("csr"))
          add(all, {{"A", "csc"}, {"B", "csr"}, {"M", layout}, {"N", "dcsr"}, {"C", "csr"}});
      }
  for (const char *layout : {"sv", "hash_vector<4>"})
    for (const char *mask : {"!v(i)", "v(i)", "!v(j)", "v(i) or v(j)", "!v(i+1)"})
      add(std::string("y(i) = A(i,j) * x(j) mask ") + mask, {{"A", "csr"}, {"v", layout}});
  for (const char *layout : {"symmetric_csr", "dia", "coo_dup"})
    add("C(i,j) = A(i,j) * B(i,j) mask !M(i,j)", {{"A", "csr"}, {"M", layout}});
  for (const char *layout : {"csr", "dcsr", "coo"}) // the mask's structure
    for (const char *line :
         {"D(i,j) = A(i,k) * B(k,j) mask M(i,j)", "D(i,j) = max(A(i,j), B(i,j)) mask M(i,j)",
          "D(i,j) = A(i,j) mask M(i,j) and !N(i,j)"})
      add(line, {{"A", "csr"}, {"B", "csr"}, {"M", layout}, {"N", "csr"}, {"D", "like:M"}});
  for (const char *program : {"for i { for j { y(i) += A(i,j) * x(j) mask !M(i,j); } }",
                              "for i { let s = 0; for j { s += A(i,j) mask i != j and !M(i,j); } y(i) = s; }",
                              "for i { for j { C(i,j) = 2 mask M(i,j); } }"})
    for (const char *layout : {"csr", "coo"})
      add(program, {{"A", "csr"}, {"M", layout}});
  check_all(std::move(problems));
}

/// Where a row isn't among the first K, its pointers aren't read.
TEST(Masks, look_behind_what_keeps_reads_inside_arrays) {
  std::vector<Problem> problems;
  for (const char *line : {"y(i) = max(A(i,j), x(j))", "y(i) = B(i,j) mask !A(i,j)",
                           "C(i,j) = B(i,j) mask A(i,j)", "y(i) = max(A(i,j), B(i,j))"})
    for (const char *find : {"", "A.p=binary", "A.p=seq", "A.p=scan"})
      for (const char *schedule : {"", "order i"}) {
        Problem problem{line, {{"A", "@unusual/csr_head"}, {"B", "csr"}}, {}, {}};
        if (*schedule) problem.schedules = {schedule};
        if (*find) problem.finds = {find};
        problems.push_back(problem);
      }
  check_all(std::move(problems));
}

/// Whether an entry is stored is asked at each point; how often doesn't matter.
TEST(Masks, may_be_stored_several_times) {
  std::vector<Problem> problems;
  for (const char *line :
       {"C(i,j) = A(i,j) mask M(i,j)", "C(i,j) = A(i,k) * B(k,j) mask M(i,j)",
        "y(i) = A(i,j) * x(j) mask M(i,j)", "y(i) max= A(i,j) mask M(i,j) and not N(i,j)",
        "C(i,j) = A(i,j) mask M(i,j) or i < j", "C(i,j) = 2 mask M(i,j)", "y(i) = M(i,j) mask M(i,j)",
        "y(i) = A(i,j) mask M(j,i)", "C(i,j) = A(i,j) mask M(i,j) and M(j,i)",
        "for i { for j { y(i) += A(i,j) * x(j) mask M(i,j); } }",
        "for i { let s = 0; for j { s max= A(i,j) mask M(i,j); } y(i) = s; }"})
    for (const char *layout : {"coo_dup", "@csr_any", "@csr_weak"}) {
      problems.push_back({line, {{"A", "csr"}, {"B", "csr"}, {"M", layout}, {"N", "csr"}}, {}, {}});
      if (layout == std::string("coo_dup"))
        problems.push_back(
            {line, {{"A", "csr"}, {"B", "csr"}, {"M", layout}, {"N", "csr"}, {"C", "csr"}}, {}, {}});
    }
  check_all(std::move(problems));
}

/// Products are added without asking the mask: an entry is where one was, also if they cancel or are zeros.
TEST(Masks, of_assembled_products) {
  std::vector<Problem> problems;
  for (const char *line :
       {"C(i,j) = A(i,k) * B(k,j) mask M(i,j)", "C(i,j) = -1 * A(i,k) * B(k,j) mask M(i,j)",
        "C(i,j) = A(i,k) * B(k,j) in plus.pair mask M(i,j)",
        "C(i,j) = A(i,k) * B(k,j) in plus.first mask M(i,j)", "C(i,j) = A(i,k) * B(k,j) in min.+ mask M(i,j)",
        "C(i,j) = A(i,k) * B(k,j) in or.and mask M(i,j)", "C(i,j) = A(i,k) * B(k,j) mask M(i,j) and i < j",
        "C(i,j) = A(i,k) * B(k,j) mask M(i,j) and !N(i,j)", "C(i,j) = A(i,k) * B(k,j) mask M(i,j) and N(i,k)",
        "C(i,j) = A(i,k) * B(k,j) mask M(j,i)", "C(i,j) = A(i,j) + B(i,k) * A(k,j) mask M(i,j)",
        "C(i,j) = A(i,k) * x(k) * B(k,j) mask M(i,j)"})
    for (const char *type : {"", " f32", " int8"})
      for (const char *layout : {"csr", "csc"}) {
        // What isn't stored is an int8's inf there, which the comparison takes for the number 127.
        if (std::string(line).find("min.+") != std::string::npos && type == std::string(" int8")) continue;
        const std::string csr = std::string("csr") + type;
        problems.push_back({line,
                            {{"A", csr},
                             {"B", layout + std::string(type)},
                             {"M", csr},
                             {"N", csr},
                             {"x", std::string("dense") + type},
                             {"C", csr}},
                            {},
                            {}});
      }
  problems.push_back({"C(i,j) = A(i,k) * B(k,j) mask M(i,j)",
                      {{"A", "csc"}, {"B", "csc"}, {"M", "csc"}, {"C", "csc"}},
                      {},
                      {}});
  problems.push_back({"C(i,j) = A(i,k) * B(k,j) mask M(i,j)",
                      {{"A", "dcsr"}, {"B", "csr"}, {"M", "dcsr"}, {"C", "dcsr"}},
                      {},
                      {}});
  problems.push_back({"C(i,j) = A(i,k) * B(k,j) mask M(i,j)",
                      {{"A", "csr"}, {"B", "csr"}, {"M", "csr"}, {"C", "csr"}, {"w", "listed"}},
                      {},
                      {}});
  check_all(std::move(problems));
}

TEST(Unions, on_small_inputs) {
  std::vector<Problem> problems;
  auto add = [&](const std::string &line, const std::map<std::string, std::string> &formats) {
    problems.push_back({line, formats, {}, {}});
  };
  for (const char *value : {"max(A(i,j), B(i,j))", "min(A(i,j), B(i,j)) * D(i,j)", "abs(A(i,j) - B(i,j))",
                            "max(A(i,j), B(i,j), D(i,j))", "select(A(i,j) > B(i,j), A(i,j), 2 * B(i,j))"})
    for (const char *layout : {"csr", "csc", "dcsr", "dense"})
      for (const char *result : {"dense", "csr", "coo"})
        add(std::string("C(i,j) = ") + value, {{"A", "csr"}, {"B", layout}, {"D", "csr"}, {"C", result}});
  for (const char *line : // computed at all points, or wherever a factor is stored
       {"y(i) = (A(i,j) < 1)", "y(i) max= A(i,j) + x(j)", "C(i,j) = max(A(i,j), 0.5)",
        "C(i,j) = D(i,j) * (A(i,j) < 1)", "y(i) = x(j) * (A(i,j) = 0)", "y(i) min= max(A(i,j), B(i,j))"})
    for (const char *layout : {"csr", "csc", "dcsr", "ell", "coo_dup", "symmetric_csr"}) {
      if (line == std::string("y(i) min= max(A(i,j), B(i,j))") && layout == std::string("coo_dup")) continue;
      add(line, {{"A", layout}, {"B", "csr"}, {"D", "csr"}});
    }
  for (const char *program :
       {"for i { for j { C(i,j) = max(A(i,j), B(i,j)); } }", "for i { for j { y(i) += (A(i,j) < 1); } }",
        "for i { for j { let a = max(A(i,j), 0.5); y(i) += a / D(i,i); } }"})
    add(program, {{"A", "csr"}, {"B", "csc"}, {"D", "csr"}});
  check_all(std::move(problems));
}

} // namespace unravel::run::test
