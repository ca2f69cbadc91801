// Questions to Z3.
#include "prove/prover.h"

#include "prove/decide.h"
#include "prove/expression.h"
#include "prove/instances.h"
#include "prove/smtlib.h"
#include "report/diagnostic.h"
#include "text/contains.h"

#include <algorithm>
#include <optional>
#include <set>
#include <z3++.h>

namespace unravel::prove {

namespace {

/// What a literal that `decide` propagates costs of the budget.
constexpr unsigned units_per_literal = 10;

/// One Z3 context per thread, for all provers: making one costs as much as twenty questions.
std::shared_ptr<z3::context> shared_context() {
  thread_local std::shared_ptr<z3::context> context = std::make_shared<z3::context>();
  return context;
}

} // namespace

// Parts of Prover::State, which the header names: they too are in the namespace that has a name.

/// Expressions as Z3 terms, each made once.
class Translation {
public:
  Translation(const Expressions &expressions, z3::context &context) : all_(expressions), context_(context) {}
  Translation(const Translation &) = delete;
  Translation &operator=(const Translation &) = delete;
  ~Translation() {
    for (Z3_ast ast : made_)
      if (ast) Z3_dec_ref(context_, ast);
  }

  Z3_ast operator()(Id id) {
    if (made_.size() < all_.size()) made_.resize(all_.size(), nullptr);
    Z3_ast &known = made_[static_cast<std::size_t>(id)];
    if (!known) {
      z3::expr made = build(all_[id]);
      Z3_inc_ref(context_, made);
      known = made;
    }
    return known;
  }

private:
  std::vector<Z3_ast> children(const Expression &node) {
    std::vector<Z3_ast> result;
    result.reserve(node.children.size());
    for (Id child : node.children)
      result.push_back((*this)(child));
    return result;
  }

  Z3_ast number(std::int64_t value) { return Z3_mk_int64(context_, value, integers()); }
  Z3_sort integers() { return context_.int_sort(); }
  Z3_symbol symbol(const std::string &name) { return Z3_mk_string_symbol(context_, name.c_str()); }

  z3::func_decl function(const std::string &name, std::size_t arity) {
    auto at = functions_.find({name, arity});
    if (at == functions_.end()) {
      z3::sort_vector domain(context_);
      for (std::size_t k = 0; k < arity; ++k)
        domain.push_back(context_.int_sort());
      at = functions_
               .emplace(std::pair(name, arity), context_.function(name.c_str(), domain, context_.int_sort()))
               .first;
    }
    return at->second;
  }

  z3::expr hold(Z3_ast ast) { return z3::expr(context_, ast); }

  z3::expr linear(const Expression &node) {
    z3::expr_vector parts(context_);
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      z3::expr atom = hold((*this)(node.children[k]));
      parts.push_back(node.coefficients[k] == 1 ? atom : hold(number(node.coefficients[k])) * atom);
    }
    if (parts.empty()) return hold(number(node.number));
    if (node.number != 0) parts.push_back(hold(number(node.number)));
    return parts.size() == 1 ? parts[0] : z3::sum(parts);
  }

  z3::expr extreme(const Expression &node, bool smallest) {
    z3::expr best = hold((*this)(node.children[0]));
    for (std::size_t k = 1; k < node.children.size(); ++k) {
      z3::expr next = hold((*this)(node.children[k]));
      best = z3::ite(smallest ? best <= next : best >= next, best, next);
    }
    return best;
  }

  z3::expr call(const std::string &name, const Expression &node) {
    std::vector<Z3_ast> arguments = children(node);
    return hold(Z3_mk_app(context_, function(name, arguments.size()), static_cast<unsigned>(arguments.size()),
                          arguments.data()));
  }

  /// sum >= 0 as parts >= -constant: the form Z3 would rewrite it to.
  z3::expr at_least_zero(Id of) {
    const Expression &node = all_[of];
    if (node.op != Op::Linear) return hold((*this)(of)) >= 0;
    Expression parts = node;
    parts.number = 0;
    return linear(parts) >= hold(number(-node.number));
  }

  /// parts = -constant.
  z3::expr equal_zero(Id of) {
    const Expression &node = all_[of];
    if (node.op != Op::Linear) return hold((*this)(of)) == 0;
    Expression left{.op = Op::Linear, .number = node.number};
    Expression right{.op = Op::Linear};
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      Expression &side = node.coefficients[k] > 0 ? left : right;
      side.children.push_back(node.children[k]);
      side.coefficients.push_back(node.coefficients[k] > 0 ? node.coefficients[k] : -node.coefficients[k]);
    }
    return linear(left) == linear(right);
  }

  z3::expr build(const Expression &node) {
    switch (node.op) {
    case Op::Variable: return hold(Z3_mk_const(context_, symbol(all_.name(node.symbol)), integers()));
    case Op::Apply: return call(all_.name(node.symbol), node);
    case Op::FloorDivide: return hold((*this)(node.children[0])) / hold(number(node.number));
    case Op::Modulo: return z3::mod(hold((*this)(node.children[0])), hold(number(node.number)));
    case Op::Product: return call(product_name, node);
    case Op::Minimum: return extreme(node, true);
    case Op::Maximum: return extreme(node, false);
    case Op::Linear: return linear(node);
    case Op::Equal: return equal_zero(node.children[0]);
    case Op::AtLeast: return at_least_zero(node.children[0]);
    case Op::And: {
      std::vector<Z3_ast> parts = children(node);
      return hold(Z3_mk_and(context_, static_cast<unsigned>(parts.size()), parts.data()));
    }
    case Op::Or: {
      std::vector<Z3_ast> parts = children(node);
      return hold(Z3_mk_or(context_, static_cast<unsigned>(parts.size()), parts.data()));
    }
    case Op::Not: return !hold((*this)(node.children[0]));
    }
    return context_.bool_val(false);
  }

  const Expressions &all_;
  z3::context &context_;
  std::vector<Z3_ast> made_;
  std::map<std::pair<std::string, std::size_t>, z3::func_decl> functions_;
};

/// What a prover has in Z3.
class Session {
public:
  Session(const Expressions &expressions, unsigned rlimit)
      : context_(shared_context()), translation_(expressions, *context_), rlimit_(rlimit),
        solver_(make_solver()) {}

  Answer check(const Ready &ready) {
    solver_.push();
    pushed_ = true;
    for (Id formula : ready.formulas())
      Z3_solver_assert(*context_, solver_, translation_(formula));
    switch (solver_.check()) {
    case z3::unsat: return Answer::Refuted;
    case z3::sat: return Answer::Possible;
    case z3::unknown: return Answer::Unknown;
    }
    return Answer::Unknown;
  }

  /// Takes the last question back; until then its model can be asked for.
  void leave() {
    if (pushed_) solver_.pop();
    pushed_ = false;
  }

  z3::model model() const { return solver_.get_model(); }
  z3::expr term(Id id) { return z3::expr(*context_, translation_(id)); }

private:
  z3::solver make_solver() {
    z3::solver solver(*context_, z3::solver::simple());
    z3::params parameters(*context_);
    parameters.set("rlimit", rlimit_);
    parameters.set("ctrl_c", false); // a signal is the host program's, and not a question's
    // The older simplex: a quarter less time on our questions, same answers.
    parameters.set("arith.solver", 2u);
    solver.set(parameters);
    return solver;
  }

  std::shared_ptr<z3::context> context_;
  Translation translation_;
  unsigned rlimit_;
  z3::solver solver_;
  bool pushed_ = false;
};

struct Prover::State {
  State(std::vector<Axiom> given, unsigned units, std::shared_ptr<Budget> of_optional)
      : axioms(std::move(given)), rlimit(units),
        budget(of_optional ? std::move(of_optional) : std::make_shared<Budget>()),
        instances(expressions, axioms) {}

  std::vector<Axiom> axioms;
  unsigned rlimit;
  std::shared_ptr<Budget> budget;
  std::string purpose; // of optional questions; empty: questions must be asked
  Expressions expressions;
  Instances instances;
  std::unique_ptr<Session> session; // made at the first question that needs Z3
  std::vector<Question> log;
  std::map<std::vector<Id>, std::size_t> asked; // hypotheses, sorted; index in the log
  std::size_t last = 0;                         // index in the log
  std::optional<std::size_t> solved;            // the question that Z3 has a model of
  std::vector<std::pair<Id, Id>> eliminated;    // of the question that was answered last

  void ask(Question question) {
    if (!purpose.empty() && !budget->allows(purpose)) {
      last = log.size();
      log.push_back(std::move(question));
      return;
    }
    double start = cpu_milliseconds();
    try {
      std::vector<Id> hypotheses = instances.flatten(question.hypotheses);
      std::vector<Id> as_set = hypotheses;
      std::ranges::sort(as_set);
      as_set.erase(std::unique(as_set.begin(), as_set.end()), as_set.end());
      auto [known, fresh] = asked.emplace(std::move(as_set), log.size());
      last = known->second;
      if (!fresh) return;
      question.answer = answer(hypotheses, question.instances, false);
    } catch (const Overflow &) {
      last = log.size();
    }
    question.milliseconds = cpu_milliseconds() - start;
    log.push_back(std::move(question));
  }

  /// With `for_model`, Z3 is asked whatever can be seen without it.
  Answer answer(const std::vector<Id> &hypotheses, int &instance_count, bool for_model) {
    try {
      if (session) session->leave();
      solved.reset();
      Ready ready = instances.prepare(hypotheses);
      instance_count = static_cast<int>(ready.instances.size());
      eliminated = std::move(ready.eliminated);
      if (ready.contradiction) return Answer::Refuted;
      if (ready.too_many) return Answer::Unknown;
      if (!for_model)
        if (std::optional<bool> possible = decide(expressions, ready.formulas(), rlimit / units_per_literal))
          return *possible ? Answer::Possible : Answer::Refuted;
      if (!session) session = std::make_unique<Session>(expressions, rlimit);
      const Answer found = session->check(ready);
      if (found == Answer::Possible) solved = last;
      return found;
    } catch (const Overflow &) {
      return Answer::Unknown;
    } catch (const z3::exception &) {
      session.reset();
      return Answer::Unknown;
    }
  }
};

Prover::Prover(std::vector<Axiom> axioms, unsigned rlimit, std::shared_ptr<Budget> budget) {
  try {
    state_ = std::make_unique<State>(std::move(axioms), rlimit, std::move(budget));
  } catch (const Overflow &) {
    report::fail(report::Kind::number_too_large, "a number in a property doesn't fit in 64 bits");
  }
}

Prover::~Prover() = default;
Prover::Prover(Prover &&) noexcept = default;
Prover &Prover::operator=(Prover &&) noexcept = default;

Prover::Optional::Optional(Prover &prover, std::string purpose)
    : prover_(prover), outer_(std::exchange(prover.state_->purpose, std::move(purpose))) {}
Prover::Optional::~Optional() {
  prover_.state_->purpose = std::move(outer_);
}

const std::string &Prover::purpose() const {
  return state_->purpose;
}

bool Prover::may_ask() const {
  return state_->purpose.empty() || !state_->budget->is_spent();
}

Budget &Prover::budget() {
  return *state_->budget;
}

const std::vector<Axiom> &Prover::axioms() const {
  return state_->axioms;
}
const std::vector<Question> &Prover::log() const {
  return state_->log;
}

std::size_t Prover::last() const {
  return state_->last;
}

Answer Prover::refute(const std::string &name, const std::string &about,
                      const std::vector<term::Term> &hypotheses) {
  state_->ask({name, about, hypotheses, Answer::Unknown, 0, 0});
  return state_->log[state_->last].answer;
}

Answer Prover::ask_z3(std::size_t index) {
  State &state = *state_;
  report::require(index < state.log.size(), "a question that was asked");
  int instances = 0;
  state.last = index;
  return state.answer(state.instances.flatten(state.log[index].hypotheses), instances, true);
}

Model Prover::model_of_last() {
  Model model;
  State &state = *state_;
  if (state.log.empty() || state.log[state.last].answer != Answer::Possible) return model;
  const Question &question = state.log[state.last];
  if (state.solved != state.last) {
    int instances = 0;
    if (state.answer(state.instances.flatten(question.hypotheses), instances, true) != Answer::Possible)
      return model;
  }
  z3::model found = state.session->model();
  // Values are asked for in the terms that the solver saw, after the use of equalities.
  Expressions::Substitution seen(state.expressions);
  for (const auto &[variable, value] : state.eliminated)
    seen.bind(variable, value);
  auto value_of = [&](const term::Term &term) {
    z3::expr value = found.eval(state.session->term(seen(state.expressions.import(term))), true);
    std::int64_t number = 0;
    return value.is_numeral_i64(number) ? number : 0;
  };
  std::set<std::string> variables;
  std::vector<term::Term> applications;
  for (const term::Term &hypothesis : question.hypotheses) {
    variables.merge(term::variables_of(hypothesis));
    for (const term::Term &application : term::applications_of(hypothesis)) {
      bool fresh = !contains(applications, application);
      if (fresh) applications.push_back(application);
    }
  }
  for (const std::string &name : variables)
    model.values.emplace_back(name, value_of(term::variable(name)));
  for (const term::Term &application : applications)
    model.values.emplace_back(term::to_text(application), value_of(application));
  return model;
}

std::string Prover::smtlib(std::size_t index) const {
  report::require(index < state_->log.size(), "an SMT-LIB export of a question that was asked");
  const Question &question = state_->log[index];
  std::vector<Id> hypotheses;
  for (const term::Term &hypothesis : question.hypotheses)
    hypotheses.push_back(state_->expressions.import(hypothesis));
  return to_smtlib(state_->expressions, question, hypotheses,
                   state_->instances.unfolded(state_->instances.flatten(question.hypotheses)));
}

} // namespace unravel::prove
