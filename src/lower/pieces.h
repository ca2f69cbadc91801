#pragma once

#include "lower/lower.h"

/// Loops over pieces of equal work (EqualWork): the work of iteration v is the range [before(v),
/// before(v + 1)), and piece c has the stretch of `size` from before(lower) + size * c on.
namespace unravel::lower {

struct Pieces {
  loop::For loop;         // over the pieces; its body as far as the next four
  term::Term start, stop; // the piece's stretch
  term::Term from, to;    // its iterations
};

/// Without `within`: the iterations that begin in a piece. Else: all that meet it.
Pieces pieces_of(const scan::Level &level, const EqualWork &equal, int size);

/// The same for the parts of a loop::ShareOut, of the iterations that begin in each. The latter stands in
/// front of the loop over the parts: `each` is the least work of one.
loop::ShareOut share_out(const scan::Level &level, const EqualWork &equal, const term::Term &each);
Pieces parts_of(const scan::Level &level, const EqualWork &equal);

/// Whether all of an iteration lies in the piece; and whether it begins there.
term::Term is_whole(const scan::Level &level, const EqualWork &equal, const Pieces &pieces);
term::Term begins_inside(const EqualWork &equal, const Pieces &pieces);

/// The inner loop's level, as far as it lies in the piece.
scan::Level part_of(const scan::Level &inner, const EqualWork &equal, const Pieces &pieces);

/// For the iteration in which each piece but the first begins: `body`, over the level's variable.
loop::Block at_cuts(const scan::Level &level, const EqualWork &equal, int size, loop::Block body);

/// The loop over chunks of the level's iterations, which begins with the variable of each one's first.
loop::For chunks_of(const scan::Level &level, int size, std::string comment);

/// Of a plan whose parallel level is found, and owns intervals of the outermost loop (LeafPlan::owned): the
/// one for its values in [first, end), in one thread.
LeafPlan plan_of_chunk(const LeafPlan &plan, const term::Term &first, const term::Term &end);

} // namespace unravel::lower
