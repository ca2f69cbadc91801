#include "contract/enumerate.h"

#include <algorithm>

namespace unravel::contract::test {

namespace {

using Body = std::vector<Node>;

class Enumerator {
public:
  Enumerator(const Network &network, bool joined, const std::function<void(const Forest &)> &visit)
      : network_(network), joined_(joined), visit_(visit), in_order_(network.in_order()) {}

  std::size_t run() {
    std::vector<Live> live;
    for (std::size_t k = 0; k < network_.factors.size(); ++k)
      if (network_.factors[k].role == Factor::Role::Part) live.push_back({bit(k), false, k});
    contract(live);
    return count_;
  }

private:
  struct Live {
    Set factors;
    bool is_term;
    std::size_t number;
  };

  void contract(const std::vector<Live> &live) {
    if (live.size() == 1) {
      Forest forest;
      forest.terms = terms_;
      std::vector<Set> left;
      for (const Term &term : terms_)
        left.push_back(term.indices);
      for (Body &body : bodies(0, terms_.size(), left, 0)) {
        forest.roots = std::move(body);
        ++count_;
        visit_(forest);
      }
      return;
    }
    for (std::size_t k = 0; k < live.size(); ++k) {
      if (live[k].is_term || network_.own(live[k].number) == 0) continue;
      const Set indices = network_.of(live[k].number);
      std::vector<Live> rest = live;
      rest[k] = {live[k].factors, true, terms_.size()};
      terms_.push_back({{live[k].number}, {}, indices, indices & ~network_.own(live[k].number)});
      ask_masks(terms_.back());
      contract(rest);
      terms_.pop_back();
    }
    for (std::size_t a = 0; a < live.size(); ++a)
      for (std::size_t b = a + 1; b < live.size(); ++b) {
        Term term;
        for (const Live &each : {live[a], live[b]}) {
          (each.is_term ? term.terms : term.factors).push_back(each.number);
          term.indices |= each.is_term ? terms_[each.number].target : network_.open(each.factors);
        }
        const Set both = live[a].factors | live[b].factors;
        term.target = network_.of_all(both) & (network_.result | network_.of_all(network_.others(both)));
        ask_masks(term);
        std::vector<Live> rest;
        for (std::size_t k = 0; k < live.size(); ++k)
          if (k != a && k != b) rest.push_back(live[k]);
        rest.push_back({both, true, terms_.size()});
        terms_.push_back(term);
        contract(rest);
        terms_.pop_back();
      }
  }

  /// Each that has no other indices.
  void ask_masks(Term &term) const {
    for (std::size_t k = 0; k < network_.factors.size(); ++k)
      if (network_.factors[k].role == Factor::Role::Mask && (network_.of(k) & ~term.indices) == 0)
        term.factors.push_back(k);
  }

  /// Of the terms [first, last), with the indices that each has left.
  std::vector<Body> bodies(std::size_t first, std::size_t last, const std::vector<Set> &left, Set opened) {
    if (first == last) return {{}};
    if (left[first] == 0) {
      std::vector<Body> made = bodies(first + 1, last, left, opened);
      for (Body &body : made)
        body.insert(body.begin(), {false, first, {}});
      return made;
    }
    std::vector<Body> made;
    for (std::size_t index = 0; index < network_.indices.size(); ++index)
      for (std::size_t end = first + 1; end <= last && has(left[end - 1], index); ++end) {
        if (!may_open(first, end, index, opened) || (joined_ && !are_joined(first, end))) continue;
        std::vector<Set> inner = left;
        for (std::size_t k = first; k < end; ++k)
          inner[k] &= ~bit(index);
        const std::vector<Body> insides = bodies(first, end, inner, opened | bit(index));
        const std::vector<Body> behinds = bodies(end, last, left, opened);
        for (const Body &inside : insides)
          for (const Body &behind : behinds) {
            Body body{{true, index, inside}};
            body.insert(body.end(), behind.begin(), behind.end());
            made.push_back(std::move(body));
          }
      }
    return made;
  }

  bool may_open(std::size_t first, std::size_t end, std::size_t index, Set opened) const {
    Set live = 0;
    for (std::size_t k = first; k < end; ++k)
      for (std::size_t factor : terms_[k].factors)
        live |= bit(factor);
    return network_.may_open(live & in_order_, opened, index);
  }

  bool are_joined(std::size_t first, std::size_t end) const {
    std::vector<std::size_t> joined{first};
    const auto reads = [&](std::size_t one, std::size_t other) {
      return std::ranges::find(terms_[one].terms, other) != terms_[one].terms.end();
    };
    for (std::size_t k = 0; k < joined.size(); ++k)
      for (std::size_t other = first; other < end; ++other)
        if (std::ranges::find(joined, other) == joined.end() &&
            (reads(other, joined[k]) || reads(joined[k], other)))
          joined.push_back(other);
    return joined.size() == end - first;
  }

  const Network &network_;
  bool joined_;
  const std::function<void(const Forest &)> &visit_;
  Set in_order_;
  std::vector<Term> terms_;
  std::size_t count_ = 0;
};

} // namespace

std::size_t each_forest(const Network &network, bool joined,
                        const std::function<void(const Forest &)> &visit) {
  return Enumerator(network, joined, visit).run();
}

} // namespace unravel::contract::test
