// The C text of packing: compiled as C99 and C++ without a warning, and run against pack().
#include "packing/pack_c.h"

#include "convert/storable.h"
#include "data/temporary_folder.h"
#include "golden.h"
#include "packing/pack_layouts.h"

#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <set>

namespace unravel::packing {

using convert::storable;
using data::Coordinates;
using data::DType;
using data::Elements;
using data::Random;
using data::TemporaryFolder;
using tensor::IndexType;
using tensor::layout_of;
using tensor::random_entries;
using tensor::refusal;
using tensor::shipped;
using tensor::Tensor;
using tensor::ValueType;

namespace {

const char *c_type(DType type) {
  switch (type) {
  case DType::Int32: return "int32_t";
  case DType::Int64: return "int64_t";
  case DType::Float32: return "float";
  default: return "double";
  }
}

std::vector<std::string> sizes_of(const layout::Layout &layout) {
  std::vector<std::string> sizes;
  for (const std::string &size : layout.sizes)
    if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  return sizes;
}

std::string type_name(const layout::Layout &layout) {
  std::string name = layout.base_name;
  for (std::int64_t parameter : layout.parameters)
    name += fmt::format("_{}", parameter);
  return name + fmt::format("_{}", layout.order());
}

std::string struct_text(const layout::Layout &layout, IndexType index, ValueType value) {
  std::string text = fmt::format("typedef struct {} {{\n", type_name(layout));
  for (const std::string &size : sizes_of(layout))
    text += fmt::format("  int64_t {};\n", size);
  for (const layout::Count &count : layout.counts)
    text += fmt::format("  int64_t {};\n", count.name);
  for (const layout::Array &array : layout.arrays)
    text += fmt::format("  {} *{};\n", c_type(element_type(array, index, value)), array.name);
  return text + fmt::format("}} {};\n\n", type_name(layout));
}

/// A C function that packs the entries and prints what came of it.
std::string check_text(const layout::Layout &layout, const Coordinates &entries, int number,
                       const Tensor &packed) {
  std::string name = type_name(layout),
              text = fmt::format("static void check_{}(void) {{\n  {} A;\n", number, name);
  std::string pointers;
  for (std::size_t mode = 0; mode < entries.order(); ++mode) {
    text += fmt::format("  int64_t index{}[] = {{{}}};\n", mode,
                        entries.size() == 0 ? "0" : fmt::format("{}", fmt::join(entries.index[mode], ", ")));
    pointers += fmt::format("{}index{}", pointers.empty() ? "" : ", ", mode);
  }
  text += fmt::format("  int64_t *index[] = {{{}}};\n  double values[] = {{{}}};\n",
                      pointers.empty() ? "NULL" : pointers,
                      entries.size() == 0 ? "0" : fmt::format("{}", fmt::join(entries.value, ", ")));
  std::string sizes;
  for (const std::string &size : sizes_of(layout))
    sizes += fmt::format(", {}", packed.sizes.at(size));
  text +=
      fmt::format("  printf(\"%d\\n\", pack_{}(&A, {}, index, values{}));\n", name, entries.size(), sizes);
  for (const layout::Array &array : layout.arrays) {
    bool real = !packed.array(array.name).is_integer();
    text +=
        fmt::format("  for (int k = 0; k < {}; ++k) printf({}A.{}[k]);\n", packed.array(array.name).size(),
                    real ? "\"%.17g \", (double)" : "\"%d \", (int)", array.name);
    text += "  printf(\"\\n\");\n";
  }
  return text + fmt::format("  free_{}(&A);\n}}\n\n", name);
}

std::string expected_text(const Tensor &packed) {
  std::string text = "0\n";
  for (const layout::Array &array : packed.layout.arrays) {
    const Elements &elements = packed.array(array.name);
    for (std::size_t k = 0; k < elements.size(); ++k)
      text += fmt::format("{} ", elements.real(k));
    text += "\n";
  }
  return text;
}

std::string output_of(const std::string &command) {
  std::string text;
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  char part[4096];
  while (std::size_t count = fread(part, 1, sizeof part, pipe))
    text.append(part, count);
  pclose(pipe);
  return text;
}

TEST(PackC, SameAsPack) {
  Random random(5);
  std::string text = "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n", calls, expected;
  int number = 0;
  std::set<std::string> types; // some layouts are there twice
  for (std::size_t order = 0; order <= 4; ++order)
    for (const layout::Layout &layout : layouts_of(order)) {
      PackPlan plan = plan_packing(layout);
      if (!types.insert(type_name(layout)).second) continue;
      const int kind = number / 2; // each layout is packed twice
      bool wide = kind % 2;
      IndexType index = wide ? IndexType::Int64 : IndexType::Int32;
      ValueType value = number % 3 ? ValueType::Float64 : ValueType::Float32;
      text += struct_text(layout, index, value);
      const double infinity = std::numeric_limits<double>::infinity();
      const double fill = kind % 4 == 1 ? 7.5 : kind % 4 == 2 ? -infinity : 0;
      text += emit_pack_c(plan, layout, {type_name(layout), {}}, index, value, fill) + "\n";
      for (std::size_t count : {1, 20}) {
        std::vector<std::int64_t> shape;
        bool square = std::set<std::string>(layout.sizes.begin(), layout.sizes.end()).size() < order;
        for (std::size_t mode = 0; mode < order; ++mode)
          shape.push_back(static_cast<std::int64_t>((count > 1 ? 6 : 3) + (square ? 2 : mode)));
        Coordinates entries = storable(layout, plan, random_entries(random, shape, count));
        Tensor packed = convert::pack(layout, plan, entries, {index, value, fill});
        text += check_text(layout, entries, number, packed);
        calls += fmt::format("  check_{}();\n", number++);
        expected += expected_text(packed);
      }
    }
  text += "int main(void) {\n" + calls + "  return 0;\n}\n";
  TemporaryFolder folder;
  std::string c_file = folder.write("pack.c", text), cpp_file = folder.write("pack.cpp", text);
  std::string program = folder.path("pack"), flags = " -Wall -Wextra -pedantic -Werror -o " + program + " ";
  for (const std::string &compiler :
       {"gcc -std=c99 -fsanitize=address,undefined -fno-sanitize-recover=all" + flags + c_file,
        "clang-19 -std=c99 -Wno-unused-command-line-argument" + flags + c_file,
        "g++ -std=c++17" + flags + cpp_file}) {
    std::string compiler_name = compiler.substr(0, compiler.find(' '));
    if (output_of("command -v " + compiler_name).empty()) continue;
    ASSERT_EQ(output_of(compiler).substr(0, 3000), "") << compiler_name;
    ASSERT_EQ(output_of(program), expected) << compiler_name;
  }
}

/// What pack_... returns for the entries 1, 2, ... at the first coordinates, with these sizes.
std::string status_of(const std::string &layout_text, std::size_t entries,
                      const std::vector<std::int64_t> &sizes) {
  const layout::Layout layout = layout_of(layout_text);
  const std::string name = type_name(layout);
  std::string text = "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n" +
                     struct_text(layout, IndexType::Int32, ValueType::Float64) +
                     emit_pack_c(plan_packing(layout), layout, {name, {}});
  std::vector<std::string> index, values;
  for (std::size_t e = 0; e < entries; ++e) {
    index.push_back(std::to_string(e));
    values.push_back(std::to_string(e + 1));
  }
  text += fmt::format("int main(void) {{\n  {} A;\n  int64_t at[] = {{{}}};\n  int64_t *index[{}] = {{0}};\n"
                      "  double values[] = {{{}}};\n",
                      name, fmt::join(index, ", "), layout.order(), fmt::join(values, ", "));
  text += fmt::format("  for (int mode = 0; mode < {}; mode++) index[mode] = at;\n", layout.order());
  text += fmt::format("  printf(\"%d\", pack_{0}(&A, {1}, index, values, {2}));\n  free_{0}(&A);\n}}\n", name,
                      entries, fmt::join(sizes, ", "));
  TemporaryFolder folder;
  const std::string program = folder.path("pack");
  const std::string said = output_of("gcc -std=c99 -fsanitize=address,undefined -Wall -Wextra -Werror -o " +
                                     program + " " + folder.write("pack.c", text));
  return said.empty() ? output_of(program).substr(0, 3000) : said;
}

/// Sums wrap around; no double is between.
TEST(PackC, IntegersAreExact) {
  std::string text = "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <stdbool.h>\n\n",
              calls, expected;
  for (const layout::Layout &layout : {shipped("dense", 1), shipped("sv", 1)})
    for (const auto &[type, numbers, sums] :
         {std::tuple{value::Type::Int64, "9007199254740993, 1, -INT64_MAX, INT64_MAX, 2, INT64_MAX",
                     "9007199254740994 0 -9223372036854775807 "},
          {value::Type::UInt64, "UINT64_MAX, 2, 9007199254740993, 0, UINT64_MAX, 0",
           "1 9007199254740993 -1 "},
          {value::Type::Int8, "100, 100, -128, 0, -1, -1", "-56 -128 -2 "},
          {value::Type::Bool, "1, 1, 1, 0, 0, 0", "1 1 0 "}}) {
      const layout::Layout typed = layout::with_values(layout, type);
      const std::string name = fmt::format("{}_{}", layout.name, value::facts_of(type).word);
      const char *given = type == value::Type::UInt64 ? "uint64_t" : "int64_t";
      text += fmt::format("typedef struct {{ int64_t {}, NNZ; int32_t *idx; {} *val; }} {};\n",
                          layout.sizes[0], value::facts_of(type).c_name, name);
      text += emit_pack_c(plan_packing(typed), typed, {name, {}}) + "\n";
      calls += fmt::format("  {{\n    {0} A;\n    int64_t at[] = {{0, 0, 1, 1, 2, 2}};\n"
                           "    int64_t *index[] = {{at}};\n    {1} values[] = {{{2}}};\n"
                           "    if (pack_{0}(&A, 6, index, values, 3)) return 1;\n"
                           "    for (int k = 0; k < 3; ++k) printf(\"%lld \", (long long)A.val[k]);\n"
                           "    free_{0}(&A);\n  }}\n",
                           name, given, numbers);
      expected += sums;
    }
  text += "int main(void) {\n" + calls + "  return 0;\n}\n";
  TemporaryFolder folder;
  const std::string program = folder.path("pack");
  ASSERT_EQ(
      output_of(
          "gcc -std=c99 -fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -Werror -o " +
          program + " " + folder.write("pack.c", text)),
      "");
  EXPECT_EQ(output_of(program), expected);
}

TEST(PackC, CountsOfADenseLayout) {
  const char *const blocks = R"(layout blocks(i: N) { count B = ceil(N / 3); count R = 3; value val[B, R];
  stored { [b, r] -> [i] : i = 3*b + r and 0 <= r < 3 and 0 <= b < B } at val(b, r); })";
  EXPECT_EQ(status_of(blocks, 6, {6}), "0");
  EXPECT_EQ(status_of(blocks, 7, {7}), "0");
}

TEST(PackC, RefusesSizesThatBreakAProperty) {
  const char *const blocks =
      R"(layout blocks(i: N) { count B = floor(N / 3); value val[B, 3]; property N = 3*B;
  stored { [b, r] -> [i] : i = 3*b + r and 0 <= r < 3 and 0 <= b < B } at val(b, r); })";
  EXPECT_EQ(status_of(blocks, 6, {6}), "0");
  EXPECT_EQ(status_of(blocks, 4, {4}), "1");
  const char *const square = R"(layout square(i: M, j: N) { value val[M, M]; property M = N;
  stored { [r, c] -> [i, j] : i = r and j = c and 0 <= r < M and 0 <= c < N } at val(r, c); })";
  EXPECT_EQ(status_of(square, 3, {3, 3}), "0");
  EXPECT_EQ(status_of(square, 3, {3, 4}), "1");
  // The counts are known when everything is packed.
  const char *const few = R"(layout few(i: N) { index at[K]; count K; value val[K]; property 2*K <= N;
  stored { [k] -> [i] : 0 <= k < K and i = at(k) } at val(k);
  property range at in [0, N); property strictly increasing at; })";
  EXPECT_EQ(status_of(few, 3, {6}), "0");
  EXPECT_EQ(status_of(few, 3, {5}), "1");
}

TEST(PackC, RefusesSizesForWhichACountIsReadOutsideItsArray) {
  const char *const last = R"(layout last(i: M, j: N) {
  index ptr[M], col[NNZ]; count NNZ = ptr(M - 1); value val[NNZ];
  stored { [r, p] -> [i, j] : i = r and 0 <= r < M - 1 and ptr(r) <= p < ptr(r + 1) and j = col(p) } at val(p);
  property ptr(0) = 0; property increasing ptr; property range col in [0, N);
  property strictly increasing col within ptr; })";
  EXPECT_EQ(status_of(last, 2, {3, 3}), "0");
  EXPECT_EQ(status_of(last, 1, {0, 3}), "1");
}

TEST(PackC, Refusal) {
  layout::Layout slices = layout_of(R"(layout slices(i: M, j: N) {
  index ptr[ceil(M / 2) + 1], col[Q, 2]; count Q = ptr(ceil(M / 2)); value val[Q, 2];
  stored { [b, r, q] -> [i, j] : 0 <= b < ceil(M / 2) and 0 <= r < 2 and i = 2*b + r and i < M
           and ptr(b) <= q < ptr(b + 1) and j = col(q, r) } at val(q, r);
  property ptr(0) = 0; property increasing ptr; property forall q, r : 0 <= col(q, r) < N;
  property forall b, r, q, s : ptr(b) <= q < s < ptr(b + 1) => col(q, r) < col(s, r); })");
  EXPECT_EQ(refusal([&] {
              emit_pack_c(plan_packing(slices), slices, {"A", {}});
            }),
            "cannot-pack: packing of layout `slices` can't be written as C yet: nothing marks the unused "
            "positions `q`, and segments have different numbers of them | pack with the tool: `unravel "
            "convert`, or `unravel run`");
}

TEST(PackC, Texts) {
  layout::Layout csr = shipped("csr", 2), bag = shipped("coo_unsorted", 2);
  std::map<std::string, std::string> texts = {
      {"csr", emit_pack_c(plan_packing(csr), csr, {"csr", {{"val", "val_"}}})},
      {"bag", emit_pack_c(plan_packing(bag), bag, {"bag", {}}, IndexType::Int64, ValueType::Float32)}};
  for (const layout::Layout &layout :
       {shipped("dense", 2), derived_layout("bcsr", 2, {2, 3}), derived_layout("csb", 2, {4}),
        derived_layout("dia", 2, {}), shipped("hash_matrix", 2, {4}), shipped("run_length", 2),
        shipped("warp24", 2)})
    texts[layout.base_name] = emit_pack_c(plan_packing(layout), layout, {layout.base_name, {}});
  test::golden_check_each("packing", "pack_c", texts);
}

} // namespace
} // namespace unravel::packing
