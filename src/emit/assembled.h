#pragma once

#include "emit/expression.h"
#include "emit/names.h"
#include "loop/loop.h"

#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// The C text for results that the kernel assembles: their arrays are locals until the end, which sets the
/// struct's members; and for arrays of the workspace that grow. Without any of these all of it is empty.
namespace unravel::emit {

/// Lines of C.
class Lines : public std::vector<std::string> {
public:
  using vector::vector;
  template <class... Parts> void add(fmt::format_string<Parts...> text, Parts &&...parts) {
    push_back(fmt::format(text, std::forward<Parts>(parts)...));
  }
};

class Assembly {
public:
  Assembly(const loop::Program &program, Names &names, Expressions &expressions);

  bool any() const { return !results_.empty() || grows_; }

  /// The arrays, with how many entries there is room for; then a block follows, which everything else stands
  /// in (C++ lets no goto pass a declaration), and what `make` says.
  Lines declare() const;
  /// The arrays whose lengths are known.
  Lines make() const;

  struct Growth {
    std::string test;
    Lines inside;
  };
  Growth grow(const loop::Reserve &x) const;
  std::string set(const loop::SetCount &x) const;

  /// Texts of a loop: how many of its iterations are done when the present one is, and how many there are.
  struct Progress {
    std::string done, all;
  };
  /// Room for the result's entries is made as the outermost of such loops goes on; returns whether it is
  /// that.
  bool begin_loop(const Progress &loop);
  void end_loop() { progress_.reset(); }

  /// Of a loop over a chunk, with what holds the parts, and which chunk it is.
  struct ChunkLoop {
    std::string parts, chunk;
    Progress progress;
  };
  /// A thread's own arrays of the result that a parallel loop appends to, and its own counters, from here on.
  /// Returns their declarations; `label`: where it goes when it fails, with what it sets.
  Lines begin_own(const loop::Appended &appended, const ChunkLoop &loop, const std::string &label);
  /// What sets it.
  const std::string &code() const { return code_; }
  /// Those of all threads again.
  void end_own();
  /// What arrays `parts` is about.
  Lines describe(const loop::Appended &appended, const std::string &parts) const;
  /// The thread's arrays as `parts` holds them.
  Lines hold(const loop::Appended &appended, const std::string &parts) const;
  /// Counters from the parts of all threads, and arrays with room for all that these have.
  Lines place(const loop::Appended &appended, const std::string &parts) const;
  /// Behind the copy of a chunk that `parts` has put into its place: its pointers. `are_placed`: place()
  /// has made the result's arrays of it.
  Lines raise(const loop::Appended &appended, const std::string &parts, const std::string &chunk,
              bool are_placed) const;
  /// Puts what a chunk has made to its place, in the arrays that place() has made.
  Lines copy(const loop::Appended &appended, const std::string &parts, const std::string &chunk) const;
  /// What is left of the parts, and whether all went well.
  Lines end(const loop::Appended &appended, const std::string &parts) const;
  /// Is not 0 once something has failed.
  static std::string failure_of(const std::string &parts) { return parts + ".code"; }

  /// Gives the arrays to the structs.
  Lines finish() const;
  /// Frees them.
  Lines release() const;

  /// Where there is no memory, or a count is too large: a label, behind the block, and what it says there.
  /// Empty where nothing goes there.
  const std::string &label() const { return label_; }
  /// From here on it goes to another label; returns the one before.
  std::string fail_at(std::string label);
  Lines fail() const;

private:
  struct Array {
    const loop::ArrayParameter *array = nullptr;
    std::string name;  // qualified
    std::string count; // the count that its first extent mentions, qualified, or empty
  };

  /// `C_col, C_NNZ_room, 1, sizeof(*C_col)`; the variables of extents may have other names.
  std::string sized(const Array &array, const std::map<std::string, std::string> &by) const;
  /// The elements of one of its count.
  std::string length_of(const Array &array) const;
  static const loop::Appended::Counter &counter_of(const loop::Appended &appended, const Array &array);
  /// The number of the range that the variable counts, among those that parts have.
  static std::size_t range_of(const loop::Appended &appended, const std::string &end);
  /// Refuses more than so many.
  Growth begin_growth(const std::string &room, const loop::Reserve &x, std::int64_t most) const;
  Growth grow_workspace(const loop::Reserve &x) const;
  /// Of a hashed array.
  Growth enlarge(const loop::Reserve &x) const;
  /// For how many entries of a result room is made.
  std::string room_for(const std::string &count, std::int64_t most) const;
  /// Makes room for `room` entries; where there is no memory for so many, half of what is more than needed is
  /// given up, again and again. `to`: the pointer, and the member that holds it where it is one of the
  /// workspace.
  void add_array(Growth &made, const std::string &room, const std::string &sized, const std::string &to,
                 loop::ElementType type) const;
  const std::string &pointer(const Array &array) const { return names_.array(array.name); }
  /// The arrays that grow as entries are appended, in the order in which parts hold them.
  std::vector<const Array *> grown(const loop::Appended &appended) const;

  const loop::Program &program_;
  Names &names_;
  Expressions &expressions_;
  bool grows_ = false; // the workspace has arrays that do
  std::vector<const loop::TensorParameter *> results_;
  std::vector<Array> arrays_;
  std::map<std::string, std::string> rooms_; // by the count
  std::string label_, code_, least_, grown_, room_;

  /// What the names of one thread's own stand for outside.
  struct Outside {
    std::map<std::string, std::string> arrays, variables, rooms;
    std::string label, code;
  };
  Outside outside_;
  std::optional<Progress> progress_;
  std::string parts_, chunk_;                 // of a thread
  std::map<std::string, std::size_t> ranges_; // of its counts: among those that parts have
};

} // namespace unravel::emit
