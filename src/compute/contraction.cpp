#include "compute/contraction.h"

#include "compute/build_tree.h"
#include "compute/in_parts.h"
#include "contract/modes.h"
#include "parse/parse.h"
#include "text/contains.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

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

/// Of a line without a semiring what its value is made by: `y(i) min= A(i,j) + x(j)` is a sum.
value::Operator product_operator(const Statement &statement) {
  if (statement.product) return *statement.product;
  const auto *made = std::get_if<Value::Apply>(&statement.value.kind);
  const bool is_product = !made || made->op == value::Operator::Divide || made->op == value::Operator::Negate;
  return is_product ? value::Operator(value::Operator::Multiply) : made->op;
}

/// The factors, if the value is their product and nothing else.
std::optional<Contraction> product_of(const Statement &statement) {
  Contraction made;
  made.product = product_operator(statement);
  std::vector<Value> factors;
  if (made.product == value::Operator::Multiply) {
    auto quotient = value::quotient_of(statement.value);
    made.constant = quotient.constant;
    factors = std::move(quotient.factors);
    for (Value &divisor : quotient.divisors) {
      if (factors.size() < contract::most_factors) made.divisors |= bit(factors.size());
      factors.push_back(std::move(divisor));
    }
  } else {
    factors = value::parts_by(made.product, statement.value);
  }
  for (const Value &factor : factors) {
    const auto *access = std::get_if<Access>(&factor.kind);
    if (!access) return std::nullopt;
    made.factors.push_back(*access);
  }
  for (const Mask &mask : statement.masks) {
    const std::size_t number = made.factors.size();
    if (number < contract::most_factors) made.masks |= bit(number);
    if (number < contract::most_factors && mask.is_absent) made.absent |= bit(number);
    made.factors.push_back(mask.access);
  }
  return made;
}

/// All factors but those that masks ask.
std::vector<Access> multiplied_of(const Contraction &contraction) {
  std::vector<Access> all;
  for (std::size_t k = 0; k < contraction.factors.size(); ++k)
    if (!has(contraction.masks, k)) all.push_back(contraction.factors[k]);
  return all;
}

/// Is it the same to reduce in the type that the statement computes in, and to convert sums, as to convert
/// what is reduced? But for rounding: floating point rounds less where it is no narrower.
bool may_reduce_before_conversion(const Statement &statement) {
  const value::Type to = type_of(statement.types, statement.target.tensor), from = statement.type;
  const auto bytes = [](value::Type type) { return value::facts_of(value::type_of_parts(type)).bytes; };
  if (to == from) return true;
  if (value::is_integer(from) && !value::is_integer(to)) return false;
  return is_converted_by_parts(statement, statement.types) && bytes(to) <= bytes(from);
}

bool has_bare_indices(const Access &access) {
  return std::ranges::all_of(access.subscripts, [](const Subscript &subscript) {
    return !subscript.index.empty() && subscript.shift == 0;
  });
}

bool has_index(const Access &access, const std::string &index) {
  return contains(access.subscripts, index, &Subscript::index);
}

/// Has one of two factors an index that only it has, and the other one that it hasn't? Then a sum of the
/// first is multiplied for each of the other's.
bool has_sum_apart(const Statement &statement, const std::vector<Access> &factors) {
  const auto is_summed_apart = [&](const Access &one, const Access &other) {
    return std::ranges::any_of(one.subscripts,
                               [&](const Subscript &subscript) {
                                 return !has_index(other, subscript.index) &&
                                        !has_index(statement.target, subscript.index);
                               }) &&
           std::ranges::any_of(other.subscripts,
                               [&](const Subscript &subscript) { return !has_index(one, subscript.index); });
  };
  return is_summed_apart(factors[0], factors[1]) || is_summed_apart(factors[1], factors[0]);
}

/// Makes the program of a forest.
class ForestProgram {
public:
  ForestProgram(const Statement &line, const Contraction &contraction, const Network &network,
                const Forest &forest, const std::vector<Set> &walked)
      : line_(line), contraction_(contraction), network_(network), forest_(forest), walked_(walked),
        buffers_(contract::buffers_of(forest)) {
    if (contraction.product != value::Operator::Multiply) line_.product = contraction.product;
  }

  /// `statements`: so many stand before it.
  std::vector<StatementTree> all(std::size_t statements) {
    statements_ = statements;
    return body(forest_.roots, 0);
  }

  std::vector<NestedTerms> &nested() { return nested_; }

  /// Where all is one product: the line keeps its factors as they stand.
  void number_as_in_line(std::vector<NestedTerms> &nested) const {
    for (NestedTerms &each : nested) {
      each.statement = 0;
      for (contract::Term &term : each.forest.terms)
        for (std::size_t &factor : term.factors)
          factor = read_by_nested_[factor];
      each.accesses.clear();
      for (const Access &access : contraction_.factors)
        each.accesses.push_back(access.tensor);
    }
  }

private:
  std::vector<StatementTree> body(const std::vector<Node> &nodes, Set opened) {
    std::vector<StatementTree> made;
    for (const Node &node : nodes) {
      const std::vector<std::size_t> terms = terms_in(node);
      for (const contract::Buffer &buffer : buffers_)
        if (contains(terms, buffer.term) && !contains(terms, reader_of(buffer.term)) &&
            buffer.shared == opened) {
          made.push_back(assign(StatementTree::Kind::Local, parse::AssignmentTree::Operator::Set,
                                element(buffer), number_expression(identity_of(line_), line_.span)));
          ++statements_;
        }
      const bool is_shared = node.is_loop && terms.size() > 1;
      const bool is_nested = is_shared && walks(terms, node.number);
      if (is_nested) nest(node, terms, opened);
      if (!is_shared || is_nested) {
        append(made, product(terms, opened));
        continue;
      }
      std::vector<StatementTree> inside = body(node.body, opened | bit(node.number));
      const bool is_one = !nested_.empty() && nested_.back().forest.terms.size() == terms.size();
      if (is_one && inside.size() == 1) put_around(node.number, terms, nested_.back());
      append(made, in_loops({name_of(node.number)}, std::move(inside)));
    }
    return made;
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
    std::vector<Name> modes;
    for (std::size_t index : contract::modes_in_order(network_, buffer))
      modes.push_back(name_of(index));
    return access_expression({contract::buffer_name(network_, buffer.term), line_.span}, modes);
  }

  Expression element(std::size_t term) const {
    return element(*std::ranges::find(buffers_, term, &contract::Buffer::term));
  }

  /// Remembers how the terms stand in the next statement's loops.
  void nest(const Node &node, const std::vector<std::size_t> &terms, Set opened) {
    NestedTerms made;
    read_by_nested_.clear();
    made.statement = statements_;
    made.product = contraction_.product;
    made.is_product = line_.type == type_of(line_.types, line_.target.tensor);
    for (const contract::Index &index : network_.indices)
      made.indices.push_back(index.name);
    for (std::size_t number : terms) {
      contract::Term term = forest_.terms[number];
      term.indices &= ~opened; // they have one value each
      term.target &= ~opened;
      std::vector<std::size_t> own;
      for (std::size_t &factor : term.factors) {
        if (has(contraction_.masks | contraction_.divisors, factor)) made.is_product = false;
        made.accesses.push_back(contraction_.factors[factor].tensor);
        read_by_nested_.push_back(factor);
        factor = made.accesses.size() - 1;
      }
      for (std::size_t read : forest_.terms[number].terms) {
        const auto inside = std::ranges::find(terms, read);
        if (inside != terms.end()) {
          own.push_back(static_cast<std::size_t>(inside - terms.begin()));
          continue;
        }
        made.accesses.push_back(contract::buffer_name(network_, read));
        read_by_nested_.push_back(network_.factors.size()); // none
        term.factors.push_back(made.accesses.size() - 1);
      }
      term.terms = std::move(own);
      made.forest.terms.push_back(std::move(term));
    }
    made.forest.roots.push_back(node);
    renumber(made.forest.roots, terms);
    nested_.push_back(std::move(made));
  }

  /// The loop that the statement of all these terms has alone.
  void put_around(std::size_t index, const std::vector<std::size_t> &terms, NestedTerms &nested) const {
    nested.forest.roots = {{true, index, std::move(nested.forest.roots)}};
    for (std::size_t k = 0; k < terms.size(); ++k) {
      nested.forest.terms[k].indices |= forest_.terms[terms[k]].indices & bit(index);
      nested.forest.terms[k].target |= forest_.terms[terms[k]].target & bit(index);
    }
  }

  static void renumber(std::vector<Node> &nodes, const std::vector<std::size_t> &terms) {
    for (Node &node : nodes) {
      if (!node.is_loop)
        node.number = static_cast<std::size_t>(std::ranges::find(terms, node.number) - terms.begin());
      renumber(node.body, terms);
    }
  }

  /// All of these terms, of which the last one reads what the others leave, as one product.
  std::vector<StatementTree> product(const std::vector<std::size_t> &terms, Set opened) {
    std::vector<Expression> factors, divisors;
    Statement made = line_;
    made.masks.clear();
    const bool is_last = terms.back() + 1 == forest_.terms.size();
    if (is_last && contraction_.constant != 1)
      factors.push_back(number_expression(contraction_.constant, line_.span));
    Set indices = 0;
    std::vector<value::Type> types;
    for (std::size_t number : terms) {
      const contract::Term &term = forest_.terms[number];
      indices |= term.indices;
      for (std::size_t factor : term.factors) {
        const Access &access = contraction_.factors[factor];
        if (has(contraction_.masks, factor)) {
          made.masks.push_back({access, has(contraction_.absent, factor)});
          continue;
        }
        (has(contraction_.divisors, factor) ? divisors : factors).push_back(expression_of(access));
        types.push_back(type_of(line_.types, access.tensor));
      }
      for (std::size_t read : term.terms) {
        if (contains(terms, read)) continue;
        factors.push_back(element(read));
        types.push_back(types_.at(read));
      }
    }
    value::Type own = types.front();
    for (std::size_t k = 1; k < types.size(); ++k)
      own = value::common(own, types[k]);
    const value::Type type = types_[terms.back()] = type_of_part(line_, own);
    if (own != type) {
      Expression &first = (factors.empty() ? divisors : factors).front();
      first = converted_factor(std::move(first), type);
      if (terms.size() > 1) nested_.back().is_product = false;
    }
    Expression target = is_last ? expression_of(line_.target) : element(terms.back());
    ++statements_;
    Expression value = product_expression(std::move(factors));
    if (!divisors.empty())
      value = parse::over(Expression::Kind::Divide,
                          {std::move(value), product_expression(std::move(divisors))}, line_.span);
    return in_loops(names_of(indices & ~opened), {assigned(made, std::move(target), std::move(value), true)});
  }

  Statement line_;
  const Contraction &contraction_;
  const Network &network_;
  const Forest &forest_;
  const std::vector<Set> &walked_;
  std::vector<contract::Buffer> buffers_;
  std::size_t statements_ = 0;               // made so far
  std::map<std::size_t, value::Type> types_; // of what terms leave for others
  std::vector<NestedTerms> nested_;
  std::vector<std::size_t> read_by_nested_; // of the last of these the network's factors, as it has them
};

} // namespace

std::string why_not_in_parts(const Statement &line, const std::optional<value::Operator> &product) {
  if (!may_reduce_before_conversion(line))
    return fmt::format("it reduces numbers of type {}, which it computes in {}",
                       value::facts_of(type_of(line.types, line.target.tensor)).word,
                       value::facts_of(line.type).word);
  if (std::isinf(identity_of(line)) && product == value::Operator::Add && value::is_integer(line.type))
    return "integers have no infinity: sums with their ends wrap around";
  return "";
}

Expression converted_factor(Expression factor, value::Type type) {
  Expression call;
  call.kind = Expression::Kind::Call;
  call.name = {value::name_in_call(value::conversion_to(type)), factor.span};
  call.span = factor.span;
  call.children.push_back(std::move(factor));
  return call;
}

value::Type type_of_part(const Statement &line, value::Type own) {
  return value::is_complex(own) ? line.type : value::type_of_parts(line.type);
}

std::vector<NestedTerms> with_names(std::vector<NestedTerms> nested, const Program &program) {
  std::erase_if(nested, [&](NestedTerms &each) {
    if (!each.is_product || each.statement >= program.statements.size()) return true;
    std::vector<std::string> tensors, names;
    each_read(program.statements[each.statement], [&](const Access &access) {
      tensors.push_back(access.tensor);
      names.push_back(access.name());
    });
    const bool is_other = tensors != each.accesses;
    each.accesses = std::move(names);
    return is_other;
  });
  return nested;
}

std::optional<Contraction> contraction_of(const Program &line, std::string &why) {
  const auto refuse = [&](std::string reason) {
    why = std::move(reason);
    return std::nullopt;
  };
  if (line.statements.size() != 1 || !line.statements.front().is_free)
    return refuse("it is not a single product in index notation");
  const Statement &statement = line.statements.front();
  if (statement.condition != term::truth()) return refuse("it has a condition");
  std::optional<Contraction> made = product_of(statement);
  if (!made) return refuse("the value is not a product of tensors");
  const std::size_t multiplied = made->factors.size() - statement.masks.size();
  if (multiplied < 3 && !(multiplied == 2 && has_sum_apart(statement, made->factors)))
    return refuse("it has fewer than three factors");
  if (made->factors.size() > contract::most_factors)
    return refuse(fmt::format("it has more than {} factors", contract::most_factors));
  if (made->divisors != 0 && value::is_integer(statement.type))
    return refuse("quotients of integers are cut");
  const value::Laws &laws = value::laws_of(made->product);
  const double nothing = value::identity_of(statement.by);
  if (std::string types = why_not_in_parts(statement, made->product); !types.empty()) return refuse(types);
  const bool is_taken_apart = value::distributes(made->product, 0, statement.by) &&
                              value::distributes(made->product, 1, statement.by) &&
                              value::absorbed(made->product, 0, nothing) == nothing &&
                              value::absorbed(made->product, 1, nothing) == nothing;
  if (!laws.is_associative || !laws.is_commutative || !is_taken_apart)
    return refuse(fmt::format("`{}` can't be taken out of what `{}` reduces", laws.name,
                              value::laws_of(statement.by).name));
  const auto has_other_fill = [&](const Access &access) { return access.fill && *access.fill != nothing; };
  if (has_other_fill(statement.target) || std::ranges::any_of(multiplied_of(*made), has_other_fill))
    return refuse("the fill of a tensor is not the identity of the reduction");
  std::set<std::string> of_target;
  for (const Subscript &subscript : statement.target.subscripts)
    if (!of_target.insert(subscript.index).second)
      return refuse(fmt::format("`{}` has an index twice", to_text(statement.target)));
  if (!has_bare_indices(statement.target) || !std::ranges::all_of(made->factors, has_bare_indices))
    return refuse("subscripts are sums");
  for (const Mask &mask : statement.masks)
    for (const Subscript &subscript : mask.access.subscripts)
      of_target.insert(subscript.index);
  for (const Access &access : multiplied_of(*made))
    for (const Subscript &subscript : access.subscripts)
      of_target.erase(subscript.index);
  if (!of_target.empty()) return refuse(fmt::format("no factor has the index `{}`", *of_target.begin()));
  if (statement.indices.size() > contract::most_indices)
    return refuse(fmt::format("it has more than {} indices", contract::most_indices));
  return made;
}

bool has_contraction(const Program &line) {
  std::string why;
  return std::ranges::any_of(line.statements, [&](const Statement &statement) {
    Program term = line;
    term.statements = {statement};
    return contraction_of(term, why).has_value();
  });
}

Network network_of(const Program &line, const Contraction &contraction) {
  const Statement &statement = line.statements.front();
  Network network;
  network.target = parse::to_text(expression_of(statement.target));
  if (contraction.product != value::Operator::Multiply || statement.by != value::Operator::Add)
    network.semiring = fmt::format(" in {}.{}", value::name_in_semiring(statement.by),
                                   value::name_in_semiring(contraction.product));
  for (const parse::OperatorTree &own : line.operators)
    network.taken.push_back(own.name.text);
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
    const std::size_t number = network.factors.size();
    if (has(contraction.masks, number)) factor.role = contract::Factor::Role::Mask;
    factor.divides = has(contraction.divisors, number);
    factor.is_absent = has(contraction.absent, number);
    network.factors.push_back(std::move(factor));
  }
  return network;
}

PlannedBody planned_body(const Program &line, const Contraction &contraction, const Network &network,
                         const Forest &forest, const std::vector<Set> &walked, std::size_t statements) {
  const Statement &statement = line.statements.front();
  ForestProgram builder(statement, contraction, network, forest, walked);
  PlannedBody made;
  made.body = builder.all(statements);
  made.nested = std::move(builder.nested());
  return made;
}

PlannedLine with_plan(const Program &line, const Contraction &contraction, const Network &network,
                      const Forest &forest, const std::vector<Set> &walked) {
  const Statement &statement = line.statements.front();
  const bool clears = !statement.accumulate;
  const auto whole = [&](std::vector<StatementTree> body) {
    if (clears) body.insert(body.begin(), clearing(statement));
    return program_with(line, std::move(body));
  };
  ForestProgram builder(statement, contraction, network, forest, walked);
  std::vector<StatementTree> body = builder.all(clears ? 1 : 0);
  PlannedLine made;
  made.nested = std::move(builder.nested());
  const auto declares = [](const auto &self, const std::vector<StatementTree> &all) -> bool {
    return std::ranges::any_of(all, [&](const StatementTree &each) {
      return each.kind == StatementTree::Kind::Local || self(self, each.body);
    });
  };
  if (declares(declares, body))
    made.program = whole(std::move(body));
  else
    builder.number_as_in_line(made.nested);
  return made;
}

} // namespace unravel::compute
