#include "cfront/translate.h"
#include "parse/parse.h"
#include "report/diagnostic.h"
#include "text/characters.h"

#include <algorithm>
#include <filesystem>

namespace unravel::cfront {

using report::Kind;

namespace {

/// "file.c:function" -> file, function. A file whose name has a colon is found too.
std::pair<std::string, std::string> split_name(const std::string &where) {
  std::error_code unknown;
  std::size_t colon = where.rfind(':');
  if (colon == std::string::npos || std::filesystem::exists(where, unknown)) return {where, ""};
  std::string function = where.substr(colon + 1);
  bool is_name = !function.empty() &&
                 std::ranges::all_of(function, [](char c) { return text::is_of_name(c) || c == '$'; });
  if (!is_name)
    report::fail(Kind::bad_option, "`--from " + where + "`: the name of a function is expected after `:`",
                 "as in --from file.c:function");
  return {where.substr(0, colon), function};
}

/// `signed_sizes`: as in Translator.
Function translate(const Node &syntax, const std::set<int> &signed_sizes) {
  Translator first(syntax, nullptr, signed_sizes);
  first.translate();
  std::map<int, LinearShape> shapes;
  for (const auto &[declaration, uses] : first.linear_uses()) {
    std::optional<LinearShape> shape = first.shape_of(declaration, uses);
    if (shape) {
      shapes.emplace(declaration, *shape);
      continue;
    }
    first.refuse_products(declaration, uses);
  }
  return Translator(syntax, &shapes, signed_sizes).translate();
}

/// What is known of the tensors, as text.
std::string extents_of(const Function &function) {
  parse::ProgramTree tensors;
  tensors.tensors = function.tree.tensors;
  return parse::to_text(tensors);
}

} // namespace

bool is_available() {
  return UNRAVEL_JIT != 0;
}

std::string file_of(const std::string &where) {
  return split_name(where).first;
}

Function read(const std::string &where) {
  auto [file, function] = split_name(where);
  return read(text::Source::from_file(file), function);
}

Function read(const std::shared_ptr<const text::Source> &source, const std::string &function) {
  if (!is_available())
    report::fail(
        Kind::not_supported, text::Place::of_file(source->name()),
        "C can't be read: this Unravel was configured without Clang",
        "install the libraries of Clang and LLVM 19 and configure with -DUNRAVEL_JIT=ON, or write the "
        "function as a program");
  Node syntax = read_syntax(source, function);
  put_into_branches(syntax.children.back());
  Function natural = translate(syntax, {});
  std::set<int> signed_sizes; // those that no tensor tells
  for (const parse::SizeTree &size : natural.tree.sizes)
    for (const Node &child : syntax.children)
      if (child.kind == UnravelParameter && child.text == size.name.text && !child.is_unsigned)
        signed_sizes.insert(child.declaration);
  if (signed_sizes.empty()) return natural;
  // Of any sign, unless what the function means can't be shown then.
  std::optional<Function> general = report::unless_refused([&] { return translate(syntax, signed_sizes); });
  return general && extents_of(*general) == extents_of(natural) ? *general : natural;
}

} // namespace unravel::cfront
