#include "loop/assembled.h"

#include "loop/walk.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>

namespace unravel::loop {

using term::Term;

namespace {

template <class... Parts> [[noreturn]] void refuse(fmt::format_string<Parts...> what, Parts &&...parts) {
  report::fail(report::Kind::internal,
               "malformed loop program: " + fmt::format(what, std::forward<Parts>(parts)...),
               "please report this as a bug");
}

std::vector<std::string> counts_in(const TensorParameter &parameter, const Term &extent) {
  std::vector<std::string> found;
  for (const std::string &count : parameter.counts)
    if (std::string name = parameter.name + "." + count; mentions(extent, name)) found.push_back(name);
  return found;
}

/// Where a statement stands.
struct Place {
  bool in_parallel = false; // in a simd loop too
  bool in_simd = false;
  bool in_loop = false;
  bool at_top = true;
  const Appended *appended = nullptr; // what the parallel loop around appends
};

class AssembledVerifier {
public:
  explicit AssembledVerifier(const Program &program) : program_(program) {
    for (const TensorParameter &parameter : program.parameters)
      if (parameter.assembled) declare(parameter);
  }

  void check() {
    for (const Precondition &condition : program_.preconditions)
      before_body(condition.formula, "a precondition");
    for (const WorkspaceArray &array : program_.workspace)
      before_body(array.extent, "the workspace"), before_body(array.when, "the workspace");
    block(program_.body, {});
    for (const std::string &count : counts_)
      if (!set_.contains(count)) refuse("the count `{}` is never set", count);
  }

private:
  void declare(const TensorParameter &parameter) {
    if (!parameter.is_result || !parameter.structure.empty())
      refuse("`{}` is assembled, but no result of its own structure", parameter.name);
    for (const std::string &count : parameter.counts)
      counts_.insert(parameter.name + "." + count);
    for (const ArrayParameter &array : parameter.arrays) {
      const std::string name = parameter.name + "." + array.name;
      arrays_.insert(name);
      for (std::size_t k = 0; k < array.extents.size(); ++k) {
        const Term &extent = array.extents[k];
        if (!applications_of(extent).empty())
          refuse("an extent of the assembled array `{}` reads an array", name);
        const std::size_t counts = counts_in(parameter, extent).size();
        if (counts > 1) refuse("an extent of `{}` mentions several counts", name);
        // its elements would change their places as it grows
        if (counts > 0 && k > 0) refuse("an inner extent of `{}` mentions a count", name);
      }
    }
  }

  void before_body(const Term &term, const char *where) const {
    no_counts(term);
    for (const Term &load : applications_of(term))
      if (const std::string &array = load.as<term::Apply>()->function; arrays_.contains(array))
        refuse("{} reads the assembled array `{}`", where, array);
  }

  void no_counts(const Term &term) const {
    for (const std::string &name : variables_of(term))
      if (counts_.contains(name)) refuse("the count `{}` is read, which the kernel sets", name);
  }

  void block(const Block &statements, const Place &place) {
    for (const Statement &statement : statements) {
      each_own_term(statement, [&](const Term &term) { no_counts(term); });
      if (const auto *wanted = statement.as<Reserve>()) reserve(*wanted, place);
      if (const auto *set = statement.as<SetCount>()) set_count(*set, place);
      Place inside = place;
      inside.at_top = false;
      inside.in_loop = inside.in_loop || is_loop(statement);
      if (const auto *loop = statement.as<For>()) {
        inside.in_parallel = inside.in_parallel || loop->parallel || loop->simd;
        inside.in_simd = inside.in_simd || loop->simd;
        if (loop->parallel && loop->parallel->appended) {
          appended(*loop, place);
          inside.appended = &*loop->parallel->appended;
        } else if (loop->parallel || loop->simd) {
          inside.appended = nullptr;
        }
        if (loop->parallel && arrays_.contains(loop->parallel->copied))
          refuse("threads have copies of the assembled array `{}`", loop->parallel->copied);
        if (loop->masked && arrays_.contains(loop->masked->pointers))
          refuse("the loop over `{}` asks for the assembled array `{}` before it is made", loop->variable,
                 loop->masked->pointers);
      }
      for (const Block *inner : blocks_of(statement))
        block(*inner, inside);
    }
  }

  void appended(const For &loop, const Place &place) const {
    const Parallel &parallel = *loop.parallel;
    const Appended &made = *parallel.appended;
    if (place.in_loop || place.in_parallel || loop.simd || !parallel.sum.empty() ||
        !parallel.copied.empty() || made.counters.empty())
      refuse("the parallel loop over `{}` can't append", loop.variable);
    is_count(made.counters.front().count);
    const TensorParameter &result = *assembled_result(made.counters.front().count, program_);
    std::set<std::string> counts;
    for (const Appended::Counter &counter : made.counters)
      is_count(counter.count), counts.insert(counter.count);
    if (counts.size() != result.counts.size() || counts.size() != made.counters.size())
      refuse("the loop over `{}` doesn't append all counts of `{}`, once each", loop.variable, result.name);
    for (const Appended::Pointers &pointers : made.pointers) {
      const auto array = std::ranges::find_if(result.arrays, [&](const ArrayParameter &each) {
        return result.name + "." + each.name == pointers.array;
      });
      if (array == result.arrays.end() || array->is_value || array->extents.size() != 1)
        refuse("`{}` is no array of pointers of `{}`", pointers.array, result.name);
      const Appended::Counter *nodes = made.counter(pointers.end);
      if (!made.counter(pointers.into) || count_of_array(result, *array) != (nodes ? nodes->count : ""))
        refuse("the pointers `{}` don't point from nodes to nodes", pointers.array);
    }
  }

  void is_count(const std::string &count) const {
    if (!counts_.contains(count)) refuse("`{}` is no count of an assembled result", count);
  }

  void reserve(const Reserve &wanted, const Place &place) const {
    if (wanted.count.empty()) return reserve_workspace(wanted, place);
    is_count(wanted.count);
    if (wanted.arrays != arrays_of_count(*assembled_result(wanted.count, program_), wanted.count))
      refuse("the arrays reserved for `{}` are not those whose extents mention it", wanted.count);
    const bool is_appended =
        place.appended && std::ranges::any_of(place.appended->counters,
                                              [&](auto &counter) { return counter.count == wanted.count; });
    if (place.in_parallel && !is_appended)
      refuse("`{}` is reserved for in a parallel or simd loop", wanted.count);
    if (set_.contains(wanted.count)) refuse("`{}` is reserved for when it is set", wanted.count);
  }

  void reserve_workspace(const Reserve &wanted, const Place &place) const {
    if (wanted.arrays.empty()) refuse("room is reserved in no array");
    bool is_own = true; // each thread's
    for (const std::string &name : wanted.arrays) {
      const auto array = std::ranges::find(program_.workspace, name, &WorkspaceArray::name);
      if (array == program_.workspace.end() || !(array->grows || array->hashed))
        refuse("`{}` is no workspace array that grows", name);
      if (array->hashed && wanted.arrays.size() > 1)
        refuse("room is reserved in the hashed array `{}` and in others", name);
      is_own = is_own && array->per_thread;
    }
    if (place.in_simd || (place.in_parallel && !is_own))
      refuse("room is reserved in a parallel or simd loop");
  }

  void set_count(const SetCount &set, const Place &place) {
    is_count(set.count);
    if (!place.at_top) refuse("`{}` is set within another statement", set.count);
    if (!set_.insert(set.count).second) refuse("`{}` is set twice", set.count);
  }

  const Program &program_;
  std::set<std::string> counts_, arrays_; // of assembled results
  std::set<std::string> set_;             // counts, so far
};

} // namespace

const Appended::Counter *Appended::counter(const std::string &end) const {
  const auto found =
      std::find_if(counters.begin(), counters.end(), [&](const Counter &each) { return each.end == end; });
  return found == counters.end() ? nullptr : &*found;
}

std::vector<std::string> Appended::variables() const {
  std::vector<std::string> names;
  for (const Counter &each : counters)
    names.push_back(each.end);
  for (const Pointers &each : pointers)
    if (!counter(each.end)) names.push_back(each.end);
  return names;
}

const TensorParameter *assembled_result(const std::string &qualified, const Program &program) {
  for (const TensorParameter &parameter : program.parameters)
    if (parameter.assembled && qualified.substr(0, qualified.find('.')) == parameter.name) return &parameter;
  return nullptr;
}

std::vector<std::string> arrays_of_count(const TensorParameter &parameter, const std::string &count) {
  std::vector<std::string> names;
  for (const ArrayParameter &array : parameter.arrays)
    if (count_of_array(parameter, array) == count) names.push_back(parameter.name + "." + array.name);
  return names;
}

std::string count_of_array(const TensorParameter &parameter, const ArrayParameter &array) {
  for (const Term &extent : array.extents)
    if (std::vector<std::string> counts = counts_in(parameter, extent); !counts.empty()) return counts[0];
  return "";
}

std::int64_t most_counted(const TensorParameter &parameter) {
  const bool is_short =
      std::any_of(parameter.arrays.begin(), parameter.arrays.end(), [](const ArrayParameter &array) {
        return !array.is_value && array.element == ElementType::Int32;
      });
  return is_short ? std::numeric_limits<std::int32_t>::max() : most_in_memory;
}

void verify_assembled(const Program &program) {
  AssembledVerifier(program).check();
}

} // namespace unravel::loop
