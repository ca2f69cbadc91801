#include "contract/search.h"

#include "cost/contractions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <limits>
#include <optional>
#include <unordered_map>

namespace unravel::contract {

namespace {

constexpr double any = std::numeric_limits<double>::infinity();

bool is_single(Set factors) {
  return std::has_single_bit(factors);
}

// ---- contraction trees

/// A product of two parts of the factors: each a single one, or a product before it. Where the second part is
/// empty, the sum of a single one over its own indices.
struct Split {
  std::array<Set, 2> parts = {};
};
using Tree = std::vector<Split>; // parts of several factors before what they are parts of

/// The trees of each set of factors, by what their terms cost at least.
class Trees {
public:
  /// `most`: so many of each set. `term`: what each costs at least, each time that it is executed.
  Trees(const Network &network, std::size_t most, double term)
      : network_(network), most_(most), term_(term), all_(network.parts()), of_(network.all() + 1) {
    for (Set factors = 1; factors <= all_; ++factors)
      if ((factors & ~all_) != 0)
        continue;
      else if (is_single(factors))
        make_single(factors);
      else
        make(factors);
  }

  std::size_t size() const { return of_[all_].size(); }
  double least(std::size_t number) const { return of_[all_][number].least; }
  /// What those cost at least that were left out.
  double least_of_others() const { return least_of_others_; }

  Tree tree(std::size_t number) const {
    Tree made;
    collect(all_, number, made);
    return made;
  }

private:
  struct Choice {
    double least = 0;
    Split split;
    std::array<std::size_t, 2> numbers = {}; // of the parts' trees
    Set open = 0;                            // indices that its value has
  };

  /// A factor as it is, and where it has indices of its own, summed over these.
  void make_single(Set factor) {
    const auto number = static_cast<std::size_t>(std::countr_zero(factor));
    const Set indices = network_.of(number), own = network_.own(number);
    of_[factor].push_back({0, {{factor, 0}}, {}, indices});
    if (own != 0) of_[factor].push_back({term_ / 2 * points(indices), {{factor, 0}}, {}, indices & ~own});
  }

  void make(Set factors) {
    std::vector<Choice> &all = of_[factors];
    const Set first = factors & (~factors + 1), others = factors & ~first;
    for (Set some = others; some != 0; some = (some - 1) & others) { // the part that hasn't the first factor
      const Split split{{factors & ~some, some}};
      for (std::size_t a = 0; a < of_[split.parts[0]].size(); ++a)
        for (std::size_t b = 0; b < of_[split.parts[1]].size(); ++b) {
          const Choice &one = of_[split.parts[0]][a], &other = of_[split.parts[1]][b];
          const double least_of_both = term_ * points(one.open | other.open) + one.least + other.least;
          if (all.size() == most_ && least_of_both >= all.back().least) {
            least_of_others_ = std::min(least_of_others_, least_of_both);
            if (!is_single(split.parts[1])) break; // its trees have the same indices: the others cost more
            continue;
          }
          const auto at = std::ranges::upper_bound(all, least_of_both, {}, &Choice::least);
          all.insert(at, {least_of_both, split, {a, b}, network_.open(factors)});
          if (all.size() <= most_) continue;
          least_of_others_ = std::min(least_of_others_, all.back().least);
          all.pop_back();
        }
    }
  }

  /// Values of the indices at which all sparse factors store something, as far as these indices are theirs:
  /// how often a term over them is executed at least.
  double points(Set indices) {
    const auto [at, is_new] = points_.emplace(indices, 0);
    if (!is_new) return at->second;
    at->second = network_.elements(indices);
    for (std::size_t k = 0; k < network_.factors.size(); ++k)
      at->second *= network_.share(k, indices);
    for (const Join &join : network_.joins)
      if (network_.is_met(join, indices)) at->second *= std::min(join.ratio, 1.0);
    return at->second;
  }

  void collect(Set factors, std::size_t number, Tree &to) const {
    const Choice &choice = of_[factors][number];
    if (is_single(factors)) {
      if (number != 0) to.push_back(choice.split);
      return;
    }
    for (std::size_t k = 0; k < 2; ++k)
      collect(choice.split.parts[k], choice.numbers[k], to);
    to.push_back(choice.split);
  }

  const Network &network_;
  std::size_t most_;
  double term_;
  Set all_;
  std::vector<std::vector<Choice>> of_; // the least first
  std::unordered_map<Set, double> points_;
  double least_of_others_ = any;
};

// ---- forests of a tree

/// A step towards a forest: what is done in the loops that are open.
struct Step {
  enum class Kind { Term, Loop, Emit } kind = Kind::Term;
  std::size_t number = 0; // of the term, the index; of the term whose value is computed first
  const Step *part = nullptr, *rest = nullptr;
};

struct Option {
  double cost = 0;
  std::uint64_t shape = 0; // the same for forests of the same contractions and buffers
  const Step *step = nullptr;
};
using Options = std::vector<Option>; // the cheapest first

std::uint64_t mix(std::uint64_t one, std::uint64_t other) {
  std::uint64_t x = one * 0x9e3779b97f4a7c15u + other + 0x7f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Of each shape the cheapest.
void add(Options &to, const Option &option, std::size_t most) {
  const auto same = std::ranges::find(to, option.shape, &Option::shape);
  if (same != to.end()) {
    if (same->cost <= option.cost) return;
    to.erase(same);
  }
  to.insert(std::ranges::upper_bound(to, option.cost, {}, &Option::cost), option);
  if (to.size() > most) to.pop_back();
}

class BudgetSpent {};

/// Dynamic programming over sets of terms that stand in the same loops, and these loops.
class Forests {
public:
  Forests(const Network &network, const SearchOptions &options, Set in_order, const Tree &tree,
          std::int64_t &left)
      : network_(network), options_(options), in_order_(in_order), left_(left) {
    for (const Split &split : tree) {
      Made made;
      made.factors = split.parts[0] | split.parts[1];
      for (const Set part : split.parts) {
        if (part == 0) continue;
        const std::size_t term = is_single(made.factors) ? terms_.size() : number_of(part);
        if (term == terms_.size()) {
          made.term.factors.push_back(static_cast<std::size_t>(std::countr_zero(part)));
          made.read |= part;
          made.term.indices |= network.open(part);
        } else {
          made.term.terms.push_back(term);
          made.term.indices |= terms_[term].term.target;
        }
      }
      read_beside(made);
      made.term.target =
          network.of_all(made.factors) & (network.result | network.of_all(network.others(made.factors)));
      made.below = bit(terms_.size());
      for (std::size_t read : made.term.terms)
        made.below |= terms_[read].below;
      terms_.push_back(made);
    }
  }

  const Options &all() {
    const bool is_single_term = terms_.size() == 1;
    return of(bit(terms_.size()) - 1, 0, is_single_term ? std::optional<Set>(0) : std::nullopt, false);
  }

  Forest forest_of(const Option &option) const {
    Forest forest;
    std::vector<std::size_t> numbers(terms_.size());
    forest.roots = nodes(option.step, numbers, forest);
    return forest;
  }

private:
  struct Made {
    Term term;       // the terms that it reads are those of the tree
    Set factors = 0; // of its product
    Set read = 0;    // factors that it reads itself
    Set below = 0;   // terms: itself, and what it reads
  };
  struct Key {
    Set terms, opened;
    std::optional<Set> alone; // of a single term, the loops that it shares with others
    bool sets;                // the last term does, and doesn't add
    bool operator==(const Key &) const = default;
  };
  struct HashOfKey {
    std::size_t operator()(const Key &key) const {
      const std::uint64_t loops = mix(key.opened, key.alone.value_or(~Set{0}));
      return static_cast<std::size_t>(mix(mix(key.terms, loops), key.sets));
    }
  };

  /// The factors that are no parts of trees.
  void read_beside(Made &made) {
    for (std::size_t k = 0; k < network_.factors.size(); ++k) {
      const Factor &factor = network_.factors[k];
      if (factor.role == Factor::Role::Part || (network_.of(k) & ~made.term.indices) != 0) continue;
      if (factor.role == Factor::Role::Beside && has(beside_, k)) continue;
      made.term.factors.push_back(k);
      made.read |= bit(k);
      beside_ |= bit(k);
    }
  }

  std::size_t number_of(Set factors) const {
    return static_cast<std::size_t>(std::ranges::find(terms_, factors, &Made::factors) - terms_.begin());
  }

  /// Only operations are counted so closely (Price::term).
  bool sets_in(std::size_t term, Set shared) const {
    return options_.price.objective == Objective::Work && sets_buffer(network_, terms_[term].term, shared);
  }

  /// Of terms that buffers join, in loops that all of them have. Other terms that they read are done.
  const Options &of(Set terms, Set opened, std::optional<Set> alone, bool sets) {
    const Key key{terms, opened, alone, sets};
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    constexpr std::int64_t steps_between = 256;
    if (--left_ < 0 || (options_.is_spent && left_ % steps_between == 0 && options_.is_spent()))
      throw BudgetSpent();
    Options made;
    const std::size_t root = static_cast<std::size_t>(std::bit_width(terms)) - 1;
    Set common = ~Set{0};
    for (std::size_t k = 0; k <= root; ++k)
      if (has(terms, k)) common &= terms_[k].term.indices;
    if (terms == bit(root) && opened == common)
      made.push_back({options_.price.term(network_, terms_[root].term, sets),
                      mix(terms_[root].factors, terms_[root].read), keep({Step::Kind::Term, root})});
    for (std::size_t k = 0; k < root; ++k)
      if (has(terms, k)) emit(terms, k, opened, sets, made);
    for (std::size_t index = 0; index < network_.indices.size(); ++index)
      if (has(common & ~opened, index)) open(key, root, index, made);
    return known_.emplace(key, std::move(made)).first->second;
  }

  /// What that term leaves for the others is computed before them.
  void emit(Set terms, std::size_t term, Set opened, bool sets, Options &to) {
    const Set modes = terms_[term].term.target & ~opened;
    if (network_.elements(modes) > options_.most_elements) return;
    const double buffer = options_.price.buffer(network_, opened, modes);
    const auto of_part = [&](Set part, bool part_sets) -> const Options & {
      return of(part, opened, is_single(part) ? std::optional(opened) : std::nullopt, part_sets);
    };
    const Options &inner = of_part(terms & terms_[term].below, sets_in(term, opened));
    const Options &rest = of_part(terms & ~terms_[term].below, sets);
    for (const Option &one : inner)
      for (const Option &other : rest) {
        const double cost = options_.price.both(options_.price.both(one.cost, buffer), other.cost);
        if (to.size() >= options_.plans && cost >= to.back().cost) break;
        const std::uint64_t shape = one.shape + other.shape + mix(terms_[term].factors, opened);
        add(to, {cost, shape, keep({Step::Kind::Emit, term, one.step, other.step})}, options_.plans);
      }
  }

  void open(const Key &around, std::size_t root, std::size_t index, Options &to) {
    const auto [terms, opened, alone, sets] = around;
    Set read = 0;
    for (std::size_t k = 0; k <= root; ++k)
      if (has(terms, k)) read |= terms_[k].read;
    if (!network_.may_open(read & in_order_, opened, index)) return;
    const Set now = opened | bit(index);
    LoopShape shape(network_, opened, index, alone);
    const Network::Part part = network_.part(read, opened, now);
    shape.trips = network_.indices[index].size * part.left;
    shape.visited = network_.indices[index].size * part.visited;
    for (std::size_t k = 0; k <= root; ++k) {
      if (!has(terms, k)) continue;
      shape.add(terms_[k].term);
      for (std::size_t done : terms_[k].term.terms)
        if (!has(terms, done)) shape.read(terms_[done].term);
    }
    shape.write(terms_[root].term);
    for (const Option &inner : of(terms, now, alone, sets))
      add(to,
          {options_.price.loop(shape, inner.cost), inner.shape,
           keep({Step::Kind::Loop, index, nullptr, inner.step})},
          options_.plans);
  }

  const Step *keep(const Step &step) { return &steps_.emplace_back(step); }

  /// `numbers`: of the tree's terms in the forest.
  std::vector<Node> nodes(const Step *step, std::vector<std::size_t> &numbers, Forest &forest) const {
    if (step->kind == Step::Kind::Loop) return {{true, step->number, nodes(step->rest, numbers, forest)}};
    if (step->kind == Step::Kind::Emit) {
      std::vector<Node> made = nodes(step->part, numbers, forest);
      for (Node &node : nodes(step->rest, numbers, forest))
        made.push_back(std::move(node));
      return made;
    }
    Term term = terms_[step->number].term;
    for (std::size_t &read : term.terms)
      read = numbers[read];
    numbers[step->number] = forest.terms.size();
    forest.terms.push_back(std::move(term));
    return {{false, numbers[step->number], {}}};
  }

  const Network &network_;
  const SearchOptions &options_;
  Set in_order_;
  std::int64_t &left_;
  std::vector<Made> terms_;                           // of the tree
  Set beside_ = 0;                                    // factors that are no parts, and are read
  std::unordered_map<Key, Options, HashOfKey> known_; // references to what it has stay valid
  std::deque<Step> steps_;
};

constexpr double rounding_of_costs = 1e-9; // of costs that are the same

/// Of each set of factors so many trees are kept: of up to six factors all.
constexpr std::size_t most_trees = 945, most_trees_of_many = 64;

} // namespace

Found search(const Network &network, const SearchOptions &options) {
  const Objective objective = options.price.objective;
  const bool is_bound = objective == Objective::Time || objective == Objective::Work;
  const Trees trees(network, network.factors.size() <= 6 ? most_trees : most_trees_of_many,
                    objective == Objective::Time ? 2 * cost::least_operand : 1);
  const Set in_order = network.in_order();
  Found found;
  std::int64_t left = options.budget;
  // Trees that cost more than a plan that there is can't make a better one; those that are listed beside it
  // cost at least up to a quarter more; of few factors all are listed.
  const double slack = options.plans == 1 ? 1 : network.factors.size() <= 4 ? any : 1.25;
  double bound = any;
  const auto may_be_better = [&](double least) {
    return !is_bound || (least <= bound && least < options.less_than * (1 - rounding_of_costs));
  };
  for (std::size_t number = 0; number < trees.size() && may_be_better(trees.least(number)); ++number) {
    try {
      Forests forests(network, options, in_order, trees.tree(number), left);
      for (const Option &option : forests.all()) {
        if (found.plans.size() >= options.plans && option.cost >= found.plans.back().cost) break;
        found.plans.insert(std::ranges::upper_bound(found.plans, option.cost, {}, &Plan::cost),
                           {forests.forest_of(option), option.cost});
        if (found.plans.size() > options.plans) found.plans.pop_back();
      }
    } catch (const BudgetSpent &) {
      found.is_complete = false;
      return found;
    }
    if (!found.plans.empty() && slack != any) bound = slack * found.plans.front().cost;
  }
  if (trees.least_of_others() != any &&
      (!is_bound || found.plans.empty() || trees.least_of_others() < found.plans.front().cost))
    found.is_complete = false;
  return found;
}

Forest as_written(const Network &network) {
  Term term;
  for (std::size_t k = 0; k < network.factors.size(); ++k)
    term.factors.push_back(k);
  term.indices = network.of_all(network.all());
  term.target = network.result;
  Forest forest;
  forest.terms.push_back(term);
  const Set in_order = network.in_order();
  std::vector<std::size_t> order;
  Set opened = 0;
  while (opened != term.indices)
    for (std::size_t index = 0; index < network.indices.size(); ++index)
      if (has(term.indices & ~opened, index) && network.may_open(in_order, opened, index)) {
        order.push_back(index);
        opened |= bit(index);
        break;
      }
  std::vector<Node> body{{false, 0, {}}};
  for (std::size_t k = order.size(); k-- > 0;)
    body = {{true, order[k], std::move(body)}};
  forest.roots = std::move(body);
  return forest;
}

} // namespace unravel::contract
