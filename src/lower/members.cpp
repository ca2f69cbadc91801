#include "lower/members.h"

#include "loop/passes.h"
#include "loop/rename.h"
#include "loop/walk.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace unravel::lower {

using loop::Block;
using term::Term;

namespace {

/// One member for so many coordinates is listed, and in any case so many: with more it is no use, as passing
/// all words of bits takes less than the tests of whether a coordinate is new, which are mispredicted, and
/// than sorting the list. Of few coordinates one in 32 is enough.
constexpr std::int64_t coordinates_per_listed = 512, always_listed = 16, coordinates_of_few = 32;
constexpr int word = 64;
/// Where it is known beforehand how many coordinates are made members, twice or not, so many are listed; and
/// one for so many coordinates, since it takes as long to pass their blocks.
constexpr std::int64_t listed_ahead = 32, marks_per_listed = 16384;

Term is_member(const Members &members, const Term &coordinate) {
  return term::equal(term::apply(members.bits, {coordinate}), Term(1));
}

loop::For over_list(const Members &members, const std::string &slot, const std::string &variable,
                    Block body) {
  loop::For loop{slot, Term(0), term::variable(members.count)};
  loop.body.push_back({loop::Let{variable, term::apply(members.list, {term::variable(slot)})}});
  loop::append(loop.body, std::move(body));
  return loop;
}

loop::For over_bits(const Members &members, const std::string &variable, Block body) {
  loop::For loop{variable, Term(0), members.extent};
  loop.body.push_back({loop::If{is_member(members, term::variable(variable)), std::move(body), ""}});
  if (loop::may_test_together(loop)) loop.together = word;
  return loop;
}

/// What a member's value is before anything is written to it, or is again when it is no member.
loop::Statement initial_value(const Members &members, const Term &member) {
  return {loop::Store{loop::Element{members.value, members.slot(member)}, {loop::Number{members.initial}}}};
}

/// The loop that the block ends with, or null.
loop::For *last_loop(Block &block) {
  return block.empty() ? nullptr : std::get_if<loop::For>(&block.back().kind);
}

/// What is done for each member, behind what stands for it.
Block &done_in(loop::For &loop) {
  auto *test = std::get_if<loop::If>(&loop.body.back().kind);
  return test && loop.body.size() == 1 ? test->then : loop.body;
}

/// The variable that stands for a member in the loop.
std::string member_of(const loop::For &loop) {
  const auto *let = std::get_if<loop::Let>(&loop.body.front().kind);
  return let ? let->variable : loop.variable;
}

/// Does the block touch no other elements of what `behind` writes than those in the slots, and write none?
bool touches_only(const Block &block, const Block &behind, const std::vector<Term> &slots) {
  const loop::Effects before = loop::effects_of(block), written = loop::effects_of(behind);
  bool only = !before.breaks && std::ranges::none_of(written.stored, [&](const std::string &array) {
    return before.stored.contains(array);
  });
  loop::each_statement(block, [&](const loop::Statement &statement) {
    loop::each_own_value(statement, [&](const loop::Value &value) {
      loop::each_element(value, [&](const loop::Element &element) {
        only = only && (!written.stored.contains(element.array) || contains(slots, element.slot));
      });
    });
    loop::each_own_term(statement, [&](const Term &term) {
      for (const Term &read : term::applications_of(term))
        only = only && !written.stored.contains(read.as<term::Apply>()->function);
    });
  });
  return only;
}

/// What the second loop does with a member, by the first one's names. Nothing where it can't be done right
/// behind what the first one does.
std::optional<Block> work_behind(loop::For &first, loop::For second) {
  if (first.lower != second.lower || first.upper != second.upper) return std::nullopt;
  const std::map<std::string, std::string> names{{member_of(second), member_of(first)}};
  Block work = std::move(done_in(second));
  if (std::holds_alternative<loop::Let>(work.front().kind)) work.erase(work.begin());
  loop::rename(work, names);
  std::vector<Term> slots;
  for (const loop::Statement &statement : work)
    if (const auto *store = std::get_if<loop::Store>(&statement.kind))
      slots.push_back(std::get<loop::Element>(store->target).slot);
  if (!touches_only(done_in(first), work, slots)) return std::nullopt;
  return work;
}

/// Makes the code that counts how many coordinates a block makes members: its loops without the innermost
/// ones. Of nests of more than two loops it isn't told: counting must be little beside the work.
class Counting {
public:
  Counting(const Members &members, const Block &block)
      : members_(members), total_(members.bits + "_most"), region_(loop::effects_of(block)) {
    is_told_ = !region_.stored.contains(members.tensor); // else it is set to nothing once more
    code_ = loop::drop_unused(of(block, 0));
    const loop::Effects copied = loop::effects_of(code_);
    loop::each_statement(code_, [&](const loop::Statement &statement) {
      loop::each_own_term(statement, [&](const Term &term) {
        for (const std::string &name : region_.declared)
          is_told_ = is_told_ && (copied.declared.contains(name) || !term::mentions(term, name));
        is_told_ = is_told_ && !region_.changes(term);
      });
    });
    // In this scope they are declared once more, later.
    std::map<std::string, std::string> names;
    for (const loop::Statement &statement : code_)
      if (const auto *let = std::get_if<loop::Let>(&statement.kind))
        names.emplace(let->variable, let->variable + ".ahead");
    loop::rename(code_, names);
    code_.insert(code_.begin(), {loop::Declare{total_, Term(0)}});
  }

  /// Do the loops tell it?
  bool is_told() const { return is_told_; }
  Block code() { return std::move(code_); }
  Term is_little() const {
    return term::at_most(
        term::variable(total_),
        term::maximum({Term(listed_ahead), term::floor_divide(members_.extent, marks_per_listed)}));
  }

private:
  bool adds(const loop::Statement &statement) const {
    bool found = false;
    loop::each_statement(statement, [&](const loop::Statement &each) {
      const auto *set = std::get_if<loop::SetElement>(&each.kind);
      found = found || (set && set->array == members_.bits && set->value == Term(1));
    });
    return found;
  }
  bool has_loop_that_adds(const Block &block) const {
    return std::ranges::any_of(block, [&](const loop::Statement &statement) {
      return adds(statement) && (loop::is_loop(statement) ||
                                 std::ranges::any_of(loop::blocks_of(statement), [&](const Block *inner) {
                                   return has_loop_that_adds(*inner);
                                 }));
    });
  }

  Block of(const Block &block, int loops) {
    Block made;
    for (const loop::Statement &statement : block) {
      if (std::holds_alternative<loop::Let>(statement.kind)) made.push_back(statement);
      if (!adds(statement)) continue;
      if (const auto *loop = std::get_if<loop::For>(&statement.kind); loop && loop->step == 1)
        made.push_back(of(*loop, loops));
      else if (const auto *choice = std::get_if<loop::If>(&statement.kind))
        loop::append(made, of(*choice, loops));
      else
        is_told_ = false;
    }
    return made;
  }
  loop::Statement of(const loop::For &loop, int loops) {
    is_told_ = is_told_ && loops < most_loops;
    if (!has_loop_that_adds(loop.body))
      return {loop::Assign{total_, term::variable(total_) + loop.upper - loop.lower}};
    return {loop::For{loop.variable, loop.lower, loop.upper, 1, std::nullopt, of(loop.body, loops + 1), ""}};
  }
  Block of(const loop::If &choice, int loops) {
    if (choice.condition == members_.are_listed()) return of(choice.then, loops);
    is_told_ = is_told_ && choice.otherwise.empty();
    return {{loop::If{choice.condition, of(choice.then, loops), ""}}};
  }

  static constexpr int most_loops = 2;
  const Members &members_;
  const std::string total_;
  const loop::Effects region_;
  Block code_;
  bool is_told_ = true;
};

} // namespace

void decide_ahead(Block &block, const Members &members) {
  const auto begin = std::ranges::find_if(block, [&](const loop::Statement &statement) {
    const auto *declared = std::get_if<loop::Declare>(&statement.kind);
    return declared && declared->variable == members.count;
  });
  if (begin == block.end()) return;
  Block region(begin + 1, block.end());
  Counting counting(members, region);
  if (!counting.is_told()) return;
  const Term listed = members.are_listed(), little = counting.is_little();
  for (loop::Statement &statement : region)
    loop::rewrite(
        statement, [&](const Term &term) { return term == listed ? little : term; },
        [](const loop::Value &value) { return value; });
  block.erase(begin + 1, block.end());
  loop::append(block, counting.code());
  loop::append(block, std::move(region));
}

Term Members::are_listed() const {
  const Term few = term::minimum({term::scale(coordinates_per_listed / coordinates_of_few, extent),
                                  Term(always_listed * coordinates_per_listed)});
  return term::less(term::scale(coordinates_per_listed, term::variable(count)), extent + few);
}

bool Members::begin_at_zero() const {
  return initial == 0;
}

bool has_members(const combine::LocalTensor &local, const Extents &extents) {
  if (!local.insertion || local.modes.size() != 1 || local.insertion->sets.size() != 1) return false;
  const layout::Insertion &insertion = *local.insertion;
  const layout::IndexElement &flag = insertion.sets.front();
  const Term mode = term::variable(local.modes.front());
  const auto nothing = insertion.nothing.find(flag.array);
  return insertion.count.empty() && flag.slots == std::vector<Term>{mode} && flag.value == Term(1) &&
         nothing != insertion.nothing.end() && nothing->second == 0 &&
         extents.at(flag.array) == local.extents &&
         insertion.stored == term::equal(term::apply(flag.array, {mode}), Term(1));
}

Block without_members(const Members &members) {
  const std::string slot = members.bits + ".slot", member = members.bits + ".member";
  const Term coordinate = term::variable(member);
  const loop::SetElement clear{members.bits, coordinate, Term(0), true};
  loop::If choice{members.are_listed(), {}, ""};
  Block out;
  if (members.begin_at_zero()) {
    out.push_back(initial_value(members, coordinate));
    choice.otherwise.push_back({over_bits(members, member, out)});
  }
  out.push_back({clear});
  choice.then.push_back({over_list(members, slot, member, std::move(out))});
  choice.otherwise.push_back({loop::Zero{members.bits, members.extent}});
  return {{std::move(choice)}};
}

Block insert_member(const Members &members, const Term &coordinate, bool listed) {
  Block missing{{loop::SetElement{members.bits, coordinate, Term(1)}}};
  if (!listed && members.begin_at_zero()) return missing;
  if (listed) {
    const Term count = term::variable(members.count);
    missing.push_back({loop::SetElement{members.list, count, coordinate}});
    missing.push_back({loop::Assign{members.count, count + Term(1)}});
  }
  if (!members.begin_at_zero()) missing.push_back(initial_value(members, coordinate));
  return {{loop::If{term::negation(is_member(members, coordinate)), std::move(missing), ""}}};
}

Block over_members(const Members &members, const std::string &variable, const std::function<Block()> &body) {
  loop::For listed = over_list(members, variable + ".slot", variable, body());
  loop::For all = over_bits(members, variable, body());
  listed.comment = fmt::format("the entries of {}, by its list", members.tensor);
  all.comment = fmt::format("the entries of {}, by its bits", members.tensor);
  loop::If choice{members.are_listed(), {}, ""};
  choice.then = {{loop::Sort{members.list, "", members.room, term::variable(members.count)}},
                 {std::move(listed)}};
  choice.otherwise = {{std::move(all)}};
  return {{std::move(choice)}};
}

bool joined_with(Block &block, const Block &without) {
  auto *choice = block.empty() ? nullptr : std::get_if<loop::If>(&block.back().kind);
  const auto *other = without.size() == 1 ? std::get_if<loop::If>(&without.front().kind) : nullptr;
  if (!choice || !other || choice->condition != other->condition) return false;
  loop::For *few = last_loop(choice->then), *many = last_loop(choice->otherwise);
  const auto *few_out = std::get_if<loop::For>(&other->then.front().kind);
  const auto *many_out = std::get_if<loop::For>(&other->otherwise.front().kind); // none without values to set
  if (!few || !many || !few_out) return false;
  std::optional<Block> in_few = work_behind(*few, *few_out);
  std::optional<Block> in_many = many_out ? work_behind(*many, *many_out) : Block();
  if (!in_few || !in_many) return false;
  loop::append(done_in(*few), std::move(*in_few));
  loop::append(done_in(*many), std::move(*in_many));
  choice->otherwise.insert(choice->otherwise.end(), other->otherwise.begin() + (many_out ? 1 : 0),
                           other->otherwise.end());
  return true;
}

} // namespace unravel::lower
