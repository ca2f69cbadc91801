#pragma once

#include "properties.h"
#include "scan/nest.h"

/// Nests by hand: lists of levels that are joined with +.
namespace unravel::find::test {

using scan::Component;
using scan::Level;
using Levels = std::vector<Level>;

inline Levels operator+(Levels a, const Levels &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::string tensor_of(const std::string &name) {
  auto dot = name.find('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

inline Levels loop(const std::string &name, const Term &lower, const Term &upper) {
  Level level;
  level.kind = Level::Kind::Loop;
  level.variable = name;
  level.tensor = tensor_of(name);
  level.lower = lower;
  level.upper = upper;
  return {level};
}

inline Levels let(const std::string &name, const Term &value) {
  Level level;
  level.kind = Level::Kind::Let;
  level.variable = name;
  level.tensor = tensor_of(name);
  level.value = value;
  return {level};
}

inline Levels search(const std::string &name, const Term &lower, const Term &upper,
                     std::vector<Component> components) {
  Level level = loop(name, lower, upper)[0];
  level.kind = Level::Kind::Find;
  level.components = std::move(components);
  return {level};
}

inline Levels vector_loop(const std::string &tensor, const std::string &index) {
  return loop(tensor + ".p", 0, v(tensor + ".len")) + let(index, at(tensor + ".idx", v(tensor + ".p")));
}

inline Levels vector_find(const std::string &tensor, const Term &target) {
  return search(tensor + ".p", 0, v(tensor + ".len"), {{at(tensor + ".idx", v(tensor + ".p")), target, 1}});
}

inline Levels row_loop(const std::string &tensor, const Term &row, const std::string &column) {
  return loop(tensor + ".p", at(tensor + ".rowptr", row), at(tensor + ".rowptr", row + Term(1))) +
         let(column, at(tensor + ".col", v(tensor + ".p")));
}

inline Levels csr_loop(const std::string &tensor, const std::string &row, const std::string &column) {
  return loop(row, 0, v(tensor + ".N")) + row_loop(tensor, v(row), column);
}

inline Levels row_find(const std::string &tensor, const Term &row, const Term &target) {
  return search(tensor + ".p", at(tensor + ".rowptr", row), at(tensor + ".rowptr", row + Term(1)),
                {{at(tensor + ".col", v(tensor + ".p")), target, 1}});
}

/// A dense level of a tensor: its position is the coordinate.
inline Levels dense_find(const std::string &tensor, const Term &target) {
  return search(tensor + ".r", 0, v(tensor + ".N"), {{v(tensor + ".r"), target, 1}});
}

inline Levels coo_loop(const std::string &tensor) {
  return loop(tensor + ".p", 0, v(tensor + ".nnz")) + let("i", at(tensor + ".row", v(tensor + ".p"))) +
         let("j", at(tensor + ".col", v(tensor + ".p")));
}

inline Levels coo_find(const std::string &tensor) {
  Term p = v(tensor + ".p");
  return search(tensor + ".p", 0, v(tensor + ".nnz"),
                {{at(tensor + ".row", p), v("i"), 1}, {at(tensor + ".col", p), v("j"), 1}});
}

inline Levels csr_csr_find() {
  return dense_find("B", v("i")) + row_find("B", v("B.r"), v("j"));
}

} // namespace unravel::find::test
