#include "report/diagnostic.h"
#include "text/embedded.h"
#include "tool/commands.h"
#include "tool/options.h"
#include "tool/playground.h"

#include <condition_variable>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <httplib.h>
#include <iostream>
#include <mutex>
#include <random>
#include <sys/socket.h>
#include <system_error>
#include <thread>

namespace unravel::tool {

/// Of the folder page.
const std::vector<text::EmbeddedFile> &page_files();

namespace {

struct ServeOptions {
  int port = 0;
  int seconds = 10;
  std::string memory = "4G";
};

/// 128 bits that nobody can guess, as hexadecimal digits.
std::string new_token() {
  std::random_device random;
  std::string token;
  for (int k = 0; k < 4; ++k)
    token += fmt::format("{:08x}", random());
  return token;
}

/// A page of another site may send requests here: it doesn't know the token. It may have a name that leads
/// here: then it isn't one of this machine's own.
class Door {
public:
  Door(std::string token, int port) : token_(std::move(token)), port_(port) {}

  bool is_open(const httplib::Request &request, const std::string &token) const {
    const std::string host = request.get_header_value("Host");
    return token == token_ &&
           (host == fmt::format("127.0.0.1:{}", port_) || host == fmt::format("localhost:{}", port_));
  }

private:
  std::string token_;
  int port_;
};

/// A thread for each connection: as many as there may be that ask for nothing, another one is answered.
class Connections : public httplib::TaskQueue {
public:
  void enqueue(std::function<void()> answer) override {
    {
      const std::lock_guard lock(mutex_);
      ++open_;
    }
    const auto serve = [this, answer = std::move(answer)] {
      answer();
      const std::lock_guard lock(mutex_);
      if (--open_ == 0) all_closed_.notify_all();
    };
    try {
      std::thread(serve).detach();
    } catch (const std::system_error &) {
      serve(); // there may be no more threads
    }
  }
  void shutdown() override {
    std::unique_lock lock(mutex_);
    all_closed_.wait(lock, [this] { return open_ == 0; });
  }

private:
  std::mutex mutex_;
  std::condition_variable all_closed_;
  int open_ = 0; // guarded by the mutex
};

void refuse(httplib::Response &response) {
  response.status = 403;
  response.set_content("open the address that `unravel serve` has printed\n", "text/plain");
}

/// What the compiler's own code and a small answer take.
constexpr std::int64_t least_memory = std::int64_t{1} << 29;

void serve(const ServeOptions &options) {
  httplib::Server server;
  socket_t listening = -1;
  server.set_socket_options([&](socket_t made) { listening = made; }); // else a port could have two processes
  const int port = options.port == 0                                ? server.bind_to_any_port("127.0.0.1")
                   : server.bind_to_port("127.0.0.1", options.port) ? options.port
                                                                    : -1;
  if (port < 0)
    report::fail(report::Kind::bad_option,
                 fmt::format("port {} of this machine is taken, or not allowed", options.port),
                 "leave out --port: a free one is taken");
  // The library's queue takes five connections: who comes sixth waits a second before it tries again.
  ::listen(listening, SOMAXCONN);
  const std::int64_t memory = memory_bytes(options.memory, "--memory");
  if (memory < least_memory)
    report::fail(report::Kind::bad_option,
                 fmt::format("`--memory {}` is too little for any answer", options.memory),
                 "give at least 512M");
  const std::string token = new_token();
  const Door door(token, port);
  const Playground playground(std::filesystem::read_symlink("/proc/self/exe").string(),
                              {options.seconds, memory});
  std::mutex one_at_a_time;
  server.new_task_queue = [] { return new Connections; };
  server.set_read_timeout(1); // it is a browser of this machine that writes
  server.set_payload_max_length(1 << 17);
  server.set_pre_routing_handler([](const httplib::Request &request, httplib::Response &response) {
    if (request.get_header_value_count("Host") < 2) return httplib::Server::HandlerResponse::Unhandled;
    response.status = 400; // which of them is meant, nobody knows
    response.set_content("one Host is expected\n", "text/plain");
    return httplib::Server::HandlerResponse::Handled;
  });
  server.set_default_headers({{"Content-Security-Policy",
                               "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
                               "connect-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'"},
                              {"Referrer-Policy", "no-referrer"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Cache-Control", "no-store"}});
  server.Get("/", [&](const httplib::Request &request, httplib::Response &response) {
    if (!door.is_open(request, request.get_param_value("token"))) return refuse(response);
    response.set_content(text::file_named("playground", page_files())->content, "text/html; charset=utf-8");
  });
  server.Post("/answer", [&](const httplib::Request &request, httplib::Response &response) {
    if (!door.is_open(request, request.get_header_value("X-Token"))) return refuse(response);
    const nlohmann::json asked = nlohmann::json::parse(request.body, nullptr, false);
    if (!asked.is_object()) {
      response.status = 400;
      return response.set_content("an object is expected\n", "text/plain");
    }
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    response.set_content(
        playground.answer(asked).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
        "application/json");
  });
  std::cout << fmt::format("http://127.0.0.1:{}/?token={}\n", port, token)
            << "Open it in a browser of this machine. Ctrl-C ends it.\n"
            << std::flush;
  if (!std::cout) return; // nobody has read the address, which main() tells
  server.listen_after_bind();
}

} // namespace

void add_serve(CLI::App &app) {
  auto *command =
      app.add_subcommand("serve", "try expressions, layouts and schedules on a page in your browser");
  auto options = std::make_shared<ServeOptions>();
  command->add_option("--port", options->port, "port on this machine (default: a free one)")
      ->check(CLI::Range(1, 65535));
  command->add_option("--seconds", options->seconds, "CPU time that one answer may take (default: 10)")
      ->check(CLI::Range(1, 3600));
  command->add_option("--memory", options->memory,
                      "memory that one answer may take, in bytes or with K, M, G (default: 4G)");
  command->footer("Other machines can't reach the page, and it reads none of your files.\n"
                  "Example:\n  unravel serve");
  command->callback([options] { serve(*options); });
}

} // namespace unravel::tool
