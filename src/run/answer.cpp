#include "run/answer.h"

#include "convert/pack.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <cmath>

namespace unravel::run {

std::optional<Answer> answer_of(const tensor::Tensor &result) {
  constexpr std::size_t most_entries = std::size_t{1} << 22;
  if (result.entries() > most_entries) return std::nullopt;
  std::optional<data::Coordinates> entries = report::unless_refused([&] { return convert::unpack(result); });
  if (!entries) return std::nullopt;
  Answer answer{entries->shape, entries->size()};
  data::sort(*entries, data::natural_modes(entries->order()));
  data::combine_duplicates(*entries);
  double squares = 0;
  for (double value : entries->value)
    squares += value * value;
  for (double value : entries->imaginary)
    squares += value * value;
  answer.is_complex =
      std::ranges::any_of(result.arrays, [](const auto &array) { return array.second.is_complex(); });
  answer.norm = std::sqrt(squares);
  for (std::size_t e = 0; e < std::min(entries->size(), Answer::most_shown); ++e)
    answer.first.push_back({entries->coordinate(e), entries->value[e], entries->imaginary_of(e)});
  return answer;
}

} // namespace unravel::run
