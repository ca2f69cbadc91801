#include "show/sections.h"

#include "show/highlight.h"
#include "show/html.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::show {

namespace {

using loop::Origin;

/// What stands beside a line: the variables of its levels.
std::string label(const Parts &parts, const loop::Origins &origins) {
  std::vector<std::string> names;
  for (const Origin &origin : origins) {
    std::string name = "=";
    if (parts.is_level(origin))
      name = parts.plan(static_cast<std::size_t>(origin.leaf), static_cast<std::size_t>(origin.plan))
                 .nest.levels[static_cast<std::size_t>(origin.level)]
                 .variable;
    else if (origin.level == lower::choice_of_plan)
      name = "choice";
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, " "));
}

/// pipeline::c_text's, line by line. Origins are those of the kernel's own levels.
std::vector<emit::Line> lines_of(const pipeline::Compilation &compilation) {
  std::vector<emit::Line> lines;
  for (const loop::Program *kernel : pipeline::kernels_of(compilation)) {
    if (!lines.empty()) lines.emplace_back();
    for (emit::Line &line : emit::emit_lines(*kernel)) {
      if (compilation.values && kernel == &compilation.values->program) line.origins.clear();
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

} // namespace

std::string code_html(const Parts &parts) {
  const std::vector<emit::Line> lines = lines_of(parts.compilation());
  std::size_t width = 0;
  for (const emit::Line &line : lines)
    if (!line.behind) width = std::max(width, label(parts, line.origins).size());
  std::string needs, kernel; // what the kernel needs, and itself
  std::size_t count = 0;
  Highlighter highlighter;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const emit::Line &line = lines[k];
    std::string &text = line.of_kernel ? kernel : needs;
    count += !line.of_kernel;
    const std::string number = fmt::format("<span class=\"number\">{:>4}</span>", k + 1);
    const std::string code = fmt::format("<code>{}\n</code>", highlighter.line(line.text));
    if (line.origins.empty()) {
      text += fmt::format("<span class=\"line\" id=\"c{}\">{}<span class=\"of\">{:{}}</span>{}</span>", k + 1,
                          number, "", width, code);
      continue;
    }
    const std::string names = line.behind ? "" : label(parts, line.origins);
    text += fmt::format("<a class=\"line made {}\" id=\"c{}\" href=\"#{}\" data-to=\"{}\"{}>{}"
                        "<span class=\"of\">{}</span>{}</a>",
                        parts.kind(line.origins.back()), k + 1, parts.id(line.origins.back()),
                        fmt::join(parts.targets(line.origins), " "), line.behind ? " tabindex=\"-1\"" : "",
                        number, escaped(fmt::format("{:{}}", names, width)), code);
  }
  return fmt::format(
      "<p>The name beside a line is the variable whose level of the nest it was made for; <b>=</b> marks "
      "what is done at each point. Point at a line, or focus it, to see the constraints that made it; click "
      "it to go to the level.</p>\n<details><summary>{} lines that the kernel needs: includes, small "
      "functions, structs</summary>\n<pre>{}</pre></details>\n<div class=\"code\">\n<pre>{}</pre>\n"
      "<aside id=\"about\" aria-live=\"polite\"><p class=\"note\">Point at a line.</p></aside>"
      "\n</div>\n",
      count, needs, kernel);
}

} // namespace unravel::show
