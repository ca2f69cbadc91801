// Calls of CBLAS.
#include "loop/blas.h"
#include "emit/statement_writer.h"
#include "emit/workspace.h"
#include "loop/arrays.h"
#include "loop/walk.h"

#include <fmt/format.h>

namespace unravel::emit {

using namespace loop;

/// Of that form, without what it is for.
std::string StatementWriter::blas_call(const Blas &blas, const BlasForm &form, const std::string &scale) {
  const bool single = element_type(blas.left.array, program_) == ElementType::Float32;
  const std::string function = fmt::format("cblas_{}{}", single ? "s" : "d", name_of(form.call));
  expressions_.need(function);
  const char *one = single ? "1.0f" : "1.0";
  const auto whole = [&](const term::Term &number) {
    return number.as<term::Constant>() ? expressions_.term(number)
                                       : "(int)" + expressions_.cast_operand(number);
  };
  /// A matrix with its leading dimension, or a vector with the distance of its elements.
  const auto at = [&](const Element &element, const term::Term &distance) {
    return fmt::format("&{}, {}", expressions_.element(element), whole(distance));
  };
  const auto target_at = [&](const term::Term &distance) {
    return at(std::get<Element>(blas.target), distance);
  };
  const auto transposed = [](bool is) { return is ? "CblasTrans" : "CblasNoTrans"; };
  switch (form.call) {
  case BlasForm::Call::Dot: {
    const double *number = value::number_of(blas.scale);
    return fmt::format("{} += {}{}({}, {}, {});", target(blas.target),
                       number && *number == 1 ? "" : fmt::format("({}) * ", scale), function,
                       whole(form.k->extent), at(blas.left, form.k->left), at(*blas.right, form.k->right));
  }
  case BlasForm::Call::Axpy:
    return fmt::format("{}({}, {}, {}, {});", function, whole(form.m->extent), scale,
                       at(blas.left, form.m->left), target_at(form.m->target));
  case BlasForm::Call::Ger:
    return fmt::format("{}(CblasRowMajor, {}, {}, {}, {}, {}, {});", function, whole(form.m->extent),
                       whole(form.n->extent), scale, at(blas.left, form.m->left),
                       at(*blas.right, form.n->right), target_at(form.target_leading));
  case BlasForm::Call::Gemv:
    return fmt::format(
        "{}(CblasRowMajor, {}, {}, {}, {}, {}, {}, {}, {});", function, transposed(form.left_transposed),
        whole(form.left_transposed ? form.k->extent : form.m->extent),
        whole(form.left_transposed ? form.m->extent : form.k->extent), scale,
        at(blas.left, form.left_leading), at(*blas.right, form.k->right), one, target_at(form.m->target));
  case BlasForm::Call::Gemm:
    return fmt::format("{}(CblasRowMajor, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});", function,
                       transposed(form.left_transposed), transposed(form.right_transposed),
                       whole(form.m->extent), whole(form.n->extent), whole(form.k->extent), scale,
                       at(blas.left, form.left_leading), at(*blas.right, form.right_leading), one,
                       target_at(form.target_leading));
  }
  return "";
}

/// Most functions of BLAS add nothing where the scale is 0, although 0 times infinity is not 0.
bool keeps_infinities(const Blas &blas, const BlasForm &form) {
  const double *number = value::number_of(blas.scale);
  return form.call == BlasForm::Call::Dot || (number && *number != 0);
}

void StatementWriter::write(const Blas &x) {
  std::string why;
  const std::optional<BlasForm> form = form_of(x, why);
  expressions_.need("cblas");
  std::vector<term::Term>
      tests; // that there is something to do: leading dimensions are then as CBLAS wants them
  for (const Blas::Axis &axis : x.axes)
    if (const auto *number = axis.extent.as<term::Constant>(); !number || number->value <= 0)
      tests.push_back(term::less(term::Term(0), axis.extent));
  const std::string scale = expressions_.value(x.scale, *element_type(x.left.array, program_));
  std::vector<std::string> calls{blas_call(x, *form, scale)};
  if (x.threads) {
    calls.insert(calls.begin(), fmt::format("{}({});", expressions_.called("blas_threads"),
                                            threads_text(names_, expressions_)));
    calls.push_back("unravel_blas_threads(1);");
  }
  std::string test = tests.empty() ? "" : expressions_.term(term::conjunction(tests));
  const bool has_loops = !keeps_infinities(x, *form);
  if (has_loops)
    test += (test.empty() ? "" : " && ") +
            (scale.find(' ') != std::string::npos ? "(" + scale + ")" : scale) + " != 0";
  if (test.empty()) return lines(calls);
  open(fmt::format("if ({})", test), calls);
  if (has_loops) {
    const Block loops{loop::as_loops(x)};
    each<For>(loops, [&](const For &loop) { names_.rename_variable(loop.variable, names_.fresh("n")); });
    --indent_;
    open("} else", {});
    block(loops);
  }
  close({});
}

} // namespace unravel::emit
