#include "loop/jam.h"

#include <algorithm>
#include <map>

namespace unravel::loop {

using term::Term;

namespace {

bool is_addition_or_block(const Statement &statement) {
  if (const auto *loop = statement.as<For>())
    return loop->together == 1 && (!loop->parallel || loop->parallel->sum.empty());
  if (const Accumulate *add = addition_of(statement))
    return !add->atomic && std::holds_alternative<Element>(add->target);
  return statement.is<Let>() || statement.is<If>();
}

bool same_head(const For &a, const For &b) {
  return a.lower == b.lower && a.upper == b.upper && a.step == b.step;
}

class Jam {
public:
  Jam(Block first, FreshNames &names) : names_(names), declared_(effects_of(first).declared) {
    for (Statement &statement : first)
      (statement.is<Let>() ? lets_ : rest_).push_back(std::move(statement));
  }

  Block with(Block second) {
    // Declarations first: their names are put into what follows.
    Block others;
    for (std::size_t k = 0; k < second.size(); ++k) {
      if (!second[k].is<Let>()) {
        others.push_back(second[k]);
        continue;
      }
      Let let = std::get<Let>(second[k].kind);
      std::string name = add(let, second[k].origins);
      if (name == let.variable) continue;
      Block behind(second.begin() + static_cast<std::ptrdiff_t>(k) + 1, second.end());
      substitute_variable(behind, let.variable, term::variable(name));
      substitute_variable(others, let.variable, term::variable(name));
      second.resize(k + 1);
      append(second, std::move(behind));
    }
    for (Statement &statement : others)
      add(std::move(statement));
    append(lets_, std::move(rest_));
    return std::move(lets_);
  }

private:
  /// The name by which the value is known.
  std::string add(const Let &let, const Origins &origins) {
    for (Statement &known : lets_)
      if (const auto &own = std::get<Let>(known.kind); own.value == let.value) {
        known.origins = joined(known.origins, origins);
        return own.variable;
      }
    std::string name = declared_.contains(let.variable) ? names_.name(let.variable) : let.variable;
    declared_.insert(name);
    lets_.push_back({Let{name, let.value}, origins});
    return name;
  }

  void add(Statement statement) {
    for (Statement &known : rest_) {
      auto *loop = statement.as<For>();
      auto *same_loop = known.as<For>();
      if (loop && same_loop && same_head(*loop, *same_loop)) {
        substitute_variable(loop->body, loop->variable, term::variable(same_loop->variable));
        same_loop->body = jam(std::move(same_loop->body), std::move(loop->body), names_);
        same_loop->parallel.reset();
        same_loop->simd = false;
        known.origins = joined(known.origins, statement.origins);
        return;
      }
      auto *guard = statement.as<If>();
      auto *same_guard = known.as<If>();
      if (guard && same_guard && guard->condition == same_guard->condition) {
        same_guard->then = jam(std::move(same_guard->then), std::move(guard->then), names_);
        same_guard->otherwise = jam(std::move(same_guard->otherwise), std::move(guard->otherwise), names_);
        known.origins = joined(known.origins, statement.origins);
        return;
      }
    }
    rest_.push_back(std::move(statement));
  }

  FreshNames &names_;
  std::set<std::string> declared_;
  Block lets_, rest_;
};

} // namespace

bool only_adds(const Block &block) {
  const Effects effects = effects_of(block);
  const auto is_stored = [&](const std::string &name) { return effects.stored.contains(name); };
  return !effects.breaks && !holds(block, [&](const Statement &statement) {
    return !is_addition_or_block(statement) || reads_one(statement, is_stored);
  });
}

bool only_adds(const Statement &statement) {
  return only_adds(Block{statement});
}

void substitute_variable(Block &block, const std::string &variable, const Term &by) {
  const term::Substitution substitution{{variable, by}};
  rewrite(block,
          [&](const Term &term) { return mentions(term, variable) ? substitute(term, substitution) : term; });
}

bool keeps_to_its_element(const For &loop, const Effects &around) {
  bool own = true;
  std::map<std::string, Term> slots;
  Effects others = around;
  others.add({loop});
  others.declared.erase(loop.variable);
  each_statement(loop.body, [&](const Statement &statement) {
    if (!statement.is<Accumulate>()) return;
    const Element &element = *written_element(statement);
    std::int64_t factor = coefficient_of(element.slot, loop.variable);
    Term rest = element.slot - term::scale(factor, term::variable(loop.variable));
    own = own && factor != 0 && !mentions(rest, loop.variable) && !others.mentions_declared(rest) &&
          slots.emplace(element.array, element.slot).first->second == element.slot;
  });
  return own;
}

void keep_apart(Block &block, const std::set<std::string> &taken, FreshNames &names) {
  for (std::size_t k = 0; k < block.size(); ++k) {
    if (auto *loop = block[k].as<For>(); loop && taken.contains(loop->variable)) {
      std::string name = names.name(loop->variable);
      substitute_variable(loop->body, loop->variable, term::variable(name));
      loop->variable = name;
    }
    if (auto *let = block[k].as<Let>(); let && taken.contains(let->variable)) {
      std::string name = names.name(let->variable);
      Block behind(block.begin() + static_cast<std::ptrdiff_t>(k) + 1, block.end());
      substitute_variable(behind, let->variable, term::variable(name));
      let->variable = name;
      block.resize(k + 1);
      append(block, std::move(behind));
    }
    for (Block *inner : blocks_of(block[k]))
      keep_apart(*inner, taken, names);
  }
}

Block jam(Block first, Block second, FreshNames &names) {
  return Jam(std::move(first), names).with(std::move(second));
}

} // namespace unravel::loop
