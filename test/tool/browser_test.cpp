// Pages that --report writes, in a browser: they load without errors, and their script does what it is for.
#include "page_check.h"
#include "tool.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

std::string browser() {
  for (const char *name : {"chromium", "chromium-browser", "google-chrome"})
    if (has_program(name)) return name;
  return "";
}

struct Loaded {
  std::string console; // what the page had to say there
  std::string page;    // after its scripts
};

/// Without a network, and without a sandbox: tests may run as root in a container.
Loaded load(const Desk &desk, const std::string &name) {
  Outcome outcome =
      desk.execute({browser(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                    "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--v=0",
                    "--virtual-time-budget=2000", "--user-data-dir=" + desk.path("profile").string(),
                    "--dump-dom", "file://" + desk.path(name).string()});
  Loaded loaded{"", outcome.out};
  for (std::size_t at = 0; at < outcome.error.size();) {
    const std::size_t end = std::min(outcome.error.find('\n', at), outcome.error.size());
    const std::string line = outcome.error.substr(at, end - at);
    if (line.find("CONSOLE") != std::string::npos) loaded.console += line + "\n";
    at = end + 1;
  }
  return loaded;
}

std::string with_script(std::string page, const std::string &script) {
  const std::string end = "</body>";
  return page.insert(page.find(end), "<script>" + script + "</script>");
}

TEST(Browser, PagesLoadWithoutErrors) {
  if (browser().empty()) GTEST_SKIP() << "no Chromium is installed";
  Desk desk;
  // An error would be seen.
  desk.write("bad.html",
             "<!DOCTYPE html><html><body><script>throw new Error('as expected');</script></body></html>");
  ASSERT_NE(load(desk, "bad.html").console.find("as expected"), std::string::npos);
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n6 8 3\n1 1 1\n1 8 2\n5 8 3\n");
  const std::vector<std::vector<std::string>> all = {
      {"tile", spmv, "-f", "A=csr", "-s", "tile i by 2, j by 4", "-i", "A=a.mtx"},
      {"explain", spmv, "-f", "A=csr", "-f", "x=sv"},
      {"explain", "y(i) = A(i,j) * B(j,k) * x(k)", "-f", "A=csr", "-f", "B=csr"},
      {"explain", "tensor y(n), x(n); for i in [1, n) { y(i) = y(i - 1) + x(i); }"}};
  for (std::vector<std::string> arguments : all) {
    SCOPED_TRACE(arguments[1]);
    arguments.insert(arguments.end(), {"--report", "page.html"});
    Outcome outcome = desk.unravel(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    const Loaded loaded = load(desk, "page.html");
    EXPECT_EQ(loaded.console, "");
    EXPECT_NE(loaded.page.find("Generated C"), std::string::npos);
    // The browser has the elements that were written, no more and no less.
    EXPECT_EQ(values_of(loaded.page, "id"), values_of(desk.read("page.html"), "id"));
  }
}

TEST(Browser, FocusLightsUpWhatBelongsTogether) {
  if (browser().empty()) GTEST_SKIP() << "no Chromium is installed";
  Desk desk;
  Outcome outcome = desk.unravel(
      {"explain", spmv, "-f", "A=csr", "-f", "x=sv", "--find", "x.p=binary", "--report", "page.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  desk.write("page.html",
             with_script(desk.read("page.html"), "document.querySelector('a.line.find').focus();"));
  const Loaded loaded = load(desk, "page.html");
  EXPECT_EQ(loaded.console, "");
  for (const char *part :
       {" was made for</p>", ">find x.p in [0, x.NNZ) where x.idx(x.p) = j</a>", ") j = x.idx(x.p)</a>",
        ">find x.p by binary: its proofs</a>", "class=\"find lit\""})
    EXPECT_NE(loaded.page.find(part), std::string::npos) << part;
}

} // namespace
} // namespace unravel::tool::test
