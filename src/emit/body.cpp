#include "emit/body.h"

#include "emit/opening.h"
#include "emit/statement_writer.h"
#include "emit/wrap.h"

#include <string>

namespace unravel::emit {

using loop::Program;

SpannedText function_text(const Program &program, const EmitOptions &options, Names &names,
                          Expressions &expressions) {
  std::set<std::string> used = used_by(program);
  StatementWriter writer(program, options, names, expressions);
  for (const std::string &line : opening_lines(program, used, names, expressions))
    writer.line(line);
  writer.begin();
  writer.workspace(used);
  writer.assemble();
  writer.masks();
  writer.body();
  writer.end();
  SpannedText result{wrap_code(signature(program, names) + " {", ""), writer.take_spans(), 0};
  if (writer.reassociates()) result.text += "#ifdef __clang__\n#pragma clang fp reassociate(on)\n#endif\n";
  for (Span &span : result.spans)
    span.begin += result.text.size(), span.end += result.text.size();
  result.text += writer.take() + "}\n";
  return result;
}

} // namespace unravel::emit
