// The explanation of every case of docs/find-synthesis, as a golden file each.
#include "cases.h"
#include "golden.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::find::test {
namespace {

/// Which plans are explained. Each is a golden file of its name.
struct Explained {
  std::string file;
  const Case *of = nullptr;
  Requests requests;
};

std::vector<Explained> all_explained() {
  std::vector<Explained> all;
  for (const Case &each : all_cases()) {
    std::string file = "case_" + each.name;
    std::replace(file.begin(), file.end(), ' ', '_');
    all.push_back({file, &each, {}});
  }
  // One per template that is only taken when it is asked for, or for another reason than its cost.
  for (Method method : {Method::Galloping, Method::Binary, Method::Hash, Method::Scan})
    all.push_back({"case_7_by_" + name_of(method), &case_named("7"), {{"B", method}}});
  all.push_back({"case_12b_by_walk", &case_named("12b"), {{"B.p", Method::Sequential}}});
  return all;
}

std::string explanation(const Explained &each) {
  prove::Prover prover(each.of->axioms);
  FindPlan plan = plan_finds(each.of->nest, prover, each.requests);
  return fmt::format("{}: {}\n\n{}{}\n{}", each.of->name, each.of->what, to_text(each.of->nest),
                     unravel::test::golden_dashes, to_text(plan, each.of->nest));
}

TEST(FindExplanations, of_every_case) {
  std::vector<std::string> files;
  for (const Explained &each : all_explained()) {
    files.push_back(each.file);
    unravel::test::golden_check("find", each.file, explanation(each));
  }
  std::sort(files.begin(), files.end());
  EXPECT_EQ(unravel::test::golden_names("find", "case_"), files) << "a golden file of no case";
}

} // namespace
} // namespace unravel::find::test
