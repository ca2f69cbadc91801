#include "lower/deal.h"

#include "loop/walk.h"
#include "lower/pieces.h"
#include "report/diagnostic.h"

#include <utility>

namespace unravel::lower {

using layout::IndexElement;
using loop::Block;
using term::Term;

namespace {

/// The statement is visited twice. First its entries are counted by their first position, and sums of the
/// counts tell where its segments begin; then each entry goes to the next place of its segment, without a
/// list of them (Gustavson, TOMS 1978, "permuted transposition"). Threads each do one part of both visits:
/// every segment has room for the first part's entries, then for the second one's, and so on.
class Dealing : public EntryCode {
public:
  /// Entries of one coordinate, where there may be such, come one after the other within their segment, and
  /// are added up. Entries that are dropped are counted, and taken out at the end: what is computed twice may
  /// differ in its last bits.
  Dealing(const combine::IterationSpace &space, const LeafPlan &plan, Workspace &workspace)
      : result_(*workspace.combination().assembly(space.target.tensor)),
        extents_(workspace.combination().arrays), is_distinct_(plan.is_distinct),
        initial_(value::identity_of(space.by)), dropped_(workspace.dropped_of(space.target.tensor)),
        entry_(result_.entry_of(space.target)), segment_(term::substitute(segments().value, entry_)),
        next_(workspace.add_next_of_segments(result_.tensor, entries().position,
                                             plan.dealt_by_threads ? std::nullopt
                                                                   : std::optional(segments().extent))),
        counted_(entries().position + ".counted"), made_(entries().position + ".made") {
    entry_.emplace(segments().position, segment_);
    if (!plan.dealt_by_threads) return;
    threads_.emplace(plan.nest.levels[0], *plan.dealt_by_threads, segments().extent,
                     workspace.add_entries_of_parts(result_.tensor, entries().position));
    report::require(is_new(), "what threads deal isn't merged");
  }

  /// The plan of what one part does, or of all.
  LeafPlan plan_of_part(LeafPlan plan) const {
    if (!threads_) return plan;
    plan.nest.levels[0].lower = threads_->parts.from, plan.nest.levels[0].upper = threads_->parts.to;
    return plan;
  }

  /// At each point of the first visit.
  Block count() const {
    return {set_next(segment_, next(segment_) + Term(1)),
            {loop::Assign{counted_, term::variable(counted_) + Term(1)}}};
  }

  /// The first visit, of the points in `visit`.
  Block counted(Block visit) const {
    Block zero{for_each([&](const Term &segment) { return Block{set_next(segment, Term(0))}; }),
               {loop::Declare{counted_, Term(0)}}};
    loop::append(zero, std::move(visit));
    if (!threads_) return zero;
    const Term part = term::variable(threads_->parts.loop.variable);
    zero.push_back({loop::SetElement{threads_->counts, part, term::variable(counted_)}});
    const Term &parts = threads_->parts.loop.upper;
    return {{threads_->out},
            {loop::Reserve{"", term::multiply(parts, segments().extent), {next_}}},
            {loop::Reserve{"", parts, {threads_->counts}}},
            of_parts(std::move(zero)),
            {loop::Declare{counted_, Term(0)}},
            for_each_part({{loop::Assign{counted_, term::variable(counted_) +
                                                       term::apply(threads_->counts, {part})}}})};
  }

  /// Between the two visits.
  Block between() const {
    const std::string end = end_of(entries().position), many = segments().position + ".count";
    // before a count that was too large for its element is used
    Block block{{loop::Reserve{entries().count, term::variable(counted_), entries().arrays}}};
    block.push_back(for_each([&](const Term &segment) {
      Block places{{loop::Let{many, next(segment)}},
                   set_next(segment, term::variable(end)),
                   {loop::Assign{end, term::variable(end) + term::variable(many)}}};
      Block each = begun_at(entries(), segment);
      if (threads_)
        each.push_back(for_each_part(std::move(places)));
      else
        loop::append(each, std::move(places));
      return each;
    }));
    block.push_back({loop::Assign{end_of(entries().pointer), segments().extent}});
    if (!is_new()) block.push_back({loop::Declare{made_, Term(0)}});
    return block;
  }

  /// The second visit, of the points in `visit`.
  Block placed(Block visit) const { return threads_ ? Block{of_parts(std::move(visit))} : visit; }

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

  /// Each part has numbers of its own, one behind the other. `part`: the thread's own.
  Term place_of_next(const Term &segment, const std::optional<Term> &part = {}) const {
    if (!threads_) return segment;
    const Term own = part.value_or(term::variable(threads_->parts.loop.variable));
    return term::multiply(own, segments().extent) + segment;
  }

  Term next(const Term &segment) const { return term::apply(next_, {place_of_next(segment)}); }

  loop::Statement set_next(const Term &segment, const Term &value) const {
    return {loop::SetElement{next_, place_of_next(segment), value}};
  }

  /// Where the segment's entries end, once they are placed.
  Term end_of_segment(const Term &segment) const {
    if (!threads_) return next(segment);
    return term::apply(next_, {place_of_next(segment, threads_->parts.loop.upper - Term(1))});
  }

  /// What threads do, each of its part.
  loop::Statement of_parts(Block inside) const {
    loop::For loop = threads_->parts.loop;
    loop.parallel = loop::Parallel{1, 2}; // a team of two or more
    loop::append(loop.body, std::move(inside));
    return {std::move(loop)};
  }

  /// What is done for all parts, one after the other.
  loop::Statement for_each_part(Block body) const {
    return {loop::For{threads_->parts.loop.variable, Term(0), threads_->parts.loop.upper, 1, std::nullopt,
                      std::move(body), ""}};
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
              entries_of.upper = end_of_segment(segment);
              each.push_back({std::move(entries_of)});
              return each;
            })};
  }

  /// What threads do, where they deal.
  struct Threads {
    Threads(const scan::Level &level, const plan::ThreadParts &by, const Term &segments, std::string counts_)
        : parts(parts_of(level, by.work)), out(share_out(level, by.work, least_of(by, segments))),
          counts(std::move(counts_)) {}

    /// A part's numbers are as many as there are segments, and are added up by one thread.
    static Term least_of(const plan::ThreadParts &by, const Term &segments) {
      return by.least == 0 ? Term(1) : term::maximum({Term(by.least), segments});
    }

    Pieces parts;
    loop::ShareOut out;
    std::string counts; // the array: how many entries each part has
  };

  const combine::AssembledResult &result_;
  const std::map<std::string, std::vector<term::Term>> &extents_; // of arrays
  const bool is_distinct_;
  const double initial_; // the value of an entry that is made
  const std::optional<double> dropped_;
  term::Substitution entry_; // its coordinates, and the position of its segment
  term::Term segment_;
  std::string next_;           // the array: where the next entry of each segment goes
  std::string counted_, made_; // variables: how many entries there are, and of different coordinates
  std::optional<Threads> threads_;
};

} // namespace

std::shared_ptr<const EntryCode> code_of_dealt_entries(const combine::IterationSpace &space,
                                                       const LeafPlan &plan, Workspace &workspace) {
  return std::make_shared<Dealing>(space, plan, workspace);
}

LoweredLeaf lower_dealt(const combine::IterationSpace &space, const LeafPlan &plan, std::size_t number,
                        const SharedLoops &shared, Workspace &workspace) {
  const Dealing dealing(space, plan, workspace);
  const LeafPlan part = dealing.plan_of_part(plan);
  LeafPlan in_any_order = part;
  in_any_order.sorted.reset();
  LoweredLeaf leaf = visit_leaf(space, std::move(in_any_order), number, shared, dealing.count(), workspace);
  Block block = dealing.counted(std::move(leaf.inside));
  loop::append(block, dealing.between());
  loop::append(block, dealing.placed(lower_leaf(space, part, number, shared, nullptr, workspace).inside));
  loop::append(block, dealing.end());
  leaf.inside = std::move(block);
  return leaf;
}

} // namespace unravel::lower
