// The text passes the compilers that people use, without a warning, as C99 and as C++.
#include "emit/emit.h"
#include "emit/read_kernel.h"
#include "golden.h"
#include "loop/verify.h"
#include "places.h"
#include "scratch_folder.h"

#include <cctype>
#include <set>
#include <tuple>

using namespace unravel;

namespace {

std::vector<loop::Program> programs() {
  std::vector<loop::Program> result;
  for (const std::string &name : test::golden_names("emit", "kernel_"))
    for (const std::string &input : test::golden_inputs("emit", name))
      result.push_back(test::read_kernel(input));
  return result;
}

struct Compiler {
  std::string program;
  std::string flags;
};

/// Compiles the files with every compiler that is installed, with and without OpenMP.
void expect_clean(const test::ScratchFolder &folder, const std::vector<std::string> &files,
                  const std::vector<Compiler> &compilers) {
  bool any = false;
  for (const Compiler &compiler : compilers) {
    if (!test::is_installed(compiler.program)) {
      std::cout << compiler.program << " is not installed\n";
      continue;
    }
    any = true;
    for (const char *openmp : {"", " -fopenmp"})
      for (const std::string &file : files)
        EXPECT_EQ(folder.run(compiler.program + " " + compiler.flags + openmp +
                             " -Wall -Wextra -pedantic -Werror -O1 -c " + file + " -o " +
                             folder.path("out.o")),
                  "")
            << file;
  }
  if (!any) GTEST_SKIP() << "no compiler is installed";
}

std::set<std::string> words_of(const std::string &text) {
  std::set<std::string> words;
  std::string word;
  for (char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      word += c;
    } else {
      words.insert(word);
      word.clear();
    }
  }
  return words;
}

const std::vector<Compiler> c_compilers = {{"gcc", "-std=c99 -Wshadow"}, {"clang-19", "-std=c99 -Wshadow"}};
const std::vector<Compiler> all_compilers = {{"gcc", "-std=c99 -Wshadow"},
                                             {"clang-19", "-std=c99 -Wshadow"},
                                             {"g++", "-x c++ -std=c++17"},
                                             {"clang++-19", "-x c++ -std=c++17"}};

/// What masked vectors need: without it their text isn't read.
std::vector<Compiler> with_masks(std::vector<Compiler> compilers) {
  for (Compiler &compiler : compilers)
    compiler.flags += " -mavx512f -mavx512vl";
  return compilers;
}

} // namespace

TEST(EmitCompile, masked_steps_are_clean) {
#ifndef __x86_64__
  GTEST_SKIP() << "no processor with masked vectors";
#endif
  test::ScratchFolder folder;
  std::vector<std::string> shipped, in_process;
  for (const std::string &input : test::golden_inputs("emit", "kernel_masked")) {
    loop::Program program = test::read_kernel(input);
    std::string name = emit::kernel_name(program);
    shipped.push_back(folder.write(name + ".c", emit::emit_c(program)));
    emit::EmitOptions options;
    options.in_process = true;
    in_process.push_back(folder.write(name + "_in_process.c", emit::emit_c(program, options)));
  }
  expect_clean(folder, shipped, with_masks(all_compilers));
  expect_clean(folder, in_process, with_masks(c_compilers));
}

/// The C that is the same for all kernels, with all of its parts.
TEST(EmitCompile, embedded_files_are_clean_as_they_are) {
  test::ScratchFolder folder;
  std::vector<std::string> files;
  for (const auto &entry :
       std::filesystem::directory_iterator(unravel::test::source_folder() + "/src/emit/c"))
    files.push_back(entry.path().string());
  EXPECT_FALSE(files.empty());
  expect_clean(folder, files, c_compilers);
#ifdef __x86_64__
  expect_clean(folder, files, with_masks(c_compilers));
#endif
}

TEST(EmitCompile, shipped_files_are_clean_in_c_and_cpp) {
  test::ScratchFolder folder;
  std::vector<std::string> files;
  for (const loop::Program &program : programs())
    files.push_back(folder.write(emit::kernel_name(program) + ".c", emit::emit_c(program)));
  expect_clean(folder, files, all_compilers);
}

TEST(EmitCompile, headers_go_with_their_files_and_with_each_other) {
  test::ScratchFolder folder;
  std::string all;
  std::vector<std::string> files;
  for (const loop::Program &program : programs()) {
    emit::EmitOptions options;
    options.with_header = true;
    std::string name = emit::kernel_name(program);
    folder.write(name + ".h", emit::emit_header(program));
    files.push_back(folder.write(name + ".c", emit::emit_c(program, options)));
    if (name != "dot") all += "#include \"" + name + ".h\"\n"; // its sv has 64-bit indices: another struct
  }
  files.push_back(folder.write("all.c", all));
  expect_clean(folder, files, all_compilers);
}

TEST(EmitCompile, in_process_text_includes_nothing_and_is_clean) {
  test::ScratchFolder folder;
  std::vector<std::string> files;
  for (const loop::Program &program : programs()) {
    emit::EmitOptions options;
    options.in_process = true;
    std::string text = emit::emit_c(program, options);
    EXPECT_EQ(text.find("#include"), std::string::npos);
    files.push_back(folder.write(emit::kernel_name(program) + ".c", text));
  }
  expect_clean(folder, files, c_compilers);
}

TEST(EmitNames, only_safe_identifiers_reach_the_text) {
  // Every name of the program is one that can't be an identifier here.
  const std::vector<std::string> hard = {"int",
                                         "class",
                                         "errno",
                                         "y0",
                                         "j1",
                                         "restrict",
                                         "main",
                                         "_x",
                                         "omp_a",
                                         "a__b",
                                         "double",
                                         "unravel",
                                         "NULL",
                                         "memset",
                                         "index",
                                         "auto",
                                         "kmp_x",
                                         "I",
                                         "unravel_minimum",
                                         "UNRAVEL_RESTRICT"};
  for (const std::string &name : hard) {
    std::string input = R"(kernel @
expression e
result @ : @(@)
  value val[@.@] : float64
operand B : k(N)
  index @[B.N] : int32
{
  for @ in 0 .. @.@ {
    let @.p = 2*B.@(@)
    let @#2.p = 3*@.p
    value s = 1
    @.val[@.p + @#2.p] = s * s
  }
}
)";
    for (std::size_t at = 0; (at = input.find('@', at)) != std::string::npos;)
      input.replace(at, 1, name);
    loop::Program program = test::read_kernel(input);
    loop::verify(program);
    std::string text = emit::emit_c(program);
    // Words of the text itself; every other hard name must have become something else.
    static const std::set<std::string> ours = {"int", "double", "restrict", "UNRAVEL_RESTRICT"};
    if (!ours.contains(name)) {
      EXPECT_FALSE(words_of(text.substr(text.find("*/"))).contains(name)) << name << "\n" << text;
    }
    test::ScratchFolder folder;
    std::string file = folder.write("names.c", text);
    for (const Compiler &compiler : all_compilers)
      if (test::is_installed(compiler.program) && compiler.program[0] == 'g') {
        EXPECT_EQ(folder.run(compiler.program + " " + compiler.flags +
                             " -fsyntax-only -Wall -Wextra -pedantic -Werror " + file),
                  "")
            << text;
      }
  }
}

TEST(EmitCompile, inner_loops_over_diagonals_and_slots_use_vectors) {
#ifndef __x86_64__
  GTEST_SKIP() << "the compilers' reports are known for AVX-512 alone";
#endif
  // Nothing is run. Compilers that don't know this processor would tune for none, and then gather nothing.
  test::ScratchFolder folder;
  const char *flags = " -std=gnu99 -O3 -march=skylake-avx512 -fopenmp -ffp-contract=fast -fno-math-errno "
                      "-fassociative-math -fno-signed-zeros -fno-trapping-math -c ";
  for (const std::string &input : test::golden_inputs("emit", "kernel_simd")) {
    std::string text = emit::emit_c(test::read_kernel(input));
    std::string file = folder.write("kernel.c", text);
    for (auto [compiler, report, done] :
         {std::tuple("gcc", "-fopt-info-vec-optimized", "loop vectorized using"),
          std::tuple("clang-19", "-Rpass=loop-vectorize", "vectorized loop")}) {
      if (!test::is_installed(compiler)) continue;
      std::string said =
          folder.run(std::string(compiler) + flags + report + " " + file + " -o " + folder.path("kernel.o"));
      EXPECT_NE(said.find(done), std::string::npos) << compiler << "\n" << text << said;
    }
  }
}
