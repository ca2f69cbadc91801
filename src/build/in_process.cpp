#include "build/back_end.h"
#include "build/clang/flags.h"
#include "build/clang/interface.h"
#include "build/module.h"
#include "files/file.h"
#include "report/diagnostic.h"

#include <climits>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace unravel::build {

namespace {

constexpr const char *module_name = "libunravel-clang.so";

bool exists(const std::string &path) {
  return access(path.c_str(), R_OK) == 0;
}

std::string folder_of(const std::string &path) {
  char real[PATH_MAX];
  if (!realpath(path.c_str(), real)) return {};
  std::string folder = real;
  return folder.substr(0, folder.rfind('/'));
}

/// Where this function's machine code was loaded from: a library, or the program, whose name may be relative.
std::vector<std::string> home_folders() {
  std::vector<std::string> folders;
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&home_folders), &info) && info.dli_fname &&
      std::string(info.dli_fname).find('/') != std::string::npos)
    folders.push_back(folder_of(info.dli_fname));
  folders.push_back(folder_of("/proc/self/exe"));
  return folders;
}

/// Where the dynamic linker looks for the libraries of the program or library that this code is part of: who
/// links with an installed libunravel.a is told its lib/unravel.
std::vector<std::string> search_folders() {
  std::vector<std::string> folders;
  Dl_info info;
  std::vector<void *> handles = {dlopen(nullptr, RTLD_LAZY)};
  if (dladdr(reinterpret_cast<void *>(&home_folders), &info) && info.dli_fname)
    handles.push_back(dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD));
  for (void *handle : handles) {
    Dl_serinfo size;
    if (!handle || dlinfo(handle, RTLD_DI_SERINFOSIZE, &size) != 0) continue;
    std::vector<std::max_align_t> memory(size.dls_size / sizeof(std::max_align_t) + 1);
    auto *paths = reinterpret_cast<Dl_serinfo *>(memory.data());
    paths->dls_size = size.dls_size;
    paths->dls_cnt = size.dls_cnt;
    if (dlinfo(handle, RTLD_DI_SERINFO, paths) == 0)
      for (unsigned k = 0; k < paths->dls_cnt; ++k)
        folders.emplace_back(paths->dls_serpath[k].dls_name);
    dlclose(handle);
  }
  return folders;
}

std::string find_module() {
  for (const std::string &folder : home_folders()) {
    std::vector<std::string> candidates = {folder + "/" UNRAVEL_MODULE_FOLDER "/", folder + "/unravel/"};
    // Above a folder of programs is the install; what is above that, others may have filled.
    if (folder.ends_with("/" UNRAVEL_PROGRAM_FOLDER))
      candidates.push_back(folder.substr(0, folder.size() - sizeof UNRAVEL_PROGRAM_FOLDER) +
                           "/" UNRAVEL_MODULE_FOLDER "/");
    for (const std::string &candidate : candidates)
      if (std::string path = candidate + module_name; exists(path)) return path;
  }
  for (const std::string &folder : search_folders())
    if (std::string path = folder + "/" + module_name; exists(path)) return path;
  return std::string(UNRAVEL_MODULE_INSTALL_FOLDER "/") + module_name;
}

/// $UNRAVEL_JIT_MODULE; else in lib/unravel beside the program or library that this code is part of, or
/// beside its folder of programs (an installed tree that may have been moved, and the build tree); else among
/// the libraries of that program or library; else where it was to be installed.
std::string locate_module() {
  if (const char *chosen = std::getenv("UNRAVEL_JIT_MODULE"); chosen && *chosen) return chosen;
  static const std::string found = find_module();
  return found;
}

constexpr const char *module_hint =
    "install Unravel with its module, or name the module's file with `UNRAVEL_JIT_MODULE`";

/// The loaded module; throws kind `no-compiler`. It is never unloaded.
const UnravelClang &load_module() {
  static const UnravelClang &module = []() -> const UnravelClang & {
    auto *table = reinterpret_cast<decltype(&unravel_clang)>(module_symbol("unravel_clang"));
    if (!table || table()->version != unravel_clang_interface_version)
      report::fail(report::Kind::no_compiler,
                   "`" + locate_module() + "` is not this version's in-process compiler", module_hint);
    return *table();
  }();
  return module;
}

/// A message that the module has allocated.
std::string take(char *message) {
  std::string text = message ? message : "";
  std::free(message);
  return text;
}

/// Code that ORC has linked in memory.
class JitCode : public Code {
public:
  JitCode(const UnravelClang &module, void *kernel) : module_(module), kernel_(kernel) {}
  ~JitCode() override { module_.release(kernel_); }
  void *find_symbol(const std::string &name) const override {
    return module_.find_symbol(kernel_, name.c_str());
  }
  void *find_openmp_symbol(const char *name) const override {
    void *runtime = module_.openmp_runtime(kernel_);
    return runtime ? dlsym(runtime, name) : nullptr;
  }

private:
  const UnravelClang &module_;
  void *kernel_;
};

/// Size and time of change of a file: tells one version of a library from another without loading it.
std::string stamp(const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return path;
  return path + " " + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

class InProcess : public BackEnd {
public:
  std::string name() const override { return "clang " UNRAVEL_CLANG_VERSION " in process"; }

  std::string identity() const override {
    std::string text = name() + "\n" + stamp(UNRAVEL_CLANG_LIBRARY) + "\n" + stamp(locate_module()) + "\n";
    for (const char *flag : clang_flags)
      text += std::string(flag) + " ";
    return text;
  }

  Built build(const std::string &c_text, bool want_shared_object) const override {
    const UnravelClang &module = load_module();
    Built built;
    char *message = nullptr;
    void *kernel = module.compile(c_text.data(), c_text.size(), &message);
    if (!kernel) {
      built.diagnostics = take(message);
      return built;
    }
    built.code = std::make_shared<JitCode>(module, kernel);
    if (want_shared_object) built.shared_object = link(module, kernel);
    return built;
  }

private:
  /// Empty where the linker fails or there is no place to link to: the kernel runs all the same, it just is
  /// not cached on disk.
  static std::string link(const UnravelClang &module, void *kernel) try {
    files::PrivateFolder folder;
    std::string path = folder.path() + "/kernel.so";
    char *message = nullptr;
    bool linked = module.link(kernel, path.c_str(), &message);
    take(message);
    return linked ? files::read_file(path).value_or("") : "";
  } catch (const report::Error &) {
    return {};
  }
};

} // namespace

void *module_symbol(const char *name) {
  static void *const handle = [] {
    void *opened = dlopen(locate_module().c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!opened)
      report::fail(report::Kind::no_compiler, std::string("can't load the in-process compiler: ") + dlerror(),
                   module_hint);
    return opened;
  }();
  return dlsym(handle, name);
}

std::unique_ptr<BackEnd> in_process_back_end() {
  return std::make_unique<InProcess>();
}

} // namespace unravel::build
