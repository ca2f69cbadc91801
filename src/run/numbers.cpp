#include "run/numbers.h"

#include "report/diagnostic.h"

namespace unravel::run {

std::int64_t Numbers::variable(const std::string &name) const {
  if (auto own = sizes_.find(name); own != sizes_.end()) return own->second;
  const std::size_t dot = name.rfind('.');
  report::require(dot != std::string::npos, "a size is known");
  return tensor::number_of(tensors_.at(name.substr(0, dot)), name.substr(dot + 1)).value();
}

std::int64_t Numbers::apply(const std::string &function, const std::vector<std::int64_t> &arguments) const {
  const std::size_t dot = function.rfind('.');
  const data::Elements &array = tensors_.at(function.substr(0, dot)).array(function.substr(dot + 1));
  report::require(arguments.size() == 1 && arguments[0] >= 0 &&
                      arguments[0] < static_cast<std::int64_t>(array.size()),
                  "a formula reads elements that are there");
  return array.integer(static_cast<std::size_t>(arguments[0]));
}

std::int64_t number_on(const term::Term &term, const std::map<std::string, tensor::Tensor> &tensors,
                       const std::map<std::string, std::int64_t> &sizes) {
  return term::evaluate(term, Numbers(tensors, sizes));
}

} // namespace unravel::run
