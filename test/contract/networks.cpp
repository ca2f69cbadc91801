#include "contract/networks.h"

#include <algorithm>

namespace unravel::contract::test {

Network network_of(const std::string &text, const std::map<char, double> &sizes,
                   const std::vector<Stored> &stored) {
  Network network;
  std::map<char, std::size_t> numbers;
  for (const auto &[name, size] : sizes) {
    numbers[name] = network.indices.size();
    network.indices.push_back({std::string(1, name), size});
  }
  std::size_t at = 0;
  const auto next = [&] {
    Factor factor;
    const std::size_t open = text.find('(', at), close = text.find(')', at);
    const std::size_t begin = text.find_first_not_of(" *=", at);
    factor.text = text.substr(begin, close + 1 - begin);
    for (std::size_t k = open + 1; k < close; k += 2)
      factor.indices.push_back(numbers.at(text[k]));
    at = close + 1;
    return factor;
  };
  const Factor target = next();
  network.target = target.text;
  for (std::size_t index : target.indices)
    network.result |= bit(index);
  while (text.find('(', at) != std::string::npos) {
    network.factors.push_back(next());
    for (const Stored &each : stored)
      if (network.factors.back().text.starts_with(each.factor + "(")) {
        network.factors.back().stored = network.factors.back().indices;
        network.factors.back().prefixes = each.prefixes;
      }
  }
  return network;
}

Network random_network(std::mt19937_64 &random, std::size_t factors) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  Network network;
  constexpr std::size_t indices = 4;
  for (std::size_t k = 0; k < indices; ++k)
    network.indices.push_back(
        {std::string(1, static_cast<char>('i' + k)), 2.0 + static_cast<double>(below(60))});
  for (std::size_t f = 0; f < factors; ++f) {
    Factor factor;
    std::vector<std::size_t> some{0, 1, 2, 3};
    std::shuffle(some.begin(), some.end(), random);
    some.resize(1 + below(f == 0 ? 3 : 2));
    factor.indices = some;
    if (f == 0 || below(4) == 0) {
      factor.stored = some;
      double all = 1;
      for (std::size_t index : some) {
        const double size = network.indices[index].size;
        all *= 1 + static_cast<double>(below(static_cast<std::size_t>(size)));
        factor.prefixes.push_back(all);
      }
    }
    factor.text = std::string(1, static_cast<char>('A' + f)) + "(";
    for (std::size_t index : some)
      factor.text += network.indices[index].name + ",";
    factor.text.back() = ')';
    network.factors.push_back(factor);
  }
  const Set used = network.of_all(network.all());
  network.result = used & random();
  network.target = "y";
  std::string separator = "(";
  for (std::size_t index = 0; index < indices; ++index)
    if (has(network.result, index))
      network.target += separator + network.indices[index].name, separator = ",";
  if (network.result != 0) network.target += ")";
  return network;
}

} // namespace unravel::contract::test
