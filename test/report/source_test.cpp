// Places in texts, and reading texts from files.
#include "report/diagnostic.h"
#include "text/source.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace unravel::text {
namespace {

std::string shown(const Place &place) {
  return std::to_string(place.line) + ":" + std::to_string(place.column) + "+" +
         std::to_string(place.length) + " `" + place.excerpt + "`";
}

std::string place_in(const std::string &content, std::size_t begin, std::size_t end) {
  return shown(Source("t", content).place(begin, end));
}

TEST(Place, OfEmptyText) {
  EXPECT_EQ(place_in("", 0, 0), "1:1+1 ``");
  EXPECT_EQ(place_in("", 5, 9), "1:1+1 ``");
}

TEST(Place, InTheLastLineWithoutALineBreak) {
  EXPECT_EQ(place_in("one\ntwo", 4, 7), "2:1+3 `two`");
  EXPECT_EQ(place_in("one\ntwo", 7, 7), "2:4+1 `two`"); // at the end of the text
  EXPECT_EQ(place_in("one\ntwo", 7, 100), "2:4+1 `two`");
}

TEST(Place, AtLineBreaks) {
  EXPECT_EQ(place_in("one\ntwo\n", 3, 4), "1:4+1 `one`"); // the line break itself
  EXPECT_EQ(place_in("one\ntwo\n", 8, 8), "3:1+1 ``");    // behind the last one
  EXPECT_EQ(place_in("\n\nx", 1, 1), "2:1+1 ``");
  EXPECT_EQ(place_in("\nx", 0, 1), "1:1+1 ``");
}

TEST(Place, OverSeveralLinesUnderlinesTheFirst) {
  EXPECT_EQ(place_in("one two\nthree", 4, 13), "1:5+3 `one two`");
}

TEST(Place, TabsCountAsOneColumn) {
  EXPECT_EQ(place_in("\tx", 1, 2), "1:2+1 `\tx`");
}

TEST(Place, ColumnsCountCharactersOfUtf8) {
  EXPECT_EQ(place_in("y(\u00fc) = \u2211\u03a3(i)", 8, 13), "1:8+2 `y(\u00fc) = \u2211\u03a3(i)`");
  EXPECT_EQ(place_in("\xff\xc3 x", 3, 4), "1:4+1 `\xff\xc3 x`"); // bytes that are none
}

TEST(Place, WindowsLineEndsCountLinesOnce) {
  Place place = Source("t", "one\r\ntwo\r\n").place(5, 8);
  EXPECT_EQ(place.line, 2u);
  EXPECT_EQ(place.column, 1u);
  EXPECT_EQ(place.length, 3u);
  EXPECT_EQ(place.excerpt, "two");
  EXPECT_EQ(place_in("one\r\n", 0, 5), "1:1+3 `one`");
  EXPECT_EQ(place_in("one\r\n", 3, 4), "1:4+1 `one`");
}

TEST(Place, EndBeforeBeginIsOneCharacter) {
  EXPECT_EQ(place_in("abc", 2, 1), "1:3+1 `abc`");
}

TEST(Span, TextAndJoin) {
  auto source = std::make_shared<const Source>("t", "alpha beta");
  Span first{source, 0, 5}, last{source, 6, 10}, nowhere;
  EXPECT_EQ(first.text(), "alpha");
  EXPECT_EQ(join(first, last).text(), "alpha beta");
  EXPECT_EQ(join(last, first).text(), "alpha beta");
  EXPECT_EQ(join(nowhere, last).text(), "beta");
  EXPECT_EQ(join(first, nowhere).text(), "alpha");
  EXPECT_EQ(nowhere.text(), "");
  EXPECT_EQ(nowhere.place().line, 0u);
}

class FromFile : public ::testing::Test {
protected:
  FromFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "unravel-source-XXXXXX").string();
    if (mkdtemp(pattern.data())) folder_ = pattern;
  }
  ~FromFile() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string &name) const { return folder_ + "/" + name; }
  /// The message without the folder's name.
  std::string failure(const std::string &path) const {
    try {
      Source::from_file(path);
    } catch (const report::Error &error) {
      std::string message = error.what();
      if (std::size_t at = message.find(folder_); at != std::string::npos)
        message.replace(at, folder_.size(), "T");
      return message;
    }
    return "nothing was thrown";
  }

  std::string folder_;
};

TEST_F(FromFile, ReadsAllBytes) {
  std::string content("a\r\n\0b", 5);
  std::ofstream(path("x.layout"), std::ios::binary) << content;
  std::shared_ptr<const Source> source = Source::from_file(path("x.layout"));
  EXPECT_EQ(source->content(), content);
  EXPECT_EQ(source->name(), path("x.layout"));
}

TEST_F(FromFile, AnEmptyFileIsAnEmptyText) {
  std::ofstream(path("empty"), std::ios::binary).flush();
  EXPECT_EQ(Source::from_file(path("empty"))->content(), "");
}

TEST_F(FromFile, Failures) {
  EXPECT_EQ(failure(path("missing.layout")),
            "T/missing.layout: error: cannot read: No such file or directory [cannot-read]\n");
  EXPECT_EQ(failure(folder_), "T: error: cannot read: this is a directory [cannot-read]\n");
  std::ofstream(path("file")) << "x";
  EXPECT_EQ(failure(path("file/inside")),
            "T/file/inside: error: cannot read: Not a directory [cannot-read]\n");
}

TEST_F(FromFile, WithoutPermission) {
  std::ofstream(path("closed")) << "x";
  chmod(path("closed").c_str(), 0);
  // Root may read every file, so it becomes nobody for the moment.
  bool is_root = geteuid() == 0;
  if (is_root) {
    chmod(folder_.c_str(), 0755);
    ASSERT_EQ(seteuid(65534), 0);
  }
  std::string message = failure(path("closed"));
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  EXPECT_EQ(message, "T/closed: error: cannot read: Permission denied [cannot-read]\n");
}

} // namespace
} // namespace unravel::text
