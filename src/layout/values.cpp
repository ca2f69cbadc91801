#include "layout/layout.h"

namespace unravel::layout {

Layout with_values(Layout layout, value::Type type) {
  for (Array &array : layout.arrays) {
    if (!array.is_value || !array.element.empty()) continue;
    array.element = value::facts_of(type).word;
    layout.values = type;
  }
  return layout;
}

std::optional<value::Type> type_of_values(const Layout &layout, value::Type open) {
  std::optional<value::Type> all;
  for (const Array &array : layout.arrays) {
    if (!array.is_value) continue;
    const value::Type own = array.element.empty() ? open : value::type_called(array.element).value();
    all = !all || *all == own ? own : value::common(*all, own);
  }
  return all;
}

std::optional<value::Type>
type_of_open_values(const Layout &layout,
                    const std::function<std::optional<value::Type>(const std::string &array)> &known) {
  std::optional<value::Type> all;
  for (const Array &array : layout.arrays) {
    if (!array.is_value || !array.element.empty()) continue;
    if (const std::optional<value::Type> type = known(array.name))
      all = all ? value::common(*all, *type) : *type;
  }
  return all;
}

} // namespace unravel::layout
