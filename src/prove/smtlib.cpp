// Questions as SMT-LIB 2.
#include "prove/smtlib.h"

#include <map>
#include <set>

namespace unravel::prove {

namespace {

/// A quoted symbol; the two characters that can't stand in one are replaced.
std::string quote(const std::string &name) {
  std::string result = "|";
  for (char c : name)
    result += c == '|' || c == '\\' ? '_' : c;
  return result + "|";
}

std::string number(std::int64_t value) {
  if (value >= 0) return std::to_string(value);
  return "(- " + std::to_string(0 - static_cast<std::uint64_t>(value)) + ")";
}

class Printer {
public:
  explicit Printer(const Expressions &expressions) : all_(expressions) {}

  std::string operator()(Id id) {
    const Expression &node = all_[id];
    switch (node.op) {
    case Op::Variable: constants_.insert(all_.name(node.symbol)); return quote(all_.name(node.symbol));
    case Op::Apply: return call(all_.name(node.symbol), node);
    case Op::FloorDivide: return "(div " + (*this)(node.children[0]) + " " + number(node.number) + ")";
    case Op::Modulo: return "(mod " + (*this)(node.children[0]) + " " + number(node.number) + ")";
    case Op::Product: return call(product_name, node);
    case Op::Minimum: return extreme(node, "<=");
    case Op::Maximum: return extreme(node, ">=");
    case Op::Linear: return sum(node);
    case Op::Equal: return "(= " + (*this)(node.children[0]) + " 0)";
    case Op::AtLeast: return "(>= " + (*this)(node.children[0]) + " 0)";
    case Op::And: return junction("and", "true", node);
    case Op::Or: return junction("or", "false", node);
    case Op::Not: return "(not " + (*this)(node.children[0]) + ")";
    }
    return {};
  }

  std::string declarations() const {
    std::string text;
    for (const std::string &name : constants_)
      text += "(declare-const " + quote(name) + " Int)\n";
    for (const auto &[name, arity] : functions_) {
      text += "(declare-fun " + quote(name) + " (";
      for (std::size_t k = 0; k < arity; ++k)
        text += k == 0 ? "Int" : " Int";
      text += ") Int)\n";
    }
    return text;
  }

private:
  std::string joined(const Expression &node) {
    std::string text;
    for (Id child : node.children)
      text += " " + (*this)(child);
    return text;
  }

  std::string call(const std::string &name, const Expression &node) {
    functions_[name] = node.children.size();
    return node.children.empty() ? quote(name) : "(" + quote(name) + joined(node) + ")";
  }

  std::string junction(const char *word, const char *none, const Expression &node) {
    return node.children.empty() ? none : "(" + std::string(word) + joined(node) + ")";
  }

  std::string sum(const Expression &node) {
    if (node.children.empty()) return number(node.number);
    std::string text;
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      std::string atom = (*this)(node.children[k]);
      text +=
          " " + (node.coefficients[k] == 1 ? atom : "(* " + number(node.coefficients[k]) + " " + atom + ")");
    }
    if (node.number != 0) text += " " + number(node.number);
    return node.children.size() == 1 && node.number == 0 ? text.substr(1) : "(+" + text + ")";
  }

  std::string extreme(const Expression &node, const char *sign) {
    std::string best = (*this)(node.children[0]);
    for (std::size_t k = 1; k < node.children.size(); ++k) {
      std::string next = (*this)(node.children[k]);
      best = "(ite (" + std::string(sign) + " " + best + " " + next + ") " + best + " " + next + ")";
    }
    return best;
  }

  const Expressions &all_;
  std::set<std::string> constants_;
  std::map<std::string, std::size_t> functions_;
};

const char *status_of(Answer answer) {
  switch (answer) {
  case Answer::Refuted: return "unsat";
  case Answer::Possible: return "sat";
  case Answer::Unknown: return "unknown";
  }
  return "";
}

} // namespace

std::string to_smtlib(const Expressions &expressions, const Question &question,
                      const std::vector<Id> &hypotheses, const std::vector<Id> &instances) {
  Printer print(expressions);
  std::string body = "; hypotheses\n";
  for (Id formula : hypotheses)
    body += "(assert " + print(formula) + ")\n";
  body += "; instances of properties\n";
  for (Id formula : instances)
    body += "(assert " + print(formula) + ")\n";
  std::string head =
      "; " + question.name + (question.about.empty() ? "" : ", about " + question.about) + "\n";
  head += std::string("; expected: ") + status_of(question.answer) + "\n(set-logic QF_UFLIA)\n";
  return head + print.declarations() + body + "(check-sat)\n";
}

} // namespace unravel::prove
