#pragma once

#include "kernel.h"
#include "report.h"

#include <list>
#include <map>
#include <string>
#include <vector>

/// Kernels that compute one product of several tensors, on the same data.
namespace unravel::bench {

struct Options {
  int threads = 1;
  double budget = 300;
  bool quick = false;
  std::string folder; // of tensors in files, or empty
  std::string goals;  // which of measure_goals: names with commas, or empty for all
};

/// A product, its sparse factors, and the sizes of the indices that these don't have.
struct Case {
  std::string name, expression;
  std::map<std::string, std::string> formats, generators; // factors by generator texts,
  std::map<std::string, std::int64_t> sizes;
  std::map<std::string, const data::Coordinates *> given = {}; // or their entries, which outlive this
};

/// The tensors of a case, packed. Dense ones are random.
struct Packed {
  std::map<std::string, tensor::Tensor> tensors;
  std::size_t entries = 0; // of the sparse ones

  Packed(const Case &of, const pipeline::Front &front);
  schedule::Counts counts() const;
};

/// Kernels of one case, which compute the same result.
class ProductContest {
public:
  ProductContest(const Case &of, const Options &options);

  const pipeline::Request &request() const { return request_; }
  const pipeline::Front &front() const { return front_; }
  const std::vector<Contestant> &contestants() const { return contestants_; }
  const std::string &name() const { return name_; }
  std::size_t entries() const { return packed_.entries; }
  tensor::Tensor &tensor(const std::string &name) { return packed_.tensors.at(name); }
  const double *values(const std::string &name) { return tensor(name).array("val").as<double>().data(); }

  pipeline::Request with(const std::vector<std::string> &schedules) const;

  /// Throws where its result differs from the first one's. `threads`: 0 for as many as the options say.
  void add(const std::string &name, const std::vector<std::string> &schedules, int threads = 0);
  /// A program by hand, which fills an array like the result's.
  void add_by_hand(const std::string &name, std::function<void(double *)> run);

  Standings run(Table &table, Timing timing) const;

private:
  void expect(const std::string &name, const double *values, std::size_t count);

  const std::string name_;
  const Options options_;
  pipeline::Request request_;
  const pipeline::Front front_;
  Packed packed_;
  tensor::Tensor &result_;
  std::map<std::string, tensor::Tensor *> tensors_;
  std::list<BoundKernel> kernels_;
  std::vector<double> buffer_; // what programs by hand fill
  std::vector<Contestant> contestants_;
  std::vector<double> expected_;
};

/// The plan that is taken, against the forms that others would run.
void measure_goals(Report &report, const Options &options);

} // namespace unravel::bench
