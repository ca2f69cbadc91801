#pragma once

#include "loop/load.h"
#include "loop/requests.h"

#include <optional>
#include <set>
#include <string>

/// Several iterations of a loop in one: what the passes that users ask for share. Each pass has a file of its
/// own and treats the loop that is statement k of a block; it returns the place behind what it made.
namespace unravel::loop {

struct RequestContext {
  FreshNames names;
  std::set<std::string> sizes;     // and counts of the parameters: none is negative
  std::set<std::string> workspace; // arrays
  Safe safe;                       // of the caller, or in `in_bounds`
  std::set<term::Term> in_bounds;  // as in Requested
};

std::size_t vectorise(Block &statements, std::size_t k, const Request &request, RequestContext &context);
std::size_t jam_iterations(Block &statements, std::size_t k, const Request &request, RequestContext &context);
std::size_t unroll(Block &statements, std::size_t k, const Request &request, RequestContext &context);

/// A loop cut in two: `main` makes steps of `factor`, and `rest` runs over what is left of less than that.
/// Their bodies are the loop's, in which each has its own variable. Missing where it would never run. A parallel
/// loop stays so, but for one that appends: threads can't begin where another loop has appended.
struct Steps {
  Block before; // names for bounds that the body may change, or that are read
  std::optional<For> main, rest;
};
Steps in_steps(const For &loop, std::int64_t factor, RequestContext &context);

/// What the block itself declares, not the blocks inside.
std::set<std::string> declared_at_top(const Block &block);

/// The statement's own loads, and the elements that it writes, which are in bounds are so in a copy of it,
/// too.
void copy_bounds(const Statement &statement, const term::Substitution &by, RequestContext &context);

/// Refuses a request whose result would be unreasonably long.
void check_length(const Block &body, std::int64_t copies, const Request &request);

} // namespace unravel::loop
