#include "layout/insertion.h"

#include "prove/example.h"
#include "report/diagnostic.h"
#include "term/nesting.h"
#include "term/solve.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace unravel::layout {

using report::Kind;
using term::Term;

namespace {

/// What holds of arrays in which some elements were set, in terms of what they held before.
class Update {
public:
  /// `elements`: those set; `grown`: the count that has grown by one, or empty.
  Update(const std::vector<IndexElement> &elements, const std::string &grown) : elements_(elements) {
    if (!grown.empty()) grown_.emplace(grown, term::variable(grown) + Term(1));
  }

  /// The formula of the arrays as they are then. Reads of arrays that were set become variables;
  /// `conditions()` says what these are.
  Term after(const Term &formula) {
    Term result = term::substitute(formula, grown_);
    while (true) {
      const std::vector<Term> reads = term::applications_of(result); // inner ones first
      const auto read =
          std::ranges::find_if(reads, [&](const Term &each) { return set_by(each) != nullptr; });
      if (read == reads.end()) return result;
      result = term::replace(result, {{*read, value_of(*read)}});
    }
  }

  const std::vector<Term> &conditions() const { return conditions_; }

private:
  const IndexElement *set_by(const Term &read) const {
    const auto *call = read.as<term::Apply>();
    const auto found =
        std::ranges::find_if(elements_, [&](const auto &each) { return each.array == call->function; });
    return found == elements_.end() ? nullptr : &*found;
  }

  Term value_of(const Term &read) {
    auto [known, fresh] = values_.emplace(read, term::variable(term::to_text(read) + "'"));
    if (!fresh) return known->second;
    const IndexElement &element = *set_by(read);
    const auto *call = read.as<term::Apply>();
    std::vector<Term> same;
    for (std::size_t k = 0; k < call->arguments.size(); ++k)
      same.push_back(term::equal(call->arguments[k], element.slots[k]));
    const Term here = term::conjunction(std::move(same));
    conditions_.push_back(
        term::disjunction({term::conjunction({here, term::equal(known->second, element.value)}),
                           term::conjunction({term::negation(here), term::equal(known->second, read)})}));
    return known->second;
  }

  const std::vector<IndexElement> &elements_;
  term::Substitution grown_;
  std::map<Term, Term> values_;
  std::vector<Term> conditions_;
};

class Deriver {
public:
  explicit Deriver(const Layout &layout)
      : layout_(layout), piece_(layout.pieces.front()), prover_(layout.axioms()) {}

  Insertion derive() {
    if (layout_.pieces.size() != 1 || piece_.value.array.empty() || piece_.value.negative)
      fail("its entries aren't in one piece with an array of values");
    for (std::size_t k = 0; k < layout_.order(); ++k)
      inside_.push_back(
          term::between(Term(0), term::variable(layout_.coordinates[k]), term::variable(layout_.sizes[k])));
    find_positions();
    make_elements();
    check_reads();
    if (repeats())
      made_.stored = term::falsity();
    else
      simplify_stored();
    if (made_.sets.empty()) {
      if (!term::is_true(made_.stored))
        fail(fmt::format("it has a place only where `{}`", term::to_text(made_.stored)));
      if (std::vector<Term> shared = sharing_its_value(); !refuted(shared))
        fail("an entry isn't proved to have a value of its own", example(std::move(shared)));
      return std::move(made_);
    }
    begin_with_nothing();
    prove_entries();
    prove_properties();
    return std::move(made_);
  }

private:
  [[noreturn]] void fail(const std::string &why, const std::string &example = "") const {
    report::fail(Kind::cannot_insert, layout_.span,
                 fmt::format("entries can't be inserted into a `{}` in any order: {}{}", layout_.name, why,
                             example.empty() ? "" : "; a case: " + example),
                 "choose `dense`, `bitmap`, `listed`, `hashed`, outside of loops `coo_dup`, or a layout of "
                 "your own with an "
                 "array that has the positions by coordinates");
  }

  bool is_over_coordinates(const Term &term) const {
    const std::set<std::string> names = term::variables_of(term);
    return std::ranges::none_of(piece_.positions,
                                [&](const auto &position) { return names.contains(position); });
  }

  /// Where the entry is by its coordinates.
  void find_positions() {
    for (const std::string &position : piece_.positions) {
      std::optional<Term> found;
      bool is_read = false;
      for (const Term &part : term::conjuncts(piece_.relation)) {
        std::optional<Term> value = term::solve_for(position, part);
        if (!value || !is_over_coordinates(*value)) continue;
        const bool reads = !term::applications_of(*value).empty();
        if (found && (reads || !is_read)) continue;
        found = std::move(value), is_read = reads;
      }
      if (!found) {
        if (piece_.positions.size() > 1)
          fail(fmt::format("nothing determines the position `{}` of coordinates ({})", position,
                           fmt::join(layout_.coordinates, ", ")));
        made_.position = position;
        return;
      }
      made_.found.emplace(position, *found);
      if (!is_read) continue;
      if (!made_.position.empty()) fail("two of its positions would be new");
      made_.position = position;
    }
  }

  /// No coordinates tell the position: an entry is appended, whether there is one already or not.
  bool repeats() const { return made_.found.empty(); }

  /// `position < COUNT`
  std::string count_of(const std::string &position) const {
    for (const Count &count : layout_.counts) {
      if (count.definition) continue;
      const Term bound = term::less(term::variable(position), term::variable(count.name));
      const std::vector<Term> parts = term::conjuncts(piece_.relation);
      if (std::ranges::find(parts, bound) != parts.end()) return count.name;
    }
    fail(fmt::format("no count bounds `{}`", position));
  }

  /// Each equation of an index array says what to set.
  void make_elements() {
    term::Substitution places = made_.found;
    if (!made_.position.empty()) {
      made_.count = count_of(made_.position);
      places.insert_or_assign(made_.position, term::variable(made_.count));
    }
    for (const Term &part : term::conjuncts(piece_.relation)) {
      const Term *sides = term::equation(part);
      const std::vector<Term> reads = term::applications_of(part);
      if (reads.empty()) continue;
      const term::Linear form = sides ? term::linear_form(*sides) : term::Linear{};
      const Term &read = reads.back();
      std::int64_t factor = 0;
      for (const auto &[atom, coefficient] : form.parts)
        if (atom == read) factor = coefficient;
      if (reads.size() != 1 || (factor != 1 && factor != -1))
        fail(fmt::format("`{}` isn't an equation for one element", term::to_text(part)));
      const auto *call = read.as<term::Apply>();
      IndexElement element{call->function, {}, factor == 1 ? read - *sides : read + *sides};
      if (std::ranges::any_of(made_.sets, [&](const auto &each) { return each.array == element.array; }))
        fail(fmt::format("two elements of `{}` belong to one entry", element.array));
      element.value = term::substitute(element.value, places);
      for (const Term &argument : call->arguments)
        element.slots.push_back(term::substitute(argument, places));
      made_.sets.push_back(std::move(element));
    }
  }

  /// Where an entry and its value are must follow from what is set, not from an array that nothing fills.
  void check_reads() const {
    std::vector<Term> places = piece_.value.slots;
    for (const auto &[position, place] : made_.found)
      places.push_back(place);
    for (const Term &place : places)
      for (const Term &read : term::applications_of(place)) {
        const std::string &array = read.as<term::Apply>()->function;
        if (!contains(made_.sets, array, &IndexElement::array))
          fail(fmt::format("`{}` says where they are, and no entry sets it", array));
      }
  }

  bool refuted(std::vector<Term> hypotheses) {
    hypotheses.insert(hypotheses.end(), inside_.begin(), inside_.end());
    return prover_.refute("insertion", layout_.name, hypotheses) == prove::Answer::Refuted;
  }

  std::string example(std::vector<Term> hypotheses) {
    hypotheses.insert(hypotheses.end(), inside_.begin(), inside_.end());
    if (prover_.refute("insertion", layout_.name, hypotheses) != prove::Answer::Possible) return "";
    return prove::small_example(prover_, hypotheses); // primed: what an element holds then
  }

  /// The relation at the positions that were found, without what the rest implies. What reads at a place that
  /// another array tells stands behind what bounds that place.
  void simplify_stored() {
    std::vector<Term> parts;
    for (const Term &part : term::conjuncts(term::substitute(piece_.relation, made_.found)))
      if (!term::is_true(part)) parts.push_back(part);
    std::ranges::stable_sort(parts, {}, term::nesting_of);
    for (std::size_t k = parts.size(); k-- > 0;) {
      std::vector<Term> others = parts;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
      std::vector<Term> hypotheses = others;
      hypotheses.push_back(term::negation(parts[k]));
      if (refuted(std::move(hypotheses))) parts = std::move(others);
    }
    made_.stored = term::conjunction(std::move(parts));
  }

  /// With a count of zero, and these in the arrays by coordinates.
  Term without_entries(const Term &formula) const {
    Term result = formula;
    while (true) {
      const std::vector<Term> reads = term::applications_of(result);
      const auto read = std::ranges::find_if(
          reads, [&](const Term &each) { return made_.nothing.contains(each.as<term::Apply>()->function); });
      if (read == reads.end()) break;
      result = term::replace(result, {{*read, Term(made_.nothing.at(read->as<term::Apply>()->function))}});
    }
    if (made_.count.empty()) return result;
    return term::substitute(result, {{made_.count, Term(0)}});
  }

  bool holds_without_entries() {
    Layout bare = layout_;
    bare.properties.clear();
    bare.lemmas.clear();
    prove::Prover prover(bare.axioms());
    auto is_refuted = [&](std::vector<Term> hypotheses) {
      return prover.refute("nothing is stored", layout_.name, hypotheses) == prove::Answer::Refuted;
    };
    std::vector<Term> stored = term::conjuncts(without_entries(made_.stored));
    stored.insert(stored.end(), inside_.begin(), inside_.end());
    return is_refuted(stored) && std::ranges::all_of(layout_.properties, [&](const Property &property) {
             std::vector<Term> wrong = term::conjuncts(without_entries(property.axiom.guard));
             wrong.push_back(term::negation(without_entries(property.axiom.conclusion)));
             return is_refuted(wrong);
           });
  }

  /// What arrays by coordinates hold, and how they get there again.
  void begin_with_nothing() {
    std::vector<const IndexElement *> by_coordinates;
    for (const IndexElement &element : made_.sets)
      if (std::ranges::any_of(element.slots, [&](const Term &slot) {
            return made_.count.empty() || slot != term::variable(made_.count);
          }))
        by_coordinates.push_back(&element);
    auto hold = [&](std::int64_t value) {
      for (const IndexElement *element : by_coordinates)
        made_.nothing.insert_or_assign(element->array, value);
      return holds_without_entries();
    };
    if (!hold(-1) && !hold(0))
      fail("neither zeros nor -1 in its index arrays make an empty tensor that keeps its properties");
    if (made_.count.empty()) return;
    const Term position = term::variable(made_.position);
    term::Substitution coordinates; // as the entry at the position has them
    for (const Term &part : term::conjuncts(piece_.relation))
      for (const std::string &coordinate : layout_.coordinates)
        if (std::optional<Term> value = term::solve_for(coordinate, part);
            value && term::variables_of(*value) == std::set<std::string>{made_.position})
          coordinates.emplace(coordinate, *value);
    for (const IndexElement *element : by_coordinates) {
      IndexElement reset{element->array, {}, Term(made_.nothing.at(element->array))};
      for (const Term &slot : element->slots) {
        reset.slots.push_back(
            term::substitute(term::substitute(slot, coordinates), {{made_.count, position}}));
        for (const std::string &coordinate : layout_.coordinates)
          if (term::mentions(reset.slots.back(), coordinate))
            fail(fmt::format("nothing determines `{}` of position `{}`", coordinate, made_.position));
      }
      made_.resets.push_back(std::move(reset));
    }
  }

  /// Where the entry isn't stored, and of arrays as they are then.
  std::vector<Term> with_update(std::vector<Term> hypotheses, const Update &update) const {
    hypotheses.push_back(term::negation(made_.stored));
    hypotheses.insert(hypotheses.end(), update.conditions().begin(), update.conditions().end());
    return hypotheses;
  }

  void require(std::vector<Term> hypotheses, const Update &update, const std::string &why) {
    hypotheses = with_update(std::move(hypotheses), update);
    if (!refuted(hypotheses)) fail(why, example(hypotheses));
  }

  /// The positions of an entry that is inserted.
  term::Substitution places() const {
    term::Substitution places = made_.found;
    if (!made_.position.empty()) places.insert_or_assign(made_.position, term::variable(made_.count));
    return places;
  }

  Term relation_of_other() const {
    std::map<std::string, std::string> others;
    for (const std::string &name : layout_.coordinates)
      others[name] = "@" + name;
    return term::rename(piece_.relation, others, {});
  }

  /// Another entry: its coordinates differ in some mode, or else its position.
  std::vector<Term> is_other() const {
    std::vector<Term> same, conditions;
    for (std::size_t k = 0; k < layout_.order(); ++k) {
      const Term own = term::variable(layout_.coordinates[k]),
                 other = term::variable("@" + layout_.coordinates[k]);
      same.push_back(term::equal(own, other));
      conditions.push_back(term::between(Term(0), other, term::variable(layout_.sizes[k])));
    }
    conditions.push_back(
        term::negation(repeats() ? term::equal(term::variable(made_.position), term::variable(made_.count))
                                 : term::conjunction(same)));
    return conditions;
  }

  /// Another entry with the value of the one that is inserted.
  std::vector<Term> sharing_its_value() const {
    std::vector<Term> shared = is_other();
    shared.push_back(relation_of_other());
    for (const Term &slot : piece_.value.slots)
      shared.push_back(term::equal(slot, term::substitute(slot, places())));
    return shared;
  }

  /// The new entry is there, and no other one comes, goes, or shares its value.
  void prove_entries() {
    for (const Term &part : term::conjuncts(piece_.relation)) {
      Update update(made_.sets, made_.count);
      // The new position is the count that was, not the one that it becomes.
      Term then = update.after(term::substitute(part, made_.found));
      std::vector<Term> hypotheses{term::negation(then)};
      if (!made_.position.empty())
        hypotheses.push_back(term::equal(term::variable(made_.position), term::variable(made_.count)));
      require(std::move(hypotheses), update,
              fmt::format("the new entry isn't proved to satisfy `{}`", term::to_text(part)));
    }
    const Term relation = relation_of_other();
    for (const Term &part : term::conjuncts(relation)) {
      Update update(made_.sets, made_.count);
      std::vector<Term> stays = is_other();
      stays.push_back(relation);
      stays.push_back(term::negation(update.after(part)));
      require(std::move(stays), update, "the other entries aren't proved to stay");
    }
    for (const Term &part : term::conjuncts(relation)) {
      Update update(made_.sets, made_.count);
      std::vector<Term> comes = is_other();
      comes.push_back(update.after(relation));
      comes.push_back(term::negation(part));
      require(std::move(comes), update, "it isn't proved that no other entry appears");
    }
    Update update(made_.sets, made_.count);
    require(sharing_its_value(), update, "the new entry isn't proved to have a value of its own");
  }

  void prove_properties() {
    for (const Property &property : layout_.properties) {
      Update update(made_.sets, made_.count);
      std::map<std::string, std::string> apart; // from coordinates
      for (const std::string &variable : property.axiom.variables)
        apart[variable] = std::ranges::find(layout_.coordinates, variable) == layout_.coordinates.end()
                              ? variable
                              : variable + "_";
      std::vector<Term> hypotheses{
          update.after(term::rename(property.axiom.guard, apart, {})),
          term::negation(update.after(term::rename(property.axiom.conclusion, apart, {})))};
      const std::string broken = fmt::format("`{}` isn't proved to hold then", property.axiom.text);
      if (!repeats())
        require(std::move(hypotheses), update, broken);
      else if (!refuted(with_update(std::move(hypotheses), update)))
        fail(
            fmt::format("nothing determines the position `{}` of coordinates ({}), and with another entry {}",
                        made_.position, fmt::join(layout_.coordinates, ", "), broken));
    }
  }

  const Layout &layout_;
  const Piece &piece_;
  prove::Prover prover_;
  std::vector<Term> inside_; // the coordinates are in the tensor
  Insertion made_;
};

} // namespace

Insertion insertion_of(const Layout &layout) {
  return Deriver(layout).derive();
}

} // namespace unravel::layout
