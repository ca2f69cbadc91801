#pragma once

#include "show/page.h"
#include "show/parts.h"

/// The sections of a page, from top to bottom, as HTML.
namespace unravel::show {

/// The page in a few sentences: what is computed, by which loops and finds, what was proved for it, how long
/// that took; where it was run, the answer.
std::string summary_html(const Page &page, const Parts &parts);

/// Of a product of several tensors: the plan that was taken beside the line as it is written, as pictures,
/// and all plans with what they cost. Empty where there are none.
std::string plans_html(const pipeline::Compilation &compilation);

/// Each layout as it was understood, and its arrays drawn: their first elements, where there are data; else
/// those of a small tensor that is packed for the purpose, if the layout can be packed.
std::string layouts_html(const Page &page);

/// Of the sparsest operand with two modes, each subscripted by one index. Tiles of these indices lie over it:
/// class "hit" where a point was reached, "miss" where the kernel entered one in vain; what isn't entered has
/// no rectangle. Where the result has entries of its own, or an operand's, entries_plot() follows. Says in a
/// paragraph what can't be shown. Throws memory_limit where the entries take more than `max_memory`.
std::string spy_plot(const pipeline::Compilation &compilation, const run::Tiling &tiling,
                     const std::map<std::string, tensor::Tensor> &tensors, std::int64_t max_memory);

/// The sparse operands and results that are matrices, beside each other; empty where there are none.
/// `results`: those that `tensors` hasn't as they became.
std::string entries_plot(const pipeline::Compilation &compilation,
                         const std::map<std::string, tensor::Tensor> &tensors,
                         const std::map<std::string, tensor::Tensor> &results, std::int64_t max_memory);

/// The levels of all nests, a row each, coloured and named by what they carry, and beside them an arrow for
/// each dependence: from the access that comes first up to the loop that carries it, and down again to the
/// access that comes later.
std::string nests_html(const Parts &parts);

/// Per loop its verdict, the dependences that it carries with directions and distances, their relation, an
/// example.
std::string dependences_html(const Parts &parts);

/// The constraints of each iteration space, numbered.
std::string spaces_html(const Parts &parts);

/// Per find of each plan its template, the obligations with their verdicts, the candidates that lost, with
/// counterexamples.
std::string finds_html(const Parts &parts);

/// A line that a statement of the kernel has made leads to its level; `data-to` names the constraints and
/// proofs behind it, which the page's script lights up and lists beside the text.
std::string code_html(const Parts &parts);

} // namespace unravel::show
