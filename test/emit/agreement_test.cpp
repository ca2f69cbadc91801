// The emitted C does what the interpreter of the loop IR does: all programs in one shared library, random
// inputs.
#include "emit/emit.h"
#include "emit/read_kernel.h"
#include "golden.h"
#include "loop/interpret.h"
#include "loop/passes.h"
#include "loop/random_program.h"
#include "scratch_folder.h"

#include <cmath>
#include <dlfcn.h>
#include <random>

using namespace unravel;

namespace {

using Entry = int (*)(void **);

/// The golden programs whose structs may stand in one translation unit, each also improved by all passes.
std::vector<loop::Program> programs() {
  auto safe = [](const term::Term &load) {
    const std::string &array = load.as<term::Apply>()->function;
    return array == "A.rowptr" || array == "y.val";
  };
  std::vector<loop::Program> result;
  for (const char *name :
       {"kernel_spmv",    "kernel_spmspv", "kernel_dot",    "kernel_coo",       "kernel_bisect",
        "kernel_terms",   "kernel_marks",  "kernel_values", "kernel_positions", "kernel_hash",
        "kernel_threads", "kernel_copies", "kernel_hashed", "kernel_lanes",     "kernel_lanes_cleared",
        "kernel_masked",  "kernel_shared", "kernel_tiles",  "kernel_columns",   "kernel_joined",
        "kernel_products"}) {
    loop::Program program = test::read_kernel(test::golden_inputs("emit", name).at(0));
    if (program.name == "dot")
      for (std::size_t k : {1, 2})
        program.parameters[k].layout = "sv64";
    result.push_back(program);
    program.name += "_improved";
    result.push_back(loop::improve(program, {safe}));
  }
  return result;
}

class Inputs {
public:
  explicit Inputs(unsigned seed, int most = 7) : random_(seed), most_(most) {}

  loop::Memory draw(const loop::Program &program) {
    rows_ = below(7);
    columns_ = below(most_);
    width_ = below(2) ? below(12) : below(90); // of dense matrices: less than a vector, or several
    loop::Memory memory;
    for (const loop::TensorParameter &parameter : program.parameters)
      fill(parameter, memory);
    for (const loop::TensorParameter &parameter : program.parameters)
      for (const loop::ArrayParameter &array : parameter.arrays)
        if (array.is_value)
          for (double &each : memory.values.at(parameter.name + "." + array.name)) {
            if (array.element == loop::ElementType::Int32)
              each = std::trunc(4 * each) * 134217727; // products and sums of these wrap around
            if (array.element == loop::ElementType::Bool) each = each > 0;
          }
    if (below(10) == 0 && !program.preconditions.empty())
      memory.sizes[program.parameters.back().name + ".N"] += 1;
    return memory;
  }

private:
  std::int64_t below(int n) { return static_cast<std::int64_t>(random_() % static_cast<unsigned>(n)); }

  std::vector<std::int64_t> subset() {
    std::vector<std::int64_t> chosen;
    for (std::int64_t j = 0; j < columns_; ++j)
      if (below(2)) chosen.push_back(j);
    return chosen;
  }

  void values(const std::string &name, std::size_t count, loop::Memory &memory) {
    auto &array = memory.values[name];
    for (std::size_t k = 0; k < count; ++k)
      array.push_back(0.25 * static_cast<double>(below(33) - 16));
  }

  void set(const std::string &name, const char *part, std::int64_t size, loop::Memory &memory) {
    memory.sizes[name + "." + part] = size;
  }

  void fill(const loop::TensorParameter &parameter, loop::Memory &memory) {
    const std::string &name = parameter.name;
    std::size_t count = 1;
    if (parameter.layout.starts_with("dense_vector")) {
      std::int64_t size = parameter.is_result ? rows_ : columns_;
      set(name, "N", size, memory);
      count = static_cast<std::size_t>(size);
    } else if (parameter.layout.starts_with("dense_matrix")) {
      std::int64_t lines = parameter.is_result ? rows_ : columns_;
      set(name, "M", lines, memory), set(name, "N", width_, memory);
      count = static_cast<std::size_t>(lines * width_);
    } else if (parameter.layout.starts_with("csr") || parameter.layout == "coo") {
      auto &rowptr = memory.indices[name + ".rowptr"];
      auto &row = memory.indices[name + ".row"];
      auto &col = memory.indices[name + ".col"];
      rowptr = {0};
      for (std::int64_t i = 0; i < rows_; ++i) {
        for (std::int64_t j : subset())
          row.push_back(i), col.push_back(j);
        rowptr.push_back(static_cast<std::int64_t>(col.size()));
      }
      count = col.size();
      set(name, "M", rows_, memory), set(name, "N", columns_, memory);
      set(name, "NNZ", static_cast<std::int64_t>(count), memory);
    } else if (parameter.layout == "slots") {
      const std::int64_t width = below(4);
      set(name, "N", rows_, memory), set(name, "M", columns_, memory), set(name, "W", width, memory);
      count = static_cast<std::size_t>(rows_ * width);
      auto &col = memory.indices[name + ".col"];
      for (std::size_t k = 0; k < count; ++k)
        col.push_back(below(static_cast<int>(columns_) + 2) == 0 ? -1
                                                                 : below(static_cast<int>(columns_) + 1) - 1);
    } else if (parameter.layout == "table") {
      std::int64_t width = 1 + below(3);
      set(name, "N", rows_, memory), set(name, "K", width, memory);
      for (std::int64_t k = 0; k < rows_ * (width + 1); ++k)
        memory.indices[name + ".t"].push_back(below(13) - 6);
      for (std::int64_t k = 0; k < rows_; ++k)
        memory.indices[name + ".w"].push_back(below(13) - 6);
      count = static_cast<std::size_t>(4 * rows_);
      memory.indices[name + ".t"], memory.indices[name + ".w"];
    } else if (parameter.layout != "scalar") {
      auto &idx = memory.indices[name + ".idx"] = subset();
      count = idx.size();
      set(name, "N", columns_, memory), set(name, "NNZ", static_cast<std::int64_t>(count), memory);
    }
    values(name + ".val", count, memory);
  }

  std::mt19937 random_;
  int most_; // columns, and one more
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t width_ = 0;
};

/// Memory as the structs of a kernel: a run of 8-byte slots per parameter, arrays in the declared types.
class Structs {
public:
  Structs(const loop::Program &program, loop::Memory &memory) : program_(program), memory_(memory) {
    for (const loop::TensorParameter &parameter : program.parameters) {
      auto &slots = slots_.emplace_back();
      for (const auto *names : {&parameter.sizes, &parameter.counts})
        for (const std::string &name : *names)
          slots.push_back(memory.sizes.at(parameter.name + "." + name));
      for (const loop::ArrayParameter &array : parameter.arrays)
        slots.push_back(reinterpret_cast<std::int64_t>(copy_in(parameter.name + "." + array.name, array)));
    }
  }

  int call(Entry entry) {
    std::vector<void *> arguments;
    for (auto &slots : slots_)
      arguments.push_back(slots.data());
    return entry(arguments.data());
  }

  void copy_out() {
    for (const loop::TensorParameter &parameter : program_.parameters)
      for (const loop::ArrayParameter &array : parameter.arrays) {
        if (!array.is_value || !parameter.is_result) continue;
        auto &values = memory_.values.at(parameter.name + "." + array.name);
        const void *data = buffers_.at(parameter.name + "." + array.name).data();
        for (std::size_t k = 0; k < values.size(); ++k)
          values[k] = array.element == loop::ElementType::Float32 ? static_cast<const float *>(data)[k]
                      : array.element == loop::ElementType::Int32 ? static_cast<const std::int32_t *>(data)[k]
                                                                  : static_cast<const double *>(data)[k];
      }
  }

private:
  template <class T, class From> void *convert(const std::string &name, const std::vector<From> &from) {
    auto &buffer = buffers_[name];
    buffer.resize(from.size() + 1); // 8 bytes each, which is enough, and never null
    for (std::size_t k = 0; k < from.size(); ++k)
      reinterpret_cast<T *>(buffer.data())[k] = static_cast<T>(from[k]);
    return buffer.data();
  }

  void *copy_in(const std::string &name, const loop::ArrayParameter &array) {
    switch (array.element) {
    case loop::ElementType::Int32:
      return array.is_value ? convert<std::int32_t>(name, memory_.values.at(name))
                            : convert<std::int32_t>(name, memory_.indices.at(name));
    case loop::ElementType::Int64: return convert<std::int64_t>(name, memory_.indices.at(name));
    case loop::ElementType::Bool: return convert<bool>(name, memory_.values.at(name));
    case loop::ElementType::Float32: return convert<float>(name, memory_.values.at(name));
    case loop::ElementType::Float64: return convert<double>(name, memory_.values.at(name));
    default: break; // bits are in workspaces only; other types are tested with whole kernels
    }
    return nullptr;
  }

  const loop::Program &program_;
  loop::Memory &memory_;
  std::vector<std::vector<std::int64_t>> slots_;
  std::map<std::string, std::vector<std::int64_t>> buffers_;
};

void expect_close(const loop::Memory &got, const loop::Memory &expected, bool single,
                  const std::string &name) {
  for (const auto &[array, values] : expected.values)
    for (std::size_t k = 0; k < values.size(); ++k) {
      double tolerance = (single ? 1e-5 : 1e-12) * (1 + std::abs(values[k]));
      double actual = got.values.at(array)[k];
      EXPECT_TRUE(actual == values[k] || (std::isnan(actual) && std::isnan(values[k])) ||
                  std::abs(actual - values[k]) <= tolerance)
          << name << " " << array << "[" << k << "]: " << actual << ", expected " << values[k];
    }
}

/// All programs compiled to one shared library, each with an entry call_<name>.
class Library {
public:
  explicit Library(
      const std::vector<loop::Program> &programs,
      const std::string &compiler = "gcc -fsanitize=undefined -fsanitize-undefined-trap-on-error") {
    std::string text;
    for (const loop::Program &program : programs) {
      std::string arguments;
      for (std::size_t k = 0; k < program.parameters.size(); ++k)
        arguments += (k ? ", a[" : "a[") + std::to_string(k) + "]";
      std::string workspace;
      if (!program.workspace.empty()) {
        workspace = "static " + emit::kernel_name(program) + "_workspace kept; ";
        arguments += ", &kept"; // grows from call to call
      }
      text += emit::emit_c(program) + "int call_" + program.name + "(void **a) { " + workspace + "return " +
              emit::kernel_name(program) + "(" + arguments + "); }\n";
    }
    std::string file = folder_.write("kernels.c", text);
    EXPECT_EQ(folder_.run(compiler +
                          " -std=c99 -O1 -fopenmp -shared -fPIC -Wall -Wextra -Wshadow -pedantic -Werror " +
                          file + " -o " + folder_.path("kernels.so")),
              "");
    library_ = dlopen(folder_.path("kernels.so").c_str(), RTLD_NOW);
  }

  Entry entry(const loop::Program &program) const {
    return library_ ? reinterpret_cast<Entry>(dlsym(library_, ("call_" + program.name).c_str())) : nullptr;
  }

private:
  test::ScratchFolder folder_;
  void *library_ = nullptr; // stays loaded: OpenMP's threads may still be in it
};

} // namespace

void expect_agreement(const std::vector<loop::Program> &programs, const Library &library, Inputs inputs) {
  for (const loop::Program &program : programs) {
    Entry entry = library.entry(program);
    ASSERT_TRUE(entry) << program.name;
    loop::Interpreter interpreter(program);
    bool single = program.parameters[0].arrays[0].element == loop::ElementType::Float32;
    int refused = 0;
    for (int trial = 0; trial < 200; ++trial) {
      loop::Memory memory = inputs.draw(program);
      loop::Memory expected = memory;
      loop::InterpretOptions options;
      options.permute_parallel = true;
      options.seed = static_cast<std::uint64_t>(trial);
      int code = interpreter.run(expected, options);
      Structs structs(program, memory);
      ASSERT_EQ(structs.call(entry), code) << program.name;
      structs.copy_out();
      expect_close(memory, expected, single, program.name);
      refused += code;
    }
    EXPECT_EQ(refused > 0, !program.preconditions.empty()) << program.name;
  }
}

bool has_masked_vectors() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

TEST(EmitAgreement, c_does_what_the_interpreter_does) {
  if (!test::is_installed("gcc")) GTEST_SKIP() << "gcc is not installed";
  expect_agreement(programs(), Library(programs()), Inputs(7));
}

TEST(EmitAgreement, masked_steps_do_what_the_interpreter_does) {
  for (const std::string compiler :
       {"gcc", "clang-19", "gcc -mavx512f -mavx512vl", "gcc -mavx512f -mavx512vl -DUNRAVEL_GATHERS=1",
        "gcc -mavx512f -mavx512vl -DUNRAVEL_GATHERS=1 -O3 -fsanitize=undefined "
        "-fsanitize-undefined-trap-on-error",
        "gcc -O3 -fsanitize=undefined -fsanitize-undefined-trap-on-error",
        "clang-19 -mavx512f -mavx512vl -DUNRAVEL_GATHERS=1"}) {
    bool needs_masks = compiler.find(" -m") != std::string::npos;
    if (!test::is_installed(compiler.substr(0, compiler.find(' '))) || (needs_masks && !has_masked_vectors()))
      continue;
    for (const char *name : {"kernel_masked", "kernel_slots"})
      for (const std::string &input : test::golden_inputs("emit", name)) {
        std::vector<loop::Program> program = {test::read_kernel(input)};
        expect_agreement(program, Library(program, compiler), Inputs(7, 50));
      }
  }
}

TEST(EmitAgreement, random_programs) {
  if (!test::is_installed("gcc")) GTEST_SKIP() << "gcc is not installed";
  std::vector<loop::Program> programs;
  for (unsigned seed = 0; seed < 100; ++seed) {
    programs.push_back(test::read_kernel(test::RandomProgram(seed).text("plain" + std::to_string(seed))));
    programs.push_back(loop::improve(programs.back(), {[](const term::Term &) { return true; }}));
    programs.back().name = "improved" + std::to_string(seed);
  }
  Library library(programs);
  for (const loop::Program &program : programs) {
    Entry entry = library.entry(program);
    ASSERT_TRUE(entry) << program.name;
    loop::Interpreter interpreter(program);
    for (unsigned seed = 0; seed < 5; ++seed) {
      loop::Memory memory = test::RandomProgram::memory(seed);
      loop::Memory expected = memory;
      interpreter.run(expected);
      Structs structs(program, memory);
      ASSERT_EQ(structs.call(entry), 0);
      structs.copy_out();
      expect_close(memory, expected, false, program.name);
    }
  }
}

/// Nothing that a pass leaves behind makes clang warn: dead variables, self-assignments, empty loops.
TEST(EmitAgreement, improved_programs_are_clean_under_clang) {
  if (!test::is_installed("clang-19")) GTEST_SKIP() << "clang-19 is not installed";
  std::vector<loop::Program> all = programs();
  for (unsigned seed = 0; seed < 60; ++seed) {
    all.push_back(
        loop::improve(loop::parse_program(test::RandomProgram(seed).text("random" + std::to_string(seed))),
                      {[](const term::Term &) { return true; }}));
  }
  std::string text;
  for (const loop::Program &program : all)
    text += emit::emit_c(program);
  test::ScratchFolder folder;
  EXPECT_EQ(folder.run("clang-19 -std=c99 -Wall -Wextra -Wshadow -pedantic -Werror -fsyntax-only " +
                       folder.write("all.c", text)),
            "");
}
