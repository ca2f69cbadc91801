#include "build/allowed_symbols.h"
#include "build/code.h"
#include "report/diagnostic.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <vector>

namespace unravel::build {

namespace {

class SharedObject : public Code {
public:
  explicit SharedObject(void *handle) : handle_(handle) {}
  ~SharedObject() override { dlclose(handle_); }
  void *find_symbol(const std::string &name) const override { return dlsym(handle_, name.c_str()); }
  // dlsym with a handle looks through the libraries that the object needs, so through its own OpenMP runtime.
  void *find_openmp_symbol(const char *name) const override { return dlsym(handle_, name); }

private:
  void *handle_;
};

/// A record of type T at a position of a file's bytes. Copied: nothing says that it is aligned.
template <typename T> T record_at(const std::string &bytes, std::size_t position) {
  report::require(position <= bytes.size() && sizeof(T) <= bytes.size() - position,
                  "a shared object is cut off");
  T record;
  std::memcpy(&record, bytes.data() + position, sizeof(T));
  return record;
}

std::vector<std::string> undefined_symbols(const std::string &bytes) {
  auto header = record_at<ElfW(Ehdr)>(bytes, 0);
  report::require(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0, "a shared object is an ELF file");
  std::vector<std::string> names;
  for (std::size_t s = 0; s < header.e_shnum; ++s) {
    auto section = record_at<ElfW(Shdr)>(bytes, header.e_shoff + s * header.e_shentsize);
    if (section.sh_type != SHT_DYNSYM) continue;
    auto strings =
        record_at<ElfW(Shdr)>(bytes, header.e_shoff + std::size_t{section.sh_link} * header.e_shentsize);
    for (std::size_t at = 0; at < section.sh_size; at += sizeof(ElfW(Sym))) {
      auto symbol = record_at<ElfW(Sym)>(bytes, section.sh_offset + at);
      if (symbol.st_shndx != SHN_UNDEF || symbol.st_name == 0 || symbol.st_info >> 4 == STB_WEAK) continue;
      std::size_t name = strings.sh_offset + symbol.st_name;
      report::require(name < bytes.size(), "a shared object is cut off");
      names.emplace_back(bytes.c_str() + name);
    }
  }
  return names;
}

/// The file that holds an address of a loaded library.
std::string file_of(void *address) {
  Dl_info info;
  return address && dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

} // namespace

std::shared_ptr<const Code> load_shared_object(const std::string &path) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return nullptr;
  auto object = std::make_shared<SharedObject>(handle);
  // The threads of its OpenMP runtime wait in there for more work: it must never be unloaded.
  std::string runtime = file_of(object->find_openmp_symbol("omp_set_num_threads"));
  if (!runtime.empty()) dlopen(runtime.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  return object;
}

std::string first_forbidden_symbol(const std::string &bytes) {
  for (const std::string &name : undefined_symbols(bytes))
    if (!is_allowed_symbol(name) && !is_openmp_symbol(name)) return name;
  return {};
}

} // namespace unravel::build
