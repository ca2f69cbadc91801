#pragma once

#include "plan/find.h"
#include "prove/prover.h"
#include "text/source.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Which methods are proved, and which of them are chosen.
namespace unravel::find {

// The plans that are made here.
using plan::Candidate;
using plan::Direction;
using plan::FindPlan;
using plan::InStep;
using plan::Jump;
using plan::LevelPlan;
using plan::MapForm;
using plan::Method;
using plan::Obligation;

/// A method that the user asked for, and the places of the name and of the method in the request's text.
struct Request {
  Request(Method wanted, text::Span name = {}, text::Span by = {}) // NOLINT: a method is a request
      : method(wanted), name_span(std::move(name)), method_span(std::move(by)) {}
  Method method;
  text::Span name_span, method_span;
};

/// What the user asked for with --find: per variable ("x.p") or tensor ("x"). What is asked for a tensor
/// holds for its innermost find, and for the others unless these are direct.
using Requests = std::map<std::string, Request>;

/// Estimates from the data: how many values the variable of a Loop level takes per visit, how many positions
/// a Find level ranges over. Empty where nothing is known.
using Lengths = std::map<std::string, double>;

/// What is known of the data, as schedule::Counts has it: of a size ("A.N") its value, of an array of keys
/// ("A.col.reach") the part of the keys' range that lies between the first key of a segment and its last.
using Counts = std::map<std::string, double>;

/// Plans every Find level of a nest. `axioms` are in the prover. A request that can't be proved fails with
/// kind find_not_proved naming the failed obligation, with a counterexample where a small one was found; one
/// that names nothing to be found with kind no_such_find.
///
/// `needs`: what positions are found for, where that is less than themselves.
///
/// Direct is taken where it is proved, then a probe, then a dense map where it is proved and serves several
/// passes, then sequential iteration where it is proved, worth it and its state is one scalar, then binary
/// search, then a hash map that several targets are looked for in, then the scan. `unknown` from the prover
/// is not proved. Where the lengths say that a walk over the range would serve too few targets, binary search
/// is taken before it; where they say that a state in an array would serve many, the walk is taken before
/// binary search. Where few targets are looked for in a segment, and the counts say that most lie outside of
/// it, binary search is taken before a map of it; or, as before hashing, where they say that memory has no
/// room for the map.
FindPlan plan_finds(const scan::Nest &nest, prove::Prover &prover, const Requests &requests = {},
                    const Lengths &lengths = {}, const scan::Needs &needs = {}, const Counts &counts = {});

/// What requests may name: the variables that are found, and their tensors.
std::vector<std::string> names_of_finds(const scan::Nest &nest);
/// The variables of loops over positions that are all tried, as with `j = col(perm(p))`, and their tensors.
std::vector<std::string> names_of_trials(const scan::Nest &nest);
/// Throws a mistake where a request names nothing of these; trials are scans already.
void check_requests(const std::vector<std::string> &names, const Requests &requests,
                    const std::vector<std::string> &trials = {});

/// The plan with these methods, or none where one of them can't be proved: then no counterexample is looked
/// for.
std::optional<FindPlan> plan_finds_by(const scan::Nest &nest, prove::Prover &prover, const Requests &requests,
                                      const scan::Needs &needs);

} // namespace unravel::find
