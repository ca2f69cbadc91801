#pragma once

#include "combine/space.h"
#include "compute/computation.h"

namespace unravel::combine {

/// The program with sums that a scalar variable only carries to one element added to the element itself:
///   let s = 0; for k { s += C(i,k) * D(k,j); } A(i,j) = B(i,j) * s;
/// becomes A(i,j) = 0; for k { A(i,j) += B(i,j) * C(i,k) * D(k,j); }
/// Then the statements need not share the loops around the scalar, and a sparse B says where there is
/// something to be done. Sums are reassociated, as they are elsewhere. A sum that goes through a variable of
/// another type is another one: where there are several types, the program stays as it is.
compute::Program forward_sums(const compute::Computation &computation);

/// As combine(), but what a plan multiplies behind a sum isn't multiplied with each of its terms instead.
Combination combine_planned(const compute::Computation &planned,
                            const std::map<std::string, layout::Layout> &layouts);

} // namespace unravel::combine
