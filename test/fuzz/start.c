// Runs the main function of a shared object: a program that is linked as one is linked in a fifth of the
// time.
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words) {
  void *program = count > 1 ? dlopen(words[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
  int (*begin)(int, char **);
  *(void **)&begin = program ? dlsym(program, "main") : NULL;
  if (begin) return begin(count - 1, words + 1);
  fprintf(stderr, "%s\n", dlerror());
  return 127;
}
