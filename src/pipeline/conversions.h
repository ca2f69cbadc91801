#pragma once

#include "pipeline/plans.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Operands in another order of their modes. A product of several tensors may be cheaper by far where a
/// sparse one is stored with another mode outermost; to convert it costs more than most products, but is done
/// once.
namespace unravel::pipeline {

/// The tensor of an access, "A" of "A#2".
std::string operand_of(const std::string &access);

/// `front` with the operand in the layout that is asked for, and the given one in Front::converted; a use of
/// it, `A#2`, in Front::converted_uses. Throws mistakes and limits: there is no such operand, or the result
/// has its structure.
void convert_operand(const Request &request, Front &front, const parse::ScheduleTree::Conversion &asked);

/// The same computation with a tensor for each converted use; the request says of it what it says of the
/// operand. Precondition: front.converted_uses isn't empty.
Front with_converted_uses(Request &request, Front front);

/// Conversions to each order of modes that begins with another one: of the operands that list their entries;
/// in a line each use of one by itself where it is read several times.
std::vector<parse::ScheduleTree::Conversion> conversions_to_try(const Front &front);

/// Does it go through what others have inserted into a local tensor?
bool reads_inserted(const combine::Combination &combination, const combine::IterationSpace &space);

/// What the loops of the kernel do by the counts, in visits: by it conversions are compared that no plan
/// weighs. Loops over what others have inserted do no more than these; where all of it is sorted first, as
/// many times more as a sort has steps.
double visits_of(const Compilation &compilation, const schedule::Counts &counts);

/// A conversion that brings another mode of a sparse factor to the front.
struct Conversion {
  parse::ScheduleTree::Conversion asked;
  double once = 0; // estimated nanoseconds of converting
  Plans plans;     // of the line then: the one that is taken. How many prefixes are stored is estimated
  double least_calls = 0; // that make up for converting

  /// Estimated nanoseconds of a call.
  double cost() const { return plans.found.plans.front().cost; }
};

/// As the schedule has it: "convert T to csf<1,0,2>".
std::string to_text(const Conversion &conversion);

/// Those with which a call costs less than by what is taken of `given`, the plans of the same line;
/// the cheapest first.
std::vector<Conversion> conversions_of(const Front &front, const Plans &given);

/// The best one for so many calls on the same operands, if both together are clearly cheaper than the best
/// plan without.
std::optional<Conversion> conversion_that_pays(const Request &request, const Front &front, int calls);

/// To try conversions takes longer than what fewer visits do.
inline constexpr double least_visits = 1e6;

/// May the loops of the kernel do far more than what its operands store, so that conversions are to be
/// weighed once their counts are known?
bool may_be_worth_converting(const Front &front, const Compilation &compiled);

/// Tells what operands store, by which conversions are weighed.
struct OperandData {
  /// How many entries the operand stores.
  std::function<double(const std::string &operand)> entries;
  /// Puts the counts into `counts` that the operand has in this layout, under that name.
  std::function<void(const std::string &operand, const layout::Layout &layout, const std::string &name,
                     schedule::Counts &counts)>
      count;
};

/// `front` with the conversion by which the loops of `compiled`, its kernel, do least in so many calls, where
/// no plan weighs it; nothing if none pays for trying and converting. `known`: what is compiled, with the
/// counts of the data. It compiles one kernel for each conversion.
std::optional<Front> with_conversion_for_loops(const Request &known, const Front &front,
                                               const Compilation &compiled, int calls,
                                               const OperandData &data);

/// Refuses conversions where there is a function around the kernel, which packs, but doesn't convert.
void require_given_layouts(const Compilation &compilation);

/// Adds to the compilation the functions that convert the operands, `NAME_converts_T(&T, &T_given)`: their
/// C stands in front of the kernel's. Refused where the result is packed behind the kernel.
void add_conversions(const Request &request, Compilation &compilation);

} // namespace unravel::pipeline
