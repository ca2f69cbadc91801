// Terms as text, in the notation of layout files.
#include "term/list.h"
#include "term/term.h"

#include <fmt/format.h>

namespace unravel::term {

namespace {

enum Binding { Loose, Disjunct, Conjunct, Comparison, Sum, Factor };

std::string print(const Term &term, Binding around);

std::string with_parentheses(bool needed, const std::string &text) {
  return needed ? "(" + text + ")" : text;
}

/// Terms with a plus sign first; a constant last.
std::string print_sum(const Linear &linear, Binding around) {
  std::string result;
  auto append = [&](std::int64_t coefficient, const std::string &atom) {
    bool negative = coefficient < 0;
    std::uint64_t size =
        negative ? 0 - static_cast<std::uint64_t>(coefficient) : static_cast<std::uint64_t>(coefficient);
    std::string text = atom.empty() ? std::to_string(size)
                       : size == 1  ? atom
                                    : fmt::format("{}*{}", size, atom);
    if (result.empty())
      result = (negative ? "-" : "") + text;
    else
      result += (negative ? " - " : " + ") + text;
  };
  for (bool positive : {true, false})
    for (const auto &[atom, coefficient] : linear.parts)
      if ((coefficient > 0) == positive) append(coefficient, print(atom, Factor));
  if (linear.constant != 0 || linear.parts.empty()) append(linear.constant, "");
  return with_parentheses(around >= Sum && (linear.parts.size() + (linear.constant != 0) > 1), result);
}

/// left >= 0 as `negative parts <= positive parts`, `<` where the constant allows.
std::string print_compare(const Compare &compare, Binding around) {
  Linear linear = linear_form(compare.left);
  Linear small;
  Linear large;
  for (const auto &[atom, coefficient] : linear.parts)
    if (coefficient > 0)
      large.parts.emplace_back(atom, coefficient);
    else
      small.parts.emplace_back(atom, -coefficient);
  const char *sign = compare.relation == Relation::Equal ? "=" : "<=";
  std::int64_t constant = linear.constant;
  if (compare.relation == Relation::AtLeast && constant == -1 && !small.parts.empty() &&
      !large.parts.empty()) {
    sign = "<";
    constant = 0;
  }
  if (compare.relation == Relation::Equal && (small.parts.empty() || large.parts.empty())) {
    // atom = constant
    Linear &side = small.parts.empty() ? large : small;
    std::int64_t right = small.parts.empty() ? -constant : constant;
    return with_parentheses(around > Comparison, fmt::format("{} = {}", print_sum(side, Comparison), right));
  }
  if (constant > 0)
    large.constant = constant;
  else
    small.constant = -constant;
  if (compare.relation == Relation::Equal)
    std::swap(small, large); // `j = col(p)`: the first atom on the left
  return with_parentheses(around > Comparison, fmt::format("{} {} {}", print_sum(small, Comparison), sign,
                                                           print_sum(large, Comparison)));
}

std::string print_parts(const std::vector<Term> &parts, const char *word, const char *none, Binding own,
                        Binding around) {
  if (parts.empty()) return none;
  std::string result;
  for (const Term &part : parts) {
    if (!result.empty()) result += fmt::format(" {} ", word);
    result += print(part, static_cast<Binding>(own + 1));
  }
  return with_parentheses(around > own, result);
}

std::string print(const Term &term, Binding around) {
  return std::visit(
      overloaded{
          [&](const Constant &x) {
            return with_parentheses(x.value < 0 && around >= Factor, std::to_string(x.value));
          },
          [](const Variable &x) { return x.name; },
          [&](const Linear &x) { return print_sum(x, around); },
          [](const Apply &x) { return fmt::format("{}({})", x.function, to_text(x.arguments)); },
          [](const FloorDivide &x) {
            return fmt::format("floor({} / {})", print(x.numerator, Factor), x.divisor);
          },
          [&](const Modulo &x) {
            return with_parentheses(around >= Factor,
                                    fmt::format("{} mod {}", print(x.numerator, Factor), x.divisor));
          },
          [](const Product &x) {
            return fmt::format("{}*{}", print(x.left, Factor), print(x.right, Factor));
          },
          [](const Minimum &x) { return fmt::format("min({})", to_text(x.of)); },
          [](const Maximum &x) { return fmt::format("max({})", to_text(x.of)); },
          [&](const Compare &x) { return print_compare(x, around); },
          [&](const And &x) { return print_parts(x.parts, "and", "true", Conjunct, around); },
          [&](const Or &x) { return print_parts(x.parts, "or", "false", Disjunct, around); },
          [](const Not &x) {
            const auto *compare = x.of.as<Compare>();
            if (compare) {
              std::string text = print_compare(*compare, Loose);
              if (auto at = text.find(" = "); at != std::string::npos) return text.replace(at, 3, " != ");
            }
            return fmt::format("not ({})", print(x.of, Loose));
          },
      },
      term.node().kind);
}

} // namespace

std::string to_text(const Term &term) {
  return print(term, Loose);
}

std::string to_text(const std::vector<Term> &terms) {
  std::string result;
  for (const Term &term : terms)
    result += (result.empty() ? "" : ", ") + to_text(term);
  return result;
}

} // namespace unravel::term
