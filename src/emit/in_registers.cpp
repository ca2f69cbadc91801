// Sums along a dense mode. Compilers keep vectors in registers, but not arrays: the stretch that a nest adds
// to is taken in parts of some vectors, the nest being written once for each length of part, and in the end
// as it is for the few elements that are left.
#include "emit/statement_writer.h"
#include "loop/arrays.h"
#include "loop/assembled.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace unravel::emit {

using namespace loop;
using term::Term;

namespace {

/// How many complex numbers a vector of 64 bytes has.
int complex_lanes(ElementType type) {
  return 64 / static_cast<int>(value::facts_of(type).bytes);
}

} // namespace

std::optional<DenseSum> StatementWriter::sum_in_registers(const Statement &statement) const {
  // One that is written already says so, too.
  const bool is_next = sums_of(statement) == VectorSum::Stretch && !dense_.inner;
  return is_next ? dense_sum(statement, program_) : std::nullopt;
}

bool StatementWriter::clears_sum(const Statement &next) {
  if (sums_of(*statement_) == VectorSum::ClearsStretch && sum_in_registers(next)) clearing_ = statement_;
  return clearing_ == statement_;
}

std::string StatementWriter::past_caches(const std::string &array) {
  auto [found, is_new] = past_caches_.try_emplace(array);
  if (is_new) found->second = names_.fresh(names_.array(array) + "_is_long");
  return found->second;
}

void StatementWriter::write_part_of_sum(const DenseSum &sum, int vectors, const std::string &end,
                                        const std::string &past) {
  const Statement &loop = *statement_;
  const auto &target = std::get<Element>(sum.sum->target);
  const auto *negative = arguments_of(Operator::Negate, sum.sum->value);
  std::vector<std::string> begin{
      fmt::format("const int64_t {} = {};", names_.variable(sum.inner->variable), first_lane_)},
      sums;
  for (int v = 0; v < std::max(vectors, 1); ++v) {
    sums.push_back(names_.fresh(fmt::format("{}_sum{}", names_.array(target.array), v)));
    begin.push_back(fmt::format("unravel_lanes {} = {{0}};", sums.back()));
  }
  const auto nest = [&] {
    std::vector<std::string> finish;
    for (int v = 0; v < std::max(vectors, 1); ++v) {
      const std::string &lanes = sums[static_cast<std::size_t>(v)];
      inside_.push_back(
          fmt::format("{} {}= {};", lanes, negative ? "-" : "+",
                      lanes_of(negative ? negative->front() : sum.sum->value, sum.inner->variable, v)));
      finish.push_back(past.empty() || vectors == 0 ? put_lanes(target, v, clearing_ ? "=" : "+=", lanes)
                                                    : fmt::format("unravel_store_lanes({}, &{}, {});",
                                                                  place_of_lanes(target, v), lanes, past));
    }
    write_again(loop);
    inside_.clear();
    lines(finish);
  };
  write_part(first_lane_, vectors * vector_lanes, end, begin, nest);
}

/// Real and imaginary parts lie side by side. They are added up times the factor's real part, and times its
/// imaginary part, which is turned in the end: (a + bi) (x, y) = a (x, y) + b (-y, x).
void StatementWriter::write_part_of_complex(const DenseSum &sum, int vectors, const std::string &end) {
  const Statement &loop = *statement_;
  const auto &target = std::get<Element>(sum.sum->target);
  const ElementType element = expressions_.types().of(sum.sum->target), parts = value::type_of_parts(element);
  const std::string suffix = expressions_.need_typed("lanes", element), array = names_.array(target.array);
  const auto at = [&](const Element &first, int v, const char *constant) {
    const Term slot = first.slot + Term(v * complex_lanes(element));
    return fmt::format("*({}unravel_lanes{} *)&{}", constant, suffix,
                       expressions_.element({first.array, slot}));
  };
  const char *sign = value::arguments_of(Operator::Negate, sum.sum->value) ? "-" : "+";
  std::vector<std::string> begin{
      fmt::format("const int64_t {} = {};", names_.variable(sum.inner->variable), first_lane_)},
      finish;
  const std::string factor = names_.fresh(array + "_factor");
  const ElementType type = sum.is_scaled ? parts : element;
  inside_.push_back(
      fmt::format("const {} {} = {};", c_type(type), factor, expressions_.value(sum.factor, type)));
  for (int v = 0; v < vectors; ++v) {
    const std::string vector = names_.fresh(fmt::format("{}_sum{}", array, v)),
                      row = at(*sum.row, v, "const ");
    begin.push_back(fmt::format("unravel_lanes{} {} = {{0}};", suffix, vector));
    const std::string to = at(target, v, "");
    if (sum.is_scaled) {
      inside_.push_back(fmt::format("{} {}= {} * {};", vector, sign, factor, row));
    } else {
      const std::string turned = names_.fresh(fmt::format("{}_turned{}", array, v)),
                        suffix_of_c = end_of_c(element);
      begin.push_back(fmt::format("unravel_lanes{} {} = {{0}};", suffix, turned));
      inside_.push_back(fmt::format("{} {}= creal{}({}) * {};", vector, sign, suffix_of_c, factor, row));
      inside_.push_back(fmt::format("{} {}= cimag{}({}) * {};", turned, sign, suffix_of_c, factor, row));
      finish.push_back(fmt::format("unravel_add_turned{}(&{}, &{});",
                                   expressions_.need_typed("add_turned", element), vector, turned));
    }
    finish.push_back(fmt::format("{} {} {};", to, clearing_ ? "=" : "+=", vector));
  }
  write_part(first_lane_, vectors * complex_lanes(element), end, begin, [&] {
    write_again(loop);
    inside_.clear();
    lines(finish);
  });
}

void StatementWriter::write_in_registers(const DenseSum &sum) {
  const Statement &loop = *statement_;
  dense_ = sum;
  const auto &target = std::get<Element>(sum.sum->target);
  const bool is_own = // or has a length that isn't known yet
      assembled_result(target.array, program_) || find_workspace(target.array, program_);
  const std::string past = clearing_ && !is_own && !sum.row ? past_caches(target.array) : "";
  if (!sum.row) expressions_.need("lanes");
  if (!past.empty()) expressions_.need("stored_lanes");
  const std::string &variable = names_.variable(sum.inner->variable);
  const std::string end = expressions_.term(sum.inner->upper);
  first_lane_ = names_.fresh(variable + "_first");
  const std::string first = first_lane_;
  const auto *counted = clearing_ ? nullptr : loop.as<For>();
  if (counted) open(fmt::format("if ({})", expressions_.term(less(counted->lower, counted->upper))), {});
  line("int64_t {} = 0;", first);
  text_ += "#ifdef __GNUC__\n";
  // As many vectors as there are registers for, then less, since every part walks over the whole nest; 0:
  // what is left of less than one.
  for (int vectors : {4, 2, 1, 0}) {
    expressions_.set_facts(facts_);
    if (!sum.row)
      write_part_of_sum(sum, vectors, end, past);
    else if (vectors > 0)
      write_part_of_complex(sum, vectors, end);
    statement_ = &loop;
  }
  text_ += "#endif\n";
  open(fmt::format("if ({} < {})", first, end), {});
  if (clearing_) write_again(*clearing_);
  write_again(loop);
  clearing_ = nullptr;
  close({});
  if (counted) close({});
  dense_ = {};
}

void StatementWriter::write_part(const std::string &first, int elements, const std::string &end,
                                 const std::vector<std::string> &begin, const std::function<void()> &inside) {
  if (elements > 0) {
    open(fmt::format("for (; {0} + {1} <= {2}; {0} += {1})", first, elements, end), begin);
    inside();
    return close({});
  }
  text_ += "#ifdef UNRAVEL_MASKS\n";
  mask_ = names_.fresh(first + "_rest");
  open(fmt::format("if ({} < {})", first, end),
       {fmt::format("const __mmask8 {} = {}({} - {});", mask_, expressions_.called("rest"), end, first)});
  lines(begin);
  inside();
  mask_.clear();
  close({fmt::format("{} = {};", first, end)});
  text_ += "#endif\n";
}

void StatementWriter::write_again(const Statement &loop) {
  statement_ = &loop;
  expressions_.set_facts(facts_);
  std::visit([&](const auto &x) { write(x); }, loop.kind);
}

} // namespace unravel::emit
