#pragma once

#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <functional>
#include <memory>

/// Clang's parser and its walks over syntax trees recurse as the text nests; where their stack ends, so does
/// the process. What nests too deeply for that must be seen before it is parsed.
namespace unravel::cfront {

/// Called with the range of a statement, or as much of one as was looked at.
using DeepStatement =
    std::function<void(const clang::SourceManager &, const clang::LangOptions &, clang::SourceRange)>;

/// Looks at the tokens of the text, behind the preprocessor. Calls `found` with the first statement that may
/// nest too deeply for `on_deep_stack`.
void find_deep_statement(const std::shared_ptr<clang::CompilerInvocation> &invocation,
                         const DeepStatement &found);

/// Does the work in a thread whose stack is large enough for any text without a deep statement.
void on_deep_stack(const std::function<void()> &work);

} // namespace unravel::cfront
