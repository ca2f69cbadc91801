
#include "loop/vector_sums.h"
#include "loop/arrays.h"
#include "loop/passes.h"
#include "loop/segment.h"
#include "loop/types.h"
#include "loop/walk.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::loop {

namespace {

/// More sums don't fit in registers by pairs.
constexpr std::int64_t most_lanes_in_pairs = 16;

/// A tile is loaded and stored for so many products, or not at all.
constexpr double least_added_in_tiles = 2;

/// Where a loop stands.
struct Around {
  const Statement *next = nullptr; // the statement behind it
  bool in_stretch = false;
  const For *lanes = nullptr; // of a nest of lanes around it: the loop over these
};

class Kinds {
public:
  explicit Kinds(const Program &program, const Counts &counts = {})
      : program_(program), types_(program), type_(type_of_vectors(program)), counts_(counts) {}

  VectorSum kind_of(const Statement &statement, const Around &around) const {
    const bool may_be_double = !around.in_stretch && type_ == ElementType::Float64;
    if (is_loop(statement) && stretch(statement, around)) return VectorSum::Stretch;
    const auto *loop = statement.as<For>();
    if (!loop) return VectorSum::None;
    const std::optional<TileSum> tile = may_be_double ? tile_sum(*loop, program_) : std::nullopt;
    if (tile && !is_short(*loop, *tile)) return VectorSum::Tiles;
    // One that is too short for tiles is nothing else: the counts that say so aren't always known.
    if (may_be_double && !tile && !around.lanes && columns(*loop, program_)) return VectorSum::Columns;
    if (const std::optional<DenseSum> next =
            around.next && is_loop(*around.next) ? stretch(*around.next, around) : std::nullopt;
        next && clears_stretch(statement, *next))
      return VectorSum::ClearsStretch;
    if (!around.in_stretch && !around.lanes && lanes_of(*loop)) return VectorSum::Lanes;
    if (are_gathered(*loop, around)) return VectorSum::Gathered;
    return are_pairs(*loop) ? VectorSum::Pairs : VectorSum::None;
  }

  /// Where what stands in a loop of that kind is.
  static Around inside(const Statement &statement, VectorSum kind, Around around) {
    around.next = nullptr;
    around.in_stretch = around.in_stretch || kind == VectorSum::Stretch || kind == VectorSum::Columns;
    if (kind == VectorSum::Lanes) around.lanes = lane_sums(std::get<For>(statement.kind))->lanes;
    return around;
  }

private:
  /// The nest that adds to a stretch of doubles, or of complex numbers.
  std::optional<DenseSum> stretch(const Statement &statement, const Around &around) const {
    if (around.in_stretch) return std::nullopt;
    std::optional<DenseSum> sum = dense_sum(statement, program_);
    return sum && (sum->row || type_ == ElementType::Float64) ? sum : std::nullopt;
  }

  /// Whether the data are known to leave the nest hardly more than one iteration.
  bool is_short(const For &loop, const TileSum &sum) const {
    double length = 1;
    bool known = true;
    each<For>(Statement{loop}, [&](const For &inner) {
      if (inner.variable == sum.rows->variable || inner.variable == sum.columns->variable) return;
      const std::optional<double> own = mean_length(inner, counts_);
      known = known && own;
      length *= own.value_or(1);
    });
    return known && length < least_added_in_tiles;
  }

  bool lanes_of(const For &loop) const {
    const std::optional<LaneSums> sums = loop.in_lanes ? lane_sums(loop) : std::nullopt;
    return sums && element_type(std::get<Element>(sums->sum->target).array, program_) == type_;
  }

  bool are_gathered(const For &loop, const Around &around) const {
    if (!loop.simd && around.lanes != &loop) return false;
    const std::optional<GatheredLanes> lanes = gathered_lanes(loop, program_);
    if (!lanes || lanes->element != type_) return false;
    if (around.lanes == &loop) {
      std::int64_t length = 0;
      return constant_difference(loop.lower, loop.upper, length) && length % 2 == 0 &&
             length <= most_lanes_in_pairs;
    }
    // One behind the other in memory, and none is read.
    const auto &target = std::get<Element>(lanes->sum->target);
    const bool reads = std::ranges::any_of(lanes->factors, [&](const auto &factor) {
      const auto *read = factor.value.template as<Element>();
      return read && read->array == target.array;
    });
    return !around.lanes && !reads && runs_along(target.slot, loop.variable) &&
           !effects_of(loop.body).mentions_declared(target.slot);
  }

  /// A layout's arrays may hold other values than the kernel computes with: a vector of these is none of
  /// those.
  bool are_pairs(const For &loop) const {
    const std::optional<std::vector<std::string>> sums = pair_sums(loop);
    bool all = sums.has_value();
    each_element(loop.body, [&](const Element &element) {
      all = all && element_type(element.array, program_) == type_;
    });
    return all &&
           std::ranges::all_of(*sums, [&](const std::string &sum) { return types_.of_local(sum) == type_; });
  }

  const Program &program_;
  Types types_;
  ElementType type_;
  const Counts counts_;
};

void say(Statement &statement, VectorSum kind) {
  if (auto *loop = statement.as<For>()) loop->sums = kind;
  if (auto *loop = statement.as<While>()) loop->sums = kind;
}

const Statement *next_of(const Block &statements, std::size_t k) {
  return k + 1 < statements.size() ? &statements[k + 1] : nullptr;
}

void mark(Block &statements, const Kinds &kinds, Around around) {
  for (std::size_t k = 0; k < statements.size(); ++k) {
    around.next = next_of(statements, k);
    const VectorSum kind = kinds.kind_of(statements[k], around);
    say(statements[k], kind);
    const Around inside = Kinds::inside(statements[k], kind, around);
    for (Block *inner : blocks_of(statements[k]))
      mark(*inner, kinds, inside);
  }
}

void verify(const Block &statements, const Kinds &kinds, Around around) {
  for (std::size_t k = 0; k < statements.size(); ++k) {
    around.next = next_of(statements, k);
    const VectorSum said = sums_of(statements[k]);
    if (said != VectorSum::None && kinds.kind_of(statements[k], around) != said)
      report::fail(
          report::Kind::internal,
          fmt::format("malformed loop program: a loop is said to have sums of the kind `{}`, and has "
                      "none: {}",
                      name_of(said), to_text(Block{statements[k]})),
          "please report this as a bug");
    const Around inside = Kinds::inside(statements[k], said, around);
    for (const Block *inner : blocks_of(statements[k]))
      verify(*inner, kinds, inside);
  }
}

} // namespace

bool is_product(const Value &value, const std::function<bool(const Value &)> &is_factor) {
  if (const auto *negative = arguments_of(Operator::Negate, value))
    return is_product(negative->front(), is_factor);
  const auto *factors = arguments_of(Operator::Multiply, value);
  return factors ? std::ranges::all_of(*factors, is_factor) : is_factor(value);
}

bool reads_float64_beside(const std::string &array, const Block &block, const Program &program) {
  bool all = element_type(array, program) == ElementType::Float64;
  each_element(block, [&](const Element &read) {
    all = all && read.array != array && element_type(read.array, program) == ElementType::Float64;
  });
  return all;
}

term::Substitution lets_of(const Block &block) {
  term::Substitution known;
  for (const Statement &statement : block)
    if (const auto *let = statement.as<Let>())
      known.insert_or_assign(let->variable, substitute(let->value, known));
  return known;
}

VectorSum sums_of(const Statement &statement) {
  if (const auto *loop = statement.as<For>()) return loop->sums;
  const auto *loop = statement.as<While>();
  return loop ? loop->sums : VectorSum::None;
}

std::string_view name_of(VectorSum kind) {
  switch (kind) {
  case VectorSum::None: break;
  case VectorSum::Stretch: return "stretch";
  case VectorSum::ClearsStretch: return "clears_stretch";
  case VectorSum::Lanes: return "lanes";
  case VectorSum::Pairs: return "pairs";
  case VectorSum::Gathered: return "gathered";
  case VectorSum::Tiles: return "tiles";
  case VectorSum::Columns: return "columns";
  }
  return "";
}

ElementType type_of_vectors(const Program &program) {
  bool is_double = false, is_single = false;
  const auto see = [&](ElementType type) {
    is_double = is_double || type == ElementType::Float64;
    is_single = is_single || type == ElementType::Float32;
  };
  each_array(program, [&](const std::string &, const ArrayParameter &array, const TensorParameter &) {
    see(array.element);
  });
  for (const WorkspaceArray &array : program.workspace)
    see(array.element);
  return is_single && !is_double ? ElementType::Float32 : ElementType::Float64;
}

Program sums_in_vectors(Program program, const Known &known) {
  const Kinds kinds(program, known.counts);
  Block body = program.body; // what the types of locals are is read of the program
  mark(body, kinds, {});
  program.body = std::move(body);
  return program;
}

void forget_vector_sums(Block &statements) {
  each_statement(statements, [](Statement &statement) { say(statement, VectorSum::None); });
}

void verify_vector_sums(const Program &program) {
  verify(program.body, Kinds(program), {});
}

} // namespace unravel::loop
