#include "plans_contest.h"

#include "convert/structure.h"
#include "data/generate.h"
#include "machine/profile.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <random>
#include <stdexcept>

namespace unravel::bench {

namespace {

data::Coordinates dense(std::vector<std::int64_t> shape) {
  std::vector<double> values(static_cast<std::size_t>(data::element_count(shape)));
  std::mt19937_64 random(3);
  for (double &value : values)
    value = std::uniform_real_distribution<double>(-1, 1)(random);
  return data::from_dense(std::move(shape), values);
}

pipeline::Request request_of(const Case &of) {
  pipeline::Request request;
  request.expression = of.expression;
  request.formats = of.formats;
  static const machine::Profile here = machine::measure(); // as `run` and the library choose
  request.machine = here;
  return request;
}

} // namespace

Packed::Packed(const Case &of, const pipeline::Front &front) {
  std::map<std::string, std::int64_t> sizes = of.sizes;
  std::map<std::string, data::Coordinates> made;
  std::map<std::string, const data::Coordinates *> sparse = of.given;
  const compute::Statement &statement = front.computation.program.statements.front();
  for (const auto &[name, text] : of.generators)
    sparse[name] = &made.emplace(name, generated(text)).first->second;
  for (const auto &[name, found] : sparse) {
    entries += found->size();
    compute::each_read(statement, [&, &tensor = name, &shape = found->shape](const compute::Access &access) {
      for (std::size_t mode = 0; access.tensor == tensor && mode < access.subscripts.size(); ++mode)
        sizes[access.subscripts[mode].index] = shape[mode];
    });
  }
  const std::string result = front.computation.tensors[0].name;
  compute::each_access(statement, [&](const compute::Access &access) {
    std::vector<std::int64_t> shape;
    for (const compute::Subscript &subscript : access.subscripts)
      shape.push_back(sizes.at(subscript.index));
    const auto found = sparse.find(access.tensor);
    if (found == sparse.end() && (access.tensor != result || front.structure.empty()))
      tensors.emplace(access.tensor, pack_as("dense", dense(shape)));
    else if (found != sparse.end())
      tensors.emplace(access.tensor, pack_as(of.formats.at(access.tensor), *found->second));
  });
  if (front.structure.empty()) return;
  const tensor::Tensor &like = tensors.at(front.structure);
  tensors.emplace(
      result, convert::with_structure_of(like, front.layouts.at(result), sparse.at(front.structure)->shape));
}

schedule::Counts Packed::counts() const {
  std::map<std::string, const tensor::Tensor *> all;
  for (const auto &[name, tensor] : tensors)
    all[name] = &tensor;
  return bench::counts(all);
}

ProductContest::ProductContest(const Case &of, const Options &options)
    : name_(of.name), options_(options), request_(request_of(of)), front_(pipeline::read_request(request_)),
      packed_(of, front_), result_(packed_.tensors.at(front_.computation.tensors[0].name)) {
  request_.counts = packed_.counts();
  for (auto &[name, tensor] : packed_.tensors)
    tensors_[name] = &tensor;
}

pipeline::Request ProductContest::with(const std::vector<std::string> &schedules) const {
  pipeline::Request one = request_;
  one.schedules = schedules;
  return one;
}

void ProductContest::expect(const std::string &name, const double *values, std::size_t count) {
  if (expected_.empty()) expected_.assign(values, values + count);
  double most = 0, largest = 1e-300;
  for (std::size_t k = 0; k < count; ++k) {
    most = std::max(most, std::abs(values[k] - expected_[k]));
    largest = std::max(largest, std::abs(expected_[k]));
  }
  if (!(most / largest < 1e-10))
    throw std::runtime_error(fmt::format("{}, {}: the results differ by {}", name_, name, most / largest));
}

void ProductContest::add(const std::string &name, const std::vector<std::string> &schedules, int threads) {
  BoundKernel &kernel = kernels_.emplace_back(with(schedules), tensors_);
  // The number of threads is the process's, not the kernel's.
  const int team = threads == 0 ? options_.threads : threads;
  const auto run = [&kernel, team] { kernel.set_threads(team), kernel(); };
  run();
  const auto values = result_.array("val").as<double>();
  expect(name, values.data(), values.size());
  contestants_.push_back({name, run, {}});
}

void ProductContest::add_by_hand(const std::string &name, std::function<void(double *)> run) {
  buffer_.resize(result_.array("val").size());
  run(buffer_.data());
  expect(name, buffer_.data(), buffer_.size());
  contestants_.push_back({name, [this, run = std::move(run)] { run(buffer_.data()); }, {}});
}

Standings ProductContest::run(Table &table, Timing timing) const {
  table.row(name_, packed_.entries);
  // With several threads each has its part of the operands in its cache, as in calls one after the other.
  constexpr int calls_before = 5;
  return compare(contestants_, timing, options_.budget, timing == Timing::cpu ? 0 : calls_before);
}

} // namespace unravel::bench
