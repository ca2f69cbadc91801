#include "tool/places.h"

#include "emit/emit.h"
#include "loop/passes.h"
#include "loop/verify.h"
#include "loop/walk.h"
#include "lower/lower.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unravel::tool {

using loop::Block;
using term::Term;

namespace {

std::string place_array(const std::string &tensor, std::size_t mode) {
  return fmt::format("{}.place{}", tensor, mode);
}

/// What adds a value to the sum notes its coordinates instead; what sets the sum goes.
Block notes(Block block, const std::string &tensor, const std::vector<std::string> &indices) {
  Block result;
  for (loop::Statement &statement : block) {
    if (const auto *add = std::get_if<loop::Accumulate>(&statement.kind)) {
      const auto &value = std::get<loop::Element>(add->value.kind);
      for (std::size_t mode = 0; mode < indices.size(); ++mode)
        result.push_back({loop::SetElement{place_array(tensor, mode), value.slot,
                                           term::variable(indices[mode]) + Term(1)}});
      continue;
    }
    if (std::holds_alternative<loop::Store>(statement.kind) ||
        std::holds_alternative<loop::Zero>(statement.kind))
      continue;
    for (Block *inner : loop::blocks_of(statement))
      *inner = notes(std::move(*inner), tensor, indices);
    result.push_back(std::move(statement));
  }
  return result;
}

} // namespace

loop::Program places_of(const std::string &name, const pipeline::Compilation &compilation) {
  const std::vector<loop::TensorParameter> &parameters = compilation.program.parameters;
  const auto number = static_cast<std::size_t>(
      std::ranges::find(parameters, name, &loop::TensorParameter::name) - parameters.begin());
  const loop::TensorParameter &result = parameters[number];
  std::vector<std::string> indices;
  for (std::size_t mode = 0; mode < compilation.layouts.at(result.name).order(); ++mode)
    indices.push_back(fmt::format("i{}", mode));
  // The loops are those of a sum over all that is stored.
  pipeline::Request request;
  request.expression = fmt::format("{0}_sum = {0}({1})", result.name, fmt::join(indices, ", "));
  request.schedules = {"serial"};
  request.name = fmt::format("{}_places_{}", compilation.program.name, name);
  pipeline::Front front = pipeline::read_request(request);
  front.layouts.insert_or_assign(result.name, compilation.layouts.at(result.name));
  pipeline::Compilation sum = pipeline::compile(request, front);
  loop::Program program = lower::lower(sum.combination, sum.plans(), {request.name, request.expression});
  program.parameters = {result};
  program.parameters[0].type_name = emit::struct_names(compilation.program)[number].type; // of the whole text
  program.parameters[0].is_result = false;
  program.parameters[0].structure.clear();
  program.parameters[0].assembled = false;
  program.preconditions.clear();
  program.body = notes(std::move(program.body), result.name, indices);
  Term count(1);
  for (const loop::ArrayParameter &array : result.arrays)
    for (std::size_t k = 0; array.is_value && k < array.extents.size(); ++k)
      count = term::multiply(count, array.extents[k]);
  loop::For clear{"slot", Term(0), count};
  for (std::size_t mode = 0; mode < indices.size(); ++mode) {
    loop::WorkspaceArray array;
    array.name = place_array(result.name, mode);
    array.element = loop::ElementType::Int64;
    array.extent = count;
    array.initial = std::nullopt;
    array.about =
        fmt::format("for each value its coordinate of mode {}, from 1 on; 0 if nothing is stored", mode + 1);
    program.workspace.push_back(std::move(array));
    clear.body.push_back({loop::SetElement{place_array(result.name, mode), term::variable("slot"), Term(0)}});
  }
  program.body.insert(program.body.begin(), {std::move(clear)});
  loop::verify(program);
  return loop::improve(std::move(program));
}

} // namespace unravel::tool
