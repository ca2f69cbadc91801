#include "contract/forest.h"

#include "contract/modes.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <functional>

namespace unravel::contract {

namespace {

/// Of doubles: what a processor's first cache holds, and its second one.
constexpr double near = 4096, far = 65536;
/// Of an iteration, beside what is in it, in operations: of the loop, and of coming to what is stored.
constexpr double step = 0.25, stored_step = 2;

void collect_terms(const Node &node, std::vector<std::size_t> &terms) {
  if (!node.is_loop) terms.push_back(node.number);
  for (const Node &inner : node.body)
    collect_terms(inner, terms);
}

class Walk {
public:
  Walk(const Network &network, const Forest &forest, const Price &price)
      : network_(network), forest_(forest), price_(price), buffers_(buffers_of(forest)) {}

  double of(const std::vector<Node> &body, Set opened) const {
    double cost = 0;
    for (const Node &node : body)
      cost =
          price_.both(cost, node.is_loop ? of_loop(node, opened) : price_.term(forest_.terms[node.number]));
    std::vector<std::size_t> inside;
    for (const Node &node : body)
      collect_terms(node, inside);
    for (const Buffer &buffer : buffers_) // that begin anew here: in this body, but in no single part of it
      if (contains(inside, buffer.term) && contains(inside, reader_of(buffer.term)) &&
          std::ranges::none_of(body, [&](const Node &node) { return has_both(node, buffer.term); }))
        cost = price_.both(cost, price_.buffer(network_, buffer.modes));
    return cost;
  }

  /// Iterations of the loop in one of those around it.
  double trips(const Node &loop, Set opened) const {
    std::vector<std::size_t> inside;
    collect_terms(loop, inside);
    const Set now = opened | bit(loop.number);
    // Terms that no buffer joins are executed for the values of either.
    double part = 0;
    std::vector<std::size_t> left = inside;
    while (!left.empty()) {
      std::vector<std::size_t> joined{left.front()};
      for (std::size_t k = 0; k < joined.size(); ++k)
        for (std::size_t other : inside)
          if (!contains(joined, other) && (contains(forest_.terms[other].terms, joined[k]) ||
                                           contains(forest_.terms[joined[k]].terms, other)))
            joined.push_back(other);
      double share = 1;
      for (std::size_t term : joined)
        for (std::size_t factor : forest_.terms[term].factors)
          share *= network_.share(factor, now) / network_.share(factor, opened);
      part = std::max(part, share);
      std::erase_if(left, [&](std::size_t term) { return contains(joined, term); });
    }
    return network_.indices[loop.number].size * part;
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

  bool has_both(const Node &node, std::size_t term) const {
    std::vector<std::size_t> inside;
    collect_terms(node, inside);
    return contains(inside, term) && contains(inside, reader_of(term));
  }

  double of_loop(const Node &loop, Set opened) const {
    std::vector<std::size_t> inside;
    collect_terms(loop, inside);
    const Set now = opened | bit(loop.number);
    std::size_t stored = 0, touched = 0;
    const auto touch = [&](Set indices) {
      touched += has(indices, loop.number) && std::popcount(indices & ~opened) > 1;
    };
    for (std::size_t term : inside) {
      for (std::size_t factor : forest_.terms[term].factors) {
        stored += network_.factors[factor].is_sparse() && has(network_.of(factor), loop.number);
        touch(network_.of(factor));
      }
      for (std::size_t read : forest_.terms[term].terms)
        if (!contains(inside, read)) touch(forest_.terms[read].target);
      if (!contains(inside, reader_of(term))) touch(forest_.terms[term].target);
    }
    return price_.loop(trips(loop, opened), of(loop.body, now), stored, touched);
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

double Price::term(const Term &term) const {
  return objective == Objective::Time || objective == Objective::Work ? static_cast<double>(term.operands())
                                                                      : 0;
}

double Price::buffer(const Network &network, Set modes) const {
  switch (objective) {
  case Objective::Dimension: return std::popcount(modes);
  case Objective::Size: return network.elements(modes);
  case Objective::Time: {
    if (modes == 0) return 0;
    const double elements = network.elements(modes);
    return elements * (elements <= near ? 0.25 : elements <= far ? 1 : 4);
  }
  default: return 0;
  }
}

double Price::loop(double trips, double inside, std::size_t stored, std::size_t touched) const {
  switch (objective) {
  case Objective::Time: return trips * (step + stored_step * static_cast<double>(stored) + inside);
  case Objective::Work: return trips * inside;
  case Objective::Misses: return trips * (static_cast<double>(touched) + inside);
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
      executions.push_back(times * walk.trips(node, opened));
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
    return begins(network.target) ||
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
  std::string text = written_text(network, forest, term) + " += ", times;
  for (std::size_t factor : forest.terms[term].factors)
    text += times + network.factors[factor].text, times = " * ";
  for (std::size_t read : forest.terms[term].terms)
    text += times + written_text(network, forest, read), times = " * ";
  return text;
}

std::string to_text(const Network &network, const Forest &forest) {
  return Text(network, forest).of(forest.roots, 0);
}

} // namespace unravel::contract
