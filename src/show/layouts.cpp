#include "show/sections.h"

#include "convert/pack.h"
#include "report/diagnostic.h"
#include "show/html.h"
#include "value/exact.h"

#include <fmt/format.h>
#include <functional>

namespace unravel::show {

namespace {

constexpr std::size_t most_elements = 24;
constexpr std::int64_t rows_of_example = 4, columns_of_example = 5;

std::string cell(const std::string &text, const char *kind = "") {
  return fmt::format("<td{}>{}</td>", *kind ? fmt::format(" class=\"{}\"", kind) : "", escaped(text));
}

std::string number_text(const data::Elements &elements, std::size_t k) {
  return elements.is_integer() ? value::integer_text(elements.number(k))
                               : fmt::format("{:.4g}", elements.real(k));
}

std::string array_html(const layout::Array &array, const data::Elements &elements) {
  std::string extents;
  for (const term::Term &extent : array.extents)
    extents += (extents.empty() ? "" : ", ") + term::to_text(extent);
  const std::size_t shown = std::min(most_elements, elements.size());
  std::string numbers;
  for (std::size_t k = 0; k < shown; ++k)
    numbers += cell(number_text(elements, k));
  if (shown < elements.size()) numbers += cell(fmt::format("... {} in all", elements.size()), "note");
  return fmt::format("<tr class=\"{}\"><th scope=\"row\">{}<span class=\"note\">[{}]</span></th>{}</tr>\n",
                     array.is_value ? "values" : "indices", escaped(array.name), escaped(extents), numbers);
}

std::string counts_text(const tensor::Tensor &tensor) {
  std::string text;
  for (const auto *numbers : {&tensor.sizes, &tensor.counts})
    for (const auto &[name, number] : *numbers)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, number);
  return text;
}

std::string arrays_html(const tensor::Tensor &tensor) {
  std::string rows, places;
  std::size_t longest = 0;
  for (const layout::Array &array : tensor.layout.arrays) {
    longest = std::max(longest, std::min(most_elements, tensor.array(array.name).size()));
    rows += array_html(array, tensor.array(array.name));
  }
  for (std::size_t k = 0; k < longest; ++k)
    places += cell(fmt::format("{}", k), "place");
  rows = "<tr><th></th>" + places + "</tr>\n" + rows;
  return fmt::format(
      "<p class=\"note\">{}</p>\n<div class=\"wide\"><table class=\"arrays\">\n{}</table></div>\n",
      escaped(counts_text(tensor)), rows);
}

/// A small tensor as a matrix: a dot where it has no entry.
std::string matrix_html(const data::Coordinates &entries) {
  if (entries.order() != 2) return "";
  std::string rows;
  for (std::int64_t i = 0; i < entries.shape[0]; ++i) {
    rows += "<tr>";
    for (std::int64_t j = 0; j < entries.shape[1]; ++j) {
      std::string text = ".";
      for (std::size_t e = 0; e < entries.size(); ++e)
        if (entries.index[0][e] == i && entries.index[1][e] == j) text = fmt::format("{}", entries.value[e]);
      rows += cell(text, text == "." ? "note" : "");
    }
    rows += "</tr>\n";
  }
  return "<table class=\"matrix\">\n" + rows + "</table>\n";
}

/// Which coordinates an example has, from the one that shows most to the one that most layouts can store.
using Has = std::function<bool(const std::vector<std::int64_t> &)>;
const std::vector<std::pair<bool, Has>> &examples() { // whether it is square
  static const std::vector<std::pair<bool, Has>> all = {
      {false,
       [](auto &c) {
         std::int64_t sum = 0, weight = 1;
         for (std::int64_t each : c)
           sum += each * weight, weight += 2;
         return sum % 5 < 2;
       }},
      {true, [](auto &c) { return c.size() == 2 && c[0] >= c[1] && (c[0] + c[1]) % 3 != 1; }},
      {true, [](auto &c) { return c.size() == 2 && c[0] == c[1]; }},
      {true, [](auto &c) { return c.size() == 2 && c[0] <= c[1]; }}};
  return all;
}

data::Coordinates example(std::size_t order, bool is_square, const Has &has) {
  std::vector<std::int64_t> shape;
  for (std::size_t k = 0; k < order; ++k)
    shape.push_back(order > 2              ? 2 + static_cast<std::int64_t>(k % 2)
                    : k == 1 && !is_square ? columns_of_example
                    : order == 1           ? 8
                                           : rows_of_example);
  data::Coordinates entries(shape);
  std::vector<std::int64_t> coordinate(order, 0);
  const std::int64_t positions = data::element_count(shape);
  for (std::int64_t p = 0; p < positions; ++p) {
    std::int64_t left = p;
    for (std::size_t k = order; k-- > 0;) {
      coordinate[k] = left % shape[k];
      left /= shape[k];
    }
    if (has(coordinate)) entries.append(coordinate, static_cast<double>(entries.size() + 1));
  }
  return entries;
}

std::string example_html(const layout::Layout &layout) {
  for (const auto &[is_square, has] : examples()) {
    const data::Coordinates entries = example(layout.order(), is_square, has);
    const auto packed = report::unless_refused([&] { return convert::pack(layout, entries); });
    if (packed)
      return fmt::format(
          "<p>A small tensor in it, for example:</p>\n<div class=\"beside\">{}<div>{}</div></div>\n",
          matrix_html(entries), arrays_html(*packed));
  }
  return "";
}

} // namespace

std::string layouts_html(const Page &page) {
  std::string text;
  for (const compute::TensorUse &use : page.compilation.computation.tensors) {
    const layout::Layout &layout = page.compilation.layouts.at(use.name);
    if (layout.order() == 0) continue;
    std::string drawn;
    if (page.tensors)
      if (const auto found = page.tensors->find(use.name); found != page.tensors->end())
        drawn = arrays_html(found->second);
    if (drawn.empty()) drawn = example_html(layout);
    text += fmt::format(
        "<article>\n<h3>{} in {}</h3>\n{}<details><summary>the layout, as it was understood</summary>\n"
        "<pre>{}</pre></details>\n</article>\n",
        escaped(use.name), escaped(layout.name), drawn, escaped(layout::to_text(layout)));
  }
  return text;
}

} // namespace unravel::show
