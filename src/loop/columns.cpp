#include "loop/arrays.h"
#include "loop/types.h"
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

class ColumnsNest {
public:
  ColumnsNest(const For &loop, const Program &program)
      : loop_(loop), program_(program), effects_(effects_of(Statement{loop})) {}

  std::optional<Columns> find() {
    if (!is_plain(loop_) || loop_.brief || !walk(loop_) || found_.inner.empty() || effects_.breaks ||
        !effects_.assigned.empty())
      return {};
    for (const For *inner : found_.inner)
      if (!look_at(*inner)) return {};
    if (!are_added_in_parts()) return {};
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
        const double *number = value::number_of(local->initial);
        (number && *number == 0 ? zeros_ : others_).insert(local->name);
        each_local(local->initial, [&](const Local &read) { others_.insert(read.name); });
        each_element(local->initial, [&](const Element &element) { reads_.insert(element.array); });
        continue;
      }
      if (statement.is<Accumulate>()) {
        additions_.push_back(&statement);
        continue;
      }
      if (const auto *guard = statement.as<If>()) {
        if (guard->speculative || !guard->otherwise.empty() || !walk(guard->then, around)) return false;
        continue;
      }
      const auto *loop = statement.as<For>();
      if (!loop || !is_plain(*loop) || loop->brief || loop->body.empty()) return false;
      if (loop->body.size() != 1 || !sets_or_adds(loop->body[0])) {
        if (!walk(*loop)) return false;
        continue;
      }
      found_.inner.push_back(loop), around_ = &around;
      if (const Local *sum = written_local(loop->body[0])) products_.insert(sum->name);
    }
    return true;
  }

  /// Is it an inner product of which every part is needed on its own, as it is only added to elements? It
  /// begins as 0.
  bool is_product_in_parts(const std::string &local, const Types &types) const {
    return zeros_.contains(local) && !others_.contains(local) &&
           types.of_local(local) == ElementType::Float64;
  }

  /// Does it add a product with one inner product to an element?
  bool adds_product(const Statement &statement) {
    const Element *target = written_element(statement);
    const Accumulate *add = addition_of(statement);
    int products = 0;
    const auto is_factor = [&](const Value &factor) {
      const auto *local = factor.as<Local>();
      products += local && products_.contains(local->name);
      if (const auto *element = factor.as<Element>()) reads_.insert(element->array);
      return parts_of(factor).empty() && !factor.is<Term>();
    };
    if (!target || !add || add->atomic || !is_product(add->value, is_factor) || products != 1) return false;
    added_.insert(target->array);
    return true;
  }

  /// Nothing but the parts of inner products is added beside columns, and what that is added to is read
  /// nowhere.
  bool are_added_in_parts() {
    if (products_.empty() && additions_.empty()) return true;
    const Types types(program_);
    return std::ranges::all_of(products_,
                               [&](const std::string &each) { return is_product_in_parts(each, types); }) &&
           std::ranges::all_of(additions_, [&](const Statement *each) { return adds_product(*each); }) &&
           std::ranges::none_of(added_, [&](const std::string &array) {
             return reads_.contains(array) || rows_.contains(array) ||
                    element_type(array, program_) != ElementType::Float64;
           });
  }

  /// Adds the nest to rows that lie anywhere, and reads one that stays the same in the innermost loop?
  bool scatters() const {
    if (!products_.empty() || found_.inner.size() != 1 || !found_.kept.empty() || !found_.sums.empty() ||
        !is_sparse_)
      return false;
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
    if (!is_count(inner)) return false;
    if (written_local(inner.body[0])) return adds_up(inner);
    const auto *target = written_element(inner.body[0]);
    if (!runs_along(target->slot, inner.variable)) return false;
    const bool adds = inner.body[0].is<Accumulate>();
    Row &row = rows_[target->array];
    (adds ? row.added : row.set) = true;
    row.places.insert(substitute(target->slot, {{inner.variable, Term(0)}}));
    const Value &value =
        adds ? std::get<Accumulate>(inner.body[0].kind).value : std::get<Store>(inner.body[0].kind).value;
    return is_product(value, [&](const Value &factor) { return is_factor(factor, inner.variable); });
  }

  /// Adds the loop to an inner product? Some factor of which the workspace has no row: what is behind the
  /// last column is 0 there.
  bool adds_up(const For &inner) {
    const auto *add = inner.body[0].as<Accumulate>();
    bool along = false;
    each_element(inner.body[0], [&](const Element &read) {
      along = along || (runs_along(read.slot, inner.variable) && !find_workspace(read.array, program_));
    });
    return add && along &&
           is_product(add->value, [&](const Value &factor) { return is_factor(factor, inner.variable); });
  }

  bool is_factor(const Value &value, const std::string &column) {
    const auto *local = value.as<Local>();
    if (local && products_.contains(local->name)) return false; // there is but a part of it
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
  std::set<std::string> products_; // locals that are inner products along the columns
  std::set<std::string> added_;    // what these are added to
  std::set<std::string> zeros_;    // locals that begin as 0
  std::set<std::string> others_;   // that begin otherwise, or are read for that
  std::vector<const Statement *> additions_; // outside of the inner loops
};

} // namespace

std::optional<Columns> columns(const For &loop, const Program &program) {
  return ColumnsNest(loop, program).find();
}

} // namespace unravel::loop
