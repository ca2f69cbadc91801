#include "files/unfinished.h"

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace unravel::files {

namespace {

/// A path for a signal handler, which may use nothing of the heap.
struct Slot {
  enum State { Free, Taken, Set };
  std::atomic<State> state = Free;
  char path[PATH_MAX] = {};
};
/// As many as are written at once; what finds no slot is left behind by a signal.
std::array<Slot, 64> unfinished;
static_assert(std::atomic<Slot::State>::is_always_lock_free);

/// As the system lists a folder: `readdir` takes memory, which a signal handler must not.
struct ListedFile {
  std::uint64_t node;
  std::int64_t offset;
  unsigned short bytes;
  unsigned char type;
  char name[1];
};

void remove_files_in(const char *folder) {
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return;
  alignas(ListedFile) char listed[1 << 12];
  for (long count; (count = syscall(SYS_getdents64, descriptor, listed, sizeof listed)) > 0;)
    for (long at = 0; at < count;) {
      const auto *file = reinterpret_cast<const ListedFile *>(listed + at);
      unlinkat(descriptor, file->name, 0);
      at += file->bytes;
    }
  close(descriptor);
}

extern "C" void remove_unfinished(int signal) {
  for (const Slot &slot : unfinished) {
    if (slot.state != Slot::Set || unlink(slot.path) == 0) continue;
    remove_files_in(slot.path);
    rmdir(slot.path);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

} // namespace

std::string temporary_name(const std::string &target) {
  static std::atomic<unsigned> counter = 0;
  return target + ".part-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
}

void remove_unfinished_at_signals() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, remove_unfinished) == SIG_IGN) std::signal(signal, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

Unfinished::Unfinished(const std::string &path) {
  if (path.size() >= PATH_MAX) return; // no file can be called so
  for (std::size_t k = 0; slot_ == none && k < unfinished.size(); ++k) {
    Slot::State expected = Slot::Free;
    if (!unfinished[k].state.compare_exchange_strong(expected, Slot::Taken)) continue;
    std::memcpy(unfinished[k].path, path.c_str(), path.size() + 1);
    unfinished[k].state = Slot::Set;
    slot_ = k;
  }
}

Unfinished::~Unfinished() {
  if (slot_ != none) unfinished[slot_].state = Slot::Free;
}

} // namespace unravel::files
