#include "build/kernel.h"

#include "build/back_end.h"
#include "build/blas.h"
#include "build/cache.h"
#include "files/file.h"
#include "machine/data_caches.h"
#include "machine/team.h"
#include "report/diagnostic.h"

#include <chrono>
#include <cstdlib>
#include <list>
#include <map>
#include <mutex>
#include <utility>

namespace unravel::build {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The kernels of this process by key, the last used first; the ones that were not used for long are dropped.
class Table {
public:
  std::shared_ptr<const Code> find(const std::string &key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    rows_.splice(rows_.begin(), rows_, found->second);
    return found->second->code;
  }

  void add(const std::string &key, std::shared_ptr<const Code> code) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (places_.contains(key)) return;
    rows_.push_front({key, std::move(code)});
    places_[key] = rows_.begin();
    if (rows_.size() <= most_rows) return;
    places_.erase(rows_.back().key);
    rows_.pop_back();
  }

  void clear() {
    const std::lock_guard<std::mutex> lock(mutex_);
    places_.clear();
    rows_.clear();
  }

private:
  static constexpr std::size_t most_rows = 256;
  struct Row {
    std::string key;
    std::shared_ptr<const Code> code;
  };
  std::mutex mutex_;
  std::list<Row> rows_;
  std::map<std::string, std::list<Row>::iterator> places_;
};

/// Never destroyed: at the end of the process, code is not worth being freed, and in the wrong order it can't
/// be.
Table &table() {
  static Table *const made = new Table;
  return *made;
}

std::unique_ptr<BackEnd> choose_back_end(const Options &options) {
#if UNRAVEL_JIT
  static_cast<void>(options);
  return in_process_back_end();
#else
  return system_back_end(options.compiler);
#endif
}

/// All that the machine code depends on, in full: entries are compared with it, so a hash can't mix two texts
/// up.
std::string key_of(const BackEnd &back_end, const std::string &c_text) {
  return "unravel " UNRAVEL_VERSION "\n" + back_end.identity() + "\n" + machine::processor_identity() + "\n" +
         c_text;
}

/// Keeps a text that the compiler refused; the file's name, or empty when it can't be written.
std::string keep(const std::string &c_text) {
  std::string path = files::scratch_directory() + "/unravel-kernel-XXXXXX.c";
  files::File file(mkstemps(path.data(), 2));
  return file.is_open() && file.write_all(c_text) ? path : "";
}

[[noreturn]] void refuse(const std::string &c_text, std::string diagnostics) {
  while (diagnostics.ends_with('\n'))
    diagnostics.pop_back();
  std::string path = keep(c_text);
  std::string place = path.empty() ? "its text could not be kept" : "its text is in `" + path + "`";
  report::fail(report::Kind::kernel_does_not_compile,
               "the generated C does not compile (" + place + "), the compiler says:\n" + diagnostics,
               "please report this as a bug, with that file");
}

std::shared_ptr<const Code> load(const DiskCache &cache, const std::string &key) {
  auto path = cache.find(key);
  return path ? load_shared_object(*path) : nullptr;
}

} // namespace

Kernel::Kernel(std::shared_ptr<const Code> code, Timing timing) : code_(std::move(code)), timing_(timing) {}

void *Kernel::symbol(const std::string &name) const {
  void *address = code_->find_symbol(name);
  if (!address)
    report::fail(report::Kind::internal, "the compiled kernel has no function `" + name + "`",
                 "please report this as a bug");
  return address;
}

void *Kernel::find_symbol(const std::string &name) const {
  return code_->find_symbol(name);
}

void Kernel::set_threads(int n) const {
  report::require(n >= 0, "threads are counted");
  const Team own = team();
  // OpenMP ends the process where it can't start a thread.
  if (own.threads) own.set_threads(machine::startable_threads(n == 0 ? own.threads() : n));
}

Kernel::Team Kernel::team() const {
  void *threads = code_->find_openmp_symbol("omp_get_max_threads");
  void *set = code_->find_openmp_symbol("omp_set_num_threads");
  if (!threads || !set) return {};
  return {reinterpret_cast<int (*)()>(threads), reinterpret_cast<void (*)(int)>(set)};
}

Workspace::Workspace(Kernel kernel) : kernel_(std::move(kernel)) {
  if (void *make = kernel_.find_symbol("unravel_workspace_new"))
    memory_ = reinterpret_cast<void *(*)()>(make)();
}

Workspace::~Workspace() {
  if (memory_) reinterpret_cast<void (*)(void *)>(kernel_.symbol("unravel_workspace_free"))(memory_);
}

Workspace::Workspace(Workspace &&other) noexcept
    : kernel_(other.kernel_), memory_(std::exchange(other.memory_, nullptr)) {}

Workspace &Workspace::operator=(Workspace &&other) noexcept {
  std::swap(kernel_, other.kernel_);
  std::swap(memory_, other.memory_);
  return *this;
}

Kernel compile(const std::string &c_text, const Options &options) {
  Clock::time_point start = Clock::now();
  if (calls_blas(c_text)) load_blas();
  std::unique_ptr<BackEnd> back_end = choose_back_end(options);
  if (!options.cache) {
    Built built = back_end->build(c_text, false);
    if (!built.code) refuse(c_text, built.diagnostics);
    return Kernel(built.code, {milliseconds_since(start), false});
  }
  std::string key = key_of(*back_end, c_text);
  if (auto code = table().find(key)) return Kernel(code, {milliseconds_since(start), true});
  DiskCache cache(machine::processor_identity().empty() ? "" : cache_directory(options.cache_directory),
                  options.cache_bytes);
  if (auto code = load(cache, key)) {
    table().add(key, code);
    return Kernel(code, {milliseconds_since(start), true});
  }
  Built built = back_end->build(c_text, cache.usable());
  if (!built.code) refuse(c_text, built.diagnostics);
  if (!built.shared_object.empty()) cache.store(key, built.shared_object);
  table().add(key, built.code);
  return Kernel(built.code, {milliseconds_since(start), false});
}

std::string back_end_name(const Options &options) {
  return choose_back_end(options)->name();
}

void forget_kernels() {
  table().clear();
}

} // namespace unravel::build
