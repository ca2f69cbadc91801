// With nesting.cpp the only file of the room that sees Clang's headers. It is part of the module
// libunravel-clang.so.
#include "build/clang/linker_mutex.h"
#include "cfront/clang/interface.h"
#include "cfront/clang/nesting.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <deque>
#include <llvm/Support/MemoryBuffer.h>
#include <mutex>
#include <string>
#include <vector>

namespace unravel::cfront {

namespace {

/// Nested statements and operators; later rooms walk them recursively.
constexpr int depth_limit = 1000;

/// What `UnravelSyntax` points to.
struct Result : UnravelSyntax {
  std::deque<std::string> texts;
  std::vector<UnravelNode> all_nodes;
  std::vector<const char *> all_functions;
  UnravelSyntaxError first_error = {};

  Result() : UnravelSyntax{} {}

  const char *keep(std::string text) { return texts.emplace_back(std::move(text)).c_str(); }

  void finish() {
    nodes = all_nodes.data();
    node_count = all_nodes.size();
    functions = all_functions.data();
    function_count = all_functions.size();
  }
};

/// Offsets in the main file. What a macro or another file gives counts as where that is used.
class Places {
public:
  Places(const clang::SourceManager &sources, const clang::LangOptions &language)
      : sources_(sources), language_(language) {}

  std::size_t begin(clang::SourceLocation at) const {
    return sources_.getFileOffset(in_main(at, false).first);
  }
  /// Behind the token that begins at `at`.
  std::size_t end(clang::SourceLocation at) const {
    auto [place, is_token] = in_main(at, true);
    unsigned length = is_token ? clang::Lexer::MeasureTokenLength(place, sources_, language_) : 0;
    return sources_.getFileOffset(place) + length;
  }

private:
  std::pair<clang::SourceLocation, bool> in_main(clang::SourceLocation at, bool last) const {
    bool is_token = true;
    while (at.isValid()) {
      if (at.isMacroID()) {
        clang::CharSourceRange range = sources_.getExpansionRange(at);
        at = last ? range.getEnd() : range.getBegin();
        is_token = range.isTokenRange();
      } else if (clang::FileID file = sources_.getFileID(at); file == sources_.getMainFileID()) {
        return {at, is_token};
      } else {
        at = sources_.getIncludeLoc(file);
        is_token = true;
      }
    }
    return {sources_.getLocForStartOfFile(sources_.getMainFileID()), false};
  }

  const clang::SourceManager &sources_;
  const clang::LangOptions &language_;
};

/// Keeps the first error.
class FirstError : public clang::DiagnosticConsumer {
public:
  explicit FirstError(Result &result) : result_(result) {}

  void BeginSourceFile(const clang::LangOptions &language, const clang::Preprocessor *) override {
    language_ = &language;
  }

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error || result_.error) return;
    llvm::SmallString<128> message;
    info.FormatDiagnostic(message);
    UnravelSyntaxError &error = result_.first_error;
    error = {result_.keep(message.str().str()), "", 0, 0, 0, 0, 0};
    result_.error = &error;
    if (!info.hasSourceManager() || !info.getLocation().isValid() || !language_) return;
    const clang::SourceManager &sources = info.getSourceManager();
    clang::SourceLocation at = sources.getExpansionLoc(info.getLocation());
    if (sources.getFileID(at) == sources.getMainFileID()) {
      Places places(sources, *language_);
      error.begin = places.begin(info.getLocation());
      error.end = std::max(error.begin, places.end(info.getLocation()));
    } else if (clang::PresumedLoc presumed = sources.getPresumedLoc(at); presumed.isValid()) {
      error.file = result_.keep(presumed.getFilename());
      error.line = presumed.getLine();
      error.column = presumed.getColumn();
    }
  }

private:
  Result &result_;
  const clang::LangOptions *language_ = nullptr;
};

/// Writes the nodes of one function, each before its children.
class Writer {
public:
  Writer(Result &result, clang::ASTContext &context)
      : result_(result), context_(context), places_(context.getSourceManager(), context.getLangOpts()) {}

  void function(const clang::FunctionDecl &function) {
    std::size_t at = open(UnravelFunction, function.getSourceRange());
    node(at).text = result_.keep(function.getNameAsString());
    for (const clang::ParmVarDecl *parameter : function.parameters()) {
      std::size_t one = open(UnravelParameter, parameter->getSourceRange());
      declare(one, *parameter);
      // Of `double A[n][m]` as it was written; Clang has made a pointer of it.
      close(one, type(parameter->getOriginalType(), parameter->getSourceRange()));
      close(at, one);
    }
    std::size_t body = statement(function.getBody());
    close(at, body);
  }

private:
  UnravelNode &node(std::size_t at) { return result_.all_nodes[at]; }

  std::size_t open(UnravelSyntaxKind kind, clang::SourceRange range) {
    UnravelNode made = {};
    made.kind = kind;
    made.type = UnravelAnyOther;
    made.declaration = -1;
    made.text = made.type_name = "";
    if (range.isValid()) {
      made.begin = places_.begin(range.getBegin());
      made.end = std::max(made.begin, places_.end(range.getEnd()));
    }
    made.head_end = made.end;
    result_.all_nodes.push_back(made);
    return result_.all_nodes.size() - 1;
  }

  /// `child` is complete.
  void close(std::size_t parent, std::size_t child) {
    (void)child;
    ++node(parent).children;
  }

  void absent(std::size_t parent) { close(parent, open(UnravelAbsent, clang::SourceRange())); }

  int number(const clang::Decl *declaration) {
    return numbers_.try_emplace(declaration->getCanonicalDecl(), static_cast<int>(numbers_.size()))
        .first->second;
  }

  void declare(std::size_t at, const clang::VarDecl &variable) {
    node(at).text = result_.keep(variable.getNameAsString());
    node(at).declaration = number(&variable);
    set_type(at, variable.getType());
  }

  // ---- types

  void set_type(std::size_t at, clang::QualType type) {
    node(at).type_name = result_.keep(type.getUnqualifiedType().getAsString());
    const clang::Type *plain = type.getCanonicalType().getTypePtr();
    node(at).type = [&] {
      if (plain->isVoidType()) return UnravelVoid;
      if (plain->isIntegralOrEnumerationType()) return UnravelIntegral;
      if (plain->isSpecificBuiltinType(clang::BuiltinType::Float)) return UnravelFloat;
      if (plain->isSpecificBuiltinType(clang::BuiltinType::Double)) return UnravelDouble;
      if (plain->isRealFloatingType()) return UnravelOtherFloating;
      if (const auto *complex = llvm::dyn_cast<clang::ComplexType>(plain)) return type_of(*complex);
      if (plain->isPointerType()) return UnravelPointer;
      if (plain->isArrayType()) return UnravelArray;
      return UnravelAnyOther;
    }();
    if (node(at).type != UnravelIntegral || plain->isIncompleteType()) return;
    node(at).bits = static_cast<int>(context_.getIntWidth(type));
    node(at).is_unsigned = plain->isUnsignedIntegerOrEnumerationType();
  }

  static UnravelSyntaxType type_of(const clang::ComplexType &complex) {
    const clang::QualType parts = complex.getElementType();
    if (parts->isSpecificBuiltinType(clang::BuiltinType::Float)) return UnravelComplexFloat;
    if (parts->isSpecificBuiltinType(clang::BuiltinType::Double)) return UnravelComplexDouble;
    return parts->isRealFloatingType() ? UnravelOtherFloating : UnravelAnyOther;
  }

  std::size_t type(clang::QualType type, clang::SourceRange range) {
    const Level level(*this);
    if (depth_ > depth_limit) return open(UnravelTooDeep, range);
    std::size_t at = open(UnravelOtherType, range);
    set_type(at, type);
    if (const clang::ArrayType *array = context_.getAsArrayType(type)) {
      node(at).kind = UnravelArrayType;
      if (const auto *constant = llvm::dyn_cast<clang::ConstantArrayType>(array)) {
        std::size_t extent = open(UnravelInteger, range);
        node(extent).integer = static_cast<std::int64_t>(constant->getSize().getLimitedValue(INT64_MAX));
        node(extent).type = UnravelIntegral;
        close(at, extent);
      } else if (const auto *variable = llvm::dyn_cast<clang::VariableArrayType>(array);
                 variable && variable->getSizeExpr()) {
        close(at, expression(variable->getSizeExpr()));
      } else {
        absent(at);
      }
      close(at, this->type(array->getElementType(), range));
    } else if (type->isPointerType()) {
      node(at).kind = UnravelPointerType;
      close(at, this->type(type->getPointeeType(), range));
    } else if (type->isArithmeticType()) {
      node(at).kind = UnravelScalarType;
    }
    return at;
  }

  // ---- statements

  class Level {
  public:
    explicit Level(Writer &writer) : writer_(writer) { ++writer_.depth_; }
    ~Level() { --writer_.depth_; }

  private:
    Writer &writer_;
  };

  std::size_t statement(const clang::Stmt *given) {
    const Level level(*this);
    if (!given) return open(UnravelAbsent, clang::SourceRange());
    clang::SourceRange range = given->getSourceRange();
    if (depth_ > depth_limit) return open(UnravelTooDeep, range);
    if (const auto *attributed = llvm::dyn_cast<clang::AttributedStmt>(given))
      return statement(attributed->getSubStmt()); // #pragma unroll and the like
    if (const auto *one = llvm::dyn_cast<clang::Expr>(given)) return expression(one);
    if (const auto *block = llvm::dyn_cast<clang::CompoundStmt>(given)) {
      std::size_t at = open(UnravelBlock, range);
      for (const clang::Stmt *child : block->body())
        close(at, statement(child));
      return at;
    }
    if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(given)) return declarations(*declaration);
    if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(given)) {
      std::size_t at = open(UnravelFor, range);
      node(at).head_end = places_.end(loop->getRParenLoc());
      for (const clang::Stmt *child : {loop->getInit(), static_cast<const clang::Stmt *>(loop->getCond()),
                                       static_cast<const clang::Stmt *>(loop->getInc()), loop->getBody()})
        close(at, statement(child));
      return at;
    }
    if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(given)) {
      std::size_t at = open(UnravelIf, range);
      node(at).head_end = places_.end(branch->getRParenLoc());
      for (const clang::Stmt *child :
           {static_cast<const clang::Stmt *>(branch->getCond()), branch->getThen(), branch->getElse()})
        close(at, statement(child));
      return at;
    }
    if (const auto *result = llvm::dyn_cast<clang::ReturnStmt>(given)) {
      std::size_t at = open(UnravelReturn, range);
      close(at, statement(result->getRetValue()));
      return at;
    }
    std::size_t at = open(
        [&] {
          switch (given->getStmtClass()) {
          case clang::Stmt::NullStmtClass: return UnravelEmpty;
          case clang::Stmt::WhileStmtClass: return UnravelWhile;
          case clang::Stmt::DoStmtClass: return UnravelDo;
          case clang::Stmt::SwitchStmtClass: return UnravelSwitch;
          case clang::Stmt::GotoStmtClass:
          case clang::Stmt::IndirectGotoStmtClass: return UnravelGoto;
          case clang::Stmt::LabelStmtClass: return UnravelLabel;
          case clang::Stmt::BreakStmtClass: return UnravelBreak;
          case clang::Stmt::ContinueStmtClass: return UnravelContinue;
          default: return UnravelOtherStatement;
          }
        }(),
        range);
    node(at).text = result_.keep(given->getStmtClassName());
    return at;
  }

  std::size_t declarations(const clang::DeclStmt &statement) {
    std::size_t at = open(UnravelDeclare, statement.getSourceRange());
    for (const clang::Decl *each : statement.decls()) {
      const auto *variable = llvm::dyn_cast<clang::VarDecl>(each);
      if (!variable) { // typedef, struct, a function's declaration: what they name is seen where it is used
        continue;
      }
      if (llvm::APFloat value(0.0); is_constant(*variable, value))
        continue; // where it is used stands its value
      // The name, not the type before it, which several may share.
      std::size_t one =
          open(UnravelVariable, clang::SourceRange(variable->getLocation(), variable->getEndLoc()));
      declare(one, *variable);
      const clang::QualType own = variable->getType();
      const bool keeps_its_value = variable->isLocalVarDecl() && variable->getAnyInitializer() &&
                                   own.isConstQualified() && !own.isVolatileQualified() &&
                                   own->isArithmeticType();
      // A constant has its value in each call, static or not.
      if (!keeps_its_value && (!variable->isLocalVarDecl() || variable->hasGlobalStorage()))
        node(one).flags |= UnravelIsStatic;
      close(one, this->statement(variable->getInit()));
      close(one, type(variable->getType(), variable->getSourceRange()));
      close(at, one);
    }
    return at;
  }

  // ---- expressions

  std::size_t constant(const clang::Expr &given, const llvm::APSInt &value) {
    std::size_t at = open(UnravelInteger, given.getSourceRange());
    set_type(at, given.getType());
    bool fits = value.isUnsigned() ? value.getActiveBits() < 64 : value.getSignificantBits() <= 64;
    if (fits)
      node(at).integer = value.getExtValue();
    else
      node(at).kind = UnravelOtherExpression, node(at).text = "an integer beyond 64 bits";
    return at;
  }

  static double number_of(llvm::APFloat value) {
    bool inexact = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    return value.convertToDouble();
  }

  std::size_t constant(const clang::Expr &given, const llvm::APFloat &value) {
    std::size_t at = open(UnravelDecimal, given.getSourceRange());
    set_type(at, given.getType());
    node(at).decimal = number_of(value);
    return at;
  }

  /// Is it a floating constant, of the file or of a function? Its value then.
  bool is_constant(const clang::ValueDecl &declared, llvm::APFloat &value) const {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(&declared);
    const clang::Expr *initial = variable ? variable->getAnyInitializer() : nullptr;
    const clang::QualType type = declared.getType();
    return initial && type.isConstQualified() && !type.isVolatileQualified() && type->isRealFloatingType() &&
           initial->EvaluateAsFloat(value, context_, clang::Expr::SE_NoSideEffects);
  }

  std::size_t constant(const clang::Expr &given, const clang::APValue &complex) {
    std::size_t at = open(UnravelComplex, given.getSourceRange());
    set_type(at, given.getType());
    node(at).decimal = number_of(complex.getComplexFloatReal());
    node(at).imaginary = number_of(complex.getComplexFloatImag());
    return at;
  }

  template <class... Children>
  std::size_t over(UnravelSyntaxKind kind, const clang::Expr &whole, const std::string &text,
                   const Children *...children) {
    std::size_t at = open(kind, whole.getSourceRange());
    set_type(at, whole.getType());
    node(at).text = result_.keep(text);
    (close(at, expression(children)), ...);
    return at;
  }

  std::size_t expression(const clang::Expr *given) {
    const Level level(*this);
    if (depth_ > depth_limit) return open(UnravelTooDeep, given->getSourceRange());
    given = given->IgnoreParens();
    if (const auto *wrapped = llvm::dyn_cast<clang::ConstantExpr>(given)) given = wrapped->getSubExpr();
    // Constants are what C says they are: 1 / 2, sizeof, enumerators, const integers of the file.
    if (given->getType()->isIntegralOrEnumerationType() && !given->isValueDependent()) {
      clang::Expr::EvalResult value;
      if (given->EvaluateAsInt(value, context_, clang::Expr::SE_NoSideEffects))
        return constant(*given, value.Val.getInt());
    }
    // Complex ones too, but for real numbers among complex ones.
    const auto *converted = llvm::dyn_cast<clang::CastExpr>(given);
    if (given->getType()->isAnyComplexType() && given->isPRValue() &&
        !(converted && converted->getCastKind() == clang::CK_FloatingRealToComplex)) {
      clang::Expr::EvalResult value;
      if (given->EvaluateAsRValue(value, context_) && !value.HasSideEffects && value.Val.isComplexFloat())
        return constant(*given, value.Val);
    }
    if (const auto *literal = llvm::dyn_cast<clang::FloatingLiteral>(given))
      return constant(*given, literal->getValue());
    if (converted) return conversion(*converted);
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(given)) {
      if (llvm::APFloat value(0.0); is_constant(*reference->getDecl(), value)) return constant(*given, value);
      std::size_t at = over(UnravelReference, *given, reference->getDecl()->getNameAsString());
      node(at).declaration = number(reference->getDecl());
      const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      if (!variable || !variable->isLocalVarDeclOrParm()) node(at).flags |= UnravelIsNoParameter;
      return at;
    }
    if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(given))
      return over(UnravelSubscript, *given, "", subscript->getBase(), subscript->getIdx());
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(given)) {
      if (unary->getOpcode() == clang::UO_Extension) return expression(unary->getSubExpr());
      if (unary->getOpcode() == clang::UO_Deref)
        return over(UnravelDereference, *given, "", unary->getSubExpr());
      std::size_t at =
          over(UnravelUnary, *given, clang::UnaryOperator::getOpcodeStr(unary->getOpcode()).str(),
               unary->getSubExpr());
      if (unary->isPostfix()) node(at).flags |= UnravelIsPostfix;
      return at;
    }
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(given)) {
      std::size_t at = over(binary->isAssignmentOp() ? UnravelAssign : UnravelBinary, *given,
                            binary->getOpcodeStr().str(), binary->getLHS(), binary->getRHS());
      if (const auto *compound = llvm::dyn_cast<clang::CompoundAssignOperator>(given))
        if (!context_.hasSameUnqualifiedType(compound->getComputationResultType(), compound->getType()))
          node(at).flags |= UnravelComputesWider;
      return at;
    }
    if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(given))
      return over(UnravelConditional, *given, "", choice->getCond(), choice->getTrueExpr(),
                  choice->getFalseExpr());
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(given)) {
      std::size_t at = over(UnravelCall, *given, "", call->getCallee());
      for (const clang::Expr *argument : call->arguments())
        close(at, expression(argument));
      return at;
    }
    return over(UnravelOtherExpression, *given, given->getStmtClassName());
  }

  std::size_t conversion(const clang::CastExpr &cast) {
    const clang::Expr *operand = cast.getSubExpr();
    switch (cast.getCastKind()) {
    case clang::CK_LValueToRValue:
    case clang::CK_NoOp:
    case clang::CK_ArrayToPointerDecay:
    case clang::CK_FunctionToPointerDecay:
    case clang::CK_BuiltinFnToFnPtr: return expression(operand);
    case clang::CK_IntegralToFloating:
    case clang::CK_FloatingCast:
      if (llvm::APFloat value(0.0); cast.EvaluateAsFloat(value, context_, clang::Expr::SE_NoSideEffects)) {
        std::size_t at = constant(cast, value);
        if (cast.getCastKind() == clang::CK_IntegralToFloating) node(at).flags |= UnravelIsFromInteger;
        return at;
      }
      break;
    case clang::CK_IntegralCast:
    case clang::CK_IntegralToBoolean:
    case clang::CK_FloatingToIntegral:
    case clang::CK_FloatingToBoolean:
    case clang::CK_FloatingRealToComplex:
    case clang::CK_FloatingComplexToReal:
    case clang::CK_FloatingComplexToBoolean:
    case clang::CK_FloatingComplexCast:
    case clang::CK_ToVoid: break;
    default: return over(UnravelOtherExpression, cast, "a cast");
    }
    std::size_t at = over(UnravelCast, cast, "", operand);
    if (llvm::isa<clang::ExplicitCastExpr>(cast)) node(at).flags |= UnravelIsWritten;
    return at;
  }

  Result &result_;
  clang::ASTContext &context_;
  Places places_;
  llvm::DenseMap<const clang::Decl *, int> numbers_;
  int depth_ = 0;
};

class Consumer : public clang::ASTConsumer {
public:
  Consumer(Result &result, const std::string &function) : result_(result), function_(function) {}

  void HandleTranslationUnit(clang::ASTContext &context) override {
    if (context.getDiagnostics().hasErrorOccurred()) return;
    std::vector<const clang::FunctionDecl *> all;
    const clang::SourceManager &sources = context.getSourceManager();
    for (const clang::Decl *declaration : context.getTranslationUnitDecl()->decls()) {
      const auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
      if (!function || !function->doesThisDeclarationHaveABody()) continue;
      clang::SourceLocation at = sources.getExpansionLoc(function->getLocation());
      if (sources.getFileID(at) != sources.getMainFileID()) continue;
      all.push_back(function);
      result_.all_functions.push_back(result_.keep(function->getNameAsString()));
    }
    for (const clang::FunctionDecl *function : all)
      if (function->getName() == function_ || (function_.empty() && all.size() == 1))
        return Writer(result_, context).function(*function);
  }

private:
  Result &result_;
  std::string function_;
};

class Action : public clang::ASTFrontendAction {
public:
  Action(Result &result, const std::string &function) : result_(result), function_(function) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &, llvm::StringRef) override {
    return std::make_unique<Consumer>(result_, function_);
  }

private:
  Result &result_;
  std::string function_;
};

const UnravelSyntax *read(const char *path, const char *content, std::size_t size, const char *function) {
  const std::shared_lock<std::shared_mutex> lock(build::linker_mutex());
  auto *result = new Result;
  // As `cc` would see the file; assert() is no part of a loop nest.
  const std::vector<const char *> arguments = {
      "clang",         "-fsyntax-only",         "-std=gnu17", "-w", "-DNDEBUG", "-x", "c",
      "-resource-dir", UNRAVEL_CLANG_RESOURCES, "--",         path};
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> engine = new clang::DiagnosticsEngine(
      new clang::DiagnosticIDs, new clang::DiagnosticOptions, new FirstError(*result));
  clang::CreateInvocationOptions options;
  options.Diags = engine;
  std::shared_ptr<clang::CompilerInvocation> invocation = clang::createInvocation(arguments, options);
  if (invocation && !result->error) {
    const std::unique_ptr<llvm::MemoryBuffer> buffer =
        llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(content, size), path);
    invocation->getPreprocessorOpts().addRemappedFile(path, buffer.get());
    invocation->getPreprocessorOpts().RetainRemappedFileBuffers = true;
    invocation->getFrontendOpts().DisableFree = false; // else each syntax tree leaks
    find_deep_statement(invocation, [&](const clang::SourceManager &sources,
                                        const clang::LangOptions &language, clang::SourceRange range) {
      const Places places(sources, language);
      const std::size_t begin = places.begin(range.getBegin());
      result->first_error = {"", "", begin, std::max(begin, places.end(range.getEnd())), 0, 0, 1};
      result->error = &result->first_error;
    });
    if (!result->error)
      on_deep_stack([&] {
        clang::CompilerInstance compiler;
        compiler.setInvocation(invocation);
        compiler.setDiagnostics(engine.get());
        compiler.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
        Action action(*result, function);
        compiler.ExecuteAction(action);
      });
  }
  result->finish();
  return result;
}

void release(const UnravelSyntax *syntax) {
  delete static_cast<const Result *>(syntax);
}

} // namespace

} // namespace unravel::cfront

extern "C" __attribute__((visibility("default"))) const UnravelSyntaxReader *unravel_syntax_reader() {
  namespace cfront = unravel::cfront;
  static const UnravelSyntaxReader table = {unravel_syntax_version, cfront::read, cfront::release};
  return &table;
}
