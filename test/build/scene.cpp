#include "build/scene.h"

#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/// Read by the leak sanitizer, where it is there: it crashes looking through the thread-local storage of an
/// OpenMP runtime's threads when the runtime was opened by dlopen. Without that look, it also reports the
/// loader's own memory.
extern "C" __attribute__((visibility("default"))) const char *__lsan_default_options() {
  return "use_tls=0";
}
extern "C" __attribute__((visibility("default"))) const char *__lsan_default_suppressions() {
  return "leak:_dl_\nleak:dl_open_worker\nleak:add_to_global_resize\n";
}

namespace unravel::build::scene {

std::string plain_text(int number) {
  return "double twice(double x) { return 2 * x; } /* " + std::to_string(number) + " */\n";
}

std::string parallel_text() {
  return R"(int omp_get_thread_num(void);
int omp_get_num_threads(void);
int threads(int *ids, int n) {
  int size = 0;
  #pragma omp parallel for schedule(static, 1) reduction(max : size)
  for (int k = 0; k < n; ++k) {
    ids[k] = omp_get_thread_num();
    size = omp_get_num_threads();
  }
  return size;
}
)";
}

Options cached_in(const PrivateFolder &folder) {
  Options options;
  options.cache_directory = folder.path();
  return options;
}

Environment::Environment(const char *name, const std::string &value) : name_(name) {
  const char *before = std::getenv(name);
  was_set_ = before != nullptr;
  if (before) before_ = before;
  setenv(name, value.c_str(), 1);
}

Environment::~Environment() {
  if (was_set_)
    setenv(name_.c_str(), before_.c_str(), 1);
  else
    unsetenv(name_.c_str());
}

pid_t start_child(const std::string &name, const std::vector<std::string> &variables) {
  std::string filter = "--gtest_filter=" + name, disabled = "--gtest_also_run_disabled_tests";
  std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<char *> arguments = {program.data(), filter.data(), disabled.data(), nullptr};
  std::vector<std::string> texts = variables;
  for (char **variable = environ; *variable; ++variable)
    texts.emplace_back(*variable);
  std::vector<char *> environment;
  for (std::string &text : texts)
    environment.push_back(text.data());
  environment.push_back(nullptr);
  pid_t child = -1;
  return posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), environment.data()) == 0
             ? child
             : -1;
}

int wait_for(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<std::string> files_in(const std::string &folder, const std::string &ending) {
  std::vector<std::string> files;
  for (const auto &item : std::filesystem::directory_iterator(folder))
    if (item.path().string().ends_with(ending)) files.push_back(item.path().string());
  return files;
}

} // namespace unravel::build::scene
