#include "tool/playground.h"

#include "data/generate.h"
#include "data/output_file.h"
#include "files/file.h"
#include "parse/parse.h"
#include "report/diagnostic.h"
#include "run/operand.h"

#include <fmt/format.h>
#include <sstream>

namespace unravel::tool {

using nlohmann::json;
using report::Kind;

namespace {

std::string field(const json &asked, const char *name) {
  const auto found = asked.find(name);
  return found != asked.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Without blanks around them; none that are empty.
std::vector<std::string> lines_of(const std::string &text) {
  constexpr const char *blanks = " \t\r";
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (const auto begin = line.find_first_not_of(blanks); begin != std::string::npos)
      lines.push_back(line.substr(begin, line.find_last_not_of(blanks) + 1 - begin));
  return lines;
}

/// Only what lies in the folder: `mine.layout`.
void refuse_files(const std::string &format) {
  const std::string layout = format.substr(std::min(format.find('=') + 1, format.size()));
  if (!parse::is_layout_text(layout) && layout.find('/') != std::string::npos)
    report::fail(Kind::cannot_read, fmt::format("`{}`: files aren't read here", format),
                 "write the layout into its field, and `A=mine.layout` here");
}

void refuse_files_of_data(const std::string &input) {
  const std::string data = input.substr(std::min(input.find('=') + 1, input.size()));
  if (!data::is_generator(data) && !run::number_in(data))
    report::fail(Kind::cannot_read, fmt::format("`{}`: files aren't read here", input),
                 "write a generator, such as `A=random:8x8,density=0.3`, or a number");
}

} // namespace

json Playground::answer(const json &asked) const {
  try {
    const files::PrivateFolder folder;
    data::write_text_file(folder.path() + "/expression", field(asked, "text"));
    data::write_text_file(folder.path() + "/mine.layout", field(asked, "layouts"));
    const std::vector<std::string> inputs = lines_of(field(asked, "inputs"));
    std::vector<std::string> command{program_, inputs.empty() ? "explain" : "run", "--file=expression",
                                     "--report=page.html"};
    for (const std::string &format : lines_of(field(asked, "formats"))) {
      refuse_files(format);
      command.push_back("--format=" + format);
    }
    for (const std::string &input : inputs) {
      refuse_files_of_data(input);
      command.push_back("--input=" + input);
    }
    if (const std::string schedule = field(asked, "schedule");
        schedule.find_first_not_of(" \t\r\n") != std::string::npos)
      command.push_back("--schedule=" + schedule);
    if (!inputs.empty()) {
      command.push_back("--check");
      if (limits_.memory > 0) command.push_back(fmt::format("--max-memory={}", limits_.memory));
    }
    Finished finished = run_limited(command, folder.path(), limits_);
    const std::string option = "--max-memory";
    for (std::size_t at = 0; (at = finished.output.find(option, at)) != std::string::npos;)
      finished.output.replace(at, option.size(), "`unravel serve --memory`");
    const std::string page = files::read_file(folder.path() + "/page.html").value_or("");
    if (finished.took_too_long)
      return {
          {"state", fmt::format("stopped after {} seconds", limits_.seconds)}, {"message", ""}, {"page", ""}};
    if (finished.code != 0 && page.empty() && finished.output.empty())
      finished.output = "the answer took more memory than `unravel serve --memory` allows, or was stopped\n";
    if (finished.code != 0 && page.empty())
      return {{"state", "refused"}, {"message", finished.output}, {"page", ""}};
    return {{"state", inputs.empty() ? "compiled" : "compiled, and run"},
            {"message", finished.code != 0 ? finished.output : ""},
            {"page", page}};
  } catch (const report::Error &error) {
    return {{"state", "refused"}, {"message", report::render(error.diagnostic())}, {"page", ""}};
  }
}

} // namespace unravel::tool
