#include "emit/workspace.h"

#include "emit/body.h"
#include "emit/wrap.h"

#include <fmt/format.h>

namespace unravel::emit {

namespace {

using loop::Program;
using loop::WorkspaceArray;
using term::Term;

std::string init_head(const Names &names) {
  return fmt::format("void {}({} *work)", names.workspace().init, names.workspace().type);
}

std::string free_head(const Names &names) {
  return fmt::format("void {}({} *work)", names.workspace().free, names.workspace().type);
}

} // namespace

std::string workspace_struct(const Program &program, const Names &names, const Expressions &expressions) {
  if (program.workspace.empty()) return "";
  const Names::Workspace &work = names.workspace();
  std::string result =
      wrap_text(fmt::format("The working memory of {}, kept from call to call: arrays that it enlarges as "
                            "needed, and the number of elements that each has room for.",
                            names.kernel()),
                "// ");
  result += fmt::format("typedef struct {} {{\n", work.type);
  if (!work.threads.empty())
    result += fmt::format("  // how many threads a call takes; 0: as many as OpenMP gives\n  int64_t {};\n",
                          work.threads);
  for (const WorkspaceArray &array : program.workspace) {
    if (!array.about.empty()) result += wrap_text(comment_text(names.translate(array.about)), "  // ");
    const char *bits = array.hashed                              ? " in a hash table"
                       : expressions.is_marked(array.name)       ? " marks"
                       : array.element == loop::ElementType::Bit ? " bits"
                                                                 : "";
    result += fmt::format("  {} *{}; // [{}]{}{}\n", expressions.type_in_workspace(array),
                          work.members.at(array.name),
                          array.grows ? "as needed" : expressions.term_of_members(array.extent), bits,
                          array.per_thread ? " for each thread" : "");
    result += fmt::format("  int64_t {};\n", work.capacities.at(array.name));
  }
  return result + fmt::format("}} {};\n\n", work.type);
}

std::string workspace_prototypes(const Program &program, const Names &names) {
  if (program.workspace.empty()) return "";
  return fmt::format("// Makes the workspace empty. Call it before the first use.\n{};\n"
                     "// Frees the arrays of the workspace; it is empty then.\n{};\n\n",
                     init_head(names), free_head(names));
}

std::string workspace_functions(const Program &program, const Names &names, const Expressions &expressions) {
  if (program.workspace.empty()) return "";
  const Names::Workspace &work = names.workspace();
  std::string init, release, keep;
  if (!work.threads.empty()) {
    init = fmt::format("  work->{} = 0;\n", work.threads);
    keep = fmt::format("  const int64_t threads = work->{};\n", work.threads);
  }
  for (const WorkspaceArray &array : program.workspace) {
    init += fmt::format("  work->{} = 0;\n  work->{} = 0;\n", work.members.at(array.name),
                        work.capacities.at(array.name));
    if (array.hashed)
      release += fmt::format("  {}(work->{}, work->{});\n", expressions.for_table("free_tables", array.name),
                             work.members.at(array.name), work.capacities.at(array.name));
    release += fmt::format("  {}(work->{});\n", array.grows ? "free" : "unravel_unreserve",
                           work.members.at(array.name));
  }
  return fmt::format(
      "// Makes the workspace empty. Call it before the first use.\n{} {{\n{}}}\n\n"
      "// Frees the arrays of the workspace; it is empty then.\n{} {{\n{}{}  {}(work);\n{}}}\n\n",
      init_head(names), init, free_head(names), keep, release, work.init,
      keep.empty() ? "" : fmt::format("  work->{} = threads;\n", work.threads));
}

/// Bits lie 32 to an element; of marks there is a byte for each, and one for each block, 64 of which are read
/// at once.
Term elements_of(const WorkspaceArray &array, const Expressions &expressions) {
  if (array.hashed) return Term(1); // a table
  if (expressions.is_marked(array.name))
    return first_block(array) + term::scale(64, floor_divide(array.extent + Term(4095), 4096));
  bool bits = array.element == loop::ElementType::Bit;
  return bits ? floor_divide(array.extent + Term(31), 32) : array.extent;
}

Term first_block(const WorkspaceArray &array) {
  return term::scale(64, floor_divide(array.extent + Term(63), 64));
}

Term padded_part(const WorkspaceArray &array, const Expressions &expressions) {
  const bool is_marked = expressions.is_marked(array.name);
  std::int64_t bytes = array.hashed ? 32 // as a table has
                       : is_marked  ? 1
                                    : static_cast<std::int64_t>(value::facts_of(array.element).bytes);
  // 64 bytes or more between the parts: no two threads write to one line of the cache
  std::int64_t line_size = 64 / bytes;
  return multiply(floor_divide(elements_of(array, expressions) + Term(2 * line_size - 1), line_size),
                  Term(line_size));
}

std::string threads_text(const Names &names, const Expressions &expressions) {
  const Names::Workspace &work = names.workspace();
  expressions.need(work.threads.empty() ? "threads" : "team");
  return work.threads.empty() ? "unravel_threads()"
                              : fmt::format("unravel_team({}->{})", work.parameter, work.threads);
}

std::string workspace_documentation(const Program &program, const Names &names) {
  if (program.workspace.empty()) return "";
  const Names::Workspace &work = names.workspace();
  return wrap_text(fmt::format("{}: the workspace, made by {} and freed by {}; for one call at a time",
                               work.parameter, work.init, work.free),
                   " * ", "   ");
}

std::string entry_text(const Program &program, const Names &names) {
  std::string list;
  for (std::size_t k = 0; k < program.parameters.size(); ++k)
    list += fmt::format("{}({}{} *)arguments[{}]", k ? ", " : "",
                        program.parameters[k].is_result ? "" : "const ", names.type_of(k).name, k);
  const std::size_t tensors = program.parameters.size();
  for (std::size_t k = 0; k < program.sizes.size(); ++k)
    list += fmt::format("{}*(const int64_t *)arguments[{}]", list.empty() ? "" : ", ", tensors + k);
  if (!program.workspace.empty()) {
    const Names::Workspace &work = names.workspace();
    const char *comma = list.empty() ? "" : ", ";
    return fmt::format("\nvoid *unravel_workspace_new(void) {{\n"
                       "  return calloc(1, sizeof({0}));\n}}\n"
                       "\nvoid unravel_workspace_free(void *work) {{\n"
                       "  if (work) {2}(({0} *)work);\n"
                       "  free(work);\n}}\n"
                       "\nint unravel_entry(void **arguments) {{\n"
                       "  int code;\n  {0} own;\n"
                       "  if (arguments[{6}]) return {3}({4}{5}({0} *)arguments[{6}]);\n"
                       "  {1}(&own);\n  code = {3}({4}{5}&own);\n  {2}(&own);\n  return code;\n}}\n",
                       work.type, work.init, work.free, names.kernel(), list, comma,
                       tensors + program.sizes.size());
  }
  std::string unused = list.empty() ? "  (void)arguments;\n" : "";
  return fmt::format("\nint unravel_entry(void **arguments) {{\n{}  return {}({});\n}}\n", unused,
                     names.kernel(), list);
}

} // namespace unravel::emit
