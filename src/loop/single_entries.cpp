#include "loop/arrays.h"
#include "loop/load.h"
#include "loop/passes.h"
#include "loop/rename.h"
#include "loop/segment.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace unravel::loop {

using term::Term;

namespace {

/// Puts what is done for one position in the place of loops over segments that have one each.
class Single {
public:
  Single(const Program &program, const Counts &counts) : names_(program), counts_(counts) {
    each_array(program, [&](const std::string &name, const ArrayParameter &array, const auto &parameter) {
      if (!parameter.is_result && !array.is_value && array.extents.size() == 1)
        extents_.emplace(name, array.extents.front());
    });
  }

  /// Statements of the program's own block: in front of each the pointers are looked at.
  void outermost(Block &statements) {
    Block all;
    for (Statement &statement : statements) {
      counted_.clear();
      if (is_loop(statement) || statement.is<If>()) inside(statement);
      for (const auto &[pointers, count] : counted_)
        append(all, counting(pointers, count));
      all.push_back(std::move(statement));
    }
    statements = std::move(all);
  }

private:
  void inside(Statement &statement) {
    for (Block *block : blocks_of(statement)) {
      std::vector<std::string> before = found_;
      for (Statement &inner : *block) {
        if (const auto *let = inner.as<Let>(); let && let->value.as<term::Apply>())
          found_.push_back(let->variable);
        const auto *loop = inner.as<For>();
        if (const std::optional<Segment> segment = loop ? single_segment(*loop) : std::nullopt)
          inner = either(*segment, std::move(inner));
        else
          inside(inner);
      }
      found_ = std::move(before);
    }
  }

  /// The loop's segment, where all of that array of pointers are known to have one position, and which
  /// segment it is has been read from memory: else the pointers are read once, as they are looked at once.
  std::optional<Segment> single_segment(const For &loop) const {
    const std::optional<Segment> segment = segment_between(loop.lower, loop.upper);
    if (!segment || !segment->whole || !is_serial(loop) || !extents_.contains(segment->pointers) ||
        !counts_.contains(segment->pointers + ".single"))
      return {};
    const Effects effects = effects_of(loop.body);
    const bool is_read = std::ranges::any_of(
        found_, [&](const std::string &name) { return segment->number == term::variable(name); });
    const bool has_loops = std::ranges::any_of(loop.body, is_loop);
    return is_read && !has_loops && !effects.breaks ? segment : std::nullopt;
  }

  /// if (all segments have one position) { what is done for it } else { the loop }
  Statement either(const Segment &segment, Statement statement) {
    const auto &loop = std::get<For>(statement.kind);
    const auto [count, is_new] = counted_.try_emplace(segment.pointers);
    if (is_new) count->second = names_.name(segment.pointers + "_single");
    Block one = loop.body;
    rename(one, {{loop.variable, segment.number.as<term::Variable>()->name}});
    If choice{term::equal(term::variable(count->second), extents_.at(segment.pointers)), std::move(one), ""};
    Origins origins = statement.origins;
    choice.otherwise.push_back(std::move(statement));
    return {std::move(choice), std::move(origins)};
  }

  /// Counts the pointers that are their own places: if all are, each segment has the position of its number.
  Block counting(const std::string &pointers, const std::string &count) {
    const std::string place = names_.name(pointers + "_place");
    For all{place, Term(0), extents_.at(pointers)};
    all.comment = "does each segment have one entry?";
    all.body.push_back({If{term::equal(term::apply(pointers, {term::variable(place)}), term::variable(place)),
                           {{Assign{count, term::variable(count) + Term(1)}}},
                           ""}});
    return {{Declare{count, Term(0)}}, {std::move(all)}};
  }

  FreshNames names_;
  const Counts &counts_;
  std::map<std::string, Term> extents_; // of the operands' index arrays of one extent
  std::map<std::string, std::string>
      counted_;                    // pointers: the variable that counts, in front of the statement
  std::vector<std::string> found_; // variables that have been read from index arrays
};

} // namespace

Program take_single_entries(Program program, const Known &known) {
  Single(program, known.counts).outermost(program.body);
  return program;
}

} // namespace unravel::loop
