#include "contract/forest.h"

#include "contract/modes.h"
#include "cost/contractions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace unravel::contract {

namespace {

void collect_terms(const Node &node, std::vector<std::size_t> &terms) {
  if (!node.is_loop) terms.push_back(node.number);
  for (const Node &inner : node.body)
    collect_terms(inner, terms);
}

class Walk {
public:
  Walk(const Network &network, const Forest &forest, const Price &price)
      : network_(network), forest_(forest), price_(price), buffers_(buffers_of(forest)) {}

  /// `alone`: of a single term, the loops that it shares with others.
  double of(const std::vector<Node> &body, Set opened, std::optional<Set> alone = {}) const {
    double cost = 0;
    for (const Node &node : body)
      cost = price_.both(cost, node.is_loop
                                   ? of_loop(node, opened, alone)
                                   : price_.term(network_, forest_.terms[node.number], sets(node.number)));
    std::vector<std::size_t> inside;
    for (const Node &node : body)
      collect_terms(node, inside);
    for (const Buffer &buffer : buffers_) // that begin anew here: in this body, but in no single part of it
      if (contains(inside, buffer.term) && contains(inside, reader_of(buffer.term)) &&
          std::ranges::none_of(body, [&](const Node &node) { return has_both(node, buffer.term); }))
        cost = price_.both(cost, price_.buffer(network_, opened, buffer.modes));
    return cost;
  }

  /// Of the loop's values in an iteration of those around it.
  Network::Part part(const Node &loop, Set opened) const {
    std::vector<std::size_t> inside;
    collect_terms(loop, inside);
    const Set now = opened | bit(loop.number);
    // Terms that no buffer joins are executed for the values of either.
    Network::Part most{0, 0};
    std::vector<std::size_t> left = inside;
    while (!left.empty()) {
      std::vector<std::size_t> joined{left.front()};
      for (std::size_t k = 0; k < joined.size(); ++k)
        for (std::size_t other : inside)
          if (!contains(joined, other) && (contains(forest_.terms[other].terms, joined[k]) ||
                                           contains(forest_.terms[joined[k]].terms, other)))
            joined.push_back(other);
      Set read = 0;
      for (std::size_t term : joined)
        for (std::size_t factor : forest_.terms[term].factors)
          read |= bit(factor);
      const Network::Part own = network_.part(read, opened, now);
      most = {std::max(most.left, own.left), std::max(most.visited, own.visited)};
      std::erase_if(left, [&](std::size_t term) { return contains(joined, term); });
    }
    return most;
  }

private:
  static bool contains(const std::vector<std::size_t> &all, std::size_t one) {
    return std::ranges::find(all, one) != all.end();
  }

  std::size_t reader_of(std::size_t term) const {
    for (std::size_t k = 0; k < forest_.terms.size(); ++k)
      if (contains(forest_.terms[k].terms, term)) return k;
    return forest_.terms.size();
  }

  bool sets(std::size_t term) const {
    const auto buffer = std::ranges::find(buffers_, term, &Buffer::term);
    return buffer != buffers_.end() && sets_buffer(network_, forest_.terms[term], buffer->shared);
  }

  bool has_both(const Node &node, std::size_t term) const {
    std::vector<std::size_t> inside;
    collect_terms(node, inside);
    return contains(inside, term) && contains(inside, reader_of(term));
  }

  double of_loop(const Node &loop, Set opened, std::optional<Set> alone) const {
    std::vector<std::size_t> inside;
    collect_terms(loop, inside);
    if (inside.size() == 1 && !alone) alone = opened;
    const Set now = opened | bit(loop.number);
    LoopShape shape(network_, opened, loop.number, alone);
    for (std::size_t term : inside) {
      shape.add(forest_.terms[term]);
      for (std::size_t read : forest_.terms[term].terms)
        if (!contains(inside, read)) shape.read(forest_.terms[read]);
      if (!contains(inside, reader_of(term))) shape.write(forest_.terms[term]);
    }
    const Network::Part left = part(loop, opened);
    shape.trips = network_.indices[loop.number].size * left.left;
    shape.visited = network_.indices[loop.number].size * left.visited;
    return price_.loop(shape, of(loop.body, now, alone));
  }

  const Network &network_;
  const Forest &forest_;
  const Price &price_;
  std::vector<Buffer> buffers_;
};

/// Calls visit(node, opened) for each term.
void each_term(const std::vector<Node> &body, Set opened,
               const std::function<void(const Node &, const std::vector<const Node *> &)> &visit,
               std::vector<const Node *> &path) {
  for (const Node &node : body) {
    if (!node.is_loop) {
      visit(node, path);
      continue;
    }
    path.push_back(&node);
    each_term(node.body, opened | bit(node.number), visit, path);
    path.pop_back();
  }
}

class Text {
public:
  Text(const Network &network, const Forest &forest) : network_(network), forest_(forest) {}

  std::string of(const std::vector<Node> &body, int depth) {
    std::string text;
    for (const Node &node : body) {
      declare(node, body, depth, text);
      std::string line;
      const Node *inner = &node;
      int closing = 0;
      for (; inner->is_loop; inner = &inner->body.front(), ++closing) {
        line += fmt::format("for {} {{", network_.indices[inner->number].name);
        if (inner->body.size() > 1) break;
        line += " ";
      }
      text += fmt::format("{:{}}{}", "", 2 * depth, line);
      if (inner->is_loop) {
        text += "\n" + of(inner->body, depth + 1) + fmt::format("{:{}}}}", "", 2 * depth);
        for (int k = 0; k < closing; ++k)
          text += " }";
        text += "\n";
        continue;
      }
      text += term_text(network_, forest_, inner->number) + ";";
      for (int k = 0; k < closing; ++k)
        text += " }";
      text += "\n";
    }
    return text;
  }

private:
  void declare(const Node &node, const std::vector<Node> &body, int depth, std::string &text) const {
    for (const Buffer &buffer : begun_before(node, body, forest_))
      text += fmt::format("{:{}}let {} = 0;\n", "", 2 * depth, written_text(network_, forest_, buffer.term));
  }

  const Network &network_;
  const Forest &forest_;
};

} // namespace

std::size_t Term::operands(const Network &network) const {
  const auto masks = std::ranges::count_if(
      factors, [&](std::size_t factor) { return network.factors[factor].role == Factor::Role::Mask; });
  return factors.size() + terms.size() - static_cast<std::size_t>(masks);
}

std::vector<Buffer> buffers_of(const Forest &forest) {
  std::vector<std::vector<const Node *>> paths(forest.terms.size());
  std::vector<const Node *> path;
  each_term(
      forest.roots, 0, [&](const Node &node, const auto &around) { paths[node.number] = around; }, path);
  std::vector<Buffer> buffers;
  for (std::size_t reader = 0; reader < forest.terms.size(); ++reader)
    for (std::size_t term : forest.terms[reader].terms) {
      Buffer buffer{term, 0, 0};
      for (std::size_t k = 0;
           k < std::min(paths[term].size(), paths[reader].size()) && paths[term][k] == paths[reader][k]; ++k)
        buffer.shared |= bit(paths[term][k]->number);
      buffer.modes = forest.terms[term].target & ~buffer.shared;
      buffers.push_back(buffer);
    }
  std::ranges::sort(buffers, {}, &Buffer::term);
  return buffers;
}

Set factors_below(const Forest &forest, std::size_t term) {
  Set factors = 0;
  for (std::size_t factor : forest.terms[term].factors)
    factors |= bit(factor);
  for (std::size_t read : forest.terms[term].terms)
    factors |= factors_below(forest, read);
  return factors;
}

bool is_kept_row(const Network &network, Set shared, Set modes) {
  if (shared == 0 || !std::has_single_bit(modes)) return false;
  const auto index = static_cast<std::size_t>(std::countr_zero(modes));
  const auto has_if_dense = [&](const Factor &factor) {
    return factor.is_sparse() != (std::ranges::find(factor.indices, index) != factor.indices.end());
  };
  return network.indices[index].size >= cost::lanes && std::ranges::all_of(network.factors, has_if_dense);
}

bool sets_buffer(const Network &network, const Term &term, Set shared) {
  return (term.indices & ~(term.target | shared)) == 0 && is_kept_row(network, shared, term.target & ~shared);
}

const char *name_of(Objective objective) {
  switch (objective) {
  case Objective::Time: return "time";
  case Objective::Work: return "work";
  case Objective::Dimension: return "dimension";
  case Objective::Size: return "size";
  case Objective::Misses: return "misses";
  }
  return "time";
}

void LoopShape::add(const Term &term) {
  const Set now = opened_ | bit(index_);
  is_innermost = is_innermost && (term.indices & ~now) == 0;
  for (std::size_t factor : term.factors) {
    const bool is_sparse = network_.factors[factor].is_sparse();
    const Set indices = network_.of(factor);
    stored += is_sparse && has(indices, index_);
    if (is_sparse) // its values follow each other in the loops
      touched += has(indices, index_) && std::popcount(indices & ~opened_) > 1;
    else
      come_to(indices, indices == 0 ? 0 : network_.factors[factor].indices.back());
  }
  operands += term.operands(network_);
  sums = sums || !has(term.target, index_);
  keeps_written = term.target != network_.result && is_kept(term.target);
  if (alone_ && has(term.target, index_)) terms_in_lanes = terms_of_sums(term);
}

/// Of the one term: the loops directly around this one in which it adds to the same elements.
double LoopShape::terms_of_sums(const Term &term) const {
  const Set kept = term.target | *alone_;
  double terms = 1;
  bool is_sparse = false;
  for (std::size_t factor : term.factors) {
    const Factor &each = network_.factors[factor];
    double outside = 1; // prefixes of the stored indices up to the last one that isn't summed over
    for (std::size_t k = 0; k < each.stored.size() && has(opened_, each.stored[k]); ++k) {
      is_sparse = true;
      if (has(kept, each.stored[k])) outside = each.prefixes[k];
      terms = std::max(each.prefixes[k] / std::max(outside, 1.0), 1.0);
    }
  }
  if (!is_sparse) terms = std::max(network_.elements(opened_ & term.indices & ~kept), 1.0);
  return terms * rows_in_tiles(term);
}

/// A term that reads a buffer, and adds to the same elements in each iteration of the sparse loop around it:
/// so many iterations. Where it reads a kept row they stay in registers; else, where it adds a row times a
/// column to a matrix, some iterations are collected.
double LoopShape::rows_in_tiles(const Term &term) const {
  const Set own = opened_ & term.indices & ~*alone_;
  const bool is_kept_too = is_kept_row(network_, *alone_, bit(index_));
  const auto is_sparse_here = [&](std::size_t factor) { // other elements in each of its iterations
    return network_.factors[factor].is_sparse() && (network_.of(factor) & own) != 0;
  };
  if (std::ranges::any_of(term.factors, is_sparse_here)) return 1;
  const bool is_matrix = std::has_single_bit(own) && (own & ~term.target) == 0;
  if (term.terms.empty() || (own == 0 ? !is_kept_too : !is_matrix)) return 1;
  double rows = 1;
  for (const Factor &factor : network_.factors) {
    double visits = 1; // of the innermost loop over the factor that is shared
    for (std::size_t k = 0; k < factor.stored.size() && has(*alone_, factor.stored[k]); ++k) {
      rows = has(term.target, factor.stored[k]) ? 1 : factor.prefixes[k] / std::max(visits, 1.0);
      visits = factor.prefixes[k];
    }
  }
  return std::clamp(rows, 1.0, is_kept_too ? rows + 1 : cost::rows_collected);
}

bool LoopShape::is_kept(Set target) const {
  return alone_ && has(target, index_) && is_kept_row(network_, *alone_, target & ~*alone_);
}

void LoopShape::read(const Term &written) {
  kept_reads += is_kept(written.target);
  come_to(written.target, last_of_target(written));
}

std::size_t LoopShape::last_of_target(const Term &term) const {
  if (term.target != network_.result || term.target == 0) return last_mode(network_, term.target);
  return static_cast<std::size_t>(std::bit_width(network_.result)) - 1;
}

void LoopShape::come_to(Set indices, std::size_t last) {
  if (!has(indices, index_)) return;
  const Set left = indices & ~opened_, inside = left & ~bit(index_);
  touched += inside != 0;
  if (indices == network_.result && network_.is_lent) return; // in the order of loops
  strided += inside == 0 && last != index_;
  const double reach = network_.elements(left), part = network_.elements(inside);
  if (inside == 0)
    elements += network_.line * cost::fetched_line(reach);
  else
    pieces +=
        network_.line * (last == index_ ? part * cost::fetched_line(reach) : cost::fetched(part, reach));
}

double LoopShape::fetched() const {
  if (stored == 0) return pieces * cost::part_if_foreseen; // of elements the neighbour is next
  return (pieces + elements) * (opened_ == 0 ? cost::part_if_foreseen : 1);
}

double Price::term(const Network &network, const Term &term, bool sets) const {
  const auto operands = static_cast<double>(term.operands(network));
  if (objective == Objective::Time) return operands * cost::element;
  return objective == Objective::Work ? operands - (sets ? 1 : 0) : 0;
}

double Price::buffer(const Network &network, Set shared, Set modes) const {
  switch (objective) {
  case Objective::Dimension: return std::popcount(modes);
  case Objective::Size: return network.elements(modes);
  case Objective::Time: {
    if (is_kept_row(network, shared, modes)) return 0;
    const double elements = network.elements(modes);
    const double begin = shared == 0              ? cost::kernel
                         : modes == 0             ? 0
                         : elements < cost::lanes ? cost::short_row
                                                  : cost::dense_loop;
    return begin + (modes == 0 ? 0 : elements * cost::cleared(elements));
  }
  default: return 0;
  }
}

namespace {

/// Of a loop over a dense mode that holds nothing but terms.
double time_of_row(const LoopShape &loop) {
  // What is added to is read and written, but for sums: these stay in registers, and so do kept rows.
  const double part = loop.sums || loop.keeps_written ? 0 : 1 / loop.terms_in_lanes;
  const bool is_around = loop.kept_reads > 0; // the others
  const double begin = loop.sums ? is_around ? cost::sum_of_kept_lanes : cost::dense_loop + cost::sum_of_lanes
                       : is_around ? 0
                                   : part * cost::added_row;
  const double operands = static_cast<double>(loop.operands - loop.kept_reads);
  const double strided = static_cast<double>(loop.strided);
  if (loop.strided > 0)
    return begin +
           loop.trips * ((operands + part) * cost::element + strided * cost::strided + loop.fetched());
  constexpr double rounding = 1e-9;
  const double vectors = std::floor(loop.trips / cost::lanes + rounding);
  const double left = std::max(loop.trips - vectors * cost::lanes, 0.0);
  return begin + vectors * (operands * cost::vector + part * cost::added_vector) +
         left * (operands + part) * cost::element + loop.trips * loop.fetched();
}

double time_of(const LoopShape &loop, double inside) {
  if (loop.is_innermost && loop.stored == 0) return time_of_row(loop);
  const double stored = static_cast<double>(loop.stored);
  if (loop.is_innermost)
    return cost::short_stored_loop + loop.visited * stored * cost::innermost_stored_step +
           loop.trips * (loop.fetched() + static_cast<double>(loop.operands) * cost::gathered_operand +
                         (loop.sums ? 0 : cost::scattered));
  const double begin = loop.stored > 0 ? cost::stored_loop : cost::dense_loop;
  const double step = loop.stored > 0 ? stored * cost::stored_step : cost::dense_step;
  return begin + loop.visited * step + loop.trips * (loop.fetched() + inside);
}

} // namespace

double Price::loop(const LoopShape &loop, double inside) const {
  switch (objective) {
  case Objective::Time: return time_of(loop, inside);
  case Objective::Work: return loop.trips * inside;
  case Objective::Misses: return loop.trips * (static_cast<double>(loop.touched) + inside);
  default: return inside;
  }
}

std::vector<double> executions_of(const Network &network, const Forest &forest) {
  const Price price;
  const Walk walk(network, forest, price);
  std::vector<double> executions;
  const auto visit = [&](const auto &self, const std::vector<Node> &body, Set opened, double times) -> void {
    for (const Node &node : body) {
      if (!node.is_loop) continue;
      executions.push_back(times * network.indices[node.number].size * walk.part(node, opened).left);
      self(self, node.body, opened | bit(node.number), executions.back());
    }
  };
  visit(visit, forest.roots, 0, 1);
  return executions;
}

std::vector<Buffer> begun_before(const Node &node, const std::vector<Node> &body, const Forest &forest) {
  std::vector<std::size_t> inside, beside;
  collect_terms(node, inside);
  for (const Node &other : body)
    if (&other != &node) collect_terms(other, beside);
  std::vector<Buffer> begun;
  for (const Buffer &buffer : buffers_of(forest))
    if (std::ranges::find(inside, buffer.term) != inside.end() &&
        std::ranges::any_of(beside, [&](std::size_t term) {
          return std::ranges::find(forest.terms[term].terms, buffer.term) != forest.terms[term].terms.end();
        }))
      begun.push_back(buffer);
  return begun;
}

double cost_of(const Network &network, const Forest &forest, const Price &price) {
  return Walk(network, forest, price).of(forest.roots, 0);
}

std::string buffer_name(const Network &network, std::size_t term) {
  std::string name = term == 0 ? "w" : fmt::format("w{}", term + 1);
  const auto is_taken = [&](const std::string &wanted) {
    const auto begins = [&](const std::string &text) {
      return text == wanted || text.starts_with(wanted + "(");
    };
    return begins(network.target) || std::ranges::find(network.taken, wanted) != network.taken.end() ||
           std::ranges::any_of(network.factors, [&](const Factor &each) { return begins(each.text); }) ||
           std::ranges::any_of(network.indices, [&](const Index &each) { return each.name == wanted; });
  };
  while (is_taken(name))
    name += "_";
  return name;
}

std::string written_text(const Network &network, const Forest &forest, std::size_t term) {
  if (term + 1 == forest.terms.size()) return network.target;
  std::string modes;
  for (const Buffer &buffer : buffers_of(forest))
    if (buffer.term == term)
      for (std::size_t index : modes_in_order(network, buffer))
        modes += (modes.empty() ? "" : ",") + network.indices[index].name;
  const std::string name = buffer_name(network, term);
  return modes.empty() ? name : fmt::format("{}({})", name, modes);
}

std::string term_text(const Network &network, const Forest &forest, std::size_t term) {
  std::vector<std::string> sums;
  for (std::size_t read : forest.terms[term].terms)
    sums.push_back(written_text(network, forest, read));
  return written_text(network, forest, term) +
         " += " + product_text(network, forest.terms[term].factors, sums);
}

std::string to_text(const Network &network, const Forest &forest) {
  return Text(network, forest).of(forest.roots, 0);
}

} // namespace unravel::contract
