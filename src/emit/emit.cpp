#include "emit/emit.h"

#include "emit/body.h"
#include "emit/expression.h"
#include "emit/names.h"
#include "emit/prelude.h"
#include "emit/workspace.h"
#include "emit/wrap.h"
#include "loop/arrays.h"
#include "loop/assembled.h"
#include "loop/passes.h"
#include "value/chosen.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace unravel::emit {

namespace {

using loop::ArrayParameter;
using loop::ElementType;
using loop::Program;
using loop::TensorParameter;

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
    result += "_" + type.members.at(array.name) + "_" + loop::name_of(array.element);
  return result + (type.shape->constant ? "_const" : "");
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
    result += fmt::format("  {}{} *{}; // [{}]\n", shape.constant ? "const " : "", c_type(array.element),
                          type.members.at(array.name), joined(extents));
  }
  result += fmt::format("}} {};\n", type.name);
  if (!with_guard) return result + "\n";
  std::string guard = struct_guard(type);
  return fmt::format("#ifndef {0}\n#define {0}\n{1}#endif\n\n", guard, result);
}

/// The function that frees the arrays of an assembled result.
std::string free_text(const StructType &type) {
  if (type.free.empty()) return "";
  const TensorParameter &shape = *type.shape;
  std::string body;
  for (const ArrayParameter &array : shape.arrays)
    body += fmt::format("  free(tensor->{0});\n  tensor->{0} = 0;\n", type.members.at(array.name));
  for (const std::string &count : shape.counts)
    body += fmt::format("  tensor->{} = 0;\n", type.members.at(count));
  return fmt::format("#ifndef UNRAVEL_FREE_{0}\n#define UNRAVEL_FREE_{0}\n"
                     "// Frees the arrays that a kernel allocated for the tensor, and clears the pointers.\n"
                     "#ifdef __GNUC__\n__attribute__((unused))\n#endif\n"
                     "static inline void {1}({0} *tensor) {{\n{2}}}\n#endif\n\n",
                     type.name, type.free, body);
}

/// Who makes the arrays of a result, where the caller doesn't.
std::string origin_text(const TensorParameter &parameter, const StructType &type, bool in_process) {
  if (parameter.assembled)
    return fmt::format("{}the kernel allocates its arrays; free them with {}",
                       parameter.sizes.empty() ? "; " : ", which are given; ",
                       in_process ? "free()" : type.free);
  if (parameter.structure.empty()) return "";
  return fmt::format(", with the structure of {}: only its values are written, its index arrays aren't read "
                     "and may be those of {}",
                     parameter.structure, parameter.structure);
}

bool is_assembling(const Program &program) {
  return std::any_of(program.parameters.begin(), program.parameters.end(),
                     [](const TensorParameter &parameter) { return parameter.assembled; });
}

/// What the kernel returns. The conditions that 1 is about follow it, if there are any.
std::string codes_text(const Program &program) {
  const bool is_short =
      std::any_of(program.parameters.begin(), program.parameters.end(), [](const TensorParameter &parameter) {
        return parameter.assembled && most_counted(parameter) < loop::most_in_memory;
      });
  std::vector<std::string> codes{"Returns 0"};
  if (is_assembling(program) || !program.workspace.empty()) codes.push_back("2 if memory runs out");
  if (loop::effects_of(program.body).misses) codes.push_back("3 if a divisor isn't stored");
  if (is_short) codes.push_back("4 if a count needs int64 index arrays");
  if (!program.preconditions.empty()) codes.push_back("1 if one of these conditions doesn't hold:");
  if (codes.size() == 1) return "Returns 0.";
  codes[0] += " on success";
  codes.back() = "or " + codes.back();
  return fmt::format("{}{}", fmt::join(codes, ", "), program.preconditions.empty() ? "." : "");
}

/// What an error leaves.
std::string errors_text(const Program &program) {
  const bool has_workspace = !program.workspace.empty(), has_conditions = !program.preconditions.empty();
  if (is_assembling(program))
    return fmt::format("On an error the result is unchanged{}.",
                       !has_workspace   ? ""
                       : has_conditions ? "; after any but 1 the workspace is empty"
                                        : ", and the workspace is empty");
  if (!has_workspace && !has_conditions) return "";
  const bool grows = std::ranges::any_of(
      program.workspace, [](const loop::WorkspaceArray &array) { return array.grows || array.hashed; });
  if (grows) // memory may run out at any time
    return "After 2 the result may hold anything, and the workspace is empty.";
  return loop::effects_of(program.body).misses ? "On errors other than 3 nothing is changed."
                                               : "On an error nothing is changed.";
}

/// `in_process`: the text has no function that frees a result.
std::string documentation(const Program &program, const Names &names, const Expressions &expressions,
                          bool in_process = false) {
  std::string result = "/*\n" + wrap_text(comment_text(program.expression), " * ", "    ") + " *\n";
  for (std::size_t k = 0; k < program.parameters.size(); ++k) {
    const TensorParameter &parameter = program.parameters[k];
    std::string sizes = parameter.sizes.empty() ? "" : fmt::format(" of sizes ({})", joined(parameter.sizes));
    result += wrap_text(comment_text(fmt::format(
                            "{}: {}{}{}{}", names.parameter(k), parameter.is_result ? "the result, " : "",
                            parameter.layout, sizes, origin_text(parameter, names.type_of(k), in_process))),
                        " * ", "   ");
  }
  for (const std::string &size : program.sizes)
    result += wrap_text(comment_text(fmt::format("{}: an integer", names.variable(size))), " * ", "   ");
  result += workspace_documentation(program, names);
  result += " *\n" + wrap_text(codes_text(program), " * ");
  for (const loop::Precondition &condition : program.preconditions) {
    std::string message = condition.message.empty() ? "" : ": " + comment_text(condition.message);
    result += wrap_text(expressions.term_of_members(condition.formula) + message, " *   ", "  ");
  }
  const std::string errors = errors_text(program);
  if (!errors.empty()) result += wrap_text(errors, " * ");
  if (loop::holds<loop::Blas>(program.body)) result += " *\n * It calls CBLAS: link with OpenBLAS.\n";
  return result + " */\n";
}

/// Nor arguments that no operator looks at, and tests of integers for what is no number.
Program without_unused(Program program) {
  // A table knows how many elements it has: no size has to be read for it.
  loop::each_statement(program.body, [&](loop::Statement &statement) {
    auto *zero = statement.as<loop::Zero>();
    const loop::WorkspaceArray *array = zero ? loop::find_workspace(zero->array, program) : nullptr;
    if (array && array->hashed) zero->count = term::Term(0);
  });
  loop::rewrite(program.body, {}, [](const loop::Value &value) { return value::chosen(value); });
  const loop::Types types(program);
  if (types.has_integers()) program.body = loop::drop_tests_of_integers(std::move(program.body), types);
  program.body = loop::drop_unused(std::move(program.body));
  return program;
}

SpannedText spanned_text(const Program &original, const EmitOptions &options) {
  Program program = without_unused(original);
  Names names(program);
  Expressions expressions(program, names);
  name_own_operators(program, names, expressions);
  expressions.keep_order(options.in_process);
  SpannedText function = function_text(program, options, names, expressions);
  const std::string own_operators = own_operators_text(program, expressions);
  if (!program.workspace.empty()) expressions.need("workspace");
  if (!std::ranges::all_of(program.workspace, &loop::WorkspaceArray::grows))
    expressions.need("reserve"); // to free it
  std::string result = includes(expressions.needs(), options, names);
  result += helpers(expressions.needs(), expressions.single_precision(), options, function.text);
  result += own_operators;
  if ((!options.with_header && !options.is_declared) || options.in_process) {
    for (const StructType &type : names.types()) {
      result += struct_text(type, expressions, !options.in_process);
      if (!options.in_process) result += free_text(type);
    }
    result += workspace_struct(program, names, expressions);
  }
  result += workspace_functions(program, names, expressions);
  const std::size_t kernel = result.size();
  result += documentation(program, names, expressions, options.in_process);
  for (Span &span : function.spans)
    span.begin += result.size(), span.end += result.size();
  result += function.text;
  if (options.in_process) result += entry_text(program, names);
  return {std::move(result), std::move(function.spans), kernel};
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

std::string emit_c(const Program &program, const EmitOptions &options) {
  return spanned_text(program, options).text;
}

std::vector<Line> emit_lines(const Program &program, const EmitOptions &options) {
  const SpannedText made = spanned_text(program, options);
  std::vector<Line> lines;
  for (std::size_t at = 0; at < made.text.size();) {
    const std::size_t end = made.text.find('\n', at);
    Line line{made.text.substr(at, end - at), {}, at >= made.kernel, false};
    const auto own = std::find_if(made.spans.begin(), made.spans.end(),
                                  [&](const Span &span) { return span.begin <= at && at < span.end; });
    if (own != made.spans.end()) {
      line.origins = own->origins;
      line.behind = std::any_of(made.spans.begin(), own, [&](const Span &inside) {
        return own->begin <= inside.begin && inside.end <= at;
      });
    }
    lines.push_back(std::move(line));
    at = end + 1;
  }
  return lines;
}

std::string emit_in_process(const Program &program, EmitOptions::Gathers gathers) {
  EmitOptions options;
  options.in_process = true;
  options.gathers = gathers;
  return emit_c(program, options);
}

std::string emit_header(const Program &original) {
  Program program = without_unused(original);
  Names names(program);
  Expressions expressions(program, names);
  std::string guard = "UNRAVEL_KERNEL_" + names.kernel() + "_H";
  std::string result =
      fmt::format("// Generated by Unravel.\n#ifndef {0}\n#define {0}\n\n{1}#include <stdint.h>\n{2}\n",
                  guard, expressions.needs().contains("bool") ? "#include <stdbool.h>\n" : "",
                  is_assembling(program) ? "#include <stdlib.h>\n" : "");
  result += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  for (const StructType &type : names.types())
    result += struct_text(type, expressions, true) + free_text(type);
  result += workspace_struct(program, names, expressions) + workspace_prototypes(program, names);
  result +=
      documentation(program, names, expressions) + wrap_code(signature(program, names) + ";", "") + "\n";
  return result + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

} // namespace unravel::emit
