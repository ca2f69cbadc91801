#include "layout/structure.h"

#include "layout/property.h"
#include "term/solve.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace unravel::layout {

using report::Kind;
using term::Term;

namespace {

std::set<std::string> functions_of(const Term &term) {
  std::set<std::string> names;
  for (const Term &application : term::applications_of(term))
    names.insert(application.as<term::Apply>()->function);
  return names;
}

bool holds_all(const std::set<std::string> &set, const std::set<std::string> &parts) {
  return std::includes(set.begin(), set.end(), parts.begin(), parts.end());
}

/// Does a conjunct bound the variable, or say what it is?
bool bounds(const Term &part, const std::string &variable) {
  const auto *compare = part.as<term::Compare>();
  return compare && term::coefficient_of(compare->left, variable) != 0;
}

/// What a value array needs so that each of its slots has one meaning.
class Slots {
public:
  Slots(const Layout &layout, const Piece &piece, const std::vector<std::string> &coordinates)
      : layout_(layout), piece_(piece), coordinates_(coordinates) {
    for (const auto *names : {&piece.positions, &coordinates})
      for (const std::string &name : *names)
        other_.emplace(name, term::variable(name + "'"));
    for (const Term &part : term::conjuncts(piece.relation)) {
      relation_.push_back(part);
      both_.push_back(part);
      both_.push_back(term::substitute(part, other_));
    }
  }

  /// Are two places with equal slots one place?
  bool tell_apart(const std::vector<Term> &slots) {
    std::vector<Term> equations = relation_;
    for (const Term &slot : slots)
      equations.push_back(term::equal(slot, term::variable(fmt::format("@{}", equations.size()))));
    if (determine(equations, {&piece_.positions, &coordinates_})) return true;
    std::vector<Term> equal = both_;
    for (const Term &slot : slots)
      equal.push_back(term::equal(slot, term::substitute(slot, other_)));
    // From the segments that hold a position to the one before: what is known to be equal helps the others.
    std::set<std::string> open(piece_.positions.begin(), piece_.positions.end());
    for (bool progress = true; progress && !open.empty();) {
      progress = false;
      for (auto position = piece_.positions.rbegin(); position != piece_.positions.rend(); ++position) {
        if (!open.count(*position) || !same(*position, equal)) continue;
        equal.push_back(term::equal(term::variable(*position), other_.at(*position)));
        open.erase(*position);
        progress = true;
      }
    }
    return open.empty() &&
           std::ranges::all_of(coordinates_, [&](const std::string &name) { return same(name, equal); });
  }

  /// Has each coordinate one position?
  bool are_unique() {
    if (determine(relation_, {&piece_.positions})) return true;
    std::vector<Term> equal = both_;
    for (const std::string &name : coordinates_)
      equal.push_back(term::equal(term::variable(name), other_.at(name)));
    return std::ranges::all_of(piece_.positions,
                               [&](const std::string &position) { return same(position, equal); });
  }

  /// 0 <= position < extent at every place?
  bool in_range(const std::string &position, const Term &extent) {
    std::vector<Term> outside = relation_;
    outside.push_back(term::negation(term::between(Term(0), term::variable(position), extent)));
    return prover().refute("slot in range", position, outside) == prove::Answer::Refuted;
  }

private:
  /// Do equations, each solved for one name, say what all of these names are? Then nobody need be asked.
  static bool determine(const std::vector<Term> &equations,
                        const std::vector<const std::vector<std::string> *> &lists) {
    std::set<std::string> open;
    for (const std::vector<std::string> *names : lists)
      open.insert(names->begin(), names->end());
    const auto is_known = [&](const std::string &name) {
      return std::ranges::any_of(equations, [&](const Term &equation) {
        const std::optional<Term> value = term::solve_for(name, equation);
        return value && std::ranges::none_of(term::variables_of(*value),
                                             [&](const std::string &other) { return open.count(other) > 0; });
      });
    };
    while (std::erase_if(open, is_known) > 0) {
    }
    return open.empty();
  }

  bool same(const std::string &name, std::vector<Term> hypotheses) {
    hypotheses.push_back(term::less(term::variable(name), other_.at(name)));
    return prover().refute("one slot, one place", name, hypotheses) == prove::Answer::Refuted;
  }

  prove::Prover &prover() {
    if (!prover_) prover_.emplace(layout_.axioms());
    return *prover_;
  }

  const Layout &layout_;
  std::optional<prove::Prover> prover_;
  const Piece &piece_;
  const std::vector<std::string> &coordinates_;
  term::Substitution other_; // names of a second place
  std::vector<Term> relation_;
  std::vector<Term> both_;
};

[[noreturn]] void fail_to_tell_apart(const Layout &layout, const text::Span &span) {
  report::fail(Kind::sparse_result, span,
               fmt::format("the structure of layout `{}` can't be shared: it isn't proved that each of its "
                           "values is that of one entry",
                           layout.name),
               "give the operand another layout, or leave the result dense");
}

class Projection {
public:
  Projection(const Layout &whole, const std::vector<SharedMode> &modes, const text::Span &span)
      : whole_(whole), piece_(whole.pieces.front()), modes_(modes), span_(span) {}

  Layout run() {
    choose_modes();
    keep_positions();
    for (const Term &part : term::conjuncts(piece_.relation))
      if (is_kept(part)) relation_.push_back(part);
    made_.pieces.push_back({kept_positions(), term::conjunction(relation_), {}, piece_.span, {}});
    choose_slots();
    add_dense_modes();
    keep_arrays();
    keep_properties();
    derive_lemmas(made_);
    return std::move(made_);
  }

private:
  std::string fresh(const std::string &wanted) {
    std::string name = wanted;
    for (int number = 2; is_taken(name, whole_) || !taken_.insert(name).second; ++number)
      name = wanted + std::to_string(number);
    return name;
  }

  void choose_modes() {
    std::string about, letters;
    for (const SharedMode &mode : modes_) {
      std::string name = mode ? whole_.coordinates[*mode] : fresh("d");
      made_.coordinates.push_back(name);
      made_.sizes.push_back(mode ? whole_.sizes[*mode] : fresh("D"));
      if (mode) kept_.push_back(name);
      letters += (letters.empty() || name.size() == 1 ? "" : "_") + name;
      about += (about.empty() ? "" : ", ") + name + (mode ? "" : " (dense)");
    }
    made_.base_name = fmt::format("{}_{}", whole_.base_name, letters);
    made_.parameters = whole_.parameters;
    made_.name = made_.base_name + whole_.name.substr(std::min(whole_.name.find('<'), whole_.name.size()));
    made_.comment = fmt::format("The structure of {} on the modes {}.", whole_.name, about);
    made_.span = whole_.span;
  }

  bool is_position(const std::string &name) const {
    return std::ranges::find(piece_.positions, name) != piece_.positions.end();
  }
  bool is_left_out(const std::string &name) const {
    return std::ranges::find(whole_.coordinates, name) != whole_.coordinates.end() &&
           std::ranges::find(kept_, name) == kept_.end();
  }
  bool without_others(const Term &part) const {
    std::set<std::string> names = term::variables_of(part);
    return std::ranges::none_of(names, [&](auto &name) { return is_left_out(name); });
  }

  /// A conjunct about what is kept alone.
  bool is_kept(const Term &part) const {
    std::set<std::string> names = term::variables_of(part);
    return without_others(part) && std::ranges::all_of(names, [&](auto &name) {
             return !is_position(name) || positions_.count(name) > 0;
           });
  }

  std::vector<std::string> kept_positions() const {
    std::vector<std::string> names;
    for (const std::string &name : piece_.positions)
      if (positions_.count(name)) names.push_back(name);
    return names;
  }

  void keep(const Term &part) {
    for (const std::string &name : term::variables_of(part))
      if (is_position(name)) positions_.insert(name);
  }

  /// Those in the equations of the kept coordinates, and those that bound them.
  void keep_positions() {
    if (kept_.size() == whole_.coordinates.size()) {
      positions_.insert(piece_.positions.begin(), piece_.positions.end());
      return;
    }
    std::vector<Term> parts = term::conjuncts(piece_.relation);
    for (const std::string &coordinate : kept_) {
      auto says = [&](const Term &part) {
        return term::equation(part) && bounds(part, coordinate) && without_others(part);
      };
      auto found = std::ranges::find_if(parts, says);
      if (found == parts.end())
        report::fail(
            Kind::sparse_result, span_,
            fmt::format("in layout `{}` nothing determines `{}` without the modes that the result lacks",
                        whole_.name, coordinate),
            "use a dense result, or one with all modes of the operand");
      keep(*found);
    }
    for (std::size_t before = 0; before != positions_.size();) {
      before = positions_.size();
      for (const std::string &position : std::set<std::string>(positions_))
        for (const Term &part : parts)
          if (bounds(part, position) && without_others(part) && !is_bounded(position, parts)) keep(part);
    }
  }

  /// From both sides, by kept positions.
  bool is_bounded(const std::string &position, const std::vector<Term> &parts) const {
    bool below = false, above = false;
    for (const Term &part : parts) {
      if (!is_kept(part) || !bounds(part, position)) continue;
      const auto *compare = part.as<term::Compare>();
      bool equation = compare->relation == term::Relation::Equal;
      std::int64_t coefficient = term::coefficient_of(compare->left, position);
      below = below || equation || coefficient > 0;
      above = above || equation || coefficient < 0;
    }
    return below && above;
  }

  /// A size or count.
  bool is_number(const std::string &name) const {
    return whole_.count(name) || std::ranges::count(whole_.sizes, name) > 0;
  }

  /// Numbers that the position may be below of: the extents of arrays that are read at it, its bounds.
  std::vector<Term> extents_of(const std::string &position) const {
    std::vector<Term> found;
    Term variable = term::variable(position);
    for (const Term &application : term::applications_of(piece_.relation)) {
      const auto *call = application.as<term::Apply>();
      const Array *array = whole_.array(call->function);
      std::int64_t shift = 0;
      for (std::size_t k = 0; array && k < call->arguments.size(); ++k)
        if (term::constant_difference(variable, call->arguments[k], shift))
          found.push_back(array->extents[k] - Term(shift));
    }
    for (const Term &part : relation_) {
      const auto *compare = part.as<term::Compare>();
      if (!compare || term::coefficient_of(compare->left, position) != -1) continue;
      Term extent = compare->left + variable + Term(1);
      std::set<std::string> names = term::variables_of(extent);
      if (term::applications_of(extent).empty() &&
          std::ranges::all_of(names, [&](auto &name) { return is_number(name); }))
        found.push_back(extent);
    }
    return found;
  }

  /// The least of them that holds everywhere.
  std::optional<Term> extent_of(const std::string &position, Slots &slots) const {
    std::optional<Term> best;
    for (const Term &extent : extents_of(position)) {
      std::int64_t more = 0;
      if (best && (!term::constant_difference(extent, *best, more) || more <= 0)) continue;
      if (slots.in_range(position, extent)) best = extent;
    }
    return best;
  }

  /// The slots of the whole where all its positions are kept; otherwise as few of the positions as will do,
  /// the inner ones rather than the outer.
  void choose_slots() {
    const Array &values = *whole_.array(piece_.value.array);
    value_ = {values.name, true, {}, values.element, values.span};
    EntryValue &value = made_.pieces.front().value;
    value.array = values.name;
    value.span = piece_.value.span;
    Slots slots(whole_, made_.pieces.front(), kept_);
    if (positions_.size() == piece_.positions.size()) {
      value.slots = piece_.value.slots;
      value_.extents = values.extents;
      if (!slots.tell_apart(value.slots)) fail_to_tell_apart(whole_, span_);
      return;
    }
    std::vector<std::string> chosen = kept_positions();
    auto slots_of = [](const std::vector<std::string> &names) {
      std::vector<Term> terms;
      for (const std::string &name : names)
        terms.push_back(term::variable(name));
      return terms;
    };
    for (const std::string &position : kept_positions()) {
      std::vector<std::string> fewer = chosen;
      fewer.erase(std::ranges::find(fewer, position));
      if (slots.tell_apart(slots_of(fewer))) chosen = fewer;
    }
    value.slots = slots_of(chosen);
    value_.extents.clear();
    for (const std::string &position : chosen)
      if (std::optional<Term> extent = extent_of(position, slots))
        value_.extents.push_back(*extent);
      else
        fail_to_number(position);
    if (!slots.tell_apart(value.slots) || lies_in_segments_of(chosen)) fail_to_tell_apart(whole_, span_);
  }

  /// Is one of the positions in a segment that another one names? Then the slots of both were a table of all
  /// segments by all entries.
  bool lies_in_segments_of(const std::vector<std::string> &chosen) const {
    for (const std::string &position : chosen)
      for (const Term &part : relation_) {
        if (!bounds(part, position) || term::equation(part)) continue;
        for (const Term &application : term::applications_of(part))
          for (const std::string &other : chosen)
            if (other != position && term::mentions(application, other)) return true;
      }
    return false;
  }

  [[noreturn]] void fail_to_number(const std::string &position) const {
    report::fail(
        Kind::sparse_result, span_,
        fmt::format("the places of layout `{}` on the modes of the result can't be numbered: nothing "
                    "known beforehand bounds `{}`",
                    whole_.name, position),
        "use a dense result, or one with all modes of the operand");
  }

  void add_dense_modes() {
    Piece &piece = made_.pieces.front();
    for (std::size_t k = 0; k < modes_.size(); ++k) {
      if (modes_[k]) continue;
      std::string position = fresh("a");
      Term coordinate = term::variable(made_.coordinates[k]), size = term::variable(made_.sizes[k]);
      piece.positions.push_back(position);
      relation_.push_back(term::equal(coordinate, term::variable(position)));
      relation_.push_back(term::between(Term(0), term::variable(position), size));
      piece.value.slots.push_back(term::variable(position));
      value_.extents.push_back(size);
    }
    piece.relation = term::conjunction(relation_);
    piece.relation = term::conjunction(term::conjuncts(piece.relation));
  }

  /// The index arrays that the relation reads, and the numbers that they and the values need.
  void keep_arrays() {
    std::set<std::string> functions = functions_of(made_.pieces.front().relation);
    std::set<std::string> numbers;
    auto need = [&](const Term &term) { numbers.merge(term::variables_of(term)); };
    need(made_.pieces.front().relation);
    for (const Term &extent : value_.extents)
      need(extent);
    auto defined = [&](const Count &count) {
      return count.definition && holds_all(functions, functions_of(*count.definition));
    };
    for (const Array &array : whole_.arrays) {
      if (array.is_value || !functions.count(array.name)) continue;
      made_.arrays.push_back(array);
      for (const Term &extent : array.extents)
        need(extent);
    }
    for (std::size_t before = 0; before != numbers.size();) {
      before = numbers.size();
      for (const Count &count : whole_.counts)
        if (numbers.count(count.name) && defined(count)) need(*count.definition);
    }
    made_.arrays.push_back(value_);
    for (const std::string &size : whole_.sizes)
      if (numbers.count(size) && std::ranges::find(made_.sizes, size) == made_.sizes.end() &&
          !made_.count(size))
        made_.counts.push_back({size, std::nullopt, whole_.span});
    for (const Count &count : whole_.counts)
      if (numbers.count(count.name))
        made_.counts.push_back({count.name, defined(count) ? count.definition : std::nullopt, count.span});
  }

  void keep_properties() {
    std::set<std::string> functions, numbers(made_.sizes.begin(), made_.sizes.end());
    for (const Array &array : made_.arrays)
      functions.insert(array.name);
    for (const Count &count : made_.counts)
      numbers.insert(count.name);
    for (const Property &property : whole_.properties) {
      Term formula = term::conjunction({property.axiom.guard, property.axiom.conclusion});
      std::set<std::string> names = term::variables_of(formula);
      for (const std::string &quantified : property.axiom.variables)
        names.erase(quantified);
      if (holds_all(functions, functions_of(formula)) && holds_all(numbers, names))
        made_.properties.push_back(property);
    }
  }

  const Layout &whole_;
  const Piece &piece_;
  const std::vector<SharedMode> &modes_;
  const text::Span &span_;
  Layout made_;
  std::set<std::string> taken_;
  std::vector<std::string> kept_; // coordinates
  std::set<std::string> positions_;
  std::vector<Term> relation_;
  Array value_;
};

} // namespace

bool has_values_of_one_element(const Layout &layout) {
  Slots slots(layout, layout.pieces.front(), layout.coordinates);
  return slots.tell_apart(layout.pieces.front().value.slots) && slots.are_unique();
}

Layout structure_of(const Layout &layout, const std::vector<SharedMode> &modes, const text::Span &span) {
  const EntryValue &value = layout.pieces.front().value;
  if (layout.pieces.size() != 1 || value.array.empty() || value.negative)
    report::fail(
        Kind::sparse_result, span,
        fmt::format("the structure of layout `{}` can't be shared: it {}", layout.name,
                    layout.pieces.size() != 1 ? "has several pieces"
                    : value.array.empty()     ? "stores no values"
                                              : "stores negated values"),
        "give the operand a layout of one piece with a value for each entry, or leave the result dense");
  bool same = modes.size() == layout.order();
  for (std::size_t k = 0; same && k < modes.size(); ++k)
    same = modes[k] == k;
  if (!same) return Projection(layout, modes, span).run();
  if (!Slots(layout, layout.pieces.front(), layout.coordinates).tell_apart(value.slots))
    fail_to_tell_apart(layout, span);
  return layout;
}

} // namespace unravel::layout
