
#include "loop/arrays.h"
#include "loop/vector_sums.h"
#include "loop/walk.h"

#include <algorithm>
#include <map>

namespace unravel::loop {

using term::Term;

namespace {

bool sets_or_adds(const Statement &statement) {
  const Accumulate *add = addition_of(statement);
  return statement.is<Store>() || (add && !add->atomic);
}

class Nest {
public:
  Nest(const For &loop, const Program &program)
      : loop_(loop), program_(program), effects_(effects_of(Statement{loop})) {}

  std::optional<Columns> find() {
    if (!is_plain(loop_) || loop_.brief || !walk(loop_) || found_.inner.empty() || effects_.breaks ||
        !effects_.assigned.empty())
      return {};
    for (const For *inner : found_.inner)
      if (!look_at(*inner)) return {};
    for (const auto &[array, row] : rows_)
      if (!place(array, row)) return {};
    found_.scatters = scatters();
    return found_.scatters || (found_.inner.size() > 1 && !found_.kept.empty()) ? std::optional(found_)
                                                                                : std::nullopt;
  }

private:
  /// What is done to an array in the nest.
  struct Row {
    std::set<Term> places; // slots at column 0
    bool read = false, set = false, added = false;
  };

  bool walk(const For &loop) {
    is_sparse_ = is_sparse_ || !applications_of(loop.upper).empty();
    return walk(loop.body, loop);
  }

  bool walk(const Block &block, const For &around) {
    for (const Statement &statement : block) {
      if (statement.is<Let>()) continue;
      if (const auto *local = statement.as<DeclareValue>()) {
        each_element(local->initial, [&](const Element &element) { reads_.insert(element.array); });
        continue;
      }
      if (const auto *guard = statement.as<If>()) {
        if (guard->speculative || !guard->otherwise.empty() || !walk(guard->then, around)) return false;
        continue;
      }
      const auto *loop = statement.as<For>();
      if (!loop || !is_plain(*loop) || loop->brief || loop->body.empty()) return false;
      if (loop->body.size() == 1 && sets_or_adds(loop->body[0]))
        found_.inner.push_back(loop), around_ = &around;
      else if (!walk(*loop))
        return false;
    }
    return true;
  }

  /// Adds the nest to rows that lie anywhere, and reads one that stays the same in the innermost loop?
  bool scatters() const {
    if (found_.inner.size() != 1 || !found_.kept.empty() || !found_.sums.empty() || !is_sparse_) return false;
    const Effects inside = effects_of(around_->body);
    return std::ranges::any_of(rows_, [&](const auto &each) {
      return each.second.read && std::ranges::none_of(each.second.places, [&](const Term &place) {
               return mentions(place, around_->variable) || inside.mentions_declared(place);
             });
    });
  }

  bool is_count(const For &inner) {
    if (inner.lower != Term(0) || !applications_of(inner.upper).empty() ||
        effects_.mentions_declared(inner.upper))
      return false;
    if (found_.inner.front() == &inner) found_.count = inner.upper;
    return inner.upper == found_.count;
  }

  bool look_at(const For &inner) {
    const auto *target = written_element(inner.body[0]);
    if (!is_count(inner) || !target || !runs_along(target->slot, inner.variable)) return false;
    const bool adds = inner.body[0].is<Accumulate>();
    Row &row = rows_[target->array];
    (adds ? row.added : row.set) = true;
    row.places.insert(substitute(target->slot, {{inner.variable, Term(0)}}));
    const Value &value =
        adds ? std::get<Accumulate>(inner.body[0].kind).value : std::get<Store>(inner.body[0].kind).value;
    return is_product(value, [&](const Value &factor) { return is_factor(factor, inner.variable); });
  }

  bool is_factor(const Value &value, const std::string &column) {
    if (const auto *element = value.as<Element>()) {
      const bool along = runs_along(element->slot, column);
      if (!along && mentions(element->slot, column)) return false;
      if (!along) {
        reads_.insert(element->array);
        return true;
      }
      Row &row = rows_[element->array];
      row.read = true;
      row.places.insert(substitute(element->slot, {{column, Term(0)}}));
      return true;
    }
    return parts_of(value).empty() && !value.is<Term>();
  }

  /// Where the array's row is while the nest runs.
  bool place(const std::string &array, const Row &row) {
    if (element_type(array, program_) != ElementType::Float64) return false;
    if (!row.set && !row.added) return true;
    if (reads_.contains(array)) return false;
    const bool stays = row.places.size() == 1 && !effects_.mentions_declared(*row.places.begin()) &&
                       !effects_.changes(*row.places.begin());
    if (is_kept(array)) {
      found_.kept.push_back(array);
      return stays;
    }
    if (row.set || row.read) return false;
    if (stays) found_.sums.push_back(array);
    return true;
  }

  /// Nobody else reads what the nest leaves in the workspace's array.
  bool is_kept(const std::string &array) const {
    const WorkspaceArray *own = find_workspace(array, program_);
    return own && !own->initial && !own->grows && !own->hashed && !own->for_teams &&
           mentions_of(program_.body, array) == mentions_of(loop_.body, array);
  }

  const For &loop_;
  const Program &program_;
  const Effects effects_;
  Columns found_;
  bool is_sparse_ = false;      // is it gone through what is stored?
  const For *around_ = nullptr; // the last one of the inner loops
  std::map<std::string, Row> rows_;
  std::set<std::string> reads_; // elements that aren't a column's
};

} // namespace

std::optional<Columns> columns(const For &loop, const Program &program) {
  return Nest(loop, program).find();
}

} // namespace unravel::loop
