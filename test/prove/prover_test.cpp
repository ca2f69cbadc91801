// Questions to the prover: verdicts, models, exports, budget.
#include "prove/prover.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace unravel::prove {
namespace {

using term::apply;
using term::at_most;
using term::between;
using term::conjunction;
using term::equal;
using term::less;
using term::negation;
using term::Term;
using term::variable;

Term v(const std::string &name) {
  return variable(name);
}
Term rowptr(const Term &r) {
  return apply("rowptr", {r});
}
Term col(const Term &p) {
  return apply("col", {p});
}

/// CSR: rowptr rises within [0, NNZ], columns rise strictly within a row.
std::vector<Axiom> csr() {
  Term r = v("r"), s = v("s"), p = v("p"), q = v("q");
  return {
      {"rowptr increases",
       {"r", "s"},
       conjunction({at_most(0, r), at_most(r, s), at_most(s, v("M"))}),
       at_most(rowptr(r), rowptr(s))},
      {"range of rowptr", {"r"}, between(0, r, v("M") + Term(1)), between(0, rowptr(r), v("NNZ") + Term(1))},
      {"columns increase within rows",
       {"r", "p", "q"},
       conjunction({between(0, r, v("M")), at_most(rowptr(r), p), less(p, q), less(q, rowptr(r + Term(1))),
                    between(0, p, v("NNZ")), between(0, q, v("NNZ"))}),
       less(col(p), col(q))}};
}

std::vector<Term> two_in_a_row() {
  Term i = v("i"), p = v("p"), q = v("q");
  return {between(0, i, v("M")), between(rowptr(i), p, rowptr(i + Term(1))),
          between(rowptr(i), q, rowptr(i + Term(1))), less(p, q)};
}

TEST(Prover, refutes_with_instances) {
  Prover prover(csr());
  std::vector<Term> question = two_in_a_row();
  question.push_back(equal(col(v("p")), col(v("q"))));
  EXPECT_EQ(prover.refute("unique", "p", question), Answer::Refuted);
  ASSERT_EQ(prover.log().size(), 1u);
  EXPECT_EQ(prover.log()[0].name, "unique");
  EXPECT_GT(prover.log()[0].instances, 0);
}

TEST(Prover, leaves_possible_what_is_possible) {
  Prover prover(csr());
  std::vector<Term> question = two_in_a_row();
  question.push_back(less(col(v("p")), col(v("q"))));
  EXPECT_EQ(prover.refute("sorted", "p", question), Answer::Possible);
}

TEST(Prover, positions_of_different_rows_are_ordered) {
  Prover prover(csr());
  Term i = v("i"), k = v("k"), p = v("p"), q = v("q");
  EXPECT_EQ(prover.refute("rows", "",
                          {between(0, i, v("M")), between(0, k, v("M")), less(i, k),
                           between(rowptr(i), p, rowptr(i + Term(1))),
                           between(rowptr(k), q, rowptr(k + Term(1))), at_most(q, p)}),
            Answer::Refuted);
}

TEST(Prover, folds_without_a_solver) {
  Prover prover({});
  EXPECT_EQ(prover.refute("fold", "", {less(v("a") + Term(1), v("a"))}), Answer::Refuted);
  EXPECT_EQ(prover.refute("fold", "", {equal(v("a"), v("b")), less(v("a"), v("b"))}), Answer::Refuted);
  EXPECT_EQ(prover.log()[1].instances, 0);
}

TEST(Prover, equal_index_terms_are_one) {
  Prover prover({});
  Term i = v("i"), k = v("k");
  // i = k + 1 and f(g(i)) != f(j) where j = g(k + 1)
  Term j = v("j");
  EXPECT_EQ(prover.refute("congruence", "",
                          {equal(i, k + Term(1)), equal(j, apply("g", {k + Term(1)})),
                           negation(equal(apply("f", {apply("g", {i})}), apply("f", {j})))}),
            Answer::Refuted);
}

TEST(Prover, floor_and_modulo_round_down) {
  Prover prover({});
  Term a = v("a");
  EXPECT_EQ(prover.refute("mod", "", {negation(between(0, modulo(a, 3), 3))}), Answer::Refuted);
  EXPECT_EQ(prover.refute("div", "", {negation(equal(a, scale(3, floor_divide(a, 3)) + modulo(a, 3)))}),
            Answer::Refuted);
  EXPECT_EQ(
      prover.refute("negative", "", {equal(a, Term(-1)), negation(equal(floor_divide(a, 3), Term(-1)))}),
      Answer::Refuted);
}

TEST(Prover, minimum_maximum_product) {
  Prover prover({});
  Term a = v("a"), b = v("b");
  EXPECT_EQ(prover.refute("min", "", {less(a, term::minimum({a, b}))}), Answer::Refuted);
  EXPECT_EQ(prover.refute("max", "", {less(term::maximum({a, b, v("c")}), b)}), Answer::Refuted);
  // Products are opaque: the same product is the same, its sign is not known.
  EXPECT_EQ(prover.refute("same", "", {negation(equal(multiply(a, b), multiply(a, b)))}), Answer::Refuted);
  EXPECT_EQ(prover.refute("sign", "", {less(multiply(a, a), 0)}), Answer::Possible);
}

TEST(Prover, bound_variables_only_in_arithmetic_use_all_index_terms) {
  // forall p, k : f(p) <= k => f(p) <= k + 1 as a useless rule, and a bound from arithmetic alone.
  Term p = v("p"), k = v("k");
  Prover prover({{"bound", {"p", "k"}, equal(k, v("N")), less(apply("f", {p}), k)}});
  // k can only be tried at index terms; N is none here, so nothing is proved ...
  EXPECT_EQ(prover.refute("none", "", {less(v("N"), apply("f", {v("x")}))}), Answer::Possible);
  // ... and here it is one.
  EXPECT_EQ(prover.refute("one", "", {less(v("N"), apply("f", {v("x")})), equal(apply("g", {v("N")}), 0)}),
            Answer::Refuted);
}

TEST(Prover, facts_without_variables) {
  Prover prover({{"start", {}, term::truth(), equal(rowptr(0), 0)}});
  EXPECT_EQ(prover.refute("start", "", {less(0, rowptr(0))}), Answer::Refuted);
  EXPECT_EQ(prover.refute("other", "", {less(0, col(0))}), Answer::Possible);
  EXPECT_EQ(prover.log()[1].instances, 0);
}

TEST(Prover, model_satisfies_the_question) {
  Prover prover(csr());
  std::vector<Term> question = two_in_a_row();
  question.push_back(equal(v("j"), col(v("q"))));
  ASSERT_EQ(prover.refute("sorted", "p", question), Answer::Possible);
  Model model = prover.model_of_last();
  struct Found : term::Environment {
    std::map<std::string, std::int64_t> values;
    std::int64_t variable(const std::string &name) const override { return values.at(name); }
    std::int64_t apply(const std::string &function, const std::vector<std::int64_t> &) const override {
      ADD_FAILURE() << "no value for an application of " << function;
      return 0;
    }
  } found;
  for (const auto &[name, value] : model.values)
    found.values[name] = value;
  // Applications are values by their text.
  for (const Term &part : question) {
    std::map<Term, Term> by;
    for (const Term &application : term::applications_of(part))
      by[application] = variable(term::to_text(application));
    EXPECT_EQ(evaluate(term::replace(part, by), found), 1) << term::to_text(part);
  }
  EXPECT_EQ(found.values.at("j"), found.values.at("col(q)"));
}

TEST(Prover, the_same_hypotheses_are_asked_once) {
  Prover prover(csr());
  std::vector<Term> possible = two_in_a_row(), refuted = two_in_a_row();
  possible.push_back(equal(v("j"), col(v("q"))));
  refuted.push_back(equal(col(v("p")), col(v("q"))));
  EXPECT_EQ(prover.refute("first", "p", possible), Answer::Possible);
  EXPECT_EQ(prover.refute("second", "p", refuted), Answer::Refuted);
  EXPECT_EQ(prover.last(), 1u);
  EXPECT_EQ(prover.refute("again", "q", possible), Answer::Possible);
  EXPECT_EQ(prover.last(), 0u);
  ASSERT_EQ(prover.log().size(), 2u);
  EXPECT_EQ(prover.log()[0].name, "first");
  // The model is that of the question meant, though the solver has seen another one since.
  std::map<std::string, std::int64_t> values;
  for (const auto &[name, value] : prover.model_of_last().values)
    values[name] = value;
  EXPECT_EQ(values.at("j"), values.at("col(q)"));
  EXPECT_LT(values.at("p"), values.at("q"));
  EXPECT_EQ(prover.refute("again", "q", refuted), Answer::Refuted);
  EXPECT_TRUE(prover.model_of_last().values.empty());
}

TEST(Prover, model_is_empty_where_nothing_was_possible) {
  Prover prover({});
  EXPECT_TRUE(prover.model_of_last().values.empty());
  prover.refute("fold", "", {term::falsity()});
  EXPECT_TRUE(prover.model_of_last().values.empty());
}

TEST(Prover, an_exhausted_budget_is_unknown) {
  Prover prover(csr(), 50);
  std::vector<Term> question = two_in_a_row();
  question.push_back(equal(col(v("p")), col(v("q"))));
  EXPECT_EQ(prover.refute("unique", "p", question), Answer::Unknown);
  // The next question is not affected.
  EXPECT_EQ(prover.refute("fold", "", {term::falsity()}), Answer::Refuted);
}

TEST(Prover, too_many_instances_are_unknown) {
  Term p = v("p"), q = v("q"), r = v("r"), s = v("s");
  auto f = [](const Term &x) { return apply("f", {x}); };
  Prover prover({{"four", {"p", "q", "r", "s"}, term::truth(), less(f(p) + f(q), f(r) + f(s) + v("N"))}});
  std::vector<Term> question;
  for (int k = 0; k < 20; ++k)
    question.push_back(less(f(v("x" + std::to_string(k))), v("y")));
  EXPECT_EQ(prover.refute("many", "", question), Answer::Unknown);
}

TEST(Prover, numbers_out_of_range_are_unknown) {
  Term a = v("a");
  std::int64_t large = std::int64_t{1} << 62;
  Prover prover({});
  EXPECT_EQ(prover.refute("large", "", {equal(a, scale(large, v("b"))), less(scale(4, a), v("c"))}),
            Answer::Unknown);
}

/// The least integer has no negative: it must not be split off a term by negating it.
TEST(Prover, the_least_integer_is_a_number) {
  Prover prover({{"f is small", {"p"}, term::truth(), at_most(apply("f", {term::variable("p")}), Term(0))}});
  Term least(INT64_MIN);
  EXPECT_NE(prover.refute("least", "", {less(Term(0), apply("f", {v("q") + least}))}), Answer::Possible);
  EXPECT_NE(prover.refute("least", "", {equal(v("q") + least, v("r"))}), Answer::Refuted);
}

TEST(Prover, smtlib_text) {
  Prover prover(csr());
  Term p = v("A.p#1"), q = v("A.p#2");
  prover.refute("O-test", "A.p", {less(p, q), equal(rowptr(p), term::minimum({q, Term(3)}))});
  std::string text = prover.smtlib(0);
  EXPECT_EQ(text.substr(0, text.find("; instances")), R"(; O-test, about A.p
; expected: sat
(set-logic QF_UFLIA)
(declare-const |A.p#1| Int)
(declare-const |A.p#2| Int)
(declare-const |M| Int)
(declare-const |NNZ| Int)
(declare-fun |rowptr| (Int) Int)
; hypotheses
(assert (>= (+ (* (- 1) |A.p#1|) |A.p#2| (- 1)) 0))
(assert (= (+ (|rowptr| |A.p#1|) (* (- 1) (ite (<= |A.p#2| 3) |A.p#2| 3))) 0))
)");
}

/// z3 the program must give the answer that the prover gave.
TEST(Prover, smtlib_is_confirmed_by_the_z3_program) {
  if (std::system("z3 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "the z3 program is not installed";
  Prover prover(csr());
  std::vector<Term> question = two_in_a_row();
  Term i = v("i"), p = v("p"), q = v("q");
  question.push_back(equal(col(p), col(q)));
  prover.refute("refuted", "p", question);
  question.back() = less(col(p), col(q));
  prover.refute("possible", "p", question);
  prover.refute("divisions", "",
                {equal(floor_divide(p, 3), modulo(q, 2) + Term(-7)), less(multiply(p, q), 0)});
  prover.refute(
      "equalities", "",
      {equal(i, p + Term(1)), equal(v("j"), col(i)), less(rowptr(v("j")), rowptr(col(p + Term(1))))});
  std::string script, expected;
  for (std::size_t k = 0; k < prover.log().size(); ++k) {
    script += prover.smtlib(k) + "(reset)\n";
    expected += prover.log()[k].answer == Answer::Refuted ? "unsat\n" : "sat\n";
  }
  std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("unravel_prove_" + std::to_string(getpid()) + ".smt2");
  std::ofstream(file) << script;
  FILE *pipe = popen(("z3 " + file.string()).c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string answers;
  char line[256];
  while (fgets(line, sizeof line, pipe))
    answers += line;
  pclose(pipe);
  std::filesystem::remove(file);
  EXPECT_EQ(answers, expected);
}

} // namespace
} // namespace unravel::prove
