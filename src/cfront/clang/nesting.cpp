#include "cfront/clang/nesting.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/thread.h>
#include <vector>

namespace unravel::cfront {

namespace {

/// Tokens of a statement that may each nest in the one before. Far more than later rooms take.
constexpr int deepest = 20000;

/// Clang takes up to 7 KB of it for one token. What isn't used takes no memory.
constexpr unsigned stack_bytes = 512u << 20;

/// How deeply a text nests, at most: each token of a statement may nest in the one before, as in `- - - x`
/// and in `a + b + c`; what is between brackets nests in nothing behind them.
class Nesting {
public:
  /// At the token; 1 for the first of a statement.
  int behind(const clang::Token &token) {
    if (ended_ && token.isNot(clang::tok::kw_else)) {
      depth_ = open_.empty() ? 0 : open_.back().base;
      begin_ = token.getLocation();
    }
    ended_ = false;
    ++depth_;
    switch (token.getKind()) {
    case clang::tok::l_brace:
    case clang::tok::l_paren:
    case clang::tok::l_square:
      open_.push_back({depth_, token.is(clang::tok::l_brace), holds_values(token)});
      break;
    case clang::tok::r_brace:
    case clang::tok::r_paren:
    case clang::tok::r_square:
      if (open_.empty()) break;
      depth_ = open_.back().base;
      ended_ = open_.back().is_brace && !open_.back().holds_values;
      open_.pop_back();
      break;
    case clang::tok::semi: ended_ = true; break;
    case clang::tok::comma: ended_ = !open_.empty() && open_.back().holds_values; break;
    default: break;
    }
    last_ = token.getKind();
    return depth_;
  }

  /// Where the statement begins.
  clang::SourceLocation begin() const { return begin_; }

private:
  struct Bracket {
    int base; // its own depth
    bool is_brace, holds_values;
  };

  /// Of a list of initial values, which don't nest in each other.
  bool holds_values(const clang::Token &token) const {
    if (token.isNot(clang::tok::l_brace)) return false;
    const bool inside = !open_.empty() && open_.back().holds_values;
    return last_ == clang::tok::equal ||
           (inside && (last_ == clang::tok::comma || last_ == clang::tok::l_brace));
  }

  int depth_ = 0;
  bool ended_ = true; // a statement, or a value of a list
  std::vector<Bracket> open_;
  clang::tok::TokenKind last_ = clang::tok::unknown;
  clang::SourceLocation begin_;
};

class LookAtTokens : public clang::PreprocessorFrontendAction {
public:
  explicit LookAtTokens(const DeepStatement &found) : found_(found) {}

protected:
  void ExecuteAction() override {
    clang::Preprocessor &preprocessor = getCompilerInstance().getPreprocessor();
    preprocessor.EnterMainSourceFile();
    Nesting nesting;
    clang::Token token;
    do {
      preprocessor.Lex(token);
      if (nesting.behind(token) > deepest)
        return found_(preprocessor.getSourceManager(), preprocessor.getLangOpts(),
                      {nesting.begin(), token.getLocation()});
    } while (token.isNot(clang::tok::eof));
  }

private:
  const DeepStatement &found_;
};

} // namespace

void find_deep_statement(const std::shared_ptr<clang::CompilerInvocation> &invocation,
                         const DeepStatement &found) {
  clang::CompilerInstance compiler;
  compiler.setInvocation(invocation);
  compiler.createDiagnostics(new clang::IgnoringDiagConsumer);
  compiler.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
  LookAtTokens action(found);
  compiler.ExecuteAction(action);
}

void on_deep_stack(const std::function<void()> &work) {
  llvm::thread thread(std::optional<unsigned>(stack_bytes), work);
  thread.join();
}

} // namespace unravel::cfront
