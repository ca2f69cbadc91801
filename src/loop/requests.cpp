#include "loop/requests.h"

#include "loop/arrays.h"
#include "loop/iterations.h"

namespace unravel::loop {

namespace {

/// All loops of the request's variable; not again what was made of one.
void grant_in(Block &statements, const Request &request, RequestContext &context) {
  for (std::size_t k = 0; k < statements.size();) {
    const auto *loop = statements[k].as<For>();
    if (!loop || loop->variable != request.variable) {
      for (Block *inner : blocks_of(statements[k]))
        grant_in(*inner, request, context);
      ++k;
      continue;
    }
    switch (request.kind) {
    case Request::Kind::Vectorise: k = vectorise(statements, k, request, context); break;
    case Request::Kind::Jam: k = jam_iterations(statements, k, request, context); break;
    case Request::Kind::Unroll: k = unroll(statements, k, request, context); break;
    }
  }
}

/// Passes make serial loops of parallel ones: there no other thread adds to the same element.
void drop_needless_atomics(Block &statements) {
  for (Statement &statement : statements) {
    if (const auto *loop = statement.as<For>(); loop && loop->parallel) continue;
    if (auto *add = std::get_if<Accumulate>(&statement.kind)) add->atomic = false;
    for (Block *inner : blocks_of(statement))
      drop_needless_atomics(*inner);
  }
}

} // namespace

Requested grant(Program program, const std::vector<Request> &requests, const Safe &safe) {
  RequestContext context{FreshNames(program), sizes_of(program), {}, {}, {}};
  for (const WorkspaceArray &array : program.workspace)
    context.workspace.insert(array.name);
  context.safe = [&](const term::Term &load) {
    return (safe && safe(load)) || context.in_bounds.contains(load);
  };
  for (Request::Kind kind : {Request::Kind::Vectorise, Request::Kind::Jam, Request::Kind::Unroll})
    for (const Request &request : requests)
      if (request.kind == kind) grant_in(program.body, request, context);
  drop_needless_atomics(program.body);
  return {std::move(program), std::move(context.in_bounds)};
}

} // namespace unravel::loop
