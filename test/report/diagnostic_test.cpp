// How messages are built and look.
#include "golden.h"
#include "report/diagnostic.h"

#include <set>

namespace unravel::report {
namespace {

using text::Source;

std::shared_ptr<const Source> source_of(std::string content) {
  return std::make_shared<const Source>("mine.layout", std::move(content));
}

/// The message about the first occurrence of `word`.
std::string message_about(const std::string &content, const std::string &word, std::string hint = {}) {
  std::size_t begin = content.find(word);
  return render(
      {Kind::unknown_name, source_of(content)->place(begin, begin + word.size()), "unknown name", hint});
}

void expect_rendered(const std::string &name, const std::vector<std::string> &messages) {
  std::string all;
  for (const std::string &message : messages)
    all += (all.empty() ? "" : "\n") + message;
  test::golden_check("report", name, all);
}

TEST(Refusals, AreNothingAndBugsGoOn) {
  Diagnostic why;
  EXPECT_EQ(unless_refused([] { return 7; }, &why), 7);
  auto refused = [](Kind kind) { return [kind]() -> int { fail(kind, "so it is"); }; };
  EXPECT_FALSE(unless_refused(refused(Kind::unknown_name), &why));
  EXPECT_EQ(why.message, "so it is");
  EXPECT_FALSE(unless_refused(refused(Kind::not_supported)));
  EXPECT_THROW(unless_refused(refused(Kind::internal)), Error);
}

TEST(Rendering, PlaceExcerptMarkerHint) {
  expect_rendered(
      "rendering",
      {
          message_about("layout csr(i: M) {\n  stored at rowpt(r);\n}\n", "rowpt", "did you mean `rowptr`?"),
          message_about("rowpt", "rowpt"),
          message_about("a b\nc d", "b\nc"),
          message_about("\tx\ty\n", "y"),
          message_about("first\r\nsecond\r\n", "second\r\n"),
          message_about("caf\xc3\xa9 \x01 rowpt\n", "rowpt"),
          message_about(std::string(200, 'a') + " rowpt " + std::string(200, 'b'), "rowpt"),
          message_about(std::string(300, 'a'), std::string(300, 'a')),
      });
}

TEST(Rendering, WithoutAPlace) {
  text::Place line_only = text::Place::of_file("big.mtx");
  line_only.line = 7;
  expect_rendered(
      "rendering_without_place",
      {
          render({Kind::no_order, {}, "no order of the loops bounds every variable", "give a size"}),
          render({Kind::cannot_read, text::Place::of_file("a.mtx"), "cannot read: no such file", {}}),
          render({Kind::entry_count, line_only, "5 entries are promised, 4 are there", {}}),
          render({Kind::argument_range, {}, "`col(p)` may lie outside", {}}, "warning"),
      });
}

TEST(Rendering, ErrorSaysWhatIsRendered) {
  try {
    fail(Kind::wrong_arity, source_of("col(p, q)")->place(0, 3), "`col` takes 1 argument", "drop one");
    FAIL() << "nothing was thrown";
  } catch (const Error &error) {
    EXPECT_EQ(error.diagnostic().kind, Kind::wrong_arity);
    EXPECT_EQ(std::string(error.what()), render(error.diagnostic()));
    EXPECT_EQ(std::string(error.what()), "mine.layout:1:1: error: `col` takes 1 argument [wrong-arity]\n"
                                         "  1 | col(p, q)\n"
                                         "    | ^~~\n"
                                         "  hint: drop one\n");
  }
}

TEST(Internal, RequireThrowsABugWhenFalse) {
  EXPECT_NO_THROW(require(true, "never shown"));
  try {
    require(false, "two loops bind `i`");
    FAIL() << "nothing was thrown";
  } catch (const Error &error) {
    EXPECT_EQ(exit_code(error.diagnostic().kind), 3);
    EXPECT_EQ(std::string(error.what()), "error: internal check failed: two loops bind `i` [internal]\n"
                                         "  hint: please report this as a bug\n");
  }
}

TEST(Kinds, NamesAreDistinctAndCodesFollowCategories) {
  std::set<std::string> names;
  for (Kind kind : all_kinds()) {
    std::string name = name_of(kind);
    EXPECT_TRUE(names.insert(name).second) << name << " stands twice in kinds.def";
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-0123456789"), std::string::npos) << name;
    switch (category_of(kind)) {
    case Category::Mistake:
    case Category::Limit: EXPECT_EQ(exit_code(kind), 1) << name; break;
    case Category::Usage: EXPECT_EQ(exit_code(kind), 2) << name; break;
    case Category::Bug: EXPECT_EQ(exit_code(kind), 3) << name; break;
    }
  }
}

TEST(Rendering, LongQuotationsAreCut) {
  const std::string line(100, 'a'), most(240, 'b');
  const auto message = [](const std::string &quoted) {
    return Error({Kind::unknown_name, {}, "`" + quoted + "` and `c` aren't known", ""}).diagnostic().message;
  };
  EXPECT_EQ(message(most), "`" + most + "` and `c` aren't known");
  EXPECT_EQ(message(line + std::string(141, 'b')), "`" + line + " ...` and `c` aren't known");
  EXPECT_EQ(message("one\ntwo\nthree"), "`one\ntwo\nthree` and `c` aren't known");
  EXPECT_EQ(message("one\ntwo\nthree\nfour"), "`one ...` and `c` aren't known");
  EXPECT_EQ(Error({Kind::unknown_name, {}, "a lone ` stays", ""}).diagnostic().message, "a lone ` stays");
  EXPECT_EQ(Error({Kind::unknown_name, {}, "at its end `", ""}).diagnostic().message, "at its end `");
}

TEST(Nearest, IsWithinAThirdOfTheName) {
  const std::vector<std::string> names = {"rowptr", "col", "val", "colptr"};
  EXPECT_EQ(nearest("rowpt", names), "rowptr");
  EXPECT_EQ(nearest("rwoptr", names), "rowptr"); // two letters exchanged are one edit
  EXPECT_EQ(nearest("cols", names), "col");
  EXPECT_EQ(nearest("vla", names), "val");
  EXPECT_EQ(nearest("index", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("3", {"w"}), ""); // nothing of it would be left
  EXPECT_EQ(nearest("col", {}), "");
  EXPECT_EQ(nearest("val", names), "val");
  EXPECT_EQ(nearest("rnd", {"random", "ones"}), "random"); // an abbreviation
  EXPECT_EQ(nearest("rnd", {"random", "rind"}), "rind");   // a letter is missing
  EXPECT_EQ(nearest("rnd", {"random", "rounded"}), "");    // of which of the two?
  EXPECT_EQ(nearest("dmr", {"random"}), "");
}

TEST(Nearest, FirstOfEquallyNearOnes) {
  EXPECT_EQ(nearest("cat", {"car", "cap", "bat"}), "car");
}

} // namespace
} // namespace unravel::report
