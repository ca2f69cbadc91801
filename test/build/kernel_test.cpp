#include "build/kernel.h"

#include "build/back_end.h"
#include "build/scene.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <cmath>
#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <thread>

namespace unravel::build {

namespace {

using scene::function;

Options uncached() {
  Options options;
  options.cache = false;
  return options;
}

report::Diagnostic failure_of(const std::string &text, const Options &options) {
  try {
    compile(text, options);
  } catch (const report::Error &error) {
    return error.diagnostic();
  }
  ADD_FAILURE() << "the text compiles";
  return {};
}

/// The file that the message names is read, deleted and replaced by FILE.
std::string take_kept_text(std::string &message) {
  std::size_t first = message.find('`') + 1, last = message.find('`', first);
  std::string path = message.substr(first, last - first);
  std::string text = read_file(path).value_or("");
  std::filesystem::remove(path);
  message.replace(first, last - first, "FILE");
  return text;
}

/// The set of threads that ran, as the kernel of `parallel_text` tells.
void expect_two_threads(const Kernel &kernel) {
  kernel.set_threads(2);
  std::vector<int> ids(8, -1);
  EXPECT_EQ(function<int(int *, int)>(kernel, "threads")(ids.data(), 8), 2);
  EXPECT_EQ(std::set<int>(ids.begin(), ids.end()), (std::set<int>{0, 1}));
}

} // namespace

TEST(Kernel, callsAFunction) {
  Kernel kernel = compile(scene::plain_text(1), uncached());
  EXPECT_EQ(function<double(double)>(kernel, "twice")(21), 42);
  EXPECT_FALSE(kernel.timing().cached);
  EXPECT_GT(kernel.timing().milliseconds, 0);
}

TEST(Kernel, keepsItsCodeAsLongAsAHandle) {
  Kernel copy = compile(scene::plain_text(2), uncached());
  {
    Kernel other = compile(scene::plain_text(3), uncached());
    std::swap(copy, other);
  }
  EXPECT_EQ(function<double(double)>(copy, "twice")(1), 2);
}

TEST(Kernel, saysThatAFunctionIsMissing) {
  Kernel kernel = compile(scene::plain_text(4), uncached());
  try {
    kernel.symbol("thrice");
    FAIL();
  } catch (const report::Error &error) {
    EXPECT_EQ(report::name_of(error.diagnostic().kind), "internal");
    EXPECT_EQ(error.diagnostic().message, "the compiled kernel has no function `thrice`");
  }
}

TEST(Kernel, runsLoopsOnTwoThreads) {
  expect_two_threads(compile(scene::parallel_text(), uncached()));
}

TEST(Kernel, runsLoopsOnOneThreadWhenAsked) {
  Kernel kernel = compile(scene::parallel_text(), uncached());
  kernel.set_threads(1);
  std::vector<int> ids(8, -1);
  EXPECT_EQ(function<int(int *, int)>(kernel, "threads")(ids.data(), 8), 1);
}

TEST(Kernel, takesNoThreadsWithoutParallelLoops) {
  Kernel kernel = compile(scene::plain_text(5), uncached());
  kernel.set_threads(2);
  EXPECT_THROW(kernel.set_threads(-1), report::Error);
}

TEST(Kernel, keepsNanAndInfinity) {
  Kernel kernel = compile("int is_nan(double x) { return x != x; }\n"
                          "int is_finite(double x) { return x - x == 0; }\n"
                          "double sum(const double *x, long n) {\n"
                          "  double s = 0; for (long k = 0; k < n; ++k) s += x[k]; return s;\n"
                          "}\n",
                          uncached());
  double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(function<int(double)>(kernel, "is_nan")(nan));
  EXPECT_FALSE(function<int(double)>(kernel, "is_nan")(1));
  EXPECT_TRUE(function<int(double)>(kernel, "is_finite")(1));
  EXPECT_FALSE(function<int(double)>(kernel, "is_finite")(infinity));
  std::vector<double> values(100, 1);
  auto *sum = function<double(const double *, long)>(kernel, "sum");
  values[63] = nan;
  EXPECT_TRUE(std::isnan(sum(values.data(), 100)));
  values[63] = -infinity;
  EXPECT_EQ(sum(values.data(), 100), -infinity);
}

// 2^53 + 1 rounds to 2^53: summed in the order of the text, every 1 is lost; with several partial sums, as
// vectorising needs, only those are that meet the large term.
TEST(Kernel, mayReassociateSums) {
  Kernel kernel = compile("double sum(const double *x, long n) {\n"
                          "  double s = 0; for (long k = 0; k < n; ++k) s += x[k]; return s;\n"
                          "}\n",
                          uncached());
  std::vector<double> values(1024, 1);
  values[0] = 9007199254740992.0;
  EXPECT_GT(function<double(const double *, long)>(kernel, "sum")(values.data(), 1024), 9007199254740992.0);
}

TEST(Kernel, callsWhatIsAllowed) {
  Kernel kernel = compile("void *malloc(unsigned long); void free(void *); double sin(double);\n"
                          "void *memset(void *, int, unsigned long);\n"
                          "double f(unsigned long n) {\n"
                          "  char *p = malloc(n); if (!p) return -1;\n"
                          "  memset(p, 1, n); double s = sin(p[n / 2]); free(p); return s;\n"
                          "}\n",
                          uncached());
  EXPECT_DOUBLE_EQ(function<double(unsigned long)>(kernel, "f")(1000), std::sin(1.0));
}

TEST(Kernel, refusesATextThatDoesNotCompile) {
  std::string text = "int f(void) { return nowhere; }\n";
  report::Diagnostic diagnostic = failure_of(text, uncached());
  EXPECT_EQ(report::name_of(diagnostic.kind), "kernel-does-not-compile");
  EXPECT_EQ(diagnostic.hint, "please report this as a bug, with that file");
  std::string message = diagnostic.message;
  EXPECT_EQ(take_kept_text(message), text);
  // What follows the first line is the compiler's, and theirs differ.
  std::string start =
      "the generated C does not compile (its text is in `FILE`), the compiler says:\nkernel.c:1:22: ";
  std::string said = message.substr(message.find('\n'));
  if (back_end_name().starts_with("clang"))
    EXPECT_EQ(message, "the generated C does not compile (its text is in `FILE`), the compiler says:\n"
                       "kernel.c:1:22: error: use of undeclared identifier 'nowhere'\n"
                       "    1 | int f(void) { return nowhere; }\n"
                       "      |                      ^");
  else
    EXPECT_NE(message.find("kernel.c:1:22: error: "), std::string::npos) << message;
  EXPECT_NE(said.find("nowhere"), std::string::npos);
}

TEST(Kernel, refusesWhatIsNotAllowed) {
  report::Diagnostic diagnostic =
      failure_of("int system(const char *); int f(void) { return system(\"true\"); }\n", uncached());
  EXPECT_EQ(report::name_of(diagnostic.kind), "kernel-does-not-compile");
  std::string message = diagnostic.message;
  take_kept_text(message);
  EXPECT_EQ(message, "the generated C does not compile (its text is in `FILE`), the compiler says:\n"
                     "kernel.c: error: `system` is not among the functions that a kernel may call");
}

TEST(Kernel, refusesUndeclaredFunctionsAndHeaders) {
  for (const char *text :
       {"double f(double x) { return undeclared(x); }\n", "#include <stdlib.h>\nint x;\n"}) {
    std::string message = failure_of(text, uncached()).message;
    EXPECT_EQ(take_kept_text(message), text);
  }
}

TEST(Kernel, leavesNothingInTheScratchFolder) {
  PrivateFolder scratch, cache;
  scene::Environment environment("TMPDIR", scratch.path());
  compile(scene::plain_text(6), scene::cached_in(cache));
  compile(scene::plain_text(7), uncached());
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(Kernel, isCompiledByManyThreadsAtOnce) {
  PrivateFolder cache;
  std::vector<double> results(8);
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k)
    threads.emplace_back([&, k] {
      Kernel kernel = compile(scene::plain_text(20 + k / 2), scene::cached_in(cache));
      results[k] = function<double(double)>(kernel, "twice")(k);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int k = 0; k < 8; ++k)
    EXPECT_EQ(results[k], 2 * k);
  EXPECT_EQ(scene::files_in(cache.path(), ".so").size(), 4u);
}

TEST(ChildOfKernel, DISABLED_handlesNoSignal) {
  auto handled = [] {
    std::string status = *read_file("/proc/self/status");
    std::size_t first = status.find("SigCgt:");
    return status.substr(first, status.find('\n', first) - first);
  };
  std::string before = handled();
  compile(scene::plain_text(30));
  EXPECT_EQ(handled(), before);
}

TEST(Kernel, leavesTheSignalsOfTheProgramAlone) {
  PrivateFolder cache;
  EXPECT_EQ(scene::wait_for(scene::start_child("ChildOfKernel.DISABLED_handlesNoSignal",
                                               {"UNRAVEL_CACHE_DIR=" + cache.path()})),
            0);
}

TEST(PrivateFolder, saysThatItCannotBeMade) {
  scene::Environment environment("TMPDIR", "/proc/nowhere");
  try {
    PrivateFolder folder;
    FAIL();
  } catch (const report::Error &error) {
    EXPECT_EQ(report::name_of(error.diagnostic().kind), "cannot-write");
    EXPECT_EQ(error.diagnostic().message,
              "can't make a folder in `/proc/nowhere`: No such file or directory");
    EXPECT_EQ(error.diagnostic().hint, "name a folder that can be written with `TMPDIR`");
  }
}

TEST(BackEnd, hasAName) {
  std::string name = back_end_name();
  EXPECT_TRUE(name.ends_with(" in process") || name.ends_with(" system compiler")) << name;
}

TEST(BackEnd, saysThatTheSystemCompilerIsMissing) {
  try {
    system_back_end("/nowhere/cc -m64")->build("int x;\n", false);
    FAIL();
  } catch (const report::Error &error) {
    EXPECT_EQ(report::name_of(error.diagnostic().kind), "no-compiler");
    EXPECT_EQ(error.diagnostic().message,
              "can't run the C compiler `/nowhere/cc`: No such file or directory");
    EXPECT_EQ(error.diagnostic().hint, "install a C compiler, or name one with `CC`");
  }
}

TEST(ChildOfKernel, DISABLED_findsNoModule) {
  try {
    in_process_back_end()->build("int x;\n", false);
    FAIL();
  } catch (const report::Error &error) {
    EXPECT_EQ(report::name_of(error.diagnostic().kind), "no-compiler");
    EXPECT_EQ(error.diagnostic().message,
              "can't load the in-process compiler: /nowhere/module.so: cannot open shared "
              "object file: No such file or directory");
    EXPECT_EQ(error.diagnostic().hint,
              "install Unravel with its module, or name the module's file with `UNRAVEL_JIT_MODULE`");
  }
}

TEST(BackEnd, saysThatTheModuleIsMissing) {
  EXPECT_EQ(scene::wait_for(scene::start_child("ChildOfKernel.DISABLED_findsNoModule",
                                               {"UNRAVEL_JIT_MODULE=/nowhere/module.so"})),
            0);
}

/// The host holds GNU's OpenMP runtime too, where names such as omp_get_thread_num must not be taken from.
TEST(ChildOfKernel, DISABLED_runsBesideLibgomp) {
  ASSERT_TRUE(dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL));
  expect_two_threads(compile(scene::parallel_text()));
  forget_kernels();
  expect_two_threads(compile(scene::parallel_text()));
}

TEST(Kernel, runsBesideAnotherOpenmpRuntime) {
  if (!dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL)) GTEST_SKIP() << "there is no libgomp.so.1";
  PrivateFolder cache;
  for (int time = 0; time < 2; ++time)
    EXPECT_EQ(scene::wait_for(scene::start_child("ChildOfKernel.DISABLED_runsBesideLibgomp",
                                                 {"UNRAVEL_CACHE_DIR=" + cache.path()})),
              0);
}

} // namespace unravel::build
