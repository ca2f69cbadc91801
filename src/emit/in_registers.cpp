#include "emit/statement_writer.h"

#include "emit/copies.h"
#include "emit/lanes.h"
#include "emit/masked.h"
#include "loop/passes.h"
#include "loop/walk.h"

#include <fmt/format.h>
#include <utility>

namespace unravel::emit {

using namespace loop;
using term::Term;

void StatementWriter::masks() {
  each_statement(program_.body, [&](const Statement &statement) {
    const auto *loop = std::get_if<For>(&statement.kind);
    if (!loop || !masked_sum(*loop) || is_true(*loop->masked) || masked_.contains(*loop->masked)) return;
    std::string &name = masked_[*loop->masked] = names_.fresh(names_.variable(loop->variable) + "_masked");
    text_ += "#ifdef UNRAVEL_MASKS\n";
    line(fmt::format("const int {} = {};", name, expressions_.term_of_members(*loop->masked)));
    text_ += "#endif\n";
  });
}

std::optional<GatheredSum> StatementWriter::masked_sum(const For &x) const {
  if (!x.masked) return {};
  std::optional<GatheredSum> sum = gathered_sum(x, program_);
  ElementType element = expressions_.single_precision() ? ElementType::Float32 : ElementType::Float64;
  return sum && sum->element == element ? sum : std::nullopt;
}

bool StatementWriter::write_masked(const For &x) {
  std::optional<GatheredSum> sum = masked_sum(x);
  if (!sum) return false;
  bool always = is_true(*x.masked);
  text_ += "#ifdef UNRAVEL_MASKS\n";
  MaskedText text = masked_text(x, *sum, names_, expressions_);
  open(always ? "" : fmt::format("if ({})", masked_.at(*x.masked)), {text.begin});
  open(text.over_steps, text.inside);
  close({});
  lines({text.finish});
  --indent_;
  line(always ? "}" : "} else");
  text_ += always ? "#else\n" : "#endif\n";
  return always;
}

std::optional<DenseSum> StatementWriter::sum_in_registers(const Statement &statement) const {
  if (dense_.inner || expressions_.single_precision()) return {};
  return dense_sum(statement, program_);
}

bool StatementWriter::clears_sum(const Statement &next) {
  std::optional<DenseSum> sum = sum_in_registers(next);
  if (sum && clears_stretch(*statement_, *sum)) clearing_ = statement_;
  return clearing_ == statement_;
}

std::string StatementWriter::past_caches(const DenseSum &sum) {
  const std::string &array = std::get<Element>(sum.sum->target).array;
  auto [found, is_new] = past_caches_.try_emplace(array);
  if (is_new) found->second = names_.fresh(names_.array(array) + "_is_long");
  return found->second;
}

void StatementWriter::write_in_registers(const DenseSum &sum) {
  const Statement &loop = *statement_;
  if (const Element *element = in_copy(*sum.sum)) {
    line(stretch_text(marks_, element->slot, *sum.inner, names_, expressions_));
    std::string copied = std::exchange(copied_, {});
    write_in_registers(sum);
    copied_ = std::move(copied);
    return;
  }
  dense_ = sum;
  LanesText text = lanes_text(sum, clearing_ ? past_caches(sum) : "", names_, expressions_);
  const auto *counted = clearing_ ? nullptr : std::get_if<For>(&loop.kind);
  if (counted) open(fmt::format("if ({})", expressions_.term(less(counted->lower, counted->upper))), {});
  line(text.begin);
  text_ += "#ifdef __GNUC__\n";
  for (const LanesText::Part &part : text.parts) {
    open(part.over_parts, part.declare);
    inside_ = part.inside;
    write_again(loop);
    inside_.clear();
    close(part.finish);
  }
  text_ += "#endif\n";
  first_lane_ = text.first;
  open(text.rest, {});
  if (clearing_) write_again(*clearing_);
  write_again(loop);
  clearing_ = nullptr;
  close({});
  if (counted) close({});
  dense_ = {};
}

bool StatementWriter::write_in_lanes(const For &x) {
  std::optional<LaneSums> sums = x.in_lanes && !lanes_ && !dense_.inner ? lane_sums(x) : std::nullopt;
  if (!sums) return false;
  const Element element{std::get<Element>(sums->sum->target).array, sums->slot};
  if (element.array == copied_) return false;
  const For &lanes = *sums->lanes;
  const std::string &variable = names_.variable(lanes.variable);
  const char *type = expressions_.single_precision() ? "float" : "double";
  std::string array = names_.fresh(names_.array(element.array) + "_sums");
  lane_ = fmt::format("{}[{}]", array, expressions_.term(term::variable(lanes.variable) - lanes.lower));
  lanes_ = sums;
  line(fmt::format("{} {}[{}] = {{0}};", type, array, sums->length));
  write(x);
  lanes_.reset();
  expressions_.set_facts(facts_);
  line(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0}++) {{", variable, expressions_.term(lanes.lower),
                   expressions_.term(lanes.upper)));
  ++indent_;
  line(fmt::format("{} += {};", expressions_.element(element), lane_));
  --indent_;
  line("}");
  return true;
}

bool StatementWriter::is_slot_alone(const Let &let) const {
  const Term variable = term::variable(let.variable);
  int all = 0;
  for (const Statement &statement : lanes_->lanes->body)
    all += occurrences(statement, variable);
  return all == occurrences(std::get<Element>(lanes_->sum->target).slot, variable);
}

void StatementWriter::write_again(const Statement &loop) {
  statement_ = &loop;
  expressions_.set_facts(facts_);
  std::visit([&](const auto &x) { write(x); }, loop.kind);
}

} // namespace unravel::emit
