#include "emit/statement_writer.h"

#include "loop/assembled.h"

#include "emit/copies.h"
#include "emit/lanes.h"
#include "emit/masked.h"
#include "loop/passes.h"
#include "loop/walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace unravel::emit {

using namespace loop;
using term::Term;

namespace {

/// By the processor's own instructions: of floating point alone.
bool has_gathers(const GatheredSum &sum) {
  return sum.gathers() && !value::is_integer(sum.element);
}

} // namespace

void StatementWriter::masks() {
  bool sums = false, lanes = false;
  std::map<std::string, bool> paired; // by the condition: whether a loop takes steps of pairs by it
  each_statement(program_.body, [&](const Statement &statement) {
    const auto *loop = std::get_if<For>(&statement.kind);
    if (!loop) return;
    lanes = lanes || loop->sums == VectorSum::Gathered;
    const std::optional<GatheredSum> sum = masked_sum(*loop);
    if (!sum) return;
    sums = sums || has_gathers(*sum);
    const std::string when = masked_condition(*loop->masked);
    if (when.empty()) return;
    paired[when] = paired[when] || loop->masked->reads_on;
    if (loop->masked->reads_on && !loop->masked->pointers.empty()) expressions_.need("uneven_in_pairs");
    std::string &name = masked_[when];
    if (name.empty()) name = names_.fresh(names_.variable(loop->variable) + "_masked");
  });
  auto macro = [](bool in_pairs) { return in_pairs ? "__GNUC__" : "UNRAVEL_MASKS"; };
  for (const auto &[when, in_pairs] : paired)
    guarded_line(macro(in_pairs), fmt::format("const int {} = {};", masked_.at(when), when));
  if (!(sums || lanes) || gathers_form() == EmitOptions::Gathers::Never) return;
  expressions_.need("gathers");
  gathers_ = names_.fresh("gathers");
  guarded_line(macro(lanes), fmt::format("const int {} = UNRAVEL_GATHERS;", gathers_));
}

EmitOptions::Gathers StatementWriter::gathers_form() const {
  using Gathers = EmitOptions::Gathers;
  return options_.in_process && options_.gathers == Gathers::Tested ? Gathers::Never : options_.gathers;
}

std::string StatementWriter::masked_condition(const Masked &masked) {
  if (is_true(masked.when)) return "";
  std::string text = is_false(masked.when) ? "" : expressions_.term_of_members(masked.when);
  if (masked.pointers.empty()) return text;
  const Term segments = *slots_of(masked.pointers, program_) - Term(1);
  return text + fmt::format("{}{}({}, {})", text.empty() ? "" : " || ",
                            expressions_.uneven(expressions_.type_of(masked.pointers)),
                            names_.array(masked.pointers), expressions_.term_of_members(segments));
}

ElementType StatementWriter::value_type() const {
  return expressions_.plain_type();
}

bool StatementWriter::is_paired_as_integers(const For &x, const GatheredSum &sum) const {
  const ElementType type = sum.element;
  return x.masked->reads_on && sum.gathers() && value::is_integer(type) && value::facts_of(type).bytes == 4 &&
         expressions_.types().of_local(sum.sum.name) == type &&
         std::ranges::none_of(sum.factors, [](const GatheredSum::Factor &factor) {
           return factor.kind == GatheredSum::Factor::Kind::Fixed;
         });
}

std::optional<GatheredSum> StatementWriter::masked_sum(const For &x) const {
  if (!x.masked || (!x.masked->reads_on && gathers_form() == EmitOptions::Gathers::Never)) return {};
  std::optional<GatheredSum> sum = gathered_sum(x, program_);
  return sum && (sum->element == value_type() || is_paired_as_integers(x, *sum)) ? sum : std::nullopt;
}

std::string StatementWriter::write_masked(const For &x) {
  std::optional<GatheredSum> sum = masked_sum(x);
  if (!sum) return "";
  const std::string &variable = names_.variable(x.variable);
  const std::string end = names_.fresh(variable + "_end");
  open("", {fmt::format("int64_t {} = {};", variable, expressions_.term(x.lower)),
            fmt::format("const int64_t {} = {};", end, expressions_.term(x.upper))});
  const std::string when = masked_condition(*x.masked);
  const std::string masked = when.empty() ? "" : masked_.at(when);
  auto write_steps = [&](const std::string &condition, const StepsText &text) {
    open(condition.empty() ? "" : fmt::format("if ({})", condition), {text.begin});
    open(text.over_steps, text.inside);
    close({});
    lines(text.finish);
    --indent_;
  };
  if (!gathers_.empty() && has_gathers(*sum)) {
    text_ += "#ifdef UNRAVEL_MASKS\n";
    write_steps(masked.empty() ? gathers_ : fmt::format("{} && {}", masked, gathers_),
                gathered_text(x, *sum, end, names_, expressions_));
    line(x.masked->reads_on ? "} else" : "}");
    text_ += "#endif\n";
  }
  if (x.masked->reads_on) {
    text_ += "#ifdef __GNUC__\n";
    write_steps(masked, plain_text(x, *sum, end, program_, names_, expressions_));
    line("}");
    text_ += "#endif\n";
  }
  return end;
}

std::optional<GatheredLanes> StatementWriter::paired_lanes(const For &x) const {
  if (x.sums != VectorSum::Gathered) return {};
  std::optional<GatheredLanes> lanes = gathered_lanes(x, program_);
  const bool in_copy = x.simd && std::get<Element>(lanes->sum->target).array == copied_;
  return in_copy ? std::nullopt : lanes;
}

void StatementWriter::write_additions(const For &x, const GatheredLanes &lanes, const Term &first,
                                      const std::vector<std::string> &sums) {
  const LanesAtOnce text = lanes_at_once(x, lanes, first, sums, names_, expressions_);
  if (text.all_used.empty()) return lines(text.full);
  open(fmt::format("if ({})", text.all_used), text.full);
  --indent_;
  open(fmt::format("}} else if ({})", text.any_used), text.blended);
  close({});
}

std::string StatementWriter::write_paired_lanes(const For &x) {
  const std::optional<GatheredLanes> lanes = x.simd && !lanes_ ? paired_lanes(x) : std::nullopt;
  if (!lanes) return "";
  const auto &target = std::get<Element>(lanes->sum->target);
  const Term variable = term::variable(x.variable);
  const char *pair = expressions_.pair_type();
  std::vector<std::string> sums;
  for (std::int64_t k : {0, 2})
    sums.push_back(fmt::format(
        "*({} *)&{}", pair,
        expressions_.element({target.array, substitute(target.slot, {{x.variable, variable + Term(k)}})})));
  const std::string &name = names_.variable(x.variable), left = names_.fresh(name + "_left");
  line(fmt::format("int64_t {} = {};", left, expressions_.term(x.lower)));
  text_ += "#ifdef __GNUC__\n";
  open(gathers_.empty() ? "" : fmt::format("if (!{})", gathers_), {});
  open(fmt::format("for (; {0} + 4 <= {1}; {0} += 4)", left, expressions_.term(x.upper)),
       {fmt::format("const int64_t {} = {};", name, left)});
  write_additions(x, *lanes, variable, sums);
  close({});
  close({});
  text_ += "#endif\n";
  return left;
}

std::optional<DenseSum> StatementWriter::sum_in_registers(const Statement &statement) const {
  const auto *counted = std::get_if<For>(&statement.kind);
  const auto *other = std::get_if<While>(&statement.kind);
  const VectorSum kind = counted ? counted->sums : other ? other->sums : VectorSum::None;
  // One that is written already says so, too.
  return kind == VectorSum::Stretch && !dense_.inner ? dense_sum(statement, program_) : std::nullopt;
}

bool StatementWriter::clears_sum(const Statement &next) {
  const auto *loop = std::get_if<For>(&statement_->kind);
  if (loop && loop->sums == VectorSum::ClearsStretch && sum_in_registers(next)) clearing_ = statement_;
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
  const std::string &array = std::get<Element>(sum.sum->target).array;
  const bool is_own = // or has a length that isn't known yet
      assembled_result(array, program_) ||
      std::any_of(program_.workspace.begin(), program_.workspace.end(),
                  [&](const WorkspaceArray &own) { return own.name == array; });
  LanesText text =
      lanes_text(sum, clearing_, clearing_ && !is_own ? past_caches(sum) : "", names_, expressions_);
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

bool StatementWriter::write_lanes_in_pairs(const For &x, const std::string &array) {
  if (!paired_lanes(*lanes_->lanes)) return false;
  const char *pair = expressions_.pair_type();
  std::vector<std::string> stores;
  text_ += "#ifdef __GNUC__\n";
  open(gathers_.empty() ? "" : fmt::format("if (!{})", gathers_), {});
  for (std::int64_t k = 0; k < lanes_->length; k += 2) {
    lane_pairs_.push_back(names_.fresh(fmt::format("{}_{}", array, k)));
    line(fmt::format("{} {} = {{0}};", pair, lane_pairs_.back()));
    stores.push_back(fmt::format("*({} *)&{}[{}] = {};", pair, array, k, lane_pairs_.back()));
  }
  write(x);
  lane_pairs_.clear();
  lines(stores);
  --indent_;
  line(gathers_.empty() ? "}" : "} else");
  text_ += gathers_.empty() ? "#else\n" : "#endif\n";
  open("", {});
  expressions_.set_facts(facts_);
  write(x);
  close({});
  if (gathers_.empty()) text_ += "#endif\n";
  return true;
}

bool StatementWriter::write_in_lanes(const For &x) {
  if (x.sums != VectorSum::Lanes || lanes_) return false;
  std::optional<LaneSums> sums = lane_sums(x);
  const Element element{std::get<Element>(sums->sum->target).array, sums->slot};
  if (element.array == copied_) return false;
  const For &lanes = *sums->lanes;
  const std::string &variable = names_.variable(lanes.variable);
  const char *type = expressions_.single_precision() ? "float" : "double";
  std::string array = names_.fresh(names_.array(element.array) + "_sums");
  lane_ = fmt::format("{}[{}]", array, expressions_.term(term::variable(lanes.variable) - lanes.lower));
  lanes_ = sums;
  line(fmt::format("{} {}[{}] = {{0}};", type, array, sums->length));
  if (!write_lanes_in_pairs(x, array)) write(x);
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
