#include "layout/layout.h"
#include "layout/level_formats.h"
#include "parse/parse.h"
#include "report/diagnostic.h"
#include "tool/commands.h"
#include "tool/layout_answers.h"
#include "tool/options.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

namespace unravel::tool {

namespace {

struct LayoutOptions {
  std::string reference;
  int order = -1;
  double budget = default_budget;
};

/// A layout, or what is wrong with it; then its name is all that is known.
struct Referenced : layout::CheckedLayout {
  std::optional<report::Diagnostic> error;
};

Referenced checked(const parse::LayoutTree &tree, const std::vector<std::int64_t> &parameters) {
  Referenced one;
  if (report::unless_refused(
          [&] {
            one.layout = layout::make_layout(tree, parameters);
            layout::derive_lemmas(one.layout);
            one.findings = layout::check_layout(one.layout);
            return true;
          },
          &one.error.emplace()))
    one.error.reset();
  return one;
}

/// The layouts that a reference means: of all orders, unless one is asked for.
std::vector<Referenced> referenced(const LayoutOptions &options, const parse::LayoutReference &reference) {
  layout::require_by_itself(reference);
  std::vector<parse::LayoutTree> trees;
  if (!reference.file.empty()) {
    trees = parse::parse_layout_file(text::Source::from_file(reference.file)).layouts;
  } else {
    for (const text::EmbeddedFile &file : layout::shipped_files())
      for (parse::LayoutTree &tree : layout::trees_of(file))
        trees.push_back(std::move(tree));
  }
  std::vector<Referenced> result;
  for (const parse::LayoutTree &tree : trees) {
    auto order = static_cast<int>(tree.coordinates.size());
    if (!reference.name.empty() && tree.name.text != reference.name) continue;
    if (options.order >= 0 && options.order != order) continue;
    std::size_t own = tree.parameters.size();
    if (!reference.parameters.empty() && reference.parameters.size() != own &&
        !(tree.permutable && reference.parameters.size() == own + tree.coordinates.size()))
      continue;
    result.push_back(checked(tree, reference.parameters));
    if (result.back().error) result.back().layout.name = tree.name.text;
  }
  if (result.empty()) { // a composition of level formats, or it says what is wrong
    auto levels = layout::read_level_formats(reference.name);
    std::size_t order = levels ? layout::order_of(*levels) : 2;
    if (options.order >= 0) order = static_cast<std::size_t>(options.order);
    result.push_back({layout::load_layout(reference, order), std::nullopt});
  }
  // Of several each has its say.
  if (result.size() == 1 && result[0].error) throw report::Error(*result[0].error);
  return result;
}

/// The first sentence of a comment, on one line.
std::string summary(std::string comment) {
  std::ranges::replace(comment, '\n', ' ');
  for (std::size_t stop : {comment.find(". "), comment.find(": "), comment.find("; "), comment.find(" (")})
    if (stop != std::string::npos && stop < comment.size()) comment.resize(stop);
  return comment;
}

void list(bool as_json) {
  nlohmann::json all = nlohmann::json::array();
  for (const text::EmbeddedFile &file : layout::shipped_files()) {
    std::map<std::string, std::vector<std::size_t>> orders;
    std::map<std::string, std::string> about;
    for (const parse::LayoutTree &tree : layout::trees_of(file)) {
      orders[tree.name.text].push_back(tree.coordinates.size());
      about[tree.name.text] += tree.comment;
    }
    for (const auto &[name, of] : orders) {
      all.push_back({{"name", name}, {"orders", of}, {"about", about[name]}});
      if (!as_json)
        std::cout << fmt::format("{:<14} order {:<14} {}\n", name, fmt::format("{}", fmt::join(of, ", ")),
                                 summary(about[name]));
    }
  }
  if (as_json) std::cout << json_text(nlohmann::json{{"layouts", all}});
}

} // namespace

void add_layout(CLI::App &app, int &code, bool &as_json) {
  auto *command = app.add_subcommand("layout", "list, show or check layouts");
  command->require_subcommand(1);
  auto options = std::make_shared<LayoutOptions>();
  auto *list_command = command->add_subcommand("list", "list the shipped layouts");
  list_command->add_flag("--json", as_json, "print JSON");
  list_command->callback([&as_json] { list(as_json); });
  for (bool check : {false, true}) {
    auto *sub = command->add_subcommand(
        check ? "check" : "show",
        check ? "check a layout of your own: is it consistent, bounded, in range, and what can be proved "
                "about it"
              : "show a layout as Unravel understands it: relation, arrays, properties as formulas, lemmas");
    sub->add_option("layout", options->reference, "csr, dense<1,0>, ./mine.layout:name")->required();
    sub->add_option("--order", options->order, "the number of modes, where the name has several layouts");
    sub->add_flag("--json", as_json, "print JSON");
    if (check) add_budget_option(*sub, options->budget);
    sub->footer(check ? "Example:\n  unravel layout check ./mine.layout"
                      : "Example:\n  unravel layout show csr");
    sub->callback([options, check, &code, &as_json] {
      nlohmann::json out = nlohmann::json::array();
      parse::LayoutReference reference =
          parse::parse_layout_reference(std::make_shared<const text::Source>("layout", options->reference));
      for (const Referenced &one : referenced(*options, reference)) {
        if (one.error) {
          out.push_back({{"name", one.layout.name}, {"error", to_json(*one.error)}});
          if (!as_json) std::cerr << report::render(*one.error);
          code = std::max(code, report::exit_code(one.error->kind));
          continue;
        }
        nlohmann::json findings = nlohmann::json::array();
        for (const report::Diagnostic &finding : one.findings) {
          findings.push_back({{"kind", report::name_of(finding.kind)},
                              {"message", finding.message},
                              {"hint", finding.hint}});
          if (!as_json) std::cerr << report::render(finding, "warning");
        }
        out.push_back({{"name", one.layout.name},
                       {"order", one.layout.order()},
                       {"text", layout::to_text(one.layout)},
                       {"findings", findings}});
        LayoutAnswers answers;
        if (check)
          out.back()["answers"] = to_json(answers = answers_of(one.layout, reference, options->budget));
        if (!answers.not_tried.empty())
          std::cerr << report::render(prove::notice_of(answers.not_tried, options->budget), "warning");
        if (as_json) continue;
        if (!check) std::cout << layout::to_text(one.layout);
        if (check)
          std::cout << fmt::format("{} (order {}): {}\n", one.layout.name, one.layout.order(),
                                   one.findings.empty() ? "consistent, bounded, every access proved in range"
                                                        : fmt::format("{} warning{}", one.findings.size(),
                                                                      one.findings.size() == 1 ? "" : "s"))
                    << to_text(answers);
      }
      if (as_json) std::cout << json_text(nlohmann::json{{"layouts", out}});
    });
  }
}

} // namespace unravel::tool
