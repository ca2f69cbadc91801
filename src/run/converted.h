#pragma once

#include "run/session.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace unravel::run {

/// Operands that the kernel has in another layout than they are given in (pipeline::Front::converted).
class Converted {
public:
  /// Reads the request, with the layouts that operands are given in until they are converted.
  static pipeline::Front read_front(const pipeline::Request &request);

  /// Gives tensors and front the layouts that are wanted; `trust`: what the given layouts promise was
  /// checked. Returns the milliseconds that it took; nothing where there are none.
  std::optional<double> convert(const Request &request, pipeline::Front &front,
                                std::map<std::string, tensor::Tensor> &tensors, bool trust);
  /// Likewise one conversion that nobody has asked for, where it pays for so many calls. `known`: what is
  /// compiled, with the counts of the data.
  std::optional<double> convert_if_it_pays(const Request &request, const pipeline::Request &known, int calls,
                                           pipeline::Front &front,
                                           std::map<std::string, tensor::Tensor> &tensors, bool trust);
  /// Likewise where no plan weighs it: the conversion by which the loops of `compiled` do least.
  std::optional<double> convert_for_loops(const Request &request, const pipeline::Request &known,
                                          const pipeline::Compilation &compiled, int calls,
                                          pipeline::Front &front,
                                          std::map<std::string, tensor::Tensor> &tensors, bool trust);
  /// Schedules that convert an operand, by which calls may take less; the best first.
  static std::vector<std::string> worth_trying(const pipeline::Request &known, const pipeline::Front &front);
  /// The tensors as they were given.
  void give_back(std::map<std::string, tensor::Tensor> &tensors);

private:
  void convert_uses(const Request &request, const pipeline::Front &front,
                    std::map<std::string, tensor::Tensor> &tensors, bool trust);

  std::vector<std::string> made_; // for uses
  std::map<std::string, tensor::Tensor> given_;
};

} // namespace unravel::run
