#include "build/allowed_symbols.h"
#include "build/clang/compiler.h"
#include "build/clang/interface.h"
#include "build/clang/linker_mutex.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <lld/Common/Driver.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace unravel::build {

std::shared_mutex &linker_mutex() {
  static auto *const mutex = new std::shared_mutex;
  return *mutex;
}

namespace {

namespace orc = llvm::orc;

/// One compiled text: its object code, and where ORC has put it. The object is kept for `link`.
struct JitKernel {
  llvm::SmallVector<char, 0> object;
  orc::JITDylib *library = nullptr;
  void *openmp = nullptr;
};

char *copy_message(const std::string &text) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (copy) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

/// LLVM has no way back from a fatal error; exit code 3 is Unravel's for bugs.
void stop_on_fatal_error(void *, const char *reason, bool) {
  std::fprintf(stderr, "error: LLVM gave up on a kernel: %s [internal]\n", reason);
  std::fflush(stderr);
  _exit(3);
}

/// The one JIT of the process. It is never destroyed: kernels may outlive every static object.
orc::LLJIT *jit(std::string &error) {
  static std::string failure;
  static orc::LLJIT *const made = []() -> orc::LLJIT * {
    llvm::install_fatal_error_handler(stop_on_fatal_error);
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto machine = orc::JITTargetMachineBuilder::detectHost();
    if (machine) {
      orc::LLJITBuilder builder;
      builder.setJITTargetMachineBuilder(std::move(*machine));
      // Kernels have no constructors, and no symbol of the process is found but those that `link_in_memory`
      // defines.
      builder.setPlatformSetUp(orc::setUpInactivePlatform);
      builder.setLinkProcessSymbolsByDefault(false);
      auto built = builder.create();
      if (built) return built->release();
      failure = llvm::toString(built.takeError());
    } else {
      failure = llvm::toString(machine.takeError());
    }
    return nullptr;
  }();
  error = failure;
  return made;
}

/// LLVM's OpenMP runtime, by its soname and else from where it was when Unravel was built. Opened without
/// RTLD_GLOBAL: it also has the entry points of GNU's libgomp, which code of the host must not find here.
void *openmp_library(std::string &error) {
  static void *const library = [] {
    void *found = dlopen("libomp.so.5", RTLD_NOW | RTLD_LOCAL);
    return found ? found : dlopen(UNRAVEL_LIBOMP, RTLD_NOW | RTLD_LOCAL);
  }();
  if (!library) error = "the OpenMP runtime libomp.so.5 can't be loaded";
  return library;
}

void *math_library() {
  static void *const library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  return library;
}

void *process_symbol(const char *name) {
  void *address = dlsym(RTLD_DEFAULT, name);
  return address || !math_library() ? address : dlsym(math_library(), name);
}

/// The file that `symbol` of the open `library` comes from, or empty.
std::string file_of(void *library, const char *symbol) {
  Dl_info info;
  void *address = library ? dlsym(library, symbol) : nullptr;
  return address && dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

/// What an object defines and what it wants from outside.
struct Symbols {
  std::vector<std::string> defined, undefined;
};

llvm::Expected<Symbols> read_symbols(llvm::MemoryBufferRef buffer) {
  auto file = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!file) return file.takeError();
  Symbols symbols;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    if (!flags) return flags.takeError();
    auto name = symbol.getName();
    if (!name) return name.takeError();
    if (name->empty()) continue;
    if (*flags & llvm::object::SymbolRef::SF_Undefined)
      symbols.undefined.push_back(name->str());
    else if (*flags & llvm::object::SymbolRef::SF_Global)
      symbols.defined.push_back(name->str());
  }
  return symbols;
}

llvm::Error complain(const std::string &message) {
  return llvm::make_error<llvm::StringError>(message, llvm::inconvertibleErrorCode());
}

/// The addresses of everything that the object wants from outside, each looked up where it belongs. OpenMP's
/// names come from libomp alone: in a process that holds GNU's libgomp too, omp_get_thread_num would be the
/// wrong one.
llvm::Expected<orc::SymbolMap> resolve(orc::LLJIT &engine, const std::vector<std::string> &names,
                                       void *&openmp) {
  orc::SymbolMap addresses;
  for (const std::string &name : names) {
    if (name == "_GLOBAL_OFFSET_TABLE_") continue;
    void *address = nullptr;
    if (is_openmp_symbol(name)) {
      std::string error;
      openmp = openmp_library(error);
      if (!openmp) return complain(error);
      address = dlsym(openmp, name.c_str());
    } else if (is_allowed_symbol(name)) {
      address = process_symbol(name.c_str());
    } else {
      return complain("kernel.c: error: `" + name + "` is not among the functions that a kernel may call\n");
    }
    if (!address) return complain("kernel.c: error: `" + name + "` is not defined in this process\n");
    addresses[engine.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                               llvm::JITSymbolFlags::Exported};
  }
  return addresses;
}

llvm::Error link_in_memory(orc::LLJIT &engine, JitKernel &kernel) {
  static std::atomic<unsigned> serial{0};
  std::string name = "kernel " + std::to_string(serial++);
  llvm::MemoryBufferRef buffer(llvm::StringRef(kernel.object.data(), kernel.object.size()), name);
  auto symbols = read_symbols(buffer);
  if (!symbols) return symbols.takeError();
  auto addresses = resolve(engine, symbols->undefined, kernel.openmp);
  if (!addresses) return addresses.takeError();
  kernel.library = &engine.getExecutionSession().createBareJITDylib(name);
  if (auto error = kernel.library->define(orc::absoluteSymbols(std::move(*addresses)))) return error;
  if (auto error = engine.addObjectFile(*kernel.library,
                                        llvm::MemoryBuffer::getMemBufferCopy(buffer.getBuffer(), name)))
    return error;
  // An object is linked as a whole when its first symbol is asked for: ask now, so that errors show here.
  if (symbols->defined.empty()) return llvm::Error::success();
  return engine.lookup(*kernel.library, symbols->defined.front()).takeError();
}

void release(void *handle) {
  JitKernel *kernel = static_cast<JitKernel *>(handle);
  std::string error;
  if (kernel->library) llvm::consumeError(jit(error)->getExecutionSession().removeJITDylib(*kernel->library));
  delete kernel;
}

void *compile(const char *text, std::size_t size, char **message) {
  const std::shared_lock<std::shared_mutex> lock(linker_mutex());
  std::string error;
  orc::LLJIT *engine = jit(error);
  if (!engine) {
    *message = copy_message("the JIT can't be made: " + error);
    return nullptr;
  }
  Object object = compile_object(text, size);
  if (!object.made) {
    *message = copy_message(object.diagnostics);
    return nullptr;
  }
  auto *kernel = new JitKernel;
  kernel->object = std::move(object.code);
  if (auto failure = link_in_memory(*engine, *kernel)) {
    *message = copy_message(llvm::toString(std::move(failure)));
    release(kernel);
    return nullptr;
  }
  return kernel;
}

void *find_symbol(void *handle, const char *name) {
  JitKernel *kernel = static_cast<JitKernel *>(handle);
  std::string error;
  auto address = jit(error)->lookup(*kernel->library, name);
  if (address) return address->toPtr<void *>();
  llvm::consumeError(address.takeError());
  return nullptr;
}

void *openmp_runtime(void *handle) {
  return static_cast<JitKernel *>(handle)->openmp;
}

/// lld reads files only: this one has a path but lies in memory.
class MemoryFile {
public:
  explicit MemoryFile(llvm::ArrayRef<char> bytes) : descriptor_(memfd_create("kernel.o", MFD_CLOEXEC)) {
    std::size_t done = 0;
    while (descriptor_ >= 0 && done < bytes.size()) {
      ssize_t count = write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    written_ = descriptor_ >= 0 && done == bytes.size();
  }
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  bool written() const { return written_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
  int descriptor_;
  bool written_ = false;
};

/// LLVM handles signals from its first output file on, to delete the file. That is for a compiler's process,
/// not for a program that a compiler is part of: what was set before holds again at the end of the scope.
class SignalActions {
public:
  SignalActions() {
    for (int k = 1; k < NSIG; ++k)
      known_[k] = sigaction(k, nullptr, &actions_[k]) == 0;
  }
  ~SignalActions() {
    for (int k = 1; k < NSIG; ++k)
      if (known_[k]) sigaction(k, &actions_[k], nullptr);
  }
  SignalActions(const SignalActions &) = delete;
  SignalActions &operator=(const SignalActions &) = delete;

private:
  struct sigaction actions_[NSIG];
  bool known_[NSIG] = {};
};

int link(void *handle, const char *path, char **message) {
  static bool usable = true; // lld says after each use whether it may be used again
  const std::unique_lock<std::shared_mutex> lock(linker_mutex());
  JitKernel *kernel = static_cast<JitKernel *>(handle);
  MemoryFile object(kernel->object);
  if (!usable || !object.written()) {
    *message = copy_message("the linker can't be used");
    return 0;
  }
  // The libraries are named with their paths and recorded by soname, and only where they are called.
  std::vector<std::string> arguments = {"ld.lld",
                                        "-shared",
                                        "--threads=1",
                                        "--build-id=none",
                                        "--hash-style=gnu",
                                        "-s",
                                        "-z",
                                        "now",
                                        "-z",
                                        "noseparate-code",
                                        "-o",
                                        path,
                                        object.path(),
                                        "--as-needed"};
  if (std::string file = file_of(math_library(), "cos"); !file.empty()) arguments.push_back(file);
  if (std::string file = file_of(kernel->openmp, "omp_set_num_threads"); !file.empty()) {
    arguments.push_back(file);
    arguments.push_back("-rpath=" + file.substr(0, file.rfind('/')));
  }
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  std::string output;
  llvm::raw_string_ostream stream(output);
  const SignalActions before;
  const lld::DriverDef drivers[] = {{lld::Gnu, &lld::elf::link}};
  lld::Result result = lld::lldMain(pointers, stream, stream, drivers);
  usable = result.canRunAgain;
  if (result.retCode == 0) return 1;
  *message = copy_message(output);
  return 0;
}

} // namespace

} // namespace unravel::build

extern "C" __attribute__((visibility("default"))) const UnravelClang *unravel_clang() {
  namespace build = unravel::build;
  static const UnravelClang table = {unravel_clang_interface_version, build::compile, build::find_symbol,
                                     build::openmp_runtime,           build::link,    build::release};
  return &table;
}
