// Values of every type: random types and layouts for each computation, against the reference evaluator, which
// computes exactly in the statements' types; by the interpreter on small inputs, and as C.
#include "convert/pack.h"
#include "emit/emit.h"
#include "report/diagnostic.h"
#include "run/compiled.h"
#include "run/parallel_reductions.h"
#include "run/sweep.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <unistd.h>

namespace unravel::run::test {

namespace {

using value::Type;

const std::vector<Type> &types() {
  static const std::vector<Type> all{Type::Int32,  Type::Int64,  Type::Float64, Type::Bool,
                                     Type::Int8,   Type::Int16,  Type::UInt8,   Type::UInt16,
                                     Type::UInt32, Type::UInt64, Type::Float32};
  return all;
}

/// Operators of the user's own, in front of the lines that use them.
const std::string own = own_reductions + "operator scaled(a, b) = a * 3 + b * b; "
                                         "operator positive(a) = max(a, 0); "
                                         "operator halfway(a, b) = (a + b) / 2; "
                                         "operator bounded(a, b, c) = min(max(positive(a), b), c); ";

const std::vector<std::string> &own_lines() {
  static const std::vector<std::string> all{
      "y(i) larger= A(i,j)",
      "y(i) lower= A(i,j) + x(j)",
      "s larger= A(i,j) * x(j)",
      "y(i) = larger(y(i), A(i,j))",
      "y(i) = scaled(A(i,j), x(j)) * x(j)",
      "y(i) += positive(A(i,j)) * x(j)",
      "y(i) = halfway(x(i), z(i))",
      "y(i) += bounded(A(i,j), x(j), 7)",
      "y(i) = A(i,j) * x(j) in larger.*",
      "y(i) = A(i,j) * x(j) in +.scaled",
      "y(j) = A(i,j) * x(i) in scaled_by.scaled",
      "y(j) = A(i,j) * x(i) in min.halfway",
      "C(i,j) = larger(A(i,j), B(i,j))",
      "C(i,j) = A(i,k) * B(k,j) in lower.+",
      "for i { let m = 0; for j { m larger= A(i,j); } y(i) = positive(m); }",
      "for i { let w(j) = 0; for j { w(j) scaled_by= A(i,j); } for j { y(i) max= scaled(w(j), x(j)); } }",
  };
  return all;
}

const std::vector<std::string> &lines() {
  static const std::vector<std::string> all{
      "y(i) = A(i,j) * x(j)",
      "y(i) += A(i,j) * x(j)",
      "y(j) = A(i,j) * x(i)",
      "y(i) = A(i,j) * x(j) + 3 * B(i,j) * z(j)",
      "C(i,j) = A(i,k) * B(k,j)",
      "s = A(i,j) * B(i,j)",
      "y(i) min= A(i,j) + x(j)",
      "y(i) = A(i,j) * x(j) in max.+",
      "y(i) = A(i,j) * x(j) in or.and",
      "y(i) = A(i,j) * x(j) in min.first",
      "t = A(i,j) * B(j,k) in plus.pair",
      "C(i,j) = max(A(i,j), B(i,j))",
      "C(i,j) = A(i,j) - 2 * B(j,i)",
      "y(i) = select(x(i) > z(i), x(i), min(z(i), 5))",
      "y(i) = abs(A(i,j)) * (x(j) - 1)",
      "y(i) = A(i,j) * x(j) in xor.and",
      "y(i) = x(i) / z(i)",
      "y(i) *= A(i,j)",
      "D(i,j) = A(i,j) * U(i,r) * V(j,r)",
      "for i { let a = 0; for j { a += A(i,j) * x(j); } y(i) = a * 2; }",
      "for i { let w(j) = 0; for j { w(j) += A(i,j); } for j { y(i) max= w(j) * x(j); } }",
  };
  return all;
}

/// What there is for complex numbers, too; results whose type isn't said.
const std::vector<std::string> &complex_lines() {
  static const std::vector<std::string> all{
      "y(i) = A(i,j) * x(j)",
      "y(i) += A(i,j) * x(j)",
      "y(j) = A(i,j) * x(i)",
      "y(i) = conj(A(i,j)) * x(j) + 3 * B(i,j) * z(j)",
      "C(i,j) = A(i,k) * B(k,j)",
      "s = conj(x(i)) * z(i)",
      "t = A(i,j) * conj(A(i,j))",
      "C(i,j) = A(i,j) - 2 * conj(B(j,i))",
      "y(i) = A(i,j) * x(j) in plus.first",
      "t = A(i,j) * B(j,k) in plus.pair",
      "y(i) = x(i) / z(i)",
      "y(i) = (x(i) - 1) / (2 * z(i) + 3)",
      "y(i) *= A(i,j)",
      "D(i,j) = A(i,j) * U(i,r) * V(j,r)",
      "y(i) = real(A(i,j)) * x(j)",
      "y(i) = real(A(i,j) * x(j)) - imag(B(i,j) * z(j))",
      "y(i) = abs(A(i,j) * x(j))",
      "y(i) = select(x(i) = z(i), x(i), 2 * z(i))",
      "y(i) = exp(0.25 * x(i)) * (sqrt(z(i)) + i)",
      "y(i) = sqrt(conj(z(i))) * tanh(x(i)) - log(3 + z(i))",
      "y(i) = real(sqrt(-z(i))) + sin(0.5 * x(i))",
      "y(i) += A(i,j) * sqrt(x(j) * z(i)) / (1 + abs(z(i)))",
      "for i { let a = log(1 + x(i) * z(i)); y(i) = a * cos(0.25 * x(i)) + sqrt(z(i)); }",
      "y(i) = any(x(i), z(i))",
      "for i { let a = 0; for j { a += A(i,j) * x(j); } y(i) = a * 2; }",
      "for i { let w(j) = 0; for j { w(j) += A(i,j); } for j { y(i) += conj(w(j)) * x(j); } }",
      "for i { let a = 0; for j { a += real(A(i,j) * x(j)); } y(i) = a / 4; }",
      "operator f(a, b) = a * b + a - conj(b); y(i) = f(x(i), z(i))",
      "y(i) = (1 - 2i) * A(i,j) * x(j) + 3i * z(i)",
      "C(i,j) = A(i,k) * B(k,j) * 2i - 1i * imag(A(i,j))",
      "for i { let a = 0.5i; for j { a += A(i,j) * x(j); } y(i) = a / (1 + 1i); }",
  };
  return all;
}

/// Any number of the type: of those with 64 bits, one that a double holds, and whose cube an f32 number holds
/// where there are such.
double any_number(Type type, bool has_singles, std::mt19937_64 &random) {
  const auto bits = static_cast<std::int64_t>(random());
  if (!value::is_integer(type)) return static_cast<double>(bits % 10); // of a complex one either part
  const bool is_wide = value::facts_of(type).bytes == 8;
  std::int64_t integer = random() % 2 ? bits % 20 : is_wide ? bits >> (has_singles ? 24 : 11) : bits;
  if (!value::facts_of(type).is_signed && is_wide) integer = std::abs(integer);
  return value::converted({Type::Int64, 0, integer}, type).number();
}

/// The problem with random types, and random layouts where it has none; of results some aren't said. Types
/// whose values are rounded only among themselves: where a rounded value becomes an integer, the reference
/// may round another way.
Problem with_types(Problem problem, std::mt19937_64 &random) {
  const std::string &text = problem.expression;
  const std::string line = text.starts_with(own)              ? text.substr(own.size())
                           : text.starts_with(own_reductions) ? text.substr(own_reductions.size())
                                                              : text;
  const bool integral = random() % 4 != 0;
  for (const char *tensor : {"A", "B", "x", "z", "U", "V", "y", "Y", "C", "D", "s", "t"}) {
    const std::size_t at = (" " + line).find(fmt::format("{}(", tensor)); // and not the end of `max(`
    const bool is_there = line.find(fmt::format(" {}(", tensor)) != std::string::npos ||
                          line.find(fmt::format("({}(", tensor)) != std::string::npos || at == 1;
    if (!is_there && !line.starts_with(fmt::format("{} ", tensor))) continue;
    const bool is_result = std::string("yYCDst").find(tensor) != std::string::npos;
    const char *const matrices[] = {"csr", "dcsr", "csc", "coo", "dense", "ell", "sell<2>", "bcsr<2,3>"};
    const auto given = problem.formats.find(tensor);
    const std::string layout = given != problem.formats.end()            ? given->second
                               : is_result || !problem.schedules.empty() ? "dense"
                               : *tensor == 'A'                          ? matrices[random() % 8]
                               : *tensor == 'B'                          ? matrices[random() % 5]
                               : random() % 3 == 0 && *tensor == 'x'     ? "sv"
                                                                         : "dense";
    if (is_result && random() % 3 == 0) continue;
    Type type = types()[random() % types().size()];
    if (integral && !value::is_integer(type)) type = Type::Int32;
    if (!integral && is_result) type = Type::Float64;
    problem.formats[tensor] = layout + " " + std::string(value::facts_of(type).word);
  }
  return problem;
}

Problem any_problem(const std::string &line, std::mt19937_64 &random) {
  return with_types({line, {}, {}, {}}, random);
}

/// The same with a complex operand at least, and results of whatever type that makes them.
Problem any_complex_problem(const std::string &line, std::mt19937_64 &random) {
  Problem problem = any_problem(line, random);
  std::erase_if(problem.formats, [](const auto &format) {
    return std::string("yCDst").find(format.first) != std::string::npos;
  });
  const std::size_t chosen = random() % problem.formats.size();
  std::size_t number = 0;
  for (auto &[tensor, format] : problem.formats) {
    if (number++ != chosen && random() % 2 == 0) continue;
    format = format.substr(0, format.find(' ')) + (random() % 3 == 0 ? " complex64" : " complex128");
  }
  return problem;
}

/// Each line, those with operators of the user's own, a sample of reductions that threads share, and lines
/// for complex numbers; and whether it is one of these.
std::vector<std::pair<Problem, bool>> any_problems(std::mt19937_64 &random) {
  std::vector<std::pair<Problem, bool>> all;
  for (const std::string &line : lines())
    all.emplace_back(any_problem(line, random), false);
  for (const std::string &line : own_lines())
    all.emplace_back(any_problem(own + line, random), false);
  for (const std::string &semiring : reducing_semirings) {
    const std::vector<Problem> shared = parallel_reductions(semiring);
    all.emplace_back(with_types(shared[random() % shared.size()], random), false);
  }
  for (const std::string &line : complex_lines())
    all.emplace_back(any_complex_problem(line, random), true);
  return all;
}

/// A case of these sizes.
std::optional<PackedCase> draw(const pipeline::Front &front, const Sizes &sizes, std::mt19937_64 &random) {
  PackedCase made;
  made.sizes = sizes;
  std::map<std::string, const data::Coordinates *> operands;
  const bool has_singles = std::ranges::any_of(
      front.types, [](const auto &type) { return value::type_of_parts(type.second) == Type::Float32; });
  for (const compute::TensorUse &use : front.computation.tensors) {
    const auto shape = shape_of(front.computation, use.name, sizes);
    if (!shape) return std::nullopt;
    const Type type = front.types.at(use.name);
    data::Coordinates drawn = random_tensor(*shape, use.is_result ? 1 : 0.5, false, random);
    for (double &number : drawn.value)
      number = any_number(type, has_singles, random);
    if (value::is_complex(type)) drawn.imaginary.resize(drawn.size());
    for (double &number : drawn.imaginary) // on the cuts of roots, too, from either side
      number = random() % 3 == 0 ? (random() % 2 ? 0.0 : -0.0) : any_number(type, has_singles, random);
    made.about += use.name + " " + std::string(value::facts_of(type).word) + " ";
    const tensor::Tensor &packed =
        made.tensors.emplace(use.name, convert::pack(front.layouts.at(use.name), drawn)).first->second;
    made.coordinates[use.name] = convert::unpack(packed); // what a layout pads with counts as stored
    if (use.is_result) {
      made.initial = data::to_dense(made.coordinates[use.name]);
      if (value::is_complex(type))
        made.imaginary = data::to_dense(imaginary_part(made.coordinates[use.name]));
    } else
      operands[use.name] = &made.coordinates[use.name];
  }
  made.expected = reference_of(front.computation, operands, sizes, made.initial, made.imaginary);
  return made;
}

/// The result that the interpreter makes of the case, its parallel iterations in disorder: both parts.
std::pair<std::vector<double>, std::vector<double>> interpreted(const pipeline::Compilation &compilation,
                                                                const PackedCase &input, std::uint64_t seed) {
  loop::Memory memory;
  for (const auto &[name, tensor] : input.tensors) {
    for (const auto &[size, number] : tensor.sizes)
      memory.sizes[name + "." + size] = number;
    for (const auto &[count, number] : tensor.counts)
      memory.sizes[name + "." + count] = number;
    for (const layout::Array &array : tensor.layout.arrays) {
      const data::Elements &elements = tensor.array(array.name);
      std::vector<double> &values = memory.values[name + "." + array.name];
      std::vector<std::int64_t> &indices = memory.indices[name + "." + array.name];
      for (std::size_t k = 0; k < elements.size(); ++k)
        if (array.is_value) {
          values.push_back(elements.real(k));
          if (elements.is_complex())
            memory.imaginary[name + "." + array.name].push_back(elements.imaginary(k));
        } else
          indices.push_back(elements.integer(k));
    }
  }
  for (const std::string &size : compilation.program.sizes)
    memory.sizes[size] = input.sizes.indices.at(size);
  loop::InterpretOptions options;
  options.permute_parallel = true;
  options.seed = seed;
  EXPECT_EQ(loop::interpret(compilation.program, memory, options), 0);
  const loop::TensorParameter &result = compilation.program.parameters.front();
  const std::string array = result.name + "." + result.arrays.front().name;
  return {memory.values.at(array), memory.imaginary[array]};
}

/// Do doubles hold what the interpreter has in memory? It keeps no more of integers of 64 bits.
bool has_small_integers(const pipeline::Front &front) {
  return std::ranges::none_of(front.types, [](const auto &type) {
    return value::is_integer(type.second) && value::facts_of(type.second).bytes == 8;
  });
}

// ---- as C that is compiled by other compilers

std::string literal(const value::Scalar &number) {
  if (!value::is_integer(number.type)) return fmt::format("{}", number.real);
  return fmt::format("{}", number.number() < 0 ? std::to_string(number.integer)
                                               : std::to_string(static_cast<std::uint64_t>(number.integer)) +
                                                     (number.integer > INT32_MAX ? "u" : ""));
}

/// The kernel, the case as data, and a function that returns how many elements of the result are wrong.
std::string unit_text(const pipeline::Compilation &compilation, const PackedCase &input) {
  const loop::Program &program = compilation.program;
  const std::vector<emit::StructNames> names = emit::struct_names(program);
  std::string text = emit::emit_c(program), arguments, result;
  for (std::size_t k = 0; k < program.parameters.size(); ++k) {
    tensor::Tensor tensor = input.tensors.at(program.parameters[k].name);
    const std::string variable = fmt::format("{}_{}", program.name, k);
    const tensor::KernelArguments numbers = tensor::kernel_arguments(tensor);
    std::vector<std::string> members;
    for (const auto *group : {&numbers.sizes, &numbers.counts})
      for (std::int64_t number : *group)
        members.push_back(std::to_string(number));
    for (const layout::Array &array : tensor.layout.arrays) {
      const data::Elements &elements = tensor.array(array.name);
      members.push_back(variable + "_" + array.name);
      if (k == 0) result = members.back();
      if (elements.is_complex()) {
        const Type part = value::type_of_parts(elements.type());
        text += fmt::format("static {} {}[] = {{", value::facts_of(part).c_name, members.back());
        for (std::size_t e = 0; e < elements.size(); ++e)
          text += fmt::format("{:#}, {:#}, ", elements.real(e), elements.imaginary(e)); // -0.0 is no -0
        text += elements.size() == 0 ? "0};\n" : "};\n";
        members.back() = fmt::format("({} *){}", value::facts_of(elements.type()).c_name, members.back());
        continue;
      }
      text += fmt::format("static {} {}[] = {{", value::facts_of(elements.type()).c_name, members.back());
      for (std::size_t e = 0; e < elements.size(); ++e)
        text += literal(elements.number(e)) + ", ";
      text += elements.size() == 0 ? "0};\n" : "};\n";
    }
    text += fmt::format("static {} {} = {{{}}};\n", names[k].type, variable, fmt::join(members, ", "));
    arguments += (k ? ", &" : "&") + variable;
  }
  std::vector<double> expected;
  for (std::size_t k = 0; k < input.expected.value.size(); ++k) {
    expected.push_back(input.expected.value[k]);
    if (!input.expected.imaginary.empty()) expected.push_back(input.expected.imaginary[k]);
  }
  text +=
      fmt::format("static const double {}_expected[] = {{{}}};\n", program.name, fmt::join(expected, ", "));
  return text + fmt::format("static int {0}_wrong(void) {{\n  int k, wrong = {0}({1}) != 0;\n"
                            "  for (k = 0; k < {2}; k++) {{\n"
                            "    const double expected = {0}_expected[k], off = (double){3}[k] - expected;\n"
                            "    const double least = 1e-3 + 1e-5 * (expected < 0 ? -expected : expected);\n"
                            "    wrong += off > least || off < -least;\n  }}\n  return wrong;\n}}\n",
                            program.name, arguments, expected.size(), result);
}

} // namespace

/// Without a warning, and without what C doesn't define.
TEST(Types, of_random_computations_under_the_sanitizer) {
  std::mt19937_64 random(5);
  std::string text = "#include <stdint.h>\n", main = "int main(void) {\n  int bad = 0;\n";
  std::size_t kernels = 0;
  for (int round = 0; round < (take_all() ? 10 : 3); ++round)
    for (auto &[problem, is_complex] : any_problems(random)) {
      problem.name = "kernel" + std::to_string(kernels);
      pipeline::Request request = problem.request();
      request.value.reset();
      try {
        const pipeline::Front front = pipeline::read_request(request);
        const pipeline::Compilation compilation = pipeline::compile(request);
        if (!compilation.program.workspace.empty() || !compilation.program.sizes.empty()) continue;
        const std::optional<PackedCase> input = draw(front, sizes_of_all_kinds(front.computation)[0], random);
        if (!input ||
            !std::ranges::all_of(input->expected.value, [](double each) { return std::isfinite(each); }))
          continue; // infinities are no literals
        text += "// " + problem.text() + "\n" + unit_text(compilation, *input);
        main += fmt::format("  if ({0}_wrong()) {{ bad++; printf(\"{0}\\n\"); }}\n", problem.name);
        ++kernels;
      } catch (const report::Error &error) {
        EXPECT_TRUE(is_limit(error)) << problem.text() << error.what();
      }
    }
  EXPECT_GT(kernels, 30u);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("unravel-types-{}", getpid());
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "unit.c").string(), program = (folder / "unit").string();
  std::ofstream(file) << "#include <stdio.h>\n" << text << main << "  return bad != 0;\n}\n";
  bool any = false;
  for (const char *compiler : {"gcc -x c -std=c99 -fopenmp", "clang++-19 -x c++ -std=c++17"}) {
    const std::string name = std::string(compiler).substr(0, std::string(compiler).find(' '));
    if (std::system(("command -v " + name + " > /dev/null 2>&1").c_str()) != 0) continue;
    any = true;
    const std::string flags = " -Wall -Wextra -pedantic -Werror -Wno-pass-failed -O1 -fsanitize=undefined "
                              "-fno-sanitize-recover=all ";
    EXPECT_EQ(std::system((compiler + flags + file + " -o " + program + " -lm").c_str()), 0) << compiler;
    EXPECT_EQ(std::system(program.c_str()), 0) << compiler;
  }
  if (HasFailure() && std::getenv("UNRAVEL_KEEP"))
    std::filesystem::copy(file, std::getenv("UNRAVEL_KEEP"),
                          std::filesystem::copy_options::overwrite_existing);
  std::filesystem::remove_all(folder);
  if (!any) GTEST_SKIP() << "no compiler is installed";
}

TEST(Types, of_random_computations) {
  std::mt19937_64 random(4);
  std::size_t kernels = 0, calls = 0, runs = 0;
  std::set<Type> seen;
  for (int round = 0; round < (take_all() ? 60 : 3); ++round)
    for (auto &[problem, is_complex] : any_problems(random)) {
      SCOPED_TRACE(problem.text());
      pipeline::Request request = problem.request();
      request.value.reset();
      std::optional<pipeline::Compilation> compilation;
      std::optional<Compiled> kernel;
      pipeline::Front front;
      try {
        front = pipeline::read_request(request);
        compilation = pipeline::compile(request);
        const bool is_single = std::ranges::any_of(
            front.types, [](const auto &type) { return value::type_of_parts(type.second) == Type::Float32; });
        if (is_single) problem.value = Type::Float32; // rounding errors are larger
        kernel.emplace(request, problem);
      } catch (const report::Error &error) {
        EXPECT_TRUE(is_limit(error)) << error.what();
        continue;
      }
      ++kernels;
      for (const auto &[tensor, type] : front.types)
        seen.insert(type);
      for (const Sizes &sizes : sizes_of_all_kinds(front.computation)) {
        const std::optional<PackedCase> input = draw(front, sizes, random);
        if (!input) continue;
        SCOPED_TRACE(input->about);
        ++calls;
        ASSERT_TRUE(kernel->check(*input, 1 + static_cast<int>(calls % 2)));
        if (input->expected.value.size() > 400 || !has_small_integers(front)) continue;
        ++runs;
        const auto [real, imaginary] = interpreted(*compilation, *input, runs);
        const check::Comparison comparison = check::compare(real, input->expected, 1e-5, imaginary);
        ASSERT_TRUE(comparison.ok) << "interpreted: expected " << comparison.expected.number() << ", got "
                                   << comparison.got.number() << "\n"
                                   << loop::to_text(compilation->program);
      }
    }
  std::cout << kernels << " kernels, " << calls << " calls, " << runs << " interpreted\n";
  EXPECT_GT(kernels, 90u);
  EXPECT_GT(runs, 100u);
  EXPECT_EQ(seen.size(), types().size() + 2); // and the complex ones
}

} // namespace unravel::run::test
