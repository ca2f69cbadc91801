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
  std::vector<Access> factors; // what is multiplied, the divisors, then what masks ask
  /// Of these, by their numbers.
  contract::Set divisors = 0, masks = 0, absent = 0;
};

/// What the line multiplies; nothing where the operators' laws, its masks or its form forbid to take it
/// apart, and then `why`, for people.
std::optional<Contraction> contraction_of(const Program &line, std::string &why);

/// May one of the line's terms be taken apart?
bool has_contraction(const Program &line);

/// The network of its factors, without sizes and without what is stored; each but a mask is a part.
contract::Network network_of(const Program &line, const Contraction &contraction);

/// Terms that share loops over the positions of a sparse factor. A program has no loops over positions that
/// statements could share, so they are one statement, the product of all that they read; its leaf computes
/// them one by one in these loops (choose/parts.h).
struct NestedTerms {
  std::size_t statement = 0; // its number in the program
  /// The last term adds to the statement's target. What other statements have left is a factor here.
  contract::Forest forest;
  std::vector<std::string> accesses; // by the numbers of the terms' factors, as they are named: "A#2"
  std::vector<std::string> indices;  // by the numbers of loops
  value::Operator product = value::Operator::Multiply;
  /// Else it has masks, divisors or conversions, and its statement is computed as it is written (with_names).
  bool is_product = true;
};

/// A line as a plan computes it.
struct PlannedLine {
  std::optional<parse::ProgramTree> program; // nothing: it is one product, the line itself
  std::vector<NestedTerms> nested;           // `accesses` are tensors' names yet (with_names)
};

/// Each contraction of the forest is a sum into a local tensor, but for those that are nested. `walked`: of
/// each factor the indices whose loops go over its positions.
PlannedLine with_plan(const Program &line, const Contraction &contraction, const contract::Network &network,
                      const contract::Forest &forest, const std::vector<contract::Set> &walked);

/// The statements of a plan alone, which add to the line's target; `statements`: so many stand before them.
struct PlannedBody {
  std::vector<parse::StatementTree> body;
  std::vector<NestedTerms>
      nested; // as PlannedLine has them; their programs are without the statements before
};
PlannedBody planned_body(const Program &line, const Contraction &contraction,
                         const contract::Network &network, const contract::Forest &forest,
                         const std::vector<contract::Set> &walked, std::size_t statements);

/// The nested terms with the names that the program gives to accesses. Left out are those of statements that
/// aren't as they were written, and what is no product.
std::vector<NestedTerms> with_names(std::vector<NestedTerms> nested, const Program &program);

} // namespace unravel::compute
