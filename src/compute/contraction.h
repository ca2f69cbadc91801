#pragma once

#include "compute/computation.h"
#include "contract/forest.h"
#include "parse/tree.h"

#include <optional>
#include <string>
#include <vector>

/// Products that a plan may take apart: by associativity and distributivity some of the factors are
/// multiplied, and summed over what no others have, before the rest is.
namespace unravel::compute {

struct Contraction {
  value::Operator product = value::Operator::Multiply; // that joins the factors
  double constant = 1;
  std::vector<Access> factors;
};

/// What the line multiplies; nothing where the operators' laws, its masks or its form forbid to take it
/// apart, and then `why`, for people.
std::optional<Contraction> contraction_of(const Program &line, std::string &why);

/// The network of its factors, without sizes and without what is stored.
contract::Network network_of(const Program &line, const Contraction &contraction);

/// The line as a program: each contraction of the forest is a sum into a local tensor. Terms that share a
/// loop in which a sparse factor's positions are walked stay one product. `walked`: of each factor the
/// indices whose loops go over its positions. Nothing where all of it is one product.
std::optional<parse::ProgramTree> with_plan(const Program &line, const Contraction &contraction,
                                            const contract::Network &network, const contract::Forest &forest,
                                            const std::vector<contract::Set> &walked);

} // namespace unravel::compute
