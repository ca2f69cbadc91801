#include "layout/layout.h"
#include "term/list.h"

#include <fmt/format.h>

namespace unravel::layout {

namespace {

std::string value_text(const EntryValue &value) {
  std::string sign = value.negative ? "-" : "";
  if (value.array.empty()) return fmt::format("{}{}", sign, value.literal);
  return fmt::format("{}{}({})", sign, value.array, term::to_text(value.slots));
}

std::string axiom_text(const prove::Axiom &axiom) {
  std::string text;
  if (!axiom.variables.empty()) text = fmt::format("forall {} : ", fmt::join(axiom.variables, ", "));
  if (!term::is_true(axiom.guard)) text += term::to_text(axiom.guard) + " => ";
  return text + term::to_text(axiom.conclusion);
}

} // namespace

std::string to_text(const Layout &layout) {
  std::string text = fmt::format("layout {}(", layout.name);
  for (std::size_t k = 0; k < layout.order(); ++k)
    text += fmt::format("{}{}: {}", k ? ", " : "", layout.coordinates[k], layout.sizes[k]);
  text += ")\n";
  for (const Array &array : layout.arrays)
    text += fmt::format("  {} {}[{}]{}{}\n", array.is_value ? "value" : "index", array.name,
                        term::to_text(array.extents), array.element.empty() ? "" : " : " + array.element,
                        array.is_hashed ? " hashed" : "");
  for (const Count &count : layout.counts)
    text += count.definition ? fmt::format("  count {} = {}\n", count.name, term::to_text(*count.definition))
                             : fmt::format("  count {} (input)\n", count.name);
  for (const Piece &piece : layout.pieces)
    text += fmt::format("  stored {{ [{}] -> [{}] : {} }} at {}\n", fmt::join(piece.positions, ", "),
                        fmt::join(layout.coordinates, ", "), term::to_text(piece.relation),
                        value_text(piece.value));
  for (const Property &property : layout.properties)
    text += fmt::format("  property {}\n    means {}\n", property.axiom.text, axiom_text(property.axiom));
  for (const Property &lemma : layout.lemmas)
    text += fmt::format("  lemma {}\n    from {}\n", axiom_text(lemma.axiom), lemma.derivation);
  return text;
}

} // namespace unravel::layout
