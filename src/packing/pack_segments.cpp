#include "packing/pack_segments.h"

#include "packing/pack_forms.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace unravel::packing {

namespace {

/// An element of an index array plus a constant.
struct Element {
  std::string array;
  std::vector<Term> subscripts;
  std::int64_t constant = 0;
};

std::optional<Element> element_of(const Term &term) {
  term::Linear sum = term::linear_form(term);
  if (sum.parts.size() != 1 || sum.parts.begin()->second != 1) return std::nullopt;
  const auto *call = sum.parts.begin()->first.as<term::Apply>();
  if (!call) return std::nullopt;
  return Element{call->function, call->arguments, sum.constant};
}

/// The bounds of a position: begin <= position < end, where end is an element or, for lengths, begin and
/// one.
struct ArrayBounds {
  Element begin, end;
  bool is_length = false;
  std::string text;
};

class SegmentFinder {
public:
  explicit SegmentFinder(const Layout &layout) : layout_(layout) {}

  std::vector<BoundSegments> find() {
    for (const layout::Piece &piece : layout_.pieces)
      for (const std::string &position : piece.positions)
        for (const ArrayBounds &bounds : array_bounds_of(piece, position))
          take(bounds, piece, position);
    return std::move(result_);
  }

private:
  [[noreturn]] void fail(const layout::Piece &piece, const std::string &reason) const {
    report::fail(
        report::Kind::cannot_pack, piece.span,
        fmt::format("coordinates can't be packed into layout `{}`: {}", layout_.name, reason),
        "packing is derived for segments that one array of pointers tells, as `f(r) <= p < f(r + 1)`, "
        "or two arrays of their own, as `begin(r) <= p < end(r)`");
  }

  static std::vector<ArrayBounds> array_bounds_of(const layout::Piece &piece, const std::string &position) {
    std::vector<ArrayBounds> result;
    for (const auto &[low_part, high_part, low, high] :
         bounds_of(position, term::conjuncts(piece.relation))) {
      std::optional<Element> begin = element_of(low), end = element_of(high), length = element_of(high - low);
      if (!begin || (!end && !length)) continue;
      result.push_back({*begin, end ? *end : *length, !end,
                        fmt::format("{} <= {} < {}", term::to_text(low), position, term::to_text(high))});
    }
    return result;
  }

  void take(const ArrayBounds &bounds, const layout::Piece &piece, const std::string &position) {
    const Element &begin = bounds.begin, &end = bounds.end;
    bool same = begin.array == end.array;
    // Both must be of the same segment: subscripts differ in nothing but a constant of the last one.
    std::int64_t later = 0;
    bool aligned = begin.subscripts.size() == end.subscripts.size();
    for (std::size_t k = 0; aligned && k < begin.subscripts.size(); ++k)
      aligned = term::constant_difference(end.subscripts[k], begin.subscripts[k], later) &&
                (later == 0 || k + 1 == begin.subscripts.size());
    if (same) aligned = aligned && !bounds.is_length && begin.constant == end.constant && later == -1;
    if (!aligned) return; // what it says is left as it is
    BoundSegments segments{begin.array,  end.array, bounds.is_length, later + 1, begin.constant,
                           end.constant, ""};
    for (const std::string &array : {begin.array, end.array}) {
      auto [known, fresh] = bounds_.emplace(array, std::pair(segments, bounds.text));
      if (fresh || known->second.first == segments) continue;
      fail(piece, fmt::format("`{}` bounds segments in two ways, `{}` and `{}`", array, known->second.second,
                              bounds.text));
    }
    bool told = segments_with(result_, segments.begin) != nullptr;
    if (told || (same && begin.constant == 0)) return;
    check_extents(segments, bounds, piece);
    if (begin.subscripts.size() == 1) segments.count = count_of(position, piece);
    result_.push_back(segments);
  }

  /// A count without a definition that is the extent of arrays where the position is their subscript. Not
  /// twice.
  std::string count_of(const std::string &position, const layout::Piece &piece) const {
    std::vector<Term> calls = term::applications_of(piece.relation);
    if (!piece.value.array.empty()) calls.push_back(term::apply(piece.value.array, piece.value.slots));
    for (const Term &call : calls) {
      const auto *apply = call.as<term::Apply>();
      for (std::size_t k = 0; k < apply->arguments.size(); ++k) {
        const auto *extent = layout_.array(apply->function)->extents[k].as<term::Variable>();
        const layout::Count *count = extent ? layout_.count(extent->name) : nullptr;
        if (apply->arguments[k] != term::variable(position) || !count || count->definition) continue;
        for (const BoundSegments &other : result_)
          if (other.count == count->name)
            fail(piece,
                 fmt::format("count `{}` is both that of the segments of `{}` and of those of position "
                             "`{}`",
                             count->name, other.begin, position));
        return count->name;
      }
    }
    return "";
  }

  void check_extents(const BoundSegments &segments, const ArrayBounds &bounds,
                     const layout::Piece &piece) const {
    const std::vector<Term> &begin = layout_.array(segments.begin)->extents,
                            &end = layout_.array(segments.end)->extents;
    std::int64_t more = 0;
    bool fit = term::constant_difference(begin.back(), end.back(), more) &&
               segments.shift >= (segments.is_length ? 1 : 0);
    for (std::size_t k = 0; k + 1 < begin.size(); ++k)
      fit = fit && begin[k] == end[k];
    if (!fit)
      fail(piece, fmt::format("the extents of `{}` and `{}` don't go together in `{}`", segments.begin,
                              segments.end, bounds.text));
  }

  const Layout &layout_;
  std::map<std::string, std::pair<BoundSegments, std::string>> bounds_; // by array, with their text
  std::vector<BoundSegments> result_;
};

Term pointer_at(const std::string &name, std::vector<Term> subscripts, std::int64_t later) {
  subscripts.back() = subscripts.back() + Term(later);
  return term::apply(name, std::move(subscripts));
}

/// What an element of one of the arrays is, by pointers.
std::optional<Term> by_pointers(const std::string &array, const std::vector<Term> &subscripts,
                                const std::vector<BoundSegments> &segments) {
  for (const BoundSegments &of : segments) {
    if (array == of.begin) return pointer_at(array, subscripts, 0) - Term(of.begin_offset);
    if (array != of.end) continue;
    Term end = pointer_at(of.begin, subscripts, of.shift) - Term(of.end_offset);
    return of.is_length ? end - pointer_at(of.begin, subscripts, of.shift - 1) : end;
  }
  return std::nullopt;
}

class PointerTeller {
public:
  explicit PointerTeller(const std::vector<BoundSegments> &segments) : segments_(segments) {}

  void tell(Layout &layout) const {
    for (const BoundSegments &segments : segments_)
      extend(layout, segments);
    for (layout::Count &count : layout.counts) {
      if (count.definition) tell(*count.definition);
      for (const BoundSegments &segments : segments_)
        if (segments.count == count.name)
          count.definition =
              term::apply(segments.begin, {layout.array(segments.begin)->extents[0] - Term(1)});
    }
    for (layout::Piece &piece : layout.pieces) {
      tell(piece.relation);
      for (Term &slot : piece.value.slots)
        tell(slot);
    }
    for (std::vector<layout::Property> *properties : {&layout.properties, &layout.lemmas})
      for (layout::Property &property : *properties) {
        tell(property.axiom.guard);
        tell(property.axiom.conclusion);
      }
  }

private:
  /// Pointers for all begins and ends.
  static void extend(Layout &layout, const BoundSegments &segments) {
    auto pointers = std::ranges::find(layout.arrays, segments.begin, &layout::Array::name);
    const layout::Array &ends = *layout.array(segments.end);
    Term &extent = pointers->extents.back();
    Term last = ends.extents.back() + Term(segments.shift);
    std::int64_t more = 0;
    if (segments.begin != segments.end) extent = extent + Term(1);
    if (term::constant_difference(extent, last, more) && more > 0) extent = last;
  }

  void tell(Term &of) const {
    std::map<Term, Term> by;
    for (const Term &call : term::applications_of(of)) { // inner ones come first
      const auto *apply = call.as<term::Apply>();
      std::vector<Term> subscripts = apply->arguments;
      for (Term &subscript : subscripts)
        subscript = term::replace(subscript, by);
      std::optional<Term> told = by_pointers(apply->function, subscripts, segments_);
      by.emplace(call, told ? *told : term::apply(apply->function, std::move(subscripts)));
    }
    of = term::replace(of, by);
  }

  const std::vector<BoundSegments> &segments_;
};

} // namespace

std::vector<BoundSegments> bound_segments_of(const Layout &layout) {
  return SegmentFinder(layout).find();
}

Layout with_pointers(Layout layout, const std::vector<BoundSegments> &segments) {
  PointerTeller(segments).tell(layout);
  return layout;
}

const BoundSegments *segments_with(const std::vector<BoundSegments> &segments, const std::string &pointer) {
  auto found = std::ranges::find(segments, pointer, &BoundSegments::begin);
  return found == segments.end() ? nullptr : &*found;
}

} // namespace unravel::packing
