#include "run/tune.h"

#include "build/cache.h"
#include "files/own_folder.h"
#include "machine/stopwatch.h"
#include "pipeline/plans.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace unravel::run {

namespace {

constexpr int calls = 5;               // of each kernel
constexpr std::size_t most_plans = 10; // that are tried

Request with(Request request, const std::string &schedule) {
  if (!schedule.empty()) request.compile.schedules.push_back(schedule);
  return request;
}

/// Only the kernel and its times are of interest.
Request measured(Request request) {
  request.outputs.clear();
  request.check = false;
  request.repeat = calls;
  return request;
}

/// What a winner is the winner of.
std::string key_of(const Request &request, const Report &report) {
  const pipeline::Request &compile = request.compile;
  std::string key = fmt::format("{}\n{}\n{} threads\n", report.compilation.computation.text,
                                compile.machine.processor, request.threads.value_or(0));
  for (const auto &[tensor, layout] : report.compilation.layouts)
    key += fmt::format("{}: {}\n", tensor, layout.name);
  for (const auto &[tensor, shape] : report.shapes)
    key += fmt::format("{} {}\n", tensor, fmt::join(shape, "x"));
  for (const auto &[tensor, entries] : report.entries)
    key += fmt::format("{} {} entries\n", tensor, entries);
  for (const std::string &schedule : compile.schedules)
    key += schedule + "\n";
  return key + report.c_text; // types, and what the compiler makes of them
}

/// Winners, each in a file of its own.
class Kept {
public:
  Kept(const Request &request, const std::string &key)
      : folder_(request.build.cache ? build::cache_directory(request.build.cache_directory) : ""), key_(key),
        name_(fmt::format("tuned-{:016x}.txt", std::hash<std::string>()(key))) {}

  std::optional<std::string> find() const {
    if (!folder_.usable()) return std::nullopt;
    const std::optional<std::string> text = folder_.read(name_);
    const std::size_t end = text ? text->find('\n') : std::string::npos;
    if (end == std::string::npos || text->substr(end + 1) != key_) return std::nullopt;
    return text->substr(0, end);
  }

  void store(const std::string &schedule) const {
    if (folder_.usable()) folder_.write(name_, schedule + "\n" + key_);
  }

private:
  files::OwnFolder folder_;
  const std::string &key_;
  std::string name_;
};

void require_plans(const Request &request) {
  const pipeline::Front front = pipeline::read_request(request.compile);
  std::string why;
  if (front.schedule.plan)
    report::fail(report::Kind::bad_option,
                 "a plan can't be both chosen by measuring and given by the schedule",
                 "leave out one of them");
  if (!pipeline::plans_of(request.compile, front, 1, why))
    report::fail(report::Kind::not_supported, front.computation.program.statements.front().span,
                 fmt::format("there are no plans to choose from: {}", why),
                 "leave the choice to the compiler");
}

} // namespace

Tuning tune(const Request &request, double seconds, const std::function<void(const Trial &)> &progress) {
  require_plans(request);
  const machine::Stopwatch clock;
  Tuning tuning;
  std::set<std::string> texts;
  const auto measure = [&](const std::string &schedule) {
    Report report = run(measured(with(request, schedule)));
    if (texts.insert(report.c_text).second) {
      tuning.trials.push_back({schedule, report.kernel.least});
      if (progress) progress(tuning.trials.back());
    }
    return report;
  };
  const Report first = measure("");
  if (first.has_special_values)
    report::fail(report::Kind::not_supported,
                 "plans can't be measured on data with infinities or NaN: a plan may make other NaNs of them",
                 "leave the choice to the compiler");
  const std::string key = key_of(request, first);
  const Kept kept(request, key);
  if (const std::optional<std::string> schedule = kept.find()) {
    if (!schedule->empty()) measure(*schedule);
    tuning.best = tuning.trials.size() - 1;
    tuning.is_kept = true;
    return tuning;
  }
  std::vector<std::string> schedules{"plan none"};
  for (std::size_t plan = 1; plan <= most_plans; ++plan)
    schedules.push_back(fmt::format("plan {}", plan));
  for (const std::string &schedule : schedules) {
    if (clock.milliseconds() >= 1000 * seconds) break;
    try {
      measure(schedule);
    } catch (const report::Error &error) {
      // There are fewer plans, or this one takes more memory than there may be.
      const report::Kind kind = error.diagnostic().kind;
      if (kind != report::Kind::not_supported && kind != report::Kind::memory_limit) throw;
    }
  }
  const auto fastest = std::ranges::min_element(tuning.trials, {}, &Trial::milliseconds);
  tuning.best = static_cast<std::size_t>(fastest - tuning.trials.begin());
  kept.store(fastest->schedule);
  return tuning;
}

Request tuned(Request request, const Tuning &tuning) {
  return with(std::move(request), tuning.trials[tuning.best].schedule);
}

} // namespace unravel::run
