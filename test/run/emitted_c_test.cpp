// The C that people take away: many kernels in one translation unit, compiled without a warning as C99 and as
// C++ by gcc and clang, with and without OpenMP, and run under the sanitizers on data that stand in the text.
#include "emit/emit.h"
#include "report/diagnostic.h"
#include "run/compiled.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <set>
#include <sstream>

using namespace unravel;
using namespace unravel::run::test;

namespace {

template <class Value> std::string initialiser(const std::vector<Value> &values) {
  std::ostringstream text;
  text.precision(17);
  for (std::size_t k = 0; k < values.size(); ++k)
    text << (k ? ", " : "{") << values[k];
  return values.empty() ? "{0}" : text.str() + "}";
}

std::string type_of(const data::Elements &elements) {
  switch (elements.type()) {
  case data::DType::Int32: return "int32_t";
  case data::DType::Int64: return "int64_t";
  case data::DType::Float32: return "float";
  case data::DType::Float64: return "double";
  default: break;
  }
  ADD_FAILURE() << "an element type that kernels don't have";
  return "";
}

/// The types of the structs in a kernel's prototype, in order.
std::vector<std::string> parameter_types(const std::string &c_text, const std::string &kernel) {
  std::size_t begin = c_text.find("int " + kernel + "(") + kernel.size() + 5;
  std::istringstream parameters(c_text.substr(begin, c_text.find(')', begin) - begin));
  std::vector<std::string> types;
  std::string parameter;
  while (std::getline(parameters, parameter, ',')) {
    std::istringstream words(parameter);
    std::string word;
    words >> word;
    if (word == "const") words >> word;
    types.push_back(word);
  }
  return types;
}

/// The struct types that a text defines, by name, with the guard that tells different ones apart.
std::map<std::string, std::string> structs_of(const std::string &c_text) {
  std::map<std::string, std::string> structs;
  std::istringstream lines(c_text);
  std::string line, guard;
  while (std::getline(lines, line)) {
    if (line.rfind("#define UNRAVEL_STRUCT", 0) == 0) guard = line.substr(8);
    if (line.rfind("typedef struct ", 0) == 0) structs[line.substr(15, line.find(' ', 15) - 15)] = guard;
  }
  return structs;
}

/// A kernel with cases, as C text: the kernel, its data, and a function for each case that returns how many
/// elements of the result are wrong.
struct Unit {
  std::string text;
  std::map<std::string, std::string> structs;
  std::vector<std::string> functions;
};

void add_case(const PackedCase &input, const pipeline::Compilation &compilation, const std::string &kernel,
              const std::string &name, const std::vector<std::string> &types, double tolerance, Unit &unit) {
  std::ostringstream text;
  std::string body, arguments, before, after;
  bool works = !compilation.program.workspace.empty(); // the last of the types
  for (std::size_t k = 0; k < types.size() - works; ++k) {
    tensor::Tensor packed = input.tensors.at(compilation.combination.bindings[k].tensor);
    tensor::KernelArguments numbers = tensor::kernel_arguments(packed);
    std::string variable = "t" + std::to_string(k), members;
    for (const std::vector<std::int64_t> &group : {numbers.sizes, numbers.counts})
      for (std::int64_t number : group)
        members += (members.empty() ? "" : ", ") + std::to_string(number);
    for (const layout::Array &array : packed.layout.arrays) {
      const data::Elements &elements = packed.array(array.name);
      std::string data = name + "_" + variable + "_" + array.name;
      std::vector<double> values;
      for (std::size_t e = 0; e < elements.size(); ++e)
        values.push_back(elements.real(e));
      // An array of its exact size: the sanitizer sees what is read behind it.
      text << "static " << type_of(elements) << " " << data << "["
           << std::max<std::size_t>(1, elements.size()) << "] = " << initialiser(values) << ";\n";
      members += (members.empty() ? "" : ", ") + data;
      if (k == 0) body += "  return wrong(" + data + ", " + name + "_expected, " + name + "_bound, ";
    }
    text << "static " << types[k] << " " << name << "_" << variable << " = {" << members << "};\n";
    arguments += (k ? ", &" : "&") + name + "_" + variable;
  }
  if (works) {
    const std::string &work = types.back();
    before = "  " + work + " work;\n  int code;\n  " + work + "_init(&work);\n  code = ";
    after = ";\n  " + work + "_free(&work);\n  if (code != 0) return 1;\n";
    arguments += ", &work";
  } else {
    before = "  if (";
    after = " != 0) return 1;\n";
  }
  // The reference is row-major; so are the results here.
  std::vector<double> bounds;
  for (double magnitude : input.expected.magnitude)
    bounds.push_back(tolerance * magnitude);
  text << "static double " << name << "_expected[] = " << initialiser(input.expected.value) << ";\n"
       << "static double " << name << "_bound[] = " << initialiser(bounds) << ";\n"
       << "static int " << name << "(void) {\n"
       << before << kernel << "(" << arguments << ")" << after << body << input.expected.value.size()
       << ");\n}\n";
  unit.text += text.str();
  unit.functions.push_back(name);
}

std::string main_text(const std::vector<std::string> &functions) {
  std::string text = "int main(void) {\n  int bad = 0, n = 0;\n";
  for (const std::string &function : functions)
    text += "  n = " + function + "(); if (n) { bad++; printf(\"" + function + ": %d wrong\\n\", n); }\n";
  return text + "  return bad != 0;\n}\n";
}

std::string prelude(loop::ElementType value) {
  std::string type = value == loop::ElementType::Float32 ? "float" : "double";
  return "#include <stdint.h>\n#include <stdio.h>\n"
         "static int wrong(const " +
         type +
         " *got, const double *expected, const double *bound, int n) {\n"
         "  int k, bad = 0;\n"
         "  for (k = 0; k < n; k++) {\n"
         "    double off = (double)got[k] - expected[k];\n"
         "    if (!(off <= bound[k] && -off <= bound[k])) bad++;\n"
         "  }\n  return bad;\n}\n";
}

bool is_installed(const std::string &program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

class Folder {
public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "unravel-units-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  std::string path(const std::string &name) const { return (path_ / name).string(); }

  /// What a command printed; empty where it succeeded in silence.
  std::string run(const std::string &command) const {
    int status = std::system((command + " > " + path("log") + " 2>&1").c_str());
    std::ifstream file(path("log"));
    std::ostringstream log;
    log << file.rdbuf();
    return status == 0 && log.str().empty() ? "" : command + "\n" + log.str().substr(0, 4000);
  }

private:
  std::filesystem::path path_;
};

/// Packed tensors of every kind; where a layout can't be packed, small ones.
std::vector<PackedCase> cases_of(const Problem &problem, const pipeline::Compilation &compilation,
                                 std::mt19937_64 &random) {
  std::vector<PackedCase> cases;
  try {
    Packer packer(problem);
    for (const Sizes &sizes : sizes_of_all_kinds(packer.front().computation))
      if (std::optional<PackedCase> input = packer.draw(sizes, random)) cases.push_back(std::move(*input));
  } catch (const report::Error &) {
    Interpreted small(problem);
    for (const Sizes &sizes : small_sizes(compilation.computation))
      for (const SmallCase &input : small.inputs(sizes, 1, random))
        cases.push_back(packed(input, compilation, problem));
  }
  return cases;
}

/// Kernels of a sample, as many to a unit as have structs of the same names and members.
std::vector<Unit> units_of(loop::ElementType index, loop::ElementType value, std::size_t count,
                           std::uint64_t seed) {
  std::vector<Unit> units;
  std::mt19937_64 random(seed);
  std::vector<Problem> problems = sample_of(all_problems(), count, seed);
  problems.resize(std::min(problems.size(), count));
  for (const ArrayState &each : array_states())
    problems.push_back(each.problem);
  std::vector<Problem> literature = literature_sample(count, seed);
  literature.resize(std::min(literature.size(), count));
  problems.insert(problems.end(), literature.begin(), literature.end());
  std::size_t number = 0;
  for (Problem problem : problems) {
    if (problem.formats.count("C") && problem.formats.at("C") == "dense<1,0>") problem.formats["C"] = "dense";
    problem.index = index;
    problem.value = value;
    problem.name = "kernel_" + std::to_string(number++);
    pipeline::Compilation compilation = pipeline::compile(problem.request());
    Unit one;
    one.text = emit::emit_c(compilation.program);
    one.structs = structs_of(one.text);
    std::vector<std::string> types = parameter_types(one.text, problem.name);
    std::vector<PackedCase> cases = cases_of(problem, compilation, random);
    for (std::size_t k = 0; k < cases.size(); ++k)
      add_case(cases[k], compilation, problem.name, problem.name + "_case_" + std::to_string(k), types,
               value == loop::ElementType::Float32 ? 1e-5 : 1e-12, one);
    auto fits = [&](const Unit &unit) {
      return std::all_of(one.structs.begin(), one.structs.end(), [&](const auto &own) {
        auto other = unit.structs.find(own.first);
        return other == unit.structs.end() || other->second == own.second;
      });
    };
    auto place = std::find_if(units.begin(), units.end(), fits);
    if (place == units.end()) place = units.insert(units.end(), Unit{prelude(value), {}, {}});
    place->text += one.text;
    place->structs.merge(one.structs);
    place->functions.insert(place->functions.end(), one.functions.begin(), one.functions.end());
  }
  return units;
}

void compile_and_run(const Unit &unit, const std::string &compiler, const std::string &openmp) {
  Folder folder;
  std::ofstream(folder.path("unit.c")) << unit.text << main_text(unit.functions);
  // Clang says so where the sanitizers' checks keep a simd loop from being one.
  std::string command =
      compiler + openmp +
      " -Wall -Wextra -pedantic -Werror -Wno-pass-failed -O1 -g1 -fsanitize=address,undefined "
      "-fno-sanitize-recover=all " +
      folder.path("unit.c") + " -o " + folder.path("unit");
  std::string complaint = folder.run(command);
  EXPECT_EQ(complaint, "");
  if (complaint.empty()) {
    EXPECT_EQ(folder.run("env ASAN_OPTIONS=detect_leaks=0 OMP_NUM_THREADS=2 " + folder.path("unit")), "");
  }
  if (testing::Test::HasFailure() && std::getenv("UNRAVEL_KEEP"))
    std::filesystem::copy(folder.path("unit.c"), std::getenv("UNRAVEL_KEEP"),
                          std::filesystem::copy_options::overwrite_existing);
}

} // namespace

TEST(EmittedC, many_kernels_to_a_unit_under_the_sanitizers) {
  struct Compiler {
    std::string program, flags;
  };
  const std::vector<Compiler> compilers = {{"gcc", " -x c -std=c99"},
                                           {"clang-19", " -x c -std=c99"},
                                           {"g++", " -x c++ -std=c++17"},
                                           {"clang++-19", " -x c++ -std=c++17"}};
  std::size_t kernels = take_all() ? 40 : 14, cases = 0, number = 0;
  bool any = false;
  for (bool wide : {false, true}) {
    std::vector<Unit> units =
        units_of(wide ? loop::ElementType::Int64 : loop::ElementType::Int32,
                 wide ? loop::ElementType::Float32 : loop::ElementType::Float64, kernels, wide ? 22 : 21);
    for (const Unit &unit : units) {
      cases += unit.functions.size();
      for (std::size_t k = 0; k < compilers.size(); ++k)
        for (const char *openmp : {"", " -fopenmp"}) {
          // By default each unit goes through two compilers, one with and one without OpenMP.
          bool chosen = (k + number) % 2 == 0 && (*openmp == '\0') == (k / 2 == number / 2 % 2);
          if (!is_installed(compilers[k].program) || (!take_all() && !chosen)) continue;
          any = true;
          compile_and_run(unit, compilers[k].program + compilers[k].flags, openmp);
        }
      ++number;
    }
  }
  std::cout << number << " units, " << cases << " cases\n";
  if (!any) GTEST_SKIP() << "no compiler is installed";
}
