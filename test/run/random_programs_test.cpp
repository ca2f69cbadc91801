// Random computations, each in every form that it has: index notation, a program, C. All forms must compute
// what a dense evaluation of the loops does.
#include "cfront/cfront.h"
#include "run/dense_program.h"
#include "run/sweep.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <set>
#include <unistd.h>

namespace unravel::run::test {

namespace {

using Kind = DenseStatement::Kind;

/// A computation: the loops, and index notation where it has such.
struct Sample {
  DenseProgram program;
  std::string notation;
  std::map<std::string, std::string> formats;
};

template <class T> const T &one_of(const std::vector<T> &of, std::mt19937_64 &random) {
  return of[random() % of.size()];
}

struct Variable {
  std::string name, size;
  bool has_next = false, has_previous = false; // plus or minus one it lies in its range, too
};

struct Scope {
  std::vector<Variable> variables;
  std::vector<std::string> locals;
};

class Generator {
public:
  explicit Generator(std::mt19937_64 &random) : random_(random) {
    is_square_ = chance(50);
    for (const char *tensor : {"A", "B", "E", "C"})
      shapes()[tensor] = {size(), size()};
    for (const char *tensor : {"x", "v", "b", "c", "d", "y", "z"})
      shapes()[tensor] = {size()};
    shapes()["T"] = {size(), size(), size()};
    shapes()["a"] = shapes()["g"] = shapes()["t"] = {};
    for (const char *matrix : {"A", "B", "E"})
      made_.formats[matrix] = matrix_layout();
    for (const char *vector : {"x", "v"})
      made_.formats[vector] =
          chance(30) ? one_of(std::vector<std::string>{"bitmap", "hash_vector<2>"}) : one_of(vectors());
    made_.formats["T"] = one_of(literature_tensors());
    if (chance(20)) made_.formats["C"] = "dense<1,0>";
  }

  /// Statements in loops.
  Sample loops() {
    left_ = 1 + random_() % 5;
    std::size_t tries = 0;
    while (left_ > 0 && ++tries < 20)
      append(made_.program.statements, {}, 0);
    if (tensors_of(made_.program, true).empty())
      made_.program.statements.push_back(assigned({"t", {}}, "+=", number()));
    return finished();
  }

  /// An assignment in index notation, and loops that say the same.
  Sample assignment() {
    Scope all;
    for (const char *name : {"i", "j", "k"})
      all.variables.push_back(variable(name));
    DenseAccess target{"t", {}};
    for (int tries = 0; tries < 4 && target.tensor == "t"; ++tries)
      if (auto one = access(one_of(std::vector<std::string>{"y", "z", "C"}), all))
        if (occurs_once(*one)) target = *one;
    const Value value = sum(all, 0);
    const bool adds = chance(30);
    std::string right = notation(value);
    if (right.starts_with("(")) right = right.substr(1, right.size() - 2);
    made_.notation = notation(target) + (adds ? " += " : " = ") + right;
    std::vector<DenseStatement> terms;
    if (!adds) terms.push_back(assigned(target, "=", {}));
    for (auto &[minus, term] : multiplied_out(value))
      terms.push_back(assigned(target, minus ? "-=" : "+=", std::move(term)));
    std::set<std::string> around = variables_of(target);
    if (chance(50)) { // the target's loops are shared
      std::vector<DenseStatement> body;
      for (DenseStatement &term : terms)
        body.push_back(in_loops({std::move(term)}, around));
      made_.program.statements = {in_loops(std::move(body), {}, around)};
    } else {
      for (DenseStatement &term : terms)
        made_.program.statements.push_back(in_loops({std::move(term)}, {}, around));
    }
    return finished();
  }

private:
  std::map<std::string, std::vector<std::string>> &shapes() { return made_.program.shapes; }
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  template <class T> const T &one_of(const std::vector<T> &of) { return test::one_of(of, random_); }
  std::string size() { return is_square_ ? "n" : one_of(std::vector<std::string>{"n", "m", "l"}); }

  std::string matrix_layout() {
    std::vector<std::string> all = shipped_matrices();
    for (const auto *more : {&literature_matrices(), &odd_matrices()})
      all.insert(all.end(), more->begin(), more->end());
    if (is_square_) all.insert(all.end(), literature_squares().begin(), literature_squares().end());
    return one_of(all);
  }

  Variable variable(const std::string &name) const {
    const std::map<std::string, std::string> sizes = {{"i", "n"}, {"j", "m"}, {"k", "l"}, {"h", "n"}};
    return {name, is_square_ ? "n" : sizes.at(name)};
  }

  static bool occurs_once(const DenseAccess &access) {
    return variables_of(access).size() == access.subscripts.size();
  }

  static std::set<std::string> variables_of(const DenseAccess &access) {
    std::set<std::string> names;
    for (const Affine &subscript : access.subscripts)
      names.insert(subscript.variable);
    return names;
  }

  static std::set<std::string> variables_of(const Value &value) {
    std::set<std::string> names = variables_of(value.access);
    for (const Value &part : value.parts)
      names.merge(variables_of(part));
    return names;
  }

  Sample finished() {
    std::vector<std::string> used = tensors_of(made_.program);
    std::erase_if(made_.formats, [&](const auto &format) {
      return std::find(used.begin(), used.end(), format.first) == used.end();
    });
    return made_;
  }

  /// A tensor at variables of the scope.
  std::optional<DenseAccess> access(const std::string &tensor, const Scope &scope) {
    DenseAccess made{tensor, {}};
    for (const std::string &mode : shapes().at(tensor)) {
      std::vector<Variable> fitting;
      for (const Variable &each : scope.variables)
        if (each.size == mode) fitting.push_back(each);
      if (fitting.empty()) return std::nullopt;
      const Variable &chosen = one_of(fitting);
      Affine subscript{"", chosen.name};
      if (chosen.has_next && chance(40)) subscript.shift = 1;
      if (chosen.has_previous && chance(40)) subscript.shift = -1;
      if (in_loops_ && chance(4)) subscript = {chosen.size, chosen.name, -1, -1};
      made.subscripts.push_back(subscript);
    }
    return made;
  }

  DenseAccess access_of_one(const std::vector<std::string> &tensors, const char *otherwise,
                            const Scope &scope) {
    for (int tries = 0; tries < 6; ++tries)
      if (auto made = access(one_of(tensors), scope)) return *made;
    return {otherwise, {}};
  }

  static Value of(DenseAccess access) {
    Value value;
    value.kind = Value::Kind::Access;
    value.access = std::move(access);
    return value;
  }

  Value number() {
    Value value;
    value.number = one_of(std::vector<double>{1, 2, 3, 0.5});
    return value;
  }

  Value factor(const Scope &scope, int depth) {
    if (chance(10)) return number();
    if (depth < 1 && chance(15)) return sum(scope, depth + 1);
    std::vector<std::string> tensors = {"b", "a", "b", "c"};
    if (!only_dense_) tensors = {"A", "A", "A", "B", "B", "E", "T", "x", "x", "v", "b", "a"};
    if (in_loops_ && chance(15)) tensors = {"y", "z", "C", "t"};
    if (!scope.locals.empty() && chance(40)) tensors = scope.locals;
    DenseAccess made = access_of_one(tensors, "a", scope);
    return made.tensor == not_read_ ? number() : of(std::move(made));
  }

  Value term(const Scope &scope, int depth) {
    Value product;
    product.kind = Value::Kind::Product;
    // No more than three accesses in a product, which may be in blocks: compiling takes its time.
    for (std::size_t factors = depth > 0 ? 1 : 1 + random_() % 3; factors > 0; --factors)
      product.parts.push_back(factor(scope, depth));
    if (!chance(15)) return product.parts.size() == 1 ? product.parts.front() : product;
    Value quotient;
    quotient.kind = Value::Kind::Quotient;
    quotient.parts = {product, divisor(scope)};
    return quotient;
  }

  Value divisor(const Scope &scope) {
    return chance(20) ? number() : of(access_of_one({"d", "g"}, "g", scope));
  }

  Value sum(const Scope &scope, int depth) {
    Value made;
    made.kind = Value::Kind::Sum;
    for (std::size_t terms = 1 + (depth > 0) + random_() % 3 / (1 + depth); terms > 0; --terms) {
      made.parts.push_back(term(scope, depth));
      made.subtracted.push_back(chance(30));
    }
    return made;
  }

  /// As a sum of products, perhaps divided; true: a term is subtracted.
  static std::vector<std::pair<bool, Value>> multiplied_out(const Value &value) {
    std::vector<std::pair<bool, Value>> terms;
    if (value.kind == Value::Kind::Sum) {
      for (std::size_t k = 0; k < value.parts.size(); ++k)
        for (auto &[minus, term] : multiplied_out(value.parts[k]))
          terms.emplace_back(minus != value.subtracted[k], std::move(term));
    } else if (value.kind == Value::Kind::Product) {
      Value product;
      product.kind = Value::Kind::Product;
      terms = {{false, product}};
      for (const Value &part : value.parts) {
        std::vector<std::pair<bool, Value>> longer;
        for (const auto &[minus, term] : terms)
          for (auto &[other_minus, factor] : multiplied_out(part)) {
            longer.emplace_back(minus != other_minus, term);
            longer.back().second.parts.push_back(std::move(factor));
          }
        terms = std::move(longer);
      }
    } else if (value.kind == Value::Kind::Quotient) {
      terms = multiplied_out(value.parts[0]);
      for (auto &[minus, term] : terms) {
        Value quotient = value;
        quotient.parts[0] = std::move(term);
        term = std::move(quotient);
      }
    } else {
      terms = {{false, value}};
    }
    return terms;
  }

  static DenseStatement assigned(DenseAccess target, const char *operation, Value value) {
    DenseStatement made;
    made.target = std::move(target);
    made.operation = operation;
    made.value = std::move(value);
    return made;
  }

  /// In loops, in any order, over the variables of what is assigned and `more`, but for `outside`.
  DenseStatement in_loops(std::vector<DenseStatement> body, const std::set<std::string> &outside,
                          std::set<std::string> more = {}) {
    if (body.front().kind == Kind::Assignment && body.size() == 1)
      more.merge(variables_of(body.front().value));
    std::vector<std::string> names;
    for (const std::string &name : more)
      if (!outside.contains(name)) names.push_back(name);
    std::shuffle(names.begin(), names.end(), random_);
    for (const std::string &name : names) {
      DenseStatement loop;
      loop.kind = Kind::Loop;
      loop.variable = name;
      loop.low = {};
      loop.high = {variable(name).size, ""};
      loop.body = std::move(body);
      body = {std::move(loop)};
    }
    if (body.size() == 1) return body.front();
    DenseStatement all; // of a scalar target: a condition that holds
    all.kind = Kind::If;
    all.condition = {{{}, "=", {}}};
    all.body = std::move(body);
    return all;
  }

  // Of loops.

  void append(std::vector<DenseStatement> &body, const Scope &scope, int depth) {
    in_loops_ = true;
    const std::uint64_t choice = random_() % 100;
    if (depth < 3 && choice < (depth == 0 ? 70u : 35u)) return append_loop(body, scope, depth);
    if (depth > 0 && choice < 48) return append_condition(body, scope, depth);
    if (choice >= 85) return append_local(body, scope, depth);
    append_assignment(body, scope);
  }

  void append_body(std::vector<DenseStatement> &body, Scope scope, int depth) {
    for (std::size_t statements = 1 + random_() % 3; statements > 0 && left_ > 0; --statements)
      append(body, scope, depth);
    if (body.empty()) append_assignment(body, scope);
  }

  void append_loop(std::vector<DenseStatement> &body, const Scope &scope, int depth) {
    std::vector<Variable> fresh;
    for (const char *name : {"i", "j", "k", "h"})
      if (std::none_of(scope.variables.begin(), scope.variables.end(),
                       [&](const Variable &each) { return each.name == name; }))
        fresh.push_back(variable(name));
    Variable chosen = one_of(fresh);
    DenseStatement loop;
    loop.kind = Kind::Loop;
    loop.variable = chosen.name;
    loop.high = {chosen.size, ""};
    std::vector<Variable> others;
    for (const Variable &each : scope.variables)
      if (each.size == chosen.size) others.push_back(each);
    if (chance(10)) {
      chosen.has_previous = true;
      loop.low.shift = 1;
    } else if (chance(10)) {
      chosen.has_next = true;
      loop.high.shift = -1;
    } else if (!others.empty() && chance(25)) {
      (chance(50) ? loop.low : loop.high) = {"", one_of(others).name, 1, static_cast<int>(random_() % 2)};
    }
    Scope inside = scope;
    inside.variables.push_back(chosen);
    append_body(loop.body, inside, depth + 1);
    body.push_back(std::move(loop));
  }

  void append_condition(std::vector<DenseStatement> &body, const Scope &scope, int depth) {
    DenseStatement made;
    made.kind = Kind::If;
    Scope inside = scope;
    made.is_any = chance(15);
    const std::vector<std::string> relations = {"<", "<=", ">", ">=", "=", "!="};
    for (std::size_t comparisons = 1 + random_() % 2; comparisons > 0; --comparisons) {
      Variable &one = inside.variables[random_() % inside.variables.size()];
      if (!made.is_any && chance(30)) {
        one.has_next = true;
        made.condition.push_back({{"", one.name, 1, 1}, "<", {one.size, ""}});
      } else if (chance(50)) {
        made.condition.push_back(
            {{"", one.name}, one_of(relations), {"", "", 1, static_cast<int>(random_() % 3)}});
      } else {
        made.condition.push_back(
            {{"", one.name},
             one_of(relations),
             {"", one_of(scope.variables).name, 1, static_cast<int>(random_() % 3) - 1}});
      }
    }
    append_body(made.body, inside, depth);
    body.push_back(std::move(made));
  }

  void append_local(std::vector<DenseStatement> &body, const Scope &scope, int depth) {
    DenseStatement made;
    made.kind = Kind::Local;
    made.target.tensor = fmt::format("{}{}", chance(50) ? "s" : "w", ++locals_);
    Scope inside = scope;
    for (std::size_t mode = 0; mode < (made.target.tensor[0] == 's' ? 0u
                                       : depth < 2 && chance(20)    ? 2u
                                                                    : 1u);
         ++mode) {
      Variable index{fmt::format("e{}", mode), size()};
      shapes()[made.target.tensor].push_back(index.size);
      made.target.subscripts.push_back({"", index.name});
      inside.variables.push_back(index);
    }
    shapes()[made.target.tensor];
    if (!made.target.subscripts.empty() && chance(70))
      made_.formats[made.target.tensor] = one_of(std::vector<std::string>{"listed", "hashed", "bitmap"});
    only_dense_ = !made.target.subscripts.empty() && chance(95);
    if (chance(60)) made.value = sum(inside, 1);
    only_dense_ = false;
    body.push_back(std::move(made));
    inside = scope;
    inside.locals.push_back(body.back().target.tensor);
    left_ = std::max<std::size_t>(left_, 1);
    append_body_behind(body, inside, depth);
  }

  /// In the scope of a local: the rest of the body.
  void append_body_behind(std::vector<DenseStatement> &body, const Scope &scope, int depth) {
    for (std::size_t statements = 1 + random_() % 3; statements > 0 && left_ > 0; --statements)
      append(body, scope, depth);
  }

  void append_assignment(std::vector<DenseStatement> &body, const Scope &scope) {
    left_ -= left_ > 0;
    DenseAccess target = !scope.locals.empty() && chance(40)
                             ? access_of_one(scope.locals, "t", scope)
                             : access_of_one({"y", "z", "C", "C", "y", "t"}, "t", scope);
    const std::uint64_t choice = random_() % 100;
    if (choice < 4) return body.push_back(assigned(target, "/=", divisor(scope)));
    if (choice < 10) return body.push_back(assigned(target, "*=", term(scope, 1)));
    // A sum with sparse factors is added up term by term: it may not set an element twice, nor read it.
    if (chance(95)) not_read_ = target.tensor;
    const bool is_set_once = variables_of(target).size() == scope.variables.size();
    only_dense_ = choice < 35 && !is_set_once && chance(95);
    Value value = chance(15) ? number() : sum(scope, 0);
    body.push_back(assigned(target, choice < 35 ? "=" : choice < 85 ? "+=" : "-=", std::move(value)));
    not_read_.clear(), only_dense_ = false;
  }

  std::mt19937_64 &random_;
  Sample made_;
  bool is_square_ = false, in_loops_ = false, only_dense_ = false;
  std::string not_read_; // a tensor
  std::size_t left_ = 0; // statements that may be added
  int locals_ = 0;
};

/// A form of a sample that is accepted.
struct Form {
  Problem problem;
  Compiled compiled;
};

/// What the loops compute of a case; nothing where numbers grow too large.
std::optional<std::map<std::string, check::Reference>> computed(const Sample &sample, const PackedCase &one) {
  std::map<std::string, check::Reference> tensors;
  for (const auto &[name, coordinates] : one.coordinates) {
    check::Reference &dense = tensors[name] = {coordinates.shape, data::to_dense(coordinates), {}};
    for (double value : dense.value)
      dense.magnitude.push_back(std::abs(value));
  }
  evaluate(sample.program, one.sizes.indices, tensors);
  for (const auto &[name, tensor] : tensors)
    for (double magnitude : tensor.magnitude)
      if (!(magnitude < 1e200)) return std::nullopt;
  return tensors;
}

/// All forms compute the same of a case as the loops. False where not.
bool check_case(const Sample &sample, PackedCase one, const std::vector<Form> &forms, int threads,
                std::size_t &runs) {
  const auto expected = computed(sample, one);
  if (!expected) return true;
  const std::string first = forms.front().compiled.first_result();
  const bool ok = check::compare(one.expected.value, expected->at(first), 1e-12).ok;
  EXPECT_TRUE(ok) << "the reference evaluator's " << first << " of " << program_text(sample.program);
  one.expected = expected->at(first);
  for (auto &[name, reference] : one.further)
    reference = expected->at(name);
  for (const Form &form : forms)
    if (++runs; !form.compiled.check(one, threads)) return false;
  return ok;
}

std::size_t deepest(const std::vector<DenseStatement> &statements) {
  std::size_t depth = 0;
  for (const DenseStatement &statement : statements)
    depth = std::max(depth, deepest(statement.body) + (statement.kind == Kind::Loop) +
                                (statement.kind == Kind::Local ? statement.target.subscripts.size() : 0));
  return depth;
}

/// False where a form is refused for another reason than a limit, or computes something else.
bool check_sample(const Sample &sample, std::mt19937_64 &random, std::map<std::string, int> &refused,
                  std::size_t &runs) {
  std::vector<Form> forms;
  std::string why;
  auto add = [&](const char *name, const Problem &problem) {
    try {
      forms.push_back({problem, Compiled(problem)});
    } catch (const report::Error &error) {
      EXPECT_TRUE(is_limit(error)) << error.what();
      why += fmt::format(" {}: {} [{}]", name, error.diagnostic().message,
                         report::name_of(error.diagnostic().kind));
    }
  };
  const Problem program{program_text(sample.program), sample.formats, {}, {}};
  SCOPED_TRACE(program.text() + "\n" + sample.notation + "\n" + c_text(sample.program));
  add("program", program);
  if (!sample.notation.empty()) add("notation", {sample.notation, sample.formats, {}, {}});
  if (cfront::is_available()) {
    const std::string file = fmt::format("{}unravel_random_program_{}.c", testing::TempDir(), getpid());
    std::ofstream(file) << c_text(sample.program);
    Problem in_c{c_text(sample.program), sample.formats, {}, {}};
    in_c.from = file + ":f";
    add("C", in_c);
  }
  if (!why.empty()) ++refused[fmt::format("{} accepted;{}", forms.size(), why)];
  if (testing::Test::HasFailure()) return false;
  if (forms.empty()) return true;
  if (!check_on_small_inputs(Interpreted(one_of(forms, random).problem), 3, true, random, runs)) return false;
  const Packer packer(program);
  const std::size_t depth = deepest(sample.program.statements);
  for (Sizes sizes : sizes_of_all_kinds(packer.front().computation)) {
    for (auto &[name, size] : sizes.indices) // teams of threads in inner loops take their time
      size = std::min<std::int64_t>(size, depth < 2 ? 70 : depth < 3 ? 24 : 8);
    if (std::any_of(sizes.indices.begin(), sizes.indices.end(), [](auto &size) { return size.second < 0; }))
      continue;
    std::optional<PackedCase> one = packer.draw(sizes, random);
    if (one && !check_case(sample, std::move(*one), forms, 1 + static_cast<int>(runs % 3), runs))
      return false;
  }
  return !testing::Test::HasFailure();
}

} // namespace

TEST(RandomPrograms, every_form_computes_what_the_loops_say) {
  std::size_t runs = 0, samples = 0;
  std::map<std::string, int> refused;
  const char *seed = std::getenv("UNRAVEL_TEST_SEED");
  const std::uint64_t first = seed ? std::strtoull(seed, nullptr, 10) : 0;
  for (std::uint64_t number = 0; number < (take_all() ? 2000u : 30u); ++number) {
    std::mt19937_64 random(first + number);
    Generator generator(random);
    const Sample sample = number % 3 == 0 ? generator.assignment() : generator.loops();
    ++samples;
    ASSERT_TRUE(check_sample(sample, random, refused, runs)) << "seed " << first + number;
  }
  for (const auto &[reason, count] : refused)
    std::cout << count << " x " << reason << "\n";
  std::cout << samples << " programs, " << runs << " runs\n";
  EXPECT_GT(runs, 30 * samples);
}

} // namespace unravel::run::test
