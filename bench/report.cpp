#include "report.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>

namespace unravel::bench {

namespace {

constexpr std::size_t input_width = 42;

const char *direction(Better better) {
  return better == Better::lower ? "at most" : "at least";
}

} // namespace

const char *name_of(Statistic statistic) {
  switch (statistic) {
  case Statistic::mean: return "geometric mean";
  case Statistic::median: return "median";
  case Statistic::least: return "least";
  case Statistic::greatest: return "greatest";
  }
  return "";
}

Table::Table(std::string name, std::string title, std::string unit, int threads)
    : name_(std::move(name)), title_(std::move(title)), unit_(std::move(unit)), threads_(threads),
      load_at_begin_(load()), load_at_end_(load_at_begin_) {
  fmt::print("\n{}, {} thread{}, {}, load {:.1f}\n", title_, threads_, threads_ == 1 ? "" : "s", unit_,
             load_at_begin_);
}

Table::Column &Table::column(const std::string &name) {
  for (Column &column : columns_)
    if (column.name == name) return column;
  Column fresh;
  fresh.name = name;
  return columns_.emplace_back(std::move(fresh));
}

std::vector<const Table::Column *> Table::filled() const {
  std::vector<const Column *> found;
  for (bool ratios : {false, true})
    for (const Column &column : columns_)
      if (column.is_ratio == ratios && !column.cases.empty()) found.push_back(&column);
  return found;
}

void Table::expect(const std::string &name, Better better, const std::vector<Target> &targets) {
  Column &of = column(name);
  of.better = better;
  of.targets = targets;
}

void Table::row(const std::string &input, std::size_t entries) {
  rows_.push_back({input, entries, {}, {}});
}

void Table::add(Column &column, double value) {
  column.cases.push_back({rows_.back().input, value});
  rows_.back().numbers[column.name] = value;
  load_at_end_ = load();
}

void Table::figure(const std::string &name, double value) {
  add(column(name), value);
}

void Table::ratio(const std::string &name, double value) {
  Column &to = column(name);
  to.is_ratio = true;
  add(to, value);
}

void Table::note(const std::string &name, const std::string &text) {
  rows_.back().notes.emplace_back(name, text);
}

std::string Table::header() const {
  std::string text = fmt::format("{:<{}} {:>9}", "input", input_width, "entries");
  for (const Column *column : filled())
    text += fmt::format("  {:>8}", column->name);
  for (const auto &[name, word] : rows_.back().notes)
    text += fmt::format("  {}", name);
  return text;
}

void Table::print_row() {
  const Row &last = rows_.back();
  if (std::string now = header(); now != printed_header_) {
    fmt::print("{}\n", now);
    printed_header_ = now;
  }
  fmt::print("{:<{}} {:>9}", last.input, input_width,
             last.entries > 0 ? std::to_string(last.entries) : std::string());
  for (const Column *column : filled()) {
    auto number = last.numbers.find(column->name);
    std::string text = number == last.numbers.end() ? "-" : fmt::format("{:.3g}", number->second);
    fmt::print("  {:>{}}", text, std::max<std::size_t>(8, column->name.size()));
  }
  for (const auto &[name, word] : last.notes)
    fmt::print("  {:<{}}", word, name.size());
  fmt::print("\n");
  std::fflush(stdout);
}

Table::Reached Table::reached(const Column &column, Statistic statistic) {
  std::vector<double> values;
  for (const Case &one : column.cases)
    values.push_back(one.value);
  if (statistic == Statistic::mean) return {geometric_mean(values), ""};
  if (statistic == Statistic::median) return {median(values), ""};
  auto less = [](const Case &a, const Case &b) { return a.value < b.value; };
  auto at = statistic == Statistic::least ? std::min_element(column.cases.begin(), column.cases.end(), less)
                                          : std::max_element(column.cases.begin(), column.cases.end(), less);
  return {at->value, at->input};
}

bool Table::is_met(const Column &column, const Target &target, double value) {
  return column.better == Better::lower ? value <= target.wanted : value >= target.wanted;
}

void Table::print_summary() const {
  for (const Column *each : filled()) {
    const Column &column = *each;
    if (!column.is_ratio && column.targets.empty()) continue;
    Reached least = reached(column, Statistic::least), greatest = reached(column, Statistic::greatest);
    fmt::print("  {}: geometric mean {:.3g}, least {:.3g} ({}), greatest {:.3g} ({})\n", column.name,
               reached(column, Statistic::mean).value, least.value, least.input, greatest.value,
               greatest.input);
    for (const Target &target : column.targets) {
      double value = reached(column, target.of).value;
      fmt::print("    target {} {} {:g}: {}, {:.3g}\n", name_of(target.of), direction(column.better),
                 target.wanted, is_met(column, target, value) ? "met" : "missed", value);
    }
  }
  std::fflush(stdout);
}

nlohmann::ordered_json Table::json_of(const Column &column, const Target &target) {
  nlohmann::ordered_json made{{"name", fmt::format("{}, {}", column.name, name_of(target.of))},
                              {"column", column.name},
                              {"statistic", name_of(target.of)},
                              {"direction", direction(column.better)},
                              {"wanted", target.wanted},
                              {"reached", nullptr},
                              {"input", ""},
                              {"met", nullptr}};
  if (column.cases.empty()) return made; // not measured
  Reached figure = reached(column, target.of);
  made["reached"] = figure.value;
  made["input"] = figure.input;
  made["met"] = is_met(column, target, figure.value);
  return made;
}

nlohmann::ordered_json Table::json() const {
  using Json = nlohmann::ordered_json;
  Json made{{"name", name_},
            {"title", title_},
            {"unit", unit_},
            {"threads", threads_},
            {"load", {load_at_begin_, load_at_end_}},
            {"columns", Json::array()},
            {"ratios", Json::array()},
            {"rows", Json::array()},
            {"targets", Json::array()}};
  for (const Column &column : columns_)
    for (const Target &target : column.targets)
      made["targets"].push_back(json_of(column, target));
  for (const Column *column : filled()) {
    if (!column->is_ratio) {
      made["columns"].push_back(column->name);
      continue;
    }
    Json ratio{{"name", column->name},
               {"better", column->better == Better::lower ? "lower" : "higher"},
               {"cases", column->cases.size()}};
    for (Statistic statistic : {Statistic::mean, Statistic::least, Statistic::greatest})
      ratio[name_of(statistic)] = reached(*column, statistic).value;
    made["ratios"].push_back(std::move(ratio));
  }
  for (const Row &row : rows_) {
    Json line{{"input", row.input},
              {"entries", row.entries},
              {"figures", Json::object()},
              {"ratios", Json::object()},
              {"notes", Json::object()}};
    for (const Column &column : columns_)
      if (auto number = row.numbers.find(column.name); number != row.numbers.end())
        line[column.is_ratio ? "ratios" : "figures"][column.name] = number->second;
    for (const auto &[name, text] : row.notes)
      line["notes"][name] = text;
    made["rows"].push_back(std::move(line));
  }
  return made;
}

Report::Report(int count, char **arguments, std::string program)
    : program_(std::move(program)), file_(option(count, arguments, "json", "")) {}

Table &Report::table(const std::string &name, const std::string &title, const std::string &unit,
                     int threads) {
  return tables_.emplace_back(name, title, unit, threads);
}

void Report::finish(const Table &table) const {
  table.print_summary();
  if (file_.empty()) return;
  nlohmann::ordered_json made{{"program", program_}, {"tables", nlohmann::ordered_json::array()}};
  for (const Table &each : tables_)
    made["tables"].push_back(each.json());
  std::ofstream stream(file_);
  stream << made.dump(1) << '\n';
  if (!stream.flush()) throw std::runtime_error(fmt::format("can't write {}", file_));
}

} // namespace unravel::bench
