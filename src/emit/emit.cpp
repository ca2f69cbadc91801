#include "emit/emit.h"

#include "emit/body.h"
#include "emit/expression.h"
#include "emit/names.h"
#include "emit/opening.h"
#include "emit/prelude.h"
#include "emit/workspace.h"
#include "emit/wrap.h"
#include "loop/passes.h"

#include <algorithm>
#include <fmt/format.h>

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
    result += fmt::format("  {} *{}; // [{}]\n", c_type(array.element), type.members.at(array.name),
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
    std::string borrows;
    if (!parameter.structure.empty())
      borrows =
          fmt::format(", with the structure of {}: only its values are written, its index arrays aren't read "
                      "and may be those of {}",
                      parameter.structure, parameter.structure);
    result += wrap_text(comment_text(fmt::format("{}: {}{}{}{}", names.parameter(k),
                                                 parameter.is_result ? "the result, " : "", parameter.layout,
                                                 sizes, borrows)),
                        " * ", "   ");
  }
  for (const std::string &size : program.sizes)
    result += wrap_text(comment_text(fmt::format("{}: an integer", names.variable(size))), " * ", "   ");
  result += workspace_documentation(program, names);
  std::string no_room = program.workspace.empty() ? "" : "; or 2, and does nothing, without enough memory";
  if (loop::effects_of(program.body).misses) no_room += "; or 3 where a divisor isn't stored";
  if (program.preconditions.empty()) return result + fmt::format(" *\n * Returns 0{}.\n */\n", no_room);
  result += fmt::format(" *\n * Returns 0{}; or 1, and does nothing, unless\n", no_room);
  for (const loop::Precondition &condition : program.preconditions) {
    std::string message = condition.message.empty() ? "" : ": " + comment_text(condition.message);
    result += wrap_text(expressions.term_of_members(condition.formula) + message, " *   ", "  ");
  }
  return result + " */\n";
}

Program without_unused(Program program) {
  program.body = loop::drop_unused(std::move(program.body));
  return program;
}

SpannedText spanned_text(const Program &original, const EmitOptions &options) {
  Program program = without_unused(original);
  Names names(program);
  Expressions expressions(program, names);
  SpannedText function = function_text(program, options, names, expressions);
  if (!program.workspace.empty()) expressions.need("workspace");
  std::string result = includes(expressions.needs(), options, names);
  result += helpers(expressions.needs(), expressions.single_precision(), options);
  if (!options.with_header || options.in_process) {
    for (const StructType &type : names.types())
      result += struct_text(type, expressions, !options.in_process);
    result += workspace_struct(program, names, expressions);
  }
  result += workspace_functions(program, names);
  const std::size_t kernel = result.size();
  result += documentation(program, names, expressions);
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
  result += workspace_struct(program, names, expressions) + workspace_prototypes(program, names);
  result +=
      documentation(program, names, expressions) + wrap_code(signature(program, names) + ";", "") + "\n";
  return result + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

} // namespace unravel::emit
