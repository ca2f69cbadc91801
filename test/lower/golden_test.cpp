// Lowered programs, before the passes over loops. A golden case is a computation with formats; a new one
// needs no code. What the programs compute is tested by executing them (test/run, test/emit).
#include "find/planner.h"
#include "golden.h"
#include "loop/verify.h"
#include "lower/find_code.h"
#include "lower/lower.h"
#include "scan/scan_text.h"
#include "scan/uses.h"

#include <sstream>

namespace unravel::test {
namespace {

find::Requests requests_of(const CombinationText &text) {
  find::Requests requests;
  for (const auto &[name, method] : text.finds)
    for (plan::Method each :
         {plan::Method::Direct, plan::Method::Sequential, plan::Method::Galloping, plan::Method::Binary,
          plan::Method::Hash, plan::Method::Map, plan::Method::Scan})
      if (plan::name_of(each) == method) requests.emplace(name, each);
  return requests;
}

/// The outermost loop is run in parallel where `parallel` is set, whether or not that is right.
loop::Program lower_text(const std::string &input, bool parallel = false) {
  CombinationText text = read_combination_text(input);
  combine::Combination made = combine_text(text);
  prove::Prover prover(made.axioms);
  std::vector<plan::LeafPlan> plans;
  for (const combine::IterationSpace &leaf : made.leaves) {
    plan::LeafPlan plan;
    plan.nest = scan::scan_space(leaf, order_for(text, leaf), made.axioms, made.arrays);
    plan.finds =
        find::plan_finds(plan.nest, prover, requests_of(text), {}, scan::needs_of_positions(leaf, plan.nest));
    std::size_t outermost = 0;
    while (outermost < plan.nest.levels.size() && plan.nest.levels[outermost].kind != scan::Level::Kind::Loop)
      ++outermost;
    if (parallel && outermost < plan.nest.levels.size()) plan.parallel = outermost;
    const bool is_sum =
        std::none_of(plan.nest.levels.begin(), plan.nest.levels.end(),
                     [&](const auto &level) { return term::mentions(leaf.target.slot, level.variable); });
    plan.reduction = is_sum ? plan::Reduction::Scalar : plan::Reduction::None;
    plans.push_back(std::move(plan));
  }
  std::vector<const plan::LeafPlan *> pointers;
  for (const plan::LeafPlan &plan : plans)
    pointers.push_back(&plan);
  lower::LowerOptions options;
  options.expression = text.expression;
  return lower::lower(made, pointers, options);
}

/// The body, behind the workspace that it needs.
std::string body_of(const loop::Program &program) {
  std::string text = loop::to_text(program), body = loop::to_text(program.body);
  std::string workspace;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line != "{";)
    if (line.compare(0, 10, "workspace ") == 0) workspace += line + "\n";
  return workspace + body;
}

TEST(LowerGolden, EveryFilePrintsAsRecorded) {
  for (const std::string &name : golden_names("lower", "programs"))
    golden_run("lower", name, [](const std::string &input) { return loop::to_text(lower_text(input)); });
  golden_run("lower", "parallel", [](const std::string &input) { return body_of(lower_text(input, true)); });
  for (const std::string name : {"appended", "binary", "galloping", "scan", "maps"})
    golden_run("lower", name, [](const std::string &input) { return body_of(lower_text(input)); });
}

TEST(LowerGolden, EveryProgramIsWellFormedAndReadsBack) {
  for (const std::string &input : golden_inputs("lower", "programs"))
    for (bool parallel : {false, true}) {
      loop::Program program = lower_text(input, parallel);
      EXPECT_NO_THROW(loop::verify(program)) << input;
      EXPECT_EQ(loop::to_text(loop::parse_program(loop::to_text(program))), loop::to_text(program)) << input;
    }
}

/// The result is cleared once before the loops, unless each slot is set where the loops reach it.
TEST(LowerClear, OnlyWhereSlotsAreNotSet) {
  auto first = [](const std::string &input) { return lower_text(input).body.front().kind; };
  EXPECT_TRUE(std::holds_alternative<loop::For>(first("y(i) = A(i,j) * x(j)\n-f A=csr")));
  EXPECT_TRUE(std::holds_alternative<loop::Zero>(first("y(i) = A(i,j) * x(j)\n-f A=coo")));
  EXPECT_TRUE(std::holds_alternative<loop::Zero>(first("y(i) = A(i,j) * x(j)\n-f A=dcsr")));
  EXPECT_TRUE(std::holds_alternative<loop::Zero>(first("y(i+1) = x(i)")));
  EXPECT_TRUE(std::holds_alternative<loop::Zero>(first("y(i) = A(i,j) * x(j)\n-f A=@symmetric")));
  EXPECT_TRUE(std::holds_alternative<loop::For>(first("y(i) += A(i,j) * x(j)\n-f A=coo")));
}

/// Sizes that the computation makes equal are checked by the kernel before it does anything.
TEST(LowerPreconditions, SizesThatMustAgree) {
  loop::Program program = lower_text("C(i,j) = A(i,k) * B(k,j)\n-f A=csr\n-f B=csc");
  std::vector<std::string> formulas;
  for (const loop::Precondition &precondition : program.preconditions)
    formulas.push_back(term::to_text(precondition.formula) + ": " + precondition.message);
  EXPECT_EQ(formulas, (std::vector<std::string>{"A.N = B.M: index k runs over N of A and M of B",
                                                "A.M = C.M: index i runs over M of A and M of C",
                                                "B.N = C.N: index j runs over N of B and N of C",
                                                "A.NNZ = A.rowptr(A.M): layout csr says NNZ = rowptr(M)",
                                                "B.NNZ = B.colptr(B.N): layout csc says NNZ = colptr(N)"}));
}

/// Arrays that the kernel doesn't read may be missing; and an array that begins with the first entry's row
/// has no element in front of it.
TEST(LowerPreconditions, CountsThatArraysTell) {
  const auto conditions = [](const std::string &text) {
    std::string all;
    for (const loop::Precondition &precondition : lower_text(text).preconditions)
      if (!term::applications_of(precondition.formula).empty())
        all += term::to_text(precondition.formula) + "\n";
    return all;
  };
  EXPECT_EQ(conditions("y(i) = A(i,j) * x(j)\n-f A=bcsr<2,3>"), "A.NB = A.rowptr(floor((A.M + 1) / 2))\n");
  EXPECT_EQ(conditions("y(i) = A(i,j,k) * x(k)\n-f A=csf3"),
            "A.NF = A.rowptr(A.NR)\nA.NNZ = A.fibptr(A.NF)\n");
  EXPECT_EQ(conditions("y(i) = A(i,j) * x(j)\n-f A=coo"), "");
}

TEST(LowerParameters, ElementTypes) {
  combine::Combination made = combine_text("y(i) = A(i,j) * x(j)\n-f A=csr");
  made.bindings[1].layout.arrays[0].element = "int64"; // rowptr, whatever the option says
  plan::LeafPlan plan;
  plan.nest =
      scan::scan_space(made.leaves[0], schedule::plan_order(made.leaves[0], {}), made.axioms, made.arrays);
  lower::LowerOptions options;
  options.value = loop::ElementType::Float32;
  std::string types;
  for (const loop::TensorParameter &parameter : lower::lower(made, {&plan}, options).parameters)
    for (const loop::ArrayParameter &array : parameter.arrays)
      types += parameter.name + "." + array.name + " " + loop::name_of(array.element) + "\n";
  EXPECT_EQ(types, "y.val float32\nA.rowptr int64\nA.col int32\nA.val float32\nx.val float32\n");
}

} // namespace
} // namespace unravel::test
