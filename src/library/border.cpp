#include "library/border.h"

#include <array>
#include <regex>
#include <utility>

namespace unravel {

namespace {

constexpr std::array<std::pair<ValueType, value::Type>, 13> types_of_values = {{
    {ValueType::Float32, value::Type::Float32},
    {ValueType::Float64, value::Type::Float64},
    {ValueType::Bool, value::Type::Bool},
    {ValueType::Int8, value::Type::Int8},
    {ValueType::Int16, value::Type::Int16},
    {ValueType::Int32, value::Type::Int32},
    {ValueType::Int64, value::Type::Int64},
    {ValueType::UInt8, value::Type::UInt8},
    {ValueType::UInt16, value::Type::UInt16},
    {ValueType::UInt32, value::Type::UInt32},
    {ValueType::UInt64, value::Type::UInt64},
    {ValueType::Complex64, value::Type::Complex64},
    {ValueType::Complex128, value::Type::Complex128},
}};

/// What the command line calls otherwise. A sentence about what the interface doesn't have goes as a whole.
const std::vector<std::pair<std::regex, std::string>> &replacements() {
  static const std::vector<std::pair<std::regex, std::string>> all = [] {
    std::vector<std::pair<std::regex, std::string>> made;
    for (const auto &[from, to] : std::initializer_list<std::pair<const char *, const char *>>{
             {R"(,? ?(or )?raise the limit with --max-memory)", ""},
             {R"(`--budget ([^`]*)`)", "budget_seconds = $1"},
             {R"(\bthan -f gives)", "than the format gives"},
             {R"(\bwith -f\b)", "by its format"},
             {R"((write |add |as |as in |leave out |is |, |^|`|\()-f ('?))", "$1format $2"},
             {R"((write |add |as |as in |or |leave out |^|`|\()-s ')", "$1schedule '"},
             {R"((write |add |as |as in |leave out |give |one |^|`|\()--find )", "$1find "},
             {R"(give one --find per find)", "give one text per find"},
             {R"((use |add |\()--index (int64))", "$1the index type $2"},
             {R"((add |leave out )--type )", "$1the value type "},
             {R"(add --size (\w+)=N)", "give `$1` as a number"},
             {R"((add |^|`)--size )", "$1size "},
             {R"(add -i )", "give "},
             {R"(as in -i )", "as in "},
             {R"((^|`)-[io] )", "$1argument "},
             {R"(--from )", "function "},
             {R"(--combine A=min)", "\"min\""},
             {R"(leave out `--main`, and call the kernel; or `unravel run`)", ""},
             {R"(`unravel layout list` shows the shipped ones)",
              "docs/layout-language.md names the shipped ones"},
             {R"(: `unravel layout show` prints these)", ""},
             {R"(`unravel layout check` shows for which sizes it fails)", ""},
             {R"(`unravel (explain|deps|plan)`)", "`explain`"},
             {R"(and `unravel convert` behind it)", "and a conversion behind it"},
             {R"(`unravel run` packs such results itself)",
              "a kernel that is called packs such results itself"},
             {R"(pack with the tool: `unravel convert`, or `unravel run`)",
              "pack it before, or call a kernel"},
             {R"(pack with the tool: `unravel run`)", "call a kernel"},
             {R"(`unravel compile` writes their C)", "their C can be written"},
         })
      made.emplace_back(std::regex(from), to);
    return made;
  }();
  return all;
}

std::string in_words(std::string text) {
  if (text.find('-') == std::string::npos && text.find("`unravel ") == std::string::npos) return text;
  for (const auto &[from, to] : replacements())
    text = std::regex_replace(text, from, to);
  return text;
}

/// Texts that the command line calls by its options.
std::string in_words_for_place(const std::string &file) {
  if (file.starts_with("-f ")) return "format of " + file.substr(3);
  if (file == "-s") return "schedule";
  if (file == "--find") return "find";
  return file;
}

} // namespace

value::Type type_of(ValueType type) {
  for (const auto &[ours, inner] : types_of_values)
    if (ours == type) return inner;
  report::fail(report::Kind::bad_option, "the number of a type of values is wrong");
}

ValueType type_of(value::Type type) {
  for (const auto &[ours, inner] : types_of_values)
    if (inner == type) return ours;
  report::fail(report::Kind::internal, "a type of no values", "please report this as a bug");
}

report::Diagnostic in_words_of_library(report::Diagnostic diagnostic) {
  diagnostic.message = in_words(std::move(diagnostic.message));
  diagnostic.hint = in_words(std::move(diagnostic.hint));
  diagnostic.place.file = in_words_for_place(diagnostic.place.file);
  return diagnostic;
}

std::string name_of(ValueType type) {
  return std::string(value::facts_of(type_of(type)).word);
}

std::size_t size_of(ValueType type) {
  return value::facts_of(type_of(type)).bytes;
}

std::string version() {
  return UNRAVEL_VERSION;
}

} // namespace unravel
