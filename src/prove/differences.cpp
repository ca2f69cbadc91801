#include "prove/differences.h"

namespace unravel::prove {

int Differences::add_unknown() {
  values_.push_back(0);
  from_.emplace_back();
  reason_.push_back(-1);
  waits_.push_back(0);
  return static_cast<int>(values_.size()) - 1;
}

/// The values satisfied all constraints before, so what the new one lowers is lowered along paths that begin
/// with it; a contradiction is a path that comes back to where it begins.
bool Differences::add(const Difference &constraint, int tag) {
  auto at = [](int number) { return static_cast<std::size_t>(number); };
  int added = static_cast<int>(edges_.size());
  edges_.push_back({constraint, tag});
  if (holds(constraint)) {
    from_[at(constraint.y)].push_back(added);
    return true;
  }
  if (constraint.x == constraint.y) {
    conflict_.assign(1, tag);
    edges_.pop_back();
    return false;
  }
  queue_.clear();
  lowered_.clear();
  bool possible = true;
  auto lower = [&](int edge) {
    const Difference &rule = edges_[at(edge)].constraint;
    std::int64_t limit = values_[at(rule.y)] + rule.bound;
    if (values_[at(rule.x)] <= limit) return;
    reason_[at(rule.x)] = edge;
    if (rule.x == constraint.y) {
      possible = false;
      return;
    }
    lowered_.emplace_back(rule.x, values_[at(rule.x)]);
    values_[at(rule.x)] = limit;
    if (waits_[at(rule.x)]) return;
    waits_[at(rule.x)] = 1;
    queue_.push_back(rule.x);
  };
  lower(added);
  std::size_t next = 0;
  while (possible && next < queue_.size()) {
    int unknown = queue_[next++];
    waits_[at(unknown)] = 0;
    for (int edge : from_[at(unknown)]) {
      lower(edge);
      if (!possible) break;
    }
  }
  if (possible) {
    from_[at(constraint.y)].push_back(added);
    return true;
  }
  for (; next < queue_.size(); ++next)
    waits_[at(queue_[next])] = 0;
  for (auto change = lowered_.rbegin(); change != lowered_.rend(); ++change)
    values_[at(change->first)] = change->second;
  conflict_.clear();
  for (int edge = reason_[at(constraint.y)];; edge = reason_[at(edges_[at(edge)].constraint.y)]) {
    conflict_.push_back(edges_[at(edge)].tag);
    if (edge == added) break;
  }
  edges_.pop_back();
  return false;
}

void Differences::shrink(std::size_t size) {
  while (edges_.size() > size) {
    from_[static_cast<std::size_t>(edges_.back().constraint.y)].pop_back();
    edges_.pop_back();
  }
}

} // namespace unravel::prove
