#include "build/back_end.h"
#include "files/file.h"
#include "report/diagnostic.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace unravel::build {

namespace {

/// As clang_flags: reassociation and contraction, never finite-math-only. (-fassociative-math takes effect
/// only with the two options after it.) No header can be included.
constexpr const char *system_flags[] = {"-O3",
                                        "-march=native",
                                        "-std=gnu99",
                                        "-fopenmp",
                                        "-fPIC",
                                        "-shared",
                                        "-pipe",
                                        "-ffp-contract=fast",
                                        "-fno-math-errno",
                                        "-fassociative-math",
                                        "-fno-signed-zeros",
                                        "-fno-trapping-math",
                                        "-fno-stack-protector",
                                        "-nostdinc",
                                        "-w",
                                        "-Werror=implicit-function-declaration",
                                        "-Wl,--as-needed",
                                        "-s"};

struct Outcome {
  int status = 0; // the exit status, or 128 + the signal
  std::string output;
};

/// Runs a program found in $PATH, without a shell, its output and errors to a file of `folder`.
Outcome run(const std::vector<std::string> &arguments, const std::string &folder) {
  std::vector<char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(const_cast<char *>(argument.c_str()));
  pointers.push_back(nullptr);
  std::string output = folder + "/output";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  int error = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    report::fail(report::Kind::no_compiler,
                 "can't run the C compiler `" + arguments[0] + "`: " + std::strerror(error),
                 "install a C compiler, or name one with `CC`");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          files::read_file(output).value_or("")};
}

std::vector<std::string> words_of(const std::string &command) {
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

/// The first line that `command --version` prints; asked once per command and process.
std::string version_of(const std::string &command) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::lock_guard<std::mutex> lock(mutex);
  if (auto found = known.find(command); found != known.end()) return found->second;
  std::vector<std::string> arguments = words_of(command);
  arguments.push_back("--version");
  files::PrivateFolder folder;
  std::string output = run(arguments, folder.path()).output;
  return known[command] = output.substr(0, output.find('\n'));
}

/// Messages name the text as the other back end does, not by a path that is gone when they are read.
std::string without(std::string text, const std::string &prefix) {
  for (std::size_t at; (at = text.find(prefix)) != std::string::npos;)
    text.erase(at, prefix.size());
  return text;
}

class SystemCompiler : public BackEnd {
public:
  explicit SystemCompiler(std::string command) : command_(std::move(command)) {}

  std::string name() const override { return version_of(command_) + " system compiler"; }

  std::string identity() const override {
    std::string text = command_ + "\n" + version_of(command_) + "\n";
    for (const char *flag : system_flags)
      text += std::string(flag) + " ";
    return text;
  }

  Built build(const std::string &c_text, bool) const override {
    files::PrivateFolder folder;
    std::string source = folder.path() + "/kernel.c", object = folder.path() + "/kernel.so";
    {
      files::File file(open(source.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
      if (!file.is_open() || !file.write_all(c_text))
        report::fail(report::Kind::cannot_write, "can't write `" + source + "`: " + std::strerror(errno),
                     "name a folder with free space with `TMPDIR`");
    }
    std::vector<std::string> arguments = words_of(command_);
    arguments.insert(arguments.end(), std::begin(system_flags), std::end(system_flags));
    arguments.insert(arguments.end(), {"-o", object, source, "-lm"});
    Outcome outcome = run(arguments, folder.path());
    Built built;
    built.diagnostics = without(outcome.output, folder.path() + "/");
    std::optional<std::string> bytes = outcome.status == 0 ? files::read_file(object) : std::nullopt;
    if (!bytes) return built;
    if (std::string name = first_forbidden_symbol(*bytes); !name.empty()) {
      built.diagnostics =
          "kernel.c: error: `" + name + "` is not among the functions that a kernel may call\n";
      return built;
    }
    built.code = load_shared_object(object);
    if (!built.code) refuse_to_load();
    built.shared_object = std::move(*bytes);
    return built;
  }

private:
  [[noreturn]] void refuse_to_load() const {
    const char *reason = dlerror();
    report::fail(report::Kind::no_compiler,
                 "can't load what `" + command_ + "` made: " + (reason ? reason : ""),
                 "name a folder that code may be loaded from with `TMPDIR`");
  }

  std::string command_;
};

} // namespace

std::unique_ptr<BackEnd> system_back_end(const std::string &command) {
  const char *chosen = std::getenv("CC");
  std::string used = !command.empty() ? command : chosen ? chosen : "";
  if (words_of(used).empty()) used = "cc";
  return std::make_unique<SystemCompiler>(used);
}

} // namespace unravel::build
