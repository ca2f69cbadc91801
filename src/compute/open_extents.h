#pragma once

#include "parse/tree.h"
#include "term/term.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace unravel::compute {

/// Refuses an extent of the local tensor `name` that mentions such a variable: that of a loop.
void require_sizes(const term::Term &extent, const std::function<bool(const std::string &name)> &is_loop,
                   const parse::Name &name, const text::Span &span);

/// Extents of loops without bounds, each a variable until something that the loop subscripts tells it.
class OpenExtents {
public:
  static term::Term of(const std::string &loop) { return term::variable(name_of(loop)); }

  void add(const std::string &loop) { values_.emplace(name_of(loop), std::nullopt); }
  bool contains(const std::string &name) const { return values_.contains(name); }

  /// With what is known of the extents in it.
  term::Term resolved(term::Term extent) const;
  /// Unless what the extent resolves to is an open one: nothing.
  void set(const term::Term &extent, const term::Term &value);
  /// Both are the same: one of them that is open becomes the other.
  void join(const term::Term &one, const term::Term &other);
  std::vector<std::string> unknown() const;

private:
  static std::string name_of(const std::string &loop) { return loop + ".extent"; }
  /// Does nothing and returns false where the extent isn't open, or the value says nothing else.
  bool try_set(const term::Term &extent, const term::Term &value);

  std::map<std::string, std::optional<term::Term>> values_;
};

} // namespace unravel::compute
