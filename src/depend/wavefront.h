#pragma once

#include "depend/dependence.h"

/// Which iterations of a loop depend on which, as an inspector can find out: by visiting the instances of a
/// dependence's one end and computing the iteration of the other (Saltz et al. 1991; Venkat et al. 2016).
namespace unravel::depend {

/// One end of dependences that the loop carries: each instance of the statement conflicts with those of the
/// iteration `partner` only.
struct Visit {
  std::size_t statement = 0; // index in the list
  term::Term partner;        // over the statement's variables and sizes
  bool earlier = false;      // partners before the instance's own iteration are possible: these it waits for
  bool later = false;        // partners behind it are: these wait for it
};

/// What decides in which order the loop's iterations must be executed.
struct Wavefront {
  std::vector<Visit> visits;
  /// Not empty: of this conflict neither end tells the iteration of the other, and there are no wavefronts.
  std::string hindrance;
};

/// Of the outermost loop, loops[0] of each, which the statements share. Every pair of references that touch
/// one element in two iterations, one of them writing or both updating, is covered by a visit. Independent of
/// the data: what isn't proved to be excluded counts.
Wavefront wavefront(const std::vector<const combine::IterationSpace *> &statements, prove::Prover &prover);

} // namespace unravel::depend
