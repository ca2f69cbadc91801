#pragma once

#include "pipeline.h"
#include "scan/reasons.h"

#include <string>
#include <vector>

/// What the parts of a page link to, and by which names.
namespace unravel::show {

/// The plans of all leaves with the reasons of their levels, and the ids of places on the page.
class Parts {
public:
  explicit Parts(const pipeline::Compilation &compilation);

  const pipeline::Compilation &compilation() const { return compilation_; }

  /// Of a leaf: the main plan (0) and its alternatives.
  std::size_t plans(std::size_t leaf) const { return reasons_.at(leaf).size(); }
  const plan::LeafPlan &plan(std::size_t leaf, std::size_t number) const;
  /// Of one level, as scan::reasons_of has them.
  const std::vector<scan::Reason> &reasons(const loop::Origin &level) const;

  /// Is there such a level, and not what is done at each point, or the choice of a plan?
  bool is_level(const loop::Origin &origin) const;
  /// The level that stands for it: a loop that a program's statements share is the first one's.
  loop::Origin shown(loop::Origin level) const;

  std::string level_id(const loop::Origin &level) const; // of `shown`
  std::string guard_id(const loop::Origin &level, std::size_t guard) const;
  std::string find_id(const loop::Origin &level) const;
  std::string choice_id(std::size_t leaf, std::size_t plan) const;
  std::string statement_id(std::size_t leaf) const;
  std::string access_id(std::size_t leaf, std::size_t reference) const;
  std::string constraint_id(std::size_t leaf, std::size_t constraint) const;
  /// As it is shown: "3", or of several leaves "2.3".
  std::string constraint_number(std::size_t leaf, std::size_t constraint) const;
  /// Where it is shown: the level, the choice or the statement.
  std::string id(const loop::Origin &origin) const;

  /// That, the constraints behind it and the find's proofs: ids, each once.
  std::vector<std::string> targets(const loop::Origins &origins) const;

  /// "parallel", "reduction" or "carried" of a loop with a verdict, "loop" without one, "let", "find";
  /// "statement", "choice".
  std::string kind(const loop::Origin &origin) const;
  /// Null where there is none: of levels that are no loops, of alternatives.
  const depend::LoopVerdict *verdict(const loop::Origin &level) const;

private:
  const pipeline::Compilation &compilation_;
  std::vector<std::vector<std::vector<std::vector<scan::Reason>>>> reasons_; // leaf, plan, level
};

/// `<a href="#id">(3)</a>` for each, in a row.
std::string constraint_links(const Parts &parts, std::size_t leaf,
                             const std::vector<std::size_t> &constraints);

/// "y(i)"
std::string access_text(const std::string &tensor, const std::vector<term::Term> &coordinates);

} // namespace unravel::show
