#include "pipeline/own_plan.h"

#include <algorithm>
#include <set>

namespace unravel::pipeline {

using contract::bit;
using contract::Forest;
using contract::has;
using contract::Network;
using contract::Node;
using contract::Set;
using contract::Term;

namespace {

class Maker {
public:
  Maker(const Plans &plans, const plan::LeafPlan &leaf) : plans_(plans), network_(plans.network) {
    for (std::size_t level = 0; level < leaf.nest.levels.size(); ++level) {
      const auto index =
          std::ranges::find(network_.indices, leaf.nest.levels[level].variable, &contract::Index::name);
      if (index == network_.indices.end()) continue;
      loops_.push_back({level, static_cast<std::size_t>(index - network_.indices.begin())});
    }
    for (const plan::Hoist &hoist : leaf.hoists())
      sums_.push_back({hoist.level, factors_of(hoist.outside)});
    const auto is_dense = [&](const scan::Level &level) {
      return level.kind == scan::Level::Kind::Loop && level.tensor.empty();
    };
    // A sum that goes on in the next iteration of the loop around isn't taken out.
    const bool ends = loops_.size() < 2 || has(network_.result, loops_[loops_.size() - 2].index);
    if (sums_.empty() && !loops_.empty() && !has(network_.result, loops_.back().index) && ends &&
        is_dense(leaf.nest.levels[loops_.back().level])) {
      Set outside = 0;
      for (std::size_t factor = 0; factor < network_.factors.size(); ++factor)
        if (!has(network_.of(factor), loops_.back().index)) outside |= bit(factor);
      if (outside != 0) sums_.push_back({loops_.back().level, outside});
    }
  }

  std::optional<Forest> make() {
    Set opened = 0;
    for (const Loop &loop : loops_)
      opened |= bit(loop.index);
    if (opened != network_.of_all(network_.all())) return std::nullopt;
    if (std::ranges::any_of(sums_, [&](const Sum &sum) { return sum.outside == 0; })) return std::nullopt;
    forest_.roots = from(0, 0, 0);
    return std::move(forest_);
  }

private:
  struct Loop {
    std::size_t level = 0, index = 0;
  };
  struct Sum {
    std::size_t level = 0; // it is that of the loop of this level
    Set outside = 0;       // factors that it is multiplied with
  };

  Set factors_of(const std::set<std::string> &operands) const {
    Set factors = 0;
    for (std::size_t factor = 0; factor < network_.factors.size(); ++factor)
      if (operands.contains(plans_.contraction.factors[factor].name())) factors |= bit(factor);
    return factors;
  }

  /// What is inside of `opened`, from that level on, with the sums from that one on.
  std::vector<Node> from(std::size_t level, std::size_t sum, Set opened) {
    if (sum == sums_.size()) {
      const Set outside = sums_.empty() ? 0 : sums_.back().outside;
      return in_loops(opened, make_term(network_.all() & ~outside, false));
    }
    std::vector<std::size_t> around;
    for (const Loop &loop : loops_) {
      if (loop.level < level || loop.level >= sums_[sum].level) continue;
      around.push_back(loop.index);
      opened |= bit(loop.index);
    }
    std::vector<Node> body = from(sums_[sum].level, sum + 1, opened);
    const Set outer = sum == 0 ? 0 : sums_[sum - 1].outside;
    for (Node &node : in_loops(opened, make_term(sums_[sum].outside & ~outer, true)))
      body.push_back(std::move(node));
    for (std::size_t k = around.size(); k-- > 0;)
      body = {{true, around[k], std::move(body)}};
    return body;
  }

  /// `reads`: the sum that is made before it.
  std::size_t make_term(Set factors, bool reads) {
    Term term;
    for (std::size_t factor = 0; factor < network_.factors.size(); ++factor)
      if (has(factors, factor)) term.factors.push_back(factor);
    term.indices = network_.of_all(factors);
    done_ |= factors;
    if (reads) {
      term.terms = {forest_.terms.size() - 1};
      term.indices |= forest_.terms.back().target;
    }
    term.target = term.indices & (network_.result | network_.of_all(network_.all() & ~done_));
    forest_.terms.push_back(std::move(term));
    return forest_.terms.size() - 1;
  }

  std::vector<Node> in_loops(Set opened, std::size_t term) const {
    std::vector<Node> body{{false, term, {}}};
    for (std::size_t k = loops_.size(); k-- > 0;)
      if (has(forest_.terms[term].indices & ~opened, loops_[k].index))
        body = {{true, loops_[k].index, std::move(body)}};
    return body;
  }

  const Plans &plans_;
  const Network &network_;
  std::vector<Loop> loops_;
  std::vector<Sum> sums_; // the outermost first
  Set done_ = 0;          // factors
  Forest forest_;
};

} // namespace

std::optional<Forest> own_forest(const Plans &plans, const plan::LeafPlan &leaf) {
  return Maker(plans, leaf).make();
}

} // namespace unravel::pipeline
