#pragma once

#include "contract/network.h"

#include <map>
#include <random>
#include <string>
#include <vector>

/// Products for tests, from their text.
namespace unravel::contract::test {

struct Stored {
  std::string factor;           // "T"
  std::vector<double> prefixes; // in the order of its subscripts
};

/// "y(i,r) = T(i,j,k) * U(j,r)": names of one letter.
Network network_of(const std::string &text, const std::map<char, double> &sizes,
                   const std::vector<Stored> &stored = {});

/// Of three or four factors, some of them sparse.
Network random_network(std::mt19937_64 &random, std::size_t factors);

} // namespace unravel::contract::test
