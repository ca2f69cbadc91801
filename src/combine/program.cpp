// Programs: each statement's iteration space is the part of its loops' domain at which the factors are
// stored.
#include "combine/forward.h"
#include "combine/given_sizes.h"
#include "combine/naming.h"

#include "report/diagnostic.h"
#include "space/set.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace unravel::combine {

using compute::Access;
using compute::Product;
using compute::ProgramStatement;
using layout::Layout;
using report::Kind;
using term::Term;

namespace {

class ProgramCombiner {
public:
  ProgramCombiner(const compute::Computation &computation, const std::map<std::string, Layout> &layouts)
      : computation_(computation), program_(forward_sums(*computation.program)), naming_(layouts, "", "") {}

  Combination combine() {
    result_.is_program = true;
    result_.accumulate = true; // what the program doesn't set, stays
    for (const compute::TensorUse &use : computation_.tensors) {
      if (use.is_result) require_dense(use, naming_.layout_of(use.name));
      result_.bindings.push_back({use.name, naming_.layout_of(use.name), use.is_result, ""});
    }
    name_sizes();
    name_extents();
    for (const Binding &binding : result_.bindings)
      naming_.add(binding, result_);
    for (const ProgramStatement &statement : program_.statements)
      check_ranges(statement);
    std::vector<std::vector<ProgramStatement>> parts;
    std::size_t most = 1;
    for (const ProgramStatement &statement : program_.statements) {
      parts.push_back(split(statement));
      most = std::max(most, parts.back().size());
    }
    for (std::vector<ProgramStatement> &statements : parts)
      for (std::size_t k = 0; k < statements.size(); ++k) {
        // Room for the parts of each: the order of the places stays what it was.
        for (int &number : statements[k].place)
          number *= static_cast<int>(most);
        statements[k].place.back() += static_cast<int>(k);
        add_leaves(statements[k], {});
      }
    for (const IterationSpace &leaf : result_.leaves)
      if (leaf.target.local.empty()) result_.target = leaf.target;
    return std::move(result_);
  }

private:
  const Layout &layout_of(const Access &access) const { return naming_.layout_of(access.tensor); }

  // ---- sizes

  /// Each size of the program is that of the first tensor which has it as an extent.
  void name_sizes() {
    for (const Binding &binding : result_.bindings)
      for (const std::string &size : binding.layout.sizes)
        naming_.sizes.add(qualified(binding.tensor, size));
    auto each_mode = [&](const auto &visit) {
      for (bool is_result : {false, true}) // operands bring their sizes with them
        for (const Binding &binding : result_.bindings) {
          if (binding.is_result != is_result) continue;
          const std::vector<Term> &extents = program_.extents.at(binding.tensor);
          for (std::size_t k = 0; k < extents.size(); ++k)
            visit(binding, extents[k], qualified(binding.tensor, binding.layout.sizes[k]));
        }
    };
    each_mode([&](const Binding &, const Term &extent, const std::string &size) {
      const auto *name = extent.as<term::Variable>();
      if (!name) return;
      auto [known, fresh] = size_of_.emplace(name->name, term::variable(size));
      if (!fresh) naming_.sizes.join(known->second.as<term::Variable>()->name, size);
    });
    for (const compute::GivenSize &size : program_.given) {
      size_of_.emplace(size.name, term::variable(size.name));
      result_.sizes.push_back(size.name);
    }
    each_mode([&](const Binding &binding, const Term &extent, const std::string &size) {
      Term expected = over_sizes(extent);
      if (expected != term::variable(size))
        result_.conditions.push_back({term::equal(expected, term::variable(size)),
                                      fmt::format("{} is {} of {}", size.substr(size.find('.') + 1),
                                                  term::to_text(extent), binding.tensor)});
    });
    for (const compute::LeastSize &size : program_.least)
      require({term::at_most(Term(size.least), size_of_.at(size.name)),
               fmt::format("{} is no less than {}", size.name, size.least), size.span, "",
               term::at_most(Term(size.least), term::variable(size.name))});
  }

  bool is_given(const std::string &size) const {
    return std::find(result_.sizes.begin(), result_.sizes.end(), size) != result_.sizes.end();
  }

  /// A condition on sizes that the kernel checks; what is convex of it is known from then on.
  void require(SizeCondition condition) {
    if (std::any_of(result_.conditions.begin(), result_.conditions.end(),
                    [&](const SizeCondition &known) { return known.formula == condition.formula; }))
      return;
    for (const Term &part : term::conjuncts(condition.formula))
      if (part.as<term::Compare>())
        result_.axioms.push_back({"sizes: " + term::to_text(part), {}, term::truth(), part});
    known_sizes_.push_back(condition.formula);
    result_.conditions.push_back(std::move(condition));
  }

  /// Of loops that run over all values below a size, wherever their variable is that of a loop.
  void name_extents() {
    std::set<std::string> others;
    for (const ProgramStatement &statement : program_.statements)
      for (const compute::ProgramLoop &loop : statement.loops) {
        const auto *name = loop.high.as<term::Variable>();
        Term extent = over_sizes(loop.high);
        if (loop.low != Term(0) || !name || !size_of_.contains(name->name) || is_given(name->name) ||
            result_.extents.emplace(loop.variable, extent).first->second != extent)
          others.insert(loop.variable);
      }
    for (const std::string &variable : others)
      result_.extents.erase(variable);
  }

  /// The program's sizes as those of tensors.
  Term over_sizes(const Term &term) const { return term::substitute(term, size_of_); }

  /// The statement's instances in the dense program.
  Term domain(const ProgramStatement &statement) const {
    std::vector<Term> parts;
    for (const compute::ProgramLoop &loop : statement.loops)
      parts.push_back(
          term::between(over_sizes(loop.low), term::variable(loop.variable), over_sizes(loop.high)));
    parts.push_back(over_sizes(statement.condition));
    std::vector<Term> flat;
    for (const Term &part : parts)
      for (const Term &each : term::conjuncts(part))
        flat.push_back(each);
    return term::conjunction(std::move(flat));
  }

  /// Sizes of tensors are not negative; conditions hold.
  Term with_sizes(const Term &formula) const {
    std::vector<Term> parts{formula};
    for (const auto &[name, size] : size_of_)
      if (!is_given(name)) parts.push_back(term::at_most(Term(0), size));
    parts.insert(parts.end(), known_sizes_.begin(), known_sizes_.end());
    return term::conjunction(std::move(parts));
  }

  void check_ranges(const ProgramStatement &statement) {
    space::Set instances(with_sizes(domain(statement)));
    const space::Set sizes(with_sizes(term::truth()));
    auto check = [&](const Access &access) {
      if (access.is_local) return;
      const std::vector<Term> &extents = program_.extents.at(access.tensor);
      for (std::size_t k = 0; k < extents.size(); ++k) {
        Term subscript = over_sizes(access.subscripts[k].value);
        space::Set outside = instances.intersect(
            space::Set(term::negation(term::between(Term(0), subscript, over_sizes(extents[k])))));
        if (outside.is_empty()) continue;
        const std::string range =
            fmt::format("subscript {} must be in [0, {})", k, term::to_text(extents[k]));
        if (auto condition = sizes_inside(instances, outside, sizes, result_.sizes)) {
          require({*condition, fmt::format("{} lies inside its tensor", compute::to_text(access)),
                   access.span, range, for_user(*condition)});
          instances = instances.intersect(space::Set(*condition));
          continue;
        }
        std::string where;
        if (auto sample = outside.sample())
          for (const auto &[atom, value] : *sample)
            where += fmt::format("{}{} = {}", where.empty() ? "" : ", ", name_for_user(atom), value);
        report::fail(Kind::outside_extent, access.span,
                     fmt::format("`{}` may lie outside its tensor: {}{}", compute::to_text(access), range,
                                 where.empty() ? "" : "; it isn't where " + where),
                     "the loops' bounds and conditions must keep each subscript inside");
      }
    };
    check(statement.target);
    compute::each_read(statement, check);
  }

  /// Over the program's own sizes.
  Term for_user(const Term &formula) const {
    term::Substitution names;
    for (const auto &[name, size] : size_of_)
      names.emplace(size.as<term::Variable>()->name, term::variable(name));
    return term::substitute(formula, names);
  }

  std::string name_for_user(const Term &atom) const {
    for (const auto &[name, size] : size_of_)
      if (size == atom) return name;
    return term::to_text(atom);
  }

  // ---- statements

  /// Is the access stored wherever the statement is executed, as elements of dense tensors are?
  bool is_total(const Access &access, const ProgramStatement &statement) const {
    if (access.is_local || stores_everything(access)) return true; // subscripts are in range
    return is_without_indices(layout_of(access)) &&
           space::Set(with_sizes(domain(statement))).is_subset(stored_at(access));
  }

  /// Has the access's tensor a place for each element within its extents? Asked once for each tensor.
  bool stores_everything(const Access &access) const {
    auto [known, fresh] = stores_everything_.emplace(access.tensor, false);
    const Layout &layout = layout_of(access);
    if (!fresh || !is_without_indices(layout)) return known->second;
    Access any = access;
    std::vector<Term> elements;
    for (std::size_t k = 0; k < any.subscripts.size(); ++k) {
      Term coordinate = term::variable("@element" + std::to_string(k));
      any.subscripts[k] = {"", 0, coordinate};
      elements.push_back(
          term::between(Term(0), coordinate,
                        term::variable(naming_.sizes.find(qualified(access.tensor, layout.sizes[k])))));
    }
    return known->second = space::Set(term::conjunction(std::move(elements))).is_subset(stored_at(any));
  }

  static bool is_without_indices(const Layout &layout) {
    return layout.pieces.size() == 1 && std::all_of(layout.arrays.begin(), layout.arrays.end(),
                                                    [](auto &array) { return array.is_value; });
  }

  /// For which values of the variables in its subscripts the access is stored.
  space::Set stored_at(const Access &access) const {
    std::vector<Term> relation;
    Operand operand = operand_of(access, 0, relation);
    return space::Set(with_sizes(term::conjunction(relation))).project([&](const Term &atom) {
      const auto *variable = atom.as<term::Variable>();
      return variable && std::find(operand.positions.begin(), operand.positions.end(), variable->name) !=
                             operand.positions.end();
    });
  }

  bool is_result(const std::string &tensor) const {
    return std::any_of(computation_.tensors.begin(), computation_.tensors.end(),
                       [&](auto &use) { return use.is_result && use.name == tensor; });
  }

  /// A statement whose value isn't zero wherever a sparse factor isn't stored becomes several: what is dense,
  /// then each product with sparse factors, added.
  std::vector<ProgramStatement> split(const ProgramStatement &statement) const {
    auto is_sparse = [&](const Product &summand) {
      return std::any_of(summand.factors.begin(), summand.factors.end(),
                         [&](const Access &factor) { return !is_total(factor, statement); });
    };
    std::vector<Product> sparse;
    ProgramStatement dense = statement;
    dense.summands.clear();
    for (const Product &summand : statement.summands)
      (is_sparse(summand) ? sparse : dense.summands).push_back(summand);
    if (sparse.empty() || (statement.accumulate && statement.summands.size() == 1)) return {statement};
    check_split(statement, sparse);
    std::vector<ProgramStatement> result;
    if (dense.summands.empty()) dense.divisors.clear(); // zero
    if (!statement.accumulate || !dense.summands.empty()) result.push_back(dense);
    for (const Product &summand : sparse) {
      ProgramStatement added = statement;
      added.accumulate = true;
      added.summands = {summand};
      result.push_back(std::move(added));
    }
    return result;
  }

  static void check_split(const ProgramStatement &statement, const std::vector<Product> &sparse) {
    auto reads_target = [&](const Access &access) { return access.tensor == statement.target.tensor; };
    bool reads = std::any_of(statement.divisors.begin(), statement.divisors.end(), reads_target);
    for (const Product &summand : sparse)
      reads = reads || std::any_of(summand.factors.begin(), summand.factors.end(), reads_target);
    if (reads)
      report::fail(
          Kind::not_a_product, statement.span,
          fmt::format("`{}` reads `{}` in a product with a sparse factor, which would be added to a part "
                      "of the new value",
                      statement.span.text(), statement.target.tensor),
          "compute the product in a scalar: `let s = ...;`");
    if (statement.accumulate) return;
    for (const compute::ProgramLoop &loop : statement.loops)
      if (std::none_of(statement.target.subscripts.begin(), statement.target.subscripts.end(),
                       [&](const compute::Subscript &each) { return each.index == loop.variable; }))
        report::fail(Kind::not_a_product, statement.span,
                     fmt::format("`{}` sets one element again for each `{}`, with a sparse factor",
                                 statement.span.text(), loop.variable),
                     "`+=` adds the products up");
  }

  /// One leaf for each choice of a piece for each operand.
  void add_leaves(const ProgramStatement &statement, std::vector<std::size_t> chosen) {
    std::vector<const Access *> reads;
    compute::each_read(statement, [&](const Access &access) { reads.push_back(&access); });
    if (chosen.size() < reads.size()) {
      const Access &next = *reads[chosen.size()];
      std::size_t pieces = next.is_local ? 1 : layout_of(next).pieces.size();
      for (std::size_t piece = 0; piece < pieces; ++piece) {
        chosen.push_back(piece);
        add_leaves(statement, chosen);
        chosen.pop_back();
      }
      return;
    }
    IterationSpace space;
    space.sets = !statement.accumulate;
    space.place = statement.place;
    space.span = statement.span;
    for (const compute::ProgramLoop &loop : statement.loops)
      space.loops.push_back(loop.variable);
    space.coordinates = space.loops;
    std::vector<Term> relation = term::conjuncts(domain(statement));
    std::vector<Term> divisors;
    std::size_t next = 0;
    auto read = [&](const Access &access, std::size_t summand, bool divides) {
      std::vector<Term> stored;
      Operand operand = operand_of(access, chosen[next++], stored);
      operand.summand = summand;
      operand.divides = divides;
      relation.insert(relation.end(), stored.begin(), stored.end());
      if (divides && !is_total(access, statement))
        divisors.insert(divisors.end(), stored.begin(), stored.end());
      space.operands.push_back(std::move(operand));
    };
    space.constants.clear();
    for (std::size_t k = 0; k < statement.summands.size(); ++k) {
      space.constants.push_back(statement.summands[k].constant);
      for (const Access &factor : statement.summands[k].factors)
        read(factor, k, false);
    }
    for (const Access &divisor : statement.divisors)
      read(divisor, 0, true);
    std::vector<Term> places;
    space.target = operand_of(statement.target, 0, places);
    relation.insert(relation.end(), places.begin(), places.end());
    list_positions(space);
    join_arguments(space, relation, places);
    IterationSpace divided = space; // with the same names in arguments
    join_arguments(divided, relation, divisors);
    if (!divisors.empty()) space.divisors = term::conjuncts(divided.places);
    if (space::Set(space.relation).is_empty()) return;
    if (!divisors.empty()) {
      // A piece alone doesn't tell whether the other one has it.
      std::vector<std::size_t> pieces(chosen.end() - static_cast<std::ptrdiff_t>(statement.divisors.size()),
                                      chosen.end());
      if (divisor_pieces_.emplace(space.place, pieces).first->second != pieces)
        report::fail(Kind::not_supported, statement.divisors.front().span,
                     fmt::format("a divisor in several pieces, as `{}` has them, is not supported yet",
                                 layout_of(statement.divisors.front()).name),
                     "choose a layout of one piece");
    }
    result_.leaves.push_back(std::move(space));
  }

  Operand operand_of(const Access &access, std::size_t piece, std::vector<Term> &relation) const {
    if (!access.is_local) {
      Access over = access;
      for (compute::Subscript &subscript : over.subscripts)
        subscript.value = over_sizes(subscript.value);
      return naming_.operand(over, layout_of(access).pieces[piece], is_result(access.tensor), relation);
    }
    Operand local;
    local.name = access.name();
    local.tensor = local.local = access.tensor;
    for (const compute::Subscript &subscript : access.subscripts)
      local.coordinates.push_back(subscript.value);
    return local;
  }

  const compute::Computation &computation_;
  const compute::Program program_;
  Naming naming_;
  term::Substitution size_of_;
  std::vector<Term> known_sizes_;                                       // conditions on sizes
  mutable std::map<std::string, bool> stores_everything_;               // by tensor
  std::map<std::vector<int>, std::vector<std::size_t>> divisor_pieces_; // by the statement's place
  Combination result_;
};

} // namespace

Combination combine_program(const compute::Computation &computation,
                            const std::map<std::string, Layout> &layouts) {
  return ProgramCombiner(computation, layouts).combine();
}

} // namespace unravel::combine
