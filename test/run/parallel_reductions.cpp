#include "run/parallel_reductions.h"

#include <map>
#include <utility>

namespace unravel::run::test {

const std::string own_reductions =
    "operator larger(a, b) = select(abs(a) < abs(b), b, select(abs(b) < abs(a), a, max(a, b)))"
    " : on [-100, 100], associative, commutative, idempotent, identity 0; "
    "operator lower(a, b) = select(b < a, b, a)"
    " : associative, commutative, idempotent, identity inf; "
    "operator scaled_by(a, b) = a * b : associative, commutative, identity 1; ";

/// `any` gives whichever it likes: of ones, one.
const std::vector<std::string> reducing_semirings{"+.*",      "*.+",     "min.+",           "max.*",
                                                  "and.*",    "or.and",  "xor.and",         "any.pair",
                                                  "larger.+", "lower.+", "scaled_by.second"};

std::vector<Problem> parallel_reductions(const std::string &semiring) {
  std::vector<Problem> all;
  const auto add = [&](const std::string &line, const std::map<std::string, std::string> &formats,
                       const std::string &schedule) {
    all.push_back({own_reductions + line + " in " + semiring, formats, {schedule}, {}});
    if (schedule.empty()) all.back().schedules.clear();
  };
  const std::string columns = "y(j) = A(i,j) * x(i)", rows = "y(i) = A(i,j) * x(j)",
                    all_of = "s = A(i,j) * x(i)",
                    more = "y(j) " + semiring.substr(0, semiring.find('.')) + "= A(i,j) * x(i)";
  for (const std::string how : {"private", "atomic"}) {
    for (const std::string &line : {columns, more}) {
      const std::string reduce = "; reduce y by " + how;
      add(line, {{"A", "csr"}}, "parallel i" + reduce);
      add(line, {{"A", "csr"}}, "parallel i balanced" + reduce);
      add(line, {{"A", "coo"}}, "order A.p; parallel A.p static" + reduce);
      add(line, {{"A", "dcsr"}}, "order A.r, A.p; parallel A.r guided" + reduce);
      add(line, {{"A", "csr"}}, "fuse i, A.p" + reduce);
    }
    add("Y(j,r) = A(i,j) * B(i,r)", {{"A", "csr"}}, "parallel i; reduce Y by " + how);
  }
  add(columns, {{"A", "csr"}}, "fuse i, A.p");
  add(rows, {{"A", "csr"}}, "fuse i, A.p");
  add(rows, {{"A", "dcsr"}}, "fuse A.r, A.p; parallel A.r static");
  add(rows, {{"A", "csr"}}, "parallel A.p; reduce y by scalar");
  add(rows, {{"A", "csr"}}, "parallel A.p; reduce y by atomic");
  for (const std::string how : {"scalar", "atomic"})
    add(all_of, {{"A", "csr"}}, "parallel i; reduce s by " + how);
  add(all_of, {{"A", "csr"}}, "");
  add(columns, {{"A", "csr"}}, "");
  return all;
}

} // namespace unravel::run::test
