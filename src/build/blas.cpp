#include "build/blas.h"

#include "report/diagnostic.h"

#include <dlfcn.h>

namespace unravel::build {

bool calls_blas(const std::string &c_text) {
  // A line that no name of a user's, in a comment, can be.
  return c_text.find("\nenum { CblasRowMajor = ") != std::string::npos;
}

void load_blas() {
#ifdef UNRAVEL_OPENBLAS
  static const std::string failure = [] {
    for (const char *name : {"libopenblas.so.0", UNRAVEL_OPENBLAS})
      if (dlopen(name, RTLD_NOW | RTLD_GLOBAL)) return std::string();
    const char *reason = dlerror();
    return std::string(reason ? reason : "");
  }();
  if (!failure.empty())
    report::fail(report::Kind::not_supported, "`blas`: OpenBLAS can't be loaded: " + failure,
                 "install it (Debian: libopenblas0), or leave out `blas`");
#else
  report::fail(report::Kind::not_supported,
               "`blas`: this Unravel was configured without OpenBLAS, and can't run such kernels",
               "install it (Debian: libopenblas-dev) and configure with -DUNRAVEL_BLAS=ON; `unravel compile` "
               "writes their C without it");
#endif
}

} // namespace unravel::build
