// A module that `unravel` takes for its in-process compiler (UNRAVEL_JIT_MODULE), and that lets a process do
// the work which has loaded LLVM before: loading it takes longer than most of a small `unravel run`. The
// descriptor UNRAVEL_LENT_COMPILER is a stream to that process. Sent: an int64, how many bytes follow; the
// text. Received: an int64, how many bytes follow; the letter o and the name of a shared object, or the
// letter e and what the compiler said.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct kernel {
  void *handle;
  char *path;
} kernel;

static void whole(ssize_t (*move)(int, void *, size_t), int stream, void *memory, size_t size) {
  for (char *at = memory; size > 0;) {
    const ssize_t moved = move(stream, at, size);
    if (moved <= 0) {
      fputs("the process that lends its compiler ended\n", stderr);
      _exit(70);
    }
    at += moved;
    size -= (size_t)moved;
  }
}

static ssize_t sending(int stream, void *memory, size_t size) {
  return write(stream, memory, size);
}

static void *compile(const char *text, size_t size, char **message) {
  const int stream = atoi(getenv("UNRAVEL_LENT_COMPILER"));
  int64_t bytes = (int64_t)size;
  whole(sending, stream, &bytes, sizeof bytes);
  whole(sending, stream, (void *)text, size);
  whole(read, stream, &bytes, sizeof bytes);
  char *answer = calloc((size_t)bytes + 1, 1);
  whole(read, stream, answer, (size_t)bytes);
  kernel *made = malloc(sizeof *made);
  made->path = strdup(answer + 1);
  made->handle = answer[0] == 'o' ? dlopen(made->path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!made->handle) *message = strdup(answer[0] == 'o' ? dlerror() : made->path);
  free(answer);
  return made->handle ? made : NULL;
}

static void *find_symbol(void *of, const char *name) {
  return dlsym(((kernel *)of)->handle, name);
}

static void *openmp_runtime(void *of) {
  Dl_info about;
  void *known = find_symbol(of, "omp_set_num_threads");
  if (!known || !dladdr(known, &about)) return NULL;
  return dlopen(about.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

/// Kernels of one process are not kept for another.
static int refuse_to_link(void *of, const char *path, char **message) {
  (void)of, (void)path;
  *message = strdup("not kept");
  return 0;
}

static void release(void *of) {
  openmp_runtime(of);
  dlclose(((kernel *)of)->handle);
  free(((kernel *)of)->path);
  free(of);
}

/// As src/build/clang/interface.h declares it.
const struct table {
  int version;
  void *(*compile)(const char *, size_t, char **);
  void *(*find_symbol)(void *, const char *);
  void *(*openmp_runtime)(void *);
  int (*link)(void *, const char *, char **);
  void (*release)(void *);
} * unravel_clang(void) {
  static const struct table table = {1, compile, find_symbol, openmp_runtime, refuse_to_link, release};
  return &table;
}
