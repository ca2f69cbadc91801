#pragma once

#include "report/diagnostic.h"
#include "unravel/unravel.h"
#include "value/type.h"

#include <string>

/// Between the compiler and its public interface: types, errors, the words of messages.
namespace unravel {

value::Type type_of(ValueType type);
ValueType type_of(value::Type type);

/// A diagnostic as the interface says it, which has no command line: "format A=csr" instead of "-f A=csr".
report::Diagnostic in_words_of_library(report::Diagnostic diagnostic);

/// Inner errors become the public kind.
template <class Work> decltype(auto) at_border(Work work) {
  try {
    return work();
  } catch (const report::Error &error) {
    const report::Kind kind = error.diagnostic().kind;
    throw Error(report::render(in_words_of_library(error.diagnostic())), report::name_of(kind),
                report::category_of(kind) == report::Category::Bug);
  }
}

} // namespace unravel
