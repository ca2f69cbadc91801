#include "check/stored_elements.h"

namespace unravel::check {

using compute::Statement;
using term::Term;

namespace {

/// Does the statement reach each element, in the innermost of its loops, one for each mode?
bool reaches_all(const Statement &statement, const std::vector<Term> &extents) {
  const std::vector<compute::Subscript> &subscripts = statement.target.subscripts;
  if (!statement.masks.empty() || statement.loops.size() < subscripts.size()) return false;
  const std::size_t outside = statement.loops.size() - subscripts.size();
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    const compute::Loop &loop = statement.loops[outside + k];
    if (subscripts[k].value != term::variable(loop.variable) || loop.low != Term(0) ||
        loop.high != extents[k] || term::mentions(statement.condition, loop.variable))
      return false;
  }
  return true;
}

} // namespace

StoredElements::StoredElements(const compute::Program &program, const std::vector<Statement> &statements,
                               const std::set<std::string> &listed) {
  for (const std::string &tensor : listed)
    tensors_[tensor].is_local = program.local_tensors.contains(tensor);
  std::set<std::string> declared;
  for (std::size_t k = 0; k < statements.size(); ++k) {
    const Statement &written = program.statements[k];
    const std::string &name = written.target.tensor;
    const auto own = tensors_.find(name);
    if (own == tensors_.end() || !own->second.is_local) continue;
    const double *number = written.accumulate ? nullptr : value::number_of(written.value);
    if (declared.insert(name).second && number) own->second.fill = *number;
    if (!number || *number != own->second.fill) continue;
    const bool is_all =
        written.is_free ? written.masks.empty() : reaches_all(written, program.extents.at(name));
    (is_all ? emptying_ : keeping_).insert(&statements[k]);
  }
}

double StoredElements::fill_of(const compute::Access &target) const {
  const Tensor &own = tensors_.at(target.tensor);
  return own.is_local ? own.fill : target.fill_or_zero();
}

void StoredElements::note(const Statement &statement, const Coordinate &at, bool is_there) {
  std::set<Coordinate> &stored = tensors_.at(statement.target.tensor).stored;
  const bool is_zero = !tensors_.at(statement.target.tensor).is_local && !statement.accumulate &&
                       value::is_zero(statement.value) && statement.masks.empty();
  if (emptying_.contains(&statement) || is_zero)
    stored.erase(at);
  else if (is_there && !keeping_.contains(&statement))
    stored.insert(at);
}

} // namespace unravel::check
