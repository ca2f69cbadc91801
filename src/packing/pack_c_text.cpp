#include "packing/pack_c_text.h"

#include "report/diagnostic.h"
#include "value/exact.h"

#include <algorithm>
#include <cmath>

namespace unravel::packing {

using tensor::IndexType;
using tensor::ValueType;

PackCText::PackCText(const layout::Layout &layout_of, const PackNames &names, IndexType index_type,
                     ValueType value_type, std::optional<double> fill_of_slots)
    : layout(layout_of), prefix("pack_" + names.type), type(names.type), fill(fill_of_slots), names_(names),
      index_type_(index_type), value_type_(value_type) {
  for (const std::string &size : layout.sizes)
    if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
  for (const std::string &size : sizes)
    taken_.insert(member_name(size));
  self = choose("A"), n = choose("n"), index = choose("index"), values = choose("values");
  if (!fill) fill_name = choose("fill");
  entry = choose("entry"), e = choose("e"), k = choose("k");
  for (std::size_t mode = 0; mode < layout.order(); ++mode)
    locals[layout.coordinates[mode]] = fmt::format("{}[{}][{}]", index, mode, e);
}

void PackCText::open(const std::string &head) {
  line("{}{}{{", head, head.empty() ? "" : " ");
  indent_ += 2;
}

void PackCText::close(const std::string &tail) {
  indent_ -= 2;
  line("}}{}", tail);
}

void PackCText::open_loop(const std::string &variable, const std::string &to, int from) {
  open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; ++{0})", variable, from, to));
}

std::string PackCText::choose(std::string name) {
  while (!taken_.insert(name).second)
    name += "_";
  return name;
}

std::string PackCText::member_name(const std::string &name) const {
  auto found = names_.members.find(name);
  return found == names_.members.end() ? name : found->second;
}

std::string PackCText::as_element(const std::string &array, const std::string &value) const {
  const std::string to = element(array);
  return to == "int64_t" ? value : fmt::format("({})({})", to, value);
}

value::Type PackCText::type_of(const std::string &array) const {
  return element_type(*layout.array(array), index_type_, value_type_);
}

std::string PackCText::element(const std::string &array) const {
  return std::string(value::facts_of(type_of(array)).c_name);
}

std::string fill_text(double fill, value::Type type) {
  if (fill == 0) return "0";
  if (std::isnan(fill)) return "(0.0 / 0.0)";
  if (!value::is_integer(type))
    return std::isinf(fill) ? fmt::format("({}1.0 / 0.0)", fill < 0 ? "-" : "") : fmt::format("{}", fill);
  if (std::isinf(fill)) return fill < 0 ? value::least_text(type) : value::greatest_text(type);
  return std::to_string(value::Scalar::of(fill, type).integer);
}

std::string PackCText::fill_of(const std::string &array, bool is_negative) const {
  if (fill) return fill_text(is_negative ? -*fill : *fill, type_of(array));
  const std::string signed_fill = is_negative ? "-" + fill_name : fill_name;
  return element(array) == number() ? signed_fill : fmt::format("({})({})", element(array), signed_fill);
}

std::string PackCText::fill_as_sum(const std::string &array, bool is_negative) const {
  if (sum() == number()) return fill_of(array, false);
  return fmt::format("{}({}){}", is_negative ? "-" : "", sum(), fill_of(array, is_negative));
}

std::string PackCText::number() const {
  const value::Type of_values = layout::type_of_values(layout, value_type_).value_or(value::Type::Float64);
  return std::string(value::facts_of(value::widest(of_values)).c_name);
}

std::string PackCText::sum() const {
  const std::string given = number();
  return given == "int64_t" ? "uint64_t" : given;
}

std::string PackCText::value(const std::string &of_entry) const {
  return fmt::format("{}{}[{}]", sum() == number() ? "" : "(" + sum() + ")", values, of_entry);
}

std::string PackCText::factor(const std::string &text) {
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

std::string PackCText::size_of(const std::string &array) const {
  const std::vector<Term> &extents = layout.array(array)->extents;
  std::string size;
  for (const Term &each : extents)
    size += (size.empty() ? "" : " * ") + (extents.size() > 1 ? factor(extent(each)) : extent(each));
  return size.empty() ? "1" : size;
}

std::string PackCText::extent(const Term &of) const {
  const std::string text = term(of);
  return is_natural(of) ? text : fmt::format("({0} > 0 ? {0} : 0)", text);
}

namespace {

/// Whether a term over sizes and coordinates, which are not negative, shows that it isn't either.
bool is_sum_of_naturals(const Term &term) {
  term::Linear form = term::linear_form(term);
  return form.constant >= 0 && std::ranges::all_of(form.parts, [](const auto &part) {
           const auto *inner = part.first.template as<term::FloorDivide>();
           return part.second > 0 && (!inner || is_sum_of_naturals(inner->numerator));
         });
}

} // namespace

/// Numbers of pointers are, and counts that packing chooses.
bool PackCText::is_natural(const Term &of) const {
  return is_sum_of_naturals(of) && std::ranges::all_of(term::variables_of(of), [&](const std::string &name) {
           const layout::Count *count = layout.count(name);
           return !count || !count->definition || is_natural(*count->definition);
         });
}

bool PackCText::is_known(const layout::Count &count) const {
  for (const Term &call : term::applications_of(*count.definition))
    if (!known.count(call.as<term::Apply>()->function)) return false;
  return std::ranges::all_of(term::variables_of(*count.definition), [&](const std::string &name) {
    return known.count(name) || std::ranges::count(sizes, name);
  });
}

void PackCText::define_counts(const std::function<void(const std::string &)> &refuse_if) {
  for (bool some = true; some;) { // they may be defined in any order
    some = false;
    for (const layout::Count &count : layout.counts) {
      if (!count.definition || known.count(count.name) || !is_known(count)) continue;
      for (const Term &call : term::applications_of(*count.definition)) {
        const auto *read = call.as<term::Apply>();
        const std::vector<Term> &extents = layout.array(read->function)->extents;
        for (std::size_t place = 0; place < extents.size(); ++place) {
          const Term &at = read->arguments[place];
          std::int64_t behind = 0;
          if (!is_natural(at)) refuse_if(fmt::format("{} < 0", term(at)));
          if (!term::constant_difference(at, extents[place], behind) || behind <= 0)
            refuse_if(fmt::format("{} >= {}", term(at), term(extents[place])));
        }
      }
      line("{} = {};", member(count.name), term(*count.definition));
      known.insert(count.name);
      some = true;
    }
  }
}

/// C rounds towards 0, terms downwards.
std::string PackCText::quotient(const Term &numerator, std::int64_t divisor) const {
  std::string text = factor(term(numerator));
  if (is_sum_of_naturals(numerator)) return fmt::format("{} / {}", text, divisor);
  return fmt::format("({0} / {1} - ({0} % {1} < 0))", text, divisor);
}

std::string PackCText::remainder(const Term &numerator, std::int64_t divisor) const {
  std::string text = factor(term(numerator));
  if (is_sum_of_naturals(numerator)) return fmt::format("{} % {}", text, divisor);
  return fmt::format("({0} % {1} + {1}) % {1}", text, divisor);
}

std::string PackCText::term(const Term &of) const {
  auto folded = [&](const std::vector<Term> &parts, const char *sign) {
    std::string result = term(parts.front());
    for (std::size_t part = 1; part < parts.size(); ++part) {
      std::string other = term(parts[part]);
      result = fmt::format("({0} {1} {2} ? {0} : {2})", result, sign, other);
    }
    return result;
  };
  if (const auto *x = of.as<term::Constant>()) return std::to_string(x->value);
  if (const auto *x = of.as<term::Variable>()) {
    auto local = locals.find(x->name);
    return local == locals.end() ? member(x->name) : local->second;
  }
  if (const auto *x = of.as<term::Linear>()) return linear(*x);
  if (const auto *x = of.as<term::Apply>()) {
    const layout::Array &array = *layout.array(x->function);
    Term slot;
    for (std::size_t place = 0; place < x->arguments.size(); ++place)
      slot = term::multiply(slot, array.extents.at(place)) + x->arguments[place];
    return fmt::format("{}[{}]", member(x->function), term(slot));
  }
  if (const auto *x = of.as<term::FloorDivide>()) return quotient(x->numerator, x->divisor);
  if (const auto *x = of.as<term::Modulo>()) return remainder(x->numerator, x->divisor);
  if (const auto *x = of.as<term::Product>())
    return fmt::format("({}) * ({})", term(x->left), term(x->right));
  if (const auto *x = of.as<term::Minimum>()) return folded(x->of, "<");
  if (const auto *x = of.as<term::Maximum>()) return folded(x->of, ">");
  report::require(false, "extents and counts are integer terms");
  return {};
}

std::string PackCText::linear(const term::Linear &of) const {
  std::string result;
  auto append = [&](std::int64_t coefficient, const std::string &atom) {
    bool negative = coefficient < 0;
    std::string size = std::to_string(negative ? -coefficient : coefficient);
    std::string part = atom.empty() ? size : size == "1" ? atom : size + " * " + atom;
    result += result.empty() ? (negative ? "-" : "") + part : (negative ? " - " : " + ") + part;
  };
  for (bool positive : {true, false})
    for (const auto &[atom, coefficient] : of.parts)
      if ((coefficient > 0) == positive) {
        const bool is_quotient = atom.as<term::FloorDivide>() || atom.as<term::Modulo>();
        const bool is_factor = coefficient != 1 && coefficient != -1; // 2 * x / 2 is x in C
        append(coefficient, is_quotient && is_factor ? factor(term(atom)) : term(atom));
      }
  if (of.constant != 0) append(of.constant, "");
  return result;
}

std::string PackCText::joined(const std::vector<Term> &parts, const char *by) const {
  std::string text;
  for (const Term &part : parts)
    text += fmt::format("{}({})", text.empty() ? "" : by, condition(part));
  return text;
}

std::string PackCText::condition(const Term &formula) const {
  if (term::is_true(formula)) return "1";
  if (term::is_false(formula)) return "0";
  if (const auto *x = formula.as<term::Compare>())
    return fmt::format("{} {} 0", term(x->left), x->relation == term::Relation::Equal ? "==" : ">=");
  if (const auto *x = formula.as<term::And>()) return joined(x->parts, " && ");
  if (const auto *x = formula.as<term::Or>()) return joined(x->parts, " || ");
  if (const auto *x = formula.as<term::Not>()) return fmt::format("!({})", condition(x->of));
  report::require(false, "conditions are formulas");
  return {};
}

std::string PackCText::shifted(int sign, const std::string &text, const Term &offset) const {
  std::string signed_text = sign > 0 ? text : "-" + text;
  if (offset == Term(0)) return signed_text;
  if (const auto *constant = offset.as<term::Constant>(); constant && constant->value < 0)
    return fmt::format("{} - {}", signed_text, -constant->value);
  return sign > 0 ? fmt::format("{} + {}", text, term(offset)) : fmt::format("{} - {}", term(offset), text);
}

} // namespace unravel::packing
