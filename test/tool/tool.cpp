#include "tool.h"
#include "places.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace unravel::tool::test {

namespace {

std::filesystem::path make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "unravel-tool-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
  return name;
}

std::string read_file(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

/// Kernels that the tests share; removed when the program ends.
const std::filesystem::path &cache_folder() {
  struct Cache {
    std::filesystem::path folder = make_folder();
    ~Cache() { std::filesystem::remove_all(folder); }
  };
  static Cache cache;
  return cache.folder;
}

void redirect(int descriptor, const std::filesystem::path &path) {
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
  close(file);
}

} // namespace

Desk::Desk() : folder_(make_folder()) {}
Desk::~Desk() {
  std::filesystem::remove_all(folder_);
}

/// The C that a command wrote goes through the compilers of C and C++ that are here: of a sample, or all
/// where UNRAVEL_TEST_ALL is set.
void Desk::compile_strictly(const std::vector<std::string> &arguments, const Outcome &outcome) const {
  const std::size_t drawn = std::hash<std::string>()(fmt::format("{}", fmt::join(arguments, " ")));
  if (!std::getenv("UNRAVEL_TEST_ALL") && drawn % 8 != 0) return;
  const auto output = std::ranges::find(arguments, "-o");
  const std::string text = output < arguments.end() - 1 ? read(*(output + 1)) : outcome.out;
  if (text.find("<cblas.h>") != std::string::npos || std::ranges::count(arguments, "--json") > 0) return;
  const std::string file = "compiled_strictly.c";
  write(file, text);
  for (const std::string compiler :
       {"gcc -x c -std=c99 -Wincompatible-pointer-types", "clang-19 -x c -std=c99 -Wincompatible-pointer-types",
        "g++ -x c++ -std=c++17", "clang++-19 -x c++ -std=c++17"}) {
    const std::string command = "command -v " + compiler.substr(0, compiler.find(' ')) +
                                " >/dev/null || exit 0; " + compiler +
                                " -fsyntax-only -Wall -Wextra -Werror -Wno-unknown-pragmas " + file;
    EXPECT_EQ(execute({"sh", "-c", command}).error, "")
        << compiler << ", " << fmt::format("{}", fmt::join(arguments, " "));
  }
  std::filesystem::remove(folder_ / file);
}

Outcome Desk::unravel(const std::vector<std::string> &arguments) const {
  std::vector<std::string> command{unravel::test::tool_path()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  // A kernel must not depend on where the tests run, and measuring takes its time.
  if (!arguments.empty() && arguments[0] == "run" &&
      std::find(arguments.begin(), arguments.end(), "--machine") == arguments.end())
    command.insert(command.end(), {"--machine", "portable"});
  Outcome outcome = execute(std::move(command));
  if (outcome.code == 0 && !arguments.empty() && arguments[0] == "compile")
    compile_strictly(arguments, outcome);
  return outcome;
}

Outcome Desk::execute(std::vector<std::string> command) const {
  std::filesystem::path streams = make_folder();
  std::string cache = cache_folder().string();
  std::vector<char *> arguments;
  for (std::string &word : command)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = fork();
  if (child == 0) {
    redirect(STDOUT_FILENO, streams / "out");
    redirect(STDERR_FILENO, streams / "error");
    if (chdir(folder_.c_str()) != 0) _exit(126);
    setenv("UNRAVEL_CACHE_DIR", cache.c_str(), 1);
    setenv("UNRAVEL_BUDGET", "0", 1); // nothing depends on how fast the machine is
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_file(streams / "out"),
                  read_file(streams / "error")};
  std::filesystem::remove_all(streams);
  return outcome;
}

void Desk::write(const std::string &name, const std::string &content) const {
  std::filesystem::create_directories((folder_ / name).parent_path());
  std::ofstream(folder_ / name, std::ios::binary) << content;
}

std::string Desk::read(const std::string &name) const {
  return read_file(folder_ / name);
}

std::vector<std::string> Desk::files() const {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(folder_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool has_program(const std::string &name) {
  return Desk().execute({name, "--version"}).code == 0;
}

std::string rounded(const std::string &file) {
  std::istringstream lines(file);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.rfind(' ') + 1; // 0 where there is no other word
    if (line[0] != '%' && line.find_first_of(".e", at) != std::string::npos)
      line = line.substr(0, at) +
             fmt::format("{:.9f}", std::round(std::stod(line.substr(at)) * 1e9) / 1e9 + 0.0);
    text += line + "\n";
  }
  return text;
}

std::string shipped_layout(const std::string &name) {
  return read_file(std::filesystem::path(unravel::test::source_folder()) / "layouts" / (name + ".layout"));
}

} // namespace unravel::tool::test
