// Conversion between layouts: which way is taken.
#include "convert/convert.h"

#include "convert/convert_tree.h"
#include "convert/halves.h"

namespace unravel::convert {

using packing::Level;
using packing::PackPlan;
using packing::PiecePlan;
using tensor::Tensor;

std::string to_text(Route route) {
  switch (route) {
  case Route::Levels: return "direct, level by level";
  case Route::CountingSort: return "direct, by a counting sort";
  case Route::Coordinates: return "via coordinates";
  }
  return "";
}

namespace {

/// By what a plan wants entries sorted first.
std::optional<Step> first_step(const PiecePlan &plan) {
  const Level &level = plan.levels.front();
  if (level.is_dense())
    return Step{level.mode, level.sign < 0 ? StepOrder::Descending : StepOrder::Ascending};
  if (level.order.empty()) return std::nullopt;
  return Step{level.order[0].mode, level.order[0].descending ? StepOrder::Descending : StepOrder::Ascending};
}

/// Would the entries fit, sorted by this step? Not where there are far more buckets than entries.
bool fits_sorted(const EntryTree &tree, const PiecePlan &plan, const Step &first,
                 const std::vector<std::int64_t> &shape) {
  std::int64_t many = 16 * static_cast<std::int64_t>(tree.entries) + 1024;
  return tree.order > 1 && shape[first.mode] <= many &&
         fits_order(plan, steps_after(tree.steps, first), tree.unique);
}

bool has_integer_values(const layout::Layout &layout, const std::string &array) {
  const std::string &element = layout.array(array)->element;
  return element == "int32" || element == "int64";
}

} // namespace

Conversion convert(const Tensor &from, const std::optional<TreePlan> &scan, const layout::Layout &to,
                   const PackPlan &plan, const PackOptions &options) {
  std::vector<std::int64_t> shape = from.shape();
  Conversion result;
  if (has_wide_integers(to, options.value) && need_halves(from)) {
    result.tensor = pack_halves(to, unpack_halves(from, options.max_memory), options);
    return result;
  }
  std::optional<EntryTree> tree;
  const PiecePlan &piece = plan.pieces.front();
  if (scan && options.fill == 0 && to.order() == shape.size() && is_plain(plan, to) &&
      !has_integer_values(to, piece.value) && !has_complex_values(from) &&
      !has_complex_values(to, options.value))
    tree = entry_tree(from, *scan);
  if (tree && fits_order(piece, tree->steps, tree->unique)) {
    result.route = Route::Levels;
    result.tensor = convert_levels(*tree, to, plan, shape, options);
    return result;
  }
  std::optional<Step> first = tree ? first_step(piece) : std::nullopt;
  if (first && fits_sorted(*tree, piece, *first, shape)) {
    result.route = Route::CountingSort;
    result.tensor = convert_levels(sorted_by(*tree, *first, shape), to, plan, shape, options);
    return result;
  }
  result.tensor = pack(to, plan, unpack(from, options.max_memory), options);
  return result;
}

Conversion convert(const Tensor &from, const layout::Layout &to, const ConvertOptions &options) {
  PackPlan plan = packing::plan_packing(to);
  return convert(from, options.trust_properties ? plan_tree(from.layout) : std::nullopt, to, plan,
                 options.pack);
}

} // namespace unravel::convert
