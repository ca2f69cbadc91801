#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// Runs the tool that was built, as a user does.
namespace unravel::tool::test {

struct Outcome {
  int code = -1;
  std::string out, error;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// A folder of its own in which the tool runs, gone with the object. Paths in messages are relative to it.
class Desk {
public:
  Desk();
  ~Desk();
  Desk(const Desk &) = delete;
  Desk &operator=(const Desk &) = delete;

  /// `unravel arguments...`; kernels are cached in one folder for all tests of the program.
  Outcome unravel(const std::vector<std::string> &arguments) const;
  /// Any program, found by PATH.
  Outcome execute(std::vector<std::string> command) const;

  void write(const std::string &name, const std::string &content) const;
  std::string read(const std::string &name) const;
  bool has(const std::string &name) const { return std::filesystem::exists(folder_ / name); }
  /// Names of the files in it, sorted.
  std::vector<std::string> files() const;
  std::filesystem::path path(const std::string &name) const { return folder_ / name; }

private:
  void compile_strictly(const std::vector<std::string> &arguments, const Outcome &outcome) const;

  std::filesystem::path folder_;
};

/// Is there such a program? (z3, gcc)
bool has_program(const std::string &name);

/// The text of a tensor file with values of nine decimals: kernels add in different orders, C compilers round
/// in other ways.
std::string rounded(const std::string &file);

/// The text of a shipped layout file.
std::string shipped_layout(const std::string &name);

/// A .npy file of version 1.0. `shape`: of several extents, as "4, 2, 3".
template <class Number>
std::string npy(const std::string &type, const std::vector<Number> &numbers, const std::string &shape = "") {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" +
                       (shape.empty() ? std::to_string(numbers.size()) + "," : shape) + "), }";
  header.resize((header.size() + 10) / 64 * 64 + 64 - 10 - 1, ' ');
  header += '\n';
  std::string text = "\x93NUMPY";
  text += {'\1', '\0', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  return text + header +
         std::string(reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(Number));
}

inline const std::string spmv = "y(i) = A(i,j) * x(j)";

} // namespace unravel::tool::test
