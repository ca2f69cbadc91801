#include "compute/contraction.h"

#include "compute/build_tree.h"
#include "parse/parse.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace unravel::compute {

using contract::bit;
using contract::Forest;
using contract::has;
using contract::Network;
using contract::Node;
using contract::Set;
using parse::Expression;
using parse::Name;
using parse::StatementTree;

namespace {

/// The factors, if the value is their product and nothing else.
std::optional<Contraction> product_of(const Statement &statement) {
  Contraction made;
  made.product = statement.product.value_or(value::Operator::Multiply);
  std::vector<Value> factors;
  if (made.product == value::Operator::Multiply) {
    auto quotient = value::quotient_of(statement.value);
    if (!quotient.divisors.empty()) return std::nullopt;
    made.constant = quotient.constant;
    factors = std::move(quotient.factors);
  } else if (const auto *all = value::arguments_of(made.product, statement.value)) {
    factors = *all;
  }
  for (const Value &factor : factors) {
    const auto *access = std::get_if<Access>(&factor.kind);
    if (!access) return std::nullopt;
    made.factors.push_back(*access);
  }
  return made;
}

bool is_plain(const Access &access) {
  return std::ranges::all_of(access.subscripts, [](const Subscript &subscript) {
    return !subscript.index.empty() && subscript.shift == 0;
  });
}

/// Makes the program of a forest.
class Builder {
public:
  Builder(const Statement &line, const Contraction &contraction, const Network &network, const Forest &forest,
          const std::vector<Set> &walked)
      : line_(line), contraction_(contraction), network_(network), forest_(forest), walked_(walked),
        buffers_(contract::buffers_of(forest)) {}

  std::vector<StatementTree> body(const std::vector<Node> &nodes, Set opened) {
    std::vector<StatementTree> made;
    for (const Node &node : nodes) {
      const std::vector<std::size_t> terms = terms_in(node);
      for (const contract::Buffer &buffer : buffers_)
        if (contains(terms, buffer.term) && !contains(terms, reader_of(buffer.term)) &&
            buffer.shared == opened)
          made.push_back(assign(StatementTree::Kind::Local, parse::AssignmentTree::Operator::Set,
                                element(buffer), number_expression(identity_of(line_), line_.span)));
      const bool is_shared = node.is_loop && terms.size() > 1;
      if (is_shared && !walks(terms, node.number)) {
        append(made, in_loops({name_of(node.number)}, body(node.body, opened | bit(node.number))));
        continue;
      }
      append(made, product(terms, opened));
    }
    return made;
  }

private:
  static bool contains(const std::vector<std::size_t> &all, std::size_t one) {
    return std::ranges::find(all, one) != all.end();
  }

  static void append(std::vector<StatementTree> &to, std::vector<StatementTree> more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }

  static std::vector<std::size_t> terms_in(const Node &node) {
    std::vector<std::size_t> terms;
    if (!node.is_loop) terms.push_back(node.number);
    for (const Node &inner : node.body)
      for (std::size_t term : terms_in(inner))
        terms.push_back(term);
    return terms;
  }

  std::size_t reader_of(std::size_t term) const {
    for (std::size_t k = 0; k < forest_.terms.size(); ++k)
      if (contains(forest_.terms[k].terms, term)) return k;
    return forest_.terms.size();
  }

  bool walks(const std::vector<std::size_t> &terms, std::size_t index) const {
    return std::ranges::any_of(terms, [&](std::size_t term) {
      return std::ranges::any_of(forest_.terms[term].factors,
                                 [&](std::size_t factor) { return has(walked_[factor], index); });
    });
  }

  Name name_of(std::size_t index) const { return {network_.indices[index].name, line_.span}; }

  std::vector<Name> names_of(Set indices) const {
    std::vector<Name> names;
    for (std::size_t k = 0; k < network_.indices.size(); ++k)
      if (has(indices, k)) names.push_back(name_of(k));
    return names;
  }

  Expression element(const contract::Buffer &buffer) const {
    return access_expression({contract::buffer_name(network_, buffer.term), line_.span},
                             names_of(buffer.modes));
  }

  Expression element(std::size_t term) const {
    return element(*std::ranges::find(buffers_, term, &contract::Buffer::term));
  }

  /// All of these terms, of which the last one reads what the others leave, as one product.
  std::vector<StatementTree> product(const std::vector<std::size_t> &terms, Set opened) const {
    std::vector<Expression> factors;
    const bool is_last = terms.back() + 1 == forest_.terms.size();
    if (is_last && contraction_.constant != 1)
      factors.push_back(number_expression(contraction_.constant, line_.span));
    Set indices = 0;
    for (std::size_t number : terms) {
      const contract::Term &term = forest_.terms[number];
      indices |= term.indices;
      for (std::size_t factor : term.factors)
        factors.push_back(expression_of(contraction_.factors[factor]));
      for (std::size_t read : term.terms)
        if (!contains(terms, read)) factors.push_back(element(read));
    }
    Expression target = is_last ? expression_of(line_.target) : element(terms.back());
    return in_loops(names_of(indices & ~opened),
                    {assigned(line_, std::move(target), product_expression(std::move(factors)), true)});
  }

  const Statement &line_;
  const Contraction &contraction_;
  const Network &network_;
  const Forest &forest_;
  const std::vector<Set> &walked_;
  std::vector<contract::Buffer> buffers_;
};

} // namespace

std::optional<Contraction> contraction_of(const Program &line, std::string &why) {
  const auto refuse = [&](std::string reason) {
    why = std::move(reason);
    return std::nullopt;
  };
  if (line.statements.size() != 1 || !line.statements.front().is_free)
    return refuse("it is not a single product in index notation");
  const Statement &statement = line.statements.front();
  if (!statement.masks.empty() || statement.condition != term::truth())
    return refuse("it has a mask or a condition");
  std::optional<Contraction> made = product_of(statement);
  if (!made) return refuse("the value is not a product of tensors");
  if (made->factors.size() < 3) return refuse("it has fewer than three factors");
  if (made->factors.size() > contract::most_factors)
    return refuse(fmt::format("it has more than {} factors", contract::most_factors));
  const value::Laws &laws = value::laws_of(made->product);
  const double nothing = value::identity_of(statement.by);
  const bool is_taken_apart = value::distributes(made->product, 0, statement.by) &&
                              value::distributes(made->product, 1, statement.by) &&
                              value::absorbed(made->product, 0, nothing) == nothing &&
                              value::absorbed(made->product, 1, nothing) == nothing;
  if (!laws.is_associative || !laws.is_commutative || !is_taken_apart)
    return refuse(fmt::format("`{}` can't be taken out of what `{}` reduces", laws.name,
                              value::laws_of(statement.by).name));
  const auto has_other_fill = [&](const Access &access) { return access.fill && *access.fill != nothing; };
  if (has_other_fill(statement.target) || std::ranges::any_of(made->factors, has_other_fill))
    return refuse("the fill of a tensor is not the identity of the reduction");
  std::set<std::string> of_target;
  for (const Subscript &subscript : statement.target.subscripts)
    if (!of_target.insert(subscript.index).second)
      return refuse(fmt::format("`{}` has an index twice", to_text(statement.target)));
  if (!is_plain(statement.target) || !std::ranges::all_of(made->factors, is_plain))
    return refuse("subscripts are sums");
  for (const Access &access : made->factors)
    for (const Subscript &subscript : access.subscripts)
      of_target.erase(subscript.index);
  if (!of_target.empty()) return refuse(fmt::format("no factor has the index `{}`", *of_target.begin()));
  if (statement.indices.size() > contract::most_indices)
    return refuse(fmt::format("it has more than {} indices", contract::most_indices));
  return made;
}

Network network_of(const Program &line, const Contraction &contraction) {
  const Statement &statement = line.statements.front();
  Network network;
  network.target = parse::to_text(expression_of(statement.target));
  for (const std::string &index : statement.indices)
    network.indices.push_back({index, 0});
  const auto number_of = [&](const std::string &index) {
    return static_cast<std::size_t>(std::ranges::find(statement.indices, index) - statement.indices.begin());
  };
  for (const Subscript &subscript : statement.target.subscripts)
    network.result |= bit(number_of(subscript.index));
  for (const Access &access : contraction.factors) {
    contract::Factor factor;
    factor.text = parse::to_text(expression_of(access));
    for (const Subscript &subscript : access.subscripts)
      factor.indices.push_back(number_of(subscript.index));
    network.factors.push_back(std::move(factor));
  }
  return network;
}

std::optional<parse::ProgramTree> with_plan(const Program &line, const Contraction &contraction,
                                            const Network &network, const Forest &forest,
                                            const std::vector<Set> &walked) {
  const Statement &statement = line.statements.front();
  std::vector<StatementTree> body =
      Builder(statement, contraction, network, forest, walked).body(forest.roots, 0);
  const auto declares = [](const auto &self, const std::vector<StatementTree> &all) -> bool {
    return std::ranges::any_of(all, [&](const StatementTree &each) {
      return each.kind == StatementTree::Kind::Local || self(self, each.body);
    });
  };
  if (!declares(declares, body)) return std::nullopt;
  parse::ProgramTree program;
  program.operators = line.operators;
  program.span = statement.span;
  if (!statement.accumulate) {
    std::vector<Name> modes;
    for (const Subscript &subscript : statement.target.subscripts)
      modes.push_back({subscript.index, statement.span});
    program.body = in_loops(modes, {assign(StatementTree::Kind::Assign, parse::AssignmentTree::Operator::Set,
                                           expression_of(statement.target),
                                           number_expression(identity_of(statement), statement.span))});
  }
  program.body.insert(program.body.end(), std::make_move_iterator(body.begin()),
                      std::make_move_iterator(body.end()));
  return program;
}

} // namespace unravel::compute
