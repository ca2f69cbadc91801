// Packing and unpacking of real data, in every layout that can be packed.
#include "check/validate.h"
#include "convert/storable.h"
#include "data/temporary_folder.h"
#include "data/tensor_file.h"
#include "packing/pack_layouts.h"
#include "sanitized.h"

#include <cstdlib>

namespace unravel::convert {

using check::Violation;
using data::Coordinates;
using packing::PackPlan;
using packing::shipped_layouts;
using tensor::canonical;
using tensor::IndexType;
using tensor::Tensor;
using tensor::ValueType;

namespace {

/// Small enough for every layout, unless all are asked for.
std::size_t most_entries() {
  return std::getenv("UNRAVEL_TEST_ALL") ? 400000 : test::is_sanitized ? 2000 : 6000;
}

/// What packing may take: more than any of these files in a layout for sparse tensors, less than a large one
/// takes as a dense array, by diagonals or in rows as long as the longest.
constexpr std::int64_t max_memory = INT64_C(512) << 20;

void expect_round_trip(const layout::Layout &layout, const PackPlan &plan, const Coordinates &given,
                       const std::string &file) {
  SCOPED_TRACE(file + " as " + layout.name);
  PackOptions options{.index = IndexType::Int32, .value = ValueType::Float64, .max_memory = max_memory};
  try {
    Coordinates entries = storable(layout, plan, given, options);
    Tensor tensor = pack(layout, plan, entries, options);
    for (const Violation &violation : check::validate(tensor).violations)
      ADD_FAILURE() << violation.message;
    EXPECT_EQ(canonical(unpack(tensor)), canonical(entries));
  } catch (const report::Error &error) {
    EXPECT_EQ(error.diagnostic().kind, report::Kind::memory_limit) << error.what();
  }
}

TEST(RealData, RoundTrips) {
  if (!std::filesystem::exists(data::data_folder()))
    GTEST_SKIP() << "no real data at " << data::data_folder();
  std::size_t files = 0;
  for (const auto &file : std::filesystem::directory_iterator(data::data_folder())) {
    std::string path = file.path().string();
    if (!data::is_tensor_file_name(path)) continue;
    Coordinates entries = data::read_tensor(path);
    if (entries.size() > most_entries()) continue;
    ++files;
    for (const layout::Layout &layout : shipped_layouts()) {
      if (layout.order() != entries.order() || !fits(layout, entries.shape)) continue;
      PackPlan plan = packing::plan_packing(layout);
      expect_round_trip(layout, plan, entries, file.path().filename().string());
    }
  }
  EXPECT_GT(files, 0u);
}

} // namespace
} // namespace unravel::convert
