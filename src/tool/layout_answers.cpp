#include "tool/layout_answers.h"

#include "find/plan.h"
#include "pipeline.h"
#include "prove/world.h"
#include "report/diagnostic.h"
#include "tensor/pack_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

namespace unravel::tool {

using term::Term;
using Verdict = Answer::Verdict;

namespace {

/// The name of the second of two positions or coordinates.
std::string second(const std::string &name) {
  return name + "'";
}

Term renamed(const Term &formula, const std::vector<std::string> &names) {
  term::Substitution by;
  for (const std::string &name : names)
    by.emplace(name, term::variable(second(name)));
  return term::substitute(formula, by);
}

/// Questions about two entries of a layout.
class Questions {
public:
  explicit Questions(const layout::Layout &layout) : layout_(layout), prover_(layout.axioms()) {
    for (const layout::Array &array : layout.arrays)
      if (!array.is_value) extents_.emplace(array.name, array.extents);
  }

  Answer functional() {
    for (const layout::Piece &piece : layout_.pieces)
      for (const std::string &coordinate : layout_.coordinates) {
        std::vector<Term> hypotheses = term::conjuncts(piece.relation);
        add(hypotheses, renamed(piece.relation, layout_.coordinates));
        hypotheses.push_back(term::less(term::variable(coordinate), term::variable(second(coordinate))));
        if (is_refuted("functional", hypotheses)) continue;
        return by_example(hypotheses, [&](const prove::World &world) {
          return fmt::format("position {} has the coordinates {} and {}",
                             tuple(world, piece.positions, false), tuple(world, layout_.coordinates, false),
                             tuple(world, layout_.coordinates, true));
        });
      }
    return {Verdict::Yes, "proved, no position has two coordinates"};
  }

  Answer injective() {
    for (std::size_t a = 0; a < layout_.pieces.size(); ++a)
      for (std::size_t b = a; b < layout_.pieces.size(); ++b) {
        std::optional<Answer> failed = overlap(a, b);
        if (failed) return *failed;
      }
    return {Verdict::Yes, "proved, no coordinate has two positions"};
  }

private:
  static void add(std::vector<Term> &hypotheses, const Term &formula) {
    for (const Term &part : term::conjuncts(formula))
      hypotheses.push_back(part);
  }

  bool is_refuted(const std::string &name, const std::vector<Term> &hypotheses) {
    return prover_.refute(name, layout_.name, hypotheses) == prove::Answer::Refuted;
  }

  /// Have two positions of these pieces one coordinate?
  std::optional<Answer> overlap(std::size_t a, std::size_t b) {
    const layout::Piece &first = layout_.pieces[a], &last = layout_.pieces[b];
    std::vector<Term> both = term::conjuncts(first.relation);
    add(both, renamed(last.relation, last.positions));
    // Within a piece: different in some position, equal in those before it; which is which doesn't matter.
    std::size_t cases = a == b ? first.positions.size() : 1;
    for (std::size_t k = 0; k < cases; ++k) {
      std::vector<Term> hypotheses = both;
      if (a == b) {
        const std::string &position = first.positions[k];
        hypotheses.push_back(term::less(term::variable(position), term::variable(second(position))));
        for (std::size_t before = 0; before < k; ++before)
          hypotheses.push_back(term::equal(term::variable(first.positions[before]),
                                           term::variable(second(first.positions[before]))));
      }
      if (is_refuted("injective", hypotheses)) continue;
      return by_example(hypotheses, [&](const prove::World &world) {
        std::string of_pieces = a == b ? "" : fmt::format(" of the pieces {} and {}", a + 1, b + 1);
        return fmt::format("positions {} and {}{} both have the coordinate {}",
                           tuple(world, first.positions, false), tuple(world, last.positions, true),
                           of_pieces, tuple(world, layout_.coordinates, false));
      });
    }
    return std::nullopt;
  }

  static std::string tuple(const prove::World &world, const std::vector<std::string> &names, bool primed) {
    std::vector<std::string> parts;
    for (const std::string &name : names)
      parts.push_back(fmt::format("{} = {}", name, world.variable(primed ? second(name) : name)));
    return fmt::format("({})", fmt::join(parts, ", "));
  }

  /// No, where there are small arrays that show it; they have all stated properties.
  template <class Sentence> Answer by_example(const std::vector<Term> &hypotheses, Sentence sentence) const {
    std::vector<std::string> names;
    for (const layout::Array &array : layout_.arrays)
      if (!array.is_value) names.push_back(array.name);
    std::optional<prove::World> world = prove::small_world(prover_.axioms(), hypotheses, extents_, names);
    if (!world) return {Verdict::Unknown, "neither proved nor a small example found"};
    std::string arrays;
    for (const std::string &name : names)
      if (auto found = world->arrays.find(name); found != world->arrays.end())
        arrays += fmt::format("{} = [{}], ", name, fmt::join(found->second.values, ", "));
    if (!arrays.empty()) arrays.replace(arrays.size() - 2, 2, ": ");
    return {Verdict::No, "as with " + arrays + sentence(*world)};
  }

  const layout::Layout &layout_;
  prove::Prover prover_;
  prove::Extents extents_;
};

void plan_packing(const layout::Layout &layout, LayoutAnswers &answers) {
  try {
    tensor::PackPlan plan = tensor::plan_packing(layout);
    answers.plan = tensor::to_text(plan, layout);
    std::string checked;
    for (std::size_t property : plan.checked)
      checked += fmt::format("{}`{}`", checked.empty() ? "" : ", ", layout.properties[property].axiom.text);
    answers.packable = {Verdict::Yes,
                        checked.empty() ? "from coordinates" : "where the result satisfies " + checked};
  } catch (const report::Error &error) {
    if (error.diagnostic().kind != report::Kind::cannot_pack) throw;
    answers.packable = {Verdict::No, error.diagnostic().message};
  }
}

/// The layout as `-f T=` names it.
std::string text_of(const layout::Layout &layout, const parse::LayoutReference &reference) {
  std::string text = reference.file.empty() ? reference.name : reference.file + ":" + layout.base_name;
  if (!reference.parameters.empty()) text += fmt::format("<{}>", fmt::join(reference.parameters, ","));
  return text;
}

/// All orders of the coordinates, of more than three the first and the last one.
std::vector<std::vector<std::string>> orders_of(const layout::Layout &layout) {
  std::vector<std::vector<std::string>> result;
  std::vector<std::size_t> modes(layout.order());
  std::iota(modes.begin(), modes.end(), std::size_t{0});
  do {
    bool last = std::is_sorted(modes.rbegin(), modes.rend());
    if (modes.size() > 3 && !result.empty() && !last) continue;
    std::vector<std::string> &order = result.emplace_back();
    for (std::size_t mode : modes)
      order.push_back(layout.coordinates[mode]);
  } while (std::next_permutation(modes.begin(), modes.end()));
  return result;
}

/// The tensor that is accessed; no coordinate has such a name.
const std::string accessed = "T_";

/// Which methods are proved for each position that has to be found for `s = T(i, j)`, looped over in an
/// order.
std::vector<FindAnswer> finds_by(const layout::Layout &layout, const std::string &format,
                                 const std::vector<std::string> &order) {
  pipeline::Request request;
  request.expression = fmt::format("{0}s = {0}({1})", accessed, fmt::join(layout.coordinates, ", "));
  request.formats = {{accessed, format}};
  if (!order.empty()) request.schedules = {fmt::format("order {}; serial", fmt::join(order, ", "))};
  request.trust = true; // ranges that weren't proved were reported
  std::vector<FindAnswer> result;
  try {
    pipeline::Compilation compilation = pipeline::compile(request);
    for (const pipeline::Leaf &leaf : compilation.leaves)
      for (const find::LevelPlan &level : leaf.plan.finds.levels) {
        const std::string &variable = leaf.plan.nest.levels[level.level].variable;
        FindAnswer answer{order, variable.substr(variable.find('.') + 1), {}, ""};
        for (find::Method method :
             {find::Method::Direct, find::Method::Map, find::Method::Sequential, find::Method::Galloping,
              find::Method::Binary, find::Method::Hash, find::Method::Scan})
          if (find::plan_finds_by(leaf.plan.nest, *compilation.prover, {{variable, method}}, {}))
            answer.methods.push_back(find::name_of(method));
        result.push_back(std::move(answer));
      }
    if (result.empty()) result.push_back({order, "", {}, ""});
  } catch (const report::Error &error) {
    result = {{order, "", {}, error.diagnostic().message}};
  }
  return result;
}

const char *text_of(Verdict verdict) {
  switch (verdict) {
  case Verdict::Yes: return "yes";
  case Verdict::No: return "no";
  case Verdict::Unknown: break;
  }
  return "unknown";
}

nlohmann::json json_of(const Answer &answer) {
  return {{"verdict", text_of(answer.verdict)}, {"why", answer.why}};
}

} // namespace

LayoutAnswers answers_of(const layout::Layout &layout, const parse::LayoutReference &reference) {
  LayoutAnswers answers;
  Questions questions(layout);
  answers.functional = questions.functional();
  answers.injective = questions.injective();
  plan_packing(layout, answers);
  for (const std::vector<std::string> &order : orders_of(layout))
    for (FindAnswer &answer : finds_by(layout, text_of(layout, reference), order))
      answers.finds.push_back(std::move(answer));
  return answers;
}

std::string to_text(const LayoutAnswers &answers) {
  std::string text;
  auto line = [&](const std::string &name, const std::string &rest) {
    text += fmt::format("  {:<11} {}\n", name, rest);
  };
  auto answer = [&](const std::string &name, const Answer &one) {
    line(name, fmt::format("{}{}{}", text_of(one.verdict), one.why.empty() ? "" : ": ", one.why));
  };
  answer("functional", answers.functional);
  answer("injective", answers.injective);
  answer("packable", answers.packable);
  for (const FindAnswer &find : answers.finds) {
    std::string name = find.order.empty() ? "lookup" : fmt::format("by {}", fmt::join(find.order, ", "));
    if (!find.refused.empty())
      line(name, "no such loop order: " + find.refused);
    else if (find.position.empty())
      line(name, "every position follows from the coordinates");
    else
      line(name, fmt::format("{} by {}", find.position, fmt::join(find.methods, ", ")));
  }
  return text;
}

nlohmann::json to_json(const LayoutAnswers &answers) {
  nlohmann::json finds = nlohmann::json::array();
  for (const FindAnswer &find : answers.finds)
    finds.push_back({{"order", find.order},
                     {"position", find.position.empty() ? nlohmann::json() : nlohmann::json(find.position)},
                     {"methods", find.methods},
                     {"refused", find.refused.empty() ? nlohmann::json() : nlohmann::json(find.refused)}});
  nlohmann::json packable = json_of(answers.packable);
  packable["plan"] = answers.plan.empty() ? nlohmann::json() : nlohmann::json(answers.plan);
  return {{"functional", json_of(answers.functional)},
          {"injective", json_of(answers.injective)},
          {"packable", packable},
          {"finds", finds}};
}

} // namespace unravel::tool
