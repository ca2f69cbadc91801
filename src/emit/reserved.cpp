#include "emit/names.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace unravel::emit {

namespace {

/// Words; behind # what kind of word follows.
constexpr const char *reserved_words = R"(
# C, up to C23
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while alignas alignof
bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual asm fortran
# C++
and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl concept consteval
constinit const_cast decltype delete dynamic_cast explicit export friend mutable namespace new noexcept not not_eq
operator or or_eq private protected public reinterpret_cast requires static_cast template this throw try typeid
typename using virtual wchar_t xor xor_eq override final import module std
# macros and types of the headers
NULL EOF errno stdin stdout stderr assert offsetof signbit isnan isinf isfinite isnormal fpclassify va_start va_end
va_arg va_copy setjmp complex imaginary I INFINITY NAN HUGE_VAL BUFSIZ FILENAME_MAX FOPEN_MAX L_tmpnam RAND_MAX
EXIT_SUCCESS EXIT_FAILURE MB_CUR_MAX CLOCKS_PER_SEC SIG_DFL SIG_ERR SIG_IGN SEEK_CUR SEEK_END SEEK_SET MAXFLOAT SNAN
SNANF SNANL NFDBITS BYTE_ORDER BIG_ENDIAN LITTLE_ENDIAN PDP_ENDIAN math_errhandling L_ctermid L_cuserid P_tmpdir
isgreater isgreaterequal isless islessequal islessgreater isunordered issubnormal iscanonical issignaling iseqsig
iszero strdupa strndupa WNOHANG WUNTRACED WSTOPPED WEXITED WCONTINUED WNOWAIT WEXITSTATUS WTERMSIG WSTOPSIG WIFEXITED
WIFSIGNALED WIFSTOPPED WIFCONTINUED linux unix i386 size_t ssize_t ptrdiff_t off_t time_t clock_t div_t ldiv_t lldiv_t
fpos_t va_list jmp_buf sig_atomic_t max_align_t wint_t FILE DIR uint int8_t int16_t int32_t int64_t uint8_t uint16_t
uint32_t uint64_t intptr_t uintptr_t intmax_t uintmax_t float_t double_t u_char u_short u_int u_long ushort ulong
# stdlib, stdio, string, strings, ctype, time, locale, signal
abort abs atexit atof atoi atol atoll bsearch calloc div exit free getenv labs ldiv llabs lldiv malloc mblen mbstowcs
mbtowc qsort rand realloc srand strtod strtof strtol strtold strtoll strtoul strtoull system wcstombs wctomb
aligned_alloc at_quick_exit quick_exit random srandom initstate setstate drand48 erand48 lrand48 nrand48 mrand48
jrand48 srand48 seed48 lcong48 putenv setenv unsetenv mktemp mkstemp mkdtemp alloca getloadavg clearerr fclose feof
ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen fscanf fseek fsetpos ftell fwrite getc
getchar gets perror printf putc putchar puts remove rename rewind scanf setbuf setvbuf snprintf sprintf sscanf tmpfile
tmpnam ungetc vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf dprintf fileno fdopen popen pclose getline
getdelim memchr memcmp memcpy memmove memset memccpy mempcpy strcat strchr strcmp strcoll strcpy strcspn strdup
strerror strlen strncat strncmp strncpy strndup strnlen strpbrk strrchr strsignal strspn strstr strtok strxfrm stpcpy
index rindex bcmp bcopy bzero ffs strcasecmp strncasecmp strsep basename dirname isalnum isalpha isblank iscntrl
isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper isascii toascii isalnum_l isalpha_l
isascii_l isblank_l iscntrl_l isdigit_l isgraph_l islower_l isprint_l ispunct_l isspace_l isupper_l isxdigit_l
tolower_l toupper_l toascii_l htobe16 htobe32 htobe64 htole16 htole32 htole64 be16toh be32toh be64toh le16toh le32toh
le64toh asctime clock ctime difftime gmtime localtime mktime strftime time nanosleep timezone daylight tzname stime
timer_create localeconv setlocale raise signal sigaction kill pause alarm longjmp
# math
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax
fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint
nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc acosf asinf
atanf cosf sinf tanf expf logf powf sqrtf fabsf floorf ceilf fmaxf fminf fmodf j0 j1 jn y0 y1 yn j0f j1f jnf y0f y1f
ynf gamma drem finite scalb significand signgam exp10 pow10 sincos cabs carg cimag conj cpow creal csqrt cexp clog
cproj min max
# POSIX functions that short names meet
access close dup environ exec execl execv fork getpid ioctl link open pipe read select send recv bind listen accept
connect socket shutdown sleep stat fstat lstat sync truncate unlink usleep wait write getopt optarg optind opterr
optopt poll mmap munmap creat fcntl chdir chmod chown mkdir rmdir mount acct brk sbrk nice times tee splice clone
mlock step advance loc1 loc2 major minor makedev
# ours
main unravel arguments
)";

std::set<std::string> make_set() {
  std::istringstream lines(reserved_words);
  std::set<std::string> result;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream stream(line.starts_with('#') ? "" : line);
    for (std::string word; stream >> word;)
      result.insert(word);
  }
  return result;
}

/// Of macros that a compiler's headers define by the dozen; names of capital letters alone.
constexpr const char *macro_prefixes[] = {"ADJ_", "CLOCK_",  "FD_",   "FE_",   "FP_",  "HUGE_VAL", "MATH_",
                                          "MOD_", "RENAME_", "SEEK_", "SNANF", "STA_", "TIMER_",   "TIME_"};
constexpr const char *macro_suffixes[] = {"_MAX", "_MIN", "_C", "_WIDTH", "_DIG", "_EPSILON", "_BIT", "_EXP"};

/// math.h's constants: `M_PI`, `M_PIl`, `M_PIf32x`.
bool is_constant_of_mathematics(const std::string &identifier) {
  static const std::set<std::string> constants = {"M_E",        "M_LOG2E", "M_LOG10E", "M_LN2",  "M_LN10",
                                                  "M_PI",       "M_PI_2",  "M_PI_4",   "M_1_PI", "M_2_PI",
                                                  "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2"};
  const std::size_t type = identifier.find_first_of("fl");
  return constants.contains(identifier.substr(0, type));
}

bool is_macro(const std::string &identifier) {
  if (is_constant_of_mathematics(identifier)) return true;
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  if (std::ranges::any_of(identifier, is_lower)) return false;
  return std::ranges::any_of(macro_prefixes,
                             [&](const char *part) { return identifier.starts_with(part); }) ||
         std::ranges::any_of(macro_suffixes, [&](const char *part) { return identifier.ends_with(part); });
}

} // namespace

bool is_reserved(const std::string &identifier) {
  static const std::set<std::string> reserved = make_set();
  if (identifier.starts_with("_") || identifier.find("__") != std::string::npos) return true;
  for (const char *prefix : {"omp_", "kmp_", "gomp_", "unravel_", "UNRAVEL_", "cblas_", "Cblas", "CBLAS_",
                             "openblas_", "OPENBLAS_"})
    if (identifier.starts_with(prefix)) return true;
  return reserved.contains(identifier) || is_macro(identifier);
}

} // namespace unravel::emit
