#include "emit/emit.h"

#include "emit/body.h"
#include "emit/expression.h"
#include "emit/names.h"
#include "emit/wrap.h"
#include "loop/passes.h"

#include <cctype>
#include <fmt/format.h>

namespace unravel::emit {

namespace {

using loop::ArrayParameter;
using loop::ElementType;
using loop::Program;
using loop::TensorParameter;

std::string pointer_type(ElementType type) {
  switch (type) {
  case ElementType::Int32: return "int32_t";
  case ElementType::Int64: return "int64_t";
  case ElementType::Float32: return "float";
  case ElementType::Float64: return "double";
  }
  return "";
}

std::string joined(const std::vector<std::string> &names) {
  return fmt::format("{}", fmt::join(names.begin(), names.end(), ", "));
}

/// The lines of a text, each safe in a comment.
std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(comment_text(text.substr(at, end - at)));
    at = end + 1;
  }
  return lines;
}

std::string struct_guard(const StructType &type) {
  std::string result = "UNRAVEL_STRUCT_" + type.name;
  for (const auto *names : {&type.shape->sizes, &type.shape->counts})
    for (const std::string &name : *names)
      result += "_" + type.members.at(name);
  for (const ArrayParameter &array : type.shape->arrays)
    result += "_" + type.members.at(array.name) + "_" + name_of(array.element);
  return result;
}

/// `with_guard`: several kernels' files may stand in one translation unit.
std::string struct_text(const StructType &type, const Expressions &expressions, bool with_guard) {
  const TensorParameter &shape = *type.shape;
  std::string result;
  std::vector<std::string> about = lines_of(shape.about);
  if (about.empty()) about.push_back(fmt::format("Layout {}.", comment_text(shape.layout)));
  for (const std::string &line : about)
    result += wrap_text(line, "// ");
  result += fmt::format("typedef struct {} {{\n", type.name);
  for (const std::string &name : shape.sizes)
    result += fmt::format("  int64_t {};\n", type.members.at(name));
  for (const std::string &name : shape.counts)
    result += fmt::format("  int64_t {};\n", type.members.at(name));
  for (const ArrayParameter &array : shape.arrays) {
    std::vector<std::string> extents;
    for (const term::Term &extent : array.extents)
      extents.push_back(expressions.term_of_struct(extent, type));
    result += fmt::format("  {} *{}; // [{}]\n", pointer_type(array.element), type.members.at(array.name),
                          joined(extents));
  }
  result += fmt::format("}} {};\n", type.name);
  if (!with_guard) return result + "\n";
  std::string guard = struct_guard(type);
  return fmt::format("#ifndef {0}\n#define {0}\n{1}#endif\n\n", guard, result);
}

std::string documentation(const Program &program, const Names &names, const Expressions &expressions) {
  std::string result = "/*\n" + wrap_text(comment_text(program.expression), " * ", "    ") + " *\n";
  for (std::size_t k = 0; k < program.parameters.size(); ++k) {
    const TensorParameter &parameter = program.parameters[k];
    std::string sizes = parameter.sizes.empty() ? "" : fmt::format(" of sizes ({})", joined(parameter.sizes));
    result += wrap_text(
        comment_text(fmt::format("{}: {}{}{}", names.parameter(k), parameter.is_result ? "the result, " : "",
                                 parameter.layout, sizes)),
        " * ", "   ");
  }
  if (program.preconditions.empty()) return result + " *\n * Returns 0.\n */\n";
  result += " *\n * Returns 0; or 1, and does nothing, unless\n";
  for (const loop::Precondition &condition : program.preconditions) {
    std::string message = condition.message.empty() ? "" : ": " + comment_text(condition.message);
    result += wrap_text(expressions.term_of_members(condition.formula) + message, " *   ", "  ");
  }
  return result + " */\n";
}

constexpr const char *restrict_macro = R"(#ifndef UNRAVEL_RESTRICT
#ifdef __cplusplus
#define UNRAVEL_RESTRICT __restrict
#else
#define UNRAVEL_RESTRICT restrict
#endif
#endif

)";

std::string inline_function(const std::string &name, const std::string &body) {
  std::string guard = "UNRAVEL_";
  for (char c : name)
    guard += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format("#ifndef {0}\n#define {0}\nstatic inline int64_t unravel_{1}(int64_t a, int64_t b) {{ "
                     "{2} }}\n#endif\n\n",
                     guard, name, body);
}

std::string functions(const Needs &needs) {
  std::string result;
  if (needs.floor_divide)
    result += "// a / b rounded towards minus infinity; b > 0\n" +
              inline_function("floor_divide", "return a / b - (a % b < 0);");
  if (needs.floor_modulo)
    result += "// a - b * floor(a / b); b > 0\n" +
              inline_function("floor_modulo", "return a % b < 0 ? a % b + b : a % b;");
  if (needs.minimum) result += inline_function("minimum", "return a < b ? a : b;");
  if (needs.maximum) result += inline_function("maximum", "return a > b ? a : b;");
  return result;
}

std::string includes(const Needs &needs, const EmitOptions &options, const Names &names) {
  std::string result = "// Generated by Unravel.\n";
  if (options.in_process) {
    result = "typedef __INT32_TYPE__ int32_t;\ntypedef __INT64_TYPE__ int64_t;\n";
    if (needs.memset) result += "typedef __SIZE_TYPE__ size_t;\nvoid *memset(void *, int, size_t);\n";
    return result + "\n";
  }
  if (options.with_header) result += fmt::format("#include \"{}.h\"\n\n", names.kernel());
  result += "#include <stdint.h>\n";
  if (needs.memset) result += "#include <string.h>\n";
  return result + "\n";
}

std::string entry(const Program &program, const Names &names) {
  std::string list;
  for (std::size_t k = 0; k < program.parameters.size(); ++k)
    list += fmt::format("{}({}{} *)arguments[{}]", k ? ", " : "",
                        program.parameters[k].is_result ? "" : "const ", names.type_of(k).name, k);
  std::string unused = program.parameters.empty() ? "  (void)arguments;\n" : "";
  return fmt::format("\nint unravel_entry(void **arguments) {{\n{}  return {}({});\n}}\n", unused,
                     names.kernel(), list);
}

Program without_unused(Program program) {
  program.body = loop::drop_unused(std::move(program.body));
  return program;
}

} // namespace

std::string kernel_name(const Program &program) {
  return Names(program).kernel();
}

std::vector<StructNames> struct_names(const Program &program) {
  Names names(program);
  std::vector<StructNames> result;
  for (std::size_t k = 0; k < program.parameters.size(); ++k)
    result.push_back({names.type_of(k).name, names.type_of(k).members});
  return result;
}

std::string emit_c(const Program &original, const EmitOptions &options) {
  Program program = without_unused(original);
  Names names(program);
  Expressions expressions(program, names);
  std::string function = function_text(program, options, names, expressions);
  const Needs &needs = expressions.needs();
  std::string result = includes(needs, options, names);
  if (needs.restrict_macro) result += restrict_macro;
  result += functions(needs);
  if (!options.with_header || options.in_process)
    for (const StructType &type : names.types())
      result += struct_text(type, expressions, !options.in_process);
  result += documentation(program, names, expressions) + function;
  if (options.in_process) result += entry(program, names);
  return result;
}

std::string emit_header(const Program &original) {
  Program program = without_unused(original);
  Names names(program);
  Expressions expressions(program, names);
  std::string guard = "UNRAVEL_KERNEL_" + names.kernel() + "_H";
  std::string result =
      fmt::format("// Generated by Unravel.\n#ifndef {0}\n#define {0}\n\n#include <stdint.h>\n\n", guard);
  result += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  for (const StructType &type : names.types())
    result += struct_text(type, expressions, true);
  result +=
      documentation(program, names, expressions) + wrap_code(signature(program, names) + ";", "") + "\n";
  return result + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

} // namespace unravel::emit
