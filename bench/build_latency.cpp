// How long it takes from C text to a callable function, in milliseconds, as `compile` reports it (libraries
// loaded on the way included): cold, the first kernel of a fresh process; warm, another kernel of the same
// process; disk, a cached kernel in a fresh process; memory, the same kernel again. Medians, least and
// greatest of several processes.
//   build_latency [RUNS]

#include "files/file.h"
#include "build/kernel.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

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

void print(const char *name, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  std::printf("%-8s median %8.3f   least %8.3f   greatest %8.3f\n", name, times[times.size() / 2],
              times.front(), times.back());
}

} // namespace

int main(int count, char **arguments) {
  int runs = count > 1 ? std::max(1, std::atoi(arguments[1])) : 11;
  unravel::files::PrivateFolder folder;
  Options options;
  options.cache_directory = folder.path();
  std::vector<double> cold, warm, disk, memory;
  for (int run = 0; run < runs; ++run) {
    Times made = measure(options, 2 * run), found = measure(options, 2 * run);
    cold.push_back(made.first);
    warm.push_back(made.second);
    disk.push_back(found.first);
    memory.push_back(found.again);
  }
  std::printf("%s, %d runs\n", back_end_name().c_str(), runs);
  print("cold", cold);
  print("warm", warm);
  print("disk", disk);
  print("memory", memory);
}
