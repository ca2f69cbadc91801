// How long it takes from C text to a callable function, in milliseconds, as `compile` reports it (libraries
// loaded on the way included): cold, the first kernel of a fresh process; warm, another kernel of the same
// process; disk, a cached kernel in a fresh process; memory, the same kernel again. Medians, least and
// greatest of several processes.
//   build_latency [RUNS]

#include "files/file.h"
#include "build/kernel.h"
#include "report.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace unravel::build;

std::string spmv(int number) {
  return "void spmv(int m, const int *restrict rowptr, const int *restrict col, const double *restrict val,\n"
         "          const double *restrict x, double *restrict y) {\n"
         "  #pragma omp parallel for schedule(dynamic, 32)\n"
         "  for (int i = 0; i < m; ++i) {\n"
         "    double sum = 0;\n"
         "    for (int p = rowptr[i]; p < rowptr[i + 1]; ++p) sum += val[p] * x[col[p]];\n"
         "    y[i] = sum;\n"
         "  }\n"
         "}\n/* " +
         std::to_string(number) + " */\n";
}

struct Times {
  double first, second, again;
};

/// In a fresh process: a text, another text, the first text again.
Times measure(const Options &options, int number) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(1);
  if (fork() == 0) {
    Times times{};
    times.first = compile(spmv(number), options).timing().milliseconds;
    times.second = compile(spmv(number + 1), options).timing().milliseconds;
    times.again = compile(spmv(number), options).timing().milliseconds;
    _exit(write(ends[1], &times, sizeof(times)) == sizeof(times) ? 0 : 1);
  }
  Times times{};
  bool read_all = read(ends[0], &times, sizeof(times)) == sizeof(times);
  int status = 0;
  wait(&status);
  close(ends[0]);
  close(ends[1]);
  if (!read_all || status != 0) std::exit(1);
  return times;
}

} // namespace

int main(int count, char **arguments) try {
  namespace bench = unravel::bench;
  bench::Report report(count, arguments, "build_latency");
  const char *few = bench::has_option(count, arguments, "quick") ? "5" : "11";
  int runs = std::max(1, std::atoi(bench::option(count, arguments, "runs", few).c_str()));
  unravel::files::PrivateFolder folder;
  Options options;
  options.cache_directory = folder.path();
  bench::Table &table = report.table("build", "C text to a callable function, by " + back_end_name(),
                                     bench::unit_of(bench::Timing::wall), 1);
  for (const char *column : {"cold", "warm"})
    table.expect(column, bench::Better::lower, {{bench::Statistic::median, 150}});
  for (const char *column : {"disk", "memory"})
    table.expect(column, bench::Better::lower, {{bench::Statistic::median, 25}});
  for (int run = 0; run < runs; ++run) {
    Times made = measure(options, 2 * run), found = measure(options, 2 * run);
    table.row("process " + std::to_string(run + 1));
    table.figure("cold", made.first);
    table.figure("warm", made.second);
    table.figure("disk", found.first);
    table.figure("memory", found.again);
    table.print_row();
  }
  report.finish(table);
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
