#pragma once

#include "combine/space.h"
#include "compute/computation.h"
#include "layout/layout.h"
#include "parse/parse.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace unravel::test {

inline std::shared_ptr<const text::Source> source_of(const std::string &text) {
  return std::make_shared<const text::Source>("expression", text);
}

/// A program met with layouts, and a prover of their properties.
struct Case {
  combine::Combination program;
  prove::Prover prover{{}};

  Case(const std::string &text, const std::map<std::string, std::string> &formats) {
    compute::Computation computation = compute::make_computation(parse::parse_program(source_of(text)));
    std::map<std::string, layout::Layout> layouts;
    for (const compute::TensorUse &use : computation.tensors) {
      auto format = formats.find(use.name);
      parse::LayoutReference reference =
          parse::parse_layout_reference(source_of(format == formats.end() ? "dense" : format->second));
      layouts.emplace(use.name, layout::load_layout(reference, use.order).layout);
    }
    program = combine::combine(computation, layouts);
    prover = prove::Prover(program.axioms);
  }

  std::vector<const combine::IterationSpace *> all() const {
    std::vector<const combine::IterationSpace *> spaces;
    for (const combine::IterationSpace &leaf : program.leaves)
      spaces.push_back(&leaf);
    return spaces;
  }
};

} // namespace unravel::test
