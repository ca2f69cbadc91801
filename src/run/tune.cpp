#include "run/tune.h"

#include "build/cache.h"
#include "files/own_folder.h"
#include "machine/stopwatch.h"
#include "pipeline/plans.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace unravel::run {

namespace {

constexpr int least_calls = 5, most_calls = 100; // of each kernel
constexpr double long_enough = 30;               // milliseconds of one kernel's calls
constexpr double too_long = 10 * long_enough;    // of a kernel that is slower than the first one
constexpr double hopeless = 2;                   // times the fastest; no schedule makes up for that
constexpr std::size_t most_plans = 10;           // that are tried

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

/// What measuring goes on with.
class Trials {
public:
  Trials(const Request &request, double seconds, const std::function<void(const Progress &)> &progress)
      : request_(request), data_(request), progress_(progress), seconds_(seconds) {}

  /// The request's schedules and this one.
  std::vector<std::string> schedules(const std::string &more) const {
    std::vector<std::string> all = request_.compile.schedules;
    if (!more.empty()) all.push_back(more);
    return all;
  }

  bool is_over() const { return clock_.milliseconds() >= 1000 * seconds_; }

  const Report &measure(const std::string &schedule) {
    Report report = data_.measure(schedules(schedule), calls_, too_long);
    if (trials_.empty())
      calls_ = std::clamp(static_cast<int>(long_enough / std::max(report.kernel.least, 1e-3)), least_calls,
                          most_calls);
    if (texts_.insert(report.c_text).second) {
      trials_.push_back({schedule, report.kernel.least, report.conversion_ms.value_or(0)});
      reports_.push_back(std::move(report));
      if (progress_) progress_({trials_.back(), clock_.milliseconds() / 1000});
    }
    return reports_.back();
  }

  /// Not where time is over, and nothing where it is refused: there are fewer plans, it takes more memory
  /// than there may be, the loops aren't as it wants them.
  void try_one(const std::string &schedule) {
    if (is_over()) return;
    report::unless_refused([&] { return measure(schedule), true; });
  }

  std::vector<std::string> conversions() const { return data_.conversions(); }
  const std::vector<Trial> &all() const { return trials_; }
  const Report &report_of(std::size_t trial) const { return reports_[trial]; }

  /// The numbers of the fastest ones, so many.
  std::vector<std::size_t> fastest(std::size_t most) const {
    std::vector<std::size_t> order(trials_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const double calls = std::max(1, request_.repeat);
    std::ranges::stable_sort(
        order, {}, [&](std::size_t k) { return trials_[k].milliseconds + trials_[k].once / calls; });
    order.resize(std::min(order.size(), most));
    return order;
  }

  Report run(const std::string &schedule, bool details) { return data_.run(schedules(schedule), details); }

private:
  Request request_;
  Data data_;
  const std::function<void(const Progress &)> &progress_;
  double seconds_;
  machine::Stopwatch clock_; // from when the data are there
  int calls_ = least_calls;
  std::vector<Trial> trials_;
  std::vector<Report> reports_;
  std::set<std::string> texts_;
};

std::string joined(const std::string &one, const std::string &other) {
  return one.empty() ? other : one + "; " + other;
}

/// Each candidate by itself, then those that were faster together.
void try_candidates(Trials &trials) {
  for (const std::size_t number : trials.fastest(2)) {
    const Trial base = trials.all()[number];
    if (base.milliseconds > hopeless * trials.all()[trials.fastest(1).front()].milliseconds) continue;
    const pipeline::Compilation &made = trials.report_of(number).compilation;
    // With other wishes no plan is taken by itself.
    const std::string plan = made.plan && !base.schedule.starts_with("plan")
                                 ? joined(base.schedule, fmt::format("plan {}", *made.plan + 1))
                                 : base.schedule;
    std::vector<std::pair<double, std::string>> faster;
    for (const std::string &candidate : candidates(trials.report_of(number))) {
      const std::size_t before = trials.all().size();
      trials.try_one(joined(plan, candidate));
      if (trials.all().size() > before && trials.all().back().milliseconds < base.milliseconds)
        faster.emplace_back(trials.all().back().milliseconds, candidate);
    }
    std::ranges::sort(faster);
    std::string together = plan;
    for (std::size_t k = 0; k < faster.size(); ++k) {
      together = joined(together, faster[k].second);
      if (k > 0) trials.try_one(together);
    }
  }
}

} // namespace

Tuned tune(const Request &request, double seconds, bool details,
           const std::function<void(const Progress &)> &progress) {
  require_plans(request);
  Trials trials(request, seconds, progress);
  Tuned tuned;
  Tuning &tuning = tuned.tuning;
  const Report &first = trials.measure("");
  if (first.has_special_values)
    report::fail(
        report::Kind::not_supported,
        "plans can't be measured on data with infinities or NaN, or divisors that are 0: a plan may make "
        "other NaNs of them",
        "leave the choice to the compiler");
  const std::vector<std::string> conversions = trials.conversions();
  const std::string key = key_of(request, first);
  const Kept kept(request, key);
  if (const std::optional<std::string> schedule = kept.find()) {
    if (!schedule->empty()) trials.measure(*schedule);
    tuning.best = trials.all().size() - 1;
    tuning.is_kept = true;
  } else {
    trials.try_one("plan none");
    for (std::size_t plan = 1; plan <= most_plans; ++plan)
      trials.try_one(fmt::format("plan {}", plan));
    for (const std::string &conversion : conversions)
      trials.try_one(conversion);
    try_candidates(trials);
    tuning.best = trials.fastest(1).front();
    kept.store(trials.all()[tuning.best].schedule);
  }
  tuning.trials = trials.all();
  tuned.report = trials.run(tuning.trials[tuning.best].schedule, details);
  return tuned;
}

} // namespace unravel::run
