#include "run/dense_program.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace unravel::run::test {

namespace {

using Kind = DenseStatement::Kind;

std::string text(const Affine &affine) {
  std::string made = affine.size;
  if (!affine.variable.empty()) made += (affine.sign < 0 ? "-" : made.empty() ? "" : "+") + affine.variable;
  if (affine.shift == 0 && !made.empty()) return made;
  return made + (affine.shift >= 0 && !made.empty() ? "+" : "") + std::to_string(affine.shift);
}

std::string texts(const std::vector<Affine> &affine, const char *between) {
  std::string made;
  for (const Affine &one : affine)
    made += (made.empty() ? "" : between) + text(one);
  return made;
}

/// In C a scalar that is written is what a pointer points to.
struct C {
  const DenseProgram &program;
  std::set<std::string> written;

  std::string access(const DenseAccess &access) const {
    if (!access.subscripts.empty()) return access.tensor + "[" + texts(access.subscripts, "][") + "]";
    return written.contains(access.tensor) ? "*" + access.tensor : access.tensor;
  }
};

template <class Access> std::string value_text(const Value &value, const Access &access) {
  switch (value.kind) {
  case Value::Kind::Number:
    return value.number == 0 ? "0" : fmt::format("{:.1f}", value.number); // C's `3 / 2` is 1
  case Value::Kind::Access: return access(value.access);
  case Value::Kind::Quotient:
    return value_text(value.parts[0], access) + " / " + value_text(value.parts[1], access);
  default: break;
  }
  const bool is_sum = value.kind == Value::Kind::Sum;
  std::string made;
  for (std::size_t k = 0; k < value.parts.size(); ++k) {
    const bool minus = is_sum && value.subtracted[k];
    made += made.empty() ? (minus ? "-" : "") : is_sum ? (minus ? " - " : " + ") : " * ";
    made += value_text(value.parts[k], access);
  }
  return is_sum ? "(" + made + ")" : made;
}

std::string condition_text(const DenseStatement &statement, const char *equal, const char *all,
                           const char *any) {
  std::string made;
  for (const Comparison &one : statement.condition)
    made += (made.empty()       ? ""
             : statement.is_any ? any
                                : all) +
            text(one.left) + " " + (one.relation == "=" ? equal : one.relation) + " " + text(one.right);
  return made;
}

std::string program_text(const std::vector<DenseStatement> &statements, const DenseProgram &program) {
  std::string made;
  for (const DenseStatement &statement : statements) {
    std::vector<std::string> modes;
    switch (statement.kind) {
    case Kind::Loop:
      made += fmt::format("for {} in [{}, {}) {{ {}}} ", statement.variable, text(statement.low),
                          text(statement.high), program_text(statement.body, program));
      break;
    case Kind::If:
      made += fmt::format("if {} {{ {}}} ", condition_text(statement, "=", " and ", " or "),
                          program_text(statement.body, program));
      break;
    case Kind::Local:
      for (std::size_t k = 0; k < statement.target.subscripts.size(); ++k)
        modes.push_back(text(statement.target.subscripts[k]) + " in [0, " +
                        program.shapes.at(statement.target.tensor)[k] + ")");
      made += fmt::format("let {}{} = {}; ", statement.target.tensor,
                          modes.empty() ? "" : fmt::format("({})", fmt::join(modes, ", ")),
                          notation(statement.value));
      break;
    case Kind::Assignment:
      made += fmt::format("{} {} {}; ", notation(statement.target), statement.operation,
                          notation(statement.value));
    }
  }
  return made;
}

std::string c_text(const std::vector<DenseStatement> &statements, const C &c) {
  std::string made;
  const auto access = [&](const DenseAccess &one) { return c.access(one); };
  for (const DenseStatement &statement : statements) {
    std::string loops;
    switch (statement.kind) {
    case Kind::Loop:
      made += fmt::format("for (int {0} = {1}; {0} < {2}; {0}++) {{ {3}}} ", statement.variable,
                          text(statement.low), text(statement.high), c_text(statement.body, c));
      break;
    case Kind::If:
      made += fmt::format("if ({}) {{ {}}} ", condition_text(statement, "==", " && ", " || "),
                          c_text(statement.body, c));
      break;
    case Kind::Local: {
      const std::vector<std::string> &shape = c.program.shapes.at(statement.target.tensor);
      if (shape.empty()) {
        made += "double " + statement.target.tensor + " = " + value_text(statement.value, access) + "; ";
        break;
      }
      for (std::size_t k = 0; k < shape.size(); ++k)
        loops += fmt::format("for (int {0} = 0; {0} < {1}; {0}++) ", statement.target.subscripts[k].variable,
                             shape[k]);
      made += fmt::format("double {}[{}]; {}{} = {}; ", statement.target.tensor, fmt::join(shape, "]["),
                          loops, access(statement.target), value_text(statement.value, access));
      break;
    }
    case Kind::Assignment:
      made += fmt::format("{} {} {}; ", access(statement.target), statement.operation,
                          value_text(statement.value, access));
    }
  }
  return made;
}

void collect(const Value &value, std::set<std::string> &names) {
  if (value.kind == Value::Kind::Access) names.insert(value.access.tensor);
  for (const Value &part : value.parts)
    collect(part, names);
}

void collect(const std::vector<DenseStatement> &statements, bool only_written, std::set<std::string> &names,
             std::set<std::string> &locals) {
  for (const DenseStatement &statement : statements) {
    collect(statement.body, only_written, names, locals);
    if (statement.kind == Kind::Local) locals.insert(statement.target.tensor);
    if (statement.kind == Kind::Assignment) names.insert(statement.target.tensor);
    if (!only_written) collect(statement.value, names);
  }
}

void collect_sizes(const std::vector<DenseStatement> &statements, const DenseProgram &program,
                   std::set<std::string> &sizes) {
  for (const DenseStatement &statement : statements) {
    std::vector<const Affine *> all{&statement.low, &statement.high};
    for (const Comparison &one : statement.condition)
      all.insert(all.end(), {&one.left, &one.right});
    for (const Affine *one : all)
      sizes.insert(one->size);
    if (statement.kind == Kind::Local) {
      const std::vector<std::string> &shape = program.shapes.at(statement.target.tensor);
      sizes.insert(shape.begin(), shape.end());
    }
    collect_sizes(statement.body, program, sizes);
  }
}

/// Sizes that occur, but not as the extent of a tensor that isn't local.
std::set<std::string> sizes_without_tensor(const DenseProgram &program) {
  std::set<std::string> sizes;
  collect_sizes(program.statements, program, sizes);
  sizes.erase("");
  for (const std::string &name : tensors_of(program))
    for (const std::string &size : program.shapes.at(name))
      sizes.erase(size);
  return sizes;
}

struct Execution {
  const DenseProgram &program;
  std::map<std::string, std::int64_t> integers; // sizes and variables
  std::map<std::string, check::Reference> &tensors;

  struct Number {
    double value = 0, magnitude = 0;
  };

  std::int64_t at(const Affine &affine) const {
    return (affine.size.empty() ? 0 : integers.at(affine.size)) +
           (affine.variable.empty() ? 0 : affine.sign * integers.at(affine.variable)) + affine.shift;
  }

  std::size_t place(const DenseAccess &access) const {
    std::int64_t place = 0;
    const std::vector<std::string> &shape = program.shapes.at(access.tensor);
    for (std::size_t k = 0; k < shape.size(); ++k)
      place = place * integers.at(shape[k]) + at(access.subscripts[k]);
    return static_cast<std::size_t>(place);
  }

  Number value(const Value &of) const {
    Number made;
    switch (of.kind) {
    case Value::Kind::Number: return {of.number, std::abs(of.number)};
    case Value::Kind::Access: {
      const check::Reference &tensor = tensors.at(of.access.tensor);
      return {tensor.value.at(place(of.access)), tensor.magnitude.at(place(of.access))};
    }
    case Value::Kind::Quotient: {
      const Number dividend = value(of.parts[0]), divisor = value(of.parts[1]);
      return {dividend.value / divisor.value, dividend.magnitude / std::abs(divisor.value)};
    }
    case Value::Kind::Product:
      made = {1, 1};
      for (const Value &part : of.parts) {
        const Number factor = value(part);
        made = {made.value * factor.value, made.magnitude * factor.magnitude};
      }
      return made;
    case Value::Kind::Sum:
      for (std::size_t k = 0; k < of.parts.size(); ++k) {
        const Number term = value(of.parts[k]);
        made = {made.value + (of.subtracted[k] ? -term.value : term.value), made.magnitude + term.magnitude};
      }
    }
    return made;
  }

  void assign(const DenseStatement &statement) {
    check::Reference &tensor = tensors.at(statement.target.tensor);
    double &target = tensor.value.at(place(statement.target));
    double &magnitude = tensor.magnitude.at(place(statement.target));
    const Number by = value(statement.value);
    switch (statement.operation.front()) {
    case '=': target = by.value, magnitude = by.magnitude; break;
    case '+': target += by.value, magnitude += by.magnitude; break;
    case '-': target -= by.value, magnitude += by.magnitude; break;
    case '*': target *= by.value, magnitude *= by.magnitude; break;
    case '/': target /= by.value, magnitude /= std::abs(by.value);
    }
  }

  bool holds(const Comparison &one) const {
    const std::int64_t left = at(one.left), right = at(one.right);
    return one.relation == "<"    ? left < right
           : one.relation == "<=" ? left <= right
           : one.relation == ">"  ? left > right
           : one.relation == ">=" ? left >= right
           : one.relation == "="  ? left == right
                                  : left != right;
  }

  bool holds(const DenseStatement &statement) const {
    const auto one_holds = [&](const Comparison &one) { return holds(one); };
    return statement.is_any ? std::any_of(statement.condition.begin(), statement.condition.end(), one_holds)
                            : std::all_of(statement.condition.begin(), statement.condition.end(), one_holds);
  }

  void set_local(const DenseStatement &statement, std::size_t mode) {
    if (mode == statement.target.subscripts.size()) return assign(statement);
    std::int64_t &index = integers[statement.target.subscripts[mode].variable];
    for (index = 0; index < integers.at(program.shapes.at(statement.target.tensor)[mode]); ++index)
      set_local(statement, mode + 1);
  }

  void execute(const std::vector<DenseStatement> &statements) {
    for (const DenseStatement &statement : statements)
      switch (statement.kind) {
      case Kind::Loop:
        for (std::int64_t each = at(statement.low); each < at(statement.high); ++each) {
          integers[statement.variable] = each;
          execute(statement.body);
        }
        break;
      case Kind::If:
        if (holds(statement)) execute(statement.body);
        break;
      case Kind::Local: {
        check::Reference &local = tensors[statement.target.tensor] = {};
        std::size_t elements = 1;
        for (const std::string &size : program.shapes.at(statement.target.tensor))
          elements *= static_cast<std::size_t>(std::max<std::int64_t>(0, integers.at(size)));
        local.value.resize(elements), local.magnitude.resize(elements);
        set_local(statement, 0);
        break;
      }
      case Kind::Assignment: assign(statement);
      }
  }
};

} // namespace

std::string notation(const DenseAccess &access) {
  return access.tensor + (access.subscripts.empty() ? "" : "(" + texts(access.subscripts, ",") + ")");
}

std::string notation(const Value &value) {
  return value_text(value, [](const DenseAccess &access) { return notation(access); });
}

std::vector<std::string> tensors_of(const DenseProgram &program, bool only_written) {
  std::set<std::string> names, locals;
  collect(program.statements, only_written, names, locals);
  std::erase_if(names, [&](const std::string &name) { return locals.contains(name); });
  return {names.begin(), names.end()};
}

std::string program_text(const DenseProgram &program) {
  std::vector<std::string> declared;
  for (const std::string &name : tensors_of(program)) {
    const std::vector<std::string> &shape = program.shapes.at(name);
    declared.push_back(shape.empty() ? name : fmt::format("{}({})", name, fmt::join(shape, ",")));
  }
  std::string sizes;
  for (const std::string &name : sizes_without_tensor(program))
    sizes += "size " + name + " >= 0; ";
  return fmt::format("tensor {}; {}{}", fmt::join(declared, ", "), sizes,
                     program_text(program.statements, program));
}

std::string c_text(const DenseProgram &program) {
  const std::vector<std::string> written = tensors_of(program, true);
  const C c{program, {written.begin(), written.end()}};
  std::string parameters = "int n, int m, int l";
  for (const std::string &name : tensors_of(program)) {
    const std::vector<std::string> &shape = program.shapes.at(name);
    parameters += shape.empty() ? (c.written.contains(name) ? ", double *" : ", double ") + name
                                : fmt::format(", double {}[{}]", name, fmt::join(shape, "]["));
  }
  return fmt::format("void f({}) {{ {}}}\n", parameters, c_text(program.statements, c));
}

void evaluate(const DenseProgram &program, const std::map<std::string, std::int64_t> &sizes,
              std::map<std::string, check::Reference> &tensors) {
  Execution{program, sizes, tensors}.execute(program.statements);
}

} // namespace unravel::run::test
