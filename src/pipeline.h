#pragma once

#include "combine/space.h"
#include "compute/contraction.h"
#include "compute/old_value.h"
#include "compute/result_local.h"
#include "depend/dependence.h"
#include "emit/emit.h"
#include "find/planner.h"
#include "lower/lower.h"
#include "machine/profile.h"
#include "schedule/order.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// The compiler from end to end: a computation and layouts in, a loop program out.
namespace unravel::pipeline {

/// What is to be compiled.
struct Request {
  std::string expression;          // an assignment, or a program
  std::string file = "expression"; // what messages call its text
  std::string from;                // instead of it: a function in C, as after `--from`: "file.c:function"
  std::map<std::string, std::string> formats;     // per tensor, as after `-f A=`; others are dense
  std::vector<std::string> schedules;             // as after `-s`
  std::vector<std::string> finds;                 // as after `--find`: "x=binary", "x.p=scan"
  schedule::Counts counts;                        // what is known of the data
  machine::Profile machine = machine::portable(); // what is known of the machine
  std::vector<std::string>
      distrusted; // properties ("A: increasing rowptr") that the data were only sampled for
  std::string name = "kernel";
  loop::ElementType index = loop::ElementType::Int32;
  /// Of the values of tensors whose formats don't say theirs, and of results; where it isn't given f64, and
  /// of results what their operands' types come to.
  std::optional<value::Type> value;
  /// What is known of the data: the types of arrays, by tensor, and of the values in files of entries. A
  /// tensor of which nothing else says the type of its values keeps the one that they have.
  std::map<std::string, std::map<std::string, value::Type>> arrays;
  std::map<std::string, value::Type> files;
  /// What is known of tensors that are there: the types of their arrays, exactly, where their layouts leave
  /// these open.
  struct Elements {
    std::optional<value::Type> index, value;
  };
  std::map<std::string, Elements> elements = {};
  bool trust = false;   // properties that were only sampled, and ranges that weren't proved, are relied upon
  bool details = false; // dependence relations and witnesses, for `deps` and `explain`
  /// A parallel loop has a team of threads, however little it does. (It has where the user names the loop.)
  bool always_parallel = false;
  /// A tiled kernel has the loops without tiles, too, for data that lie in one tile; not where this is false.
  bool untiled_for_one_tile = true;
  /// Seconds of CPU time for what only makes the kernel faster, from reading the expression on; 0: no limit,
  /// and nothing depends on time.
  double budget = 0;
  /// For tests and measurements: each leaf is executed by this one of its alternatives, whatever the counts;
  /// where there is no such one, by its main plan alone.
  std::optional<std::size_t> only_alternative;
};

/// One step as it was done: its name, the printed result, the time.
struct Stage {
  std::string name;
  std::string text; // only with details
  double milliseconds = 0;
};

struct Leaf {
  schedule::Order order;
  plan::LeafPlan plan;
  /// The level of the loop that was chosen to run in parallel. The plan has it too, unless the data's counts
  /// say that it does too little.
  std::optional<std::size_t> parallel;
  std::vector<depend::LoopVerdict> verdicts; // of the loops of the nest
  /// Likewise of the plan's alternative without tiles, where it has one: then it has no other.
  std::optional<std::vector<depend::LoopVerdict>> verdicts_of_untiled = std::nullopt;
};

/// A result that the kernel lists, since it can't append to its layout; what calls it packs the list.
struct PackedResult {
  layout::Layout layout;  // that is wanted; the kernel's is a list
  report::Diagnostic why; // nothing can be appended to that layout, or not in the order of the loops
  double nothing = 0;     // what its slots hold that no entry has
  /// `drop zeros`, where the list's entries of one coordinate are still to be added up: then those that come
  /// to 0 are left out.
  bool drops_zeros = false;
};
using PackedResults = std::map<std::string, PackedResult>; // by tensor

struct Weighed; // pipeline/weighed.h

struct Compilation {
  compute::Computation computation;
  std::map<std::string, layout::Layout> layouts; // per tensor, as the kernel has them
  PackedResults packed;
  std::map<std::string, layout::Layout> converted; // those in which operands are given that `layouts` has
                                                   // otherwise: what calls the kernel converts them
  std::optional<std::size_t> plan; // the number of the plan that was taken (pipeline/plans.h), from 0 on
  std::string structure;           // the access whose structure the result has ("S", "S#2"), or empty
  std::string prefix;              // of the C text's names (name_for)
  std::vector<report::Diagnostic> warnings;
  std::vector<std::string> not_tried; // since the budget was spent
  std::vector<std::string> notes;     // what isn't computed as it is written
  combine::Combination combination;
  std::vector<Leaf> leaves;
  loop::Program program;
  std::optional<plan::Wavefronts> wavefronts; // that the schedule asks for
  std::optional<lower::Inspector> inspector;  // of these: it makes the last of the kernel's parameters
  /// `reuse`: `program` makes the result's structure, this one's its values. Else null.
  std::shared_ptr<const Compilation> values;
  /// Functions that convert operands, where C is wanted (pipeline/conversions.h).
  std::vector<std::shared_ptr<const Compilation>> conversions;
  /// Whether the machine that choices were made for has fast gathers; of the portable one the C asks itself.
  emit::EmitOptions::Gathers gathers = emit::EmitOptions::Gathers::Tested;
  /// With details: the plans that there are of the line, or null.
  std::shared_ptr<const Weighed> weighed;
  std::vector<Stage> stages;
  std::shared_ptr<prove::Prover> prover; // with the log of all questions

  double milliseconds() const;
  std::vector<const plan::LeafPlan *> plans() const; // of the leaves
  /// Are there loops that are merged instead of filling a local tensor?
  bool has_merged_loops() const;
  /// Does a find try each position of a segment?
  bool has_scans() const;
  /// Says what a stage of another compilation of the same says.
  void take_stage(const std::string &name, const Compilation &other);
};

/// A use of an operand that the kernel has as a tensor of its own, in another layout.
struct ConvertedUse {
  std::string tensor; // a name that no other one has
  layout::Layout layout;
};

/// Parsing and layouts alone: what a caller needs to know before it has data.
struct Front {
  compute::Computation computation;
  std::optional<parse::ProgramTree> tree; // the program as it is written, unless it is a line
  std::string program;        // what was read from C, or a line was made into, printed; else empty
  std::string why;            // it was made into that program: comments in front of it
  std::set<std::string> kept; // results that locals hold until the end (with_kept_result)
  std::vector<std::string> notes_on_sums; // of a line: what may be meant otherwise
  std::string line;                       // with its sums written out; or that a program was made into
  std::optional<std::size_t> plan;        // the number, from 0 on, of the plan that the line was made into
  bool is_planned = false;                // its program computes products by plans
  bool has_settled_brackets = false;      // they are multiplied out, or are to be computed as they stand
  /// The line as it was written, with the types of its tensors: what --check evaluates. None of programs, and
  /// of an `argmin`.
  std::optional<compute::LineOfOld> written;
  std::optional<parse::AssignmentTree> argmin; // the line, where its program may still be one by rows
  std::vector<compute::NestedTerms> nested; // of a plan: how the leaves of statements compute their products
  std::map<std::string, layout::Layout> layouts; // as the kernel has them
  PackedResults packed;
  std::map<std::string, layout::Layout> converted; // as Compilation has them
  /// By access, "A#2". What calls the kernel makes these tensors; the computation has the accesses as they
  /// are written until it is compiled.
  std::map<std::string, ConvertedUse> converted_uses;
  /// The words of the text that the user wrote; by local that nobody wrote, what of that text it holds.
  std::set<std::string> own_words;
  std::map<std::string, std::string> stands_for;
  std::string structure; // the access whose structure the result has ("S", "S#2"), or empty
  std::optional<parse::LayoutReference> like; // where the user says so
  parse::ScheduleTree schedule;               // of all -s and --find, as one
  std::map<std::string, value::Type> types;   // of the values of tensors and scalars
  std::map<std::string, double> dropped; // `drop zeros`: of each result with entries, the value of one that
                                         // isn't stored
  std::vector<report::Diagnostic> warnings;
  std::vector<std::string> other_formats; // tensors with a format that the expression doesn't have
  double milliseconds = 0;                // that reading and checking them took
};
Front read_request(const Request &request);

/// Throws a mistake where there are other formats.
void check_formats(const Request &request, const Front &front);

/// The same request with the line of an `argmin` as a program by rows. Precondition: front.argmin.
Front with_rows_of_argmin(const Request &request, Front front);

/// Gives a local tensor of the front's program that layout. Throws mistakes in what `format` says.
void load_local(const std::string &tensor, const std::string &format, Front &front);

/// The layout of a local tensor that stores what is computed, and nothing else.
std::string layout_of_entries(std::size_t order);

/// Makes `bound i in [0, 64)` a condition in each loop over i.
void restrict_loops(compute::Program &program, const parse::ScheduleTree &schedule);

/// The same request with the line's result in a local tensor first: a program. `why`: for people.
/// Precondition: compute::may_have_result_local.
Front with_result_local(const Request &request, Front front, const compute::ResultLocal &local,
                        const std::string &why);

/// The same request with the result kept in a local tensor until the end (compute/kept_result.h). `why`: for
/// people. Precondition: front.tree.
Front with_kept_result(const Request &request, Front front, const std::string &result,
                       const std::string &why);

/// The same request in the words that a sparse result asks for: with the line that its loops say
/// (compute::as_line), or with the result kept, where it is set in rounds or read. Nothing where neither is
/// so.
std::optional<Front> for_sparse_result(const Request &request, const Front &front);

/// The same request with those masks looked for at each point that may be stored several times, so that at
/// most one of a mask's entries counts. None where all operands that must be are stored once at most; throws
/// a limit where another one isn't (choose::require_single_values).
std::optional<Front> with_searched_masks(const Front &front,
                                         const std::vector<combine::IterationSpace> &spaces,
                                         prove::Prover &prover);

Compilation compile(const Request &request);
/// The same with what was read of the request already: its layouts aren't read and checked again.
/// Precondition: `front` is read_request's of the same expression, formats, schedules and finds.
Compilation compile(const Request &request, const Front &front);

/// The same; where it is refused since properties of the data were only sampled, the hint names these. Then
/// it is tried again with and without each of them.
Compilation compile_for_data(const Request &request, const Front &front);

/// Refuses a result that is packed behind the kernel, where there is nothing but a kernel.
void require_appended(const Compilation &compilation);

/// In the order in which they are called: what converts operands, the inspector, where there is one, the
/// kernel, and the one for values.
std::vector<const loop::Program *> kernels_of(const Compilation &compilation);

/// How C text is called from a user's program.
struct CallerNames {
  std::string prefix;    // of all global names: an identifier, or empty
  bool constant = false; // the arrays of operands are const; the structs are named `const_csr` then
};
/// Gives functions and structs of all the kernels such names. Call it once.
void name_for(Compilation &compilation, const CallerNames &names);

/// All of it as C: in front of the kernel its inspector, where it has one. Not for a compiler in process,
/// which takes one kernel at a time.
std::string c_text(const Compilation &compilation, emit::EmitOptions options = {});
std::string c_header(const Compilation &compilation);

/// The stages in a row, for `unravel explain`.
std::string to_text(const Compilation &compilation);

} // namespace unravel::pipeline
