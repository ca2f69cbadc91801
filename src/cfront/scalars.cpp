#include "cfront/scalars.h"

#include <algorithm>

namespace unravel::cfront {

namespace {

bool is_to(const Node &node, int declaration) {
  return node.kind == UnravelReference && node.declaration == declaration;
}

/// Follows the control flow through the node; `assigned` says whether the variable has a value. Returns the
/// first read without one.
const Node *follow(const Node &node, int declaration, bool &assigned) {
  switch (node.kind) {
  case UnravelReference: return is_to(node, declaration) && !assigned ? &node : nullptr;
  case UnravelAssign:
    if (node.text == "=" && is_to(node.children[0], declaration)) {
      const Node *read = follow(node.children[1], declaration, assigned);
      assigned = true;
      return read;
    }
    break;
  case UnravelFor: {
    for (std::size_t k = 0; k < 2; ++k)
      if (const Node *read = follow(node.children[k], declaration, assigned)) return read;
    bool inside = assigned; // the body may not be executed at all
    for (std::size_t k : {3, 2})
      if (const Node *read = follow(node.children[k], declaration, inside)) return read;
    return nullptr;
  }
  case UnravelIf: {
    if (const Node *read = follow(node.children[0], declaration, assigned)) return read;
    bool then = assigned, otherwise = assigned;
    if (const Node *read = follow(node.children[1], declaration, then)) return read;
    if (const Node *read = follow(node.children[2], declaration, otherwise)) return read;
    assigned = then && otherwise;
    return nullptr;
  }
  default: break;
  }
  for (const Node &child : node.children)
    if (const Node *read = follow(child, declaration, assigned)) return read;
  return nullptr;
}

void flatten(const Node &statement, std::vector<const Node *> &list) {
  bool is_list = statement.kind == UnravelBlock || (statement.kind == UnravelBinary && statement.text == ",");
  if (!is_list) {
    list.push_back(&statement);
    return;
  }
  for (const Node &child : statement.children)
    flatten(child, list);
}

using List = std::vector<const Node *>;

} // namespace

List flattened(const Node &statement) {
  List list;
  flatten(statement, list);
  return list;
}

const Node *read_too_early(const List &statements, int declaration) {
  bool assigned = false;
  for (const Node *statement : statements)
    if (const Node *read = follow(*statement, declaration, assigned)) return read;
  return nullptr;
}

void place_scalar(const List &statements, int declaration, ScalarPlaces &places) {
  auto first = std::ranges::find_if(statements,
                                    [&](const Node *statement) { return mentions(*statement, declaration); });
  if (first == statements.end()) return;
  const Node &statement = **first;
  if (statement.kind == UnravelAssign && statement.text == "=" && is_to(statement.children[0], declaration)) {
    places.first.insert(&statement);
    return;
  }
  List rest(first + 1, statements.end());
  bool is_own = read_too_early(rest, declaration) == nullptr; // nothing after it reads what it leaves behind
  if (is_own && statement.kind == UnravelFor) {
    place_scalar(flattened(statement.children[3]), declaration, places);
  } else if (is_own && statement.kind == UnravelIf) {
    place_scalar(flattened(statement.children[1]), declaration, places);
    place_scalar(flattened(statement.children[2]), declaration, places);
  } else {
    places.before[&statement].push_back(declaration);
    return;
  }
  place_scalar(rest, declaration, places);
}

bool mentions(const Node &node, int declaration) {
  return is_to(node, declaration) ||
         std::ranges::any_of(node.children, [&](const Node &child) { return mentions(child, declaration); });
}

void collect_assigned(const Node &node, std::set<int> &declarations) {
  bool counts = node.kind == UnravelUnary && (node.text == "++" || node.text == "--");
  if ((counts || node.kind == UnravelAssign) && node.children[0].kind == UnravelReference)
    declarations.insert(node.children[0].declaration);
  for (const Node &child : node.children)
    collect_assigned(child, declarations);
}

} // namespace unravel::cfront
