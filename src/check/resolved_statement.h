#pragma once

#include "check/operand_entries.h"
#include "check/reference_program.h"
#include "check/typed_value.h"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

/// Statements with their names looked up once, as they are evaluated at many points.
namespace unravel::check {

struct Variables : term::Environment {
  struct Variable {
    std::int64_t value = 0;
    bool is_known = false;
  };
  std::map<std::string, Variable> all; // no name is taken out: others point to them

  bool knows(const std::string &name) const;
  std::int64_t variable(const std::string &name) const override;
  std::int64_t apply(const std::string &function, const std::vector<std::int64_t> &) const override;
};

struct HashOffset {
  std::size_t operator()(Offset offset) const {
    return mixed(mixed(0, static_cast<std::int64_t>(offset)), static_cast<std::int64_t>(offset >> 64));
  }
};

/// A result or a local tensor: all of its elements, row-major, or those that something is computed for.
struct Written {
  std::vector<std::int64_t> shape;
  std::vector<Value> elements;
  bool is_sparse = false;
  Value first = {}; // that elements begin with, where it is sparse
  std::unordered_map<Offset, std::size_t, HashOffset> number = {}; // of its elements, where it is sparse

  Value &at(Offset offset) {
    if (!is_sparse) return elements.at(static_cast<std::size_t>(offset));
    const auto [known, is_fresh] = number.try_emplace(offset, elements.size());
    if (is_fresh) elements.push_back(first);
    return elements[known->second];
  }
};

/// Holds what a program computes with. No entry leaves the maps: statements point to them.
struct Memory {
  Variables variables;
  std::map<std::string, Entries> operands;
  std::map<std::string, Written> written;
  std::map<std::string, std::optional<Value>> scalars; // no value: none since the round began
  std::map<std::string, Choices> choices;              // of results and locals
  std::map<std::string, value::Type> types;

  value::Type type_of(const std::string &tensor) const { return compute::type_of(types, tensor); }
};

/// constant + sum of coefficient * variable; a subscript of another form is a term.
struct PlaceSubscript {
  std::int64_t constant = 0;
  std::vector<std::pair<Variables::Variable *, std::int64_t>> parts;
  const term::Term *term = nullptr;
};

/// An access of a statement.
struct Place {
  const compute::Access *access = nullptr;
  value::Type type = value::Type::Float64;
  std::vector<PlaceSubscript> subscripts;
  Entries *operand = nullptr;
  Written *written = nullptr;
  std::optional<Value> *scalar = nullptr;
  Choices *choices = nullptr;
  std::size_t entry = Entries::none; // of the operand at this point, where whoever visits points has found it
  Coordinate at = {};                // room for the coordinate
};

/// A value whose type is settled.
struct Node {
  enum class Kind { Number, Read, Index, Apply } kind = Kind::Number;
  const compute::Value *tree = nullptr;
  value::Type type = value::Type::Float64;
  Value number = {};               // of an access what it is where nothing is stored
  Place *place = nullptr;          // of an access
  bool is_linear = false;          // is the statement's value linear in the access, but for what is added?
  bool is_term = false;            // a product of entries and numbers
  bool is_real_term = false;       // and none is an integer or complex
  bool is_product_of_sums = false; // of several entries of a coordinate, over which it distributes
  value::Type below = value::Type::Float64, above = value::Type::Float64; // of what an operator is applied to
  std::vector<Node> arguments = {};
};

struct ResolvedStatement {
  const compute::Statement *statement = nullptr;
  std::deque<Place> places; // others point to them
  Place *target = nullptr;
  value::Type target_type = value::Type::Float64;
  std::deque<compute::Value> trees;
  std::vector<Node> parts;                 // that the target is reduced by: the statement's value
  std::vector<Node> in_target;             // the same in the target's type, where wrapping around may differ
  value::Type from = value::Type::Float64; // that the value has
  Value identity;
  bool is_unconditional = true, lists_entries = false;
  std::vector<std::pair<Place *, bool>> masks; // with is_absent
  std::vector<Place *> sparse;                 // what the value reads, of which elements may not be stored
  bool is_nothing_without = false;             // does it add nothing where none of these is stored?
  /// Accesses of which one must be stored, or the statement adds nothing: a factor; both terms of a bracket.
  /// No access is in two.
  std::vector<std::vector<Place *>> supports;
};

/// `lists_entries`: of a result or local. The statement, the memory's maps and the result's places stay where
/// they are.
void resolve(const compute::Statement &statement, Memory &memory,
             const std::function<bool(const std::string &)> &lists_entries, ResolvedStatement &made);

inline std::int64_t value_of(const PlaceSubscript &subscript, const Variables &variables) {
  if (subscript.term) return term::evaluate(*subscript.term, variables);
  std::int64_t sum = subscript.constant;
  for (const auto &[variable, coefficient] : subscript.parts)
    sum += coefficient * variable->value;
  return sum;
}

inline const Coordinate &coordinate_of(Place &place, const Variables &variables) {
  for (std::size_t k = 0; k < place.subscripts.size(); ++k)
    place.at[k] = value_of(place.subscripts[k], variables);
  return place.at;
}

/// The entry of an operand, or none.
inline std::size_t entry_at(Place &place, const Variables &variables) {
  if (place.entry != Entries::none) return place.entry;
  return place.operand->find(coordinate_of(place, variables).data());
}

} // namespace unravel::check
