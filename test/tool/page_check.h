#pragma once

#include <string>
#include <vector>

/// A strict look at a page: what a forgiving browser would let pass.
namespace unravel::tool::test {

/// Complaints, none for a page in order: tags that are not closed in their order, attributes without quotes
/// or given twice, `<` and `&` that stand for themselves, ids that are not unique; links that lead to no id,
/// or out of the page; names in data-to that are no ids.
std::vector<std::string> complaints_about(const std::string &page);

/// The values of an attribute, in their order.
std::vector<std::string> values_of(const std::string &page, const std::string &attribute);

} // namespace unravel::tool::test
