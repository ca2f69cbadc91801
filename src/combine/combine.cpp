// A statement's iteration space: its loops' domain, or what its subscripts allow, where factors are stored.
#include "combine/forward.h"
#include "combine/given_sizes.h"
#include "combine/naming.h"
#include "combine/refuse.h"
#include "combine/row_major.h"
#include "combine/split.h"
#include "combine/structure.h"
#include "combine/substitute.h"
#include "compute/fills.h"
#include "compute/mask.h"

#include "report/diagnostic.h"
#include "space/set.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace unravel::combine {

using compute::Access;
using compute::Statement;
using layout::Layout;
using report::Kind;
using term::Term;

namespace {

class Combiner {
public:
  Combiner(const compute::Computation &computation, compute::Program program,
           const std::map<std::string, Layout> &layouts, const std::string &structure)
      : computation_(computation), program_(std::move(program)), structure_(structure),
        lender_(lender_of(structure, computation.program)), naming_(layouts, lender_) {}

  Combination combine() {
    for (const compute::TensorUse &use : computation_.tensors) {
      const bool shares = use.is_result && !structure_.empty();
      result_.bindings.push_back(
          {use.name, naming_.layout_of(use.name), use.is_result, shares ? lender_ : ""});
    }
    for (const Binding &binding : result_.bindings)
      for (const std::string &size : binding.layout.sizes)
        naming_.sizes.add(qualified(binding.tensor, size));
    for (const auto &[tensor, around] : program_.local_tensors)
      if (naming_.has_layout(tensor))
        for (const std::string &size : naming_.layout_of(tensor).sizes)
          naming_.sizes.add(qualified(tensor, size));
    result_.types = computation_.types;
    join_sizes_of_indices();
    name_sizes();
    name_extents();
    for (const Binding &binding : result_.bindings)
      if (binding.is_assembled())
        result_.assembled.push_back(naming_.assembled(binding, result_));
      else
        naming_.add(binding, result_);
    for (Statement &statement : program_.statements)
      if (is_assembled(statement.target)) statement = compute::reduced_from_fill(statement);
    for (const auto &[tensor, around] : program_.local_tensors) {
      result_.locals.push_back(naming_.local(tensor, around, extents_of(tensor), result_));
      result_.locals.back().is_zero_once_read = program_.zero_once_read.contains(tensor);
      result_.locals.back().is_masked = program_.masked_locals.contains(tensor);
    }
    for (const Statement &statement : program_.statements) {
      check_ranges(statement);
      for (const compute::Loop &loop : statement.loops)
        if (!loop.until.empty()) result_.rounds.emplace(loop.variable, loop.until);
    }
    std::vector<std::vector<Statement>> parts;
    std::vector<std::vector<Statement>> emptied(program_.statements.size()); // locals, in front of each
    std::set<std::string> written;
    for (const Statement &statement : program_.statements) {
      LocalTensor *local = inserts_into(statement.target) ? local_named(statement.target.tensor) : nullptr;
      const bool is_first = written.insert(statement.target.tensor).second && local;
      if (is_first) emptied[parts.size()].push_back(emptied_before(statement, local->around));
      parts.push_back(is_set_otherwise(statement, program_) ? std::vector<Statement>()
                                                            : taken_apart(with_shared_masks(statement)));
      const auto number = local && !parts.back().empty()
                              ? sets_to_nothing(parts.back().front(), local->around, program_)
                              : std::nullopt;
      const bool is_set_at_once = is_first && number && !is_inside(statement, local->around);
      if (is_set_at_once) local->initial = number.value_or(0);
      const bool is_emptied = !is_first && number && number == local->initial; // as in each round
      if (local && !is_first && !is_emptied) keep_to_entries(parts.back(), local->initial, program_);
      if (is_set_at_once || is_emptied) parts.back().erase(parts.back().begin());
      if (is_emptied)
        emptied[first_in_loops(statement, program_)].push_back(emptied_instead(statement, local->around));
    }
    for (const Statement &statement : in_order(std::move(emptied), std::move(parts)))
      add_leaves(statement);
    return std::move(result_);
  }

private:
  /// Where the value reads what a mask asks for, its entries are walked once for both.
  static Statement with_shared_masks(Statement statement) {
    for (compute::Mask &mask : statement.masks)
      if (!mask.is_absent && !mask.is_searched)
        if (const Access *read = compute::read_like(statement, mask))
          mask.access.occurrence = read->occurrence;
    return statement;
  }

  LocalTensor *local_named(const std::string &tensor) {
    return &*std::ranges::find(result_.locals, tensor, &LocalTensor::tensor);
  }

  bool is_local(const Access &access) const {
    return access.is_local || program_.local_tensors.contains(access.tensor);
  }

  /// Is the access one to a local tensor which hasn't a place for each element?
  bool inserts_into(const Access &access) const {
    const LocalTensor *local = result_.local(access.tensor);
    return local && local->insertion && !access.is_local;
  }

  /// Is the access one to a piece of a layout?
  bool has_piece(const Access &access) const { return !is_local(access) || inserts_into(access); }

  std::vector<Term> extents_of(const std::string &tensor) const {
    std::vector<Term> extents;
    for (const Term &extent : program_.extents.at(tensor))
      extents.push_back(over_sizes(extent));
    return extents;
  }

  const Layout &layout_of(const Access &access) const { return naming_.layout_of(access.tensor); }

  /// The access of the statement whose positions its target has; empty: only its own.
  std::string lender_in(const Statement &statement) const {
    std::string found;
    compute::each_read(statement, [&](const Access &access) {
      if (access.name() == structure_ || (found.empty() && access.tensor == lender_)) found = access.name();
    });
    return found;
  }

  // ---- sizes

  /// The modes that have an index variable as a plain subscript have the same size.
  void join_sizes_of_indices() {
    std::map<std::string, std::pair<std::string, const Access *>> first; // index -> size that stands for it
    for (const Statement &statement : program_.statements) {
      if (!statement.is_free) continue;
      auto visit = [&](const Access &access) {
        const Layout &layout = layout_of(access);
        for (std::size_t k = 0; k < access.subscripts.size(); ++k) {
          const compute::Subscript &subscript = access.subscripts[k];
          if (subscript.shift != 0) continue;
          std::string size = qualified(access.tensor, layout.sizes[k]);
          auto [known, fresh] = first.emplace(subscript.index, std::make_pair(size, &access));
          if (fresh || !naming_.sizes.join(known->second.first, size)) continue;
          result_.conditions.push_back(
              {term::equal(term::variable(known->second.first), term::variable(size)),
               fmt::format("index {} runs over {} of {} and {} of {}", subscript.index,
                           known->second.first.substr(known->second.first.find('.') + 1),
                           known->second.second->tensor, layout.sizes[k], access.tensor)});
        }
      };
      compute::each_read(statement, visit);
      visit(statement.target);
    }
    for (const auto &[index, size] : first)
      result_.extents.emplace(index, term::variable(naming_.sizes.find(size.first)));
  }

  /// Each size of the program is that of the first tensor which has it as an extent.
  void name_sizes() {
    auto each_mode = [&](const auto &visit) {
      for (bool is_result : {false, true}) // operands bring their sizes with them
        for (const Binding &binding : result_.bindings) {
          auto declared = program_.extents.find(binding.tensor);
          if (binding.is_result != is_result || declared == program_.extents.end()) continue;
          const std::vector<Term> &extents = declared->second;
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
               fmt::format("{} is at least {}", size.name, size.least), size.span, "",
               term::at_most(Term(size.least), term::variable(size.name))});
  }

  bool is_given(const std::string &size) const { return contains(result_.sizes, size); }

  /// A condition on sizes that the kernel checks; what is convex of it is known from then on.
  void require(SizeCondition condition) {
    if (std::ranges::any_of(result_.conditions,
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
    for (const Statement &statement : program_.statements)
      for (const compute::Loop &loop : statement.loops) {
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

  Access over_sizes(Access access) const {
    for (compute::Subscript &subscript : access.subscripts)
      subscript.value = over_sizes(subscript.value);
    return access;
  }

  /// The statement's instances in the dense program.
  Term domain(const Statement &statement) const {
    std::vector<Term> parts;
    for (const compute::Loop &loop : statement.loops)
      parts.push_back(
          term::between(over_sizes(loop.low), term::variable(loop.variable), over_sizes(loop.high)));
    for (const std::string &index : statement.indices) {
      bool is_said = false; // by the tensor that it subscripts
      compute::each_access(statement, [&](const Access &access) { is_said |= has_plain(access, index); });
      if (!is_said) parts.push_back(term::at_most(Term(0), term::variable(index)));
    }
    parts.push_back(over_sizes(statement.condition));
    return term::conjunction(std::move(parts));
  }

  /// Sizes of tensors are not negative; conditions hold.
  Term with_sizes(const Term &formula) const {
    std::vector<Term> parts{formula};
    for (const auto &[name, size] : size_of_)
      if (!is_given(name)) parts.push_back(term::at_most(Term(0), size));
    parts.insert(parts.end(), known_sizes_.begin(), known_sizes_.end());
    return term::conjunction(std::move(parts));
  }

  /// Subscripts of loops must stay inside their tensors.
  void check_ranges(const Statement &statement) {
    if (statement.is_free) return;
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
                   access.span, range, over_own_sizes(*condition, size_of_)});
          instances = instances.intersect(space::Set(*condition));
          continue;
        }
        refuse_outside(access, range, outside, size_of_);
      }
    };
    check(statement.target);
    compute::each_read(statement, check);
  }

  // ---- statements

  /// Is the access stored wherever the statement is executed, as elements of dense tensors are?
  bool is_total(const Access &access, const Statement &statement) const {
    if (!has_piece(access) || stores_everything(access)) return true; // subscripts are in range
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
      elements.push_back(term::between(Term(0), coordinate, naming_.extent(access.tensor, k)));
    }
    return known->second =
               space::Set(with_sizes(term::conjunction(std::move(elements)))).is_subset(stored_at(any));
  }

  static bool is_without_indices(const Layout &layout) {
    return layout.pieces.size() == 1 &&
           std::ranges::all_of(layout.arrays, [](auto &array) { return array.is_value; });
  }

  /// For which values of the variables in its subscripts the access is stored.
  space::Set stored_at(const Access &access) const {
    std::vector<Term> relation;
    Operand operand = operand_of(access, {}, 0, structure_, relation);
    return space::Set(with_sizes(term::conjunction(relation))).project([&](const Term &atom) {
      const auto *variable = atom.as<term::Variable>();
      return variable && contains(operand.positions, variable->name);
    });
  }

  std::optional<Unplaced> unplaced_at(const Statement &statement, std::vector<Term> relation) const {
    const Access target = over_sizes(statement.target);
    if (is_local(target) || has_structure(statement) || is_assembled(target) || stores_everything(target))
      return std::nullopt;
    for (std::size_t k = 0; k < target.subscripts.size(); ++k)
      relation.push_back(
          term::between(Term(0), target.subscripts[k].value, naming_.extent(target.tensor, k)));
    relation.push_back(term::negation(stored_at(target).formula()));
    return Unplaced{term::conjunction(std::move(relation)), target.fill_or_zero()};
  }

  bool is_result(const std::string &tensor) const {
    return std::ranges::any_of(computation_.tensors,
                               [&](auto &use) { return use.is_result && use.name == tensor; });
  }

  bool has_structure(const Statement &statement) const {
    return is_result(statement.target.tensor) && !structure_.empty();
  }

  bool is_assembled(const Access &target) const { return result_.assembly(target.tensor) != nullptr; }

  /// What is computed where different accesses are stored, one after the other.
  std::vector<Statement> taken_apart(const Statement &statement) const {
    const auto optional_in = [this](const Statement &of) {
      return [this, &of](const Access &access, value::Role role) {
        return role != value::Role::Divisor && looked_for(access, of, role) == Lookup::Wanted::Element;
      };
    };
    if (has_structure(statement)) // executed at each of the result's places, and nowhere else
      return {with_joined_reads(statement, optional_in(statement))};
    const auto total_in = [this](const Access &access, const Statement &of) { return is_total(access, of); };
    return combine::taken_apart(statement, computation_.types, total_in, optional_in,
                                is_assembled(statement.target), program_);
  }

  void add_leaves(const Statement &statement) {
    const std::size_t first = result_.leaves.size();
    add_leaves(statement, {});
    if (!statement.is_free) return;
    if (is_assembled(statement.target)) {
      if (statement.accumulate && first == 0) check_adding(statement, layout_of(statement.target));
      return;
    }
    if (statement.accumulate) return;
    const Layout &layout = layout_of(statement.target);
    result_.clears.push_back({statement.target.tensor,
                              qualified(statement.target.tensor, layout.pieces.front().value.array), first,
                              compute::identity_of(statement)});
  }

  /// What is read where it may not be stored, and how.
  std::optional<Lookup::Wanted> looked_for(const Access &access, const Statement &statement,
                                           value::Role role) const {
    const auto mask = std::ranges::find(statement.masks, access.name(),
                                        [](const compute::Mask &each) { return each.access.name(); });
    if (mask != statement.masks.end()) {
      const bool is_other =
          access.tensor == statement.target.tensor &&
          (mask->is_absent || compute::to_text(access) != compute::to_text(statement.target));
      const bool is_own = is_other || !inserts_into(access);
      if (is_own && (is_local(access) || is_result(access.tensor))) refuse_mask_of_result(access);
      if (is_total(access, statement)) refuse_total_mask(access);
      if (mask->is_absent) return Lookup::Wanted::Absence;
      if (mask->is_searched) return Lookup::Wanted::Presence;
    }
    if (is_total(access, statement) || (!structure_.empty() && access.name() == lender_in(statement)))
      return std::nullopt;
    if (role == value::Role::Divisor && access.fill_or_zero() == 0) {
      if (statement.is_free || is_local(access)) refuse_divisor(access, layout_of(access), is_local(access));
      return Lookup::Wanted::Divisor;
    }
    const bool is_executed_everywhere = !statement.is_free && !statement.accumulate &&
                                        !is_assembled(statement.target) && !has_structure(statement);
    return mask != statement.masks.end() || (!is_executed_everywhere && compute::is_factor(statement, access))
               ? std::nullopt
               : std::optional(Lookup::Wanted::Element);
  }

  /// One leaf for each choice of a piece for each operand.
  void add_leaves(const Statement &statement, std::vector<std::size_t> chosen) {
    std::vector<const Access *> reads; // each once, though terms may have a factor in common
    std::vector<std::pair<const Access *, Lookup::Wanted>> lookups;
    const std::map<std::string, value::Role> roles = roles_in(statement);
    std::set<std::string> known;
    compute::each_read(statement, [&](const Access &access) {
      if (!known.insert(access.name()).second) return;
      if (const auto wanted = looked_for(access, statement, roles.at(access.name())))
        lookups.emplace_back(&access, *wanted);
      else
        reads.push_back(&access);
    });
    if (chosen.size() < reads.size()) {
      const Access &next = *reads[chosen.size()];
      std::size_t pieces = has_piece(next) ? layout_of(next).pieces.size() : 1;
      for (std::size_t piece = 0; piece < pieces; ++piece) {
        chosen.push_back(piece);
        add_leaves(statement, chosen);
        chosen.pop_back();
      }
      return;
    }
    IterationSpace space;
    space.sets = !statement.accumulate && !statement.is_free;
    space.by = statement.by;
    space.place = statement.place;
    space.type = statement.type;
    space.types = computation_.types;
    space.span = statement.span;
    for (const compute::Loop &loop : statement.loops)
      space.loops.push_back(loop.variable);
    space.coordinates = statement.is_free ? statement.indices : space.loops;
    std::vector<Term> relation = term::conjuncts(domain(statement));
    std::set<std::pair<std::string, std::size_t>> met; // accesses, each through a piece
    std::set<std::string> copies; // positions of accesses that repeat another one through the same piece
    std::map<std::string, Value> values;
    for (std::size_t k = 0; k < reads.size(); ++k) {
      const Access &access = *reads[k];
      std::vector<Term> stored;
      Operand operand = operand_of(access, statement.loops, chosen[k], structure_, stored);
      if (!met.emplace(compute::to_text(access), chosen[k]).second)
        copies.insert(operand.positions.begin(), operand.positions.end());
      operand.is_linear = roles.at(operand.name) <= value::Role::InTerm &&
                          statement.by == value::Operator::Add &&
                          compute::is_converted_by_parts(statement, computation_.types);
      relation.insert(relation.end(), stored.begin(), stored.end());
      values.emplace(operand.name, value_at(access, chosen[k], operand.name));
      space.operands.push_back(std::move(operand));
    }
    std::ranges::stable_partition(
        lookups, [](const auto &each) { return Lookup::is_mask(each.second); }); // masks first
    for (const auto &[access, wanted] : lookups) {
      if (statement.is_free) naming_.stay_inside(*access, reads, relation);
      values.emplace(access->name(), Value{Read{access->name()}});
    }
    space.value = value::map_leaves<Value>(
        statement.value,
        term::overloaded{[&](const Access &access) { return values.at(access.name()); },
                         [&](const Term &coordinate) { return Value{over_sizes(coordinate)}; }});
    std::vector<Term> places;
    if (const AssembledResult *assembled = result_.assembly(statement.target.tensor)) {
      space.target = naming_.appended(over_sizes(statement.target));
      space.target.first_node = assembled->first_node(space.target);
      if (statement.is_free) naming_.stay_inside(statement.target, reads, relation);
    } else {
      space.target = is_local(statement.target)
                         ? local_of(statement.target, statement.loops)
                         : operand_of(statement.target, statement.loops, 0, lender_in(statement), places);
    }
    space.unplaced = unplaced_at(statement, relation);
    for (const Term &part : places) // a structure's parts are there already
      if (!contains(relation, part)) relation.push_back(part);
    list_positions(space);
    IterationSpace plain = space; // without the names that positions take in arguments
    join_arguments(space, relation, places);
    if (is_empty(space, copies)) return;
    for (const auto &[access, wanted] : lookups)
      space.lookups.push_back(lookup_of(*access, wanted, statement, plain, relation));
    result_.leaves.push_back(std::move(space));
  }

  /// What a piece of the access's layout has at a position; of what has no pieces, what is read.
  Value value_at(const Access &access, std::size_t piece, const std::string &operand) const {
    if (!has_piece(access)) return {Read{operand}};
    const layout::EntryValue &stored = layout_of(access).pieces[piece].value;
    const Value value = stored.array.empty() ? Value{value::Number{stored.literal}} : Value{Read{operand}};
    return stored.negative ? value::negated(value) : value;
  }

  /// `space`: the statement's, with this relation. Without places: it is never stored.
  Lookup lookup_of(const Access &access, Lookup::Wanted wanted, const Statement &statement,
                   const IterationSpace &space, const std::vector<Term> &relation) const {
    Lookup lookup{wanted, access.name(), access.tensor, {}, access.fill_or_zero()};
    for (std::size_t piece = 0; piece < layout_of(access).pieces.size(); ++piece) {
      std::vector<Term> stored;
      IterationSpace together = space; // with the same names in arguments
      together.operands = {operand_of(access, statement.loops, piece, structure_, stored)};
      if (piece > 0) number_positions(together.operands.front(), piece + 1, stored);
      const std::vector<std::string> &positions = together.operands.front().positions;
      together.positions.insert(together.positions.end(), positions.begin(), positions.end());
      std::vector<Term> all = relation;
      all.insert(all.end(), stored.begin(), stored.end());
      join_arguments(together, all, stored);
      if (is_empty(together, {})) continue; // never stored there
      lookup.places.push_back(
          {together.operands.front(), value_at(access, piece, access.name()), together.places});
    }
    return lookup;
  }

  /// `loops`: those around the access. `structure`: the access whose positions a result has.
  Operand operand_of(const Access &access, const std::vector<compute::Loop> &loops, std::size_t piece,
                     const std::string &structure, std::vector<Term> &relation) const {
    if (!has_piece(access)) return local_of(access, loops);
    std::vector<Term> stored;
    Operand operand = naming_.operand(over_sizes(access), layout_of(access).pieces[piece],
                                      is_result(access.tensor), structure, stored);
    if (is_local(access)) {
      const Operand local = local_of(access, loops);
      operand.local = local.local, operand.around = local.around, operand.coordinates = local.coordinates;
      const term::Substitution sizes = naming_.sizes_of(access.tensor, extents_of(access.tensor));
      for (Term &part : stored)
        part = term::substitute(part, sizes);
      operand.slot = term::substitute(operand.slot, sizes);
    }
    relation.insert(relation.end(), stored.begin(), stored.end());
    return operand;
  }

  /// A scalar, or an element of a local tensor at its place.
  Operand local_of(const Access &access, const std::vector<compute::Loop> &loops) const {
    Operand local;
    local.name = access.name();
    local.tensor = local.local = access.tensor;
    std::vector<Term> subscripts;
    for (const compute::Subscript &subscript : access.subscripts)
      subscripts.push_back(over_sizes(subscript.value));
    if (access.is_local) {
      local.around = subscripts.size();
      local.coordinates = std::move(subscripts);
      return local;
    }
    const LocalTensor &tensor = *result_.local(access.tensor);
    local.around = tensor.around;
    local.array = tensor.array;
    local.inserts = tensor.insertion.has_value();
    for (std::size_t k = 0; k < local.around; ++k)
      local.coordinates.push_back(term::variable(loops[k].variable));
    term::Substitution element;
    for (std::size_t k = 0; k < subscripts.size(); ++k)
      element.emplace(tensor.modes[k], subscripts[k]);
    for (const Term &slot : tensor.slots)
      local.slots.push_back(term::substitute(slot, element));
    local.slot = tensor.repeats() ? row_major(subscripts, tensor.extents)
                                  : row_major(local.slots, result_.arrays.at(local.array));
    local.coordinates.insert(local.coordinates.end(), subscripts.begin(), subscripts.end());
    return local;
  }

  const compute::Computation &computation_;
  compute::Program program_;
  const std::string structure_; // the operand whose positions the result has, or empty
  const std::string lender_;    // its tensor
  Naming naming_;
  term::Substitution size_of_;
  std::vector<Term> known_sizes_;                         // conditions on sizes
  mutable std::map<std::string, bool> stores_everything_; // by tensor
  Combination result_;
};

} // namespace

Combination combine(const compute::Computation &computation, const std::map<std::string, Layout> &layouts,
                    const std::string &structure) {
  return Combiner(computation, forward_sums(computation), layouts, structure).combine();
}
Combination combine_planned(const compute::Computation &line, const std::map<std::string, Layout> &layouts) {
  return Combiner(line, line.program, layouts, "").combine();
}

} // namespace unravel::combine
