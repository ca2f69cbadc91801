#include "loop/group_appended.h"

#include "loop/arrays.h"
#include "loop/assembled.h"
#include "loop/listed_map.h"

#include <algorithm>
#include <utility>

namespace unravel::loop {

using term::Term;

namespace {

using Names = std::set<std::string>;

/// The loop over rows while it is looked at; anything that it isn't known to allow ends that.
class Appending {
public:
  Appending(const For &loop, const Program &program) : loop_(loop), program_(program) {}

  std::optional<AppendedRows> grouped(const Known &known) {
    if (!appends_alone() || !has_segment() || !may_be_alike(segment_.pointers, known) || !has_sums())
      return {};
    map_ = listed_map(loop_.body, program_);
    Block once;
    for (Statement statement : loop_.body) {
      const bool is_known = begins_node(statement)     ? (begun_.push_back(statement), true)
                            : is_counted_in(statement) ? take_out(statement)
                                                       : walk(statement);
      if (!is_known) return {};
      once.push_back(std::move(statement));
    }
    if (repeated_.empty()) return {};
    WorkspaceArray sums = *find_workspace(array_, program_);
    if (map_) sums.extent = find_workspace(map_->map, program_)->extent;
    AppendedRows made{segment_, together(std::move(once)), {of_rows(sums), factors_of_rows(sums, factors_)}};
    if (!list_.empty()) made.arrays.push_back(own_list(made.together));
    return made;
  }

private:
  /// Of what it appends: one count, pointers that each row begins, nothing of the kind that depends on
  /// values.
  bool appends_alone() {
    if (loop_.lower != Term(0) || loop_.step != 1 || loop_.together > 1 || loop_.simd || !loop_.parallel ||
        !loop_.parallel->appended || loop_.parallel->appended->counters.size() != 1)
      return false;
    const Appended &made = *loop_.parallel->appended;
    counter_ = made.counters.front();
    end_ = term::variable(counter_.end);
    const TensorParameter &result = *assembled_result(counter_.count, program_);
    for (const ArrayParameter &array : result.arrays)
      results_.insert(result.name + "." + array.name);
    Effects effects = effects_of(loop_.body);
    for (const Appended::Pointers &pointers : made.pointers) {
      if (made.counter(pointers.end)) return false;
      effects.assigned.erase(pointers.end);
    }
    effects.assigned.erase(counter_.end);
    return std::ranges::includes(effects.declared, effects.assigned) &&
           !holds(loop_.body, [](const Statement &statement) {
             if (const auto *loop = statement.as<For>()) return loop->parallel || loop->simd;
             if (const auto *add = statement.as<Accumulate>()) return add->atomic;
             return !statement.is<If>() && !statement.is<Let>() && !statement.is<Declare>() &&
                    !statement.is<Assign>() && !statement.is<Store>() && !statement.is<SetElement>() &&
                    !statement.is<Sort>() && !statement.is<Reserve>() && !statement.is<Zero>();
           });
  }

  bool is_segment(const Statement &statement) const {
    const auto *loop = statement.as<For>();
    return loop && !pointers_of(*loop, row()).empty();
  }

  /// All that a row goes through by its number is one segment.
  bool has_segment() {
    const Names stored = effects_of(loop_.body).stored;
    for (const Statement &statement : loop_.body) {
      if (!is_segment(statement)) continue;
      const For &loop = *statement.as<For>();
      const std::string pointers = pointers_of(loop, row());
      const std::optional<Names> keys = keys_at(loop.body, loop.variable);
      if (!keys || (!segment_.pointers.empty() && segment_.pointers != pointers)) return false;
      segment_.pointers = pointers;
      segment_.keys.insert(keys->begin(), keys->end());
    }
    return std::ranges::all_of(segment_.keys, [&](const std::string &key) {
      return find_array(key, program_) && !stored.contains(key);
    });
  }

  /// One array of the workspace takes sums, and one operand's values are read at the row's positions.
  bool has_sums() {
    bool otherwise = false;
    each_statement(loop_.body, [&](const Statement &statement) {
      const Element *written = written_element(statement);
      otherwise = otherwise || written_local(statement);
      if (!written || results_.contains(written->array)) return;
      otherwise = otherwise || (!array_.empty() && written->array != array_);
      array_ = written->array;
    });
    for (const Statement &statement : loop_.body) {
      if (!is_segment(statement)) continue;
      const For &loop = *statement.as<For>();
      const Term at = term::variable(loop.variable);
      each_statement(loop.body, [&](const Statement &inner) {
        const Element *written = written_element(inner);
        otherwise = otherwise || (written && written->slot == at);
      });
      each_element(loop.body, [&](const Element &read) {
        if (read.slot != at) return;
        otherwise = otherwise || (!factors_.empty() && factors_ != read.array);
        factors_ = read.array;
      });
    }
    const WorkspaceArray *sums = find_workspace(array_, program_);
    const ArrayParameter *factors = find_array(factors_, program_);
    return !otherwise && sums && sums->per_thread && sums->initial.value_or(0) == 0 && !sums->grows &&
           !sums->hashed && value::is_floating(sums->element) && factors &&
           factors->element == sums->element && !results_.contains(factors_);
  }

  /// A pointer to the row's first entry.
  bool begins_node(const Statement &statement) const {
    const auto *begins = statement.as<If>();
    if (!begins || begins->then.size() != 2 || !begins->otherwise.empty() || !repeated_.empty()) return false;
    const auto *set = begins->then[0].as<SetElement>();
    const auto *step = begins->then[1].as<Assign>();
    return set && step && std::ranges::any_of(loop_.parallel->appended->pointers, [&](const auto &pointers) {
             const Term end = term::variable(pointers.end);
             return begins->condition == term::at_most(end, row()) && set->array == pointers.array &&
                    set->slot == end && set->value == term::variable(pointers.into) &&
                    step->variable == pointers.end && step->value == end + Term(1);
           });
  }

  bool is_counted_in(const Statement &statement) const {
    return effects_of(statement).assigned.contains(counter_.end);
  }

  bool is_about_result(const Names &names) const {
    return names.contains(counter_.end) ||
           std::ranges::any_of(results_, [&](const std::string &array) { return names.contains(array); });
  }

  /// What isn't appended yet: in lanes, where it is about sums.
  bool walk(Statement &statement) {
    const Names names = names_in({statement});
    if (is_about_result(names) || (!repeated_.empty() && names.contains(array_))) return false;
    auto *loop = is_segment(statement) ? statement.as<For>() : nullptr;
    if ((loop ? names_read(loop->body) : names_read({statement})).contains(loop_.variable)) return false;
    if (!names.contains(array_)) return true;
    if (map_ && !names.contains(map_->map)) return false;
    if (holds(statement, [&](const Statement &inner) {
          const auto *tested = inner.as<For>();
          return inner.is<Zero>() ? inner.as<Zero>()->array == array_ : tested && tested->together > 1;
        }))
      return false;
    const Term at = loop ? term::variable(loop->variable) : Term(0);
    bool otherwise = false;
    const auto of_row = [&](const Element &element) {
      if (element.array == array_) {
        otherwise = otherwise || (map_ && element.slot != map_->position);
        return in_lane({array_, map_ ? map_->key : element.slot}, loop_); // keys are known sooner than places
      }
      if (loop && element.array == factors_ && element.slot == at)
        return Element{factors_ + "_of_rows", one_of_rows(loop_)};
      return element;
    };
    Block inside = loop ? std::move(loop->body) : Block{std::move(statement)};
    in_lanes(inside, loop_, of_row);
    if (!loop) {
      statement = std::move(inside.front());
    } else {
      loop->body = factors_of(loop_, segment_, at, factors_);
      append(loop->body, std::move(inside));
    }
    return !otherwise;
  }

  /// What appends sums: those of the first row.
  bool take_out(Statement &statement) {
    if (!take_out_of(statement)) return false;
    // The rows' numbers may be entries' coordinates.
    Block rest{statement};
    each_statement(rest, [&](Statement &inner) {
      if (auto *set = inner.as<SetElement>(); set && set->value == row()) set->value = Term(0);
    });
    return !names_read(rest).contains(loop_.variable) && !names_in({statement}).contains(array_);
  }

  bool take_out_of(Statement &statement) {
    for (Block *block : blocks_of(statement)) {
      const bool is_entry = std::ranges::any_of(*block, [&](const Statement &inner) {
        return inner.is<Assign>() && inner.as<Assign>()->variable == counter_.end;
      });
      if (is_entry) {
        if (!entry(*block, statement.as<For>())) return false;
        continue;
      }
      for (Statement &inner : *block)
        if (is_counted_in(inner) ? !take_out_of(inner) : is_about_result(names_in({inner}))) return false;
    }
    return true;
  }

  /// An entry's statements: its value is the sum's in the first lane. Notes how it is repeated.
  bool entry(Block &block, const For *around) {
    std::map<std::string, Term> columns; // what is set, by array
    const Reserve *room = nullptr;
    Statement *stored = nullptr;
    std::optional<Term> sum; // its slot
    bool is_zeroed = false;
    Term next = end_;
    for (Statement &statement : block) {
      const Element *written = written_element(statement);
      if (const auto *step = statement.as<Assign>(); step && step->variable == counter_.end) {
        if (step->value != end_ + Term(1) || next != end_) return false;
        next = end_ - Term(1);
      } else if (const auto *wanted = statement.as<Reserve>(); wanted && wanted->count == counter_.count) {
        if (room || next != end_ || wanted->least != end_ + Term(1)) return false;
        room = wanted;
      } else if (const auto *set = statement.as<SetElement>(); set && results_.contains(set->array)) {
        if (set->slot != next || is_about_result(names_in({{Let{"", set->value}}})) ||
            !columns.emplace(set->array, set->value).second)
          return false;
      } else if (written && results_.contains(written->array)) {
        if (!statement.is<Store>() || stored || written->slot != next) return false;
        stored = &statement;
        sum = slot_of_sum(statement.as<Store>()->value);
        if (!sum) return false;
      } else if (const Element *zeroed = element_set_to(0, statement); zeroed && zeroed->array == array_) {
        if (!sum || zeroed->slot != *sum) return false;
        is_zeroed = true;
      } else if (const Names names = names_in({statement});
                 is_about_result(names) || names.contains(array_)) {
        return false;
      }
    }
    if (!room || !stored || next == end_) return false;
    Names set{written_element(*stored)->array};
    for (const auto &[array, value] : columns)
      set.insert(array);
    if (set != Names(room->arrays.begin(), room->arrays.end()) || !is_repeatable(is_zeroed) ||
        !repeat(columns, *stored->as<Store>(), *sum, *room, around))
      return false;
    read_first_lane(block, *sum);
    return true;
  }

  /// Where the value's only operands are one sum's, its slot.
  std::optional<Term> slot_of_sum(const Value &value) const {
    std::optional<Term> slot;
    bool otherwise = false;
    each_element(value, [&](const Element &read) {
      otherwise = otherwise || read.array != array_ || (slot && *slot != read.slot);
      slot = read.slot;
    });
    each_local(value, [&](const Local &) { otherwise = true; });
    value::each_leaf<Term>(value, [&](const Term &) { otherwise = true; });
    return otherwise ? std::nullopt : slot;
  }

  /// Sums are zero when a row begins, or hold anything.
  bool is_repeatable(bool is_zeroed) {
    const bool is_first = repeated_.empty();
    if (!is_first && is_zeroed != is_zeroed_) return false;
    is_zeroed_ = is_zeroed;
    return is_zeroed || !find_workspace(array_, program_)->initial;
  }

  /// For each entry of the first row: that of another one, which has its sum in the slot that a column names,
  /// or that a loop over all sums is at.
  bool repeat(const std::map<std::string, Term> &columns, const Store &stored, const Term &sum,
              const Reserve &room, const For *around) {
    const Term entry = entry_at(), first = term::variable(loop_.variable + ".begin") + entry;
    std::optional<Term> slot;
    for (const auto &[array, value] : columns)
      if (value == sum) slot = term::apply(array, {first});
    if (!slot) {
      if (!around || !repeated_.empty() || sum != term::variable(around->variable) ||
          around->lower != Term(0) || around->step != 1)
        return false;
      slot = entry;
      for (const auto &[array, value] : columns)
        if (const auto *read = value.as<term::Apply>();
            read && read->arguments == std::vector{sum} && find_workspace(read->function, program_)) {
          list_ = read->function; // which may be kept in the result, of one row
          if (map_ && map_->list == list_) slot = term::apply(array, {first});
        }
      if (map_ && slot == entry) return false;
    } else if (map_ || !list_.empty()) {
      return false;
    }
    Block repeated;
    for (const auto &[array, value] : columns)
      repeated.push_back({SetElement{
          array, end_ + entry, value == row() ? row() + one_of_rows(loop_) : term::apply(array, {first})}});
    const Value value = map_leaves(stored.value, [&](const Value &leaf) {
      return leaf.as<Element>() ? Value{in_lane({array_, *slot}, loop_)} : leaf;
    });
    repeated.push_back({Store{Element{std::get<Element>(stored.target).array, end_ + entry}, value}});
    if (!repeated_.empty() && to_text(repeated_) != to_text(repeated)) return false;
    repeated_ = std::move(repeated), slot_ = *slot, room_ = room;
    return true;
  }

  /// What is zeroed is so once it has been read for all rows: no row appends a sum twice.
  void read_first_lane(Block &block, const Term &sum) const {
    const Term slot = map_ ? term::apply(list_, {sum}) : sum;
    std::erase_if(block, [&](const Statement &statement) {
      const Element *zeroed = element_set_to(0, statement);
      return zeroed && zeroed->array == array_;
    });
    map_elements(block, [&](const Element &element) {
      return element.array == array_ ? Element{array_ + "_of_rows", term::scale(rows_at_once, slot)}
                                     : element;
    });
  }

  Block together(Block once) {
    const std::string first = loop_.variable + ".begin", count = loop_.variable + ".length";
    const Term length = term::variable(count);
    Block others = begun_;
    rewrite(others, [&](const Term &term) {
      return term::substitute(term, {{loop_.variable, row() + one_of_rows(loop_)}});
    });
    const auto for_entries = [&](Block body) {
      For entries{entry_at().as<term::Variable>()->name, Term(0), length};
      entries.body = std::move(body);
      return Statement{std::move(entries)};
    };
    others.push_back({Reserve{room_.count, end_ + length, room_.arrays}});
    others.push_back(for_entries(repeated_));
    others.push_back({Assign{counter_.end, end_ + length}});
    Block made{{Let{first, end_}}};
    append(made, std::move(once));
    made.push_back({Let{count, end_ - term::variable(first)}});
    made.push_back(for_rows(loop_, 1, number_of_rows(loop_), std::move(others), false));
    if (is_zeroed_)
      made.push_back(for_entries({for_rows(loop_, 0, Term(rows_at_once),
                                           {{Store{in_lane({array_, slot_}, loop_), {Number{0}}}}}, true)}));
    return made;
  }

  /// A list of columns that is this block's alone.
  WorkspaceArray own_list(Block &block) const {
    WorkspaceArray own = *find_workspace(list_, program_);
    own.name += "_of_rows";
    rewrite(block, [&](const Term &term) { return term::rename(term, {}, {{list_, own.name}}); });
    each_statement(block, [&](Statement &statement) {
      if (auto *set = statement.as<SetElement>(); set && set->array == list_) set->array = own.name;
    });
    return own;
  }

  Term row() const { return term::variable(loop_.variable); }
  Term entry_at() const { return term::variable(loop_.variable + ".entry"); }

  const For &loop_;
  const Program &program_;
  Appended::Counter counter_;
  Term end_;      // the counter's variable
  Names results_; // arrays of the result
  RowSegment segment_;
  std::string array_, factors_;  // of sums; of the values at the row's positions
  std::optional<ListedMap> map_; // by which sums are found
  Block begun_;                  // what begins nodes
  Block repeated_;               // one entry of another row
  Reserve room_;
  Term slot_; // of its sum
  bool is_zeroed_ = false;
  std::string list_; // of columns, in the order of sums
};

} // namespace

std::optional<AppendedRows> appended_rows(const For &loop, const Program &program, const Known &known) {
  return Appending(loop, program).grouped(known);
}

} // namespace unravel::loop
