// Tiles of a coordinate or of a position: strip mining, and with it, by the order, tiling.
#include "schedule/transform.h"

namespace unravel::schedule {

void tile(combine::IterationSpace &space, const Transformation &how) {
  bool outermost = how.kind == Transformation::Kind::Tile;
  std::string of = how.variable.text;
  add_variable(space,
               {of + (outermost ? ".tile" : ".split"), of, term::floor_divide(term::variable(of), how.number),
                outermost, how.number},
               how);
}

} // namespace unravel::schedule
