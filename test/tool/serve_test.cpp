// The page of `unravel serve`: who may ask, what is answered, what an answer may cost.
#include "places.h"
#include "tool/tool.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace unravel::tool::test {
namespace {

using nlohmann::json;

/// A connection that has sent a text.
int connection_to(int port, const std::string &text) {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(made, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
  EXPECT_EQ(write(made, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  return made;
}

/// The tool as it serves, until the object is gone.
class Served {
public:
  explicit Served(const std::string &options = "") {
    pipe_ =
        popen(("echo $$; exec " + unravel::test::tool_path() + " serve " + options + " 2>&1").c_str(), "r");
    process_ = std::stoi(line());
    address = line();
    const std::size_t begin = address.find("127.0.0.1:") + 10, token_at = address.find("/?token=");
    port = std::stoi(address.substr(begin, token_at - begin));
    client = std::make_unique<httplib::Client>("127.0.0.1", port);
    client->set_read_timeout(60);
    token = address.substr(token_at + 8);
  }
  ~Served() {
    end();
    pclose(pipe_);
  }
  Served(const Served &) = delete;
  Served &operator=(const Served &) = delete;

  void end() { kill(process_, SIGTERM); }

  /// The processes that make its answers.
  std::vector<int> children() const {
    std::vector<int> found;
    for (const auto &task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process_))) {
      std::ifstream listed(task.path() / "children");
      for (int child = 0; listed >> child;)
        found.push_back(child);
    }
    return found;
  }

  json ask(const json &asked) {
    const auto got = client->Post("/answer", {{"X-Token", token}}, asked.dump(), "application/json");
    return got && got->status == 200 ? json::parse(got->body) : json{{"state", "no answer"}};
  }

  std::string address, token;
  int port = 0;
  std::unique_ptr<httplib::Client> client;

private:
  std::string line() {
    char text[256] = "";
    if (!fgets(text, sizeof text, pipe_)) return "";
    return std::string(text, std::string(text).find('\n'));
  }

  FILE *pipe_ = nullptr;
  int process_ = 0;
};

TEST(Serve, AnswersWhoHasTheAddress) {
  Served served;
  const auto page = served.client->Get("/?token=" + served.token);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_NE(page->body.find("<textarea id=\"layouts\""), std::string::npos);
  EXPECT_NE(page->get_header_value("Content-Security-Policy").find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(served.client->Get("/")->status, 403);
  EXPECT_EQ(served.client->Get("/?token=0")->status, 403);
  EXPECT_EQ(served.client->Get("/?token=" + served.token, {{"Host", "elsewhere.example"}})->status, 403);
  EXPECT_EQ(served.client->Post("/answer", "{}", "application/json")->status, 403);
  EXPECT_EQ(served.client->Post("/answer", {{"X-Token", served.token}}, "[", "application/json")->status,
            400);
}

TEST(Serve, CompilesAndRuns) {
  Served served;
  json answer = served.ask({{"text", spmv}, {"formats", " A=csr \r\n\tx=sv\n \n"}});
  EXPECT_EQ(answer["state"], "compiled") << answer["message"];
  EXPECT_NE(answer["page"].get<std::string>().find("Finds and their proofs"), std::string::npos);
  answer = served.ask(
      {{"text", spmv},
       {"formats", "A=mine.layout\n"},
       {"layouts", "layout mine(i: M, j: N) { index row[K], col[K]; count K; value val[K]; stored { [p] -> "
                   "[i, j] : 0 <= p < K and i = row(p) and j = col(p) } at val(p); property range row in "
                   "[0, M); property range col in [0, N); }"},
       {"inputs", "A=integers:3x3,density=1,most=1\nx=ones"},
       {"schedule", "serial"}});
  EXPECT_EQ(answer["state"], "compiled, and run") << answer["message"];
  EXPECT_NE(answer["page"].get<std::string>().find("y(0) = 3, y(1) = 3, y(2) = 3"), std::string::npos);
}

TEST(Serve, SaysWhatIsWrong) {
  Served served;
  json answer = served.ask({{"text", "y(i) = A(i,j"}});
  EXPECT_EQ(answer["state"], "refused");
  EXPECT_EQ(answer["page"], "");
  EXPECT_NE(answer["message"].get<std::string>().find("is never closed [syntax-error]"), std::string::npos);
  // No file of the user's is read.
  for (const json &asked : {json{{"text", spmv}, {"formats", "A=/etc/passwd"}},
                            json{{"text", spmv}, {"formats", "A=csr"}, {"inputs", "A=a.mtx"}}}) {
    answer = served.ask(asked);
    EXPECT_NE(answer["message"].get<std::string>().find("files aren't read here [cannot-read]"),
              std::string::npos);
  }
  EXPECT_EQ(served.ask({{"text", "--help"}})["state"], "refused");
}

/// Of what the user has given, not of the process that makes the answer.
TEST(Serve, SaysWhichMemoryIsTooLittle) {
  Served served("--memory 1G");
  const json answer = served.ask({{"text", "s = x(i)"}, {"inputs", "x=ones:1000000000"}});
  const std::string message = answer["message"];
  EXPECT_NE(message.find("more than the 1 GiB allowed [memory-limit]"), std::string::npos) << message;
  EXPECT_NE(message.find("raise the limit with `unravel serve --memory`"), std::string::npos) << message;
  EXPECT_EQ(message.find("--max-memory"), std::string::npos) << message;
}

TEST(Serve, EndsWhatTakesTooLong) {
  Served served("--seconds 1");
  const json answer =
      served.ask({{"text", "tensor s, A(n, n); for i { for j { for k in [0, n) { for l in [0, n) { "
                           "s += exp(exp(A(i,j) * k * l)); } } } }"},
                  {"inputs", "A=ones:300x300"}});
  EXPECT_EQ(answer["state"], "stopped after 1 seconds");
  EXPECT_EQ(served.ask({{"text", "s = 2"}})["state"], "compiled");
}

TEST(Serve, EndsWhatItIsAskedForWhenItEnds) {
  Served served("--seconds 60");
  std::thread asking([&] {
    served.ask(
        {{"text", "repeat 1000000000 { for i { y(i) += x(i); } }"}, {"inputs", "x=ones:100\ny=ones:100"}});
  });
  std::vector<int> children;
  for (int tries = 0; children.empty() && tries < 500; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    children = served.children();
  }
  served.end();
  asking.join();
  ASSERT_EQ(children.size(), 1u);
  bool is_there = true;
  for (int tries = 0; is_there && tries < 500; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_there = kill(children.front(), 0) == 0;
  }
  EXPECT_FALSE(is_there);
}

TEST(Serve, TakesNoPortTwice) {
  Served served;
  const std::string port = served.address.substr(17, served.address.find("/?") - 17);
  const Outcome outcome = Desk().unravel({"serve", "--port", port});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.error.find("is taken, or not allowed [bad-option]"), std::string::npos) << outcome.error;
}

TEST(Serve, ShowsTheReportInABrowser) {
  if (!has_program("chromium")) GTEST_SKIP() << "no Chromium is installed";
  Served served;
  Desk desk;
  const Outcome outcome =
      desk.execute({"chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                    "--enable-logging=stderr", "--v=0", "--virtual-time-budget=20000",
                    "--user-data-dir=" + desk.path("profile").string(), "--dump-dom", served.address});
  EXPECT_EQ(outcome.error.find("CONSOLE"), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.out.find(">compiled, and run</div>"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Generated C"), std::string::npos); // in the frame's text
}

/// Half of a request from each of sixty, as from a program that is stuck: another one doesn't wait until they give up,
/// which took 34 s when each of them held one of eight threads.
TEST(Serve, HalfOpenConnectionsDelayNobody) {
  Served served;
  const std::string half = "GET / HTTP/1.1\r\nHost: ";
  std::vector<int> open;
  for (int k = 0; k < 60; ++k)
    open.push_back(connection_to(served.port, half));
  served.client->set_read_timeout(15);
  const auto got = served.client->Get("/");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, 403); // without the token
  for (int each : open)
    close(each);
}

TEST(Serve, TwoHostsAreRefused) {
  Served served;
  const int connection = connection_to(
      served.port,
      fmt::format("GET / HTTP/1.1\r\nHost: 127.0.0.1:{0}\r\nHost: elsewhere\r\n\r\n", served.port));
  char answer[13] = {};
  ASSERT_EQ(read(connection, answer, 12), 12);
  EXPECT_STREQ(answer, "HTTP/1.1 400");
  close(connection);
}

} // namespace
} // namespace unravel::tool::test
