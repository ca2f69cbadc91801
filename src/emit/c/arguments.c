// What the program around a kernel makes of its arguments; as main.c, behind unravel_run.
#ifndef UNRAVEL_TOOLS_STAND_ABOVE
#include "main.c"
#else

// part: main
// Whether `NAME=...` begins with the tensor's name.
static int unravel_is_named(const char *argument, int tensor) {
  const size_t length = strlen(unravel_names[tensor]);
  return strncmp(argument, unravel_names[tensor], length) == 0 && argument[length] == '=';
}

// That no result has the name in `NAME=FILE`.
static void unravel_refuse_output(const char *argument) {
  int k;
  fprintf(stderr, "error: -o %s: the result%s", argument, UNRAVEL_RESULTS > 1 ? "s are" : " is");
  for (k = 0; k < UNRAVEL_RESULTS; k++) fprintf(stderr, "%s `%s`", k > 0 ? "," : "", unravel_names[k]);
  fprintf(stderr, "\n");
  exit(2);
}

// What is written to a file depends on the order alone, so its name must say the same. A pipe needs no ending.
static void unravel_check_ending(const char *file, int order) {
  const char *ending = strrchr(file, '.');
  if (!ending || ending == file || ending[-1] == '/' || strchr(ending, '/')) return;
  if (order <= 2 && strcmp(ending, ".mtx") != 0)
    unravel_misuse(file, "the name of a file for a result of up to two modes ends in .mtx");
  if (order > 2 && strcmp(ending, ".tns") != 0)
    unravel_misuse(file, "the name of a file for a result of three modes or more ends in .tns");
}

// `RESULT=FILE`, or FILE of the only result.
static void unravel_take_output(const char **output, const char *argument) {
  const char *file = argument + strcspn(argument, "=/");
  int k = 0;
  if (*file == '=') {
    while (k < UNRAVEL_RESULTS && !unravel_is_named(argument, k)) k++;
    if (k == UNRAVEL_RESULTS) unravel_refuse_output(argument);
    file++;
  } else {
    if (UNRAVEL_RESULTS > 1) unravel_misuse(argument, "expected -o RESULT=FILE; see --help");
    file = argument;
  }
  unravel_check_ending(file, unravel_orders[k]);
  if (output[k]) unravel_misuse(file, "the result already goes to another file");
  output[k] = file;
  for (k = 0; k < UNRAVEL_RESULTS; k++)
    if (output[k] && output[k] != file && strcmp(output[k], file) == 0)
      unravel_misuse(file, "another result goes to this file");
}

static void unravel_help(const char *program) {
  int k;
  printf("usage: %s", program);
  for (k = UNRAVEL_RESULTS; k < UNRAVEL_TENSORS; k++) printf(" %s=FILE", unravel_names[k]);
// part: given
  for (k = 0; k < UNRAVEL_GIVEN; k++) printf(" %s=INTEGER", unravel_given_names[k]);
// part: main
  printf(" [-o %sFILE]\n%s\n", UNRAVEL_RESULTS > 1 ? "RESULT=" : "", unravel_about);
  printf("FILE is a .mtx file, from order 3 on a .tns file; or `ones` or `zeros`, with sizes `ones:10x20`;\n"
         "of a scalar also a number.\n");
  for (k = 0; k < UNRAVEL_RESULTS; k++)
    printf("%s=FILE sets what the result holds before (%s=sizes:10x20: its sizes alone); -o %s=FILE writes it.\n",
           unravel_names[k], unravel_names[k], unravel_names[k]);
}

int main(int argc, char **argv) {
  static unravel_entries in[UNRAVEL_TENSORS];
  const char *output[UNRAVEL_TENSORS] = {NULL};
  int k, m, a;
  for (k = 0; k < UNRAVEL_TENSORS; k++)
    for (m = 0; m < UNRAVEL_ORDER; m++) in[k].sizes[m] = -1;
  for (k = 0; k < UNRAVEL_TENSORS; k++) in[k].fill = unravel_fills[k];
// part: integers
  for (k = 0; k < UNRAVEL_TENSORS; k++) in[k].least = unravel_least[k], in[k].greatest = unravel_greatest[k];
// part: main
  for (a = 1; a < argc; a++) {
    if (strcmp(argv[a], "-h") == 0 || strcmp(argv[a], "--help") == 0) {
      unravel_help(argv[0]);
      return 0;
    }
    if (strcmp(argv[a], "-o") == 0 && a + 1 < argc) {
      unravel_take_output(output, argv[++a]);
      continue;
    }
// part: given
    if (unravel_is_size(argv[a])) continue;
// part: main
    for (k = 0; k < UNRAVEL_TENSORS; k++)
      if (unravel_is_named(argv[a], k)) break;
    if (k == UNRAVEL_TENSORS) unravel_misuse(argv[a], "expected TENSOR=FILE or -o FILE; see --help");
    if (in[k].is_given) unravel_misuse(argv[a], "the tensor is given twice");
    unravel_read(&in[k], unravel_orders[k], strchr(argv[a], '=') + 1);
  }
  for (k = UNRAVEL_RESULTS; k < UNRAVEL_TENSORS; k++)
    if (!in[k].is_given) unravel_misuse(unravel_names[k], "this operand is not given; see --help");
// part: given
  for (k = 0; k < UNRAVEL_GIVEN; k++)
    if (!unravel_is_given[k]) unravel_misuse(unravel_given_names[k], "this size is not given; see --help");
// part: main
  unravel_find_sizes(in);
  for (k = 0; k < UNRAVEL_TENSORS; k++)
    if (in[k].is_filled) unravel_fill(&in[k], unravel_orders[k]);
// part: integers
  for (k = 0; k < UNRAVEL_TENSORS; k++)
    if (unravel_adds[k] && !in[k].is_filled) unravel_check_sums(&in[k], unravel_orders[k], unravel_names[k]);
// part: main
  unravel_run(in, output);
  if (fflush(stdout) || ferror(stdout)) unravel_fail("the standard output", "it can't be written");
  return 0;
}

// part: example
#endif
