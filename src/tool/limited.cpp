#include "tool/playground.h"

#include "report/diagnostic.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace unravel::tool {

namespace {

using Clock = std::chrono::steady_clock;

/// In the child: nothing but calls that are allowed between fork and exec.
[[noreturn]] void become(char *const *words, const char *folder, int output, const Limits &limits) {
  const auto limit = [](int resource, rlim_t most) {
    const rlimit both{most, most};
    setrlimit(resource, &both);
  };
  limit(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds));
  limit(RLIMIT_CORE, 0);
  if (limits.memory > 0) limit(RLIMIT_AS, static_cast<rlim_t>(limits.memory));
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || chdir(folder) != 0 || dup2(nothing, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
    _exit(127);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL); // the signal that stops the server goes to another group
  execv(words[0], words);
  _exit(127);
}

/// Reads until the other end is closed, or the time is over.
bool read_all(int from, Clock::time_point end, std::size_t most, std::string &text) {
  std::array<char, 1 << 14> part;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wanted{from, POLLIN, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = read(from, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    if (text.size() < most)
      text.append(part.data(), std::min(static_cast<std::size_t>(got), most - text.size()));
  }
}

} // namespace

Finished run_limited(const std::vector<std::string> &command, const std::string &folder,
                     const Limits &limits) {
  report::require(!command.empty(), "a command has a program");
  std::vector<std::string> kept = command;
  std::vector<char *> words;
  for (std::string &word : kept)
    words.push_back(word.data());
  words.push_back(nullptr);
  const auto fail = [&] {
    report::fail(report::Kind::cannot_read, text::Place::of_file(command[0]),
                 std::string("cannot be started: ") + std::strerror(errno));
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail();
  const pid_t child = fork();
  if (child == 0) become(words.data(), folder.c_str(), ends[1], limits);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    fail();
  }
  Finished finished;
  finished.took_too_long = !read_all(ends[0], Clock::now() + std::chrono::seconds(3 * limits.seconds),
                                     limits.output, finished.output);
  close(ends[0]);
  if (finished.took_too_long) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-child, SIGKILL); // what it may have left
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    finished.took_too_long = true;
  finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

} // namespace unravel::tool
