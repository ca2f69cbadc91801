#include "emit/blas.h"

#include "emit/workspace.h"
#include "loop/blas.h"
#include "loop/arrays.h"
#include "loop/vector_sums.h"

#include <fmt/format.h>

namespace unravel::emit {

using loop::Blas;
using loop::BlasForm;
using loop::Element;
using loop::ElementType;

namespace {

class Text {
public:
  Text(const Blas &blas, const loop::Program &program, const Names &names, const Expressions &expressions)
      : blas_(blas), names_(names), expressions_(expressions),
        single_(loop::element_type(blas.left.array, program) == ElementType::Float32) {}

  /// Of that form, without what it is for.
  std::string call(const BlasForm &form) const {
    const std::string function = fmt::format("cblas_{}{}", single_ ? "s" : "d", name_of(form.call));
    expressions_.need(function);
    const std::string one = single_ ? "1.0f" : "1.0";
    const auto matrix = [&](const Element &element, const term::Term &leading) {
      return fmt::format("{}, {}", at(element), whole(leading));
    };
    const auto vector = matrix; // and the distance of its elements
    const std::string scale =
        expressions_.value(blas_.scale, single_ ? ElementType::Float32 : ElementType::Float64);
    const auto transposed = [](bool is) { return is ? "CblasTrans" : "CblasNoTrans"; };
    switch (form.call) {
    case BlasForm::Call::Dot: {
      const std::string dot =
          fmt::format("{}({}, {}, {})", function, whole(form.k->extent), vector(blas_.left, form.k->left),
                      vector(*blas_.right, form.k->right));
      const auto *number = value::number_of(blas_.scale);
      const auto *element = std::get_if<Element>(&blas_.target);
      const std::string target = element ? expressions_.element(*element)
                                         : names_.variable(std::get<loop::Local>(blas_.target).name);
      return fmt::format("{} += {}{};", target, number && *number == 1 ? "" : fmt::format("({}) * ", scale),
                         dot);
    }
    case BlasForm::Call::Axpy:
      return fmt::format("{}({}, {}, {}, {});", function, whole(form.m->extent), scale,
                         vector(blas_.left, form.m->left), vector(target(), form.m->target));
    case BlasForm::Call::Ger:
      return fmt::format("{}(CblasRowMajor, {}, {}, {}, {}, {}, {});", function, whole(form.m->extent),
                         whole(form.n->extent), scale, vector(blas_.left, form.m->left),
                         vector(*blas_.right, form.n->right), matrix(target(), form.target_leading));
    case BlasForm::Call::Gemv:
      return fmt::format("{}(CblasRowMajor, {}, {}, {}, {}, {}, {}, {}, {});", function,
                         transposed(form.left_transposed),
                         whole(form.left_transposed ? form.k->extent : form.m->extent),
                         whole(form.left_transposed ? form.m->extent : form.k->extent), scale,
                         matrix(blas_.left, form.left_leading), vector(*blas_.right, form.k->right), one,
                         vector(target(), form.m->target));
    case BlasForm::Call::Gemm:
      return fmt::format("{}(CblasRowMajor, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});", function,
                         transposed(form.left_transposed), transposed(form.right_transposed),
                         whole(form.m->extent), whole(form.n->extent), whole(form.k->extent), scale,
                         matrix(blas_.left, form.left_leading), matrix(*blas_.right, form.right_leading), one,
                         matrix(target(), form.target_leading));
    }
    return "";
  }

private:
  const Element &target() const { return std::get<Element>(blas_.target); }

  std::string at(const Element &element) const { return "&" + expressions_.element(element); }

  std::string whole(const term::Term &number) const {
    if (number.as<term::Constant>()) return expressions_.term(number);
    return "(int)" + expressions_.cast_operand(number);
  }

  const Blas &blas_;
  const Names &names_;
  const Expressions &expressions_;
  bool single_;
};

} // namespace

BlasText blas_text(const Blas &blas, const loop::Program &program, const Names &names,
                   const Expressions &expressions) {
  std::string why;
  const std::optional<BlasForm> form = form_of(blas, why);
  expressions.need("cblas");
  BlasText made;
  std::vector<term::Term> tests;
  for (const Blas::Axis &axis : blas.axes)
    if (const auto *number = axis.extent.as<term::Constant>(); !number || number->value <= 0)
      tests.push_back(term::less(term::Term(0), axis.extent));
  if (!tests.empty()) made.test = expressions.term(term::conjunction(tests));
  made.calls = {Text(blas, program, names, expressions).call(*form)};
  if (blas.threads) {
    made.calls.insert(made.calls.begin(), fmt::format("{}({});", expressions.called("blas_threads"),
                                                      threads_text(names, expressions)));
    made.calls.push_back("unravel_blas_threads(1);");
  }
  return made;
}

} // namespace unravel::emit
