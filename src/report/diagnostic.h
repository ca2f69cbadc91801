#pragma once

#include "text/source.h"

#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

/// Diagnostics: their list of kinds, building and rendering. Used by every room, knows none but text.
namespace unravel::report {

/// Whose fault it is, and so the exit code: see kinds.def.
enum class Category { Mistake, Limit, Usage, Bug };

enum class Kind {
#define KIND(identifier, category, name, meaning) identifier,
#include "report/kinds.def"
#undef KIND
};

Category category_of(Kind kind);
/// The stable name shown to users and in --json, such as "unknown-name".
std::string name_of(Kind kind);
/// 1 for mistakes and limits, 2 for usage, 3 for bugs.
int exit_code(Kind kind);
/// All kinds, in the order of kinds.def.
std::vector<Kind> all_kinds();

/// One message. `message` is lower case, without a final stop, names in back quotes; `hint` (may be empty)
/// says what would be right or what works instead.
struct Diagnostic {
  Kind kind = Kind::internal;
  text::Place place;
  std::string message;
  std::string hint;
};

/// The one exception type of the compiler.
class Error : public std::exception {
public:
  explicit Error(Diagnostic diagnostic);
  const Diagnostic &diagnostic() const { return diagnostic_; }
  const char *what() const noexcept override { return text_.c_str(); }

private:
  Diagnostic diagnostic_;
  std::string text_;
};

[[noreturn]] void fail(Kind kind, const text::Place &place, std::string message, std::string hint = {});
[[noreturn]] void fail(Kind kind, const text::Span &span, std::string message, std::string hint = {});
/// A message about no text in particular.
[[noreturn]] void fail(Kind kind, std::string message, std::string hint = {});

/// A check of our own, on in release builds too: throws kind `internal` when `condition` is false.
void require(bool condition, const char *what);

/// What `make` returns, or nothing where it throws a mistake or a limit, which `why` is given where it isn't
/// null. For what is only tried. A bug of ours is no refusal: it is thrown on.
template <class Make>
auto unless_refused(Make make, Diagnostic *why = nullptr) -> std::optional<std::invoke_result_t<Make>> {
  try {
    return make();
  } catch (const Error &error) {
    if (category_of(error.diagnostic().kind) == Category::Bug) throw;
    if (why) *why = error.diagnostic();
    return std::nullopt;
  }
}

/// The message as a person reads it:
///   file:3:14: error: unknown name `rowpt` [unknown-name]
///     3 |   stored { ... rowpt(r) ... }
///       |                ^~~~~
///     hint: did you mean `rowptr`?
/// `severity` replaces the word "error".
std::string render(const Diagnostic &diagnostic, const std::string &severity = "error");

/// The nearest of `candidates` to a misspelt `name` for a hint "did you mean ...", or empty.
/// Nearest by edit distance, at most a third of the name's length; else the one that it abbreviates.
std::string nearest(const std::string &name, const std::vector<std::string> &candidates);

} // namespace unravel::report
