#include "compute/mask.h"
#include "value/text.h"

#include <fmt/format.h>

namespace unravel::compute {

using term::Term;

namespace {

std::string declarations_text(const Program &program) {
  std::vector<std::string> declarations, locals;
  for (const auto &[tensor, extents] : program.extents) {
    std::vector<std::string> modes;
    for (const Term &extent : extents)
      modes.push_back(term::to_text(extent));
    const auto local = program.local_tensors.find(tensor);
    if (local != program.local_tensors.end())
      locals.push_back(fmt::format("local {}({}) in {} loops{}\n", tensor, fmt::join(modes, ", "),
                                   local->second,
                                   program.zero_once_read.contains(tensor)  ? ", zero once it is read"
                                   : program.masked_locals.contains(tensor) ? ", set and read where masked"
                                                                            : ""));
    else
      declarations.push_back(modes.empty() ? tensor : fmt::format("{}({})", tensor, fmt::join(modes, ", ")));
  }
  std::string text = fmt::format("tensor {};\n{}", fmt::join(declarations, ", "), fmt::join(locals, ""));
  if (!program.given.empty()) {
    std::vector<std::string> names;
    for (const GivenSize &size : program.given)
      names.push_back(size.name);
    text += fmt::format("size {};\n", fmt::join(names, ", "));
  }
  for (const LeastSize &size : program.least)
    text += fmt::format("require {} >= {}\n", size.name, size.least);
  return text;
}

} // namespace

std::string to_text(const Access &access) {
  std::string text = access.tensor;
  for (std::size_t k = 0; k < access.subscripts.size(); ++k) {
    const Subscript &subscript = access.subscripts[k];
    text += k ? ", " : "(";
    if (subscript.index.empty()) {
      text += term::to_text(subscript.value);
      continue;
    }
    text += subscript.index;
    if (subscript.shift) text += fmt::format("{}{}", subscript.shift > 0 ? "+" : "", subscript.shift);
  }
  return access.subscripts.empty() ? text : text + ")";
}

std::string value_text(const Term &coordinate) {
  const bool is_plain = coordinate.as<term::Variable>() || coordinate.as<term::Constant>();
  return is_plain ? term::to_text(coordinate) : "(" + term::to_text(coordinate) + ")";
}

std::string to_text(const Value &value) {
  return value::to_text(value, [](const Value &leaf) {
    const auto *coordinate = std::get_if<Term>(&leaf.kind);
    return coordinate ? value_text(*coordinate) : to_text(std::get<Access>(leaf.kind));
  });
}

std::string to_text(const Statement &statement) {
  const std::string by = value::reduction_text(statement.by);
  const bool is_sum = statement.by == value::Operator::Add;
  return fmt::format("{} {} {}{}{}", to_text(statement.target), statement.accumulate ? by : "=",
                     to_text(statement.value),
                     statement.accumulate || is_sum ? "" : fmt::format(", reduced by {}", by),
                     statement.masks.empty() ? "" : " mask " + to_text(statement.masks));
}

std::string to_text(const Program &program) {
  std::string text = program.extents.empty() ? "" : declarations_text(program);
  for (const auto &[tensor, fill] : program.fills)
    text += fmt::format("fill {}: {}\n", tensor, fill);
  const Statement *before = nullptr;
  for (const Statement &statement : program.statements) {
    std::size_t shared = before ? shared_loops(before->place, statement.place) : 0;
    for (std::size_t k = shared; k < statement.loops.size(); ++k) {
      const Loop &loop = statement.loops[k];
      text += fmt::format("{:{}}for {} in [{}, {}){}\n", "", 2 * k, loop.variable, term::to_text(loop.low),
                          term::to_text(loop.high), loop.until.empty() ? "" : " until " + loop.until);
    }
    std::string guard;
    if (!term::is_true(statement.condition))
      guard = fmt::format("if {}: ", term::to_text(statement.condition));
    text += fmt::format("{:{}}{}{}\n", "", 2 * statement.loops.size(), guard, to_text(statement));
    before = &statement;
  }
  return text;
}

} // namespace unravel::compute
