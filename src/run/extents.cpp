#include "run/extents.h"

#include "report/diagnostic.h"
#include "run/numbers.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::run {

using report::Kind;

namespace {

/// What its extent is called in messages.
const char *word_for(bool is_index) {
  return is_index ? "index" : "size";
}

/// The name without what programs add to that of a loop.
std::string for_user(const std::string &name) {
  return name.substr(0, name.find('.'));
}

} // namespace

/// Calls visit(access) for all accesses to the tensor of free statements.
template <class Visit> void Extents::each_free_access(const std::string &tensor, Visit visit) const {
  for (const compute::Statement &statement : program().statements)
    if (statement.is_free)
      compute::each_access(statement, [&](const compute::Access &access) {
        if (access.tensor == tensor) visit(access);
      });
}

std::vector<Extents::Named> Extents::named(const std::string &tensor) const {
  std::vector<Named> found;
  if (auto declared = program().extents.find(tensor); declared != program().extents.end()) {
    found.push_back({tensor, {}});
    for (const term::Term &extent : declared->second) {
      const auto *size = extent.as<term::Variable>();
      found.back().names.push_back(size ? size->name : "");
    }
  }
  each_free_access(tensor, [&](const compute::Access &access) {
    found.push_back({compute::to_text(access), {}});
    for (const compute::Subscript &subscript : access.subscripts)
      found.back().names.push_back(subscript.shift == 0 ? subscript.index : "");
  });
  return found;
}

/// Is it an index variable, which has an extent of its own?
bool Extents::is_index(const std::string &name) const {
  return std::ranges::any_of(program().statements, [&](auto &statement) {
    return std::ranges::find(statement.indices, name) != statement.indices.end();
  });
}

bool Extents::has_size(const std::string &name) const {
  return std::ranges::find(program().sizes, name) != program().sizes.end();
}

void Extents::set(const std::string &index, std::int64_t extent, const std::string &from) {
  if (!is_index(index) && !has_size(index)) {
    if (has_size(index + ".extent")) return set(index + ".extent", extent, from);
    report::fail(Kind::unknown_extent,
                 fmt::format("`{} {}={}`: the expression has no {} `{}`", from, index, extent,
                             program().sizes.empty() ? "index" : "size", index));
  }
  if (extent < 0 && is_index(index))
    report::fail(Kind::bad_option,
                 fmt::format("`{} {}={}`: the extent of an index is not negative", from, index, extent));
  auto [known, fresh] = extents_.emplace(index, extent);
  if (fresh)
    origin_[index] = from;
  else if (known->second != extent)
    report::fail(Kind::size_mismatch,
                 fmt::format("{} `{}` has extent {} in {}, but {} in {}", word_for(is_index(index)),
                             for_user(index), known->second, origin_[index], extent, from),
                 "the operands don't fit together; check the subscripts, or transpose one");
}

void Extents::take_shape(const std::string &tensor, const std::vector<std::int64_t> &shape) {
  for (const Named &modes : named(tensor))
    for (std::size_t k = 0; k < shape.size(); ++k)
      if (!modes.names[k].empty())
        set(modes.names[k], shape[k],
            modes.text == tensor ? fmt::format("mode {} of `{}`", k, tensor)
                                 : fmt::format("`{}`", modes.text));
}

void Extents::fail_unknown_extent(const text::Span &span, const std::string &name) const {
  if (!is_index(name))
    report::fail(
        Kind::unknown_extent, span,
        fmt::format("the size `{}` is not known: no operand with sizes has it as an extent", for_user(name)),
        fmt::format("add --size {}=N", for_user(name)));
  report::fail(
      Kind::unknown_extent, span,
      fmt::format("the extent of index `{}` is not known: no operand with sizes has it as a plain subscript",
                  name),
      fmt::format("add --size {}=N", name));
}

std::vector<std::int64_t> Extents::wanted_shape(const compute::TensorUse &use) const {
  std::vector<std::int64_t> shape;
  if (auto declared = program().extents.find(use.name); declared != program().extents.end()) {
    for (const term::Term &extent : declared->second) {
      term::Substitution known;
      for (const std::string &size : term::variables_of(extent)) {
        auto value = extents_.find(size);
        if (value == extents_.end()) fail_unknown_extent(use.span, size);
        known.emplace(size, term::Term(value->second));
      }
      std::int64_t value = term::substitute(extent, known).as<term::Constant>()->value;
      if (value < 0)
        report::fail(
            Kind::size_mismatch, use.span,
            fmt::format("`{}` would have an extent of {} ({})", use.name, value, term::to_text(extent)));
      shape.push_back(value);
    }
    return shape;
  }
  const compute::Access *access = nullptr; // the first
  each_free_access(use.name, [&](const compute::Access &each) {
    if (!access) access = &each;
  });
  for (const compute::Subscript &subscript : access->subscripts) {
    auto known = extents_.find(subscript.index);
    if (known == extents_.end()) fail_unknown_extent(access->span, subscript.index);
    const term::Term extent = term::Term(known->second) + term::Term(subscript.shift);
    shape.push_back(std::max<std::int64_t>(extent.as<term::Constant>()->value, 0));
  }
  return shape;
}

void check_sizes(const std::vector<combine::SizeCondition> &conditions,
                 const std::map<std::string, tensor::Tensor> &tensors,
                 const std::map<std::string, std::int64_t> &extents) {
  for (const combine::SizeCondition &condition : conditions) {
    if (number_on(condition.formula, tensors, extents) != 0) continue;
    if (!condition.span.source)
      report::fail(Kind::size_mismatch, fmt::format("the sizes don't fit together: {}", condition.message));
    std::string values;
    for (const std::string &size : term::variables_of(condition.in_program))
      values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", size, extents.at(size));
    const std::string needed = fmt::format("it must hold that {}", term::to_text(condition.in_program));
    if (condition.range.empty())
      report::fail(Kind::size_mismatch, condition.span,
                   fmt::format("{}, but here {}", condition.message, values));
    report::fail(Kind::outside_extent, condition.span,
                 fmt::format("`{}` lies outside its tensor where {}: {}", condition.span.text(), values,
                             condition.range),
                 needed);
  }
}

namespace {

/// The name under which the extent of an index is known: of a program's loop that of its upper bound.
std::string size_of(const std::string &index, const compute::Program &program) {
  for (const compute::Statement &statement : program.statements)
    for (const compute::Loop &loop : statement.loops)
      if (const auto *size = loop.high.as<term::Variable>(); size && loop.variable == index)
        return size->name;
  return index;
}

} // namespace

void check_fixed_extents(const pipeline::Front &front, const std::map<std::string, std::int64_t> &extents) {
  using Transformation = parse::ScheduleTree::Transformation;
  for (const Transformation &fixed : front.schedule.transformations) {
    if (fixed.kind != Transformation::Kind::Fix) continue;
    const auto extent = extents.find(size_of(fixed.variable.text, front.computation.program));
    if (extent != extents.end() && extent->second != fixed.number)
      report::fail(report::Kind::wrong_shape, fixed.number_span,
                   fmt::format("index `{}` has the extent {} in these data, not {}", fixed.variable.text,
                               extent->second, fixed.number),
                   fmt::format("write `bound {} = {}`", fixed.variable.text, extent->second));
  }
}

} // namespace unravel::run
