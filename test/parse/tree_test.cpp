#include "parse_text.h"

#include <gtest/gtest.h>

namespace unravel::test {
namespace {

using Kind = parse::Expression::Kind;
using Comparison = parse::Expression::Comparison;

TEST(ParseTree, SpansCoverWhatWasWritten) {
  auto source = source_of("y(i) = -2 * (A(i, j) + x(j+1)) - z");
  parse::AssignmentTree tree = parse::parse_assignment(source);
  EXPECT_EQ(tree.span.text(), source->content());
  EXPECT_EQ(tree.target.span.text(), "y(i)");
  EXPECT_EQ(tree.target.name.span.text(), "y");
  ASSERT_EQ(tree.value.kind, Kind::Subtract);
  const parse::Expression &product = tree.value.children[0];
  EXPECT_EQ(product.span.text(), "-2 * (A(i, j) + x(j+1))");
  EXPECT_EQ(product.children[0].span.text(), "-2");
  EXPECT_EQ(product.children[1].span.text(), "(A(i, j) + x(j+1))");
  EXPECT_EQ(product.children[1].children[1].children[0].span.text(), "j+1");
  EXPECT_EQ(tree.value.children[1].span.text(), "z");
}

TEST(ParseTree, LayoutKnowsItsParts) {
  auto source = source_of("# A comment.\n#\n#   Indented.\npermutable layout blocks<R>(i: M, j: N) {\n"
                          "  index ptr[ceil(M / R) + 1] : int64; value val[NB, R];\n"
                          "  count NB = ptr(M), K;\n"
                          "  stored { [b, p] -> [i, 2*p] : 0 <= b < M } at -val(p, 0);\n"
                          "  property strictly decreasing (f, g) within ptr;\n"
                          "  property range f in [0, N];\n"
                          "  property forall r : f(r) = 0;\n"
                          "}");
  parse::LayoutFileTree file = parse::parse_layout_file(source);
  ASSERT_EQ(file.layouts.size(), 1u);
  const parse::LayoutTree &layout = file.layouts[0];
  EXPECT_EQ(layout.comment, "A comment.\n\n  Indented.");
  EXPECT_TRUE(layout.permutable);
  EXPECT_EQ(layout.parameters[0].name.text, "R");
  EXPECT_EQ(layout.coordinates[1].size.text, "N");
  ASSERT_EQ(layout.arrays.size(), 2u);
  EXPECT_EQ(layout.arrays[0].element->text, "int64");
  EXPECT_EQ(layout.arrays[0].extents[0].span.text(), "ceil(M / R) + 1");
  EXPECT_TRUE(layout.arrays[1].is_value);
  EXPECT_FALSE(layout.arrays[1].element.has_value());
  EXPECT_TRUE(layout.counts[0].definition.has_value());
  EXPECT_FALSE(layout.counts[1].definition.has_value());
  const parse::StoredTree &stored = layout.stored[0];
  EXPECT_EQ(stored.span.text(), "stored { [b, p] -> [i, 2*p] : 0 <= b < M } at -val(p, 0)");
  EXPECT_EQ(stored.positions[1].text, "p");
  EXPECT_EQ(stored.coordinates[1].kind, Kind::Multiply);
  EXPECT_EQ(stored.relation.kind, Kind::Compare);
  EXPECT_EQ(stored.relation.comparisons, (std::vector{Comparison::AtMost, Comparison::Less}));
  EXPECT_EQ(stored.value.kind, Kind::Negate);
  EXPECT_EQ(stored.value.span.text(), "-val(p, 0)");
  const parse::PropertyTree &monotone = layout.properties[0];
  EXPECT_TRUE(monotone.strict && monotone.decreasing && monotone.functions.size() == 2);
  EXPECT_EQ(monotone.within->text, "ptr");
  EXPECT_EQ(monotone.span.text(), "strictly decreasing (f, g) within ptr");
  EXPECT_TRUE(layout.properties[1].high_included);
  EXPECT_EQ(layout.properties[2].variables[0].text, "r");
  EXPECT_EQ(layout.span.begin, source->content().find("permutable"));
  EXPECT_EQ(layout.span.end, source->content().size());
}

TEST(ParseTree, RoundedQuotientIsACallOfOneQuotient) {
  auto file = parse::parse_layout_file(source_of("layout a(i: M) { count K = floor(2 * M / 3) mod 4; }"));
  const parse::Expression &modulo = *file.layouts[0].counts[0].definition;
  ASSERT_EQ(modulo.kind, Kind::Modulo);
  const parse::Expression &call = modulo.children[0];
  EXPECT_EQ(call.kind, Kind::Call);
  EXPECT_EQ(call.name.text, "floor");
  ASSERT_EQ(call.children.size(), 1u);
  EXPECT_EQ(call.children[0].kind, Kind::Divide);
}

TEST(ParseTree, ScalarsAreNamesAndOrderZeroTensorsCalls) {
  EXPECT_EQ(parse::parse_assignment(source_of("t = x")).target.kind, Kind::Name);
  EXPECT_EQ(parse::parse_assignment(source_of("t() += x()")).target.kind, Kind::Call);
  EXPECT_EQ(parse::parse_assignment(source_of("t() += x()")).op, parse::AssignmentTree::Operator::Add);
  EXPECT_EQ(parse::parse_assignment(source_of("t = 2.50")).value.decimal, 2.5);
  EXPECT_EQ(parse::parse_assignment(source_of("t = 7")).value.integer, 7);
}

TEST(ParseTree, References) {
  auto reference = parse::parse_layout_reference(source_of("./dir/mine.layout:name<4,8>"));
  EXPECT_EQ(reference.file, "./dir/mine.layout");
  EXPECT_EQ(reference.name, "name");
  EXPECT_EQ(reference.parameters, (std::vector<std::int64_t>{4, 8}));
  EXPECT_EQ(reference.span.text(), "./dir/mine.layout:name<4,8>");
  EXPECT_EQ(parse::parse_layout_reference(source_of("mine.layout")).file, "mine.layout");
  // The text of layouts, with which of them, parameters and values behind it.
  const std::string text = "layout a(i: M) { value v[M]; } layout b<R>(i: M) { value v[M]; }";
  reference = parse::parse_layout_reference(source_of(" " + text + ":b<4> int32 fill 1"));
  EXPECT_EQ(reference.file, text);
  EXPECT_EQ(reference.name, "b");
  EXPECT_EQ(reference.parameters, (std::vector<std::int64_t>{4}));
  EXPECT_EQ(reference.values.type->text, "int32");
  EXPECT_EQ(reference.values.fill, 1);
  EXPECT_EQ(parse::parse_layout_reference(source_of(text)).name, "");
  EXPECT_EQ(parse::parse_layout_reference(source_of("mine.layout")).name, "");
  EXPECT_EQ(parse::parse_layout_reference(source_of("bcsr:4,4")).name, "bcsr");
  EXPECT_EQ(parse::parse_layout_reference(source_of("like:S")).like, "S");
}

TEST(ParseTree, Schedule) {
  auto tree = parse::parse_schedule(source_of("order i, A#2.p; parallel i; find x.p by seq; chunk 64"));
  ASSERT_EQ(tree.order.size(), 2u);
  EXPECT_EQ(tree.order[1].text, "A#2.p");
  EXPECT_EQ(tree.order[1].span.text(), "A#2.p");
  EXPECT_EQ(tree.parallel[0].text, "i");
  EXPECT_EQ(tree.finds[0].target.text, "x.p");
  EXPECT_EQ(tree.finds[0].method.text, "seq");
  EXPECT_EQ(tree.chunk, 64);
  EXPECT_FALSE(tree.serial);
}

TEST(ParseTree, Find) {
  auto find = parse::parse_find(source_of("L#2.p = binary"));
  EXPECT_EQ(find.target.text, "L#2.p");
  EXPECT_EQ(find.target.span.text(), "L#2.p");
  EXPECT_EQ(find.method.text, "binary");
  EXPECT_EQ(find.method.span.begin, 8u);
}

} // namespace
} // namespace unravel::test
