#include "lower/counts.h"

#include "loop/walk.h"
#include "lower/parameter.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace unravel::lower {

using term::Term;

namespace {

/// Of sizes and counts that aren't: a tensor without rows has no element -1.
bool is_never_negative(const Term &slot) {
  const term::Linear linear = term::linear_form(slot);
  return linear.constant >= 0 && std::ranges::all_of(linear.parts, [](const auto &part) {
           const auto *divided = part.first.template as<term::FloorDivide>();
           return part.second >= 0 && (part.first.template as<term::Variable>() ||
                                       (divided && is_never_negative(divided->numerator)));
         });
}

} // namespace

void require_counts(const combine::Combination &combination, loop::Program &program) {
  const std::set<std::string> read = loop::names_read(program.body);
  for (const combine::Binding &binding : combination.bindings) {
    if (binding.is_result) continue;
    const layout::Layout &layout = binding.layout;
    const std::map<std::string, std::string> qualified = qualified_names(binding);
    std::map<std::string, std::string> arrays;
    for (const layout::Array &array : layout.arrays)
      arrays[array.name] = binding.tensor + "." + array.name;
    for (const layout::Count &count : layout.counts) {
      if (!count.definition) continue;
      const Term element = term::rename(*count.definition, qualified, arrays);
      const auto *load = element.as<term::Apply>();
      if (!load || !read.contains(load->function) || !std::ranges::all_of(load->arguments, is_never_negative))
        continue;
      program.preconditions.push_back(
          {term::equal(term::variable(qualified.at(count.name)), element),
           fmt::format("layout {} says {} = {}", layout.name, count.name, term::to_text(*count.definition))});
    }
  }
}

} // namespace unravel::lower
