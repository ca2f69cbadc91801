#pragma once

#include "build/code.h"
#include "build/kernel.h"

namespace unravel::build {

/// What a back end makes of a text.
struct Built {
  /// Null where the text does not compile.
  std::shared_ptr<const Code> code;
  /// The same code as a shared object for the cache; empty where none was asked for or none can be made.
  std::string shared_object;
  /// The compiler's messages where the text does not compile.
  std::string diagnostics;
};

/// A way from C text to machine code.
class BackEnd {
public:
  virtual ~BackEnd() = default;
  /// For people: see `back_end_name`.
  virtual std::string name() const = 0;
  /// Everything but text and processor that the machine code depends on: compiler, version, options. Must be
  /// cheap: it is asked for on every cache hit.
  virtual std::string identity() const = 0;
  virtual Built build(const std::string &c_text, bool want_shared_object) const = 0;
};

/// Clang and ORC in the module libunravel-clang.so, loaded by the first `build`.
std::unique_ptr<BackEnd> in_process_back_end();
/// The C compiler `command` (empty: $CC, else cc), run without a shell.
std::unique_ptr<BackEnd> system_back_end(const std::string &command);

} // namespace unravel::build
