#pragma once

#include "loop/loop.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

/// Small passes over the loop IR. Each takes a program that verify.h accepts and what is known of it, and
/// gives one with the same effect.
namespace unravel::loop {

/// Whether reading an element is in bounds whenever the variables in it have values: asked with an
/// application of an index array (A.rowptr(i + 1)), or of a value array to its slot (A.val(p)).
using Safe = std::function<bool(const term::Term &load)>;

/// What is known of the data, by qualified names: of arrays of pointers ("A.rowptr") the mean length of their
/// segments, and whether each seems to have one position ("A.rowptr.single"). It decides about speed alone.
using Counts = std::map<std::string, double>;

/// Whether every key of an index array of one extent ("A.col") is in [0, extent): also keys of positions that
/// no segment has.
using NameElements = std::function<bool(const std::string &keys, const term::Term &extent)>;

/// What passes may rely on, beside the program.
struct Known {
  Safe safe = {};
  Counts counts = {};
  NameElements name_elements = {};
};

/// Drops what has no effect: declarations that are never read (with the writes to them), ifs and loops
/// without a body, assignments of a variable, local or element to itself. A loop is taken to terminate. An if
/// that always holds loses its else, one with nothing but an else becomes an if of the opposite.
Block drop_unused(Block block);
class Types;
/// Without tests whether integers are no numbers, which none is.
Block drop_tests_of_integers(Block block, const Types &types);

/// Puts values in the place of names: a Let whose value is a constant or a variable everywhere, any other
/// that is used once where that doesn't move its evaluation into a deeper loop; the same for DeclareValue, if
/// nothing stored in between is read by it. Never past an Assign to a variable that occurs in the value.
Block inline_names(Block block);

/// Drops conditions, or parts of them, that hold anyway: because of an enclosing if, while or for or of a
/// Let (facts.h). Merges an if that holds nothing but an if, both without else; takes apart an if that is
/// always true or always false and a loop of exactly one iteration; drops loops that never run and what
/// follows a break.
Block simplify_conditions(Block block);

/// The three above, until nothing changes, on values without the operators that choose an argument (`first`).
Program fold(Program program, const Known &known = {});

/// Loads that don't change in a loop move in front of the outermost such loop, if `safe` says that they are
/// in bounds there, or the same load is certainly evaluated there anyway (in an earlier statement, in the
/// loop's bounds, first in the while's condition). A load is invariant if it mentions nothing that the loop
/// declares or assigns and, for values, no array that the loop writes.
Program hoist(Program program, const Known &known = {});

/// A load that is certainly evaluated by a statement, and used again there or further on in the block before
/// anything that it depends on is assigned or stored, gets a name: that of a Let of just this load, or a new
/// one.
Program share(Program program, const Known &known = {});

/// Sums up in a local scalar: += to an element that is the same in all iterations of a loop that does nothing
/// to the array but add becomes += to a local, which is added to the element after the loop (stored,
/// where 0 was stored in the element before, in the same block, and the array isn't touched in between). Not
/// for parallel loops; only where `safe` says the element is in bounds, or where 0 was stored in it. Factors
/// that the loop doesn't change are multiplied to the sum once.
Program accumulate_locally(Program program, const Known &known = {});

/// Neighbouring loops with equal bounds become one, where a loop inside them is shared then as well, so that
/// what it reads is read once: the two triangles of a symmetric matrix of which one is stored. Both do
/// nothing but add. The new loop is parallel if both are and each iteration keeps to an element of its own.
Program fuse(Program program, const Known &known = {});

/// A serial loop over a parallel one, in which each iteration adds to elements of its own, becomes a parallel
/// loop over strips of the inner one's range, which run the outer loop inside: the strip of the result stays
/// in the cache, and threads are woken once. Parallel loops that never have a team are serial afterwards.
Program cut_strips(Program program, const Known &known = {});

/// A result that is set to zero in front of a loop over blocks of its slots, which does nothing to it but add
/// in each block, is set block by block in that loop. What else is set to a number in front of a loop in which
/// each iteration keeps to an element of its own is set there: these are passed once, and summed up in
/// registers.
Program clear_in_blocks(Program program, const Known &known = {});

/// Loops that are cut short at the edge only, by a minimum of a constant length and other bounds, get
/// constant bounds where they are full; else the general loops remain. The test stands as far outside as it
/// can be evaluated, but in no general loop. Short ones are written out where that lets locals take the
/// sums.
Program split_full_blocks(Program program, const Known &known = {});

/// A loop that fills a row of the workspace in each iteration, and adds the row's products with the elements
/// of a column to a matrix, the same in all iterations (vector_sums.h): TTMc. Some rows are computed, then
/// their products are added in a loop of their own, for which the matrix is kept in registers, a tile at a
/// time.
Program multiply_in_tiles(Program program, const Known &known = {});

/// Where half of the segments or more are known to be empty, a loop that sums up each of them in an element
/// of its own, and touches no other of that array, sets the elements to zero, a strip at a time, and tests
/// many segments at once for being empty.
Program skip_empty_segments(Program program, const Known &known = {});

/// A loop that reduces the same value in each iteration, and does nothing else, does so at once: it adds the
/// value times the number of iterations, or, by an idempotent operator, reduces it once where there is one.
Program reduce_at_once(Program program, const Known &known = {});

/// A loop over segments that only adds up products (vector_sums.h) is one for masked steps, where the
/// segments are long enough on average: as is known, or else by the number of keys, or of elements, against
/// that of segments; or where their lengths vary, which the kernel looks at.
Program mask_sums(Program program, const Known &known = {});

/// An iteration of a parallel loop whose inner loops reduce the threads' sum where a condition holds reduces
/// a local of its own there, and then the sum: C compilers keep that in a register, but not the sum, which
/// OpenMP takes the address of.
Program reduce_in_own_locals(Program program, const Known &known = {});

/// Locals of floating point that never hold anything but 0 and 1, and that loops reduce, become bools. C
/// compilers don't see that of a double.
Program keep_truths(Program program, const Known &known = {});

/// A serial loop that does nothing but reduce a local is left once nothing changes the local any more: as
/// soon as `or` is true.
Program leave_settled(Program program, const Known &known = {});

/// A loop whose iterations append one entry each, at most, to an assembled result: room for all of them is
/// made in front of it, and none asks for it. Then each may write behind the last entry, too, whether it
/// appends or not: it does so without a branch, where all that it reads exists.
Program reserve_ahead(Program program, const Known &known = {});

/// Says of the loops whose sums may be kept in vectors which kind they are of (VectorSum): the last pass,
/// since others may change that.
Program sums_in_vectors(Program program, const Known &known = {});

/// Rows of many entries, whose products are added up in an array of the workspace and then taken out, or
/// appended: those of the same columns, one behind the other, are done at once, with their sums beside each
/// other.
Program group_rows(Program program, const Known &known = {});

/// Where many short segments are known to be gone through by keys (rows of B in A(i,k) * B(k,j)), the loop
/// over the keys asks for the segments of keys further on.
Program prefetch_segments(Program program, const Known &known = {});

/// Loops over segments that are known to have one position each, where which segment it is has been read from
/// memory (rows of P in A(i,k) * P(k,l), of aggregates or a permutation): only what is done for that
/// position, behind a look at all pointers.
Program take_single_entries(Program program, const Known &known = {});

/// A list of the workspace whose entries are appended to an assembled result as they are, all of them, is
/// kept in the result from the beginning: behind what that has already. Of the arrays of such a list only
/// those elements are touched that its count counts, or is about to.
Program collect_in_result(Program program, const Known &known = {});

/// The same without the values of assembled results, which are left as they come, and what was only done for
/// these. No pass of its own accord: it changes the effect.
Program without_values(Program program);

struct Pass {
  const char *name;
  Program (*apply)(Program program, const Known &known);
};
/// All of them in their order, and what declares the copies of a result (copies.h).
const std::vector<Pass> &passes();

/// Around one pass: `apply` does it. For who wants to see what each makes of the program.
using AroundPass = std::function<Program(const Pass &pass, const std::function<Program()> &apply)>;

/// Applies all passes, and verifies what each gives.
Program improve(Program program, const Known &known = {}, const AroundPass &step = {});

} // namespace unravel::loop
