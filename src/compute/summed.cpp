#include "compute/summed.h"

#include "compute/coordinates.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace unravel::compute {

using value::Operator;

namespace {

class Summed {
public:
  Summed(const std::set<std::string> &of_result, const text::Span &span)
      : of_result_(of_result), span_(span) {}

  void add(const Value &part, Sum &terms) const {
    const std::set<std::string> summed = summed_indices(part, of_result_);
    if (summed.empty()) {
      terms.push_back(part);
    } else if (const auto *sum = value::arguments_of(Operator::Add, part)) {
      for (const Value &each : *sum)
        add(each, terms);
    } else {
      const auto product = value::quotient_of(part);
      const std::vector<std::size_t> opened = brackets_of_sums(product, summed);
      if (opened.empty()) {
        terms.push_back(part);
        return;
      }
      if (opened.size() > 1) fail_two(product.factors[opened[0]], product.factors[opened[1]]);
      const Value &bracket = product.factors[opened.front()]; // an index that no other factor has tells it
      for (const Value &each : *value::arguments_of(Operator::Add, bracket))
        add(value::map_factors(part,
                               [&](const Value &factor) {
                                 return indices_in(factor) == indices_in(bracket) ? each : factor;
                               }),
            terms);
    }
  }

private:
  static bool uses(const Value &value, const std::string &index) { return indices_in(value).contains(index); }

  /// The factors that are brackets with an index of their own: their numbers.
  static std::vector<std::size_t> brackets_of_sums(const value::Quotient<Value> &product,
                                                   const std::set<std::string> &summed) {
    std::set<std::size_t> opened;
    for (const std::string &index : summed) {
      const auto uses_it = [&](const Value &factor) { return uses(factor, index); };
      const auto user = std::ranges::find_if(product.factors, uses_it);
      if (user == product.factors.end() || std::any_of(std::next(user), product.factors.end(), uses_it) ||
          std::ranges::any_of(product.divisors, uses_it))
        continue;
      if (value::arguments_of(Operator::Add, *user))
        opened.insert(static_cast<std::size_t>(user - product.factors.begin()));
    }
    return {opened.begin(), opened.end()};
  }

  [[noreturn]] void fail_two(const Value &one, const Value &other) const {
    report::fail(report::Kind::not_supported, span_,
                 fmt::format("the product of `({})` and `({})`, each of which is summed by itself",
                             to_text(one), to_text(other)),
                 "compute one of them first, into a tensor of its own");
  }

  const std::set<std::string> &of_result_;
  const text::Span &span_;
};

} // namespace

std::set<std::string> summed_indices(const Value &value, const std::set<std::string> &of_result) {
  std::set<std::string> summed = indices_in(value);
  std::erase_if(summed, [&](const std::string &index) { return of_result.contains(index); });
  return summed;
}

Sum summed_terms(Sum right_side, const std::set<std::string> &of_result, const text::Span &span) {
  Sum terms;
  for (const Value &part : right_side)
    Summed(of_result, span).add(part, terms);
  return terms;
}

} // namespace unravel::compute
