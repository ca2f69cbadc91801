#pragma once

#include "emit/assembled.h"
#include "emit/body.h"
#include "emit/emit.h"
#include "emit/expression.h"
#include "emit/names.h"
#include "loop/blas.h"
#include "loop/facts.h"
#include "loop/vector_sums.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// The writer of a kernel function's statements. Its parts lie in statements.cpp (one by one),
/// assignment.cpp, blas.cpp, intersect.cpp and merge.cpp (of some kinds), in_registers.cpp, columns.cpp,
/// tiles.cpp, masked.cpp and pair_sums.cpp (sums in vectors), in_parallel.cpp and copies.cpp (threads) and
/// at_once.cpp (tests of many iterations).
namespace unravel::emit {

/// Elements of a vector.
inline constexpr int vector_lanes = 8;

class StatementWriter {
public:
  StatementWriter(const loop::Program &program, const EmitOptions &options, Names &names,
                  Expressions &expressions)
      : program_(program), options_(options), names_(names), expressions_(expressions),
        assembly_(program, names, expressions) {}

  void block(const loop::Block &statements);

  void begin();

  void end();

  /// Room in the workspace, and pointers to its arrays.
  void workspace(const std::set<std::string> &used);

  /// The arrays of assembled results, where there are any, and the block that all that follows stands in.
  void assemble();

  /// Which loops take masked steps.
  void masks();

  /// The program's statements, and in front of them what they ask for.
  void body();

  void line(const std::string &text);
  template <class First, class... Others>
  void line(fmt::format_string<First, Others...> format, First &&first, Others &&...others) {
    line(fmt::format(format, std::forward<First>(first), std::forward<Others>(others)...));
  }

  /// Where the macro is defined.
  void guarded_line(const std::string &macro, const std::string &text);

  std::string take() { return std::move(text_); }

  /// Which parts of the text were written for which statements: those inside come before those around them.
  std::vector<Span> take_spans() { return std::move(spans_); }

private:
  std::string indentation() const { return std::string(static_cast<std::size_t>(2 * indent_), ' '); }

  /// `first`: directives that the block begins with.
  void nested(const std::string &head, const loop::Block &body, const std::string &first = "");

  /// What was written from there on was written for the statement.
  void note(std::size_t begin, const loop::Statement &statement);

  /// The block of that index in the statement, with what is known in it.
  void branch(const loop::Statement &outer, std::size_t index, const loop::Block &body);

  void comment(const std::string &text);

  static bool mentions_variable(const loop::Block &block, const std::string &variable) {
    return std::ranges::any_of(block, [&](const loop::Statement &statement) {
      return loop::occurrences(statement, term::variable(variable)) > 0;
    });
  }

  /// Whether a bound may be computed again in each iteration: it doesn't change and is short.
  bool is_repeatable(const term::Term &bound, const loop::Block &body) const;
  void write(const loop::For &x);
  void write_for(const loop::For &x);
  void write_loop(const loop::For &x);

  /// The loop with its sums in pairs, where it is such a loop (loop/vector_sums.h), as far as `#else`; false,
  /// and writes nothing, where it is none.
  bool write_pair_sums(const loop::For &x);

  // ---- sums of products with gathered elements, in masked steps

  /// Of the kernel's values, as sums of them are written.
  loop::ElementType value_type() const;

  /// None where no form of steps may be written.
  std::optional<loop::GatheredSum> masked_sum(const loop::For &x) const;
  /// Are its steps written without the processor's own gathers, whatever type the kernel computes in?
  /// Integers of 32 bits, which compilers would gather by these, and bytes that are counted.
  bool is_in_plain_steps(const loop::For &x, const loop::GatheredSum &sum) const;

  /// When masked steps are taken, over members and pointers; empty: always.
  std::string masked_condition(const loop::Masked &masked);

  EmitOptions::Gathers gathers_form() const;

  /// Opens a block, with the loop's variable and the steps of many iterations at once. The loop as it is goes
  /// on from there; the block is to be closed behind it. Returns the name of the loop's end, or empty where
  /// it takes no such steps and nothing was written.
  std::string write_masked(const loop::For &x);

  // ---- lanes that add products with gathered elements, in pairs

  /// Whether the loop is to be written so.
  std::optional<loop::GatheredLanes> paired_lanes(const loop::For &x) const;

  /// The additions of lanes from `first` on to the pairs `sums`.
  void write_additions(const loop::For &x, const loop::GatheredLanes &lanes, const term::Term &first,
                       const std::vector<std::string> &sums);

  /// The lanes of a simd loop, four at a time. Returns the variable that says where the loop as it is goes
  /// on; empty, and writes nothing, where it is no such loop.
  std::string write_paired_lanes(const loop::For &x);

  /// The nest of lanes whose sums are in the array, with these in pairs. Returns false, and writes nothing,
  /// where its lanes aren't written so.
  bool write_lanes_in_pairs(const loop::For &x, const std::string &array);

  // ---- sums along a dense mode, in registers

  /// Whether the statement is to be written so: the outermost nest that can.
  std::optional<loop::DenseSum> sum_in_registers(const loop::Statement &statement) const;

  /// Whether the statement clears what the next one sums up, which then clears what it doesn't store.
  bool clears_sum(const loop::Statement &next);

  /// The C variable that says whether what is summed up in the array is stored past the caches.
  std::string past_caches(const std::string &array);

  void write_in_registers(const loop::DenseSum &sum);
  /// The loop over the parts of some vectors, the nest in it; of none: what is left of less than a vector.
  void write_part_of_sum(const loop::DenseSum &sum, int vectors, const std::string &end,
                         const std::string &past);
  void write_part_of_complex(const loop::DenseSum &sum, int vectors, const std::string &end);

  /// A loop over parts of so many elements, from `first` on, as far as there are whole ones before `end`. Of
  /// none: what is left of less than a vector, once, in masked vectors where the processor has them; then
  /// nothing is left for the nest as it is. `begin`: what a part begins with; `inside` writes the rest of it.
  void write_part(const std::string &first, int elements, const std::string &end,
                  const std::vector<std::string> &begin, const std::function<void()> &inside);

  void write_again(const loop::Statement &loop);

  void lines(const std::vector<std::string> &texts);

  void open(const std::string &head, const std::vector<std::string> &first);

  void close(const std::vector<std::string> &last);

  // ---- products that are added to a matrix, in tiles of it

  /// Returns false, and writes nothing, where the loop adds no such products.
  bool write_in_tiles(const loop::For &x);
  /// The loop over the tiles of some vectors in the rows at hand, from that column on; of less than one: what
  /// is left of less than a vector.
  void write_tile(const loop::TileSum &sum, int rows, int vectors, const std::string &first_column);
  /// What takes the place of the loops over the matrix; `sums`: of the tile, row by row.
  std::vector<std::string> tile_inside(const loop::TileSum &sum, int rows, int vectors,
                                       const std::vector<std::string> &sums);

  // ---- nests over columns, some vectors of these at a time

  /// Returns false, and writes nothing, where the loop is no such nest.
  bool write_columns(const loop::For &x);
  /// What takes the place of a loop over columns in the part that is being written; false where it is none.
  bool write_columns_inside(const loop::For &inner);
  /// The part of some vectors of the nest; less than one: what is left of less than a vector.
  void write_part_of_columns(const loop::For &x, int vectors, const std::string &first,
                             const std::string &end);
  /// Where the v-th vector from the element on lies in memory.
  std::string place_of_lanes(const loop::Element &element, int v);
  /// The v-th vector from the element on; a product for the v-th vector of columns.
  std::string lanes_at(const loop::Element &element, int v);
  std::string lanes_of(const loop::Value &value, const std::string &column, int v);
  /// A statement: `by` is "=", "+=" or "-=".
  std::string put_lanes(const loop::Element &element, int v, const std::string &by, const std::string &value);

  // ---- sums in lanes

  /// The nest with its sums in a local array, which is added to the elements behind it. Returns false, and
  /// writes nothing, where the loop is none.
  bool write_in_lanes(const loop::For &x);

  /// Does a lane need the value for nothing but the slot of its sum?
  bool is_slot_alone(const loop::Let &let) const;

  // ---- the workspace

  void reserve(const loop::WorkspaceArray &array);

  // ---- parallel loops

  void write_parallel(const loop::For &x, const std::string &head);
  /// Where the k-th statement and others behind it are parallel loops that one team can do: begins the team,
  /// which is woken once, for the work of all, and waits for its threads behind each loop. Returns the end of
  /// these statements; 0 where there is no such team.
  std::size_t begin_joined(const loop::Block &statements, std::size_t k);
  void end_joined();

  /// Each thread appends to arrays of its own, which are joined behind the loop.
  void write_appending(const loop::For &x, const std::string &lower, const std::string &upper);

  /// How many threads the parallel loop is worth. A C expression.
  std::string threads_that_pay(const loop::For &x, const std::string &iterations);
  /// The pragma that begins a team, with the number of threads if the workspace has one.
  std::string team(const std::string &directive);

  /// Of a loop in which memory may run out: all threads stop then, and the kernel ends behind it. What stands
  /// before the loop, its iterations, and what stands behind it.
  void begin_stops(const loop::Block &body);
  void iterations(const std::string &head, const loop::Block &body);
  void end_stops();

  /// What all threads of a team do: the loop, and the parallel one inside in shares.
  void write_team(const loop::For &x, const std::string &head);

  /// What the statement clears is added up by the next one, from copies or without.
  bool clears_copied(const loop::Statement &next);

  /// With several threads and enough to do in copies, otherwise as it is.
  void write_with_copies(const loop::For &x, const std::string &head);

  void pragma(const std::string &text, const std::string &otherwise);

  /// The thread's part of an array; returns the array's name outside.
  std::string declare_own(const loop::WorkspaceArray &array);
  /// The clause of a pragma that gives threads what they read all the time; `appended`: what they make, too.
  std::string own_copies(loop::Block body, const loop::Appended *appended = nullptr);
  /// i++, or i += 32.
  std::string step_of(const loop::For &loop) const;
  /// The arrays that each thread of the parallel loop has for itself.
  std::vector<const loop::WorkspaceArray *> own_arrays(const loop::For &loop) const;
  /// Writes with these declared, for this thread.
  void with_own(const std::vector<const loop::WorkspaceArray *> &own, const std::function<void()> &inside);

  // ---- loops that test many iterations at once

  void write_together(const loop::For &x);
  void write_over_marks(const loop::For &x, const std::string &set);
  /// Where the blocks of marks begin.
  void find_blocks(const loop::WorkspaceArray &array);

  void write_accepted(const loop::For &x, const std::string &first, const std::string &hits);
  void write(const loop::While &x);
  void write(const loop::Intersect &x);
  void write(const loop::Merge &x);
  void write(const loop::If &x);
  /// What appends (`speculative`): without a branch.
  void append_if(const std::string &condition, const loop::Block &then);

  /// if (...) { ... } else if (...) { ... } else { ... without the last brace. `before` is what closes the
  /// branch that comes before it.
  void chain(const loop::Statement &statement, const loop::If &x, const std::string &before);
  void write(const loop::IfValue &x);
  void write(const loop::Let &x);
  void write(const loop::Declare &x);
  void write(const loop::ShareOut &x);
  void write(const loop::DeclareValue &x);

  std::string target(const loop::Target &target_);
  void write(const loop::Store &x);
  void write(const loop::Accumulate &x);

  void write_atomic_parts(const std::string &to, loop::ElementType type, const loop::Accumulate &x);
  /// Of an array of integers or bits, or of values.
  loop::ElementType type_in(const std::string &array) const;
  bool is_hashed(const std::string &array) const;
  void write(const loop::SetElement &x);
  void write(const loop::Sort &x);
  void write(const loop::Assign &x);
  void write(const loop::Zero &x);
  void write(const loop::Reserve &x);
  void write(const loop::SetCount &x);
  void write(const loop::Break &);
  void write(const loop::Miss &);
  void write(const loop::Prefetch &x);
  void write(const loop::Blas &x);
  std::string blas_call(const loop::Blas &blas, const loop::BlasForm &form, const std::string &scale);

  const loop::Program &program_;
  const EmitOptions &options_;
  Names &names_;
  Expressions &expressions_;
  Assembly assembly_;
  std::string missed_;   // the variable's name, or empty
  std::string stopped_;  // in a loop in which memory may run out: a C variable that says whether it did
  bool in_team_ = false; // the next parallel loop is shared out in a team
  bool joined_ = false;  // as are all of this block, in one that begin_joined has begun
  int entries_ = 0;      // how many loops over entries are around
  int threads_ = 0;      // how many parallel loops are around
  std::set<std::string> in_parallel_, outside_; // what parallel loops mention, and what others do
  std::map<std::string, std::string> strides_;  // between the threads' parts of an array
  std::map<std::string, std::string> masked_;   // of conditions for masked steps, the names
  std::string gathers_;                         // the variable that says whether gathers are fast, or empty
  loop::Effects rest_;                          // of the statements after a declaration
  loop::Facts facts_;                           // at the statement that is written
  std::optional<loop::LaneSums> lanes_;         // that are being written in a local array
  std::string lane_;                            // its element of a lane
  std::vector<std::string> lane_pairs_;         // what the lanes add to in its place, if anything
  loop::DenseSum dense_;                        // that is being written in registers, or none
  const loop::Statement *clearing_ = nullptr;   // the loop before it that clears its stretch
  loop::TileSum tile_;                          // that is being written in registers, or none
  loop::Columns columns_;                       // the nest that is being written in parts, or none
  std::string no_lanes_;                        // a vector of zeros in such a part
  std::string mask_;                            // of a part of less than a vector, the mask; else empty
  int column_vectors_ = 0;                      // of the part; 0: what is left
  std::map<std::string, std::vector<std::string>> column_rows_; // arrays' rows in variables
  std::map<const loop::For *, std::string> lower_; // where loops begin that are left for what is no tile
  std::vector<std::string> inside_; // takes the place of the innermost loops of these; empty: what is left
  const loop::Statement *emptying_ = nullptr; // a loop over a set that takes all out of it
  const loop::Zero *zeroed_ = nullptr;        // what a loop that adds to copies is to clear
  std::string first_lane_;                    // where that begins
  const loop::Statement *statement_ = nullptr;
  std::map<std::string, std::string> past_caches_; // by the array
  std::string text_;
  std::vector<Span> spans_;
  int indent_ = 1;
  int outermost_ = 1; // the indentation of the program's own statements
};

} // namespace unravel::emit
