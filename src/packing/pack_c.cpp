// A plan of packing as C text: the same steps as pack.cpp and pack_levels.cpp, with qsort.
#include "packing/pack_c.h"

#include "packing/pack_c_compared.h"
#include "packing/pack_c_piece.h"
#include "packing/pack_permutation.h"
#include "packing/pack_segments.h"
#include "report/diagnostic.h"

#include <algorithm>

namespace unravel::packing {

using tensor::IndexType;
using tensor::ValueType;

namespace {

/// Does it mention nothing but sizes and counts that are known?
bool says_of_numbers(const prove::Axiom &axiom, const PackCText &c) {
  const Term all = term::conjunction({axiom.guard, axiom.conclusion});
  return axiom.variables.empty() && term::applications_of(all).empty() &&
         std::ranges::all_of(term::variables_of(all), [&](const std::string &name) {
           return c.known.count(name) || std::ranges::count(c.sizes, name);
         });
}

/// The functions: allocate, sort, free, pack.
class PackWriter {
public:
  /// `c`: of the layout with pointers; `given`: the layout itself.
  PackWriter(const PackPlan &plan, PackCText &c, const Layout &given)
      : plan_(plan), c_(c), layout_(c.layout), given_(given) {
    if (std::ranges::any_of(plan.pieces, [](auto &piece) { return piece.spills.has_value(); }))
      left_ = c.choose("left");
    std::vector<const PiecePlan *> before;
    for (const PiecePlan &piece : plan.pieces) {
      std::string suffix = plan.pieces.size() > 1 ? fmt::format("_{}", pieces_.size() + 1) : "";
      pieces_.emplace_back(piece, suffix, before, left_, c);
      before.push_back(&piece);
    }
  }

  void write() {
    write_allocate();
    write_sorting();
    if (is_compared()) ComparisonWriter(plan_, c_).write_functions();
    write_free();
    write_pack();
  }

private:
  void write_allocate() {
    c_.open(fmt::format("static void *{}_allocate(int64_t count, size_t size)", c_.prefix));
    c_.line("if (count < 0 || (uint64_t)count > SIZE_MAX / size) return NULL;");
    c_.line("return calloc(count > 0 ? (size_t)count : 1, size);");
    c_.close();
    c_.line("");
  }

  void write_sorting() {
    std::string before = c_.take();
    std::size_t modes = 0, groups = 0;
    bool sorted = false;
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      pieces_[k].write_comparisons();
      bool permuted = !plan_.pieces[k].permutations.empty();
      modes = std::max(modes, plan_.pieces[k].modes.size());
      if (permuted) modes = std::max({modes, layout_.order(), PieceWriter::members_of_places});
      groups = std::max(groups, pieces_[k].groups());
      sorted = sorted || permuted || !plan_.pieces[k].is_dense();
    }
    std::string comparisons = c_.take();
    c_.put(before);
    if (!sorted) return;
    c_.open(fmt::format("typedef struct {}_entry", c_.prefix));
    c_.line("int64_t index[{}];", modes);
    if (groups > 0) c_.line("int64_t group[{}];", groups);
    c_.line("int64_t number; // in the input");
    c_.line("{} value;", c_.sum());
    c_.line("int opens; // the first level at which it has a position of its own");
    c_.close(fmt::format(" {}_entry;", c_.prefix));
    c_.line("");
    c_.put(comparisons);
  }

  void write_free() {
    c_.open(fmt::format("void free_{0}({0} *{1})", c_.type, c_.self));
    for (const layout::Array &array : layout_.arrays) {
      c_.line("free({});", c_.member(array.name));
      c_.line("{} = NULL;", c_.member(array.name));
    }
    c_.close();
    c_.line("");
  }

  void write_pack() {
    c_.line(
        "// Packs n entries into {}: entry e is at (index[0][e], ...) and has values[e]; equal coordinates "
        "are added",
        layout_.name);
    c_.line("// up where the layout stores each once. Returns 0 on success, 1 if a coordinate or number is "
            "out of range{}",
            places_anywhere() ? "," : " or an entry");
    c_.line("// {}2 if memory runs out.", places_anywhere() ? "" : "has no place, ");
    if (plan_.compared && !plan_.is_implied_known)
      c_.line("// Entries that the layout implies, such as the other half of a symmetric matrix, are not "
              "compared.");
    else if (plan_.compared)
      c_.line(
          "// Entries that the layout implies, such as the other half of a symmetric matrix, must be among "
          "those given, else it returns 1.");
    std::string sizes;
    for (const std::string &size : c_.sizes)
      sizes += ", int64_t " + c_.member_name(size);
    if (!c_.fill) sizes += fmt::format(", {} {}", c_.number(), c_.fill_name);
    c_.open(fmt::format("int pack_{0}({0} *{1}, int64_t {2}, int64_t *const {3}[], const {6} *{4}{5})",
                        c_.type, c_.self, c_.n, c_.index, c_.values, sizes, c_.number()));
    for (const std::string &size : c_.sizes)
      c_.line("{} = {};", c_.member(size), c_.member_name(size));
    for (const layout::Count &count : layout_.counts)
      c_.line("{} = 0;", c_.member(count.name));
    for (const layout::Array &array : layout_.arrays)
      c_.line("{} = NULL;", c_.member(array.name));
    if (layout_.order() == 0) c_.line("(void){};", c_.index);
    const auto refuse_if = [&](const std::string &condition) { c_.line("if ({}) return 1;", condition); };
    c_.define_counts(refuse_if); // those that the sizes determine
    write_properties(refuse_if);
    write_checks();
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      pieces_[k].write_limits();
      for (const Limit &limit : plan_.pieces[k].limits)
        c_.known.insert(limit.count);
    }
    c_.define_counts(refuse_if);
    write_properties(refuse_if);
    if (is_compared()) ComparisonWriter(plan_, c_).write();
    if (!left_.empty()) {
      c_.line("int64_t *{} = (int64_t *){}_allocate({}, sizeof(int64_t));", left_, c_.prefix, c_.n);
      c_.line("if (!{}) return 2;", left_);
    }
    for (PieceWriter &piece : pieces_) {
      if (pieces_.size() > 1) c_.open("");
      piece.write();
      if (pieces_.size() > 1) c_.close();
    }
    if (!left_.empty()) c_.line("free({});", left_);
    for (const BoundSegments &segments : plan_.segments)
      write_bounds(segments);
    write_properties([&](const std::string &condition) { fail_if(condition, 1); });
    c_.line("return 0;");
    c_.close();
  }

  bool is_compared() const { return plan_.compared && plan_.is_implied_known; }

  /// Does every coordinate have a place?
  bool places_anywhere() const {
    return std::ranges::all_of(plan_.pieces, [](const PiecePlan &piece) {
      bool any = piece.conditions.empty() && !piece.value.empty();
      for (const Level &level : piece.levels)
        any = any && level.kind != Level::Kind::Run && level.kind != Level::Kind::Padded;
      return any;
    });
  }

  /// What packing relies on, but doesn't ensure: properties of sizes and of the counts that are known by now.
  void write_properties(const std::function<void(const std::string &)> &refuse_if) {
    for (std::size_t property : plan_.checked) {
      const prove::Axiom &axiom = layout_.properties[property].axiom;
      if (written_.count(property) || !says_of_numbers(axiom, c_)) continue;
      const Term broken = term::conjunction({axiom.guard, term::negation(axiom.conclusion)});
      c_.line("// {}", term::to_text(axiom.conclusion));
      refuse_if(c_.condition(broken));
      written_.insert(property);
    }
  }

  /// Numbers that don't fit, coordinates out of range, entries that no piece takes.
  void write_checks() {
    bool narrow = false;
    for (const PiecePlan &piece : plan_.pieces) {
      for (const Permutation &permutation : piece.permutations)
        if (c_.is_narrow(permutation.array)) {
          const auto [coordinate, key] = stored_by(permutation, layout_);
          write_key_check(coordinate, key);
        }
      for (const Level &level : piece.levels) {
        for (const Key &key : level.keys)
          if (c_.is_narrow(key.array)) write_key_check(piece.modes[key.mode], key);
        narrow = narrow || (!level.pointer.empty() && c_.is_narrow(level.pointer)) ||
                 (!level.lengths.empty() && c_.is_narrow(level.lengths));
      }
    }
    if (narrow) c_.line("if ({} > INT32_MAX) return 1;", c_.n);
    if (layout_.order() == 0) return;
    c_.open_loop(c_.e, c_.n);
    for (std::size_t mode = 0; mode < layout_.order(); ++mode)
      c_.line("if ({0}[{1}][{2}] < 0 || {0}[{1}][{2}] >= {3}) return 1;", c_.index, mode, c_.e,
              c_.member(layout_.sizes[mode]));
    std::vector<Term> places;
    for (const PiecePlan &piece : plan_.pieces)
      places.push_back(term::conjunction(piece.conditions));
    Term placed = term::disjunction(places);
    if (!plan_.compared && !term::is_true(placed)) // a dense file lists zeros too
      c_.line("if (!({}) && {}[{}] != {}) return 1;", c_.condition(placed), c_.values, c_.e,
              c_.fill_of(plan_.pieces.front().value, false));
    c_.close();
  }

  /// That the greatest and, where it may be negative, the least number of an index array fit.
  void write_key_check(const Mode &mode, const Key &key) {
    if (mode.is_coordinate()) {
      c_.line("if ({} > INT32_MAX) return 1;",
              c_.term(mode.size + (key.sign > 0 ? -key.offset : key.offset)));
      return;
    }
    for (bool greatest : {true, false}) {
      Term end = greatest ? mode.least + mode.size - Term(1) - key.offset : key.offset - mode.least;
      if (!end.as<term::Constant>()) c_.line("if ({} > INT32_MAX) return 1;", c_.term(end));
    }
  }

  // ---- segments that two arrays bound, from their pointers

  void fail_if(const std::string &condition, int code) {
    c_.open(fmt::format("if ({})", condition));
    c_.line("free_{}({});", c_.type, c_.self);
    c_.line("return {};", code);
    c_.close();
  }

  /// The pointer for an array's element k, and so many later.
  std::string pointer(const BoundSegments &segments, const std::string &array, std::int64_t later) const {
    std::string slot = c_.k;
    const std::vector<Term> &extents = given_.array(array)->extents,
                            &rows = layout_.array(segments.begin)->extents;
    if (extents.size() > 1)
      slot = fmt::format("{0} / {1} * {2} + {0} % {1}", c_.k, PackCText::factor(c_.term(extents.back())),
                         PackCText::factor(c_.term(rows.back())));
    return fmt::format("{}[{}]", c_.member(segments.begin), c_.shifted(1, slot, Term(later)));
  }

  /// `pointers`: what the elements are, but for an offset.
  void write_bound(const std::string &array, const std::string &pointers, std::int64_t offset, bool wide) {
    std::string size;
    for (const Term &extent : given_.array(array)->extents)
      size += (size.empty() ? "" : " * ") + PackCText::factor(c_.term(extent));
    c_.open_loop(c_.k, size);
    if (c_.is_narrow(array) && (wide || offset < 0))
      fail_if(fmt::format("{} > INT32_MAX", c_.shifted(1, "(int64_t)" + pointers, Term(-offset))), 1);
    c_.line("{}[{}] = {};", c_.member(array), c_.k,
            c_.as_element(array, c_.shifted(1, pointers, Term(-offset))));
    c_.close();
  }

  /// Ends first: begins take the place of pointers.
  void write_bounds(const BoundSegments &segments) {
    bool wide = !c_.is_narrow(segments.begin);
    c_.line("// Where each segment begins{}.", segments.begin == segments.end ? ""
                                               : segments.is_length           ? ", and how long it is"
                                                                              : " and ends");
    if (segments.begin != segments.end) {
      std::string type = c_.element(segments.end), end = pointer(segments, segments.end, segments.shift);
      c_.line("{0} = ({1} *){2}_allocate({3}, sizeof({1}));", c_.member(segments.end), type, c_.prefix,
              c_.size_of(segments.end));
      fail_if("!" + c_.member(segments.end), 2);
      if (segments.is_length) end += " - " + pointer(segments, segments.end, segments.shift - 1);
      write_bound(segments.end, end, segments.end_offset, wide);
    }
    if (segments.begin_offset != 0 || given_.array(segments.begin)->extents.size() > 1)
      write_bound(segments.begin, pointer(segments, segments.begin, 0), segments.begin_offset, false);
  }

  const PackPlan &plan_;
  PackCText &c_;
  const Layout &layout_, &given_;
  std::vector<PieceWriter> pieces_;
  std::string left_;              // the array of entries that pieces leave to those behind, if some do
  std::set<std::size_t> written_; // the properties that are tested by now
};

/// Zeros at other coordinates: only as many for all nodes alike. What finds no position in one piece must
/// have one in the next, whatever else is in that.
void require_supported(const PackPlan &plan, const Layout &layout) {
  bool spills = false;
  for (const PiecePlan &piece : plan.pieces) {
    if (spills && (!piece.conditions.empty() || !piece.limits.empty()))
      report::fail(report::Kind::cannot_pack, layout.span,
                   fmt::format("packing of layout `{}` can't be written as C yet: piece {} gets the entries "
                               "that find no position before, but has no place for all coordinates",
                               layout.name, piece.piece + 1),
                   "pack with the tool: `unravel convert`, or `unravel run`");
    spills = spills || piece.spills;
  }
  for (const PiecePlan &piece : plan.pieces)
    for (const Level &level : piece.levels)
      if (level.kind == Level::Kind::Padded && !level.unused && !level.pointer.empty())
        report::fail(report::Kind::cannot_pack, layout.span,
                     fmt::format("packing of layout `{}` can't be written as C yet: nothing marks the unused "
                                 "positions `{}`, and segments have different numbers of them",
                                 layout.name, level.position),
                     "pack with the tool: `unravel convert`, or `unravel run`");
}

} // namespace

std::string emit_pack_c(const PackPlan &plan, const Layout &layout, const PackNames &names, IndexType index,
                        ValueType value, std::optional<double> fill) {
  require_supported(plan, layout);
  const Layout told = with_pointers(layout, plan.segments);
  PackCText c(told, names, index, value, fill);
  PackWriter(plan, c, layout).write();
  return c.take();
}

} // namespace unravel::packing
