#include "build/clang/compiler.h"

#include "build/clang/flags.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Host.h>

namespace unravel::build {

namespace {

/// -march=native is an option of the driver; cc1 wants it spelt out.
std::vector<std::string> cc1_arguments() {
  std::vector<std::string> arguments(std::begin(clang_flags), std::end(clang_flags));
  arguments.insert(arguments.end(), {"-triple", llvm::sys::getProcessTriple()});
  arguments.insert(arguments.end(), {"-target-cpu", llvm::sys::getHostCPUName().str()});
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    // Clang 19 warns about every combination with avx10.
    if (feature.first().starts_with("avx10")) continue;
    arguments.insert(arguments.end(),
                     {"-target-feature", (feature.second ? "+" : "-") + feature.first().str()});
  }
  arguments.push_back("kernel.c");
  return arguments;
}

} // namespace

Object compile_object(const char *text, std::size_t size) {
  static const std::vector<std::string> arguments = cc1_arguments();
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());

  Object object;
  llvm::raw_string_ostream diagnostics(object.diagnostics);
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options = new clang::DiagnosticOptions;
  options->ShowColors = 0;
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> engine = new clang::DiagnosticsEngine(
      new clang::DiagnosticIDs, options, new clang::TextDiagnosticPrinter(diagnostics, options.get()));
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, *engine)) return object;

  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text, size), "kernel.c");
  invocation->getFrontendOpts().Inputs = {
      clang::FrontendInputFile(buffer->getMemBufferRef(), clang::InputKind(clang::Language::C))};
  // Otherwise Clang, which takes the process to end after one text, leaks each syntax tree.
  invocation->getFrontendOpts().DisableFree = false;
  invocation->getCodeGenOpts().DisableFree = false;

  clang::CompilerInstance compiler;
  compiler.setInvocation(std::move(invocation));
  compiler.setDiagnostics(engine.get());
  compiler.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
  compiler.createFileManager(llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>());
  compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(object.code));
  clang::EmitObjAction action;
  object.made = compiler.ExecuteAction(action) && !engine->hasErrorOccurred();
  return object;
}

} // namespace unravel::build
