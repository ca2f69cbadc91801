// Counterexamples to obligations, and the words for them.
#include "find/counterexample.h"

#include "prove/world.h"
#include "term/read.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace unravel::find {

namespace {

using prove::World;
using scan::Level;
using term::Term;

/// The text between the parentheses of an obligation's name.
std::string argument_of(const std::string &name) {
  std::size_t open = name.find('('), close = name.rfind(')');
  return open == std::string::npos || close == std::string::npos ? ""
                                                                 : name.substr(open + 1, close - open - 1);
}

void add_arrays(const Term &term, std::vector<std::string> &names) {
  for (const Term &application : term::applications_of(term)) {
    const std::string &name = application.as<term::Apply>()->function;
    if (!contains(names, name)) names.push_back(name);
  }
}

/// The arrays that the find reads: its keys.
std::vector<std::string> key_arrays(const Level &level) {
  std::vector<std::string> names;
  for (const scan::Component &component : level.components) {
    add_arrays(component.key, names);
    add_arrays(component.width, names);
  }
  return names;
}

/// The arrays from which the targets come, seen through assigned variables.
std::vector<std::string> target_arrays(const scan::Nest &nest, std::size_t index) {
  std::vector<std::string> names;
  for (const scan::Component &component : nest.levels[index].components) {
    add_arrays(scan::through_lets(component.target, nest.levels), names);
  }
  return names;
}

/// One example with the find that it is about.
class Example {
public:
  Example(const scan::Nest &nest, std::size_t level, const World &world)
      : nest_(nest), level_(nest.levels[level]), index_(level), world_(world) {}

  std::string sentence(const std::string &name) const {
    std::string kind = kind_of(name), argument = argument_of(name);
    if (kind == "O-stop") return stop(argument.substr(0, 2) == "up");
    if (kind == "O-part") return partition();
    if (kind == "O-uniq")
      return fmt::format("{}: it is at positions {} and {}", looking(), position(0), position(1));
    if (kind == "O-contig")
      return fmt::format("{}: it is at positions {} and {} but not at {} between them", looking(),
                         position(0), position(1), position(2));
    if (kind == "O-direct")
      return fmt::format("{}: it is at position {}, not at `{}`", looking(), position(0), argument);
    if (kind == "O-start")
      return fmt::format("{}: it is at position {}, before `{}`", looking(), position(0), argument);
    if (kind == "O-empty")
      return fmt::format("{}: it is at position {}, after the empty position {}", looking(), position(1),
                         position(0));
    if (kind == "O-persist") return persist();
    if (kind == "O-inc") return increment();
    if (kind == "O-init" || kind == "O-clamp") return starts(kind == "O-clamp", argument == "up");
    if (kind == "O-range" && argument.find(", ") == std::string::npos) return range(argument);
    if (kind == "O-block") return block(argument.substr(argument.rfind(", ") + 2));
    return fmt::format("{}: {}", data(), variables());
  }

private:
  std::int64_t position(int primes) const {
    return world_.variable(level_.variable + std::string(static_cast<std::size_t>(primes), '\''));
  }

  /// A term over outer variables (of the second visit where `visit` is 1) and a position.
  std::int64_t value(const Term &term, int visit, std::int64_t at = 0) const {
    term::Substitution by;
    if (visit == 1)
      for (std::size_t k = 0; k < index_; ++k)
        by[nest_.levels[k].variable] = term::variable(nest_.levels[k].variable + "'");
    by[level_.variable] = Term(at);
    return term::evaluate(term::substitute(term, by), world_);
  }

  std::string tuple(const std::vector<std::string> &parts) const {
    return parts.size() == 1 ? parts[0] : fmt::format("({})", fmt::join(parts, ", "));
  }

  std::string target(int visit) const {
    std::vector<std::string> parts;
    for (const scan::Component &component : level_.components)
      parts.push_back(std::to_string(value(component.target, visit)));
    return tuple(parts);
  }

  /// What is found at a position: the key, or the interval of a block.
  std::string key(std::int64_t at) const {
    std::vector<std::string> parts;
    for (const scan::Component &component : level_.components) {
      std::int64_t low = value(component.key, 0, at);
      parts.push_back(component.is_equality()
                          ? std::to_string(low)
                          : fmt::format("[{}, {})", low, low + value(component.width, 0, at)));
    }
    return tuple(parts);
  }

  const World::Array &array_of(const std::string &name) const {
    const auto found = world_.arrays.find(name);
    if (found == world_.arrays.end()) throw prove::Outside();
    return found->second;
  }

  std::string array(const std::string &name) const {
    return fmt::format("{} = [{}]", name, fmt::join(array_of(name).values, ", "));
  }

  std::string arrays(const std::vector<std::string> &names) const {
    std::vector<std::string> parts;
    for (const std::string &name : names)
      parts.push_back(array(name));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  /// The arrays that are searched, with the segment where it isn't all of them, and the arrays that say where
  /// segments begin where there is more than one.
  std::string data(int visit = 0) const {
    std::vector<std::string> names = key_arrays(level_);
    std::int64_t lower = value(level_.lower, visit), upper = value(level_.upper, visit);
    bool whole = lower == 0 && !names.empty() && std::ranges::all_of(names, [&](auto &name) {
                   return array_of(name).extents.at(0) == upper;
                 });
    std::vector<std::string> shown, bounds;
    add_arrays(level_.lower, bounds);
    add_arrays(level_.upper, bounds);
    for (const std::string &name : bounds)
      if (array_of(name).values.size() > 2 && !contains(names, name)) shown.push_back(name);
    shown.insert(shown.end(), names.begin(), names.end());
    std::string text = shown.empty() ? level_.variable : arrays(shown);
    return whole ? text : text + fmt::format(" in positions [{}, {})", lower, upper);
  }

  /// The arrays of the targets first.
  std::string all_data() const {
    std::vector<std::string> names = target_arrays(nest_, index_), keys = key_arrays(level_);
    std::erase_if(names, [&](auto &name) { return contains(keys, name); });
    std::string text = arrays(names);
    return text.empty() ? data() : text + ", " + data();
  }

  std::string looking() const { return fmt::format("{}, looking for {}", data(), target(0)); }

  std::string stop(bool up) const {
    return fmt::format("{} {} {}: a search {} stops at position {} and misses position {}", looking(),
                       up ? "after" : "before", key(position(0)), up ? "upwards" : "downwards", position(0),
                       position(1));
  }

  std::string partition() const {
    std::int64_t low = std::min(position(0), position(1)), high = std::max(position(0), position(1));
    return fmt::format(
        "{}: with {} at position {} and {} at position {}, a binary search can't tell which half to search",
        looking(), key(low), low, key(high), high);
  }

  std::string persist() const {
    return fmt::format("{}, looking for {} and later for {}: position {} is skipped and then needed",
                       all_data(), target(0), target(1), position(0));
  }

  std::string increment() const {
    if (target(0) == target(1))
      return fmt::format("{}: the target {} comes twice, and a walk that steps past a match would miss it",
                         all_data(), target(0));
    return fmt::format("{}: {} and later {} are both at position {}, and a walk that steps past a match "
                       "would miss the second",
                       all_data(), target(0), target(1), position(0));
  }

  std::string starts(bool back, bool up) const {
    const Term &bound = up ? level_.lower : level_.upper;
    std::vector<std::string> names;
    add_arrays(bound, names);
    return fmt::format("{}{}two visits that share the state start at {} and {}{}", arrays(names),
                       names.empty() ? "" : ": ", value(bound, 0), value(bound, 1),
                       back ? ", further back" : "");
  }

  std::string range(const std::string &extent) const {
    std::int64_t end = term::evaluate(term::read_term(extent), world_);
    return fmt::format("{}: the key at position {} is {}, outside of [0, {}) = [0, {})", data(), position(0),
                       key(position(0)), extent, end);
  }

  std::string block(const std::string &width) const {
    return fmt::format("{}: the block at position {} is {}, which doesn't begin at a multiple of {}", data(),
                       position(0), key(position(0)), width);
  }

  std::string variables() const {
    std::vector<std::string> parts;
    for (std::size_t k = 0; k <= index_; ++k)
      for (const char *prime : {"", "'"})
        if (auto at = world_.variables.find(nest_.levels[k].variable + prime); at != world_.variables.end())
          parts.push_back(fmt::format("{} = {}", at->first, at->second));
    return fmt::format("it fails for {}", fmt::join(parts, ", "));
  }

  const scan::Nest &nest_;
  const Level &level_;
  std::size_t index_;
  const World &world_;
};

/// The obligation that a candidate's reason names ("O-stop not proved for any skip condition"): the first of
/// that kind that was asked and not proved; of several kinds ("O-stop and O-part") the last, which is asked
/// where the others hold. Null where the reason names none.
const Obligation *named_obligation(const LevelPlan &plan, const std::string &reason) {
  if (reason.substr(0, 2) != "O-") return nullptr;
  const std::string both = "O-stop and O-part";
  std::vector<std::string> kinds{kind_of(reason)};
  if (reason.substr(0, both.size()) == both) kinds = {"O-part", "O-stop"};
  for (const std::string &kind : kinds)
    for (const Obligation &each : plan.obligations)
      if (!each.holds && !each.wanted_possible && kind_of(each.name) == kind) return &each;
  return nullptr;
}

} // namespace

std::string demand(const LevelPlan &plan, const std::string &reason) {
  const Obligation *obligation = named_obligation(plan, reason);
  const std::string kind = kind_of(obligation ? obligation->name : reason);
  const std::string meaning = meaning_of(kind);
  return meaning.empty() ? "" : fmt::format("{} asks that {}", kind, meaning);
}

std::string counterexample(const scan::Nest &nest, std::size_t level, const Obligation &obligation,
                           const prove::Prover &prover) {
  std::vector<std::string> first = key_arrays(nest.levels[level]);
  for (const std::string &name : target_arrays(nest, level))
    first.push_back(name);
  std::optional<World> world = prove::small_world(
      prover.axioms(), prover.log().at(obligation.question).hypotheses, nest.arrays, first);
  if (!world) return "";
  try {
    return Example(nest, level, *world).sentence(obligation.name);
  } catch (const prove::Outside &) {
    return ""; // the words need a value that the obligation doesn't speak of
  }
}

std::string failure(const scan::Nest &nest, const LevelPlan &plan, const std::string &reason,
                    const prove::Prover &prover) {
  const Obligation *obligation = named_obligation(plan, reason);
  if (!obligation) return reason;
  std::string example = counterexample(nest, plan.level, *obligation, prover);
  if (example.empty()) return reason + "; no small counterexample was found";
  return fmt::format("{}; a counterexample to {}: {}", reason, obligation->name, example);
}

std::string kind_of(const std::string &obligation) {
  return obligation.substr(0, obligation.find_first_of("({ "));
}

std::string meaning_of(const std::string &obligation) {
  static const std::map<std::string, std::string> meanings = {
      {"vacuity", "something can be found at all: the properties don't contradict each other"},
      {"profit", "several visits share a walk, so that it saves something"},
      {"O-uniq", "a target is at no more than one position"},
      {"O-contig", "the positions of a target lie side by side"},
      {"O-direct", "the target alone says at which position it is"},
      {"O-in-bounds", "that position lies in the segment"},
      {"O-match", "the entry at that position is the target"},
      {"O-start", "no key lies before its hash"},
      {"O-front", "the hash of a target lies in the segment"},
      {"O-empty", "no key lies after an empty position that follows its hash"},
      {"O-next", "this key is the next one in the order of the segment"},
      {"O-stop", "where a search stops without a match, no match follows"},
      {"O-part", "keys are in order, so a binary search knows which half to search"},
      {"O-persist", "later visits that share a walk don't need the positions that it has skipped"},
      {"O-init", "visits that share a walk begin at one position"},
      {"O-clamp", "the start of a walk never moves back"},
      {"O-inc", "no later visit needs the position of a match again"},
      {"O-place", "the walk of one outer iteration serves all visits in it"},
      {"O-zero", "no segment begins before position 0"},
      {"O-room", "the array of walks has room for all of them"},
      {"O-high", "no segment ends after the last position"},
      {"O-read", "keys can be read at all positions where the map is filled"},
      {"O-range", "keys lie in a range that a property names"},
      {"O-target", "targets lie in the range of the keys"},
      {"O-block", "blocks begin at multiples of their width"},
      {"O-bounds", "no segment ends before it begins"},
      {"O-rise", "keys strictly increase"},
      {"O-first", "no key lies before the first tile"},
      {"O-past", "a walk stops after its tile"},
      {"O-jump", "no match follows an entry whose key lies after the tile"},
      {"O-last", "the last tile takes all that is left"},
  };
  const auto found = meanings.find(kind_of(obligation));
  return found == meanings.end() ? "" : found->second;
}

} // namespace unravel::find
