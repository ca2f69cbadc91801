// From a layout's tree to its meaning: names, relation, arrays.
#include "layout/layout.h"
#include "layout/level_formats.h"
#include "layout/property.h"
#include "layout/resolve.h"
#include "parse/parse.h"
#include "report/diagnostic.h"
#include "term/solve.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>

namespace unravel::layout {

using parse::Expression;
using report::Kind;
using term::Term;

const Array *Layout::array(const std::string &name_of) const {
  auto found = std::ranges::find(arrays, name_of, &Array::name);
  return found == arrays.end() ? nullptr : &*found;
}

const Count *Layout::count(const std::string &name_of) const {
  auto found = std::ranges::find(counts, name_of, &Count::name);
  return found == counts.end() ? nullptr : &*found;
}

std::vector<prove::Axiom> Layout::axioms() const {
  std::vector<prove::Axiom> result;
  std::set<std::string> seen;
  auto not_negative = [&](const std::string &size) {
    if (!seen.insert(size).second) return;
    Term fact = term::at_most(Term(0), term::variable(size));
    result.push_back({term::to_text(fact), {}, term::truth(), fact});
  };
  for (const std::string &size : sizes)
    not_negative(size);
  for (const Count &count : counts) {
    not_negative(count.name);
    if (!count.definition) continue;
    Term fact = term::equal(term::variable(count.name), *count.definition);
    result.push_back(
        {fmt::format("{} = {}", count.name, term::to_text(*count.definition)), {}, term::truth(), fact});
  }
  for (const Property &property : properties)
    result.push_back(property.axiom);
  for (const Property &lemma : lemmas)
    result.push_back(lemma.axiom);
  return result;
}

namespace {

/// Builds one Layout from one tree.
class Maker {
public:
  Maker(const parse::LayoutTree &tree, const std::vector<std::int64_t> &parameters)
      : tree_(tree), parameters_(parameters) {}

  Layout make() {
    layout_.base_name = tree_.name.text;
    layout_.comment = tree_.comment;
    layout_.span = tree_.name.span;
    layout_.parameters = parameters_;
    layout_.name = layout_.base_name;
    if (!parameters_.empty()) layout_.name += fmt::format("<{}>", fmt::join(parameters_, ", "));
    read_parameters();
    read_coordinates();
    declare_functions();
    read_counts();
    read_arrays();
    for (const parse::StoredTree &stored : tree_.stored)
      layout_.pieces.push_back(read_piece(stored));
    if (layout_.pieces.empty())
      report::fail(Kind::unknown_name, tree_.name.span,
                   fmt::format("layout `{}` stores nothing", layout_.base_name),
                   "add `stored { [positions] -> [coordinates] : relation } at value;`");
    for (const parse::PropertyTree &property : tree_.properties)
      layout_.properties.push_back(make_property(property, layout_, scope_));
    define_counts();
    return std::move(layout_);
  }

private:
  void declare(const parse::Name &name) {
    auto [place, fresh] = declared_.emplace(name.text, name.span);
    if (!fresh)
      report::fail(Kind::duplicate_name, name.span,
                   fmt::format("`{}` is already declared on line {}", name.text, place->second.place().line),
                   "choose another name");
  }

  void read_parameters() {
    std::size_t own = tree_.parameters.size();
    std::vector<std::int64_t> rest = parameters_;
    if (rest.size() < own)
      report::fail(Kind::unknown_layout, tree_.name.span,
                   fmt::format("layout `{}` takes {} parameter{}, but {} given", tree_.name.text, own,
                               own == 1 ? "" : "s",
                               rest.size() == 1 ? "1 is" : fmt::format("{} are", rest.size())),
                   fmt::format("write {}<{}>", tree_.name.text, fmt::join(std::vector<int>(own, 4), ",")));
    for (std::size_t k = 0; k < own; ++k) {
      declare(tree_.parameters[k].name);
      scope_.variables[tree_.parameters[k].name.text] = Term(rest[k]);
    }
    rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(own));
    modes_.resize(tree_.coordinates.size());
    std::iota(modes_.begin(), modes_.end(), 0);
    if (rest.empty()) return;
    std::vector<std::int64_t> sorted = rest;
    std::ranges::sort(sorted);
    std::vector<std::int64_t> all(modes_.begin(), modes_.end());
    if (!tree_.permutable)
      report::fail(Kind::unknown_layout, tree_.name.span,
                   fmt::format("layout `{}` takes {} parameter{}, but {} given", tree_.name.text, own,
                               own == 1 ? "" : "s",
                               parameters_.size() == 1 ? "1 is" : fmt::format("{} are", parameters_.size())));
    if (sorted != all)
      report::fail(Kind::unknown_layout, tree_.name.span,
                   fmt::format("`{}` is not an order of the modes 0 to {}", layout_.name,
                               static_cast<std::int64_t>(all.size()) - 1),
                   "name every mode once, the outermost first");
    modes_.assign(rest.begin(), rest.end());
  }

  /// The l-th coordinate of the head is mode modes_[l] of the tensor.
  void read_coordinates() {
    layout_.coordinates.resize(tree_.coordinates.size());
    layout_.sizes.resize(tree_.coordinates.size());
    for (std::size_t l = 0; l < tree_.coordinates.size(); ++l) {
      const parse::CoordinateTree &coordinate = tree_.coordinates[l];
      declare(coordinate.name);
      if (!scope_.variables.count(coordinate.size.text)) declare(coordinate.size);
      scope_.variables[coordinate.size.text] = term::variable(coordinate.size.text);
      scope_.elsewhere[coordinate.name.text] = "it is a coordinate, known only inside `stored`";
      layout_.coordinates[static_cast<std::size_t>(modes_[l])] = coordinate.name.text;
      layout_.sizes[static_cast<std::size_t>(modes_[l])] = coordinate.size.text;
    }
  }

  void declare_functions() {
    for (const parse::ArrayTree &array : tree_.arrays) {
      declare(array.name);
      if (array.is_value)
        scope_.elsewhere[array.name.text] = "it is a value array, used only after `at`";
      else
        scope_.functions[array.name.text] = array.extents.size();
    }
    for (const parse::CountTree &count : tree_.counts) {
      declare(count.name);
      scope_.variables[count.name.text] = term::variable(count.name.text);
    }
  }

  void read_counts() {
    for (const parse::CountTree &count : tree_.counts) {
      Count made{count.name.text, std::nullopt, count.name.span};
      if (count.definition) made.definition = resolve_term(*count.definition, scope_);
      layout_.counts.push_back(std::move(made));
    }
  }

  /// What an equation between sizes leaves a count, which the property says is whole: `property N = 3*B`.
  void define_counts() {
    for (Count &count : layout_.counts)
      for (const Property &property : layout_.properties)
        if (!count.definition && property.axiom.variables.empty() && term::is_true(property.axiom.guard))
          count.definition = value_in(property.axiom.conclusion, count.name);
  }

  std::optional<Term> value_in(const Term &equation, const std::string &count) const {
    const Term *left = term::equation(equation);
    const std::int64_t factor = left ? term::coefficient_of(*left, count) : 0;
    if (factor == 0) return std::nullopt;
    const Term rest = *left - term::scale(factor, term::variable(count));
    if (!term::applications_of(rest).empty()) return std::nullopt;
    for (const std::string &variable : term::variables_of(rest))
      if (std::ranges::count(layout_.sizes, variable) == 0) return std::nullopt;
    return term::floor_divide(term::scale(factor > 0 ? -1 : 1, rest), std::abs(factor));
  }

  void read_arrays() {
    // A count may only be defined from arrays whose extents need no count: it is computed first.
    for (const parse::ArrayTree &array : tree_.arrays) {
      Array made{array.name.text, array.is_value, {}, array.element ? array.element->text : "",
                 array.name.span, array.is_hashed};
      for (const Expression &extent : array.extents)
        made.extents.push_back(resolve_term(extent, scope_));
      layout_.arrays.push_back(std::move(made));
    }
  }

  Piece read_piece(const parse::StoredTree &stored) {
    Piece piece;
    piece.span = stored.span;
    Scope scope = scope_;
    scope.elsewhere.clear();
    scope.places = &piece.places;
    for (const Array &array : layout_.arrays)
      if (array.is_value) scope.elsewhere[array.name] = "it is a value array, used only after `at`";
    for (const parse::CoordinateTree &coordinate : tree_.coordinates)
      scope.variables[coordinate.name.text] = term::variable(coordinate.name.text);
    for (const parse::Name &position : stored.positions) {
      if (declared_.count(position.text) || std::ranges::count(piece.positions, position.text))
        report::fail(Kind::duplicate_name, position.span,
                     fmt::format("`{}` is already declared", position.text),
                     "a position needs a name of its own: write [r] -> [i] with i = r");
      piece.positions.push_back(position.text);
      scope.variables[position.text] = term::variable(position.text);
    }
    if (stored.coordinates.size() != tree_.coordinates.size())
      report::fail(Kind::wrong_arity, stored.span,
                   fmt::format("{} coordinate{} after `->`, but layout `{}` has {}",
                               stored.coordinates.size(), stored.coordinates.size() == 1 ? "" : "s",
                               layout_.base_name, tree_.coordinates.size()));
    std::vector<Term> parts;
    for (std::size_t l = 0; l < stored.coordinates.size(); ++l) {
      const Expression &written = stored.coordinates[l];
      Term coordinate = term::variable(tree_.coordinates[l].name.text);
      if (written.kind == Expression::Kind::Name && !scope.variables.count(written.name.text))
        scope.variables[written.name.text] = coordinate; // a local name for the coordinate
      else
        parts.push_back(term::equal(coordinate, resolve_term(written, scope)));
    }
    parts.push_back(resolve_formula(stored.relation, scope));
    piece.relation = term::conjunction(parts);
    scope.places = nullptr;
    piece.value = read_value(stored.value, scope);
    piece.value.span = stored.value.span;
    return piece;
  }

  EntryValue read_value(const Expression &written, const Scope &scope) {
    EntryValue value;
    switch (written.kind) {
    case Expression::Kind::Negate: {
      value = read_value(written.children.at(0), scope);
      value.negative = !value.negative;
      return value;
    }
    case Expression::Kind::Integer: value.literal = static_cast<double>(written.integer); return value;
    case Expression::Kind::Decimal: value.literal = written.decimal; return value;
    default: break;
    }
    if (written.kind != Expression::Kind::Call && written.kind != Expression::Kind::Name)
      report::fail(Kind::wrong_sort, written.span, fmt::format("`{}` is not a value", written.span.text()),
                   "an entry's value is [-] array(positions...) or a literal");
    const Array *array = layout_.array(written.name.text);
    if (!array || !array->is_value) {
      std::vector<std::string> values;
      for (const Array &candidate : layout_.arrays)
        if (candidate.is_value) values.push_back(candidate.name);
      report::fail(
          Kind::unknown_name, written.name.span, fmt::format("`{}` is not a value array", written.name.text),
          values.empty() ? "declare it: value val[NNZ];" : fmt::format("did you mean `{}`?", values[0]));
    }
    if (array->extents.size() != written.children.size())
      report::fail(Kind::wrong_arity, written.span,
                   fmt::format("`{}` is declared with {} extent{}, but has {} argument{} here", array->name,
                               array->extents.size(), array->extents.size() == 1 ? "" : "s",
                               written.children.size(), written.children.size() == 1 ? "" : "s"));
    value.array = array->name;
    for (const Expression &slot : written.children)
      value.slots.push_back(resolve_term(slot, scope));
    return value;
  }

  const parse::LayoutTree &tree_;
  std::vector<std::int64_t> parameters_;
  std::vector<std::int64_t> modes_;
  Scope scope_;
  std::map<std::string, text::Span> declared_;
  Layout layout_;
};

} // namespace

Layout make_layout(const parse::LayoutTree &tree, const std::vector<std::int64_t> &parameters) {
  if (tree.levels.empty()) return Maker(tree, parameters).make();
  std::string expanded = layout_text(composition_of(tree), tree.levels.front().coordinate.span);
  auto source = std::make_shared<const text::Source>("the levels of " + tree.name.text, expanded);
  return Maker(parse::parse_layout_file(source).layouts.front(), parameters).make();
}

} // namespace unravel::layout
