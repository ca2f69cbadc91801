#include "cfront/syntax.h"

#include "build/module.h"
#include "cfront/refuse.h"
#include "report/diagnostic.h"
#include "report/suggest.h"

#include <algorithm>

namespace unravel::cfront {

using report::Kind;

namespace {

const UnravelSyntaxReader &reader() {
  static const UnravelSyntaxReader &table = []() -> const UnravelSyntaxReader & {
    auto *found =
        reinterpret_cast<decltype(&unravel_syntax_reader)>(build::module_symbol("unravel_syntax_reader"));
    if (!found || found()->version != unravel_syntax_version)
      report::fail(Kind::no_compiler, "the in-process compiler that was found is of another version",
                   "install Unravel with its module");
    return *found();
  }();
  return table;
}

/// The node at `at` and all below it; `at` moves behind them.
Node take_node(const UnravelSyntax &syntax, std::size_t &at,
               const std::shared_ptr<const text::Source> &source) {
  report::require(at < syntax.node_count, "the syntax of C is complete");
  const UnravelNode &from = syntax.nodes[at++];
  Node node;
  node.kind = from.kind;
  node.type = from.type;
  node.bits = from.bits;
  node.is_unsigned = from.is_unsigned != 0;
  node.flags = from.flags;
  node.span = {source, from.begin, from.end};
  node.head = {source, from.begin, std::max(from.begin, from.head_end)};
  node.declaration = from.declaration;
  node.integer = from.integer;
  node.decimal = from.decimal;
  node.imaginary = from.imaginary;
  node.text = from.text;
  node.type_name = from.type_name;
  node.children.reserve(from.children);
  for (std::size_t k = 0; k < from.children; ++k)
    node.children.push_back(take_node(syntax, at, source));
  return node;
}

[[noreturn]] void fail_in_c(const UnravelSyntaxError &error,
                            const std::shared_ptr<const text::Source> &source) {
  text::Place place = text::Span{source, error.begin, error.end}.place();
  if (*error.file) place = text::Place{error.file, error.line, error.column, {}, 1};
  if (error.too_deep) fail_too_deep(place);
  report::fail(Kind::c_error, place, error.message);
}

std::string list_of(std::vector<std::string> names) {
  constexpr std::size_t shown = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), shown); ++k)
    text += (k == 0 ? "`" : ", `") + names[k] + "`";
  return names.size() > shown ? text + ", ..." : text;
}

[[noreturn]] void fail_without_function(const std::string &file, const std::string &function,
                                        const std::vector<std::string> &defined) {
  text::Place place = text::Place::of_file(file);
  if (defined.empty()) report::fail(Kind::unknown_function, place, "the file defines no function");
  if (function.empty())
    report::fail(Kind::unknown_function, place, "the file defines several functions: " + list_of(defined),
                 "name one: --from " + file + ":" + defined.front());
  report::fail(Kind::unknown_function, place, "the file defines no function `" + function + "`",
               report::suggest(function, defined, "it defines " + list_of(defined)));
}

} // namespace

Node read_syntax(const std::shared_ptr<const text::Source> &source, const std::string &function) {
  const std::string path = source->name() == "-" ? "./-" : source->name(); // alone it is the standard input
  std::unique_ptr<const UnravelSyntax, void (*)(const UnravelSyntax *)> syntax(
      reader().read(path.c_str(), source->content().data(), source->content().size(), function.c_str()),
      reader().release);
  if (syntax->error) fail_in_c(*syntax->error, source);
  if (syntax->node_count == 0)
    fail_without_function(source->name(), function,
                          {syntax->functions, syntax->functions + syntax->function_count});
  std::size_t at = 0;
  return take_node(*syntax, at, source);
}

} // namespace unravel::cfront
