#include "tool/layout_answers.h"

#include "find/planner.h"
#include "layout/insertion.h"
#include "packing/pack_plan.h"
#include "pipeline.h"
#include "prove/world.h"
#include "report/diagnostic.h"
#include "show/facts.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

namespace unravel::tool {

using term::Term;
using Verdict = Answer::Verdict;

namespace {

constexpr const char *not_tried = "not tried, since the budget was spent";

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
  Questions(const layout::Layout &layout, const std::shared_ptr<prove::Budget> &budget)
      : layout_(layout), prover_(layout.axioms(), prove::default_rlimit, budget),
        optional_(prover_, "whether entries have one place") {
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
  template <class Sentence> Answer by_example(const std::vector<Term> &hypotheses, Sentence sentence) {
    if (!prover_.budget().allows("small examples")) return {Verdict::Unknown, not_tried};
    std::vector<std::string> names;
    for (const layout::Array &array : layout_.arrays)
      if (!array.is_value) names.push_back(array.name);
    std::optional<prove::World> world = prove::small_world(prover_.axioms(), hypotheses, extents_, names);
    if (!world) return {Verdict::Unknown, "not proved, and no small counterexample found"};
    std::string arrays;
    for (const std::string &name : names)
      if (auto found = world->arrays.find(name); found != world->arrays.end())
        arrays += fmt::format("{} = [{}], ", name, fmt::join(found->second.values, ", "));
    if (!arrays.empty()) arrays.replace(arrays.size() - 2, 2, ": ");
    return {Verdict::No, "as with " + arrays + sentence(*world)};
  }

  const layout::Layout &layout_;
  prove::Prover prover_;
  prove::Prover::Optional optional_;
  prove::Extents extents_;
};

/// Properties are quoted as they were written, perhaps over several lines.
std::string on_one_line(const std::string &text) {
  std::string result;
  for (char c : text) {
    bool space = c == ' ' || c == '\n';
    if (!space || result.empty() || result.back() != ' ') result += space ? ' ' : c;
  }
  return result;
}

/// The message, without its start.
std::string reason_of(const report::Error &error, const std::string &start) {
  std::string why = error.diagnostic().message;
  if (why.starts_with(start)) why.erase(0, start.size());
  return on_one_line(why);
}

void plan_packing(const layout::Layout &layout, LayoutAnswers &answers) {
  try {
    packing::PackPlan plan = packing::plan_packing(layout);
    answers.plan = packing::to_text(plan, layout);
    std::string checked;
    for (std::size_t property : plan.checked)
      checked += fmt::format("{}`{}`", checked.empty() ? "" : ", ",
                             on_one_line(layout.properties[property].axiom.text));
    answers.packable = {Verdict::Yes,
                        checked.empty() ? "from coordinates" : "where the result satisfies " + checked};
  } catch (const report::Error &error) {
    if (error.diagnostic().kind != report::Kind::cannot_pack) throw;
    answers.packable = {
        Verdict::No,
        reason_of(error, fmt::format("coordinates can't be packed into layout `{}`: ", layout.name))};
  }
}

/// Can entries be inserted in any order, as into a local tensor?
Answer insertable(const layout::Layout &layout) {
  try {
    const layout::Insertion insertion = layout::insertion_of(layout);
    if (insertion.sets.empty()) return {Verdict::Yes, "every entry has a place"};
    if (insertion.repeats())
      return {Verdict::Yes,
              fmt::format("each entry is a new one, at {} = {}", insertion.position, insertion.count)};
    std::string how = fmt::format("unless `{}`", term::to_text(insertion.stored));
    if (!insertion.count.empty()) how += fmt::format(", at {} = {}", insertion.position, insertion.count);
    return {Verdict::Yes, how};
  } catch (const report::Error &error) {
    if (error.diagnostic().kind != report::Kind::cannot_insert) throw;
    return {Verdict::No, reason_of(error, fmt::format("entries can't be inserted into a `{}` in any order: ",
                                                      layout.name))};
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
  std::vector<std::size_t> modes(layout.order());
  std::iota(modes.begin(), modes.end(), std::size_t{0});
  std::vector<std::vector<std::string>> result;
  auto add = [&] {
    std::vector<std::string> &order = result.emplace_back();
    for (std::size_t mode : modes)
      order.push_back(layout.coordinates[mode]);
  };
  if (modes.size() > 3) {
    add();
    std::ranges::reverse(modes);
    add();
    return result;
  }
  do
    add();
  while (std::next_permutation(modes.begin(), modes.end()));
  return result;
}

/// The tensor that is accessed; no coordinate has such a name, nor those of dense vectors, D0_ and so on.
const std::string accessed = "T_";

/// `T_(i, j) * D0_(i) * D1_(j)`: the vectors give the coordinates.
std::string looked_up(const std::vector<std::string> &coordinates) {
  std::string product = fmt::format("{}({})", accessed, fmt::join(coordinates, ", "));
  for (std::size_t k = 0; k < coordinates.size(); ++k)
    product += fmt::format(" * D{}_({})", k, coordinates[k]);
  return product;
}

/// A position of the tensor as its layout names it; other names as they are.
std::string own_name(const std::string &variable) {
  std::string start = accessed + ".";
  return variable.rfind(start, 0) == 0 ? variable.substr(start.size()) : variable;
}

/// Which methods are proved for each position that has to be found where the coordinates are looped over in
/// an order.
OrderAnswer finds_by(const layout::Layout &layout, const std::string &format,
                     const std::vector<std::string> &order, prove::Budget &budget) {
  pipeline::Request request;
  request.expression = "S_ = " + looked_up(layout.coordinates);
  request.formats = {{accessed, format}};
  if (!order.empty()) request.schedules = {fmt::format("order {}; serial", fmt::join(order, ", "))};
  request.trust = true; // ranges that weren't proved were reported
  request.budget = budget.seconds_left();
  OrderAnswer result{order, {}, ""};
  const std::string purpose = fmt::format("ways to find positions by {}", fmt::join(order, ", "));
  if (!budget.allows(purpose)) {
    result.tried = false;
    return result;
  }
  try {
    pipeline::Compilation compilation = pipeline::compile(request);
    const prove::Prover::Optional optional(*compilation.prover, purpose);
    for (std::size_t piece = 0; piece < compilation.leaves.size(); ++piece) {
      const scan::Nest &nest = compilation.leaves[piece].plan.nest;
      for (const scan::Level &level : nest.levels) // positions that are all tried
        if (level.is_loop() && own_name(level.variable) != level.variable)
          result.finds.push_back({piece, own_name(level.variable), {plan::name_of(plan::Method::Scan)}, {}});
      for (const plan::LevelPlan &level : compilation.leaves[piece].plan.finds.levels) {
        const std::string &variable = nest.levels[level.level].variable;
        if (own_name(variable) == variable) continue; // of another tensor
        FindAnswer answer{piece, own_name(variable), {}, {}};
        for (plan::Method method :
             {plan::Method::Direct, plan::Method::Probe, plan::Method::Map, plan::Method::Sequential,
              plan::Method::Galloping, plan::Method::Binary, plan::Method::Hash, plan::Method::Scan}) {
          auto plan = find::plan_finds_by(nest, *compilation.prover, {{variable, method}}, {});
          if (!plan) continue;
          answer.methods.push_back(plan::name_of(method));
          for (const plan::LevelPlan &other : plan->levels)
            if (other.level == level.level && method == plan::Method::Sequential)
              for (const std::string &outer : other.walk()->state)
                answer.walk_per.push_back(own_name(outer));
        }
        result.finds.push_back(std::move(answer));
      }
    }
    if (!compilation.prover->budget().left_out().empty()) budget.leave_out(purpose);
  } catch (const report::Error &error) {
    if (report::category_of(error.diagnostic().kind) == report::Category::Bug) throw;
    result.refused = error.diagnostic().message;
  }
  return result;
}

/// The finds of an order in a line.
std::string text_of(const OrderAnswer &answer) {
  if (!answer.tried) return not_tried;
  if (!answer.refused.empty()) return "no such loop order: " + answer.refused;
  if (answer.finds.empty()) return "every position follows from the coordinates";
  bool pieces = answer.finds.back().piece > 0;
  std::string text;
  for (const FindAnswer &find : answer.finds) {
    text += fmt::format("{}{}{} by ", text.empty() ? "" : "; ", find.position,
                        pieces ? fmt::format(" (piece {})", find.piece + 1) : "");
    std::string methods;
    for (const std::string &method : find.methods) {
      methods += (methods.empty() ? "" : ", ") + method;
      if (method == "sequential" && !find.walk_per.empty())
        methods += fmt::format(" (a walk per {})", fmt::join(find.walk_per, ", "));
    }
    text += methods;
  }
  return text;
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

LayoutAnswers answers_of(const layout::Layout &layout, const parse::LayoutReference &reference,
                         double seconds) {
  LayoutAnswers answers;
  auto budget = std::make_shared<prove::Budget>(seconds);
  Questions questions(layout, budget);
  answers.functional = questions.functional();
  answers.injective = questions.injective();
  plan_packing(layout, answers);
  answers.insertable = insertable(layout);
  for (const std::vector<std::string> &order : orders_of(layout))
    answers.orders.push_back(finds_by(layout, text_of(layout, reference), order, *budget));
  answers.not_tried = budget->left_out();
  return answers;
}

std::string to_text(const LayoutAnswers &answers) {
  std::vector<std::pair<std::string, std::string>> lines; // of orders: the same answers in one line
  for (const OrderAnswer &one : answers.orders) {
    std::string name = one.order.empty() ? "lookup" : fmt::format("by {}", fmt::join(one.order, ", "));
    lines.emplace_back(name, text_of(one));
  }
  bool same = std::ranges::all_of(lines, [&](auto &line) { return line.second == lines[0].second; });
  if (same && lines.size() > 1) lines = {{"any order", lines[0].second}};
  std::size_t width = std::string("functional").size();
  for (const auto &[name, rest] : lines)
    width = std::max(width, name.size());
  std::string text;
  auto add = [&](const std::string &name, const std::string &rest) {
    text += fmt::format("  {:<{}}  {}\n", name, width, rest);
  };
  auto answer = [&](const std::string &name, const Answer &one) {
    add(name, fmt::format("{}{}{}", text_of(one.verdict), one.why.empty() ? "" : ": ", one.why));
  };
  answer("functional", answers.functional);
  answer("injective", answers.injective);
  answer("packable", answers.packable);
  answer("insertable", answers.insertable);
  for (const auto &[name, rest] : lines)
    add(name, rest);
  return text;
}

nlohmann::json to_json(const LayoutAnswers &answers) {
  nlohmann::json orders = nlohmann::json::array();
  for (const OrderAnswer &one : answers.orders) {
    nlohmann::json finds = nlohmann::json::array();
    for (const FindAnswer &find : one.finds)
      finds.push_back({{"piece", find.piece},
                       {"position", find.position},
                       {"methods", find.methods},
                       {"walk_per", find.walk_per}});
    orders.push_back({{"order", one.order}, {"finds", finds}, {"refused", show::or_null(one.refused)}});
  }
  nlohmann::json packable = json_of(answers.packable);
  packable["plan"] = show::or_null(answers.plan);
  nlohmann::json out = {{"functional", json_of(answers.functional)},
                        {"injective", json_of(answers.injective)},
                        {"packable", packable},
                        {"insertable", json_of(answers.insertable)},
                        {"orders", orders}};
  show::add_not_tried(out, answers.not_tried);
  return out;
}

} // namespace unravel::tool
