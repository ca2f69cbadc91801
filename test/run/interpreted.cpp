#include "run/interpreted.h"

#include "compute/fills.h"
#include "convert/pack.h"
#include "lower/wavefront.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <sstream>

namespace unravel::run::test {

namespace {

pipeline::Compilation compile(const Problem &problem) {
  return pipeline::compile(problem.request());
}

const std::string &result_of(const pipeline::Compilation &compilation) {
  return compilation.computation.tensors.front().name;
}

template <class Sequence> std::string list(const Sequence &numbers) {
  std::ostringstream text;
  for (const auto &number : numbers)
    text << (text.tellp() > 0 ? " " : "") << number;
  return text.str();
}

/// A dense tensor's elements; what is stored may be a matrix of layout dense<1,0>.
std::vector<double> row_major(const layout::Layout &layout, const std::vector<std::int64_t> &shape,
                              const std::vector<double> &stored) {
  if (layout.parameters.empty() || layout.parameters.front() != 1 || shape.size() != 2) return stored;
  std::vector<double> turned(stored.size());
  for (std::int64_t i = 0; i < shape[0]; ++i)
    for (std::int64_t j = 0; j < shape[1]; ++j)
      turned[static_cast<std::size_t>(i * shape[1] + j)] = stored[static_cast<std::size_t>(j * shape[0] + i)];
  return turned;
}

double value_of(std::size_t k, Values kind) {
  if (kind == Values::Cancelling) return static_cast<double>((k * 2654435761U >> 8) % 3) - 1;
  return kind == Values::Special ? special(k, prime(k)) : prime(k);
}

/// `drop zeros`: has the result as many entries, or nodes, as other values than that are packed into?
bool is_without(double dropped, const layout::Layout &layout, const Instance &made,
                const std::vector<double> &values, const check::Reference &expected) {
  const bool is_list = layout.base_name == "coo_dup"; // its entries are parts of values
  const bool has_blocks = layout.base_name == "bcsr";
  if (!has_blocks && std::ranges::find(values, dropped) != values.end()) return false;
  if (is_list) return true;
  data::Coordinates kept(expected.shape);
  for (std::size_t k = 0; k < expected.value.size(); ++k) {
    if (expected.value[k] == dropped) continue;
    std::vector<std::int64_t> coordinate(expected.shape.size());
    std::size_t rest = k;
    for (std::size_t mode = coordinate.size(); mode-- > 0;) {
      const auto extent = static_cast<std::size_t>(expected.shape[mode]);
      coordinate[mode] = static_cast<std::int64_t>(rest % extent);
      rest /= extent;
    }
    kept.append(coordinate, expected.value[k]);
  }
  const tensor::Tensor packed = convert::pack(layout, std::move(kept));
  return std::ranges::all_of(packed.counts,
                             [&](const auto &count) { return made.numbers.at(count.first) == count.second; });
}

/// The arrays of a result that the kernel has assembled.
Instance assembled_instance(const layout::Layout &layout, const std::string &result,
                            const loop::Memory &memory) {
  Instance instance;
  for (const layout::Count &count : layout.counts)
    instance.numbers[count.name] = memory.sizes.at(result + "." + count.name);
  for (const layout::Array &array : layout.arrays)
    if (!array.is_value) instance.indices[array.name] = memory.indices.at(result + "." + array.name);
  return instance;
}

} // namespace

Interpreted::Interpreted(const Problem &problem)
    : problem_(problem), compilation_(compile(problem)), interpreter_(compilation_.program) {
  if (compilation_.values) values_.emplace(compilation_.values->program);
}

bool Interpreted::check(const SmallCase &input, const loop::InterpretOptions &options, Values kind) const {
  loop::Memory memory;
  std::map<std::string, data::Coordinates> coordinates;
  std::map<std::string, const data::Coordinates *> operands;
  std::size_t next = 0;
  for (const auto &[name, instance] : input.operands) {
    for (const auto &[array, elements] : instance->indices)
      memory.indices[name + "." + array] = elements;
    for (const auto &[number, value] : instance->numbers)
      memory.sizes[name + "." + number] = value;
    for (const auto &[array, count] : instance->value_counts)
      for (std::size_t k = 0; k < count; ++k, ++next)
        memory.values[name + "." + array].push_back(value_of(next, kind));
    for (const auto &[array, count] : instance->value_counts)
      memory.values[name + "." + array].resize(count);
    data::Coordinates &meant = coordinates.emplace(name, data::Coordinates(instance->shape)).first->second;
    for (const Instance::Entry &entry : instance->entries)
      meant.append(entry.coordinate,
                   entry.factor *
                       (entry.array.empty() ? 1 : memory.values.at(name + "." + entry.array)[entry.slot]));
    operands[name] = &meant;
  }
  // The result: filled with what must be overwritten, or added to.
  const std::string &result = result_of(compilation_);
  const layout::Layout &layout = compilation_.layouts.at(result);
  std::vector<std::int64_t> shape = shape_of(compilation_.computation, result, input.sizes).value();
  for (std::size_t mode = 0; mode < shape.size(); ++mode)
    memory.sizes[result + "." + layout.sizes[mode]] = shape[mode];
  for (const std::string &size : compilation_.program.sizes)
    memory.sizes[size] = input.sizes.indices.at(size);
  const std::string &structure = compilation_.structure;
  const std::string values =
      result + "." + std::find_if(layout.arrays.begin(), layout.arrays.end(), [](auto &array) {
                       return array.is_value;
                     })->name;
  Instance shared; // with an operand's structure: where the result's slots are
  if (!structure.empty()) {
    shared = with_structure(layout, shape, *input.operands.at(structure.substr(0, structure.find('#'))));
    for (const layout::Count &count : layout.counts)
      memory.sizes[result + "." + count.name] = shared.numbers.at(count.name);
    EXPECT_TRUE(satisfies(layout, shared)) << layout.name << ": a structure without its properties";
  }
  std::size_t slots = structure.empty() ? static_cast<std::size_t>(data::element_count(shape))
                                        : shared.value_counts.begin()->second;
  const bool assembled = compilation_.program.parameters.front().assembled;
  std::vector<double> initial;
  for (std::size_t k = 0; k < slots; ++k)
    initial.push_back(assembled ? compute::nothing_of(compilation_.computation.program, result)
                                : 1000 + static_cast<double>(k));
  if (!assembled) memory.values[values] = initial;
  auto meant_by = [&](const std::vector<double> &stored) {
    if (structure.empty() && shared.indices.empty()) return row_major(layout, shape, stored);
    data::Coordinates meant(shape);
    for (const Instance::Entry &entry : shared.entries)
      meant.append(entry.coordinate, stored.at(entry.slot));
    return data::to_dense(meant);
  };
  initial = meant_by(initial);
  std::vector<std::string> further; // results, which begin as zeros
  for (const compute::TensorUse &use : compilation_.computation.tensors) {
    if (!use.is_result || use.name == result) continue;
    further.push_back(use.name);
    const layout::Layout &dense = compilation_.layouts.at(use.name);
    const std::vector<std::int64_t> extents =
        shape_of(compilation_.computation, use.name, input.sizes).value();
    for (std::size_t mode = 0; mode < extents.size(); ++mode)
      memory.sizes[use.name + "." + dense.sizes[mode]] = extents[mode];
    memory.values[use.name + "." + dense.arrays.front().name].assign(
        static_cast<std::size_t>(data::element_count(extents)), 0);
  }
  if (!compilation_.program.sizes.empty() && !stays_inside(compilation_.computation, input.sizes)) {
    if (compilation_.inspector)
      give_levels(memory, std::vector<std::int64_t>(compilation_.inspector->numbers.size()));
    const int code = interpreter_.run(memory, options);
    EXPECT_EQ(code, 1) << describe(input);
    return code == 1;
  }
  const check::ProgramReference reference =
      program_reference(compilation_.computation, operands, input.sizes, initial);
  const std::map<std::string, check::Reference> &all = reference.results;
  const check::Reference &expected = all.at(result);
  const bool misses = !reference.missing.empty(); // a divisor
  if (compilation_.inspector) inspect(memory);
  try {
    int code = interpreter_.run(memory, options);
    if (code == 3 && misses) return true;
    EXPECT_EQ(code, 0) << describe(input);
    for (int again = 0; values_ && again < 2; ++again) {
      std::ranges::fill(memory.values.at(values), std::nan(""));
      EXPECT_EQ(values_->run(memory, options), 0) << describe(input);
    }
  } catch (const report::Error &error) {
    ADD_FAILURE() << error.what() << describe(input);
    return false;
  }
  for (const std::string &name : further) {
    const std::string array = name + "." + compilation_.layouts.at(name).arrays.front().name;
    const std::vector<double> got =
        row_major(compilation_.layouts.at(name), all.at(name).shape, memory.values.at(array));
    if (check::compare(got, all.at(name), 1e-12).ok) continue;
    ADD_FAILURE() << name << ": expected " << list(all.at(name).value) << "\ngot " << list(got) << "\n"
                  << describe(input);
    return false;
  }
  if (assembled && std::ranges::find(problem_.schedules, "drop zeros") != problem_.schedules.end()) {
    const Instance made = assembled_instance(layout, result, memory);
    if (!is_without(compute::nothing_of(compilation_.computation.program, result), layout, made,
                    memory.values.at(values), expected)) {
      ADD_FAILURE() << "the result has other entries: " << list(memory.values.at(values)) << "\n"
                    << "of " << list(expected.value) << "\n"
                    << describe(input);
      return false;
    }
  }
  if (assembled) {
    shared = with_structure(layout, shape, assembled_instance(layout, result, memory));
    EXPECT_TRUE(satisfies(layout, shared)) << "a result without its layout's properties\n" << describe(input);
  }
  std::vector<double> got = meant_by(memory.values.at(values));
  if (assembled) { // what has no entry is what nothing is reduced to
    data::Coordinates present(shape);
    for (const Instance::Entry &entry : shared.entries)
      present.append(entry.coordinate, 1);
    const std::vector<double> is_present = data::to_dense(present);
    for (std::size_t k = 0; k < got.size(); ++k)
      if (is_present[k] == 0) got[k] = compute::nothing_of(compilation_.computation.program, result);
  }
  if (compilation_.combination.has_loops() || problem_.expression.find('/') != std::string::npos) { // rounded
    check::Comparison comparison = check::compare(got, expected, 1e-12);
    if (comparison.ok) return true;
    ADD_FAILURE() << "expected " << list(expected.value) << "\ngot " << list(got) << "\n" << describe(input);
    return false;
  }
  auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  if (std::equal(got.begin(), got.end(), expected.value.begin(), expected.value.end(), same)) return true;
  ADD_FAILURE() << "expected " << list(expected.value) << "\ngot " << list(got) << "\n" << describe(input);
  return false;
}

/// The first that writes to it, of what is executed.
/// Levels of these numbers, as they are before they are inspected.
void Interpreted::give_levels(loop::Memory &memory, const std::vector<std::int64_t> &numbers) const {
  const loop::TensorParameter &levels = compilation_.inspector->program.parameters.front();
  memory.sizes[levels.name + ".M"] = numbers[0];
  for (std::size_t k = 0; k < levels.counts.size(); ++k)
    memory.sizes[levels.name + "." + levels.counts[k]] = numbers[k + 1];
  const std::vector<std::int64_t> room = lower::room_of_levels(levels, numbers);
  for (std::size_t k = 0; k < room.size(); ++k) {
    const std::string array = levels.name + "." + levels.arrays[k].name;
    if (levels.arrays[k].is_value)
      memory.values[array].assign(static_cast<std::size_t>(room[k]), 12345);
    else
      memory.indices[array].assign(static_cast<std::size_t>(room[k]), 12345);
  }
}

/// The levels of the kernel's wavefronts.
void Interpreted::inspect(loop::Memory &memory) const {
  struct Sizes_ : term::Environment {
    explicit Sizes_(const std::map<std::string, std::int64_t> &of) : sizes(of) {}
    std::int64_t variable(const std::string &name) const override { return sizes.at(name); }
    std::int64_t apply(const std::string &, const std::vector<std::int64_t> &) const override { return -1; }
    const std::map<std::string, std::int64_t> &sizes;
  };
  std::vector<std::int64_t> numbers;
  for (const term::Term &number : compilation_.inspector->numbers)
    numbers.push_back(term::evaluate(number, Sizes_(memory.sizes)));
  give_levels(memory, numbers);
  EXPECT_EQ(loop::interpret(compilation_.inspector->program, memory), 0);
}

std::string Interpreted::describe(const SmallCase &input) const {
  std::ostringstream text;
  text << problem_.text() << "\n";
  for (const std::string &size : compilation_.program.sizes)
    text << size << " = " << input.sizes.indices.at(size) << "\n";
  for (const auto &[name, instance] : input.operands) {
    for (const auto &[number, value] : instance->numbers)
      text << name << "." << number << " = " << value << "  ";
    for (const auto &[array, elements] : instance->indices)
      text << name << "." << array << " = [" << list(elements) << "]  ";
    text << "\n";
  }
  text << loop::to_text(compilation_.program);
  if (values_) text << loop::to_text(compilation_.values->program);
  return text.str();
}

std::vector<SmallCase> Interpreted::inputs(const Sizes &sizes, std::size_t limit,
                                           std::mt19937_64 &random) const {
  std::vector<std::pair<std::string, const std::vector<Instance> *>> choices;
  std::size_t total = 1;
  for (const compute::TensorUse &use : compilation_.computation.tensors) {
    std::optional<std::vector<std::int64_t>> shape = shape_of(compilation_.computation, use.name, sizes);
    if (!shape) return {};
    if (use.is_result) continue;
    choices.emplace_back(use.name, &small_inputs(compilation_.layouts.at(use.name), *shape));
    if (choices.back().second->empty()) return {};
    total = std::min<std::size_t>(total * choices.back().second->size(), std::size_t{1} << 40);
  }
  std::vector<SmallCase> cases;
  for (std::size_t k = 0; k < std::min(total, limit); ++k) {
    std::size_t number = total <= limit ? k : random() % total;
    SmallCase one{{}, sizes};
    for (const auto &[name, instances] : choices) {
      one.operands[name] = &(*instances)[number % instances->size()];
      number /= instances->size();
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

std::optional<SmallCase> Interpreted::draw(std::mt19937_64 &random) const {
  std::vector<Sizes> sizes = small_sizes(compilation_.computation);
  for (int tries = 0; tries < 10; ++tries) {
    std::vector<SmallCase> one = inputs(sizes[random() % sizes.size()], 1, random);
    if (!one.empty()) return one.front();
  }
  return std::nullopt;
}

std::vector<Sizes> small_sizes(const compute::Computation &computation) {
  std::vector<Sizes> result;
  const std::vector<std::vector<std::int64_t>> patterns = {
      {2, 2, 2, 2}, {2, 3, 2, 1}, {3, 2, 1, 2}, {1, 3, 2, 2}, {3, 1, 2, 2},
      {0, 2, 1, 1}, {2, 0, 2, 2}, {0, 0, 0, 0}, {1, 1, 1, 1}, {3, 3, 1, 1}};
  for (const std::vector<std::int64_t> &pattern : patterns)
    for (std::int64_t surplus : {1, 0, -1}) {
      Sizes sizes;
      const std::vector<std::string> &names = names_of_sizes(computation);
      for (std::size_t k = 0; k < names.size(); ++k)
        sizes.indices[names[k]] = pattern[k % pattern.size()];
      sizes.shifted_surplus = surplus;
      if (!computation.program.given.empty()) {
        for (std::size_t number = 0; number < 8 && surplus == 1; ++number) {
          choose_given(computation, sizes, number);
          result.push_back(sizes);
        }
        continue;
      }
      if (surplus == 1 || computation.text.find_first_of("+-") != std::string::npos) result.push_back(sizes);
    }
  return result;
}

} // namespace unravel::run::test
