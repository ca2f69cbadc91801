// Parameters, and how their elements are addressed.
#include "cfront/translate.h"

#include "report/diagnostic.h"

#include <algorithm>

namespace unravel::cfront {

namespace {

constexpr const char *as_matrix = "write the parameter as `double A[n][m]`";

void collect_names(const parse::Expression &expression, std::set<std::string> &names) {
  if (expression.kind == parse::Expression::Kind::Name) names.insert(expression.name.text);
  for (const parse::Expression &child : expression.children)
    collect_names(child, names);
}

void collect_names(const parse::StatementTree &statement, std::set<std::string> &names) {
  using Kind = parse::StatementTree::Kind;
  if (statement.kind == Kind::Assign || statement.kind == Kind::Local) {
    collect_names(statement.assignment.target, names);
    collect_names(statement.assignment.value, names);
  }
  for (const std::optional<parse::Expression> &extent : statement.extents)
    if (extent) collect_names(*extent, names);
  for (const std::optional<parse::Expression> *bound : {&statement.low, &statement.high})
    if (*bound) collect_names(**bound, names);
  if (statement.kind == Kind::If) collect_names(statement.condition, names);
  for (const parse::StatementTree &inner : statement.body)
    collect_names(inner, names);
}

/// A[i][j] as A and its subscripts; what is no pointer to begin with stays as it is.
const Node &base_of(const Node &node, std::vector<const Node *> &subscripts) {
  const Node *base = &node;
  while (base->kind == UnravelSubscript) {
    subscripts.push_back(&base->children[1]);
    base = &base->children[0];
  }
  std::ranges::reverse(subscripts);
  return *base;
}

} // namespace

void Translator::parameters() {
  for (const Node &child : function_.children) {
    if (child.kind != UnravelParameter) continue;
    reserved_.insert(child.text);
    if (child.type != UnravelIntegral) continue;
    Variable size =
        variables_.add(child.text, false, child.is_unsigned || signed_sizes_.count(child.declaration) == 0);
    integers_[child.declaration] = {Integer{Integer::Kind::Exact, {Polynomial::of(size)}}, {}};
  }
  facts_ = variables_.natural_sizes();
  for (const Node &child : function_.children)
    if (child.kind == UnravelParameter && child.type != UnravelIntegral) tensor_parameter(child);
}

void Translator::tensor_parameter(const Node &parameter) {
  tensors_[parameter.declaration] = tensor_of(parameter, parameter.children[0]);
}

parse::StatementTree Translator::local_array(const Node &variable, const text::Span &name) {
  if (variable.children[0].is_there())
    refuse(variable.span, "`" + variable.text + "` is an array with an initialiser",
           "set its elements in a loop");
  Tensor tensor = tensor_of(variable, variable.children[1]);
  if (!tensor.refused.empty()) refuse(variable.span, "`" + variable.text + "` " + tensor.refused);
  tensor.is_local = true;
  tensor.name = fresh_name(variable.text, false);
  parse::StatementTree statement;
  statement.kind = parse::StatementTree::Kind::Local;
  statement.span = statement.assignment.span = variable.span;
  parse::Expression &target = statement.assignment.target;
  target.kind = parse::Expression::Kind::Call;
  target.name = {tensor.name, name};
  target.span = name;
  for (const std::optional<Polynomial> &extent : tensor.extents) {
    if (!extent || !extent->is_affine())
      refuse(variable.span, "`" + variable.text + "` has an extent that is not a sum of sizes");
    if (variables_.has_loop(*extent))
      refuse(variable.span, "`" + variable.text + "` has an extent that depends on a loop's variable",
             "write a size that is large enough for all iterations, as in `double " + variable.text + "[n]`");
    parse::Expression index;
    index.kind = parse::Expression::Kind::Name;
    index.name = {fresh_name("e", true), name};
    index.span = name;
    target.children.push_back(std::move(index));
    statement.extents.push_back(variables_.expression(*extent, variable.span));
  }
  for (const parse::Expression &index : target.children)
    in_scope_.erase(index.name.text);
  statement.assignment.value.kind = parse::Expression::Kind::Integer;
  statement.assignment.value.span = name;
  tensors_[variable.declaration] = std::move(tensor);
  return statement;
}

Tensor Translator::tensor_of(const Node &declared, const Node &declared_type) {
  Tensor tensor;
  tensor.name = declared.text;
  tensor.span = declared.span;
  const Node *type = &declared_type;
  if (is_number(declared.type)) {
    tensor.is_scalar = true;
  } else {
    bool is_outermost = true;
    while (type->kind == UnravelPointerType || type->kind == UnravelArrayType) {
      if (type->kind == UnravelPointerType) {
        if (!is_outermost) tensor.refused = "is a pointer to pointers, whose rows may overlap";
        tensor.extents.push_back(std::nullopt);
      } else {
        const Node &extent = type->children[0];
        std::optional<Polynomial> known;
        if (extent.is_there()) // what can't be read is said where the tensor is used
          known = report::unless_refused([&] { return exact(extent, "extent"); });
        if (!known && !is_outermost) tensor.refused = "has rows of unknown length";
        tensor.extents.push_back(known);
      }
      is_outermost = false;
      type = &type->children.back();
    }
    tensor.order = tensor.extents.size();
    auto is_known = [](const std::optional<Polynomial> &extent) { return extent && extent->is_affine(); };
    if (tensor.order > 1 && !std::all_of(tensor.extents.begin() + 1, tensor.extents.end(), is_known) &&
        tensor.refused.empty())
      tensor.refused = "has rows whose length is not a sum of sizes";
    if (tensor.order == 0) tensor.refused = "is neither a number nor an array of numbers";
  }
  tensor.element = type->type;
  if (tensor.refused.empty() && !is_number(type->type))
    tensor.refused = type->type == UnravelIntegral ? "holds integers: supported are arrays of `double` or "
                                                     "`float`, with subscripts that are not read from memory"
                                                   : "is not an array of `double` or `float`";
  return tensor;
}

std::vector<parse::TensorTree> Translator::tensors() const {
  std::vector<parse::TensorTree> result;
  for (const Node &parameter : function_.children) {
    auto found = parameter.kind == UnravelParameter ? tensors_.find(parameter.declaration) : tensors_.end();
    if (found == tensors_.end() || !found->second.used) continue;
    const Tensor &tensor = found->second;
    parse::TensorTree tree;
    tree.name = {tensor.name, tensor.span};
    std::vector<std::optional<Polynomial>> extents = tensor.extents;
    if (tensor.order == 1) {
      const LinearShape &shape = shapes_->at(parameter.declaration);
      if (shape.order != 1) {
        // Of `double A[n*m]` as rows of m the first extent is n.
        std::optional<Polynomial> outer;
        if (Polynomial rest; shape.order > 1 && extents[0]) {
          Polynomial rows = divide(*extents[0], shape.strides[0], rest);
          if (rest == Polynomial()) outer = rows;
        }
        extents.clear();
        if (shape.order > 1) {
          extents.push_back(outer);
          for (const Polynomial &inner : shape.inner_extents())
            extents.push_back(inner);
        }
      }
    }
    bool known = true;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      if (!extents[k] || !extents[k]->is_affine()) extents[k] = implied_extent(tensor.uses, k, variables_);
      known = known && extents[k];
    }
    if (is_complex(tensor.element)) {
      if (!known)
        refuse(tensor.span, "the uses of `" + tensor.name + "` don't say how many complex numbers it has",
               "write the extent: `double complex " + tensor.name + "[n]`");
      tree.values.type = parse::Name{type_of_complex(), tensor.span};
    }
    if (!known) continue; // the uses may still imply what loops alone don't say
    for (const std::optional<Polynomial> &extent : extents)
      tree.extents.push_back(variables_.expression(*extent, tensor.span));
    result.push_back(std::move(tree));
  }
  return result;
}

std::vector<parse::SizeTree> Translator::sizes(const parse::ProgramTree &tree) const {
  std::set<std::string> mentioned, told;
  for (const parse::TensorTree &tensor : tree.tensors)
    for (const parse::Expression &extent : tensor.extents) {
      collect_names(extent, mentioned);
      if (extent.kind == parse::Expression::Kind::Name) told.insert(extent.name.text);
    }
  for (const parse::StatementTree &statement : tree.body)
    collect_names(statement, mentioned);
  std::vector<parse::SizeTree> result;
  for (const Node &parameter : function_.children) {
    if (parameter.kind != UnravelParameter || parameter.type != UnravelIntegral) continue;
    if (!mentioned.count(parameter.text) || told.count(parameter.text)) continue;
    parse::SizeTree size{{parameter.text, parameter.span}, std::nullopt};
    if (parameter.is_unsigned || !signed_sizes_.count(parameter.declaration)) size.least = 0;
    result.push_back(std::move(size));
  }
  return result;
}

void Translator::refuse_products(int parameter, const LinearUses &uses) const {
  const Tensor &tensor = tensors_.at(parameter);
  for (const LinearUse &use : uses.subscripts) {
    // i*n + j, and not i*j
    bool has_rows = !tensor.extents[0] || !tensor.extents[0]->is_affine();
    for (const auto &[monomial, coefficient] : use.subscript.terms())
      has_rows = has_rows && std::ranges::count_if(
                                 monomial, [&](Variable each) { return variables_.is_loop(each); }) <= 1;
    if (!has_rows) require_affine(use.subscript, use.span, "subscript");
    if (!use.subscript.is_affine())
      refuse_not_affine(use.span,
                        "can't tell which row and column of `" + tensor.name + "` this subscript means",
                        "write the parameter as `double " + tensor.name + "[n][m]`, and two subscripts");
  }
  report::fail(report::Kind::internal, "a pointer has no shape, but its subscripts are affine");
}

void Translator::use(const Node &node, Tensor &tensor, bool is_target) {
  if (!tensor.refused.empty())
    refuse(node.span, "`" + tensor.name + "` " + tensor.refused,
           tensor.element == UnravelIntegral
               ? "write a sparse tensor as a dense array: `-f A=csr` gives its layout"
               : as_matrix);
  tensor.used = true;
  tensor.assigned = tensor.assigned || is_target;
}

parse::Expression Translator::access(const Node &node, bool is_target) {
  std::vector<const Node *> subscripts;
  const Node &inner = node.kind == UnravelDereference ? node.children[0] : node;
  const Node &base = base_of(inner, subscripts);
  if (base.kind != UnravelReference) {
    if (base.kind == UnravelTooDeep) refuse_expression(base);
    refuse(base.span, "pointer arithmetic is not supported", "write a subscript: `x[i]`");
  }
  auto found = tensors_.find(base.declaration);
  if (found == tensors_.end()) {
    if (base.is(UnravelIsNoParameter))
      refuse(base.span, "`" + base.text + "` is defined outside of the function", "make it a parameter");
    refuse(base.span, "`" + base.text + "` is a local array or pointer", "make it a parameter");
  }
  Tensor &tensor = found->second;
  use(node, tensor, is_target);
  if (!is_number(node.type)) // a row: C takes it for a pointer
    refuse(node.span, quoted(node) + " is not a number: `" + tensor.name + "` has " +
                          std::to_string(tensor.order) + " subscripts");
  check_type(node);
  if (node.kind == UnravelDereference) {
    if (tensor.order != 1 || !subscripts.empty())
      refuse(node.span, "`*` is supported only for a pointer to one number", "write all subscripts");
    return scalar_access(node, tensor);
  }
  if (tensor.order == 1 && !tensor.is_local)
    return linear_access(node, base.declaration, tensor, *subscripts[0]);
  parse::Expression result;
  result.kind = parse::Expression::Kind::Call;
  result.span = node.span;
  result.name = {tensor.name, base.span};
  ElementUse element{{}, facts_};
  for (const Node *subscript : subscripts) {
    element.subscripts.push_back(affine(*subscript, "subscript"));
    result.children.push_back(variables_.expression(element.subscripts.back(), subscript->span));
  }
  tensor.uses.push_back(std::move(element));
  return result;
}

parse::Expression Translator::scalar_access(const Node &node, Tensor &tensor) {
  int declaration = node.children[0].declaration;
  linear_uses_[declaration].is_dereferenced = true;
  parse::Expression result;
  result.kind = parse::Expression::Kind::Name;
  result.span = node.span;
  result.name = {tensor.name, node.children[0].span};
  if (!shapes_ || shapes_->at(declaration).order == 0) return result;
  // *x is x[0] where x has other elements.
  result.kind = parse::Expression::Kind::Call;
  ElementUse element{std::vector<Polynomial>(shapes_->at(declaration).order), facts_};
  for (const Polynomial &each : element.subscripts)
    result.children.push_back(variables_.expression(each, node.span));
  tensor.uses.push_back(std::move(element));
  return result;
}

parse::Expression Translator::linear_access(const Node &node, int declaration, Tensor &tensor,
                                            const Node &subscript) {
  parse::Expression result;
  result.kind = parse::Expression::Kind::Call;
  result.span = node.span;
  result.name = {tensor.name, node.children[0].span};
  LinearUse use{exact(subscript, "subscript"), facts_, subscript.span};
  linear_uses_[declaration].subscripts.push_back(use);
  if (!shapes_) return result;
  auto subscripts = split(use, shapes_->at(declaration), variables_);
  report::require(subscripts.has_value(), "a linear subscript is split as it was before");
  for (const Polynomial &each : *subscripts)
    result.children.push_back(variables_.expression(each, subscript.span));
  tensor.uses.push_back({std::move(*subscripts), facts_});
  return result;
}

} // namespace unravel::cfront
