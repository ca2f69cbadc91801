// Texts of layout files: read, and made into layouts. Each that is accepted is printed, and read again as the
// same.
#include "layout/layout.h"
#include "fuzz/fuzz.h"
#include "parse/parse.h"

using namespace unravel;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::refusable([&] {
    auto source =
        std::make_shared<const text::Source>("input.layout", std::string(fuzz::text_of(data, size)));
    for (const parse::LayoutTree &tree : parse::parse_layout_file(source).layouts)
      fuzz::refusable([&] {
        const layout::Layout made =
            layout::make_layout(tree, std::vector<std::int64_t>(tree.parameters.size(), 2));
        const std::string printed = layout::to_text(made);
        if (printed.empty()) fuzz::fail("a layout is printed as nothing");
      });
  });
  return 0;
}
