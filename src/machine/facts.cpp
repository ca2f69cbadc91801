#include "machine/facts.h"

#include "report/diagnostic.h"
#include "report/suggest.h"
#include "text/contains.h"
#include "text/json_value.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace unravel::machine {

using nlohmann::json;
using nlohmann::ordered_json;

const std::vector<Fact> &facts() {
  static const std::string forms = "in which form sums over segments are written";
  static const std::vector<Fact> all = {
      {"wake", "ns", "to wake a sleeping thread and get its answer",
       "the least work for which a loop gets a team of threads", false,
       [](Profile &p) -> double & { return p.wake; }},
      {"barrier", "ns", "to get an answer from a thread that is awake",
       "chunks of parallel loops, work of a wavefront's level, parallel loops inside serial ones", false,
       [](Profile &p) -> double & { return p.barrier; }},
      {"entry", "ns", "per entry of a plain sum in cache", "what the other times are compared with", false,
       [](Profile &p) -> double & { return p.entry; }},
      {"branch_miss", "ns", "of a mispredicted branch",
       "tests for marks against visits, binary searches against walks, what a row costs", false,
       [](Profile &p) -> double & { return p.branch_miss; }},
      {"load", "ns", "per element at an index, by plain loads", "", false,
       [](Profile &p) -> double & { return p.load; }},
      {"gather4", "ns", "per element at an index, by AVX2 gathers of 4", "", true,
       [](Profile &p) -> double & { return p.gather4; }},
      {"gather8", "ns", "per element at an index, by masked AVX-512 gathers of 8", "", true,
       [](Profile &p) -> double & { return p.gather8; }},
      {"even.plain", "ns", "per entry, segments of 17: entry by entry", forms, false,
       [](Profile &p) -> double & { return p.even.plain; }},
      {"even.pairs", "ns", "per entry, segments of 17: in vectors of two", forms, false,
       [](Profile &p) -> double & { return p.even.pairs; }},
      {"even.gathers", "ns", "per entry, segments of 17: by masked gathers", forms, true,
       [](Profile &p) -> double & { return p.even.gathers; }},
      {"uneven.plain", "ns", "per entry, segments of 1 to 13: entry by entry", forms, false,
       [](Profile &p) -> double & { return p.uneven.plain; }},
      {"uneven.pairs", "ns", "per entry, segments of 1 to 13: in vectors of two", forms, false,
       [](Profile &p) -> double & { return p.uneven.pairs; }},
      {"uneven.gathers", "ns", "per entry, segments of 1 to 13: by masked gathers", forms, true,
       [](Profile &p) -> double & { return p.uneven.gathers; }},
      {"line", "ns", "per line of rows that lie anywhere in 8 MiB",
       "contraction plans, and whether another order of an operand's modes pays", false,
       [](Profile &p) -> double & { return p.line; }},
      {"bandwidth", "GB/s", "read from memory by one thread", "", false,
       [](Profile &p) -> double & { return p.bandwidth; }},
  };
  return all;
}

std::string to_json(const Profile &profile) {
  ordered_json out = {{"processor", profile.processor}};
  for (const Fact &fact : facts())
    out[fact.name] = fact.of(profile);
  out["caches"] = ordered_json::array();
  for (const DataCache &cache : profile.caches)
    out["caches"].push_back({{"name", cache.name}, {"bytes", cache.bytes}});
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

namespace {

class Reader {
public:
  Reader(const std::string &text, const std::string &file)
      : source_(std::make_shared<const text::Source>(file, text)) {}

  Profile read() {
    const json object = parse();
    if (!object.is_object()) fail({source_, 0, 1}, "a machine's profile is an object, `{` to `}`");
    refuse_unknown(object);
    Profile profile;
    const json &processor = field(object, "processor", "the processor's name");
    if (!processor.is_string()) fail_value("processor", "a text", processor);
    profile.processor = processor;
    for (const Fact &fact : facts())
      fact.in(profile) = number(fact, field(object, fact.name, fact.meaning + ", in " + fact.unit));
    for (const json &cache : list(field(object, "caches", "a list, which may be empty")))
      profile.caches.push_back(cache_of(cache));
    return profile;
  }

private:
  [[noreturn]] void fail(const text::Span &span, const std::string &message, const std::string &hint) const {
    report::fail(report::Kind::bad_machine_file, span, message, hint);
  }
  [[noreturn]] void fail(const text::Span &span, const std::string &message) const {
    fail(span, message, "`unravel machine -o FILE` writes such a file");
  }

  /// Where the field's name stands.
  text::Span name_of(const std::string &field) const {
    const std::string quoted = '"' + field + '"';
    const std::size_t at = source_->content().find(quoted);
    if (at == std::string_view::npos) return {source_, 0, 1};
    return {source_, at, at + quoted.size()};
  }

  [[noreturn]] void fail_value(const std::string &field, const std::string &expected,
                               const json &found) const {
    fail(name_of(field),
         fmt::format("`{}` is to be {}, but is {}", field, expected, text::shown_value(found)));
  }

  json parse() const {
    std::set<std::string> names;
    auto refuse_twice = [&](int depth, json::parse_event_t event, json &parsed) {
      if (event == json::parse_event_t::key && depth == 1 && !names.insert(parsed).second)
        fail(name_of(parsed), fmt::format("`{}` is given twice", std::string(parsed)));
      return true;
    };
    try {
      return json::parse(source_->content(), refuse_twice);
    } catch (const json::parse_error &error) {
      const std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, source_->content().size());
      fail({source_, at, at + 1}, "no JSON from here on");
    } catch (const json::exception &) {
      fail({source_, 0, 1}, "a number is too large");
    }
  }

  void refuse_unknown(const json &object) const {
    std::vector<std::string> known = {"processor", "caches"};
    for (const Fact &fact : facts())
      known.push_back(fact.name);
    for (const auto &[name, value] : object.items()) {
      if (contains(known, name)) continue;
      fail(name_of(name), fmt::format("a machine's profile has no `{}`", name),
           report::suggest(name, known, fmt::format("it has {}", fmt::join(known, ", "))));
    }
  }

  const json &field(const json &object, const std::string &name, const std::string &meaning) const {
    auto found = object.find(name);
    if (found == object.end()) fail({source_, 0, 1}, fmt::format("`{}` is missing: {}", name, meaning));
    return *found;
  }

  double number(const Fact &fact, const json &value) const {
    const double read = value.is_number() ? value.get<double>() : -1;
    if (!std::isfinite(read) || read < 0 || (read == 0 && !fact.may_be_zero))
      fail_value(fact.name, fact.may_be_zero ? "a number, 0 or more" : "a number above 0", value);
    return read;
  }

  const json &list(const json &value) const {
    if (!value.is_array()) fail_value("caches", "a list", value);
    return value;
  }

  DataCache cache_of(const json &value) const {
    const bool good = value.is_object() && value.size() == 2 && value.contains("name") &&
                      value["name"].is_string() && value.contains("bytes") &&
                      value["bytes"].is_number_integer() && value["bytes"].get<std::int64_t>() > 0;
    if (!good)
      fail(name_of("caches"), fmt::format("a cache has a `name` and its `bytes`, above 0, but here is {}",
                                          text::shown_value(value)));
    return {value["name"], value["bytes"]};
  }

  std::shared_ptr<const text::Source> source_;
};

} // namespace

Profile from_json(const std::string &text, const std::string &file) {
  return Reader(text, file).read();
}

} // namespace unravel::machine
