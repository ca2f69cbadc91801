#include "run/compiled.h"

#include "compute/fills.h"
#include "convert/pack.h"
#include "convert/storable.h"
#include "convert/structure.h"
#include "emit/emit.h"
#include "report/diagnostic.h"
#include "run/levels.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace unravel::run::test {

namespace {

emit::EmitOptions in_process() {
  emit::EmitOptions options;
  options.in_process = true;
  return options;
}

std::string changed(std::string text, const std::function<std::string(std::string)> &change) {
  return change ? change(std::move(text)) : text;
}

convert::PackOptions pack_options(const Problem &problem) {
  convert::PackOptions options;
  options.index =
      problem.index == loop::ElementType::Int64 ? tensor::IndexType::Int64 : tensor::IndexType::Int32;
  options.value = problem.value;
  return options;
}

} // namespace

Packer::Packer(const Problem &problem)
    : problem_(problem), front_(pipeline::read_request(problem.request())) {
  for (const auto &[tensor, layout] : front_.layouts)
    plans_.emplace(tensor, packing::plan_packing(layout));
}

std::optional<PackedCase> Packer::draw(const Sizes &sizes, std::mt19937_64 &random, Values values) const {
  PackedCase made;
  made.sizes = sizes;
  std::map<std::string, const data::Coordinates *> operands;
  for (const compute::TensorUse &use : front_.computation.tensors) {
    std::optional<std::vector<std::int64_t>> shape = shape_of(front_.computation, use.name, sizes);
    if (!shape) return std::nullopt;
    const bool is_further = use.is_result && use.name != front_.computation.tensors.front().name;
    std::optional<data::Coordinates> entries =
        is_further ? data::Coordinates(*shape) : draw_entries(use, *shape, random, values);
    if (!entries) return std::nullopt;
    made.coordinates[use.name] = std::move(*entries);
    made.about += use.name + ":";
    for (std::int64_t extent : *shape)
      made.about += " " + std::to_string(extent);
    made.about += " with " + std::to_string(made.coordinates[use.name].size()) + " entries; ";
    try {
      convert::PackOptions options = pack_options(problem_);
      if (!use.is_result) options.fill = compute::fill_of(front_.computation.program, use.name).value_or(0);
      made.tensors.emplace(use.name, convert::pack(front_.layouts.at(use.name), plans_.at(use.name),
                                                   made.coordinates[use.name], options));
    } catch (const report::Error &error) {
      if (error.diagnostic().kind == report::Kind::not_storable) return std::nullopt;
      throw;
    }
    if (is_further) continue;
    if (use.is_result)
      made.initial = data::to_dense(made.coordinates[use.name]);
    else
      operands[use.name] = &made.coordinates[use.name];
  }
  if (!stays_inside(front_.computation, sizes)) {
    made.is_outside = true;
  } else {
    check::ProgramReference reference = program_reference(front_.computation, operands, sizes, made.initial);
    made.further = std::move(reference.results);
    auto first = made.further.extract(front_.computation.tensors.front().name);
    made.expected = std::move(first.mapped());
    made.misses = !reference.missing.empty();
  }
  return made;
}

/// Most layouts take anything; of the others those entries that they have a place for.
std::optional<data::Coordinates> Packer::draw_entries(const compute::TensorUse &use,
                                                      const std::vector<std::int64_t> &shape,
                                                      std::mt19937_64 &random, Values values) const {
  static const double densities[] = {0.3, 0.6, 0.1, 1, 0};
  double density = use.is_result ? 1 : densities[random() % 5];
  const bool spoilt = values == Values::Special && !use.is_result;
  // What a dense layout doesn't get is a zero there: it makes NaN of a special value that the reference
  // skips. So does, of what a divisor that is zero has made, any layout with slots that no entry names.
  const bool has_quotient =
      !front_.computation.program.extents.empty() || problem_.expression.find('/') != std::string::npos;
  const bool may_divide = has_quotient && !use.is_result;
  // In a semiring what the reference isn't given is nothing.
  const bool in_semiring = std::ranges::any_of(front_.computation.program.statements,
                                               [](const auto &each) { return each.product.has_value(); });
  if ((spoilt || may_divide || in_semiring) && front_.layouts.at(use.name).name.starts_with("dense"))
    density = 1;
  bool repeats = !use.is_result && !spoilt && !may_divide && random() % 2 == 0;
  for (int tries = 0; tries < 4; ++tries, density /= 3) {
    data::Coordinates drawn = random_tensor(shape, density, repeats, random);
    for (double &value : drawn.value) {
      if (may_divide && value == 0) value = 10;
      if (spoilt) value = special(random(), value);
    }
    try {
      drawn = convert::storable(front_.layouts.at(use.name), plans_.at(use.name), std::move(drawn));
      convert::pack(front_.layouts.at(use.name), plans_.at(use.name), drawn);
      return drawn;
    } catch (const report::Error &error) {
      if (error.diagnostic().kind == report::Kind::wrong_shape) return std::nullopt;
      if (error.diagnostic().kind != report::Kind::not_storable) throw;
    }
  }
  return data::Coordinates(shape);
}

PackedCase packed(const SmallCase &input, const pipeline::Compilation &compilation, const Problem &problem) {
  PackedCase made;
  made.sizes = input.sizes;
  convert::PackOptions types = pack_options(problem);
  std::map<std::string, const data::Coordinates *> operands;
  std::size_t next = 0;
  for (const auto &[name, instance] : input.operands) {
    tensor::Tensor &tensor = made.tensors[name];
    tensor.layout = compilation.layouts.at(name);
    for (const auto &[number, value] : instance->numbers) {
      const std::vector<std::string> &sizes = tensor.layout.sizes;
      bool is_size = std::find(sizes.begin(), sizes.end(), number) != sizes.end();
      (is_size ? tensor.sizes : tensor.counts)[number] = value;
    }
    for (const layout::Array &array : tensor.layout.arrays) {
      data::DType type = tensor::element_type(array, types.index, types.value);
      std::size_t count =
          array.is_value ? instance->value_counts.at(array.name) : instance->indices.at(array.name).size();
      data::Elements &elements = tensor.arrays[array.name] = data::Elements(type, count);
      for (std::size_t k = 0; k < count; ++k)
        if (array.is_value)
          elements.set_real(k, prime(next++));
        else
          elements.set_integer(k, instance->indices.at(array.name)[k]);
    }
    data::Coordinates meant(instance->shape);
    for (const Instance::Entry &entry : instance->entries)
      meant.append(entry.coordinate,
                   entry.factor * (entry.array.empty() ? 1 : tensor.arrays.at(entry.array).real(entry.slot)));
    operands[name] = &(made.coordinates[name] = std::move(meant));
  }
  const std::string &result = compilation.computation.tensors.front().name;
  std::vector<std::int64_t> shape = shape_of(compilation.computation, result, input.sizes).value();
  tensor::Tensor &tensor = made.tensors[result];
  if (const std::string &structure = compilation.structure; !structure.empty()) {
    const tensor::Tensor &lender = made.tensors.at(structure.substr(0, structure.find('#')));
    tensor = convert::with_structure_of(lender, compilation.layouts.at(result), shape, types);
    made.initial.assign(static_cast<std::size_t>(data::element_count(shape)), 0);
    made.expected = reference_of(compilation.computation, operands, input.sizes, made.initial);
    made.about = "a small input";
    return made;
  }
  tensor.layout = compilation.layouts.at(result);
  for (std::size_t mode = 0; mode < shape.size(); ++mode)
    tensor.sizes[tensor.layout.sizes[mode]] = shape[mode];
  const layout::Array &values = tensor.layout.arrays.front();
  auto count = static_cast<std::size_t>(data::element_count(shape));
  tensor.arrays[values.name] = data::Elements(tensor::element_type(values, types.index, types.value), count);
  tensor.arrays.at(values.name).fill(0);
  made.initial.assign(count, 0);
  made.expected = reference_of(compilation.computation, operands, input.sizes, made.initial);
  made.about = "a small input";
  return made;
}

std::vector<Sizes> sizes_of_all_kinds(const compute::Computation &computation) {
  std::vector<Sizes> result;
  const std::vector<std::vector<std::int64_t>> patterns = {
      {5, 7, 4, 3}, {70, 9, 8, 2}, {1, 6, 5, 4}, {6, 1, 5, 1}, {0, 0, 0, 0},
      {1, 1, 1, 1}, {0, 5, 3, 2},  {4, 0, 3, 2}, {6, 6, 5, 5}, {45, 45, 3, 3}};
  for (std::size_t number = 0; number < patterns.size(); ++number) {
    Sizes sizes;
    const std::vector<std::string> &names = names_of_sizes(computation);
    for (std::size_t k = 0; k < names.size(); ++k)
      sizes.indices[names[k]] = patterns[number][k % patterns[number].size()];
    sizes.shifted_surplus = std::int64_t{1} - static_cast<std::int64_t>(number % 3);
    choose_given(computation, sizes, number);
    result.push_back(sizes);
  }
  return result;
}

Compiled::Compiled(const pipeline::Request &request, const Problem &problem,
                   const std::function<std::string(std::string)> &change)
    : problem_(problem), compilation_(pipeline::compile(request)),
      c_text_(changed(emit::emit_c(compilation_.program, in_process()), change)),
      kernel_(build::compile(c_text_)), workspace_(kernel_) {}

check::Comparison Compiled::compare(PackedCase input, int threads) const {
  kernel_.set_threads(threads);
  std::vector<std::vector<std::uint64_t>> structs;
  for (const combine::Binding &binding : compilation_.combination.bindings)
    structs.push_back(tensor::kernel_arguments(input.tensors.at(binding.tensor)).slots());
  std::vector<void *> arguments, sizes;
  for (std::vector<std::uint64_t> &slots : structs)
    arguments.push_back(slots.data());
  for (const std::string &size : compilation_.program.sizes)
    sizes.push_back(&input.sizes.indices.at(size));
  std::optional<Levels> levels;
  std::vector<std::uint64_t> slots;
  if (compilation_.inspector) {
    levels.emplace(*compilation_.inspector, compilation_.program);
    std::vector<void *> inspected = arguments;
    inspected.insert(inspected.end(), sizes.begin(), sizes.end());
    levels->inspect(inspected);
    slots = levels->slots(inspected);
    arguments.push_back(slots.data());
  }
  arguments.insert(arguments.end(), sizes.begin(), sizes.end());
  arguments.push_back(workspace_.get());
  auto entry = reinterpret_cast<int (*)(void **)>(kernel_.symbol("unravel_entry"));
  int code = entry(arguments.data());
  if (input.misses) { // or has a zero that the layout fills a gap with
    EXPECT_TRUE(code == 3 || code == 0) << code;
    return {};
  }
  EXPECT_EQ(code, input.is_outside ? 1 : 0);
  if (input.is_outside) return {};
  const std::string &result = compilation_.computation.tensors.front().name;
  const data::Coordinates entries = convert::unpack(input.tensors.at(result));
  std::vector<double> got = data::to_dense(entries), imaginary;
  if (entries.is_complex()) imaginary = data::to_dense(data::imaginary_part(entries));
  double tolerance = problem_.value == loop::ElementType::Float32 ? 1e-5 : 1e-12;
  for (const auto &[name, expected] : input.further) {
    check::Comparison one =
        check::compare(data::to_dense(convert::unpack(input.tensors.at(name))), expected, tolerance);
    if (!one.ok) return one;
  }
  return check::compare(got, input.expected, tolerance, imaginary);
}

bool Compiled::check(PackedCase input, int threads) const {
  std::string about = input.about;
  check::Comparison comparison = compare(std::move(input), threads);
  if (comparison.ok) return true;
  ADD_FAILURE() << problem_.text() << " on " << threads << " threads, " << about << "\nexpected "
                << comparison.expected.number() << " " << comparison.expected.imaginary << ", got "
                << comparison.got.number() << " " << comparison.got.imaginary << "\n"
                << c_text_;
  return false;
}

} // namespace unravel::run::test
