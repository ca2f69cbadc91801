// layout.json of a folder whose arrays are those of a CSR matrix: read, and taken as csr.
#include "data/folder.h"
#include "fuzz/fuzz.h"
#include "layout/layout.h"
#include "parse/parse.h"
#include "tensor/raw_arrays.h"

using namespace unravel;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const layout::Layout csr = [] {
    auto source = std::make_shared<const text::Source>("csr", std::string("csr"));
    return layout::load_layout(parse::parse_layout_reference(source), 2).layout;
  }();
  static const bool has_arrays = [] {
    data::write_npy((fuzz::own_folder() / "rowptr.npy").string(), data::Array::of(std::vector<int>{0, 1, 2}));
    data::write_npy((fuzz::own_folder() / "col.npy").string(), data::Array::of(std::vector<int>{1, 0}));
    data::write_npy((fuzz::own_folder() / "val.npy").string(), data::Array::of(std::vector<double>{2.5, 3}));
    return true;
  }();
  fuzz::refusable([&] {
    fuzz::as_file("layout.json", fuzz::text_of(data, size));
    const data::ArrayFolder folder = data::read_folder(fuzz::own_folder().string());
    if (has_arrays && tensor::names_layout(folder, csr, 0, value::Type::Float64))
      tensor::from_folder(folder, csr);
  });
  return 0;
}
