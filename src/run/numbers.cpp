#include "run/numbers.h"

#include "report/diagnostic.h"

namespace unravel::run {

namespace {

struct Numbers : term::Environment {
  Numbers(const std::map<std::string, tensor::Tensor> &of, const std::map<std::string, std::int64_t> &given)
      : tensors(of), sizes(given) {}
  std::int64_t variable(const std::string &name) const override {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return sizes.at(name);
    return tensor::number_of(tensors.at(name.substr(0, dot)), name.substr(dot + 1)).value();
  }
  std::int64_t apply(const std::string &, const std::vector<std::int64_t> &) const override {
    report::fail(report::Kind::internal, "a number that is known before the kernel runs reads an array",
                 "please report this as a bug");
  }
  const std::map<std::string, tensor::Tensor> &tensors;
  const std::map<std::string, std::int64_t> &sizes;
};

} // namespace

std::int64_t number_on(const term::Term &term, const std::map<std::string, tensor::Tensor> &tensors,
                       const std::map<std::string, std::int64_t> &sizes) {
  return term::evaluate(term, Numbers(tensors, sizes));
}

} // namespace unravel::run
