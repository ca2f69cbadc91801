// Where layouts come from, and names that lead nowhere; domain guards; what is asked of a layout's parts.
#include "layout/property.h"
#include "layout_file.h"
#include "layout_text.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace unravel::test {
namespace {

std::string load(const std::string &reference, std::size_t order) {
  try {
    return layout::load_layout(reference_of(reference), order).layout.name;
  } catch (const report::Error &error) {
    return error.what();
  }
}

std::string message_of(const std::string &reference, std::size_t order) {
  std::string text = load(reference, order);
  std::string hint = text.find("  hint: ") == std::string::npos ? "" : text.substr(text.find("  hint: "));
  return text.substr(0, text.find('\n') + 1) + hint;
}

const std::string diagonal = "(i: N, j: N) {\n  value d[N];\n"
                             "  stored { [p] -> [i, j] : 0 <= p < N and i = p and j = p } at d(p);\n}\n";

TEST(LayoutLibrary, ShippedNames) {
  EXPECT_EQ(load("csr", 2), "csr");
  EXPECT_EQ(load("sv", 1), "sv");
  for (std::size_t order = 0; order <= 4; ++order)
    EXPECT_EQ(load("dense", order), "dense");
  EXPECT_EQ(load("dense<1,0>", 2), "dense<1, 0>");
  EXPECT_EQ(load("dense:2,0,1", 3), "dense<2, 0, 1>");
  EXPECT_EQ(load("dense<0>", 1), "dense<0>");
}

/// So that one file is read for a name, not all.
TEST(LayoutLibrary, AFileHoldsTheLayoutsOfItsName) {
  for (const text::EmbeddedFile &file : layout::shipped_files())
    for (const parse::LayoutTree &tree : trees_of(file.content))
      EXPECT_EQ(tree.name.text, file.name);
}

TEST(LayoutLibrary, ThereIsNoSuchLayout) {
  EXPECT_EQ(load("crs", 2),
            "-f A:1:1: error: there is no layout `crs` among the shipped ones [unknown-layout]\n"
            "  1 | crs\n"
            "    | ^~~\n"
            "  hint: did you mean `csr`?\n");
  EXPECT_EQ(load("csrr", 2),
            "-f A:1:1: error: there is no layout `csrr` among the shipped ones [unknown-layout]\n"
            "  1 | csrr\n"
            "    | ^~~~\n"
            "  hint: did you mean `csr`?\n");
}

TEST(LayoutLibrary, NotOfThisOrder) {
  EXPECT_EQ(message_of("csr", 3), "-f A:1:1: error: layout `csr` is for tensors of order 2, but the tensor "
                                  "has order 3 [unknown-layout]\n");
  EXPECT_EQ(message_of("dense", 9),
            "-f A:1:1: error: layout `dense` is for tensors of order 0, 1, 2, 3, 4, 5, 6, 7, 8, but the "
            "tensor has order 9 [unknown-layout]\n");
}

TEST(LayoutLibrary, Parameters) {
  EXPECT_EQ(message_of("csr<4>", 2),
            "csr.layout:3:8: error: layout `csr` takes 0 parameters, but 1 is given [unknown-layout]\n");
  EXPECT_EQ(message_of("csr<4,4>", 2),
            "csr.layout:3:8: error: layout `csr` takes 0 parameters, but 2 are given [unknown-layout]\n");
  for (const char *orders : {"dense<1>", "dense<0,0>", "dense<1,2>", "dense<0,1,2>"})
    EXPECT_NE(message_of(orders, 2).find("is not an order of the modes 0 to 1 [unknown-layout]\n"
                                         "  hint: name every mode once, the outermost first\n"),
              std::string::npos)
        << message_of(orders, 2);
  LayoutFile file("layout blocks<R, C>" + diagonal);
  EXPECT_EQ(load(file.path() + ":blocks<2,3>", 2), "blocks<2, 3>");
  EXPECT_EQ(message_of(file.path() + ":blocks<2>", 2),
            file.path() + ":1:8: error: layout `blocks` takes 2 parameters, but 1 is given [unknown-layout]\n"
                          "  hint: write blocks<4,4>\n");
  EXPECT_EQ(message_of(file.path(), 2),
            file.path() +
                ":1:8: error: layout `blocks` takes 2 parameters, but 0 are given [unknown-layout]\n"
                "  hint: write blocks<4,4>\n");
  EXPECT_EQ(message_of(file.path() + ":blocks<2,2,2>", 2),
            file.path() +
                ":1:8: error: layout `blocks` takes 2 parameters, but 3 are given [unknown-layout]\n");
}

TEST(LayoutLibrary, FilesOfTheUsers) {
  LayoutFile file("layout first" + diagonal + "layout second" + diagonal);
  EXPECT_EQ(load(file.path() + ":second", 2), "second");
  EXPECT_EQ(load(file.path(), 2), "first");
  EXPECT_EQ(message_of(file.path() + ":secnd", 2),
            "-f A:1:1: error: there is no layout `secnd` in `" + file.path() +
                "` [unknown-layout]\n  hint: did you mean `second`?\n");
  EXPECT_EQ(message_of(file.path(), 1), "-f A:1:1: error: layout `first` is for tensors of order 2, 2, but "
                                        "the tensor has order 1 [unknown-layout]\n");
  EXPECT_EQ(message_of("./no/such.layout", 2),
            "./no/such.layout: error: cannot read: No such file or directory [cannot-read]\n");
}

/// A file may change between two readings: only the shipped layouts are kept.
TEST(LayoutLibrary, FilesAreReadAnew) {
  LayoutFile file("layout first" + diagonal);
  EXPECT_EQ(load(file.path(), 2), "first");
  std::ofstream(file.path()) << "layout other" + diagonal;
  EXPECT_EQ(load(file.path(), 2), "other");
}

TEST(LayoutLibrary, ShippedLayoutsAreKept) {
  std::string once = layout::to_text(layout::load_layout(reference_of("dcsr"), 2).layout);
  EXPECT_EQ(layout::to_text(layout::load_layout(reference_of("dcsr"), 2).layout), once);
}

TEST(LayoutProperty, DomainGuards) {
  layout::Layout csr = layout::load_layout(reference_of("csr"), 2).layout;
  auto guard = [&](const term::Term &formula) { return term::to_text(layout::domain_guard(formula, csr)); };
  term::Term p = term::variable("p");
  EXPECT_EQ(guard(term::truth()), "true");
  EXPECT_EQ(guard(term::less(term::apply("col", {p}), term::variable("N"))), "0 <= p and p < NNZ");
  EXPECT_EQ(guard(term::less(term::apply("rowptr", {p + 1}), p)), "0 <= p + 1 and p < M");
  // An application inside an argument has its own guard, before that of the outer one.
  EXPECT_EQ(guard(term::less(term::apply("col", {term::apply("rowptr", {p})}), p)),
            "0 <= p and p <= M and 0 <= rowptr(p) and rowptr(p) < NNZ");
}

/// Every application in a stated property is guarded by its array's extent: forall, range, order, within.
TEST(LayoutProperty, EveryApplicationIsGuarded) {
  for (const text::EmbeddedFile &file : layout::shipped_files())
    for (const parse::LayoutTree &tree : trees_of(file.content)) {
      layout::Layout layout = layout::make_layout(tree, std::vector<std::int64_t>(tree.parameters.size(), 2));
      for (const layout::Property &property : layout.properties) {
        std::vector<term::Term> guard = term::conjuncts(property.axiom.guard);
        for (const term::Term &application : term::applications_of(property.axiom.conclusion)) {
          const auto *call = application.as<term::Apply>();
          for (std::size_t k = 0; k < call->arguments.size(); ++k) {
            term::Term domain =
                term::between(term::Term(0), call->arguments[k], layout.array(call->function)->extents[k]);
            for (const term::Term &part : term::conjuncts(domain))
              EXPECT_NE(std::find(guard.begin(), guard.end(), part), guard.end())
                  << file.name << ": " << property.axiom.text << ": " << term::to_text(part);
          }
        }
      }
    }
}

TEST(LayoutAxioms, SizesCountsPropertiesLemmas) {
  std::vector<std::string> texts;
  for (const prove::Axiom &axiom : layout::load_layout(reference_of("csr"), 2).layout.axioms())
    texts.push_back(axiom.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"0 <= M", "0 <= N", "0 <= NNZ", "NNZ = rowptr(M)",
                                             "rowptr(0) = 0", "increasing rowptr", "range col in [0, N)",
                                             "strictly increasing col within rowptr", "range of rowptr"}));
}

/// A square layout has one size for two modes, stated once.
TEST(LayoutAxioms, SharedSizes) {
  layout::Layout square = layout_of("layout a" + diagonal);
  EXPECT_EQ(square.sizes, (std::vector<std::string>{"N", "N"}));
  EXPECT_EQ(square.axioms().size(), 1u);
}

/// The parser refuses a formula where an integer is expected; trees that were made otherwise are refused too.
TEST(LayoutMessage, WrongSort) {
  EXPECT_EQ(
      outcome_of("layout a(i: N) {\n  value v[N];\n  stored { [p] -> [i] : i = p and p } at v(p);\n}\n"),
      "input:3:35: error: expected a condition, saw the number `p` [wrong-sort]\n"
      "  3 |   stored { [p] -> [i] : i = p and p } at v(p);\n"
      "    |                                   ^\n"
      "  hint: conditions compare numbers, as in `0 <= i < M`\n");
  parse::LayoutTree tree = trees_of("layout a" + diagonal).at(0);
  tree.stored[0].relation = tree.stored[0].coordinates[0];
  try {
    layout::make_layout(tree, {});
    FAIL();
  } catch (const report::Error &error) {
    EXPECT_EQ(report::name_of(error.diagnostic().kind), "wrong-sort");
    EXPECT_EQ(error.diagnostic().message, "`i` is an integer; a condition is expected here");
  }
}

} // namespace
} // namespace unravel::test
