#include "files/unfinished.h"
#include "report/diagnostic.h"
#include "report/suggest.h"
#include "tool/commands.h"
#include "tool/options.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <iostream>

namespace {

/// A wrong option or command, as a diagnostic: what CLI11 says, in our style.
int report_usage(const CLI::App &app, const CLI::ParseError &error,
                 const std::vector<std::string> &arguments) {
  using namespace unravel;
  report::Diagnostic diagnostic{report::Kind::bad_option, {}, error.what(), ""};
  std::string &message = diagnostic.message;
  message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  const CLI::App *command = &app; // the innermost one: `layout check`
  std::string path = "unravel";
  std::size_t next = 0;
  const auto commands = [&] {
    std::vector<std::string> names;
    for (const CLI::App *sub : command->get_subcommands([](const CLI::App *) { return true; }))
      names.push_back(sub->get_name());
    return names;
  };
  for (; next < arguments.size() && std::ranges::count(commands(), arguments[next]) != 0; ++next) {
    command = command->get_subcommand(arguments[next]);
    path += " " + arguments[next];
  }
  diagnostic.hint = "`" + path + " --help` lists commands and options";
  if (const std::string word = next < arguments.size() ? arguments[next] : "";
      !commands().empty() && !word.empty() && word[0] != '-') {
    message =
        next == 0 ? "there is no command `" + word + "`" : "`" + path + "` has no command `" + word + "`";
    diagnostic.hint = report::suggest(word, commands(), diagnostic.hint);
  }
  const std::string budget = "--budget";
  if (message.starts_with(budget + ":") &&
      std::ranges::none_of(arguments, [&](const std::string &each) { return each.starts_with(budget); }))
    message.replace(0, budget.size(), "UNRAVEL_BUDGET");
  bool as_json = std::ranges::find(arguments, "--json") != arguments.end();
  return tool::report_error(report::Error(diagnostic), as_json);
}

/// Does what the command line says; the exit code.
int run_command(CLI::App &app, int argc, char **argv) {
  namespace report = unravel::report;
  int code = 0;
  bool as_json = false;
  unravel::tool::add_run(app, code, as_json);
  unravel::tool::add_compile(app, as_json);
  unravel::tool::add_explain(app, as_json);
  unravel::tool::add_deps(app, as_json);
  unravel::tool::add_plan(app, as_json);
  unravel::tool::add_tile(app, as_json);
  unravel::tool::add_layout(app, code, as_json);
  unravel::tool::add_generate(app, as_json);
  unravel::tool::add_convert(app, as_json);
  unravel::tool::add_machine(app, as_json);
  unravel::tool::add_serve(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) return app.exit(error); // --help, --version
    return report_usage(app, error, std::vector<std::string>(argv + 1, argv + argc));
  } catch (const report::Error &error) {
    return unravel::tool::report_error(error, as_json);
  } catch (const std::bad_alloc &) {
    const report::Error none({report::Kind::memory_limit, {}, "out of memory", ""});
    return unravel::tool::report_error(none, as_json);
  } catch (const std::exception &error) {
    const report::Error ours({report::Kind::internal, {}, error.what(), "please report this as a bug"});
    return unravel::tool::report_error(ours, as_json);
  }
  return code;
}

/// What is printed may get lost, on a full disk say: that is a failure, too.
int flush_output(int code) {
  using namespace unravel;
  errno = 0;
  std::cout.flush();
  if (std::cout) return code;
  const std::string reason = errno != 0 ? std::string(": ") + std::strerror(errno) : "";
  const report::Error error(
      {report::Kind::cannot_write, {}, "cannot write to the standard output" + reason, ""});
  return std::max(code, tool::report_error(error, false));
}

} // namespace

int main(int argc, char **argv) {
  unravel::files::remove_unfinished_at_signals();
  CLI::App app{"Unravel: layouts and tensor index notation in, fast parallel C kernels out", "unravel"};
  app.set_version_flag("--version", UNRAVEL_VERSION);
  app.require_subcommand(1);
  app.footer("Examples:\n"
             "  unravel run 'y(i) = A(i,j) * x(j)' -f A=csr -i A=matrix.mtx -i x=random --check\n"
             "  unravel explain 'y(i) = A(i,j) * x(j)' -f A=csr -f x=sv\n"
             "  unravel layout show csr");
  return flush_output(run_command(app, argc, argv));
}
