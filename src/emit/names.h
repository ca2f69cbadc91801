#pragma once

#include "loop/loop.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace unravel::emit {

/// A struct type of the C text: the shape of one or more parameters.
struct StructType {
  std::string name;
  const loop::TensorParameter *shape = nullptr;
  std::map<std::string, std::string> members; // by the name in the program
  std::string free; // the function that frees the arrays of an assembled result; empty: none is one
};

/// The last part of a qualified name: p of A.p.
std::string last_part(const std::string &qualified);

/// The C identifiers of a program. Users' names are kept where they are identifiers that mean nothing else in
/// C, C++, their libraries or here; otherwise a suffix tells them apart. `A.p` is p if no other tensor has a
/// p in the kernel, else pA; the size `A.M` is M, else A_M; the array A.col is A_col.
class Names {
public:
  /// The program must outlive the names.
  explicit Names(const loop::Program &program);

  const std::string &kernel() const { return kernel_; }
  const std::vector<StructType> &types() const { return types_; }
  const StructType &type_of(std::size_t parameter) const { return types_[type_of_.at(parameter)]; }
  const std::string &parameter(std::size_t index) const { return parameters_.at(index); }

  /// Of a variable, a local, a size or a count.
  const std::string &variable(const std::string &name) const { return variables_.at(name); }
  /// The local pointer to an array.
  const std::string &array(const std::string &name) const { return arrays_.at(name); }
  /// In the place of the name that array() gives, or variable(), from here on.
  void rename_array(const std::string &name, const std::string &to) { arrays_[name] = to; }
  void rename_variable(const std::string &name, const std::string &to) { variables_[name] = to; }

  /// The workspace's struct, its functions and the parameter; only where the program has one.
  struct Workspace {
    std::string type, init, free, parameter;
    std::string threads; // the member that limits a team; empty where no loop is parallel
    std::map<std::string, std::string> members, capacities; // by the array's name in the program
  };
  const Workspace &workspace() const { return workspace_; }

  /// `A->rowptr`, for a qualified size, count or array; of a size that no tensor has its own name.
  std::string member(const std::string &qualified) const;

  /// A text for people with the program's names (A.p, A.col) replaced by those of the C text.
  std::string translate(const std::string &text) const;

  /// Does the name mean something already: here, in C, in C++ or in their libraries?
  bool has(const std::string &name) const;

  /// A new name like the wanted one.
  std::string fresh(const std::string &wanted);
  /// The same, as the name of a variable that terms may mention by it.
  std::string fresh_variable(const std::string &wanted);

private:
  void name_types(const loop::Program &program);
  void name_free(const loop::TensorParameter &parameter, StructType &type);
  void name_variables(const loop::Program &program);
  void name_workspace(const loop::Program &program);

  std::string kernel_;
  Workspace workspace_;
  std::vector<StructType> types_;
  std::vector<std::size_t> type_of_;
  std::vector<std::string> parameters_;
  std::map<std::string, std::size_t> parameter_index_; // by the name in the program
  std::map<std::string, std::string> variables_, arrays_;
  std::set<std::string> taken_;
};

/// Whether an identifier means something in C, C++, their standard libraries, POSIX or OpenMP, or is one of
/// ours, so that a user's name must not be it.
bool is_reserved(const std::string &identifier);

/// The text with everything that may not stand in an identifier replaced or dropped; never empty.
std::string to_identifier(const std::string &text);

} // namespace unravel::emit
