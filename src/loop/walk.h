#pragma once

#include "loop/loop.h"

#include <functional>
#include <optional>
#include <set>
#include <string>

/// The walkers over the loop IR: what a statement mentions, and rewriting of the terms and values in it.
namespace unravel::loop {

/// Calls `visit` for the integer terms and formulas that the statement itself holds, slots and values
/// included, in the order of evaluation; not for those of statements inside it.
void each_own_term(const Statement &statement, const std::function<void(const term::Term &)> &visit);
/// The same for the values: those that are read, whole (not their parts).
void each_own_value(const Statement &statement, const std::function<void(const Value &)> &visit);
/// Elements that a value, or values of the statements and of those inside them, read, each occurrence.
void each_element(const Value &value, const std::function<void(const Element &)> &visit);
void each_element(const Statement &statement, const std::function<void(const Element &)> &visit);
void each_element(const Block &block, const std::function<void(const Element &)> &visit);
/// Does a value of the statements, inside too, read an element of the array?
bool reads(const Statement &statement, const std::string &array);
bool reads(const Block &block, const std::string &array);
/// Do the statement's own terms and values read an array, or a local, of such a name?
bool reads_one(const Statement &statement, const std::function<bool(const std::string &name)> &is_such);
/// Locals that a value reads, each occurrence.
void each_local(const Value &value, const std::function<void(const Local &)> &visit);

/// Where a Store, an Accumulate or a call of BLAS writes to; else null.
const Target *target_of(const Statement &statement);
/// The element, or the local, that it is; else null.
const Element *written_element(const Statement &statement);
const Local *written_local(const Statement &statement);
/// The element, or the local, that a statement reduces (an Accumulate); else null.
const Element *reduced_element(const Statement &statement);
const Local *reduced_local(const Statement &statement);
/// Where it sets an element to a number: the element, if the number is that one; else null.
const Element *element_set_to(double number, const Statement &statement);
bool same_place(const Element &one, const Element &other);

/// The statement as an addition (an Accumulate by +), else null.
const Accumulate *addition_of(const Statement &statement);
/// Is the statement itself a reduction of that local?
bool reduces(const Statement &statement, const std::string &local);
/// Is it a test of the local?
bool tests(const Statement &statement, const std::string &local);
/// By what the statements reduce the local, or elements of the array, of that name, where that is one
/// operator.
std::optional<Operator> reduction_of(const Block &block, const std::string &name);
std::optional<Operator> reduction_of(const Statement &statement, const std::string &name);

/// How often `part` occurs in `term`.
int occurrences(const term::Term &term, const term::Term &part);
/// How often it occurs in the terms of the statement, inside it too.
int occurrences(const Statement &statement, const term::Term &part);

/// What one statement was made for, where it does the work of two.
Origins joined(const Origins &first, const Origins &second);

/// Moves the statements of `from` behind those of `to`.
void append(Block &to, Block from);
/// The place of statement k.
Block::iterator place(Block &block, std::size_t k);
/// Puts the statements in the place of statement k; returns the place behind them.
std::size_t replace(Block &block, std::size_t k, Block by);
/// The block's last statement where all that stands before it are Lets; else null.
const Statement *behind_lets(const Block &block);

/// The blocks inside a statement, each a scope of its own: the body of a loop, of a Merge those of its ranges
/// and then its own, both branches of an If, that of an IfValue; none otherwise.
std::vector<const Block *> blocks_of(const Statement &statement);
std::vector<Block *> blocks_of(Statement &statement);
/// For, While, Intersect or Merge.
bool is_loop(const Statement &statement);
/// Has the block additions that are atomic, for which it must stay in a parallel loop?
bool adds_atomically(const Block &block);
/// The ranges of an Intersect or a Merge; none otherwise.
std::vector<const KeyedRange *> keyed_ranges_of(const Statement &statement);

/// What the statements read: variables, locals, arrays of indices and of values.
std::set<std::string> names_read(const Block &block);
/// And what they assign and store.
std::set<std::string> names_in(const Block &block);
/// Whether it holds blocks, but no statement in them.
bool is_hollow(const Statement &statement);

/// The statement and all inside it, from the outside.
void each_statement(const Statement &statement, const std::function<void(const Statement &)> &visit);
void each_statement(const Block &block, const std::function<void(const Statement &)> &visit);
void each_statement(Block &block, const std::function<void(Statement &)> &visit);
/// Those of one kind.
template <class Kind, class Code>
void each(const Code &code, const std::function<void(const Kind &)> &visit) {
  each_statement(code, [&](const Statement &statement) {
    if (const auto *one = statement.as<Kind>()) visit(*one);
  });
}
/// Is one of them such a one, or of such a kind?
bool holds(const Statement &statement, const std::function<bool(const Statement &)> &is_such);
bool holds(const Block &block, const std::function<bool(const Statement &)> &is_such);
template <class Kind, class Code> bool holds(const Code &code) {
  return holds(code, [](const Statement &statement) { return statement.is<Kind>(); });
}

/// The value with every element, local and number in it mapped.
Value map_leaves(const Value &value, const std::function<Value(const Value &leaf)> &map);

/// Maps every term (slots and values included) and, after that, every value that is read, everywhere in the
/// statement. Without a map they stay as they are.
using TermMap = std::function<term::Term(const term::Term &)>;
using ValueMap = std::function<Value(const Value &)>;
void rewrite(Statement &statement, const TermMap &terms, const ValueMap &values = {});
void rewrite(Block &block, const TermMap &terms, const ValueMap &values = {});
/// Maps every element that is read by a value or written to, everywhere in the statements. Not the operands
/// of BLAS.
void map_elements(Block &block, const std::function<Element(const Element &)> &map);

/// What the statements may change, and what they declare.
struct Effects {
  std::set<std::string> assigned; // integer variables (Assign)
  std::set<std::string> stored;   // locals and arrays (Store, Accumulate, Zero, SetElement, Sort, Reserve)
  std::set<std::string> counted;  // results whose arrays get their lengths (SetCount)
  std::set<std::string> declared; // variables of loops, Let, Declare, DeclareValue
  bool breaks = false;            // leaves a loop that is outside
  bool misses = false;            // Miss

  void add(const Statement &statement);
  /// Whether evaluating `term` gives another result after the statements than before.
  bool changes(const term::Term &term) const;
  /// Whether accesses to the array, or the local, may not change places with the statements.
  bool touches(const std::string &name) const;
  bool mentions_declared(const term::Term &term) const;
};
Effects effects_of(const Block &block);
Effects effects_of(const Statement &statement);

/// Whether the loop has the form that For::together asks for: Lets, then an If without else, whose branch
/// leaves no loop and writes nothing that the condition or the Lets read.
bool may_test_together(const For &loop);

/// The variable that says how many elements there are, where the block does nothing but set those behind the
/// last, of arrays that it doesn't read, and counts them then, as one. Otherwise empty.
std::string appends_to(const Block &block);

} // namespace unravel::loop
