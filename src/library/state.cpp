#include "library/state.h"

#include "parse/parse.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <unordered_map>

namespace unravel {

namespace {

/// The modes whose sizes a struct has: each name once.
std::vector<std::size_t> sizes_in_struct(const layout::Layout &layout) {
  std::vector<std::size_t> modes;
  for (std::size_t mode = 0; mode < layout.sizes.size(); ++mode)
    if (std::ranges::find(layout.sizes, layout.sizes[mode]) ==
        layout.sizes.begin() + static_cast<std::ptrdiff_t>(mode))
      modes.push_back(mode);
  return modes;
}

bool is_dense(const layout::Layout &layout) {
  if (layout.arrays.size() != 1 || !layout.counts.empty() || !layout.arrays.front().is_value) return false;
  const std::vector<term::Term> &extents = layout.arrays.front().extents;
  if (layout.order() == 0) return extents.size() == 1 && term::to_text(extents.front()) == "1";
  std::vector<std::string> sizes = layout.sizes, names;
  for (const term::Term &extent : extents)
    if (const auto *size = extent.as<term::Variable>()) names.push_back(size->name);
  std::ranges::sort(sizes);
  std::ranges::sort(names);
  return names.size() == extents.size() && sizes == names && std::ranges::adjacent_find(sizes) == sizes.end();
}

/// Of the file, without what stands behind its last layout.
std::string_view text_of(const layout::Layout &layout) {
  if (!layout.span.source) return {};
  const std::string_view text = layout.span.source->content();
  return text.substr(0, text.rfind('}'));
}

/// What a kernel of such a tensor is made for: files may have changed by then, so their text.
std::string format_of(const parse::LayoutReference &reference, const layout::Layout &layout) {
  std::string parameters;
  if (!reference.parameters.empty()) parameters = fmt::format("<{}>", fmt::join(reference.parameters, ","));
  if (reference.file.empty()) return reference.name + parameters;
  const std::string_view text = layout.span.source->content();
  const std::size_t end = text.rfind('}');
  return fmt::format("{}:{}{}", text.substr(0, end == text.npos ? end : end + 1), layout.base_name,
                     parameters);
}

} // namespace

bool is_same_layout(const layout::Layout &a, const layout::Layout &b) {
  return a.name == b.name && a.order() == b.order() &&
         (a.span.source == b.span.source || text_of(a) == text_of(b));
}

bool Wanted::is_unproved() const {
  return std::ranges::any_of(checked.findings, [](const report::Diagnostic &finding) {
    return finding.kind == report::Kind::argument_range;
  });
}

Wanted read_layout(const std::string &text, std::size_t order, const std::string &called) {
  const parse::LayoutReference reference =
      parse::parse_layout_reference(std::make_shared<const text::Source>(called, text));
  Wanted wanted{layout::load_layout(reference, order), {}, {}, reference.values.fill.value_or(0)};
  wanted.format = format_of(reference, wanted.layout());
  if (reference.values.type) wanted.type = value::type_called(reference.values.type->text);
  return wanted;
}

const TensorKind *kind_of(const layout::Layout &layout, const std::string &format, value::Type index,
                          value::Type value, std::vector<std::string> sampled) {
  // Never destroyed: tensors may outlive static objects.
  static auto &all = *new std::unordered_map<std::string, TensorKind>;
  static auto &mutex = *new std::mutex;
  const auto word = [](value::Type type) { return value::facts_of(type).word; };
  std::string key = fmt::format("{}\n{}\n{} {} {}\n{}\n{}", layout.name, format, layout.order(), word(index),
                                word(value), fmt::join(sampled, "\n"), text_of(layout));
  std::scoped_lock lock(mutex);
  if (auto known = all.find(key); known != all.end()) return &known->second;
  TensorKind kind;
  kind.layout = layout;
  kind.format = format;
  kind.sampled = std::move(sampled);
  for (layout::Array &array : kind.layout.arrays) {
    if (!array.element.empty()) continue;
    (array.is_value ? kind.value : kind.index) = array.is_value ? value : index;
    array.element = word(array.is_value ? value : index);
  }
  kind.sizes = sizes_in_struct(layout);
  kind.is_dense = is_dense(layout);
  return &all.emplace(std::move(key), std::move(kind)).first->second;
}

tensor::Tensor Tensor::State::tensor() const {
  tensor::Tensor made;
  made.layout = kind->layout;
  made.sizes = tensor::sizes_of(kind->layout, shape);
  for (std::size_t k = 0; k < kind->layout.counts.size() && !slots.empty(); ++k)
    made.counts[kind->layout.counts[k].name] = static_cast<std::int64_t>(slots[first_count() + k]);
  for (std::size_t k = 0; k < arrays.size(); ++k)
    made.arrays.emplace(kind->layout.arrays[k].name, arrays[k].shared());
  return made;
}

bool Tensor::State::is_writable() const {
  for (std::size_t k = 0; k < arrays.size(); ++k)
    if (kind->layout.arrays[k].is_value && !arrays[k].is_writable()) return false;
  return true;
}

void check_aligned(const std::string &name, value::Type type, const void *memory) {
  const std::size_t numbers = value::is_complex(type) ? 2 : 1;
  const std::size_t width = value::facts_of(type).bytes / numbers;
  if (reinterpret_cast<std::uintptr_t>(memory) % width != 0)
    report::fail(report::Kind::value_width,
                 fmt::format("the address of array `{}` isn't a multiple of {}, the size of {}", name, width,
                             numbers == 2 ? "its elements' parts" : "its elements"),
                 "copy it to memory that is aligned");
}

void Tensor::State::take(tensor::Tensor made) {
  shape = made.shape();
  std::vector<std::int64_t> counts;
  for (const layout::Count &count : kind->layout.counts)
    counts.push_back(made.counts.at(count.name));
  arrays.clear();
  for (const layout::Array &array : kind->layout.arrays)
    arrays.push_back(std::move(made.array(array.name)));
  make_slots(counts);
}

void Tensor::State::make_slots(const std::vector<std::int64_t> &counts) {
  slots.clear();
  for (const std::size_t mode : kind->sizes)
    slots.push_back(static_cast<std::uint64_t>(shape[mode]));
  for (const std::int64_t count : counts)
    slots.push_back(static_cast<std::uint64_t>(count));
  for (data::Elements &elements : arrays)
    slots.push_back(reinterpret_cast<std::uint64_t>(elements.data()));
}

} // namespace unravel
