#pragma once

#include "convert/pack.h"
#include "data/random.h"
#include "layout/layout.h"
#include "parse/parse.h"
#include "report/diagnostic.h"

#include <gtest/gtest.h>
#include <string>

namespace unravel::tensor {

/// The first layout of a text, checked.
inline layout::Layout layout_of(const std::string &text, std::vector<std::int64_t> parameters = {}) {
  auto file = parse::parse_layout_file(std::make_shared<const text::Source>("test.layout", text));
  layout::Layout layout = layout::make_layout(file.layouts.at(0), parameters);
  layout::derive_lemmas(layout);
  layout::check_layout(layout);
  return layout;
}

inline layout::Layout shipped(const std::string &name, std::size_t order,
                              std::vector<std::int64_t> parameters = {}) {
  parse::LayoutReference reference;
  reference.name = name;
  reference.parameters = std::move(parameters);
  return layout::load_layout(reference, order).layout;
}

inline data::Coordinates entries_of(std::vector<std::int64_t> shape,
                                    std::vector<std::pair<std::vector<std::int64_t>, double>> entries) {
  data::Coordinates result(std::move(shape));
  for (const auto &[coordinate, value] : entries)
    result.append(coordinate, value);
  return result;
}

/// Entries with small whole values, so that sums are exact; duplicates occur.
inline data::Coordinates random_entries(data::Random &random, std::vector<std::int64_t> shape,
                                        std::size_t entries) {
  data::Coordinates result(shape);
  if (data::element_count(shape) == 0) return result;
  for (std::size_t e = 0; e < entries; ++e) {
    std::vector<std::int64_t> coordinate;
    for (std::int64_t extent : shape)
      coordinate.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(extent))));
    result.append(coordinate, static_cast<double>(random.below(9)) + 1);
  }
  return result;
}

/// The same tensor in one form: sorted, without duplicates and zeros.
inline data::Coordinates canonical(data::Coordinates tensor) {
  sort(tensor, data::natural_modes(tensor.order()));
  combine_duplicates(tensor);
  data::Coordinates result(tensor.shape);
  for (std::size_t e = 0; e < tensor.size(); ++e)
    if (tensor.value[e] != 0) result.append(tensor.coordinate(e), tensor.value[e]);
  return result;
}

/// "kind-name: message | hint" of what `action` throws.
template <class Action> std::string refusal(Action action) {
  try {
    action();
  } catch (const report::Error &error) {
    const report::Diagnostic &diagnostic = error.diagnostic();
    return report::name_of(diagnostic.kind) + ": " + diagnostic.message +
           (diagnostic.hint.empty() ? "" : " | " + diagnostic.hint);
  }
  return "no error";
}

template <class T> std::vector<T> values_of(const Tensor &tensor, const std::string &array) {
  std::span<const T> elements = tensor.array(array).as<T>();
  return {elements.begin(), elements.end()};
}

inline const char *bcsr_text = R"(
layout bcsr<R, C>(i: M, j: N) {
  index  rowptr[ceil(M / R) + 1], bcol[NB];
  count  NB = rowptr(ceil(M / R));
  value  val[NB, R, C];
  stored { [b, p, r, c] -> [i, j] : 0 <= b < ceil(M / R) and rowptr(b) <= p < rowptr(b + 1)
           and 0 <= r < R and 0 <= c < C and i = R*b + r and j = C*bcol(p) + c
           and i < M and j < N } at val(p, r, c);
  property rowptr(0) = 0;
  property increasing rowptr;
  property range bcol in [0, ceil(N / C));
  property strictly increasing bcol within rowptr;
})";

inline const char *symmetric_text = R"(
layout symmetric_csr(i: N, j: N) {
  index  rowptr[N + 1], col[NNZ];
  count  NNZ = rowptr(N);
  value  val[NNZ];
  stored { [r, p] -> [i, j] : i = r and 0 <= r < N and rowptr(r) <= p < rowptr(r + 1) and j = col(p) } at val(p);
  stored { [r, p] -> [i, j] : j = r and 0 <= r < N and rowptr(r) <= p < rowptr(r + 1) and i = col(p) and i != r } at val(p);
  property rowptr(0) = 0;
  property increasing rowptr;
  property forall r, p : rowptr(r) <= p < rowptr(r + 1) => r <= col(p) < N;
  property strictly increasing col within rowptr;
})";

} // namespace unravel::tensor
