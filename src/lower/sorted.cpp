#include "lower/sorted.h"

#include "loop/walk.h"
#include "lower/origins.h"

#include <fmt/format.h>

namespace unravel::lower {

using loop::Block;
using term::Term;

namespace {

/// With so many values of a key for each position, counting them takes longer than sorting by digits.
constexpr std::int64_t most_values_per_position = 4;

class SortCode {
public:
  SortCode(const scan::Level &here, const plan::SortedLoop &plan, const SortArrays &arrays)
      : here_(here), plan_(plan), arrays_(arrays), slot_(term::variable(here.variable + ".slot")),
        count_(term::variable(here.variable + ".count")) {}

  const Term &count() const { return count_; }
  Term position() const { return term::apply(arrays_.order, {slot_}); }

  loop::For over_all(Block body) const {
    loop::For loop{slot_.as<term::Variable>()->name, Term(0), count_};
    loop.body = std::move(body);
    return loop;
  }

  /// Brings the positions into the order of the key; those of the same key stay as they are.
  Block by_key(std::size_t k) const {
    if (plan_.extents.empty()) return sorted(k);
    loop::If choice{is_dealt(plan_.extents[k], count_), dealt(k), "few values, many positions: counting sort",
                    sorted(k)};
    return {{std::move(choice)}};
  }

private:
  /// The last key comes first: sorting by an earlier one keeps what is there in order.
  bool is_first(std::size_t k) const { return k + 1 == plan_.keys.size(); }
  Term value(std::size_t k) const { return is_first(k) ? here_.lower + slot_ : position(); }
  Term key(std::size_t k) const { return term::substitute(plan_.keys[k], {{here_.variable, value(k)}}); }

  Block sorted(std::size_t k) const {
    Block fill;
    if (is_first(k)) fill.push_back({loop::SetElement{arrays_.order, slot_, value(k)}});
    fill.push_back({loop::SetElement{arrays_.keys, slot_, key(k)}});
    Block block;
    if (arrays_.grow)
      block.push_back({loop::Reserve{"", term::scale(arrays_.room_of_each, count_), {arrays_.room}}});
    block.push_back({over_all(std::move(fill))});
    block.push_back({loop::Sort{arrays_.order, arrays_.keys, arrays_.room, count_}});
    return block;
  }

  /// A stable distribution: the key itself is the digit (Knuth, volume 3, 5.2 D).
  Block dealt(std::size_t k) const {
    const std::string name = here_.variable + ".key", many = name + ".count", sum = name + ".sum",
                      to = here_.variable + ".to";
    const Term each = term::variable(name), begin = term::apply(arrays_.begins, {each});
    const auto set_begin = [&](Term value) {
      return loop::SetElement{arrays_.begins, each, std::move(value)};
    };
    const auto over_keys = [&](Block body) {
      return loop::For{name, Term(0), plan_.extents[k], 1, std::nullopt, std::move(body), ""};
    };
    const std::string &order = is_first(k) ? arrays_.order : arrays_.keys; // the new one
    Block block{{loop::Reserve{"", plan_.extents[k], {arrays_.begins}}},
                {over_keys({{set_begin(Term(0))}})},
                {over_all({{loop::Let{name, key(k)}}, {set_begin(begin + Term(1))}})},
                {loop::Declare{sum, Term(0)}},
                {over_keys({{loop::Let{many, begin}},
                            {set_begin(term::variable(sum))},
                            {loop::Assign{sum, term::variable(sum) + term::variable(many)}}})},
                {over_all({{loop::Let{name, key(k)}},
                           {loop::Let{to, begin}},
                           {set_begin(term::variable(to) + Term(1))},
                           {loop::SetElement{order, term::variable(to), value(k)}}})}};
    if (!is_first(k))
      block.push_back({over_all({{loop::SetElement{arrays_.order, slot_, term::apply(order, {slot_})}}})});
    return block;
  }

  const scan::Level &here_;
  const plan::SortedLoop &plan_;
  const SortArrays &arrays_;
  const Term slot_, count_;
};

} // namespace

Term is_dealt(const Term &extent, const Term &count) {
  return term::at_most(extent, term::scale(most_values_per_position, count));
}

Block sorted_loop(const scan::Level &here, const plan::SortedLoop &plan, Workspace &workspace,
                  bool per_thread, Block inside) {
  const SortArrays arrays = workspace.add_sorted(here, plan, per_thread);
  const SortCode code(here, plan, arrays);
  const Term &all = code.count();
  Block block{{loop::Let{all.as<term::Variable>()->name, here.upper - here.lower}}};
  if (arrays.grow) {
    block.push_back({loop::Reserve{"", all, {arrays.order, arrays.keys}}});
  }
  for (std::size_t k = plan.keys.size(); k-- > 0;)
    loop::append(block, code.by_key(k));
  Block visit{{loop::Let{here.variable, code.position()}}};
  loop::append(visit, std::move(inside));
  loop::For visits = code.over_all(std::move(visit));
  visits.comment = fmt::format("{}, sorted", comment(here));
  block.push_back({std::move(visits)});
  return block;
}

} // namespace unravel::lower
