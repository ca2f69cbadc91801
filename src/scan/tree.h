#pragma once

#include "combine/space.h"
#include "scan/nest.h"

#include <string>
#include <vector>

/// The statements of a program in the loops that they share.
namespace unravel::scan {

/// The nest with its first loops at its first levels, as other statements have them, too: what has one value
/// is a loop over that one, what is found is a loop over what would be searched, with conditions; these and
/// assignments in between stand behind. Throws a limit where a loop over what is stored stands in between.
Nest with_first_loops(Nest nest, const combine::IterationSpace &space, std::size_t loops);

/// The limit: the loop over the variable can't be one with that of other statements.
[[noreturn]] void fail_shared(const std::string &variable, const combine::IterationSpace &space);

/// One of the statements of a program, by its number.
struct Nested {
  std::size_t number = 0;
  const combine::IterationSpace *space = nullptr;
  const Nest *nest = nullptr; // its first levels are the loops that it shares
  /// So many of its outermost loops are nodes of the tree also where no other statement has them.
  std::size_t nodes = 0;
  /// The outermost loop is that of the statement before, though the source binds neither to one.
  bool joins = false;
};

/// A node of the nest tree: a loop with what is in it, or a statement, which has further levels of its own.
struct Node {
  std::vector<std::size_t> statements; // the numbers of those in it, in their order
  std::size_t depth = 0;               // the number of loops around it
  std::string variable;                // of a loop: level `depth` of each statement; of a statement empty
  term::Term lower, upper;             // the range, which has those of all statements in it
  std::vector<Node> body;

  bool is_loop() const { return !variable.empty(); }
};

/// Precondition: the statements are in the order of the text.
std::vector<Node> nest_tree(const std::vector<Nested> &statements);

/// What must hold of the loop's variable so that it lies in the range of one of its statements.
std::vector<term::Term> conditions_of(const Level &level, const Node &loop);

std::string to_text(const std::vector<Node> &nodes);

} // namespace unravel::scan
