#include "check/resolved_statement.h"

#include "compute/reduced_parts.h"
#include "report/diagnostic.h"
#include "value/typed.h"

#include <algorithm>
#include <set>

namespace unravel::check {

using compute::Access;
using compute::Statement;

bool Variables::knows(const std::string &name) const {
  const auto own = all.find(name);
  return own != all.end() && own->second.is_known;
}

std::int64_t Variables::variable(const std::string &name) const {
  report::require(knows(name), "a program's variables have values where they are used");
  return all.at(name).value;
}

std::int64_t Variables::apply(const std::string &, const std::vector<std::int64_t> &) const {
  report::require(false, "a program's subscripts apply no function");
  return 0;
}

namespace {

class Resolver {
public:
  Resolver(const Statement &statement, Memory &memory,
           const std::function<bool(const std::string &)> &lists_entries, ResolvedStatement &made)
      : statement_(statement), memory_(memory), lists_entries_(lists_entries), made_(made) {}

  void run() {
    made_.statement = &statement_;
    made_.target = place_of(statement_.target);
    made_.target_type = memory_.type_of(statement_.target.tensor);
    made_.identity = constant(compute::identity_of(statement_), made_.target_type);
    made_.is_unconditional = term::is_true(statement_.condition);
    made_.lists_entries = lists_entries_(statement_.target.tensor);
    const double *number = value::number_of(statement_.value);
    made_.from = number ? value::Scalar::written(*number).type : statement_.type;
    if (statement_.product)
      for (compute::Value &part : compute::reduced_parts(statement_))
        made_.trees.push_back(std::move(part));
    else
      made_.trees.push_back(statement_.value);
    const bool adds = statement_.by == value::Operator::Add;
    for (const compute::Value &tree : made_.trees) {
      made_.parts.push_back(node_of(tree, statement_.type, adds));
      if (may_wrap_apart()) made_.in_target.push_back(node_of(tree, result_type(), adds));
    }
    for (const compute::Mask &mask : statement_.masks)
      made_.masks.emplace_back(place_of(mask.access), mask.is_absent);
    find_supports();
  }

private:
  Place *place_of(const Access &access) {
    const std::string text = compute::to_text(access);
    if (const auto known = places_.find(text); known != places_.end()) return known->second;
    Place place{&access, memory_.type_of(access.tensor)};
    place.at.resize(access.subscripts.size());
    place.choices = &memory_.choices[access.tensor];
    if (access.is_local) {
      place.scalar = &memory_.scalars[access.tensor];
    } else {
      for (const compute::Subscript &subscript : access.subscripts)
        place.subscripts.push_back(resolved(subscript.value));
      if (const auto own = memory_.written.find(access.tensor); own != memory_.written.end())
        place.written = &own->second;
      else
        place.operand = &memory_.operands.at(access.tensor);
    }
    made_.places.push_back(std::move(place));
    return places_[text] = &made_.places.back();
  }

  PlaceSubscript resolved(const term::Term &term) {
    const term::Linear linear = term::linear_form(term);
    PlaceSubscript made{linear.constant, {}};
    for (const auto &[atom, coefficient] : linear.parts) {
      const auto *variable = atom.as<term::Variable>();
      if (!variable) return {0, {}, &term};
      made.parts.emplace_back(&memory_.variables.all[variable->name], coefficient);
    }
    return made;
  }

  Node node_of(const compute::Value &tree, value::Type type, bool is_linear) {
    Node made{.tree = &tree, .type = type, .is_linear = is_linear};
    if (const double *number = value::number_of(tree)) {
      made.number = written(*number, type);
    } else if (const auto *access = tree.as<Access>()) {
      made.kind = Node::Kind::Read;
      made.place = place_of(*access);
      const Value nothing = constant(access->fill_or_zero(), made.place->type);
      made.number = value::is_integer(made.place->type) ? as_read(nothing, type) : nothing;
    } else if (tree.is<term::Term>()) {
      made.kind = Node::Kind::Index;
    } else {
      const auto &apply = *tree.as<compute::Value::Apply>();
      made.kind = Node::Kind::Apply;
      const std::optional<value::Type> own = type_below(apply, type);
      made.below = own.value_or(type), made.above = own ? value::type_above(apply.op, made.below) : type;
      for (std::size_t k = 0; k < apply.arguments.size(); ++k)
        made.arguments.push_back(
            node_of(apply.arguments[k], made.below,
                    is_linear && (value::is_linear_in(apply.op, k) || apply.op == value::Operator::Add)));
      if (is_linear && apply.op == value::Operator::Multiply) {
        const auto is_operand = [](const Node &part) { return part.place && part.place->operand; };
        const auto is_sum = [&](const Node &part) {
          return is_operand(part) && part.place->operand->has_sums();
        };
        made.is_term = std::ranges::all_of(made.arguments, [&](const Node &part) {
          return part.kind == Node::Kind::Number || is_operand(part);
        });
        made.is_real_term = made.is_term && value::is_floating(type) &&
                            std::ranges::all_of(made.arguments, [](const Node &part) {
                              return !part.place || value::is_floating(part.place->type);
                            });
        made.is_product_of_sums = std::ranges::count_if(made.arguments, is_sum) > 1;
      }
    }
    return made;
  }

  std::optional<value::Type> type_below(const compute::Value::Apply &made, value::Type outer) const {
    const auto of_leaf = [&](const compute::Value &leaf) {
      const auto *access = leaf.as<Access>();
      return std::optional(access ? memory_.type_of(access->tensor) : value::Type::Int64);
    };
    return value::type_below(made, of_leaf, outer);
  }

  value::Type result_type() const { return compute::type_of(statement_.types, statement_.target.tensor); }

  /// Does the kernel perhaps convert what it computes of each entry of a coordinate, which wraps around by
  /// itself, and then add up?
  bool may_wrap_apart() const {
    const value::Type type = result_type();
    if (!value::is_integer(statement_.type) || value::is_complex(type)) return false;
    if (value::is_integer(type) && value::bits_of(type) <= value::bits_of(statement_.type)) return false;
    bool has_sums = false;
    value::each_leaf<Access>(statement_.value, [&](const Access &read) {
      const auto operand = memory_.operands.find(read.tensor);
      has_sums = has_sums || (operand != memory_.operands.end() && operand->second.has_sums());
    });
    return has_sums;
  }

  // ---- what must be stored

  using Accesses = std::vector<const Access *>;

  void find_supports() {
    std::set<std::string> sparse;
    value::each_leaf<Access>(statement_.value, [&](const Access &read) {
      if (!lists_entries_(read.tensor) && !is_sparse_operand(read)) return; // each element is there
      sparse.insert(read.name());
      made_.sparse.push_back(place_of(read));
    });
    made_.is_nothing_without =
        !sparse.empty() && compute::is_nothing_without(statement_, statement_.value, sparse);
    Accesses others;
    compute::each_read(statement_, [&](const Access &read) {
      if (!memory_.operands.contains(read.tensor)) return;
      if (compute::is_factor(statement_, read))
        add_support({&read});
      else if (is_sparse_operand(read))
        others.push_back(&read);
    });
    while (is_nothing_without(others)) {
      const Accesses support = least_support(others);
      add_support(support);
      std::erase_if(
          others, [&](const Access *access) { return std::ranges::find(support, access) != support.end(); });
    }
  }

  void add_support(const Accesses &accesses) {
    std::vector<Place *> support;
    for (const Access *access : accesses)
      support.push_back(place_of(*access));
    if (std::ranges::find(made_.supports, support) == made_.supports.end())
      made_.supports.push_back(std::move(support));
  }

  bool is_sparse_operand(const Access &access) const {
    const auto operand = memory_.operands.find(access.tensor);
    return operand != memory_.operands.end() && operand->second.is_sparse();
  }

  bool is_nothing_without(const Accesses &accesses) const {
    std::set<std::string> names;
    for (const Access *access : accesses)
      names.insert(access->name());
    return !names.empty() && compute::is_nothing_without(statement_, statement_.value, names);
  }

  /// Without those that the others don't need to be one.
  Accesses least_support(Accesses support) const {
    for (std::size_t k = 0; k < support.size();) {
      Accesses fewer = support;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      if (is_nothing_without(fewer))
        support = std::move(fewer);
      else
        ++k;
    }
    return support;
  }

  const Statement &statement_;
  Memory &memory_;
  const std::function<bool(const std::string &)> &lists_entries_;
  ResolvedStatement &made_;
  std::map<std::string, Place *> places_; // by what is written
};

} // namespace

void resolve(const Statement &statement, Memory &memory,
             const std::function<bool(const std::string &)> &lists_entries, ResolvedStatement &made) {
  Resolver(statement, memory, lists_entries, made).run();
}

} // namespace unravel::check
