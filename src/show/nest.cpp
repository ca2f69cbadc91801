#include "show/sections.h"

#include "depend/dependence.h"
#include "show/arrows.h"
#include "show/facts.h"
#include "show/html.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace unravel::show {

using loop::Origin;
using scan::Level;
using term::Term;

namespace {

/// Rows of the height that the arrows beside them rely on.
struct Rows {
  std::string html;
  std::vector<std::string> ids;

  void add(const std::string &id, const std::string &kind, std::size_t depth, const std::string &label,
           const std::string &html_of_row, const std::vector<std::string> &to = {}) {
    ids.push_back(id);
    html += fmt::format(
        "<li class=\"{}\" id=\"{}\" style=\"padding-left: {}em\" data-label=\"{}\" data-to=\"{}\">"
        "{}</li>\n",
        kind, id, 0.6 + 1.5 * static_cast<double>(depth), escaped(label), fmt::join(to, " "), html_of_row);
  }
};

std::string tagged(const std::string &tag, const std::string &code, const std::string &rest) {
  return fmt::format("<span class=\"tag\">{}</span><code>{}</code>{}", tag, escaped(code), rest);
}

std::string note(const std::string &text) {
  return text.empty() ? "" : fmt::format("<span class=\"note\">{}</span>", escaped(text));
}

/// "from (1) (4)", with links.
std::string from(const Parts &parts, std::size_t leaf, const std::vector<scan::Reason> &reasons) {
  std::set<std::size_t> all;
  bool facts = false, proved = true;
  for (const scan::Reason &reason : reasons) {
    all.insert(reason.constraints.begin(), reason.constraints.end());
    facts = facts || reason.with_facts;
    proved = proved && reason.proved;
  }
  if (all.empty()) return "";
  return fmt::format("<span class=\"why\">{} {}{}</span>", proved ? "from" : "among",
                     constraint_links(parts, leaf, {all.begin(), all.end()}),
                     facts && proved ? " and properties" : "");
}

std::vector<std::string> constraint_ids(const Parts &parts, std::size_t leaf,
                                        const std::vector<scan::Reason> &reasons) {
  std::vector<std::string> ids;
  for (const scan::Reason &reason : reasons)
    for (std::size_t constraint : reason.constraints)
      ids.push_back(parts.constraint_id(leaf, constraint));
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

/// The tile that a variable numbers, how its loop runs, its find's template.
std::string remarks(const Parts &parts, const Origin &origin) {
  const plan::LeafPlan &plan =
      parts.plan(static_cast<std::size_t>(origin.leaf), static_cast<std::size_t>(origin.plan));
  const auto level = static_cast<std::size_t>(origin.level);
  std::vector<std::string> texts;
  const combine::IterationSpace &space =
      parts.compilation().combination.leaves[static_cast<std::size_t>(origin.leaf)];
  for (const combine::AddedVariable &added : space.added)
    if (added.name == plan.nest.levels[level].variable && added.tile > 0)
      texts.push_back(fmt::format("tiles of {}, {} each", added.of, added.tile));
  if (const depend::LoopVerdict *verdict = parts.verdict(origin))
    texts.push_back(verdict->verdict == depend::Verdict::Parallel ? "carries no dependence: " + verdict->reason
                                                                  : verdict->reason);
  if (plan.parallel == level || plan.shared_parallel == level) texts.emplace_back("runs in parallel");
  if (std::string sums = sum_text(plan, level); !sums.empty()) texts.push_back(std::move(sums));
  each_find(plan, [&](const plan::LevelPlan &find, const Level &) {
    if (find.level == level) texts.push_back("by " + plan::name_of(find.method()));
  });
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// "x(i) = b(i) / L(i,i)", "y(i) += A(i,j) * x(j)"
std::string statement_text(const combine::IterationSpace &space) {
  auto text_of = [](const combine::Operand &operand) {
    return operand.is_scalar() ? operand.local : access_text(operand.tensor, operand.coordinates);
  };
  return fmt::format("{} {} {}", text_of(space.target),
                     space.sets ? "=" : "+=", combine::value_text(space, text_of));
}

class Nest {
public:
  explicit Nest(const Parts &parts) : parts_(parts), arrows_(arrows_of(parts)) {}

  std::string html() {
    const pipeline::Compilation &compilation = parts_.compilation();
    const bool together = compilation.combination.has_loops();
    std::string text;
    for (std::size_t leaf = 0; leaf < compilation.leaves.size(); ++leaf) {
      Rows rows;
      if (!together && compilation.leaves.size() > 1) text += fmt::format("<h3>Nest {}</h3>\n", leaf + 1);
      do {
        plan(leaf, 0, rows);
      } while (together && ++leaf < compilation.leaves.size());
      text += drawn(rows, true);
    }
    if (arrows_.size() > most_arrows)
      text += fmt::format("<p>There are {} dependences: of each nest the first {} are drawn, all are listed "
                          "below.</p>\n",
                          arrows_.size(), most_arrows);
    for (std::size_t leaf = 0; leaf < compilation.leaves.size(); ++leaf)
      for (std::size_t number = 1; number < parts_.plans(leaf); ++number)
        text += alternative(leaf, number);
    return text;
  }

private:
  std::string drawn(const Rows &rows, bool with_arrows) const {
    return fmt::format("<div class=\"nest\">{}<ol class=\"rows\">\n{}</ol></div>\n",
                       with_arrows ? arrows_svg(arrows_, rows.ids, parts_) : "", rows.html);
  }

  std::string alternative(std::size_t leaf, std::size_t number) {
    const plan::LeafPlan &main = parts_.plan(leaf, 0);
    const plan::Alternative &other = main.alternatives[number - 1];
    const std::string inside =
        main.split == 0 ? "first of all" : "inside " + main.nest.levels[main.split - 1].variable;
    const std::string condition = term::to_text(other.condition);
    Rows rows;
    plan(leaf, number, rows);
    const std::string of = parts_.compilation().leaves.size() > 1 ? fmt::format(" of nest {}", leaf + 1) : "";
    return fmt::format(
        "<article id=\"{}\" data-label=\"{}\"><h3>Alternative {}{}</h3>\n<p>Executed, {}, where "
        "<code>{}</code>: {}. Dependences are shown for the main plan.</p>\n{}"
        "</article>\n",
        parts_.choice_id(leaf, number), escaped("alternative, if " + condition), number, of, escaped(inside),
        escaped(condition), escaped(other.reason), drawn(rows, false));
  }

  void plan(std::size_t leaf, std::size_t number, Rows &rows) {
    const plan::LeafPlan &plan = parts_.plan(leaf, number);
    std::size_t depth = 0;
    for (std::size_t k = 0; k < plan.nest.levels.size(); ++k) {
      const Level &level = plan.nest.levels[k];
      const Origin origin{static_cast<int>(leaf), static_cast<int>(number), static_cast<int>(k)};
      const std::vector<scan::Reason> &reasons = parts_.reasons(origin);
      std::vector<scan::Reason> own, guards;
      for (const scan::Reason &reason : reasons)
        (reason.part.role == scan::Part::Role::Guard ? guards : own).push_back(reason);
      if (parts_.shown(origin) == origin) {
        const std::string kind = parts_.kind(origin);
        std::string text = scan::to_text(level);
        std::vector<std::string> to = constraint_ids(parts_, leaf, own);
        std::string rest = from(parts_, leaf, own);
        if (kind == "find") {
          to.push_back(parts_.find_id(origin));
          rest += fmt::format("<a href=\"#{}\">proofs</a>", parts_.find_id(origin));
        }
        rows.add(parts_.level_id(origin), kind, depth, text,
                 tagged(kind, text.substr(text.find(' ') + 1), rest + note(remarks(parts_, origin))), to);
      }
      if (level.kind != Level::Kind::Let) ++depth;
      for (std::size_t g = 0; g < guards.size(); ++g) {
        const std::string condition = term::to_text(guards[g].part.condition);
        rows.add(parts_.guard_id(origin, g), "guard", depth++, "if " + condition,
                 tagged("if", condition, from(parts_, leaf, {guards[g]})),
                 constraint_ids(parts_, leaf, {guards[g]}));
      }
    }
    if (number == 0) statement(leaf, depth, rows);
  }

  /// What is done at each point, and what it does to tensors that are written: the ends of arrows.
  void statement(std::size_t leaf, std::size_t depth, Rows &rows) {
    const combine::Combination &combination = parts_.compilation().combination;
    const combine::IterationSpace &space = combination.leaves[leaf];
    const std::string text = statement_text(space);
    const std::string tag = combination.has_loops() ? fmt::format("statement {}", leaf + 1) : "statement";
    rows.add(parts_.statement_id(leaf), "statement", depth, tag + ": " + text, tagged(tag, text, ""));
    std::set<std::string> written;
    for (const combine::IterationSpace &each : combination.leaves)
      written.insert(each.target.tensor);
    const std::vector<depend::Reference> references = depend::references(space);
    for (std::size_t k = 0; k < references.size(); ++k) {
      const depend::Reference &reference = references[k];
      bool is_end = std::ranges::any_of(arrows_, [&](const Arrow &arrow) {
        return arrow.from == parts_.access_id(leaf, k) || arrow.to == parts_.access_id(leaf, k);
      });
      if (!is_end && !written.contains(reference.tensor)) continue;
      const char *does = reference.inserts   ? "inserts into"
                         : reference.updates ? "updates"
                         : reference.writes  ? "writes"
                                             : "reads";
      const std::string access = access_text(reference.tensor, reference.coordinates);
      rows.add(parts_.access_id(leaf, k), "access", depth + 1, fmt::format("{} {}", does, access),
               tagged(does, access, ""));
    }
  }

  const Parts &parts_;
  const std::vector<Arrow> arrows_;
};

std::string role_name(scan::Part::Role role) {
  switch (role) {
  case scan::Part::Role::Lower: return "lower bound";
  case scan::Part::Role::Upper: return "upper bound";
  case scan::Part::Role::Value: return "value";
  case scan::Part::Role::Match: return "match";
  case scan::Part::Role::Guard: return "condition";
  }
  return "";
}

/// Per constraint what it makes, with links: "i: lower bound; alternative 2: A.p".
std::map<std::size_t, std::string> uses_of(const Parts &parts, std::size_t leaf) {
  std::map<std::size_t, std::string> uses;
  for (std::size_t number = 0; number < parts.plans(leaf); ++number) {
    const std::vector<Level> &levels = parts.plan(leaf, number).nest.levels;
    std::map<std::size_t, std::vector<std::string>> here;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      const Origin origin{static_cast<int>(leaf), static_cast<int>(number), static_cast<int>(k)};
      for (const scan::Reason &reason : parts.reasons(origin))
        for (std::size_t constraint : reason.constraints) {
          const std::string role = number == 0 ? ": " + role_name(reason.part.role) : "";
          std::string text = fmt::format("<a href=\"#{}\">{}{}</a>", parts.level_id(origin),
                                         escaped(levels[k].variable), role);
          std::vector<std::string> &all = here[constraint];
          if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
        }
    }
    for (const auto &[constraint, all] : here)
      uses[constraint] +=
          fmt::format("{}{}{}", uses[constraint].empty() ? "" : "; ",
                      number == 0 ? "" : fmt::format("alternative {}: ", number), fmt::join(all, ", "));
  }
  return uses;
}

} // namespace

std::string nests_html(const Parts &parts) {
  return Nest(parts).html();
}

std::string dependences_html(const Parts &parts) {
  const std::vector<Arrow> arrows = arrows_of(parts);
  std::string text;
  for (std::size_t leaf = 0; leaf < parts.compilation().leaves.size(); ++leaf) {
    const pipeline::Leaf &own = parts.compilation().leaves[leaf];
    for (std::size_t level = 0; level < own.plan.nest.levels.size(); ++level) {
      const Origin loop{static_cast<int>(leaf), 0, static_cast<int>(level)};
      const depend::LoopVerdict *verdict = parts.verdict(loop);
      if (!verdict || parts.shown(loop) != loop) continue;
      text += fmt::format("<article class=\"{0}\"><h3><a href=\"#{1}\">{2}</a>: {0} ({3})</h3>\n",
                          depend::name_of(verdict->verdict), parts.level_id(loop), escaped(verdict->variable),
                          escaped(verdict->reason));
      std::string items;
      for (const Arrow &arrow : arrows)
        if (arrow.loop == loop)
          items += fmt::format(
              "<li id=\"d-{0}\" data-label=\"{0}\" data-to=\"{1} {2} {3}\"><b>{0}</b> {4}<br/>"
              "from <a href=\"#{2}\">{5}</a> to <a href=\"#{3}\">{6}</a></li>\n",
              arrow.name, parts.level_id(loop), arrow.from, arrow.to,
              escaped(depend::to_text(arrow.dependence)), escaped(arrow.from_text), escaped(arrow.to_text));
      if (items.empty()) {
        text += "<p>It carries no dependence.</p></article>\n";
        continue;
      }
      text += fmt::format(
          "<ul class=\"plain\">\n{}</ul>\n<p class=\"note\">Directions and distances are those of the "
          "loops ({}).</p>\n<dl><dt>relation</dt><dd><code>{}</code></dd>\n",
          items, escaped(fmt::format("{}", fmt::join(loops_of(own), ", "))),
          escaped(depend::relation_text(*verdict, own.order)));
      if (!verdict->witness.empty())
        text += fmt::format("<dt>for example</dt><dd><code>{}</code></dd>\n", escaped(verdict->witness));
      text += "</dl></article>\n";
    }
  }
  return text.empty() ? "<p>There are no loops.</p>\n" : text;
}

std::string spaces_html(const Parts &parts) {
  const pipeline::Compilation &compilation = parts.compilation();
  std::string text;
  for (std::size_t leaf = 0; leaf < compilation.leaves.size(); ++leaf) {
    const combine::IterationSpace &space = compilation.combination.leaves[leaf];
    const auto uses = uses_of(parts, leaf);
    if (compilation.leaves.size() > 1)
      text += fmt::format("<h3>{} {}</h3>\n", compilation.combination.has_loops() ? "Statement" : "Nest",
                          leaf + 1);
    text += fmt::format("<p>All [{}] with</p>\n<ol class=\"constraints\">\n",
                        escaped(fmt::format("{}", fmt::join(space.variables(), ", "))));
    const std::vector<Term> constraints = term::conjuncts(space.relation);
    for (std::size_t k = 0; k < constraints.size(); ++k) {
      const std::string constraint = term::to_text(constraints[k]);
      auto own = uses.find(k);
      text += fmt::format("<li id=\"{0}\" data-label=\"({1}) {2}\" data-to=\"\">({1}) <code>{2}</code>"
                          "<span class=\"note\">{3}</span></li>\n",
                          parts.constraint_id(leaf, k), parts.constraint_number(leaf, k), escaped(constraint),
                          own == uses.end() ? "the others imply it" : own->second);
    }
    text += fmt::format("</ol>\n<p>at each of which <code>{}</code> is done.</p>\n",
                        escaped(statement_text(space)));
  }
  return text;
}

} // namespace unravel::show
