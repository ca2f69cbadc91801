#include "lower/deal.h"

#include "loop/walk.h"

namespace unravel::lower {

using layout::IndexElement;
using loop::Block;
using term::Term;

namespace {

/// Assembled results whose entries are dealt by the first position, which is computed of their coordinates:
/// the statement is visited twice. First its entries are counted by that position, and sums of the counts
/// tell where its segments begin; then each entry goes to the next place of its segment, without a list of
/// them (Gustavson, TOMS 1978, "permuted transposition").
class Dealing : public EntryCode {
public:
  /// `is_distinct`: no two entries are of one coordinate. Otherwise those of one coordinate come one after
  /// the other within their segment, and are added up. Entries that are dropped are counted, and taken out
  /// at the end: what is computed twice may differ in its last bits.
  Dealing(const combine::Operand &target, bool is_distinct, double initial, Workspace &workspace)
      : result_(*workspace.combination().assembly(target.tensor)), extents_(workspace.combination().arrays),
        is_distinct_(is_distinct), initial_(initial), dropped_(workspace.dropped_of(target.tensor)),
        entry_(result_.entry_of(target)), segment_(term::substitute(segments().value, entry_)),
        next_(workspace.add_next_of_segments(result_.tensor, entries().position, segments().extent)),
        counted_(entries().position + ".counted"), made_(entries().position + ".made") {
    entry_.emplace(segments().position, segment_);
  }

  /// Before the first visit, at each of its points, and between the two.
  Block begin() const {
    return {for_each([&](const Term &segment) { return Block{set_next(segment, Term(0))}; }),
            {loop::Declare{counted_, Term(0)}}};
  }

  Block count() const {
    return {set_next(segment_, next(segment_) + Term(1)),
            {loop::Assign{counted_, term::variable(counted_) + Term(1)}}};
  }

  Block between() const {
    const std::string end = end_of(entries().position), many = segments().position + ".count";
    // before a count that was too large for its element is used
    Block block{{loop::Reserve{entries().count, term::variable(counted_), entries().arrays}}};
    block.push_back(for_each([&](const Term &segment) {
      Block each{{loop::Let{many, next(segment)}}, set_next(segment, term::variable(end))};
      loop::append(each, begun_at(entries(), segment));
      each.push_back({loop::Assign{end, term::variable(end) + term::variable(many)}});
      return each;
    }));
    block.push_back({loop::Assign{end_of(entries().pointer), segments().extent}});
    if (!is_new()) block.push_back({loop::Declare{made_, Term(0)}});
    return block;
  }

  /// At each point of the second visit, and behind it.
  Block entry() const override {
    Block made{set_next(segment_, slot() + Term(1))};
    for (const IndexElement &element : entries().keys)
      made.push_back({set(element, extents_, at(slot()))});
    const std::string variable = slot().as<term::Variable>()->name;
    Block block;
    if (is_new()) {
      block.push_back({loop::Let{variable, next(segment_)}});
      loop::append(block, std::move(made));
      return block;
    }
    block.push_back({loop::Declare{variable, next(segment_) - Term(1)}});
    std::vector<Term> cases{term::less(slot(), pointer_at(entries(), segment_))};
    for (const IndexElement &element : entries().keys)
      cases.push_back(
          term::negation(term::equal(term::apply(element.array, term::substitute(element.slots, at(slot()))),
                                     term::substitute(element.value, entry_))));
    made.insert(made.begin(), {loop::Assign{variable, slot() + Term(1)}});
    made.push_back({loop::Store{element(), {loop::Number{initial_}}}});
    made.push_back({loop::Assign{made_, term::variable(made_) + Term(1)}});
    block.push_back({loop::If{term::disjunction(std::move(cases)), std::move(made), ""}});
    return block;
  }

  loop::Element element() const override { return value_at(slot()); }
  bool is_new() const override { return !result_.append.merges || is_distinct_; }
  loop::Block with_node(std::size_t, loop::Block inside) const override { return inside; }

  Block end() const {
    if (dropped_) return closed_up();
    if (is_new()) return {};
    return {{loop::If{term::less(term::variable(made_), term::variable(counted_)), closed_up(),
                      "entries of one coordinate were merged"}}};
  }

private:
  const packing::AppendLevel &segments() const { return result_.append.levels[0]; }
  const packing::AppendLevel &entries() const { return result_.append.levels[1]; }

  Term slot() const { return term::variable(entries().position + ".slot"); }

  Term next(const Term &segment) const { return term::apply(next_, {segment}); }

  loop::Statement set_next(const Term &segment, const Term &value) const {
    return {loop::SetElement{next_, segment, value}};
  }

  /// What is done for each segment, by its variable.
  loop::Statement for_each(const std::function<Block(const Term &)> &body) const {
    loop::For loop{segments().position, Term(0), segments().extent};
    loop.body = body(term::variable(loop.variable));
    return {std::move(loop)};
  }

  term::Substitution at(const Term &slot) const {
    term::Substitution by = entry_;
    by.emplace(entries().position, slot);
    return by;
  }

  loop::Element value_at(const Term &slot) const {
    return {result_.append.value, slot_of(result_.append.value, result_.append.slots, extents_, at(slot))};
  }

  /// The segments one right behind the other, without what is dropped.
  Block closed_up() const {
    const std::string end = end_of(entries().position), from = entries().position + ".from";
    const Term to = term::variable(end);
    loop::For moved{entries().position, term::variable(from), Term(0)};
    const Term old = term::variable(moved.variable);
    for (const IndexElement &element : entries().keys)
      moved.body.push_back({loop::SetElement{
          element.array, slot_of(element.array, element.slots, extents_, at(to)),
          term::apply(element.array, {slot_of(element.array, element.slots, extents_, at(old))})}});
    moved.body.push_back({loop::Store{value_at(to), {value_at(old)}}});
    moved.body.push_back({loop::Assign{end, to + Term(1)}});
    moved.body = unless_dropped(dropped_, result_.tensor, {value_at(old)},
                                [&](auto) { return std::move(moved.body); });
    return {{loop::Assign{end, Term(0)}}, for_each([&](const Term &segment) {
              Block each{{loop::Let{from, pointer_at(entries(), segment)}}};
              loop::append(each, begun_at(entries(), segment));
              loop::For entries_of = moved;
              entries_of.upper = next(segment);
              each.push_back({std::move(entries_of)});
              return each;
            })};
  }

  const combine::AssembledResult &result_;
  const std::map<std::string, std::vector<term::Term>> &extents_; // of arrays
  const bool is_distinct_;
  const double initial_; // the value of an entry that is made
  const std::optional<double> dropped_;
  term::Substitution entry_; // its coordinates, and the position of its segment
  term::Term segment_;
  std::string next_;           // the array: where the next entry of each segment goes
  std::string counted_, made_; // variables: how many entries there are, and of different coordinates
};

} // namespace

std::shared_ptr<const EntryCode> code_of_entries(const combine::IterationSpace &space, const LeafPlan &plan,
                                                 Workspace &workspace) {
  if (!space.target.appends) return nullptr;
  const double initial = value::identity_of(space.by);
  if (plan.is_dealt) return std::make_shared<Dealing>(space.target, plan.is_distinct, initial, workspace);
  const combine::Combination &all = workspace.combination();
  const bool is_whole = has_whole_values(*all.assembly(space.target.tensor), plan);
  return std::make_shared<Appending>(space.target, plan.is_distinct, initial, plan.nest, all,
                                     is_whole ? workspace.dropped_of(space.target.tensor) : std::nullopt);
}

LoweredLeaf lower_dealt(const combine::IterationSpace &space, const LeafPlan &plan, std::size_t number,
                        const SharedLoops &shared, Workspace &workspace) {
  const Dealing dealing(space.target, plan.is_distinct, value::identity_of(space.by), workspace);
  LeafPlan in_any_order = plan;
  in_any_order.sorted.reset();
  LoweredLeaf leaf = visit_leaf(space, std::move(in_any_order), number, shared, dealing.count(), workspace);
  Block placing = lower_leaf(space, plan, number, shared, nullptr, workspace).inside;
  Block block = dealing.begin();
  for (Block part : {std::move(leaf.inside), dealing.between(), std::move(placing), dealing.end()})
    loop::append(block, std::move(part));
  leaf.inside = std::move(block);
  return leaf;
}

} // namespace unravel::lower
