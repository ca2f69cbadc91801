// Where layouts come from: the shipped files, or a user's own.
#include "layout/layout.h"
#include "layout/level_formats.h"
#include "parse/parse.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
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
    for (const ShippedFile &file : shipped_files()) {
      auto source = std::make_shared<const text::Source>(file.name + ".layout", file.content);
      for (parse::LayoutTree &tree : parse::parse_layout_file(source).layouts)
        all.push_back(std::move(tree));
    }
    return all;
  }();
  return trees;
}

/// The layouts of the file of that name, which holds all of that name; where there is none, all layouts: to
/// say what there is. One file is read faster than all.
const std::vector<parse::LayoutTree> &trees_for(const std::string &name) {
  static std::map<std::string, std::vector<parse::LayoutTree>> read;
  if (auto known = read.find(name); known != read.end()) return known->second;
  for (const ShippedFile &file : shipped_files()) {
    if (file.name != name) continue;
    auto source = std::make_shared<const text::Source>(file.name + ".layout", file.content);
    return read.emplace(name, parse::parse_layout_file(source).layouts).first->second;
  }
  return shipped_trees();
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
    report::fail(Kind::unknown_layout, reference.span,
                 fmt::format("layout `{}` is for tensors of order {}, but the tensor has order {}",
                             reference.name.empty() ? names.front() : reference.name, fmt::join(orders, ", "),
                             order));
  std::string near = report::nearest(reference.name, names);
  report::fail(
      Kind::unknown_layout, reference.span, fmt::format("there is no layout `{}` {}", reference.name, where),
      near.empty() ? "`unravel layout list` shows the shipped ones; ./file.layout:name names your own"
                   : fmt::format("did you mean `{}`?", near));
}

/// A composition of level formats ("ds", "uq"), if the name is one and no shipped layout's.
std::optional<parse::LayoutTree> composed(const parse::LayoutReference &reference, std::size_t order) {
  if (!read_level_formats(reference.name)) return std::nullopt;
  const auto &shipped = shipped_trees();
  bool is_shipped = std::any_of(shipped.begin(), shipped.end(),
                                [&](const auto &tree) { return tree.name.text == reference.name; });
  if (is_shipped) return std::nullopt;
  if (reference.name.size() != order)
    report::fail(
        Kind::unknown_layout, reference.span,
        fmt::format("the level formats `{}` are for tensors of order {}, but the tensor has order {}",
                    reference.name, reference.name.size(), order),
        "write a letter per mode: d dense, s compressed, u and q for coordinate lists");
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

CheckedLayout load_layout(const parse::LayoutReference &reference, std::size_t order) {
  // A text is checked, and its lemmas are derived, once per process: two operands often share a layout. The
  // file and its text are empty for a shipped layout.
  using Key = std::tuple<std::string, std::string, std::string, std::size_t, std::vector<std::int64_t>>;
  static std::mutex mutex;
  static std::map<Key, CheckedLayout> loaded;
  std::shared_ptr<const text::Source> source;
  if (!reference.file.empty()) source = text::Source::from_file(reference.file);
  Key key(reference.file, source ? std::string(source->content()) : std::string(), reference.name, order,
          reference.parameters);
  std::scoped_lock lock(mutex);
  if (auto found = loaded.find(key); found != loaded.end()) return found->second;
  CheckedLayout made;
  if (source) {
    parse::LayoutFileTree file = parse::parse_layout_file(source);
    made = finish(choose(file.layouts, reference, order, fmt::format("in `{}`", reference.file)),
                  reference.parameters, true);
  } else if (std::optional<parse::LayoutTree> tree = composed(reference, order)) {
    made = finish(*tree, {}, true);
  } else {
    // The shipped files were checked, without a finding, when this library was tested (test/layout).
    made = finish(choose(trees_for(reference.name), reference, order, "among the shipped ones"),
                  reference.parameters, false);
  }
  return loaded.emplace(std::move(key), std::move(made)).first->second;
}

} // namespace unravel::layout
