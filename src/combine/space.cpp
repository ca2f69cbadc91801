#include "combine/space.h"

#include "report/diagnostic.h"
#include "space/set.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::combine {

using compute::Access;
using layout::Layout;
using report::Kind;
using term::Term;

std::vector<std::string> IterationSpace::variables() const {
  std::vector<std::string> all = coordinates;
  all.insert(all.end(), positions.begin(), positions.end());
  for (const AddedVariable &variable : added)
    all.push_back(variable.name);
  return all;
}

namespace {

/// Which sizes are one: classes of qualified sizes, each with a representative.
class Sizes {
public:
  void add(const std::string &size) { representative_.emplace(size, size); }

  std::string find(const std::string &size) const {
    std::string current = size;
    while (representative_.at(current) != current)
      current = representative_.at(current);
    return current;
  }

  /// The class of `other` joins that of `kept`.
  bool join(const std::string &kept, const std::string &other) {
    std::string a = find(kept);
    std::string b = find(other);
    if (a == b) return false;
    representative_[b] = a;
    return true;
  }

private:
  std::map<std::string, std::string> representative_;
};

class Combiner {
public:
  Combiner(const compute::Computation &computation, const std::map<std::string, Layout> &layouts,
           std::string structure)
      : computation_(computation), layouts_(layouts), structure_(std::move(structure)) {}

  Combination combine() {
    std::vector<const compute::Assign *> leaves = compute::leaves(computation_.root);
    report::require(leaves.size() == 1, "one leaf for now");
    const compute::Assign &assign = *leaves[0];
    result_.accumulate = assign.accumulate;
    for (const compute::TensorUse &use : computation_.tensors) {
      const Layout &layout = layouts_.at(use.name);
      bool shares = use.is_result && !structure_.empty();
      if (use.is_result && !shares) require_dense(use, layout);
      result_.bindings.push_back({use.name, layout, use.is_result, shares ? lender(assign).tensor : ""});
    }
    unify_sizes(assign);
    for (const Binding &binding : result_.bindings) {
      if (binding.structure.empty())
        add_axioms(binding);
      else
        compare_counts(binding);
      add_arrays(binding);
    }
    add_leaves(assign, 0, {});
    result_.target = result_.leaves.front().target;
    drop_empty_leaves();
    return std::move(result_);
  }

private:
  const Layout &layout_of(const Access &access) const { return layouts_.at(access.tensor); }
  static std::string qualified(const std::string &tensor, const std::string &name) {
    return tensor + "." + name;
  }

  /// The access whose structure the result has.
  const Access &lender(const compute::Assign &assign) const {
    return *std::find_if(assign.factors.begin(), assign.factors.end(),
                         [&](const Access &factor) { return factor.name() == structure_; });
  }

  /// The numbers of a result with an operand's structure are the operand's.
  void compare_counts(const Binding &result) {
    for (const layout::Count &count : result.layout.counts)
      result_.conditions.push_back(
          {term::equal(term::variable(qualified(result.tensor, count.name)),
                       term::variable(number_of(result, count.name))),
           fmt::format("{} has the structure of {}", result.tensor, result.structure)});
  }

  /// The variable that stands for a count of the tensor, or a size of the tensor whose structure it has.
  std::string number_of(const Binding &binding, const std::string &name) const {
    if (binding.structure.empty()) return qualified(binding.tensor, name);
    std::string theirs = qualified(binding.structure, name);
    const std::vector<std::string> &sizes = layouts_.at(binding.structure).sizes;
    return std::find(sizes.begin(), sizes.end(), name) == sizes.end() ? theirs : sizes_.find(theirs);
  }

  /// A result must have exactly one slot per coordinate, computed from the coordinate alone.
  static void require_dense(const compute::TensorUse &use, const Layout &layout) {
    bool indexed =
        std::any_of(layout.arrays.begin(), layout.arrays.end(), [](auto &array) { return !array.is_value; });
    if (layout.pieces.size() == 1 && !indexed && layout.counts.empty() &&
        !layout.pieces[0].value.array.empty() && !layout.pieces[0].value.negative)
      return;
    report::fail(
        Kind::sparse_result, use.span,
        fmt::format("the result `{}` has the layout `{}`: results that are not dense are not supported yet",
                    use.name, layout.name),
        fmt::format("leave out -f {0}=..., or use -f {0}=dense", use.name));
  }

  void unify_sizes(const compute::Assign &assign) {
    for (const Binding &binding : result_.bindings)
      for (const std::string &size : binding.layout.sizes)
        sizes_.add(qualified(binding.tensor, size));
    std::map<std::string, std::pair<std::string, const Access *>> first; // index -> size that stands for it
    auto visit = [&](const Access &access) {
      const Layout &layout = layout_of(access);
      for (std::size_t k = 0; k < access.subscripts.size(); ++k) {
        const compute::Subscript &subscript = access.subscripts[k];
        if (subscript.shift != 0) continue;
        std::string size = qualified(access.tensor, layout.sizes[k]);
        auto [known, fresh] = first.emplace(subscript.index, std::make_pair(size, &access));
        if (fresh || !sizes_.join(known->second.first, size)) continue;
        result_.conditions.push_back(
            {term::equal(term::variable(known->second.first), term::variable(size)),
             fmt::format("index {} runs over {} of {} and {} of {}", subscript.index,
                         known->second.first.substr(known->second.first.find('.') + 1),
                         known->second.second->tensor, layout.sizes[k], access.tensor)});
      }
    };
    for (const Access &factor : assign.factors)
      visit(factor);
    visit(assign.target);
    for (const auto &[index, size] : first)
      result_.extents.emplace(index, term::variable(sizes_.find(size.first)));
  }

  /// Qualified names for everything that belongs to a tensor.
  void naming(const Binding &binding, std::map<std::string, std::string> &variables,
              std::map<std::string, std::string> &functions) const {
    for (const std::string &size : binding.layout.sizes)
      variables[size] = sizes_.find(qualified(binding.tensor, size));
    for (const layout::Count &count : binding.layout.counts)
      variables[count.name] = number_of(binding, count.name);
    for (const layout::Array &array : binding.layout.arrays)
      functions[array.name] = qualified(
          array.is_value || binding.structure.empty() ? binding.tensor : binding.structure, array.name);
  }

  void add_arrays(const Binding &binding) {
    std::map<std::string, std::string> variables;
    std::map<std::string, std::string> functions;
    naming(binding, variables, functions);
    for (const layout::Array &array : binding.layout.arrays) {
      if (!array.is_value && !binding.structure.empty()) continue; // the operand's own
      std::vector<Term> &extents = result_.arrays[qualified(binding.tensor, array.name)];
      for (const Term &extent : array.extents)
        extents.push_back(term::rename(extent, variables, functions));
    }
  }

  void add_axioms(const Binding &binding) {
    for (const prove::Axiom &axiom : binding.layout.axioms()) {
      std::map<std::string, std::string> variables;
      std::map<std::string, std::string> functions;
      naming(binding, variables, functions);
      prove::Axiom renamed{fmt::format("{}: {}", binding.tensor, axiom.text), {}, {}, {}};
      for (const std::string &quantified : axiom.variables) {
        variables[quantified] = "?" + quantified; // never the name of a coordinate
        renamed.variables.push_back("?" + quantified);
      }
      renamed.guard = term::rename(axiom.guard, variables, functions);
      renamed.conclusion = term::rename(axiom.conclusion, variables, functions);
      result_.axioms.push_back(std::move(renamed));
    }
  }

  /// The operand for an access through a piece; its part of the relation goes to `relation`.
  Operand make_operand(const Access &access, const layout::Piece &piece, bool is_result,
                       std::vector<Term> &relation) const {
    const Layout &layout = layout_of(access);
    Operand operand;
    operand.name = access.name();
    operand.tensor = access.tensor;
    operand.is_result = is_result;
    if (is_result) operand.structure = structure_;
    std::map<std::string, std::string> variables;
    std::map<std::string, std::string> functions;
    naming(is_result ? result_.bindings.front() : Binding{access.tensor, layout, false, ""}, variables,
           functions);
    for (const std::string &position : piece.positions) {
      variables[position] = qualified(is_borrowed(operand, position) ? structure_ : operand.name, position);
      operand.positions.push_back(variables[position]);
    }
    // The layout's coordinates are replaced by the subscripts: composing with the access relation.
    term::Substitution access_relation;
    for (std::size_t k = 0; k < access.subscripts.size(); ++k) {
      Term subscript = term::variable(access.subscripts[k].index) + Term(access.subscripts[k].shift);
      operand.coordinates.push_back(subscript);
      std::string placeholder = "@" + std::to_string(k);
      variables[layout.coordinates[k]] = placeholder;
      access_relation.emplace(placeholder, subscript);
    }
    auto here = [&](const Term &term) {
      return term::substitute(term::rename(term, variables, functions), access_relation);
    };
    for (const Term &part : term::conjuncts(piece.relation))
      relation.push_back(here(part));
    operand.negative = piece.value.negative;
    operand.literal = piece.value.literal;
    if (piece.value.array.empty()) return operand;
    operand.array = qualified(access.tensor, piece.value.array);
    const layout::Array &array = *layout.array(piece.value.array);
    for (std::size_t k = 0; k < array.extents.size(); ++k) {
      operand.slots.push_back(here(piece.value.slots[k]));
      operand.slot = term::multiply(operand.slot, here(array.extents[k])) + operand.slots.back();
    }
    return operand;
  }

  /// Is the position one of the operand whose structure this has? By the same name.
  bool is_borrowed(const Operand &operand, const std::string &position) const {
    if (operand.structure.empty()) return false;
    const std::vector<std::string> &theirs =
        layouts_.at(result_.bindings.front().structure).pieces.front().positions;
    return std::find(theirs.begin(), theirs.end(), position) != theirs.end();
  }

  /// Pieces may exclude each other under the subscripts: a mirrored half without its diagonal at A(i,i).
  void drop_empty_leaves() {
    std::erase_if(result_.leaves,
                  [](const IterationSpace &leaf) { return space::Set(leaf.relation).is_empty(); });
  }

  /// One leaf for each choice of a piece for each factor.
  void add_leaves(const compute::Assign &assign, std::size_t factor, std::vector<std::size_t> chosen) {
    if (factor < assign.factors.size()) {
      for (std::size_t piece = 0; piece < layout_of(assign.factors[factor]).pieces.size(); ++piece) {
        chosen.push_back(piece);
        add_leaves(assign, factor + 1, chosen);
        chosen.pop_back();
      }
      return;
    }
    IterationSpace space;
    space.coordinates = computation_.indices;
    space.constant = assign.constant;
    std::vector<Term> relation;
    for (std::size_t k = 0; k < assign.factors.size(); ++k)
      space.operands.push_back(
          make_operand(assign.factors[k], layout_of(assign.factors[k]).pieces[chosen[k]], false, relation));
    std::vector<Term> places;
    space.target = make_operand(assign.target, layout_of(assign.target).pieces[0], true, places);
    for (const Term &part : places) // a structure's parts are there already
      if (std::find(relation.begin(), relation.end(), part) == relation.end()) relation.push_back(part);
    for (const Operand &operand : space.operands)
      space.positions.insert(space.positions.end(), operand.positions.begin(), operand.positions.end());
    for (const std::string &position : space.target.positions)
      if (std::find(space.positions.begin(), space.positions.end(), position) == space.positions.end())
        space.positions.push_back(position);
    join_arguments(space, relation, places);
    result_.leaves.push_back(std::move(space));
  }

  /// Positions that are affine in coordinates (dense levels) are replaced inside arguments and slots, so that
  /// equal arguments have equal texts; the equalities themselves stay.
  static void join_arguments(IterationSpace &space, const std::vector<Term> &relation,
                             const std::vector<Term> &places) {
    term::Substitution by;
    for (const Term &part : relation) {
      const auto *compare = part.as<term::Compare>();
      if (!compare || compare->relation != term::Relation::Equal || !term::applications_of(part).empty())
        continue;
      for (const std::string &position : space.positions) {
        std::int64_t coefficient = term::coefficient_of(compare->left, position);
        if (by.count(position) || (coefficient != 1 && coefficient != -1)) continue;
        Term rest = term::variable(position) - term::scale(coefficient, compare->left);
        bool over_coordinates = true;
        for (const std::string &name : term::variables_of(rest))
          over_coordinates = over_coordinates && std::find(space.positions.begin(), space.positions.end(),
                                                           name) == space.positions.end();
        if (over_coordinates) by.emplace(position, rest);
      }
    }
    auto join_slots = [&](Operand &operand) {
      operand.slot = term::substitute(operand.slot, by);
      for (Term &slot : operand.slots)
        slot = term::substitute(slot, by);
    };
    for (Operand &operand : space.operands)
      join_slots(operand);
    join_slots(space.target);
    space.relation = space::substitute_arguments(term::conjunction(relation), by);
    space.places = space::substitute_arguments(term::conjunction(places), by);
  }

  const compute::Computation &computation_;
  const std::map<std::string, Layout> &layouts_;
  std::string structure_; // the operand whose positions the result has, or empty
  Sizes sizes_;
  Combination result_;
};

std::string value_text(const Operand &operand) {
  std::string sign = operand.negative ? "-" : "";
  if (operand.array.empty()) return fmt::format("{}{}", sign, operand.literal);
  return fmt::format("{}{}[{}]", sign, operand.array, term::to_text(operand.slot));
}

} // namespace

Combination combine(const compute::Computation &computation, const std::map<std::string, Layout> &layouts,
                    const std::string &structure) {
  return Combiner(computation, layouts, structure).combine();
}

IterationSpace with_slots_in_range(IterationSpace space,
                                   const std::map<std::string, std::vector<Term>> &arrays) {
  std::vector<Term> parts = term::conjuncts(space.relation);
  for (const Operand &operand : space.operands) {
    if (operand.array.empty()) continue;
    const std::vector<Term> &extents = arrays.at(operand.array);
    for (std::size_t k = 0; k < operand.slots.size(); ++k)
      parts.push_back(term::between(0, operand.slots[k], extents[k]));
  }
  space.relation = term::conjunction(std::move(parts));
  return space;
}

std::string to_text(const IterationSpace &space) {
  std::string text = fmt::format("{{ [{}] :\n", fmt::join(space.variables(), ", "));
  for (const Term &part : term::conjuncts(space.relation))
    text += "    " + term::to_text(part) + "\n";
  text += "}\n";
  std::string value;
  if (space.constant != 1 || space.operands.empty()) value = fmt::format("{}", space.constant);
  for (const Operand &operand : space.operands)
    value += (value.empty() ? "" : " * ") + value_text(operand);
  return text + fmt::format("{} += {}\n", value_text(space.target), value);
}

std::string to_text(const Combination &combination) {
  std::string text;
  for (const SizeCondition &condition : combination.conditions)
    text += fmt::format("require {} ({})\n", term::to_text(condition.formula), condition.message);
  if (!combination.accumulate) text += fmt::format("{} = 0\n", combination.bindings[0].tensor);
  for (const IterationSpace &leaf : combination.leaves)
    text += to_text(leaf);
  return text;
}

} // namespace unravel::combine
