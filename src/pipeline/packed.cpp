#include "pipeline/packed.h"

#include "compute/fills.h"
#include "emit/packed.h"
#include "lower/parameter.h"
#include "packing/append.h"
#include "packing/pack_c.h"
#include "parse/parse.h"
#include "pipeline/types.h"
#include "report/diagnostic.h"

#include <fmt/format.h>

namespace unravel::pipeline {

namespace {

/// Each coordinate once, in their order.
layout::Layout list_of(const std::string &tensor, std::size_t order) {
  const std::string levels = order == 1 ? "s" : "u" + std::string(order - 2, 'c') + "q";
  const auto source = std::make_shared<const text::Source>("entries", levels);
  layout::Layout list = layout::load_layout(parse::parse_layout_reference(source), order).layout;
  list.name = list.base_name = "entries_of_" + tensor;
  for (layout::Array &array : list.arrays)
    if (!array.is_value) array.element = "int64";
  return list;
}

void forget_order(layout::Layout &list) {
  std::erase_if(list.properties, [](const layout::Property &property) {
    return property.tree.form == parse::PropertyTree::Form::Monotone;
  });
  list.lemmas.clear();
  layout::derive_lemmas(list);
}

/// The kernel as who calls it sees it: results have the layouts that are wanted.
loop::Program whole_of(const Compilation &compilation, loop::ElementType index, loop::ElementType value) {
  loop::Program whole = compilation.program;
  whole.body.clear();
  whole.workspace.clear();
  std::map<std::string, std::string> sizes; // of lists, by the names that these have in the layouts
  for (loop::TensorParameter &parameter : whole.parameters) {
    const auto packed = compilation.packed.find(parameter.name);
    if (packed == compilation.packed.end()) continue;
    const layout::Layout &wanted = packed->second.layout;
    for (std::size_t mode = 0; mode < wanted.order(); ++mode)
      sizes[parameter.name + "." + parameter.sizes[mode]] = parameter.name + "." + wanted.sizes[mode];
    parameter = lower::parameter({parameter.name, wanted, true, ""}, {whole.name, "", index, value});
    parameter.type_name = compilation.prefix + parameter.type_name;
  }
  for (loop::Precondition &condition : whole.preconditions)
    condition.formula = term::rename(condition.formula, sizes, {});
  return whole;
}

/// `names`: those that structs have in the whole.
loop::Program lists_of(const Compilation &compilation, const std::vector<emit::StructNames> &names) {
  loop::Program lists = compilation.program;
  lists.name += "_lists";
  for (std::size_t k = 0; k < names.size(); ++k)
    if (!compilation.packed.contains(lists.parameters[k].name)) lists.parameters[k].type_name = names[k].type;
  return lists;
}

std::string pack_text(const PackedResult &packed, const emit::StructNames &names, loop::ElementType index,
                      loop::ElementType value) {
  return packing::emit_pack_c(
      packing::plan_packing(packed.layout), packed.layout, {names.type, names.members},
      index == loop::ElementType::Int64 ? tensor::IndexType::Int64 : tensor::IndexType::Int32, value,
      packed.nothing);
}

} // namespace

void require_appended(const Compilation &compilation) {
  if (compilation.packed.empty()) return;
  report::Diagnostic refusal = compilation.packed.begin()->second.why;
  refusal.hint = "a layout that lists its entries, as csr or coo, and `unravel convert` behind it; "
                 "`unravel run` packs such results itself";
  throw report::Error(refusal);
}

std::optional<Front> with_list(Front front, const std::string &tensor, bool may_repeat,
                               const report::Diagnostic &why) {
  layout::Layout &layout = front.layouts.at(tensor);
  if (!front.packed.contains(tensor)) {
    layout::Layout list = list_of(tensor, layout.order());
    const auto type = front.types.find(tensor); // none before types are settled
    settle_list(list, type == front.types.end() ? value::Type::Float64 : type->second);
    front.packed.emplace(
        tensor, PackedResult{std::move(layout), why, compute::nothing_of(front.computation.program, tensor)});
    layout = std::move(list);
    return front;
  }
  if (!may_repeat || !packing::append_of(layout).merges) return std::nullopt;
  forget_order(layout);
  front.packed.at(tensor).drops_zeros = front.dropped.contains(tensor);
  return front;
}

Compilation compile_collected(const Request &request, const Front &front,
                              const combine::IterationSpace &space, const std::string &why,
                              const report::Diagnostic &refused) {
  const std::string &tensor = space.target.tensor;
  if (front.kept.empty() && !front.why.empty()) throw report::Error(refused);
  const bool adds = space.by == value::Operator::Add && !space.sets; // entries of a list add up
  std::optional<Front> list = with_list(front, tensor, adds, refused);
  if (!front.tree) {
    if (list) return compile(request, *list);
    throw report::Error(refused);
  }
  if (list) {
    list->tree.reset(); // a list that would be kept in a local tensor first is of no use
    if (auto made = report::unless_refused([&] { return compile(request, *list); })) return std::move(*made);
  }
  if (front.kept.contains(tensor)) throw report::Error(refused);
  const auto keep = [&] { return compile(request, with_kept_result(request, front, tensor, why)); };
  if (auto made = report::unless_refused(keep)) return std::move(*made);
  throw report::Error(refused);
}

void require_packing_in_c(const Compilation &compilation) {
  for (const auto &[tensor, packed] : compilation.packed) {
    const packing::PackPlan plan = packing::plan_packing(packed.layout);
    if (plan.checked.empty() && !plan.compared && !compilation.inspector) continue;
    require_appended(compilation);
  }
}

std::string packed_header(const Compilation &compilation, loop::ElementType index, loop::ElementType value) {
  return emit::emit_header(whole_of(compilation, index, value));
}

std::string packed_c_text(const Compilation &compilation, loop::ElementType index, loop::ElementType value,
                          bool with_header) {
  const loop::Program whole = whole_of(compilation, index, value);
  const std::vector<emit::StructNames> names = emit::struct_names(whole);
  const loop::Program lists = lists_of(compilation, names);
  std::string text = with_header ? fmt::format("#include \"{}.h\"\n", emit::kernel_name(whole))
                                 : packed_header(compilation, index, value);
  emit::EmitOptions options;
  options.gathers = compilation.gathers;
  text += "\n" + emit::emit_c(lists, options) + "\n";
  std::vector<emit::PackedResult> results;
  std::map<std::string, double> written; // by the type of their structs, with what empty slots hold
  for (std::size_t k = 0; k < whole.parameters.size(); ++k) {
    const auto packed = compilation.packed.find(whole.parameters[k].name);
    if (packed == compilation.packed.end()) continue;
    results.push_back({k, packed->second.layout.sizes, packed->second.drops_zeros});
    const auto [function, is_new] = written.emplace(names[k].type, packed->second.nothing);
    if (is_new) text += pack_text(packed->second, names[k], index, value) + "\n";
    if (function->second != packed->second.nothing)
      report::fail(report::Kind::not_supported,
                   fmt::format("slots of `{}` that no entry has hold {}, but {} in another result of its "
                               "layout: one function packs both",
                               packed->first, packed->second.nothing, function->second),
                   "give one of them another layout");
  }
  return text + emit::emit_packing(whole, lists, results);
}

} // namespace unravel::pipeline
