#include "emit/assembled.h"

#include "loop/assembled.h"
#include "loop/walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace unravel::emit {

using loop::ArrayParameter;
using loop::TensorParameter;
using term::Term;

Assembly::Assembly(const loop::Program &program, Names &names, Expressions &expressions)
    : program_(program), names_(names), expressions_(expressions) {
  for (const TensorParameter &parameter : program.parameters) {
    if (!parameter.assembled) continue;
    results_.push_back(&parameter);
    for (const ArrayParameter &array : parameter.arrays)
      arrays_.push_back({&array, parameter.name + "." + array.name, count_of_array(parameter, array)});
    for (const std::string &count : parameter.counts)
      rooms_[parameter.name + "." + count] = names.fresh_variable(parameter.name + "_" + count + "_room");
  }
  grows_ = std::ranges::any_of(program.workspace, [](auto &array) { return array.grows || array.hashed; });
  if (!any()) return;
  expressions.need("assembled");
  bool may_fail =
      std::any_of(arrays_.begin(), arrays_.end(), [](const Array &array) { return array.count.empty(); });
  each_statement(program.body, [&](const loop::Statement &statement) {
    may_fail = may_fail || statement.is<loop::Reserve>();
  });
  if (!may_fail) return;
  label_ = names.fresh("failed"), code_ = names.fresh("code");
  least_ = names.fresh("least"), grown_ = names.fresh("grown"), room_ = names.fresh("room");
}

Lines Assembly::declare() const {
  Lines lines;
  for (const Array &array : arrays_) {
    expressions_.need("restrict");
    lines.add("{} *UNRAVEL_RESTRICT {} = 0;", c_type(array.array->element), pointer(array));
  }
  // below 0: the arrays for no entries have elements too, and aren't null
  for (const auto &[count, room] : rooms_)
    if (std::any_of(arrays_.begin(), arrays_.end(), [&](const Array &each) { return each.count == count; }))
      lines.add("int64_t {} = -1;", room);
  if (!label_.empty()) lines.add("int {} = 2;", code_);
  return lines;
}

std::string Assembly::length_of(const Array &array) const {
  const std::vector<Term> &extents = array.array->extents;
  Term length(1);
  for (std::size_t k = 1; k < extents.size(); ++k)
    length = term::multiply(length, extents[k]);
  return expressions_.term_of_members(length);
}

std::string Assembly::sized(const Array &array, const std::map<std::string, std::string> &by) const {
  const std::vector<Term> &extents = array.array->extents;
  const Term count = extents.empty() ? Term(1) : term::rename(extents[0], by, {});
  return fmt::format("{0}, {1}, {2}, sizeof(*{0})", pointer(array), expressions_.term_of_members(count),
                     length_of(array));
}

Lines Assembly::make() const {
  Lines lines;
  for (const Array &array : arrays_) {
    if (!array.count.empty()) continue;
    expressions_.need("grow");
    lines.add("{} = ({} *)unravel_grow({});", pointer(array), c_type(array.array->element), sized(array, {}));
    lines.add("if (!{}) goto {};", pointer(array), label_);
  }
  return lines;
}

Assembly::Growth Assembly::begin_growth(const std::string &room, const loop::Reserve &x,
                                        std::int64_t most) const {
  Growth made{fmt::format("if ({} < {})", room, expressions_.term(x.least)),
              {fmt::format("const int64_t {} = {};", least_, expressions_.term(x.least))}};
  if (!x.arrays.empty()) made.inside.add("void *{};", grown_);
  if (most < loop::most_in_memory) {
    made.inside.add("if ({} > {}) {{", least_, most);
    made.inside.add("  {} = 4;", code_);
    made.inside.add("  goto {};", label_);
    made.inside.push_back("}");
  } else {
    made.inside.add("if ({} > {}) goto {};", least_, most, label_);
  }
  return made;
}

Assembly::Growth Assembly::grow(const loop::Reserve &x) const {
  if (x.count.empty()) return grow_workspace(x);
  const std::string &room = rooms_.at(x.count);
  const std::int64_t most = most_counted(*loop::assembled_result(x.count, program_));
  Growth made = begin_growth(room, x, most);
  if (x.arrays.empty()) return made;
  expressions_.need("room"), expressions_.need("grow");
  made.inside.add("{} = {};", room, room_for(x.count, most));
  for (const Array &array : arrays_) {
    if (array.count != x.count) continue;
    add_array(made, room, sized(array, {{x.count, room}}), pointer(array), array.array->element);
  }
  return made;
}

bool Assembly::begin_loop(const Progress &loop) {
  if (!any() || progress_) return false;
  progress_ = loop;
  return true;
}

std::string Assembly::room_for(const std::string &count, std::int64_t most) const {
  const std::string known = fmt::format("{}, {}, {}", rooms_.at(count), least_, most);
  if (!progress_) return fmt::format("unravel_room({})", known);
  expressions_.need("room_ahead");
  if (const auto range = ranges_.find(count); range != ranges_.end())
    return fmt::format("unravel_parts_room(&{}, {}, {}, {}, {}, {})", parts_, chunk_, range->second, known,
                       progress_->done, progress_->all);
  return fmt::format("unravel_room_ahead({}, (double){} / (double)({}) * (double)({}))", known, least_,
                     progress_->done, progress_->all);
}

void Assembly::add_array(Growth &made, const std::string &room, const std::string &sized,
                         const std::string &to, loop::ElementType type) const {
  made.inside.add("{} = unravel_grow({});", grown_, sized);
  made.inside.add("while (!{0} && {1} > {2}) {1} = {2} + ({1} - {2}) / 2, {0} = unravel_grow({3});", grown_,
                  room, least_, sized);
  made.inside.add("if (!{}) goto {};", grown_, label_);
  made.inside.add("{} = ({} *){};", to, c_type(type), grown_);
}

std::string Assembly::fail_at(std::string label) {
  return std::exchange(label_, std::move(label));
}

Assembly::Growth Assembly::enlarge(const loop::Reserve &x) const {
  const std::string &array = x.arrays.front(), table = names_.array(array);
  const std::string least = expressions_.term(x.least);
  return {fmt::format("if ({}->places < {})", table, expressions_.term(term::scale(2, x.least))),
          {fmt::format("if (!{}({}, {})) goto {};", expressions_.for_table("enlarge", array), table, least,
                       label_)}};
}

Assembly::Growth Assembly::grow_workspace(const loop::Reserve &x) const {
  const Names::Workspace &work = names_.workspace();
  if (const auto array = std::ranges::find(program_.workspace, x.arrays.front(), &loop::WorkspaceArray::name);
      array->hashed)
    return enlarge(x);
  std::int64_t most = loop::most_in_memory;
  std::vector<const loop::WorkspaceArray *> arrays;
  for (const loop::WorkspaceArray &array : program_.workspace) {
    if (std::ranges::find(x.arrays, array.name) == x.arrays.end()) continue;
    arrays.push_back(&array);
    if (array.element == loop::ElementType::Int32) most = std::numeric_limits<std::int32_t>::max();
  }
  const auto member = [&](const std::string &name) { return fmt::format("{}->{}", work.parameter, name); };
  const std::string capacity = member(work.capacities.at(arrays.front()->name));
  Growth made = begin_growth(capacity, x, most);
  expressions_.need("room"), expressions_.need("grow");
  const std::string room = fmt::format("unravel_room({}, {}, {})", capacity, least_, most);
  made.inside.add("int64_t {} = {};", room_, room);
  for (const loop::WorkspaceArray *array : arrays) {
    const std::string &name = names_.array(array->name), held = member(work.members.at(array->name));
    add_array(made, room_, fmt::format("{}, {}, 1, sizeof(*{})", held, room_, name),
              fmt::format("{} = {}", name, held), array->element);
  }
  for (const loop::WorkspaceArray *array : arrays)
    made.inside.add("{} = {};", member(work.capacities.at(array->name)), room_);
  return made;
}

std::vector<const Assembly::Array *> Assembly::grown(const loop::Appended &appended) const {
  std::vector<const Array *> arrays;
  for (const loop::Appended::Counter &counter : appended.counters)
    for (const Array &array : arrays_)
      if (array.count == counter.count) arrays.push_back(&array);
  return arrays;
}

const loop::Appended::Counter &Assembly::counter_of(const loop::Appended &appended, const Array &array) {
  return *std::ranges::find(appended.counters, array.count, &loop::Appended::Counter::count);
}

Lines Assembly::begin_own(const loop::Appended &appended, const ChunkLoop &loop, const std::string &label) {
  parts_ = loop.parts, chunk_ = loop.chunk, progress_ = loop.progress;
  for (const loop::Appended::Counter &counter : appended.counters)
    ranges_.emplace(counter.count, ranges_.size());
  outside_ = {{}, {}, rooms_, label_, code_};
  Lines lines;
  for (const Array *array : grown(appended)) {
    const std::string own = names_.fresh(pointer(*array) + "_own");
    lines.add("{0} *UNRAVEL_RESTRICT {1} = ({0} *)unravel_parts_own(&{2}, {3});",
              c_type(array->array->element), own, parts_, lines.size());
    outside_.arrays[array->name] = pointer(*array);
    names_.rename_array(array->name, own);
  }
  for (const loop::Appended::Counter &counter : appended.counters) {
    std::string &room = rooms_.at(counter.count);
    room = names_.fresh_variable(room + "_own");
    lines.add("int64_t {} = -1;", room);
  }
  for (const std::string &variable : appended.variables()) {
    const std::string outside = names_.variable(variable), own = names_.fresh(outside + "_own");
    lines.add("int64_t {} = 0;", own);
    outside_.variables[variable] = outside;
    names_.rename_variable(variable, own);
  }
  label_ = label;
  code_ = names_.fresh(code_ + "_own");
  lines.add("int {} = 2;", code_);
  return lines;
}

void Assembly::end_own() {
  for (const auto &[array, name] : outside_.arrays)
    names_.rename_array(array, name);
  for (const auto &[variable, name] : outside_.variables)
    names_.rename_variable(variable, name);
  rooms_ = std::move(outside_.rooms);
  ranges_.clear();
  progress_.reset();
  label_ = std::move(outside_.label), code_ = std::move(outside_.code);
}

Lines Assembly::hold(const loop::Appended &appended, const std::string &parts) const {
  Lines lines;
  for (const Array *array : grown(appended))
    lines.add("unravel_parts_hold(&{}, {}, {});", parts, lines.size(), pointer(*array));
  return lines;
}

std::size_t Assembly::range_of(const loop::Appended &appended, const std::string &end) {
  const std::vector<std::string> variables = appended.variables();
  return static_cast<std::size_t>(std::ranges::find(variables, end) - variables.begin());
}

Lines Assembly::place(const loop::Appended &appended, const std::string &parts) const {
  const std::string failed = failure_of(parts);
  Lines lines;
  for (const loop::Appended::Counter &counter : appended.counters) {
    const std::string end = names_.variable(counter.end);
    names_.rename_variable(end, end); // extents may mention it
    lines.add("{} = unravel_parts_count(&{}, {});", end, parts, range_of(appended, counter.end));
    const std::int64_t most = most_counted(*loop::assembled_result(counter.count, program_));
    lines.add("if (!{0} && {1} > {2}) {0} = {3};", failed, end, most, most < loop::most_in_memory ? 4 : 2);
  }
  std::size_t number = 0;
  for (const Array *array : grown(appended)) {
    const std::string &end = counter_of(appended, *array).end;
    lines.add("if (!{}) {{", failed);
    lines.add("  void *const {} = unravel_parts_place(&{}, {}, {});", grown_, parts, number++,
              sized(*array, {{array->count, names_.variable(end)}}));
    lines.add("  if ({}) {} = ({} *){};", grown_, pointer(*array), c_type(array->array->element), grown_);
    lines.add("  else {} = 2;", failed);
    lines.push_back("}");
  }
  return lines;
}

Lines Assembly::describe(const loop::Appended &appended, const std::string &parts) const {
  Lines lines;
  for (const Array *array : grown(appended)) {
    const loop::Appended::Counter &counter = counter_of(appended, *array);
    lines.add("unravel_parts_array(&{}, {}, {}, {}, {}, sizeof(*{}));", parts, lines.size(),
              range_of(appended, counter.end), most_counted(*loop::assembled_result(counter.count, program_)),
              length_of(*array), pointer(*array));
  }
  return lines;
}

Lines Assembly::raise(const loop::Appended &appended, const std::string &parts, const std::string &chunk,
                      bool are_placed) const {
  const std::vector<const Array *> arrays = grown(appended);
  Lines lines;
  for (const loop::Appended::Pointers &pointers : appended.pointers) {
    const bool is_long = expressions_.type_of(pointers.array) == loop::ElementType::Int64;
    const std::string raise = is_long ? "raise_long" : "raise";
    expressions_.need(raise);
    const auto own = std::ranges::find(arrays, pointers.array, &Array::name);
    const std::string made =
        own == arrays.end() || are_placed
            ? names_.array(pointers.array)
            : fmt::format("({} *){}.made[{}]", c_type((*own)->array->element), parts, own - arrays.begin());
    lines.add("unravel_{}(&{}, {}, {}, {}, {}, {});", raise, parts, chunk, made,
              range_of(appended, pointers.end), own == arrays.end() ? 0 : 1,
              range_of(appended, pointers.into));
  }
  return lines;
}

Lines Assembly::copy(const loop::Appended &appended, const std::string &parts,
                     const std::string &chunk) const {
  Lines lines;
  for (const Array *array : grown(appended))
    lines.add("unravel_parts_copy(&{}, {}, {}, {});", parts, chunk, lines.size(), pointer(*array));
  for (const std::string &line : raise(appended, parts, chunk, true))
    lines.push_back(line);
  return lines;
}

Lines Assembly::end(const loop::Appended &appended, const std::string &parts) const {
  Lines lines;
  for (const loop::Appended::Pointers &pointers : appended.pointers)
    if (!appended.counter(pointers.end))
      lines.add("{0} = unravel_parts_of(&{1}, {1}.chunks - 1, {2})[1];", names_.variable(pointers.end), parts,
                range_of(appended, pointers.end));
  lines.add("unravel_parts_end(&{});", parts);
  lines.add("if ({}) {{", failure_of(parts));
  lines.add("  {} = {};", code_, failure_of(parts));
  lines.add("  goto {};", label_);
  lines.push_back("}");
  return lines;
}

std::string Assembly::set(const loop::SetCount &x) const {
  return fmt::format("const int64_t {} = {};", names_.variable(x.count), expressions_.term(x.value));
}

Lines Assembly::finish() const {
  Lines lines;
  for (const TensorParameter *result : results_)
    for (const std::string &count : result->counts) {
      const std::string name = result->name + "." + count;
      lines.add("{} = {};", names_.member(name), names_.variable(name));
    }
  for (const Array &array : arrays_)
    if (array.count.empty()) {
      lines.add("{} = {};", names_.member(array.name), pointer(array));
    } else {
      expressions_.need("grow"), expressions_.need("trim");
      lines.add("{} = ({} *)unravel_trim({});", names_.member(array.name), c_type(array.array->element),
                sized(array, {}));
    }
  return lines;
}

Lines Assembly::release() const {
  Lines lines;
  for (const Array &array : arrays_)
    lines.add("free({});", pointer(array));
  return lines;
}

Lines Assembly::fail() const {
  Lines lines = release();
  if (!program_.workspace.empty())
    lines.add("{}({});", names_.workspace().free, names_.workspace().parameter);
  lines.add("return {};", code_);
  return lines;
}

} // namespace unravel::emit
