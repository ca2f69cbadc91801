#pragma once

#include "loop/loop.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Loops whose sums are kept in vectors: what each kind of them is (VectorSum), one file each, and which are
/// such, for the pass sums_in_vectors.
namespace unravel::loop {

// ---- dense_sum.cpp: Stretch, ClearsStretch

/// A nest of loops that adds to a stretch of neighbouring elements, the same in all iterations but those of
/// the innermost loop, which runs along it: MTTKRP, or a sparse matrix times a dense one. The sums may be
/// kept elsewhere, a part of the stretch at a time, with the nest once per part.
struct DenseSum {
  const For *inner = nullptr;      // from 0 to a size or constant, step 1
  const Accumulate *sum = nullptr; // its only statement: a product of elements, locals and numbers
  /// Of complex numbers a product of one element along the stretch and of what is the same all along it,
  /// which has a real type where `is_scaled`.
  std::optional<Element> row = std::nullopt;
  Value factor{};
  bool is_scaled = false;
};

/// Whether the statement is such a nest, and may be run once for each part of the stretch: it changes nothing
/// else that is declared outside, reads nothing of the result's array, and all value arrays hold float64, or
/// the result and the row complex numbers of one type. A loop that is a simd loop is left as it is.
/// Each element in the product lies at the inner variable plus something without it, or doesn't depend on it.
std::optional<DenseSum> dense_sum(const Statement &loop, const Program &program);

/// Whether the loop does nothing but set all elements of the stretch to zero.
bool clears_stretch(const Statement &loop, const DenseSum &sum);

// ---- gathered_sum.cpp: Gathered, and masked loops

/// A loop over positions that does nothing but add products to a local: of elements that lie one after the
/// other, as a matrix's values do, and of elements at places that an index array names, perhaps. The
/// innermost loop of y(i) = A(i,j) x(j). Many positions can be taken at a time, the last time fewer.
struct GatheredSum {
  struct Factor {
    enum class Kind {
      Fixed,    // the same in all iterations: a number, a local, an element, a coordinate
      Stretch,  // an element at the loop's variable plus something
      Gathered, // an element at scale * keys + base
    };
    Kind kind = Kind::Fixed;
    Value value;
    term::Term keys; // of an index array, whose last argument is the loop's variable plus something
    term::Term scale, base;
  };
  Local sum;
  bool subtracts = false;
  std::vector<Factor> factors; // one of them isn't Fixed, at least
  ElementType element{};       // of all arrays of values in the product
  bool counts = false;         // in 64 bits, how many of the bytes that keys name are 1

  bool gathers() const; // is a factor Gathered?
};

/// Whether the loop is such a one. Definitions in its body are put in the place of their names.
std::optional<GatheredSum> gathered_sum(const For &loop, const Program &program);

/// A loop over lanes, each of which adds such a product to an element of its own: a slot of the rows of a
/// slice, or of a strip of ELLPACK's. A slot that isn't used may have a negative key.
struct GatheredLanes {
  const Accumulate *sum = nullptr;
  std::vector<GatheredSum::Factor> factors; // one of them Gathered, with scale 1 and base 0
  bool subtracts = false;
  bool guarded = false; // a lane whose key is negative adds nothing, and reads no element
  ElementType element{};
};

/// Whether the loop is such a one. The slot of the sum isn't looked at.
std::optional<GatheredLanes> gathered_lanes(const For &loop, const Program &program);

// ---- lane_sums.cpp: Lanes

/// A loop over positions around one over lanes: each lane adds to an element of its own, the same in all
/// iterations of the outer loop, as the rows of a slice do. The sums may be kept elsewhere, one per lane, and
/// be added to the elements after the loop, from the first lane on.
struct LaneSums {
  const For *lanes = nullptr;      // all of the body, behind Lets; of constant length
  const Accumulate *sum = nullptr; // its only statement that changes anything outside
  std::int64_t length = 0;
  term::Term slot; // of the element, over the lane's variable and what is declared outside of both loops
};

/// The most lanes: a few vectors.
constexpr std::int64_t most_lanes = 64;

/// Whether the loop is such a nest: it changes nothing else that is declared outside, and reads nothing of
/// the array that it adds to. That all the elements exist, also where the outer loop has no iteration, is not
/// asked.
std::optional<LaneSums> lane_sums(const For &loop);

// ---- pair_sums.cpp: Pairs

/// Fewer iterations are written out; more are no block.
constexpr std::int64_t least_paired = 4, most_paired = 16;

/// Whether the loop has a constant, even number of iterations, and does nothing but add to locals values that
/// are made of neighbouring elements and of what is the same in all iterations: the rows of a block times a
/// stretch of a vector. Then two iterations may be done at once. Returns the locals.
std::optional<std::vector<std::string>> pair_sums(const For &loop);

// ---- tile_sum.cpp: Tiles

/// A loop that adds in each iteration the product of a column and a row to a dense matrix, the same in all
/// iterations: y(r,s) += u(r) * v(s). The matrix may be kept in registers, a tile at a time, while the loop
/// runs once for each tile.
struct TileSum {
  const For *rows = nullptr;       // from 0 to a size or constant; all there is in the loop, behind names and
                                   // perhaps a condition
  const For *columns = nullptr;    // likewise, in that, behind names; neighbouring elements
  const Accumulate *sum = nullptr; // its only statement
  /// Factors of the product, with the values of names in the rows' loop put in: those that run along the
  /// columns, and those that are the same for all of them.
  std::vector<Element> along;
  std::vector<Value> of_row;
  bool negative = false;
};

/// Whether the loop is such a nest, all values float64: it changes nothing else that is declared outside, and
/// reads nothing of the matrix.
std::optional<TileSum> tile_sum(const For &loop, const Program &program);

// ---- columns.cpp: Columns

/// A nest whose innermost loops all run over the same columns, and do for each column nothing that another
/// column has to do with: it may be run for a part of the columns at a time. MTTKRP in any mode. They may
/// also add up inner products that are added to elements, where the parts' come together: TTTP.
struct Columns {
  std::vector<const For *> inner; // each with one Store or Accumulate to an element, or one to a local
  term::Term count;               // of columns
  /// Rows that lie in the same place throughout, which may be kept elsewhere: arrays of the workspace of
  /// which nothing else is read outside of the nest, and such that are only added to.
  std::vector<std::string> kept, sums;
  /// One loop alone, through what is stored, which adds to rows that lie anywhere: what it reads of other
  /// rows may stay in registers. That is worth it for few columns.
  bool scatters = false;
};

/// Whether the loop is such a nest, with a row that is kept and two loops or more over columns, or one that
/// scatters. All values are float64; what is added to is read nowhere.
std::optional<Columns> columns(const For &loop, const Program &program);

// ---- vector_sums.cpp: all of them

/// "stretch", "clears_stretch", ...; None has no name.
std::string_view name_of(VectorSum kind);

/// Whether it is a product of such factors, or one of them, or the negative of that.
bool is_product(const Value &value, const std::function<bool(const Value &factor)> &is_factor);

/// Whether all values that the statements read are float64, and so are the array's, of which they read none.
bool reads_float64_beside(const std::string &array, const Block &block, const Program &program);

/// What the Lets at the top of the block stand for.
term::Substitution lets_of(const Block &block);

/// What is said of a loop.
VectorSum sums_of(const Statement &statement);

/// The type that sums in vectors have: what all arrays of values are in single precision, else double.
ElementType type_of_vectors(const Program &program);

/// Says it of no loop any more, before these change.
void forget_vector_sums(Block &statements);

/// Fails with a bug where a loop is none of the kind that it is said to be.
void verify_vector_sums(const Program &program);

} // namespace unravel::loop
