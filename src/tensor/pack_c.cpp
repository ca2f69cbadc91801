// A plan of packing as C text: the same steps as pack.cpp and pack_levels.cpp, with qsort.
#include "tensor/pack_c.h"

#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace unravel::tensor {

using layout::Layout;
using term::Term;

namespace {

using Declared = layout::Array;

/// One comparison of a sort: a member of an entry.
struct Comparison {
  std::string member;
  bool descending = false;
};

class PackWriter {
public:
  PackWriter(const PiecePlan &plan, const Layout &layout, const PackNames &names, IndexType index,
             ValueType value)
      : plan_(plan), layout_(layout), names_(names), index_(index), value_(value),
        prefix_("pack_" + names.type) {
    for (const std::string &size : layout.sizes)
      if (std::find(sizes_.begin(), sizes_.end(), size) == sizes_.end()) sizes_.push_back(size);
    std::set<std::string> taken;
    for (const std::string &size : sizes_)
      taken.insert(member_name(size));
    auto choose = [&](std::string name) {
      while (!taken.insert(name).second)
        name += "_";
      return name;
    };
    self_ = choose("A"), n_ = choose("n"), index_name_ = choose("index"), values_ = choose("values");
    entry_ = choose("entry"), e_ = choose("e"), k_ = choose("k");
    for (const Level &level : plan.levels)
      nodes_.push_back(choose("at_" + level.position));
  }

  std::string write() {
    write_allocate();
    if (!plan_.is_dense()) write_sorting();
    write_free();
    write_pack();
    return std::move(text_);
  }

private:
  template <class... Arguments> void line(fmt::format_string<Arguments...> format, Arguments &&...arguments) {
    text_ += std::string(indent_, ' ') + fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
  }
  void open(const std::string &head) {
    line("{} {{", head);
    indent_ += 2;
  }
  void close(const std::string &tail = "") {
    indent_ -= 2;
    line("}}{}", tail);
  }

  std::string member_name(const std::string &name) const {
    auto found = names_.members.find(name);
    return found == names_.members.end() ? name : found->second;
  }
  std::string member(const std::string &name) const { return self_ + "->" + member_name(name); }

  std::string element(const Declared &array) const {
    switch (element_type(array, index_, value_)) {
    case DType::I4: return "int32_t";
    case DType::I8: return "int64_t";
    case DType::F4: return "float";
    default: return "double";
    }
  }

  /// The coordinate of that name of the input's current entry; empty if there is none.
  std::string given_coordinate(const std::string &name) const {
    for (std::size_t k = 0; k < layout_.order(); ++k)
      if (layout_.coordinates[k] == name) return fmt::format("{}[{}][{}]", index_name_, k, e_);
    return {};
  }

  /// Whether a term over sizes and coordinates, which are not negative, shows that it isn't either.
  static bool is_sum_of_naturals(const Term &term) {
    term::Linear form = term::linear_form(term);
    return form.constant >= 0 && std::all_of(form.parts.begin(), form.parts.end(), [](const auto &part) {
             const auto *inner = part.first.template as<term::FloorDivide>();
             return part.second > 0 && (!inner || is_sum_of_naturals(inner->numerator));
           });
  }

  /// C rounds towards 0, terms downwards.
  std::string quotient_text(const Term &numerator, std::int64_t divisor) const {
    std::string text = c_text(numerator);
    if (is_sum_of_naturals(numerator)) return fmt::format("{} / {}", factor(text), divisor);
    return fmt::format("({0} / {1} - ({0} % {1} < 0))", factor(text), divisor);
  }

  std::string remainder_text(const Term &numerator, std::int64_t divisor) const {
    std::string text = c_text(numerator);
    if (is_sum_of_naturals(numerator)) return fmt::format("{} % {}", factor(text), divisor);
    return fmt::format("({0} % {1} + {1}) % {1}", factor(text), divisor);
  }

  /// A term over sizes, counts and arrays, or over the coordinates of the input's current entry, as C.
  std::string c_text(const Term &term) const {
    auto folded = [&](const std::vector<Term> &of, const char *sign) {
      std::string result = c_text(of.front());
      for (std::size_t k = 1; k < of.size(); ++k) {
        std::string other = c_text(of[k]);
        result = fmt::format("({0} {1} {2} ? {0} : {2})", result, sign, other);
      }
      return result;
    };
    if (const auto *x = term.as<term::Constant>()) return std::to_string(x->value);
    if (const auto *x = term.as<term::Variable>()) {
      std::string given = given_coordinate(x->name);
      return given.empty() ? member(x->name) : given;
    }
    if (const auto *x = term.as<term::Linear>()) return linear_text(*x);
    if (const auto *x = term.as<term::Apply>()) {
      const Declared &array = *layout_.array(x->function);
      Term slot;
      for (std::size_t k = 0; k < x->arguments.size(); ++k)
        slot = term::multiply(slot, array.extents.at(k)) + x->arguments[k];
      return fmt::format("{}[{}]", member(x->function), c_text(slot));
    }
    if (const auto *x = term.as<term::FloorDivide>()) return quotient_text(x->numerator, x->divisor);
    if (const auto *x = term.as<term::Modulo>()) return remainder_text(x->numerator, x->divisor);
    if (const auto *x = term.as<term::Product>())
      return fmt::format("({}) * ({})", c_text(x->left), c_text(x->right));
    if (const auto *x = term.as<term::Minimum>()) return folded(x->of, "<");
    if (const auto *x = term.as<term::Maximum>()) return folded(x->of, ">");
    report::require(false, "extents and counts are integer terms");
    return {};
  }

  std::string linear_text(const term::Linear &linear) const {
    std::string result;
    auto append = [&](std::int64_t coefficient, const std::string &atom) {
      bool negative = coefficient < 0;
      std::string size = std::to_string(negative ? -coefficient : coefficient);
      std::string part = atom.empty() ? size : size == "1" ? atom : size + " * " + atom;
      result += result.empty() ? (negative ? "-" : "") + part : (negative ? " - " : " + ") + part;
    };
    for (bool positive : {true, false})
      for (const auto &[atom, coefficient] : linear.parts)
        if ((coefficient > 0) == positive) append(coefficient, c_text(atom));
    if (linear.constant != 0) append(linear.constant, "");
    return result;
  }

  /// sign * text + offset
  std::string shifted(int sign, const std::string &text, const Term &offset) const {
    std::string signed_text = sign > 0 ? text : "-" + text;
    if (offset == Term(0)) return signed_text;
    if (const auto *constant = offset.as<term::Constant>(); constant && constant->value < 0)
      return fmt::format("{} - {}", signed_text, -constant->value);
    return sign > 0 ? fmt::format("{} + {}", text, c_text(offset))
                    : fmt::format("{} - {}", c_text(offset), text);
  }

  std::string coordinate(std::size_t mode) const { return fmt::format("{}[{}].index[{}]", entry_, e_, mode); }

  void write_allocate() {
    open(fmt::format("static void *{}_allocate(int64_t count, size_t size)", prefix_));
    line("if (count < 0 || (uint64_t)count > SIZE_MAX / size) return NULL;");
    line("return calloc(count > 0 ? (size_t)count : 1, size);");
    close();
    text_ += "\n";
  }

  void write_comparison(const std::string &name, const std::vector<Comparison> &comparisons) {
    open(fmt::format("static int {}(const void *a, const void *b)", name));
    line("const {0}_entry *x = (const {0}_entry *)a;", prefix_);
    line("const {0}_entry *y = (const {0}_entry *)b;", prefix_);
    for (const Comparison &by : comparisons)
      line("if (x->{0} != y->{0}) return x->{0} {1} y->{0} ? -1 : 1;", by.member, by.descending ? ">" : "<");
    line("return x->number < y->number ? -1 : x->number > y->number;");
    close();
    text_ += "\n";
  }

  /// The entry's type and the orders that entries are sorted in: groups of levels that keep the input's order
  /// are found by sorting first (see order_entries).
  void write_sorting() {
    std::vector<Comparison> sorted;
    std::string comparisons, before_groups = std::exchange(text_, "");
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      const Level &level = plan_.levels[l];
      std::vector<Comparison> together = sorted;
      if (level.is_dense()) sorted.push_back({fmt::format("index[{}]", level.mode), level.sign < 0});
      for (const SortKey &key : level.order)
        sorted.push_back({fmt::format("index[{}]", key.mode), key.descending});
      if (!level.merge || level.order.size() == level.keys.size() || level.is_dense()) continue;
      for (const Key &key : level.keys)
        together.push_back({fmt::format("index[{}]", key.mode)});
      write_comparison(fmt::format("{}_group_{}", prefix_, groups_.size()), together);
      groups_.push_back(together);
      sorted.push_back({fmt::format("group[{}]", groups_.size() - 1)});
    }
    write_comparison(prefix_ + "_order", sorted);
    comparisons = std::exchange(text_, before_groups);
    open(fmt::format("typedef struct {}_entry", prefix_));
    line("int64_t index[{}];", plan_.modes.size());
    if (!groups_.empty()) line("int64_t group[{}];", groups_.size());
    line("int64_t number; // in the input");
    line("double value;");
    line("int opens; // the first level at which it has a position of its own");
    close(fmt::format(" {}_entry;", prefix_));
    text_ += "\n" + comparisons;
  }

  void write_free() {
    open(fmt::format("void free_{0}({0} *{1})", names_.type, self_));
    for (const Declared &array : layout_.arrays) {
      line("free({});", member(array.name));
      line("{} = NULL;", member(array.name));
    }
    close();
    text_ += "\n";
  }

  void write_pack() {
    line("// Packs n entries into {}: entry e is at (index[0][e], ...) and has values[e]; equal coordinates "
         "are added",
         layout_.name);
    line("// up where the layout stores each once. Returns 0; 1 where a coordinate or number is out of "
         "range, 2 where");
    line("// there is no memory.");
    std::string sizes;
    for (const std::string &size : sizes_)
      sizes += ", int64_t " + member_name(size);
    open(fmt::format("int pack_{0}({0} *{1}, int64_t {2}, int64_t *const {3}[], const double *{4}{5})",
                     names_.type, self_, n_, index_name_, values_, sizes));
    for (const std::string &size : sizes_)
      line("{} = {};", member(size), member_name(size));
    for (const layout::Count &count : layout_.counts)
      line("{} = 0;", member(count.name));
    for (const Declared &array : layout_.arrays)
      line("{} = NULL;", member(array.name));
    if (layout_.order() == 0) line("(void){};", index_name_);
    write_checks();
    if (plan_.is_dense())
      write_dense();
    else
      write_levels();
    line("return 0;");
    close();
  }

  /// Numbers that don't fit, coordinates out of range.
  void write_checks() {
    bool narrow = false;
    for (const Level &level : plan_.levels) {
      for (const Key &key : level.keys)
        if (element(*layout_.array(key.array)) == "int32_t") write_key_check(key);
      narrow = narrow || (!level.pointer.empty() && element(*layout_.array(level.pointer)) == "int32_t");
    }
    if (narrow) line("if ({} > INT32_MAX) return 1;", n_);
    if (layout_.order() == 0) return;
    open(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", e_, n_));
    for (std::size_t mode = 0; mode < layout_.order(); ++mode)
      line("if ({0}[{1}][{2}] < 0 || {0}[{1}][{2}] >= {3}) return 1;", index_name_, mode, e_,
           member(layout_.sizes[mode]));
    close();
  }

  /// That the greatest and, where it may be negative, the least number of an index array fit.
  void write_key_check(const Key &key) {
    const Mode &mode = plan_.modes[key.mode];
    if (mode.is_coordinate()) {
      line("if ({} > INT32_MAX) return 1;", c_text(mode.size + (key.sign > 0 ? -key.offset : key.offset)));
      return;
    }
    for (bool greatest : {true, false}) {
      Term end = greatest ? mode.least + mode.size - Term(1) - key.offset : key.offset - mode.least;
      if (!end.as<term::Constant>()) line("if ({} > INT32_MAX) return 1;", c_text(end));
    }
  }

  /// Allocates arrays, then checks all of them at once.
  void allocate(const std::vector<std::string> &arrays, bool with_entries) {
    std::string missing;
    for (const std::string &name : arrays) {
      const Declared &array = *layout_.array(name);
      std::string count;
      for (std::size_t k = 0; k < array.extents.size(); ++k) {
        std::string extent = c_text(array.extents[k]);
        if (k == 0) {
          count = array.extents.size() > 1 ? factor(extent) : extent;
          continue;
        }
        // The product so far must leave room for one more factor.
        const auto *constant = array.extents[k].as<term::Constant>();
        std::string any = constant && constant->value > 0 ? "" : extent + " > 0 && ";
        open(fmt::format("if ({}{} > INT64_MAX / {})", any, count, factor(extent)));
        write_no_memory(with_entries);
        close();
        count = fmt::format("{} * {}", count, factor(extent));
      }
      line("{0} = ({1} *){2}_allocate({3}, sizeof({1}));", member(name), element(array), prefix_,
           count.empty() ? "1" : count);
      missing += fmt::format("{}!{}", missing.empty() ? "" : " || ", member(name));
    }
    open(fmt::format("if ({})", missing));
    write_no_memory(with_entries);
    close();
  }

  void write_no_memory(bool with_entries) {
    if (with_entries) line("free({});", entry_);
    line("free_{}({});", names_.type, self_);
    line("return 2;");
  }

  static std::string factor(const std::string &text) {
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  }

  /// slot of an array, from the positions of the levels
  std::string slot_text(const Declared &array, const std::vector<Slot> &slots) const {
    std::string text;
    for (std::size_t s = 0; s < slots.size(); ++s) {
      std::string subscript = shifted(1, nodes_[slots[s].level], Term(slots[s].constant));
      text = s == 0 ? subscript
                    : fmt::format("{} * {} + {}", factor(text), factor(c_text(array.extents[s])), subscript);
    }
    return text.empty() ? "0" : text;
  }

  std::string stored_value(const std::string &text) const {
    std::string type = element(*layout_.array(plan_.value));
    std::string value = plan_.negative ? "-" + text : text;
    return type == "double" ? value : fmt::format("({}){}", type, plan_.negative ? "(" + value + ")" : value);
  }

  void write_dense() {
    allocate({plan_.value}, false);
    open(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", e_, n_));
    for (std::size_t l = 0; l < plan_.levels.size(); ++l)
      line("int64_t {} = {};", nodes_[l],
           shifted(plan_.levels[l].sign, factor(c_text(plan_.modes[plan_.levels[l].mode].value)),
                   plan_.levels[l].offset));
    line("{}[{}] += {};", member(plan_.value), slot_text(*layout_.array(plan_.value), plan_.slots),
         stored_value(fmt::format("{}[{}]", values_, e_)));
    close();
  }

  void write_levels() {
    write_entries();
    write_openings();
    write_pointers();
    write_positions();
    line("free({});", entry_);
  }

  void write_entries() {
    line("{0}_entry *{1} = ({0}_entry *){0}_allocate({2}, sizeof({0}_entry));", prefix_, entry_, n_);
    line("if (!{}) return 2;", entry_);
    open(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", e_, n_));
    for (std::size_t mode = 0; mode < plan_.modes.size(); ++mode)
      line("{} = {};", coordinate(mode), c_text(plan_.modes[mode].value));
    line("{0}[{1}].number = {1};", entry_, e_);
    line("{0}[{1}].value = {2}[{1}];", entry_, e_, values_);
    close();
    for (std::size_t group = 0; group < groups_.size(); ++group)
      write_group(group);
    line("qsort({0}, (size_t){1}, sizeof *{0}, {2}_order);", entry_, n_, prefix_);
  }

  /// Entries that share a position get the number of the first of them.
  void write_group(std::size_t group) {
    line("qsort({0}, (size_t){1}, sizeof *{0}, {2}_group_{3});", entry_, n_, prefix_, group);
    open(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", e_, n_));
    std::string same = e_ + " > 0";
    for (const Comparison &by : groups_[group])
      same += fmt::format(" && {0}[{1}].{2} == {0}[{1} - 1].{2}", entry_, e_, by.member);
    line("{0}[{1}].group[{2}] = {3} ? {0}[{1} - 1].group[{2}] : {0}[{1}].number;", entry_, e_, group, same);
    close();
  }

  void write_openings() {
    std::string levels;
    for (std::size_t l = 0; l < plan_.levels.size(); ++l)
      levels += fmt::format("{}{} of {}", l ? ", " : "", l, plan_.levels[l].position);
    line("// Where new positions begin: level {}.", levels);
    std::vector<std::size_t> counted;
    for (std::size_t l = 0; l < plan_.levels.size(); ++l)
      if (!plan_.levels[l].count.empty()) counted.push_back(l);
    for (std::size_t l : counted)
      start(l, 0);
    open(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", e_, n_));
    bool last_shares = plan_.levels.back().merge;
    line("{}[{}].opens = {};", entry_, e_, plan_.levels.size() - (last_shares ? 0 : 1));
    std::size_t compared = plan_.levels.size() - (last_shares ? 0 : 1);
    if (compared == 0) line("// every entry has a position of its own");
    for (std::size_t l = 0; l < compared; ++l) {
      const Level &level = plan_.levels[l];
      std::vector<std::size_t> modes;
      if (level.is_dense()) modes.push_back(level.mode);
      for (const Key &key : level.keys)
        modes.push_back(key.mode);
      std::string differs = l == 0 ? fmt::format("{} == 0", e_) : "";
      for (std::size_t mode : modes)
        differs += fmt::format("{0}{1}[{2}].index[{3}] != {1}[{2} - 1].index[{3}]",
                               differs.empty() ? "" : " || ", entry_, e_, mode);
      line("{}if ({})", l == 0 ? "" : "else ", differs);
      line("  {}[{}].opens = {};", entry_, e_, l);
    }
    for (std::size_t l : counted)
      line("if ({}[{}].opens <= {}) ++{};", entry_, e_, l, nodes_[l]);
    close();
  }

  /// Sets the counter of a level's positions, declaring it the first time.
  void start(std::size_t l, int value) {
    line("{}{} = {};", started_.insert(l).second ? "int64_t " : "", nodes_[l], value);
  }

  void define_counts(std::set<std::string> &known) {
    for (const layout::Count &count : layout_.counts) {
      if (!count.definition || known.count(count.name)) continue;
      bool ready = true;
      for (const Term &call : term::applications_of(*count.definition))
        ready = ready && known.count(call.as<term::Apply>()->function);
      for (const std::string &name : term::variables_of(*count.definition))
        ready = ready && (known.count(name) || std::count(sizes_.begin(), sizes_.end(), name));
      if (!ready) continue;
      line("{} = {};", member(count.name), c_text(*count.definition));
      known.insert(count.name);
    }
  }

  void write_pointers() {
    std::set<std::string> known;
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      const Level &level = plan_.levels[l];
      if (!level.count.empty()) {
        line("{} = {};", member(level.count), nodes_[l]);
        known.insert(level.count);
      }
      if (level.kind == Level::Kind::Segment) {
        line("// Where each segment begins: the entries of each, counted and added up.");
        allocate({level.pointer}, true);
        write_pointer(l);
        known.insert(level.pointer);
      }
      define_counts(known);
    }
    std::vector<std::string> rest;
    for (const Level &level : plan_.levels)
      for (const Key &key : level.keys)
        rest.push_back(key.array);
    rest.push_back(plan_.value);
    allocate(rest, true);
  }

  /// Counts the children of each node, then adds up.
  void write_pointer(std::size_t l) {
    const Level &level = plan_.levels[l];
    const Declared &array = *layout_.array(level.pointer);
    for (const Slot &parent : level.parents)
      if (!plan_.levels[parent.level].is_dense()) start(parent.level, -1);
    open(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", e_, n_));
    for (const Slot &slot : level.parents) {
      const Level &parent = plan_.levels[slot.level];
      if (parent.is_dense())
        line("int64_t {} = {};", nodes_[slot.level],
             shifted(parent.sign, coordinate(parent.mode), parent.offset));
      else
        line("if ({}[{}].opens < {}) ++{};", entry_, e_, slot.level + 1, nodes_[slot.level]);
    }
    std::vector<Slot> next = level.parents;
    ++next.back().constant;
    line("if ({}[{}].opens <= {}) ++{}[{}];", entry_, e_, l, member(level.pointer), slot_text(array, next));
    close();
    std::string size;
    for (const Term &extent : array.extents)
      size +=
          (size.empty() ? "" : " * ") + (array.extents.size() > 1 ? factor(c_text(extent)) : c_text(extent));
    open(fmt::format("for (int64_t {0} = 1; {0} < {1}; ++{0})", k_, size));
    line("{0}[{1}] += {0}[{1} - 1];", member(level.pointer), k_);
    close();
  }

  void write_positions() {
    line("// One round per stored value: entries that share all positions are added up.");
    auto in_slot = [&](std::size_t l) {
      return std::any_of(plan_.slots.begin(), plan_.slots.end(),
                         [&](const Slot &slot) { return slot.level == l; });
    };
    for (std::size_t l = 0; l < plan_.levels.size(); ++l)
      if (!plan_.levels[l].is_dense()) start(l, -1);
    open(fmt::format("for (int64_t {0} = 0; {0} < {1};)", e_, n_));
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      const Level &level = plan_.levels[l];
      if (level.is_dense()) {
        if (in_slot(l))
          line("int64_t {} = {};", nodes_[l], shifted(level.sign, coordinate(level.mode), level.offset));
        continue;
      }
      open(fmt::format("if ({}[{}].opens <= {})", entry_, e_, l));
      line("++{};", nodes_[l]);
      for (const Key &key : level.keys) {
        Term offset = key.sign > 0 ? -key.offset : key.offset;
        std::string type = element(*layout_.array(key.array));
        std::string value = shifted(key.sign, coordinate(key.mode), offset);
        line("{}[{}] = {};", member(key.array), nodes_[l],
             type == "int64_t" ? value : fmt::format("({})({})", type, value));
      }
      close();
    }
    std::string sum = unique("sum");
    line("double {} = {}[{}].value;", sum, entry_, e_);
    std::string last = std::to_string(plan_.levels.size());
    line("for (++{0}; {0} < {1} && {2}[{0}].opens == {3}; ++{0}) {4} += {2}[{0}].value;", e_, n_, entry_,
         last, sum);
    line("{}[{}] = {};", member(plan_.value), slot_text(*layout_.array(plan_.value), plan_.slots),
         stored_value(sum));
    close();
  }

  std::string unique(std::string name) const {
    while (std::any_of(sizes_.begin(), sizes_.end(),
                       [&](const std::string &size) { return member_name(size) == name; }))
      name += "_";
    return name;
  }

  const PiecePlan &plan_;
  const Layout &layout_;
  const PackNames &names_;
  IndexType index_;
  ValueType value_;
  std::string prefix_, text_;
  std::size_t indent_ = 0;
  std::vector<std::string> sizes_, nodes_;
  std::string self_, n_, index_name_, values_, entry_, e_, k_;
  std::set<std::size_t> started_; // levels whose counter is declared
  std::vector<std::vector<Comparison>> groups_;
};

void require_supported(const PackPlan &plan, const Layout &layout) {
  const PiecePlan &piece = plan.pieces.at(0);
  bool plain = layout.pieces.size() == 1 && piece.conditions.empty() && piece.limits.empty() &&
               piece.flags.empty() && !piece.value.empty();
  for (const Level &level : piece.levels) {
    plain = plain && level.kind != Level::Kind::Padded && level.kind != Level::Kind::Run;
    for (const Key &key : level.keys)
      plain = plain && key.slots.size() == 1 && piece.modes[key.mode].cover == 0;
  }
  if (!plain)
    report::fail(report::Kind::cannot_pack, layout.span,
                 fmt::format("packing of layout `{}` can't be written as C yet", layout.name),
                 "pack with the tool: `unravel convert`, or `unravel run`");
}

} // namespace

std::string emit_pack_c(const PackPlan &plan, const Layout &layout, const PackNames &names, IndexType index,
                        ValueType value) {
  require_supported(plan, layout);
  return PackWriter(plan.pieces.at(0), layout, names, index, value).write();
}

} // namespace unravel::tensor
