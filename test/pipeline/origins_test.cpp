// What statements of a kernel were made for, from the nest to the lines of C, past all passes.
#include "loop/walk.h"
#include "pipeline.h"

#include <gtest/gtest.h>

namespace unravel::test {
namespace {

using loop::Origin;

std::vector<pipeline::Request> requests() {
  const std::string spmv = "y(i) = A(i,j) * x(j)";
  auto request = [](const std::string &expression, std::map<std::string, std::string> formats,
                    std::vector<std::string> schedules = {}, std::vector<std::string> finds = {}) {
    pipeline::Request made;
    made.expression = expression;
    made.formats = std::move(formats);
    made.schedules = std::move(schedules);
    made.finds = std::move(finds);
    return made;
  };
  return {request(spmv, {{"A", "csr"}}),
          request(spmv, {{"A", "csr"}, {"x", "sv"}}),
          request(spmv, {{"A", "csr"}, {"x", "sv"}}, {}, {"x=seq"}),
          request(spmv, {{"A", "dcsr"}}, {"tile i by 4; tile j by 8"}),
          request(spmv, {{"A", "symmetric_csr"}}),
          request(spmv, {{"A", "bcsr:4,4"}}),
          request(spmv, {{"A", "dia"}}),
          request("s = A(i,j) * B(i,j)", {{"A", "csr"}, {"B", "csr"}}),
          request("Y(i,r) = A(i,j) * B(j,r)", {{"A", "csr"}}),
          request("for i { let w(j) = 0; for j { w(j) += A(i,j) * x(j); } for j { w(j) += B(i,j); } for j { "
                  "y(i) += w(j) * w(j); } }",
                  {{"A", "csr"}, {"B", "dcsr"}, {"x", "sv"}, {"w", "listed"}}),
          request("tensor L(n, n), b(n), x(n); for i in [0, n) { let s = b(i); for j in [0, i) { s -= L(i,j) "
                  "* x(j); } x(i) = s / L(i,i); }",
                  {{"L", "csr"}})};
}

const scan::Nest &nest_of(const pipeline::Compilation &compilation, const Origin &origin) {
  const plan::LeafPlan &plan = compilation.leaves.at(static_cast<std::size_t>(origin.leaf)).plan;
  if (origin.plan == 0) return plan.nest;
  return plan.alternatives.at(static_cast<std::size_t>(origin.plan) - 1).plan.nest;
}

/// The level's variable; empty of what is done at each point and of the choice of a plan.
std::string variable_of(const pipeline::Compilation &compilation, const Origin &origin) {
  const scan::Nest &nest = nest_of(compilation, origin);
  const auto level = static_cast<std::size_t>(origin.level);
  return origin.level == lower::choice_of_plan || level == nest.levels.size()
             ? ""
             : nest.levels.at(level).variable;
}

/// Is the variable that of some level?
bool is_level(const pipeline::Compilation &compilation, const std::string &variable) {
  for (const pipeline::Leaf &leaf : compilation.leaves)
    for (const scan::Level &level : leaf.plan.nest.levels)
      if (level.variable == variable) return true;
  return false;
}

TEST(Origins, StatementsKnowTheirLevels) {
  for (const pipeline::Request &request : requests()) {
    SCOPED_TRACE(request.expression);
    const pipeline::Compilation compilation = pipeline::compile(request);
    std::size_t loops = 0;
    loop::each_statement(compilation.program.body, [&](const loop::Statement &statement) {
      EXPECT_TRUE(std::is_sorted(statement.origins.begin(), statement.origins.end()));
      auto has = [&](const std::string &variable) {
        return std::any_of(statement.origins.begin(), statement.origins.end(), [&](const Origin &origin) {
          return variable_of(compilation, origin) == variable;
        });
      };
      const std::string text = loop::to_text(loop::Block{statement});
      if (const auto *x = std::get_if<loop::For>(&statement.kind); x && is_level(compilation, x->variable)) {
        ++loops;
        EXPECT_TRUE(has(x->variable)) << text;
      }
      if (const auto *x = std::get_if<loop::Intersect>(&statement.kind)) {
        ++loops;
        EXPECT_TRUE(has(x->first.variable)) << text;
      }
      if (const auto *x = std::get_if<loop::Merge>(&statement.kind)) {
        ++loops;
        for (const loop::MergedRange &merged : x->ranges)
          EXPECT_TRUE(has(merged.range.variable)) << text;
      }
      if (const auto *x = std::get_if<loop::Let>(&statement.kind); x && is_level(compilation, x->variable)) {
        EXPECT_TRUE(has(x->variable)) << text;
      }
      if (std::holds_alternative<loop::While>(statement.kind) ||
          std::holds_alternative<loop::Declare>(statement.kind)) {
        EXPECT_FALSE(statement.origins.empty()) << text;
      }
      const auto *test = std::get_if<loop::If>(&statement.kind);
      for (const term::Term &part : test ? term::conjuncts(test->condition) : std::vector<term::Term>())
        for (std::size_t leaf = 0; leaf < compilation.leaves.size(); ++leaf)
          for (const scan::Level &level : compilation.leaves[leaf].plan.nest.levels)
            if (std::find(level.guards.begin(), level.guards.end(), part) != level.guards.end()) {
              EXPECT_FALSE(statement.origins.empty()) << text;
            }
    });
    EXPECT_GT(loops, 0u);
  }
}

/// The same lines as without, and each statement's are where they are written.
TEST(Origins, LinesOfC) {
  for (const pipeline::Request &request : requests()) {
    SCOPED_TRACE(request.expression);
    const pipeline::Compilation compilation = pipeline::compile(request);
    std::string text;
    std::size_t linked = 0;
    for (const emit::Line &line : emit::emit_lines(compilation.program)) {
      text += line.text + "\n";
      linked += !line.origins.empty();
      EXPECT_TRUE(line.of_kernel || line.origins.empty()) << line.text;
      for (const Origin &origin : line.origins)
        variable_of(compilation, origin); // there is such a level
    }
    EXPECT_EQ(text, emit::emit_c(compilation.program));
    EXPECT_GT(linked, 4u);
  }
}

std::string line_of(const pipeline::Compilation &compilation, const std::string &part) {
  for (const emit::Line &line : emit::emit_lines(compilation.program))
    if (line.text.find(part) != std::string::npos) {
      std::string levels;
      for (const Origin &origin : line.origins)
        levels +=
            (levels.empty() ? "" : " ") + variable_of(compilation, origin) + (line.behind ? " end" : "");
      return line.text + " : " + levels;
    }
  return "no line has " + part;
}

TEST(Origins, OfSpmv) {
  pipeline::Request request;
  request.expression = "y(i) = A(i,j) * x(j)";
  request.formats = {{"A", "csr"}};
  const pipeline::Compilation compilation = pipeline::compile(request);
  EXPECT_EQ(line_of(compilation, "for (int64_t i ="), "  for (int64_t i = 0; i < M; i++) { : i");
  EXPECT_EQ(line_of(compilation, "#pragma omp parallel for").substr(0, 24), "#pragma omp parallel for");
  EXPECT_EQ(line_of(compilation, "int kernel("),
            "int kernel(dense_vector *y, const csr *A, const dense_vector *x) { : ");
}

} // namespace
} // namespace unravel::test
