#pragma once

#include "scan/nest.h"

namespace unravel::choose {

/// What terms of a nest are once the values of its Let levels are put in: over the variables of loops and of
/// finds alone.
class Lets {
public:
  /// To be called for the levels from the outermost on; others than Lets say nothing.
  void add(const scan::Level &level) {
    if (level.kind == scan::Level::Kind::Let) values_.insert_or_assign(level.variable, put_in(level.value));
  }

  /// Precondition: the levels outside of the term have been added.
  term::Term put_in(const term::Term &term) const { return term::substitute(term, values_); }

private:
  term::Substitution values_;
};

} // namespace unravel::choose
