#include "loop/arrays.h"
#include "loop/passes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace unravel::loop {

using term::Term;

namespace {

using Names = std::set<std::string>;

bool meet(const Names &first, const Names &second) {
  return std::ranges::any_of(first, [&](const std::string &name) { return second.contains(name); });
}

/// A loop that appends what a list has, as it is.
struct Drain {
  std::string count; // of the list, a variable
  Reserve room;
  std::string end;                         // the variable that counts what is appended
  std::map<std::string, std::string> into; // by array of the list: one of the result's
};

/// Where the statement sets an element of an array: the array, and its slot.
std::optional<Element> element_set(const Statement &statement) {
  if (const auto *set = statement.as<SetElement>()) return Element{set->array, set->slot};
  if (statement.is<Store>())
    if (const Element *element = written_element(statement)) return *element;
  return std::nullopt;
}

/// The array whose element of that slot it is set to, or empty.
std::string array_copied(const Statement &statement, const Term &slot) {
  if (const auto *set = statement.as<SetElement>()) {
    const auto *load = set->value.as<term::Apply>();
    return load && load->arguments == std::vector<Term>{slot} ? load->function : "";
  }
  const auto *element = std::get<Store>(statement.kind).value.as<Element>();
  return element && element->slot == slot ? element->array : "";
}

std::optional<Drain> drain_of(const Statement &statement) {
  const auto *loop = statement.as<For>();
  const auto *count = loop ? loop->upper.as<term::Variable>() : nullptr;
  if (!count || loop->lower != Term(0) || loop->step != 1 || loop->parallel || loop->body.empty()) return {};
  const auto *room = loop->body.front().as<Reserve>();
  const Term ahead = room ? room->least - Term(1) : Term(0);
  const auto *end = ahead.as<term::Variable>();
  if (!end || room->count.empty()) return {};
  Drain drain{count->name, *room, end->name, {}};
  Names set;
  Term next = ahead; // the slot of the entry that is appended
  for (std::size_t k = 1; k < loop->body.size(); ++k) {
    const Statement &here = loop->body[k];
    if (const auto *step = here.as<Assign>()) {
      if (step->variable != end->name || step->value != ahead + Term(1) || next != ahead) return {};
      next = ahead - Term(1);
      continue;
    }
    const std::optional<Element> element = element_set(here);
    if (!element || element->slot != next) return {};
    const std::string from = array_copied(here, term::variable(loop->variable));
    if (from.empty() || !set.insert(element->array).second ||
        !drain.into.emplace(from, element->array).second)
      return {};
  }
  if (next == ahead || set != Names(room->arrays.begin(), room->arrays.end())) return {};
  return drain;
}

class Collecting {
public:
  explicit Collecting(Program &program) : program_(program) {}

  void block(Block &statements) {
    for (std::size_t k = 0; k < statements.size(); ++k) {
      for (Block *inner : blocks_of(statements[k]))
        block(*inner);
      if (const std::optional<Drain> drain = drain_of(statements[k])) collect(statements, k, *drain);
    }
  }

private:
  /// Puts the list of the loop at that place into the result, if nothing is in the way.
  void collect(Block &statements, std::size_t at, const Drain &drain) {
    const auto loop = place(statements, at);
    const auto begin = std::find_if(statements.begin(), loop, [&](const Statement &statement) {
      const auto *declared = statement.as<Declare>();
      return declared && declared->variable == drain.count && declared->initial == Term(0);
    });
    if (begin == loop || !are_lists(drain)) return;
    // What appends beside the list, as the beginnings of rows, comes before.
    Block filling, before;
    for (auto statement = begin + 1; statement != loop; ++statement)
      (names_in({*statement}).contains(drain.end) ? before : filling).push_back(*statement);
    Block behind(loop + 1, statements.end());
    if (!may_change_places(before, filling) || !is_filled(filling, drain) || is_appended_to(behind, drain) ||
        is_appended_to(before, drain))
      return;
    Block region = filling;
    append(region, behind);
    if (!are_only_in(region, drain)) return;
    Block made(statements.begin(), begin);
    append(made, std::move(before));
    const std::string first = drain.count + ".begin";
    made.push_back({Let{first, term::variable(drain.end)}});
    for (Block *part : {&filling, &behind}) {
      make_room(*part, drain);
      to_result(*part, drain, term::variable(first));
      append(made, std::move(*part));
    }
    statements = std::move(made);
    std::erase_if(program_.workspace, [&](const auto &array) { return drain.into.contains(array.name); });
  }

  /// Arrays of the workspace that hold anything before, with values of the result's type.
  bool are_lists(const Drain &drain) const {
    return std::ranges::all_of(drain.into, [&](const auto &pair) {
      const WorkspaceArray *array = find_workspace(pair.first, program_);
      const ArrayParameter *into = find_array(pair.second, program_);
      return array && !array->initial && !array->grows &&
             (!array->has_values() || (into && array->element == into->element));
    });
  }

  static bool may_change_places(const Block &before, const Block &filling) {
    const Effects first = effects_of(before), second = effects_of(filling);
    const auto written = [](const Effects &effects) {
      Names names = effects.assigned;
      names.insert(effects.stored.begin(), effects.stored.end());
      return names;
    };
    return first.declared.empty() && !first.breaks && !second.breaks &&
           !meet(written(first), names_in(filling)) && !meet(written(second), names_in(before)) &&
           !meet(second.declared, names_in(before));
  }

  /// Does it count by one, at one place?
  static bool is_filled(const Block &filling, const Drain &drain) {
    int steps = 0;
    bool otherwise = false;
    each<Assign>(filling, [&](const Assign &assign) {
      if (assign.variable != drain.count) return;
      ++steps;
      otherwise = otherwise || assign.value != term::variable(drain.count) + Term(1);
    });
    return steps == 1 && !otherwise;
  }

  bool is_appended_to(const Block &block, const Drain &drain) const {
    const Effects effects = effects_of(block);
    return effects.assigned.contains(drain.end) || effects.assigned.contains(drain.count) ||
           std::ranges::any_of(drain.room.arrays,
                               [&](const std::string &array) { return effects.stored.contains(array); });
  }

  /// Nothing else in the program is about the list's arrays, and nothing in the region about the result's.
  bool are_only_in(const Block &region, const Drain &drain) const {
    const Names names = names_in(region);
    if (std::ranges::any_of(drain.room.arrays, [&](const std::string &name) { return names.contains(name); }))
      return false;
    return std::ranges::all_of(drain.into, [&](const auto &pair) {
      // one more statement than in the region: the loop's own
      return uses_of(program_.body, pair.first) == uses_of(region, pair.first) + 1;
    });
  }

  static int uses_of(const Block &block, const std::string &array) {
    int uses = 0;
    each_statement(block, [&](const Statement &statement) {
      if (blocks_of(statement).empty()) {
        uses += names_in({statement}).contains(array) ? 1 : 0;
        return;
      }
      Statement head = statement;
      for (Block *inner : blocks_of(head))
        inner->clear();
      uses += names_in({head}).contains(array) ? 1 : 0;
    });
    return uses;
  }

  /// In front of what counts one more.
  static void make_room(Block &statements, const Drain &drain) {
    for (Statement &statement : statements)
      for (Block *inner : blocks_of(statement))
        make_room(*inner, drain);
    const auto step = std::ranges::find_if(statements, [&](const Statement &statement) {
      const auto *assign = statement.as<Assign>();
      return assign && assign->variable == drain.count;
    });
    if (step == statements.end()) return;
    const Term end = term::variable(drain.end);
    step->kind = Assign{drain.end, end + Term(1)};
    statements.insert(statements.begin(), {drain.room, step->origins});
  }

  /// The list's arrays are parts of the result's, from `first` on.
  static void to_result(Block &statements, const Drain &drain, const Term &first) {
    const auto moved = [&](Term term) {
      for (bool found = true; found;) {
        found = false;
        for (const Term &load : term::applications_of(term)) {
          const auto *apply = load.as<term::Apply>();
          const auto into = drain.into.find(apply->function);
          if (into == drain.into.end()) continue;
          term = term::replace(term, {{load, term::apply(into->second, {first + apply->arguments.front()})}});
          found = true;
          break;
        }
      }
      return term::substitute(term, {{drain.count, term::variable(drain.end) - first}});
    };
    const auto element_of = [&](const Element &element) {
      const auto into = drain.into.find(element.array);
      return into == drain.into.end() ? element : Element{into->second, first + element.slot};
    };
    rewrite(statements, moved);
    map_elements(statements, element_of);
  }

  Program &program_;
};

} // namespace

Program collect_in_result(Program program, const Known &) {
  Block body = program.body;
  Collecting(program).block(body);
  program.body = std::move(body);
  return program;
}

} // namespace unravel::loop
