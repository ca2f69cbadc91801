#pragma once

#include "contest.h"

#include <list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// The results of a benchmark program: printed as they come, and with `--json FILE` written to a file. What
/// bench/page.py makes a page of.
namespace unravel::bench {

/// Of a series of numbers, one per input. The mean is geometric.
enum class Statistic { mean, median, least, greatest };
/// As tables and files have it.
const char *name_of(Statistic statistic);

/// Which numbers of a series are good: of times the lower ones.
enum class Better { lower, higher };

/// The statistic shall be at most `wanted` where lower numbers are better, at least where higher ones are.
struct Target {
  Statistic of{};
  double wanted = 0;
};

/// One line per input, with the figures of each contestant and ratios between them.
class Table {
public:
  /// `name` is for programs: short, and no other table's of this program.
  Table(std::string name, std::string title, std::string unit, int threads);

  /// Something is wanted of a column, or a column holds ratios that are read the other way.
  void expect(const std::string &column, Better better, const std::vector<Target> &targets = {});

  /// Begins a line. No `entries`: 0.
  void row(const std::string &input, std::size_t entries = 0);
  /// Into the last line: a figure in the table's unit, a ratio, a word. Columns are made as they come.
  void figure(const std::string &column, double value);
  void ratio(const std::string &column, double value);
  void note(const std::string &column, const std::string &text);
  /// The last line as text, after the head where that has changed.
  void print_row();
  /// The statistics of all ratios, and of the figures of which something is wanted, with the targets.
  void print_summary() const;

  nlohmann::ordered_json json() const;

private:
  struct Case {
    std::string input;
    double value;
  };
  struct Column {
    std::string name;
    bool is_ratio = false;
    Better better = Better::lower;
    std::vector<Target> targets;
    std::vector<Case> cases;
  };
  struct Reached {
    double value;
    std::string input; // empty: no single one's
  };
  struct Row {
    std::string input;
    std::size_t entries;
    std::map<std::string, double> numbers; // by column
    std::vector<std::pair<std::string, std::string>> notes;
  };

  Column &column(const std::string &name);
  /// Columns with numbers in them: of figures, then of ratios.
  std::vector<const Column *> filled() const;
  void add(Column &column, double value);
  /// Precondition: there are cases.
  static Reached reached(const Column &column, Statistic statistic);
  static bool is_met(const Column &column, const Target &target, double value);
  static nlohmann::ordered_json json_of(const Column &column, const Target &target);
  std::string header() const;

  std::string name_, title_, unit_;
  int threads_;
  double load_at_begin_, load_at_end_;
  std::list<Column> columns_;
  std::vector<Row> rows_;
  std::string printed_header_;
};

class Report {
public:
  Report(int count, char **arguments, std::string program);

  /// Prints the table's heading.
  Table &table(const std::string &name, const std::string &title, const std::string &unit, int threads);
  /// Prints the summary, and writes all tables so far: what fails later doesn't take them away.
  void finish(const Table &table) const;

private:
  std::string program_, file_;
  std::list<Table> tables_;
};

} // namespace unravel::bench
