#pragma once

#include "places.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// Golden files: test/golden/<room>/<name>.txt holds what a stage printed, to be reviewed as text. With
/// UNRAVEL_UPDATE_GOLDEN=1 in the environment a check rewrites its file and passes; read the difference then.
///
/// Two ways to use them. `golden_check` compares a text that the test made. `golden_run` finds its inputs in
/// the file itself: cases separated by a line of `=`, each with its input, a line of `-` and the expected
/// output, so that a new case needs no code (write the input, update, review). Long ones are divided: a
/// folder test/golden/<room>/<name> means all files in it.
namespace unravel::test {

inline constexpr std::string_view golden_dashes = "--------------------";
inline constexpr std::string_view golden_separator = "====================";

inline std::filesystem::path golden_path(const std::string &room, const std::string &name) {
  return std::filesystem::path(unravel::test::source_folder()) / "test" / "golden" / room / (name + ".txt");
}

inline bool is_updating_golden() {
  const char *value = std::getenv("UNRAVEL_UPDATE_GOLDEN");
  return value && std::string_view(value) == "1";
}

/// The names of golden files and of folders of them that begin with `prefix`, sorted; `room`: also a folder.
inline std::vector<std::string> golden_names(const std::string &room, const std::string &prefix) {
  std::vector<std::string> names;
  std::filesystem::path folder = golden_path(room, "any").parent_path();
  if (!std::filesystem::exists(folder)) return names;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (std::string name = entry.path().stem().string(); name.starts_with(prefix)) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

/// The golden files that a name means: its own, or those in its folder.
inline std::vector<std::string> golden_files(const std::string &room, const std::string &name) {
  std::vector<std::string> files;
  for (const std::string &file : golden_names(room + "/" + name, ""))
    files.push_back(name + "/" + file);
  return files.empty() ? std::vector<std::string>{name} : files;
}

/// The file's text; empty where there is none.
inline std::string read_golden(const std::string &room, const std::string &name) {
  std::ifstream file(golden_path(room, name), std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

/// Fails the current test where the golden file does not hold exactly `actual`, showing the first line that
/// differs.
inline void golden_check(const std::string &room, const std::string &name, const std::string &actual) {
  std::filesystem::path path = golden_path(room, name);
  if (is_updating_golden()) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(path))
      << "no golden file " << path << "; UNRAVEL_UPDATE_GOLDEN=1 writes it. It would hold:\n"
      << actual;
  std::string expected = read_golden(room, name);
  if (expected == actual) return;
  std::istringstream expected_lines(expected), actual_lines(actual);
  std::string want, got;
  for (int line = 1;; ++line) {
    bool more_want = static_cast<bool>(std::getline(expected_lines, want));
    bool more_got = static_cast<bool>(std::getline(actual_lines, got));
    if (more_want && more_got && want == got) continue;
    ADD_FAILURE() << path.string() << ":" << line << ": expected\n  "
                  << (more_want ? want : "(end of the file)") << "\nbut got\n  "
                  << (more_got ? got : "(end of the output)")
                  << "\nUNRAVEL_UPDATE_GOLDEN=1 accepts the new output. All of it:\n"
                  << actual;
    return;
  }
}

/// `input`, a line of dashes, `output`: what a golden file of one case holds. Input and output may or may not
/// end with a line break.
inline std::string golden_case(std::string input, std::string output) {
  auto end_line = [](std::string &text) {
    if (!text.empty() && text.back() != '\n') text += '\n';
  };
  end_line(input);
  end_line(output);
  return input + std::string(golden_dashes) + "\n" + output;
}

/// The texts, by name: each has its file in the folder, which has no others.
inline void golden_check_each(const std::string &room, const std::string &folder,
                              const std::map<std::string, std::string> &texts) {
  std::vector<std::string> names;
  for (const auto &[name, text] : texts) {
    golden_check(room, folder + "/" + name, text);
    names.push_back(name);
  }
  EXPECT_EQ(golden_names(room + "/" + folder, ""), names) << "a golden file of nothing";
}

/// C text with each part of the prelude, `#ifndef UNRAVEL_X` to its `#endif`, as one line. Of each part there
/// is one golden, test/golden/emit/parts/X.txt. Structs, the user's own operators and functions that free
/// stay.
inline std::string with_named_parts(const std::string &text) {
  const std::string_view guard = "#ifndef UNRAVEL_";
  std::istringstream lines(text);
  std::string made;
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.starts_with(guard) ? line.substr(guard.size()) : "";
    if (name.empty() || name.starts_with("STRUCT_") || name.starts_with("OWN_") ||
        name.starts_with("FREE_")) {
      made += line + "\n";
      continue;
    }
    std::string part = line + "\n";
    for (int depth = 1; depth > 0 && std::getline(lines, line); part += line + "\n")
      depth += line.starts_with("#if") ? 1 : line.starts_with("#endif") ? -1 : 0;
    golden_check("emit", "parts/" + name, part);
    made += "// part " + name + "\n";
  }
  return made;
}

/// The inputs of a golden file, or of several, without their last line break.
inline std::vector<std::string> golden_inputs(const std::string &room, const std::string &name) {
  auto is_line_of = [](const std::string &line, char c) {
    return line.size() >= 10 && line.find_first_not_of(c) == std::string::npos;
  };
  std::vector<std::string> inputs;
  std::string line, input;
  auto finish = [&] {
    if (!input.empty()) input.pop_back();
    inputs.push_back(std::move(input));
    input.clear();
  };
  for (const std::string &file : golden_files(room, name)) {
    std::istringstream lines(read_golden(room, file));
    bool in_input = true, any = false;
    while (std::getline(lines, line)) {
      any = true;
      if (is_line_of(line, '=')) {
        finish();
        in_input = true;
      } else if (is_line_of(line, '-')) {
        in_input = false;
      } else if (in_input) {
        input += line + "\n";
      }
    }
    if (any) finish();
  }
  return inputs;
}

/// Applies `transform` to every input of the golden file, or of the folder's, and compares with the outputs
/// there.
inline void golden_run(const std::string &room, const std::string &name,
                       const std::function<std::string(const std::string &input)> &transform) {
  for (const std::string &file : golden_files(room, name)) {
    std::vector<std::string> inputs = golden_inputs(room, file);
    ASSERT_FALSE(inputs.empty()) << "no inputs in " << golden_path(room, file);
    std::string actual;
    for (const std::string &input : inputs) {
      if (!actual.empty()) actual += std::string(golden_separator) + "\n";
      actual += golden_case(input, transform(input));
    }
    golden_check(room, file, actual);
  }
}

} // namespace unravel::test
