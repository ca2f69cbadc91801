#include "emit/prelude.h"

#include "text/embedded.h"
#include "value/type.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <sstream>

namespace unravel::emit {

/// Of the folder c.
const std::vector<text::EmbeddedFile> &c_files();

namespace {

struct Part {
  std::vector<std::string> names;
  std::string text;
};

/// `content`: of a file by its name, which another one may include between its parts.
std::vector<Part> read_parts(const std::map<std::string, std::string> &content, const std::string &file) {
  std::vector<Part> parts(1); // before the first mark
  std::istringstream lines(content.at(file));
  for (std::string line; std::getline(lines, line);) {
    const std::string mark = "// part: ", include = "#include \"";
    if (line.starts_with(include) && line.ends_with(".c\"") && parts.size() > 1) {
      const std::size_t end = line.size() - include.size() - 3;
      const std::vector<Part> included = read_parts(content, line.substr(include.size(), end));
      parts.insert(parts.end(), included.begin(), included.end());
    } else if (!line.starts_with(mark)) {
      parts.back().text += line + "\n";
    } else {
      std::istringstream words(line.substr(mark.size()));
      parts.emplace_back();
      for (std::string word; words >> word;)
        parts.back().names.push_back(word);
    }
  }
  parts.erase(parts.begin());
  return parts;
}

/// Of a C file, which is read once.
const std::vector<Part> &parts_of(const std::string &file) {
  static const std::map<std::string, std::vector<Part>> all = [] {
    std::map<std::string, std::string> content;
    for (const text::EmbeddedFile &each : c_files())
      content.emplace(each.name, each.content);
    std::map<std::string, std::vector<Part>> made;
    for (const auto &[name, text] : content)
      made.emplace(name, read_parts(content, name));
    return made;
  }();
  return all.at(file);
}

void replace_all(std::string &text, std::string_view word, const std::string &meaning) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += meaning.size())
    text.replace(at, word.size(), meaning);
}

/// A part, or its name, as it is for keys of 64 bits and for single precision.
std::string variant(std::string text, bool is_long, bool single) {
  // Longer words first, where one is within another.
  const std::pair<const char *, const char *> words[] = {
      {"GATHER_WIDE", single ? "_mm512_mask_i64gather_ps" : "_mm512_mask_i64gather_pd"},
      {"GATHER", is_long  ? single ? "_mm512_mask_i64gather_ps" : "_mm512_mask_i64gather_pd"
                 : single ? "_mm256_mmask_i32gather_ps"
                          : "_mm512_mask_i32gather_pd"},
      {"LOAD_KEYS", is_long ? "_mm512_maskz_loadu_epi64" : "_mm256_maskz_loadu_epi32"},
      {"LOAD_VALUES", single ? "_mm256_maskz_loadu_ps" : "_mm512_maskz_loadu_pd"},
      {"PAIR_BYTES", single ? "8" : "16"},
      {"TO_LANE ", ""},
      {"LANE", single ? "float" : "double"},
      {"KEY", is_long ? "int64_t" : "int32_t"},
      {"GREATEST", single ? "(float)(1.0 / 0.0)" : "(double)(1.0 / 0.0)"},
      {"LEAST", single ? "(float)(-1.0 / 0.0)" : "(double)(-1.0 / 0.0)"},
      {"VALUE", single ? "float" : "double"},
      {"INTEGER", single ? "int32_t" : "int64_t"},
      {"BITS", single ? "uint32_t" : "uint64_t"},
      {"SIGN", single ? "31" : "63"},
      {"VECTOR", single ? "__m256" : "__m512d"},
      {"_L", is_long ? "_long" : ""},
      {"_F", single ? "_f" : ""},
  };
  for (const auto &[word, meaning] : words)
    replace_all(text, word, meaning);
  return text;
}

std::string real_text(double number) {
  return fmt::format("{:.1f}", number);
}

/// The text, which ends with an empty line, once in a file; some texts see to that themselves.
std::string guarded(const std::string &name, const std::string &text) {
  if (text.find("#ifndef UNRAVEL_") != std::string::npos) return text;
  std::string guard = "UNRAVEL_";
  for (char c : name)
    guard += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format("#ifndef {0}\n#define {0}\n{1}#endif\n\n", guard,
                     text.substr(0, text.find_last_not_of('\n') + 2));
}

using Words = std::vector<std::pair<std::string, std::string>>;

/// What is asked for of a file, with these meanings of its words.
std::string functions_of(const char *file, const Words &words, const std::set<std::string> &needs) {
  std::string result;
  for (const Part &part : parts_of(file))
    for (bool is_long : {false, true}) {
      std::string name = part.names.front();
      if (is_long && name.find("_L") == std::string::npos) continue;
      Words all = words;
      all.insert(all.end(), {{"KEY", is_long ? "int64_t" : "int32_t"}, {"_L", is_long ? "_long" : ""}});
      for (const auto &[word, meaning] : all)
        replace_all(name, word, meaning);
      if (!needs.contains(name)) continue;
      std::string text = part.text;
      for (const auto &[word, meaning] : all)
        replace_all(text, word, meaning);
      result += guarded(name, text);
    }
  return result;
}

/// What is asked for of integers.c and complex.c, by type.
std::string typed_functions(const std::set<std::string> &needs) {
  std::string integers, complex;
  for (const value::TypeFacts &facts : value::all_types) {
    const std::string suffix = "_" + std::string(facts.name), c_name(facts.c_name);
    if (facts.is_complex) {
      const value::Type parts = value::type_of_parts(facts.type);
      complex += functions_of("complex",
                              {{"_F", suffix},
                               {"_END", parts == value::Type::Float32 ? "f" : ""},
                               {"VALUE", c_name},
                               {"REAL", std::string(value::facts_of(parts).c_name)}},
                              needs);
    }
    if (!facts.is_integer || facts.word.empty()) continue;
    const double end = std::ldexp(1.0, value::bits_of(facts.type));
    const std::string without_sign(value::facts_of(value::without_sign(facts.type)).c_name);
    integers += functions_of("integers",
                             {{"_F", suffix},
                              {"VALUE", c_name},
                              {"UNSIGNED", without_sign},
                              {"INTEGER", fmt::format("int{}_t", 8 * facts.bytes)},
                              {"PAIR_BYTES", std::to_string(2 * facts.bytes)},
                              {"TO_LANE ", "(" + without_sign + ")"},
                              {"LANE", without_sign},
                              {"IS_SIGNED", facts.is_signed ? "1" : "0"},
                              {"GREATEST", value::greatest_text(facts.type)},
                              {"LEAST", value::least_text(facts.type)},
                              {"END", real_text(end)},
                              {"BEGIN", real_text(facts.is_signed ? -end : 0)}},
                             needs);
  }
  return integers + complex;
}

/// Does the text call that function, but in OpenMP's pragmas alone? Without OpenMP nothing would call it.
bool is_called_by_pragmas(const std::string &function, const std::string &text) {
  const std::string call = "unravel_" + function + "(";
  bool is_called = false;
  for (std::size_t at = 0; (at = text.find(call, at)) != std::string::npos; at += call.size()) {
    const std::size_t line = at == 0 ? std::string::npos : text.rfind('\n', at);
    if (line == std::string::npos || text.compare(line + 1, 7, "#pragma") != 0) return false;
    is_called = true;
  }
  return is_called;
}

} // namespace

std::string parts_of_c(const std::string &file, const std::set<std::string> &names) {
  std::string result;
  for (const Part &part : parts_of(file))
    if (std::any_of(part.names.begin(), part.names.end(),
                    [&](const std::string &name) { return names.contains(name); }))
      result += part.text;
  return result;
}

std::string includes(const std::set<std::string> &needs, const EmitOptions &options, const Names &names) {
  std::set<std::string> wanted{"always"};
  for (const std::string &need : needs)
    wanted.insert(need.substr(0, need.find('@'))); // of a function in another precision, too
  if (options.in_process) return parts_of_c("in_process", wanted) + "\n";
  std::string result = "// Generated by Unravel.\n";
  if (options.with_header) result += fmt::format("#include \"{}.h\"\n\n", names.kernel());
  return result + parts_of_c("includes", wanted) + "\n";
}

std::string helpers(std::set<std::string> needs, bool single, const EmitOptions &options,
                    const std::string &kernel) {
  if (needs.contains("gathers") && options.gathers == EmitOptions::Gathers::Always)
    needs.insert("fast_gathers");
  if (needs.contains("grow") || needs.contains("reserve")) needs.insert("large_pages");
  std::string result = typed_functions(needs);
  std::vector<Part> parts = parts_of("functions");
  for (const char *file : {"sorting", "assembly", "table"})
    parts.insert(parts.end(), parts_of(file).begin(), parts_of(file).end());
  for (const Part &part : parts) {
    const std::string &name = part.names[0];
    const bool has_long = name.find("_L") != std::string::npos;
    const bool has_single = name.find("_F") != std::string::npos;
    if (const char *other = single ? "@float64" : "@float32";
        has_single && !has_long && needs.contains(variant(name, false, false) + other))
      result += guarded(variant(name, false, !single), variant(part.text, false, !single));
    for (bool is_long : {false, true}) {
      if ((is_long && !has_long) || !needs.contains(variant(name, is_long, false))) continue;
      const std::string text = has_long || has_single ? variant(part.text, is_long, single) : part.text;
      std::string made = guarded(variant(name, is_long, single), text);
      // Where masked steps alone ask for it.
      if (name == "uneven_L" && !needs.contains("uneven_in_pairs"))
        made = "#ifdef UNRAVEL_MASKS\n" + made + "#endif\n\n";
      if (is_called_by_pragmas(name, kernel)) made = "#ifdef _OPENMP\n" + made + "#endif\n\n";
      result += made;
    }
  }
  return result;
}

} // namespace unravel::emit
