#include "choose/parts.h"

#include "schedule/order.h"
#include "text/contains.h"

#include <algorithm>
#include <set>

namespace unravel::choose {

using combine::IterationSpace;
using combine::Operand;
using contract::Node;
using contract::Set;
using plan::Part;
using plan::PartNode;
using scan::Level;
using term::Term;

namespace {

using Names = std::set<std::string>;

void collect_terms(const Node &node, std::vector<std::size_t> &terms) {
  if (!node.is_loop) terms.push_back(node.number);
  for (const Node &inner : node.body)
    collect_terms(inner, terms);
}

std::vector<std::size_t> terms_in(const Node &node) {
  std::vector<std::size_t> terms;
  collect_terms(node, terms);
  return terms;
}

const Level *level_of(const scan::Nest &nest, const std::string &variable) {
  const auto level = std::ranges::find(nest.levels, variable, &Level::variable);
  return level == nest.levels.end() ? nullptr : &*level;
}

/// The variables of levels that the level's own value or range needs.
Names needed_by(const Level &level) {
  Names needed = term::variables_of(level.value);
  needed.merge(term::variables_of(level.lower));
  needed.merge(term::variables_of(level.upper));
  return needed;
}

/// These levels and those that they need, but for the opened ones, in the nest's order.
std::vector<Level> levels_for(const scan::Nest &nest, const Names &wanted, const Names &opened) {
  Names needed;
  std::vector<std::string> left(wanted.begin(), wanted.end());
  while (!left.empty()) {
    const std::string variable = left.back();
    left.pop_back();
    const Level *level = level_of(nest, variable); // of a size there is none
    if (!level || opened.contains(variable) || !needed.insert(variable).second) continue;
    const Names own = needed_by(*level);
    left.insert(left.end(), own.begin(), own.end());
  }
  std::vector<Level> levels;
  std::ranges::copy_if(nest.levels, std::back_inserter(levels),
                       [&](const Level &level) { return needed.contains(level.variable); });
  return levels;
}

bool has_loop(const std::vector<Level> &levels) {
  return std::ranges::any_of(levels, &Level::is_loop);
}

/// The one factor through whose positions loops go; nothing where there are several.
std::optional<std::string> walked_in(const scan::Nest &nest) {
  Names walked;
  for (const Level &level : nest.levels)
    if (level.is_loop() && !level.tensor.empty()) walked.insert(level.tensor);
  if (walked.size() != 1) return std::nullopt;
  return *walked.begin();
}

/// Has the operand's tensor an element for each of its coordinates?
bool is_dense(const Operand &operand, const combine::Combination &combination) {
  return std::ranges::none_of(combination.bindings, [&](const combine::Binding &binding) {
    return binding.tensor == operand.tensor && !combine::has_slot_of_each(binding.layout);
  });
}

/// The term that reads the factor.
std::optional<std::size_t> term_with(const compute::NestedTerms &nested, const std::string &factor) {
  for (std::size_t k = 0; k < nested.forest.terms.size(); ++k)
    for (std::size_t read : nested.forest.terms[k].factors)
      if (nested.accesses[read] == factor) return k;
  return std::nullopt;
}

class Maker {
public:
  Maker(const plan::LeafPlan &plan, const IterationSpace &space, const combine::Combination &combination,
        const compute::NestedTerms &nested, std::size_t with_walked)
      : nest_(plan.nest), shared_(plan.shared), space_(space), combination_(combination), nested_(nested),
        with_walked_(with_walked), buffers_(contract::buffers_of(nested.forest)) {
    made_.product = nested.product;
    for (const contract::Term &term : nested.forest.terms) {
      Part part;
      for (std::size_t factor : term.factors)
        part.factors.insert(nested.accesses[factor]);
      part.parts = term.terms;
      made_.all.push_back(std::move(part));
    }
  }

  std::optional<plan::Parts> make() {
    const std::vector<Node> *nodes = &nested_.forest.roots;
    Names opened;
    Set loops = 0;
    for (; made_.begin < shared_; ++made_.begin)
      opened.insert(nest_.levels[made_.begin].variable);
    // What is around all parts are levels of the nest as they stand.
    while (nodes->size() == 1 && nodes->front().is_loop) {
      const Node &node = nodes->front();
      const std::vector<Level> levels = levels_of(node, opened);
      const auto stands = [&](std::size_t k) {
        return made_.begin + k < nest_.levels.size() &&
               nest_.levels[made_.begin + k].variable == levels[k].variable;
      };
      bool is_next = true;
      for (std::size_t k = 0; k < levels.size(); ++k)
        is_next = is_next && stands(k);
      if (!is_next) break;
      made_.begin += levels.size();
      for (const Level &level : levels)
        opened.insert(level.variable);
      loops |= contract::bit(node.number);
      nodes = &node.body;
    }
    // A condition further in may be about what several parts read and write.
    const auto inside = nest_.levels.begin() + static_cast<std::ptrdiff_t>(made_.begin);
    if (std::any_of(inside, nest_.levels.end(), [](const Level &level) { return !level.guards.empty(); }))
      return std::nullopt;
    if (made_.begin == 0 || !add(*nodes, opened, loops, made_.body)) return std::nullopt;
    return std::move(made_);
  }

private:
  const std::string &name_of(const Node &loop) const { return nested_.indices[loop.number]; }

  /// Has the node a loop over a variable of the levels?
  bool has_loop_over(const Node &node, const std::vector<Level> &levels) const {
    return node.is_loop &&
           (contains(levels, name_of(node), &Level::variable) ||
            std::ranges::any_of(node.body, [&](const Node &inner) { return has_loop_over(inner, levels); }));
  }

  /// The loop over all values.
  std::optional<Level> dense_loop(const std::string &index) const {
    const auto extent = combination_.extents.find(index);
    if (extent == combination_.extents.end()) return std::nullopt;
    Level level;
    level.variable = index;
    level.lower = Term(0), level.upper = extent->second;
    return level;
  }

  /// Those of the loop; empty where they are not known.
  std::vector<Level> levels_of(const Node &loop, const Names &opened) const {
    const std::string &index = name_of(loop);
    if (contains(terms_in(loop), with_walked_)) return levels_for(nest_, {index}, opened);
    const std::optional<Level> dense = dense_loop(index);
    return dense ? std::vector{*dense} : std::vector<Level>();
  }

  /// Are all conditions about what has its value by then?
  bool may_open(const std::vector<Level> &levels, Names &opened) const {
    for (const Level &level : levels) {
      if (level.is_find()) return false;
      opened.insert(level.variable);
      for (const Term &guard : level.guards)
        for (const std::string &name : term::variables_of(guard))
          if (level_of(nest_, name) && !opened.contains(name)) return false;
    }
    return true;
  }

  bool add(const std::vector<Node> &nodes, const Names &opened, Set loops, std::vector<PartNode> &to) {
    for (const Node &node : nodes) {
      PartNode made;
      const std::vector<std::size_t> terms = terms_in(node);
      for (const contract::Buffer &buffer : buffers_)
        if (buffer.shared == loops && contains(terms, buffer.term) &&
            !contains(terms, reader_of(buffer.term)))
          made.begins.push_back(buffer.term);
      Names inner = opened;
      if (node.is_loop) {
        made.levels = levels_of(node, opened);
        const std::string &index = name_of(node);
        const bool is_known =
            !made.levels.empty() || opened.contains(index) || level_of(nest_, index) == nullptr;
        // Assignments alone stand in one block with the other nodes, and so does what is inside of them.
        const std::vector<const Node *> around = beside_;
        if (has_loop(made.levels))
          beside_.clear();
        else
          for (const Node &other : nodes)
            if (&other != &node) beside_.push_back(&other);
        const bool is_hidden = std::ranges::any_of(
            beside_, [&](const Node *other) { return has_loop_over(*other, made.levels); });
        if (!is_known || is_hidden || !may_open(made.levels, inner)) return false;
        inner.insert(index);
        path_.push_back({index, contains(terms, with_walked_)});
        const bool is_added = add(node.body, inner, loops | contract::bit(node.number), made.body);
        path_.pop_back();
        beside_ = around;
        if (!is_added) return false;
      } else if (!add_part(node.number, inner, made)) {
        return false;
      }
      to.push_back(std::move(made));
    }
    return true;
  }

  bool add_part(std::size_t number, Names opened, PartNode &made) {
    Part &part = made_.all[number];
    const bool is_last = number + 1 == made_.all.size();
    Names wanted;
    for (const Operand &operand : space_.operands)
      if (part.factors.contains(operand.name)) wanted.merge(term::variables_of(operand.slot));
    if (is_last) wanted.merge(term::variables_of(space_.target.slot));
    if (number == with_walked_) // all positions, also those that no slot names
      for (const Level &level : nest_.levels)
        if (level.is_loop() && !contains(nested_.indices, level.variable)) wanted.insert(level.variable);
    made.part = number;
    made.levels = levels_for(nest_, wanted, opened);
    if (number != with_walked_ && has_loop(made.levels)) return false;
    if (!may_open(made.levels, opened)) return false;
    if (is_last) return true;
    const contract::Buffer &buffer = *std::ranges::find(buffers_, number, &contract::Buffer::term);
    bool is_each_come_to = true; // of its elements
    for (const auto &[index, is_walked] : path_) {
      const auto at = std::ranges::find(nested_.indices, index) - nested_.indices.begin();
      if (!contract::has(buffer.modes, static_cast<std::size_t>(at))) continue;
      is_each_come_to = is_each_come_to && !is_walked;
      const std::optional<Level> mode = dense_loop(index);
      if (!mode) return false;
      part.modes.push_back(*mode);
    }
    // One term for each element: in loops over all of its modes, and no others.
    const contract::Term &term = nested_.forest.terms[number];
    part.sets = is_each_come_to && number != with_walked_ && term.indices == (buffer.shared | buffer.modes) &&
                made.levels.empty();
    return true;
  }

  std::size_t reader_of(std::size_t term) const {
    for (std::size_t k = 0; k < nested_.forest.terms.size(); ++k)
      if (contains(nested_.forest.terms[k].terms, term)) return k;
    return nested_.forest.terms.size();
  }

  const scan::Nest &nest_;
  const std::size_t shared_; // so many loops are other statements' too
  const IterationSpace &space_;
  const combine::Combination &combination_;
  const compute::NestedTerms &nested_;
  const std::size_t with_walked_;
  const std::vector<contract::Buffer> buffers_;
  struct Around {
    std::string index;
    bool is_walked = false; // through the positions of the sparse factor
  };
  std::vector<const Node *> beside_; // other nodes in the same block as the levels of this one
  std::vector<Around> path_;         // behind the levels that are around all parts
  plan::Parts made_;
};

} // namespace

bool may_have_parts(const IterationSpace &space, const compute::NestedTerms &nested) {
  if (!space.lookups.empty() || space.has_coordinates() || space.type != space.target_type() || space.sets ||
      space.may_miss() || space.reads(space.target.tensor) || space.target.appends || space.target.inserts)
    return false;
  Names operands;
  for (const Operand &operand : space.operands)
    if (operand.array.empty() && !operand.is_scalar())
      return false;
    else
      operands.insert(operand.name);
  if (operands != Names(nested.accesses.begin(), nested.accesses.end()) ||
      operands.size() != nested.accesses.size())
    return false;
  std::vector<combine::Value> factors = nested.product == value::Operator::Multiply
                                            ? value::quotient_of(space.value).factors
                                            : value::parts_by(nested.product, space.value);
  return factors.size() == operands.size() && std::ranges::all_of(factors, [](const combine::Value &factor) {
           return std::holds_alternative<combine::Read>(factor.kind);
         });
}

std::vector<std::string> order_of_parts(const scan::Nest &nest, const compute::NestedTerms &nested) {
  const std::optional<std::string> walked = walked_in(nest);
  const std::optional<std::size_t> with_walked = walked ? term_with(nested, *walked) : std::nullopt;
  if (!with_walked) return {};
  std::vector<std::string> order;
  Names opened;
  const auto visit = [&](const auto &self, const std::vector<Node> &nodes) -> void {
    for (const Node &node : nodes) {
      if (!node.is_loop) continue;
      const std::string &index = nested.indices[node.number];
      if (contains(terms_in(node), *with_walked))
        for (const Level &level : levels_for(nest, {index}, opened)) {
          opened.insert(level.variable);
          if (level.is_loop()) order.push_back(level.variable);
        }
      self(self, node.body);
    }
  };
  visit(visit, nested.forest.roots);
  return order;
}

std::vector<std::string> positions_first(const IterationSpace &space, const combine::Combination &combination,
                                         const compute::NestedTerms &nested) {
  std::vector<const Operand *> sparse;
  for (const Operand &operand : space.operands)
    if (!is_dense(operand, combination)) sparse.push_back(&operand);
  const std::optional<std::size_t> with_sparse =
      sparse.size() == 1 ? term_with(nested, sparse.front()->name) : std::nullopt;
  if (!with_sparse) return {};
  std::vector<parse::Name> order;
  const auto add_positions = [&] {
    for (std::size_t k = 0; k < sparse.front()->positions.size(); ++k)
      for (const std::string &position : sparse.front()->positions) {
        if (contains(order, position, &parse::Name::text)) continue;
        order.push_back({position, {}});
        if (!schedule::is_bounded(space, order)) order.pop_back();
      }
  };
  const auto visit = [&](const auto &self, const std::vector<Node> &nodes) -> void {
    for (const Node &node : nodes) {
      if (!node.is_loop) continue;
      if (contains(terms_in(node), *with_sparse)) {
        const std::string &index = nested.indices[node.number];
        const auto mentions = [&](const Term &coordinate) { return term::mentions(coordinate, index); };
        if (std::ranges::any_of(sparse.front()->coordinates, mentions)) add_positions();
        order.push_back({index, {}});
      }
      self(self, node.body);
    }
  };
  visit(visit, nested.forest.roots);
  add_positions();
  std::vector<std::string> names;
  for (const parse::Name &name : order)
    names.push_back(name.text);
  return names;
}

std::optional<plan::Parts> parts_of(const plan::LeafPlan &plan, const IterationSpace &space,
                                    const combine::Combination &combination,
                                    const compute::NestedTerms &nested) {
  if (!plan.finds.levels.empty() || !plan.searches.empty() || plan.nest.instances) return std::nullopt;
  const std::optional<std::string> walked = walked_in(plan.nest);
  const std::optional<std::size_t> with_walked = walked ? term_with(nested, *walked) : std::nullopt;
  if (!with_walked) return std::nullopt;
  // Loops of terms without the walked factor are over all values of their indices.
  for (const Operand &operand : space.operands)
    if (!is_dense(operand, combination) && term_with(nested, operand.name) != with_walked)
      return std::nullopt;
  return Maker(plan, space, combination, nested, *with_walked).make();
}

} // namespace unravel::choose
