// Passes keep the effect of random programs; what is printed is read back.
#include "loop/passes.h"
#include "loop/requests.h"
#include "loop/verify.h"
#include "loop/walk.h"
#include "random_program.h"
#include "report/diagnostic.h"
#include "sanitized.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::loop;

namespace {

bool everything(const term::Term &) {
  return true;
}

const Counts few = {{"A.f", 0.25}, {"A.g", 0.25}, {"A.f.single", 1}, {"A.g.single", 1}};

bool agree(const std::vector<double> &a, const std::vector<double> &b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]))) continue;
    if (std::abs(a[k] - b[k]) > 1e-9 * std::max({1.0, std::abs(a[k]), std::abs(b[k])})) return false;
  }
  return true;
}

/// Every loop that may be, unrolled: the variables are asked for one by one.
Program unroll_all(Program program) {
  for (const std::string &variable : effects_of(program.body).declared)
    try {
      program = grant(program, {{Request::Kind::Unroll, variable, 3, false, {}}}, everything).program;
    } catch (const report::Error &error) {
      EXPECT_EQ(error.diagnostic().kind, report::Kind::not_supported) << error.what(); // a break
    }
  return program;
}

} // namespace

TEST(RandomPrograms, passes_keep_their_effect) {
  const Known facts = {everything, few};
  const AroundPass verified = [](const Pass &, const std::function<Program()> &apply) {
    Program program = apply();
    verify(program);
    return program;
  };
  std::vector<std::pair<std::string, std::function<Program(Program)>>> changes = {
      {"drop_unused",
       [](Program p) {
         p.body = drop_unused(p.body);
         return p;
       }},
      {"inline_names",
       [](Program p) {
         p.body = inline_names(p.body);
         return p;
       }},
      {"simplify_conditions",
       [](Program p) {
         p.body = simplify_conditions(p.body);
         return p;
       }},
      {"hoist, nothing known", [](Program p) { return hoist(p); }},
      {"mask_sums, nothing known", [](Program p) { return mask_sums(p); }},
      {"unroll", unroll_all},
      {"improve", [&](Program p) { return improve(p, {everything}, verified); }},
      {"improve, few entries", [&](Program p) { return improve(p, facts, verified); }},
  };
  for (const Pass &pass : passes())
    changes.emplace_back(pass.name, [&](Program p) { return pass.apply(p, facts); });
  for (unsigned seed = 0; seed < (test::is_sanitized ? 60 : 400); ++seed) {
    Program program = parse_program(test::RandomProgram(seed).text("random"));
    std::string text = to_text(program);
    ASSERT_EQ(to_text(parse_program(text)), text);
    Interpreter plain(program);
    for (const auto &[name, change] : changes) {
      Program changed = change(program);
      ASSERT_NO_THROW(verify(changed)) << "seed " << seed << ", " << name << "\n" << text << to_text(changed);
      Interpreter interpreter(changed);
      for (unsigned inputs = 0; inputs < 6; ++inputs) {
        Memory expected = test::RandomProgram::memory(inputs);
        Memory got = expected;
        plain.run(expected);
        interpreter.run(got);
        ASSERT_TRUE(agree(got.values["y.v"], expected.values["y.v"]))
            << "seed " << seed << ", inputs " << inputs << ", " << name << "\n"
            << text << to_text(changed);
      }
    }
  }
}
