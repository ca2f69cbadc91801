// Where layouts come from: the shipped files, or a user's own.
#include "layout/example.h"
#include "layout/layout.h"
#include "layout/level_formats.h"
#include "parse/parse.h"
#include "report/diagnostic.h"
#include "report/suggest.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <mutex>
#include <tuple>

namespace unravel::layout {

using report::Kind;

namespace {

/// All layouts of the shipped files.
const std::vector<parse::LayoutTree> &shipped_trees() {
  static const std::vector<parse::LayoutTree> trees = [] {
    std::vector<parse::LayoutTree> all;
    for (const text::EmbeddedFile &file : shipped_files())
      for (parse::LayoutTree &tree : trees_of(file))
        all.push_back(std::move(tree));
    return all;
  }();
  return trees;
}

const parse::LayoutTree &choose(const std::vector<parse::LayoutTree> &trees,
                                const parse::LayoutReference &reference, std::size_t order,
                                const std::string &where) {
  std::vector<std::string> names;
  std::vector<std::size_t> orders;
  for (const parse::LayoutTree &tree : trees) {
    names.push_back(tree.name.text);
    if (!reference.name.empty() && tree.name.text != reference.name) continue;
    if (tree.coordinates.size() == order) return tree;
    orders.push_back(tree.coordinates.size());
  }
  if (!orders.empty())
    report::fail(
        Kind::unknown_layout, reference.span,
        fmt::format("layout `{}` is for tensors of order {}, but the tensor has order {}",
                    reference.name.empty() ? names.front() : reference.name, fmt::join(orders, ", "), order),
        order == 0 ? "a tensor has as many indices in the expression as it has modes: `A(i,j)`" : "");
  report::fail(
      Kind::unknown_layout, reference.span, fmt::format("there is no layout `{}` {}", reference.name, where),
      report::suggest(reference.name, names,
                      "`unravel layout list` shows the shipped ones; ./file.layout:name names your own"));
}

/// A composition of level formats ("ds", "uq"), if the name is one.
std::optional<parse::LayoutTree> composed(const parse::LayoutReference &reference, std::size_t order) {
  std::optional<std::vector<Level>> levels = read_level_formats(reference.name);
  if (!levels) return std::nullopt;
  if (order_of(*levels) != order)
    report::fail(
        Kind::unknown_layout, reference.span,
        fmt::format("the level formats `{}` are for tensors of order {}, but the tensor has order {}",
                    reference.name, order_of(*levels), order),
        "write a letter per mode: d dense, s compressed, u and q for coordinate lists; sro for diagonals");
  auto parts = composition_of(reference.name, reference.parameters, reference.span);
  auto text = std::make_shared<const text::Source>(reference.name, layout_text(*parts, reference.span));
  return parse::parse_layout_file(text).layouts.front();
}

CheckedLayout finish(const parse::LayoutTree &tree, const std::vector<std::int64_t> &parameters, bool check) {
  CheckedLayout result;
  result.layout = make_layout(tree, parameters);
  derive_lemmas(result.layout);
  if (check) result.findings = check_layout(result.layout);
  return result;
}

} // namespace

std::vector<parse::LayoutTree> trees_of(const text::EmbeddedFile &file) {
  return parse::parse_layout_file(std::make_shared<const text::Source>(file.name + ".layout", file.content))
      .layouts;
}

std::string example_of_entries(std::size_t order) {
  return order <= 1 ? "sv" : order == 2 ? "csr" : "csf";
}

void require_by_itself(const parse::LayoutReference &reference) {
  if (!reference.like.empty())
    report::fail(report::Kind::bad_structure, reference.span,
                 "`like:` is for a kernel's result: it isn't a layout by itself");
}

CheckedLayout load_layout(const parse::LayoutReference &reference, std::size_t order) {
  require_by_itself(reference);
  // A text is checked, and its lemmas are derived, once per process: two operands often share a layout. The
  // file and its text are empty for a shipped layout.
  using Key = std::tuple<std::string, std::string, std::string, std::size_t, std::vector<std::int64_t>>;
  static std::mutex mutex;
  static std::map<Key, CheckedLayout> loaded;
  std::shared_ptr<const text::Source> source;
  if (parse::is_layout_text(reference.file))
    source = std::make_shared<const text::Source>("layout", reference.file);
  else if (!reference.file.empty())
    source = text::Source::from_file(reference.file);
  Key key(reference.file, source ? std::string(source->content()) : std::string(), reference.name, order,
          reference.parameters);
  std::scoped_lock lock(mutex);
  if (auto found = loaded.find(key); found != loaded.end()) return found->second;
  const text::EmbeddedFile *shipped = source ? nullptr : text::file_named(reference.name, shipped_files());
  CheckedLayout made;
  if (source) {
    parse::LayoutFileTree file = parse::parse_layout_file(source);
    made = finish(choose(file.layouts, reference, order, fmt::format("in `{}`", source->name())),
                  reference.parameters, true);
  } else if (std::optional<parse::LayoutTree> tree = shipped ? std::nullopt : composed(reference, order)) {
    made = finish(*tree, {}, true);
    // Its name in the text has the order of the modes in it; what can be asked for again has it apart.
    if (made.layout.base_name != reference.name) {
      made.layout.base_name = reference.name;
      made.layout.parameters = reference.parameters;
      made.layout.name = fmt::format("{}<{}>", reference.name, fmt::join(reference.parameters, ", "));
    }
  } else {
    // One file is read faster than all: these only to say what there is. The shipped files were checked,
    // without a finding, when this library was tested (test/layout).
    std::vector<parse::LayoutTree> trees = shipped ? trees_of(*shipped) : shipped_trees();
    made = finish(choose(trees, reference, order, "among the shipped ones"), reference.parameters, false);
  }
  return loaded.emplace(std::move(key), std::move(made)).first->second;
}

} // namespace unravel::layout
