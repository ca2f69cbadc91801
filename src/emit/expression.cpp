#include "emit/expression.h"

#include "emit/together.h"
#include "loop/arrays.h"
#include "loop/hash.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::emit {

namespace {

using term::Linear;
using term::overloaded;
using term::Term;

std::string literal(std::int64_t value) {
  if (value == INT64_MIN) return "(-9223372036854775807 - 1)";
  return std::to_string(value);
}

bool fits_int(std::int64_t value) {
  return value >= INT32_MIN && value <= INT32_MAX;
}

bool has_load(const Linear &linear) {
  return std::any_of(linear.parts.begin(), linear.parts.end(),
                     [](const auto &part) { return !applications_of(part.first).empty(); });
}

} // namespace

std::string c_type(loop::ElementType type) {
  return std::string(value::facts_of(type).c_name);
}

Expressions::Expressions(const loop::Program &program, const Names &names) : names_(names), types_(program) {
  bool is_double = false;
  bool is_single = false;
  auto add = [&](const std::string &name, Array array) {
    is_double = is_double || array.element == loop::ElementType::Float64;
    is_single = is_single || array.element == loop::ElementType::Float32;
    need_type(array.element);
    arrays_[name] = std::move(array);
  };
  loop::each_array(program, [&](const std::string &name, const loop::ArrayParameter &array, const auto &) {
    add(name, {array.element, array.non_negative, array.extents});
  });
  for (const loop::WorkspaceArray &array : program.workspace)
    add(array.name, {array.element,
                     array.element == loop::ElementType::Bit,
                     {array.extent},
                     array.hashed ? array.initial : std::nullopt});
  for (const loop::WorkspaceArray &array : program.workspace)
    if (array.hashed) for_table("table", array.name);
  for (const std::string &name : marked_sets(program)) {
    marked_[name];
    need("marks");
  }
  single_precision_ = is_single && !is_double;
  find_short(program.body);
  assigned_ = loop::effects_of(program.body).assigned;
  find_non_negative(program);
}

std::string Expressions::type_in_workspace(const loop::WorkspaceArray &array) const {
  if (array.hashed) return "struct " + for_table("table", array.name);
  return is_marked(array.name) ? "uint8_t" : c_type(array.element);
}

std::string Expressions::for_table(const std::string &name, const std::string &array) const {
  const bool is_long = type_of(array) == loop::ElementType::Int64;
  need(is_long ? "table_long" : "table");
  return fmt::format("unravel_{}{}", name, is_long ? "_long" : "");
}

std::string Expressions::equal_pairs(loop::ElementType type) {
  bool is_long = type == loop::ElementType::Int64;
  return called(is_long ? "equal_pairs_long" : "equal_pairs");
}

std::string Expressions::uneven(loop::ElementType pointers) {
  const bool is_long = pointers == loop::ElementType::Int64;
  return called(is_long ? "uneven_long" : "uneven");
}

std::string Expressions::pick(const std::string &form, bool is_long, loop::ElementType type) {
  need_typed("pairs", type);
  const std::string part = form + (is_long ? "_long" : "");
  return "unravel_" + part + need_typed(part, type);
}

std::string Expressions::gather(bool is_long, bool is_plain) {
  return called(fmt::format("gather{}{}", is_long ? "_long" : "", is_plain ? "" : "_at")) + suffix();
}

/// All variables are taken to be non-negative until an assignment speaks against it: the first negative value
/// in a run would need an earlier one.
void Expressions::find_non_negative(const loop::Program &program) {
  non_negative_ = loop::sizes_of(program);
  for (const std::string &name : loop::effects_of(program.body).declared)
    non_negative_.insert(name);
  bool changed = true;
  auto check = [&](const std::string &name, const Term &value, const loop::Facts &facts) {
    if (non_negative_.contains(name) && !is_non_negative(value, facts))
      changed = non_negative_.erase(name) > 0;
  };
  while (changed) {
    changed = false;
    each_statement_with_facts(
        program.body, {}, [&](const loop::Statement &statement, const loop::Facts &facts) {
          if (const auto *loop = statement.as<loop::For>()) check(loop->variable, loop->lower, facts);
          const auto *merge = statement.as<loop::Merge>();
          for (const loop::KeyedRange *range : loop::keyed_ranges_of(statement)) {
            check(range->variable, range->lower, facts);
            if (merge)
              check(merge->variable, term::apply(range->key, {term::variable(range->variable)}), facts);
          }
          if (const auto *let = statement.as<loop::Let>()) check(let->variable, let->value, facts);
          if (const auto *declare = statement.as<loop::Declare>())
            check(declare->variable, declare->initial, facts);
          if (const auto *assign = statement.as<loop::Assign>())
            check(assign->variable, assign->value, facts);
        });
  }
}

bool Expressions::is_non_negative(const Term &term) const {
  return is_non_negative(term, place_ == Place::Local ? facts_ : loop::Facts{});
}

bool Expressions::is_non_negative(const Term &term, const loop::Facts &facts, int depth) const {
  return facts.at_least_zero(
      term, [&](const Term &rest) { return has_non_negative_kind(rest, facts, depth); }, depth);
}

/// `depth` ends the search: facts may mention each other.
bool Expressions::has_non_negative_kind(const Term &term, const loop::Facts &facts, int depth) const {
  auto holds = [&](const Term &inner) {
    return depth > 0 ? is_non_negative(inner, facts, depth - 1) : has_non_negative_kind(inner, facts, 0);
  };
  return std::visit(overloaded{
                        [](const term::Constant &x) { return x.value >= 0; },
                        [&](const term::Variable &x) { return non_negative_.contains(x.name); },
                        [&](const Linear &x) {
                          return x.constant >= 0 &&
                                 std::all_of(x.parts.begin(), x.parts.end(), [&](const auto &part) {
                                   return part.second > 0 && holds(part.first);
                                 });
                        },
                        [&](const term::Apply &x) {
                          return x.function == loop::hash_name || arrays_.at(x.function).non_negative;
                        },
                        [&](const term::FloorDivide &x) { return holds(x.numerator); },
                        [](const term::Modulo &) { return true; },
                        [&](const term::Product &x) { return holds(x.left) && holds(x.right); },
                        [&](const term::Minimum &x) { return std::all_of(x.of.begin(), x.of.end(), holds); },
                        [&](const term::Maximum &x) { return std::any_of(x.of.begin(), x.of.end(), holds); },
                        [](const term::Compare &) { return true; },
                        [](const term::And &) { return true; },
                        [](const term::Or &) { return true; },
                        [](const term::Not &) { return true; },
                    },
                    term.node().kind);
}

std::string Expressions::member_name(const std::string &name) const {
  return place_ == Place::Member ? names_.member(name) : struct_->members.at(last_part(name));
}

std::string Expressions::name_of_variable(const std::string &name) const {
  return place_ == Place::Local ? names_.variable(name) : member_name(name);
}

std::string Expressions::name_of_array(const std::string &name) const {
  return place_ == Place::Local ? names_.array(name) : member_name(name);
}

std::string Expressions::operand(const Term &term, int binding) const {
  Printed printed = print(term);
  return wrap(printed.text, printed.binding < binding);
}

Expressions::Printed Expressions::cast(const std::string &type, const Printed &printed) {
  return {fmt::format("({}){}", type, wrap(printed.text, printed.binding < unary)), unary, false};
}

/// size * atom, in 64 bits if there is arithmetic in it.
Expressions::Printed Expressions::print_part(const Term &atom, std::int64_t size) const {
  Printed printed = print(atom);
  if (size == 1) return printed;
  std::string text = wrap(printed.text, printed.binding < (printed.narrow ? unary : multiplicative + 1));
  const char *cast = printed.narrow && fits_int(size) ? "(int64_t)" : "";
  return {fmt::format("{} * {}{}", literal(size), cast, text), multiplicative, false};
}

Expressions::Printed Expressions::print_linear(const Linear &linear) const {
  struct Part {
    bool negative;
    Printed printed;
    bool is_literal;
  };
  std::vector<Part> parts;
  auto add = [&](bool positive) {
    for (const auto &[atom, coefficient] : linear.parts)
      if ((coefficient > 0) == positive)
        parts.push_back({!positive, print_part(atom, positive ? coefficient : -coefficient), false});
  };
  auto add_constant = [&] {
    std::int64_t value = linear.constant;
    bool negative = value < 0 && value != INT64_MIN;
    parts.push_back({negative, {literal(negative ? -value : value), primary, fits_int(value)}, true});
  };
  add(true);
  bool constant_first = parts.empty() && linear.constant > 0; // 3 - x rather than -x + 3
  if (constant_first) add_constant();
  add(false);
  if ((linear.constant != 0 || parts.empty()) && !constant_first) add_constant();
  if (parts.size() == 1 && !parts[0].negative) return parts[0].printed;

  std::size_t wide = parts[0].is_literal ? 1 : 0; // the part to be cast where the first sum is one of 32 bits
  if (parts[0].printed.narrow && wide < parts.size() && (parts.size() == 1 || parts[1].printed.narrow))
    parts[wide].printed = cast("int64_t", parts[wide].printed);
  std::string text;
  for (const Part &part : parts) {
    bool parentheses = part.printed.binding < (part.negative || !text.empty() ? multiplicative : additive);
    if (text.empty())
      text = (part.negative ? "-" : "") + wrap(part.printed.text, parentheses);
    else
      text += (part.negative ? " - " : " + ") + wrap(part.printed.text, parentheses);
  }
  return {text, parts.size() == 1 ? unary : additive, false};
}

/// Whether it is a position that a loop moves on, perhaps with something added.
bool Expressions::is_counter(const Linear &linear) const {
  return std::any_of(linear.parts.begin(), linear.parts.end(), [&](const auto &part) {
    const auto *variable = part.first.template as<term::Variable>();
    return variable && assigned_.contains(variable->name);
  });
}

/// What is negative stands on the left, with its sign changed: p < A_rowptr[i + 1]. What is loaded stands on
/// the left where it is compared with a target: A_col[p] >= j.
Expressions::Printed Expressions::print_compare(const term::Compare &compare, bool negated) const {
  if (auto bit = print_bit_test(compare, negated)) return *bit;
  Linear linear = linear_form(compare.left);
  Linear small;
  Linear large;
  for (const auto &[atom, coefficient] : linear.parts)
    if (coefficient > 0)
      large.parts.emplace_back(atom, coefficient);
    else
      small.parts.emplace_back(atom, -coefficient);
  bool is_equal = compare.relation == term::Relation::Equal;
  bool two_sided = !small.parts.empty() && !large.parts.empty();
  bool strict = !is_equal && (linear.constant == -1 || (two_sided && linear.constant < 0));
  if (strict) {
    small.constant = -(linear.constant + 1); // i + 1 < n
  } else {
    bool to_large = small.parts.empty() ? false : large.parts.empty() ? true : linear.constant > 0;
    (to_large ? large : small).constant = to_large ? linear.constant : -linear.constant;
  }
  std::string left = print_linear(small).text;
  std::string right = print_linear(large).text;
  int binding = is_equal ? equality : relational;
  const char *sign = negated ? "!=" : "==";
  if (is_equal) {
    bool swap = small.parts.empty() || (has_load(large) && !has_load(small));
    return {fmt::format("{} {} {}", swap ? right : left, sign, swap ? left : right), binding, true};
  }
  bool swap = small.parts.empty() || (has_load(large) && !has_load(small) && !is_counter(small));
  if (swap) return {fmt::format("{} {} {}", right, strict ? ">" : ">=", left), binding, true};
  return {fmt::format("{} {} {}", left, strict ? "<" : "<=", right), binding, true};
}

Expressions::Printed Expressions::print_load(const term::Apply &load) const {
  if (load.function == loop::hash_name) return print_hash(load);
  const Array &array = arrays_.at(load.function);
  if (array.element == loop::ElementType::Bit) return print_bit(load);
  Term slot;
  for (std::size_t k = 0; k < load.arguments.size(); ++k)
    slot = multiply(slot, array.extents[k]) + load.arguments[k];
  const std::string text = array.unset
                               ? fmt::format("{}({}, {}, {})", for_table("look_up", load.function),
                                             name_of_array(load.function), print(slot).text, *array.unset)
                               : fmt::format("{}[{}]", name_of_array(load.function), print(slot).text);
  return {text, primary, array.element == loop::ElementType::Int32};
}

void Expressions::find_short(const loop::Block &body) {
  loop::each<loop::Let>(body, [&](const loop::Let &let) {
    if (is_short_load(let.value)) short_.insert(let.variable);
  });
}

bool Expressions::is_short_load(const Term &term) const {
  const auto *load = term.as<term::Apply>();
  return load && load->function != loop::hash_name &&
         arrays_.at(load->function).element == loop::ElementType::Int32;
}

/// Whether a slot certainly fits 32 bits without sign: an element of 32 bits, perhaps with a little added.
bool Expressions::is_short(const Term &term) const {
  constexpr std::int64_t little = 1 << 30;
  Linear linear = linear_form(term);
  if (linear.constant > little || linear.constant < -little || linear.parts.size() != 1) return false;
  const auto &[atom, coefficient] = linear.parts[0];
  const auto *variable = atom.as<term::Variable>();
  return (coefficient == 1 || coefficient == -1) &&
         (variable ? short_.contains(variable->name) : is_short_load(atom));
}

/// The word and the shift are computed in 32 bits where the slot has no more, so that several bits are read
/// at once.
Expressions::Printed Expressions::print_bit(const term::Apply &load) const {
  const Term &slot = load.arguments.at(0);
  const std::string &array = name_of_array(load.function);
  if (is_marked(load.function))
    return {fmt::format("unravel_is_marked({}, {})", array, print(slot).text), primary, true};
  if (!is_short(slot))
    return {fmt::format("{}({}, {})", called("long_bit"), array, print(slot).text), primary, true};
  return {fmt::format("{}({}, (uint32_t){})", called("bit"), array, operand(slot, unary)), primary, true};
}

Expressions::Printed Expressions::print_hash(const term::Apply &call) const {
  need("hash");
  std::string state = "0";
  for (std::size_t k = 1; k < call.arguments.size(); ++k)
    state = fmt::format("unravel_hash_key({}, {})", state, print(call.arguments[k]).text);
  return {fmt::format("unravel_hash_range({}, {})", state, print(call.arguments.at(0)).text), primary, false};
}

/// A bit that is compared with 0 or 1 is a truth value itself.
std::optional<Expressions::Printed> Expressions::print_bit_test(const term::Compare &compare,
                                                                bool negated) const {
  Linear linear = linear_form(compare.left);
  if (linear.parts.size() != 1) return std::nullopt;
  const auto &[atom, coefficient] = linear.parts[0];
  const auto *load = atom.as<term::Apply>();
  if (!load || load->function == loop::hash_name ||
      arrays_.at(load->function).element != loop::ElementType::Bit)
    return std::nullopt;
  bool is_equal = compare.relation == term::Relation::Equal;
  bool with_one =
      linear.constant == -coefficient && (is_equal ? coefficient * coefficient == 1 : coefficient == 1);
  bool with_zero = linear.constant == 0 && (is_equal || coefficient == -1);
  if (!with_one && !with_zero) return std::nullopt;
  std::string text = print_bit(*load).text;
  if (with_one != negated) return Printed{text, primary, true};
  return Printed{"!" + text, unary, true};
}

Expressions::Printed Expressions::print_quotient(const Term &numerator, std::int64_t divisor,
                                                 bool modulo) const {
  if (is_non_negative(numerator)) {
    bool narrow = fits_int(divisor) && print(numerator).narrow;
    return {fmt::format("{} {} {}", operand(numerator, multiplicative), modulo ? '%' : '/', literal(divisor)),
            multiplicative, narrow};
  }
  return {fmt::format("{}({}, {})", called(modulo ? "floor_modulo" : "floor_divide"), print(numerator).text,
                      literal(divisor)),
          primary, false};
}

Expressions::Printed Expressions::print_extreme(const std::vector<Term> &of, bool smallest) const {
  const std::string function = called(smallest ? "minimum" : "maximum");
  std::string text = print(of.back()).text;
  for (std::size_t k = of.size() - 1; k-- > 0;)
    text = fmt::format("{}({}, {})", function, print(of[k]).text, text);
  return {text, primary, false};
}

Expressions::Printed Expressions::print_parts(const std::vector<Term> &parts, bool conjunction) const {
  if (parts.empty()) return {conjunction ? "1" : "0", primary, true};
  std::string text;
  for (const Term &part : parts) {
    Printed printed = print(part);
    // gcc asks for parentheses around && within ||
    if (!text.empty()) text += conjunction ? " && " : " || ";
    text += wrap(printed.text, printed.binding <= both);
  }
  return {text, conjunction ? both : either, true};
}

Expressions::Printed Expressions::print(const Term &term) const {
  return std::visit(
      overloaded{
          [](const term::Constant &x) {
            return Printed{literal(x.value), x.value < 0 ? unary : primary, fits_int(x.value)};
          },
          [&](const term::Variable &x) {
            return Printed{name_of_variable(x.name), primary, false};
          },
          [&](const Linear &x) { return print_linear(x); },
          [&](const term::Apply &x) { return print_load(x); },
          [&](const term::FloorDivide &x) { return print_quotient(x.numerator, x.divisor, false); },
          [&](const term::Modulo &x) { return print_quotient(x.numerator, x.divisor, true); },
          [&](const term::Product &x) {
            Printed left = print(x.left);
            Printed right = print(x.right);
            const char *cast = left.narrow && right.narrow ? "(int64_t)" : "";
            int needed = *cast ? unary : multiplicative;
            return Printed{fmt::format("{}{} * {}", cast, wrap(left.text, left.binding < needed),
                                       wrap(right.text, right.binding <= multiplicative)),
                           multiplicative, false};
          },
          [&](const term::Minimum &x) { return print_extreme(x.of, true); },
          [&](const term::Maximum &x) { return print_extreme(x.of, false); },
          [&](const term::Compare &x) { return print_compare(x, false); },
          [&](const term::And &x) { return print_parts(x.parts, true); },
          [&](const term::Or &x) { return print_parts(x.parts, false); },
          [&](const term::Not &x) {
            const auto *compare = x.of.as<term::Compare>();
            if (compare && compare->relation == term::Relation::Equal) return print_compare(*compare, true);
            return Printed{fmt::format("!({})", print(x.of).text), unary, true};
          },
      },
      term.node().kind);
}

std::string Expressions::term(const Term &term) const {
  return print(term).text;
}

std::string Expressions::cast_operand(const Term &term) const {
  return operand(term, unary);
}

std::string Expressions::term_of_members(const Term &term) const {
  place_ = Place::Member;
  std::string text = print(term).text;
  place_ = Place::Local;
  return text;
}

std::string Expressions::term_of_struct(const Term &term, const StructType &type) const {
  place_ = Place::Struct;
  struct_ = &type;
  const std::set<std::string> before = needs_; // comments need no functions
  std::string text = print(term).text;
  needs_ = before;
  place_ = Place::Local;
  return text;
}

std::string Expressions::element(const loop::Element &element) const {
  return fmt::format("{}[{}]", name_of_array(element.array), print(element.slot).text);
}

std::string Expressions::is_stored(const std::string &local) const {
  const loop::ElementType type = types_.of_local(local);
  if (!value::is_floating(type)) return names_.variable(local) + " != 0";
  return fmt::format("unravel_is_stored{}({})", need_typed("is_stored", type), names_.variable(local));
}

std::string Expressions::as_element(const Term &term, loop::ElementType type) const {
  Printed printed = print(term);
  if (type != loop::ElementType::Int32 || printed.narrow) return printed.text;
  return cast("int32_t", printed).text;
}

} // namespace unravel::emit
