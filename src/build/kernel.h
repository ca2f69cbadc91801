#pragma once

#include <cstdint>
#include <memory>
#include <string>

/// C text -> functions that can be called. Two back ends, one per configuration and with the same interface:
/// Clang and ORC in process (UNRAVEL_JIT=ON), or the system's C compiler. Both share a cache on disk, of
/// loadable shared objects.
///
/// Why shared objects: a fresh process has to call a cached kernel within 25 ms, and loading Clang and LLVM
/// alone takes about 20 ms, 45 where the machine is busy. So a hit must not touch LLVM, which object files
/// that ORC loads would need: what is cached must be something that the dynamic loader takes, in 0.1 ms. On a
/// miss ORC links the object in memory and the kernel is ready; the same object is then made a shared object
/// for the cache by lld, in process too (2.5 ms; running GNU ld took 8 ms and ld.lld 30, and neither need be
/// on a user's machine).
namespace unravel::build {

class Code;

struct Options {
  /// Look the text up, and keep what was made: in this process, and in `cache_directory`.
  bool cache = true;
  /// Made if it is missing (mode 0700). Empty: $UNRAVEL_CACHE_DIR, else $XDG_CACHE_HOME/unravel, else
  /// ~/.cache/unravel. Not used, silently, when it can't be written or is not the user's own.
  std::string cache_directory;
  /// Above this many bytes the entries that were not used for the longest time are deleted.
  std::uint64_t cache_bytes = std::uint64_t{256} << 20;
  /// The system-compiler back end's command, words separated by spaces. Empty: $CC, else cc.
  std::string compiler;
};

struct Timing {
  /// From text to callable function, wall clock, loading of libraries included.
  double milliseconds = 0;
  /// Found in this process or on disk.
  bool cached = false;
};

/// A compiled text. A handle: copies share the code, which lives as long as any of them (and, where the cache
/// is on, as long as it is among the process's last 256).
class Kernel {
public:
  Kernel(std::shared_ptr<const Code> code, Timing timing);

  /// The address of a function that the text defines; throws kind `internal` when it defines none of that
  /// name.
  void *symbol(const std::string &name) const;
  /// The same, or null when there is none.
  void *find_symbol(const std::string &name) const;
  /// How many threads the kernel's parallel loops take from now on, when this thread calls it. 0: as
  /// many as they took. No more than can be started here. Does nothing for a kernel without parallel loops.
  /// Precondition: n >= 0.
  void set_threads(int n) const;
  const Timing &timing() const { return timing_; }
  /// How many threads parallel loops take that the calling thread comes to, in the kernel's OpenMP runtime.
  /// Both null where it has none.
  struct Team {
    int (*threads)() = nullptr;
    void (*set_threads)(int) = nullptr;
  };
  Team team() const;

private:
  std::shared_ptr<const Code> code_;
  Timing timing_;
};

/// What a kernel works with and keeps from call to call: the last of the arguments of `unravel_entry`. For
/// one call at a time. Keeps the kernel's code.
class Workspace {
public:
  /// Of a kernel without one, or where there is no memory for it: null, and the kernel makes its own in each
  /// call.
  explicit Workspace(Kernel kernel);
  ~Workspace();
  Workspace(Workspace &&other) noexcept;
  Workspace &operator=(Workspace &&other) noexcept;

  void *get() const { return memory_; }

private:
  Kernel kernel_;
  void *memory_ = nullptr;
};

/// Compiles for this machine's processor. The text includes no header and declares what it calls; it may call
/// only what allowed_symbols.h lists. Sums may be reassociated and products contracted, NaN and infinities
/// are kept. May be called from several threads at once. Throws kind `kernel-does-not-compile`, a bug of
/// ours, with the compiler's messages and the name of a file that keeps the text, and `no-compiler` where the
/// compiler can't be loaded or run.
Kernel compile(const std::string &c_text, const Options &options = {});

/// What compiles, such as "clang 19.1.7 in process" or "cc (Debian 12.2.0-14) 12.2.0 system compiler".
std::string back_end_name(const Options &options = {});

/// Drops the process's table of kernels, so that a later `compile` looks on disk. For tests.
void forget_kernels();

} // namespace unravel::build
