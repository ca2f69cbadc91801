// What the program computes is what the C computes: both are executed.
#include "build/kernel.h"
#include "c_text.h"
#include "golden.h"
#include "interpreter.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

namespace unravel::test {
namespace {

struct Parameter {
  enum class Kind { Size, Scalar, Array } kind = Kind::Size;
  bool is_complex = false;
  std::string name;
};

std::string last_name(const std::string &text) {
  auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  auto end = std::find_if(text.rbegin(), text.rend(), is_letter).base();
  auto begin = std::find_if_not(std::make_reverse_iterator(end), text.rend(), is_letter).base();
  return {begin, end};
}

/// Of `name(int n, double A[n][m], ...)`, as the tests write it.
std::vector<Parameter> parameters_of(const std::string &c, const std::string &name) {
  std::vector<Parameter> parameters;
  std::size_t at = c.find(" " + name + "(") + name.size() + 2;
  std::string one;
  for (int depth = 0; depth >= 0; ++at) {
    depth += c[at] == '(' || c[at] == '[';
    depth -= c[at] == ')' || c[at] == ']';
    if (depth >= 0 && (c[at] != ',' || depth > 0)) {
      one += c[at];
      continue;
    }
    Parameter parameter;
    std::size_t star = one.find('*'), bracket = one.find('[');
    bool is_pointer = star != std::string::npos || bracket != std::string::npos;
    bool is_real = one.find("double") != std::string::npos || one.find("float") != std::string::npos;
    parameter.kind = is_pointer ? Parameter::Kind::Array
                     : is_real  ? Parameter::Kind::Scalar
                                : Parameter::Kind::Size;
    parameter.is_complex = one.find("omplex") != std::string::npos;
    if (std::size_t close = one.find(')'); close != std::string::npos) bracket = close; // (*A)[m]
    parameter.name = last_name(one.substr(0, bracket));
    parameters.push_back(parameter);
    one.clear();
  }
  return parameters;
}

const char *const declarations =
    "typedef unsigned long size_t;\n#define assert(x)\nfloat fmaf(float, float, float);\n"
    "double fmin(double, double), fmax(double, double), fabs(double), sqrt(double), exp(double), "
    "log(double), "
    "pow(double, double), sin(double), cos(double), tan(double), tanh(double), floor(double), "
    "ceil(double);\nfloat fminf(float, float), fmaxf(float, float), fabsf(float), sqrtf(float);\n"
    "double creal(double _Complex), cimag(double _Complex), cabs(double _Complex);\n"
    "double _Complex conj(double _Complex), csqrt(double _Complex), cexp(double _Complex), "
    "clog(double _Complex), csin(double _Complex), ccos(double _Complex), ctan(double _Complex), "
    "ctanh(double _Complex);\nfloat crealf(float _Complex), cabsf(float _Complex);\n"
    "float _Complex conjf(float _Complex), csqrtf(float _Complex);\n";

/// Of complex.h.
const char *const macros = "#define complex _Complex\n#define I 1.0iF\n";

/// The text without what a kernel may not have, and functions that call its functions with arrays of
/// arguments.
std::string callable(const std::string &c, const std::vector<std::string> &functions) {
  std::string text = declarations;
  std::istringstream lines(c);
  for (std::string line; std::getline(lines, line);)
    if (line.find("<complex.h>") != std::string::npos)
      text += macros;
    else if (line.find("#include") == std::string::npos && line.find("#pragma") == std::string::npos)
      text += line + "\n";
  for (const std::string &name : functions) {
    text += "void call_" + name + "(const long *sizes, const double *scalars, void *const *arrays) {\n  " +
            name + "(";
    int sizes = 0, scalars = 0, arrays = 0;
    bool first = true;
    for (const Parameter &parameter : parameters_of(c, name)) {
      if (!first) text += ", ";
      first = false;
      switch (parameter.kind) {
      case Parameter::Kind::Size: text += "sizes[" + std::to_string(sizes++) + "]"; break;
      case Parameter::Kind::Scalar:
        text += "scalars[" + std::to_string(scalars) + "]";
        if (parameter.is_complex) text += " + scalars[" + std::to_string(scalars + 1) + "] * I";
        scalars += 2;
        break;
      case Parameter::Kind::Array: text += "arrays[" + std::to_string(arrays++) + "]"; break;
      }
    }
    text += ");\n}\n";
  }
  return text;
}

template <class Real> void call(void *function, const std::vector<Parameter> &parameters, World &world) {
  std::vector<long> sizes;
  std::vector<double> scalars;
  std::vector<std::vector<Real>> memory;
  for (const Parameter &parameter : parameters) {
    if (parameter.kind == Parameter::Kind::Size) sizes.push_back(world.sizes.at(parameter.name));
    if (parameter.kind == Parameter::Kind::Scalar) {
      const Number number = world.scalars.at(parameter.name);
      scalars.insert(scalars.end(), {number.real(), number.imag()});
    }
    if (parameter.kind == Parameter::Kind::Array) {
      memory.emplace_back();
      for (const Number &number : world.arrays.at(parameter.name)) {
        memory.back().push_back(static_cast<Real>(number.real()));
        if (parameter.is_complex) memory.back().push_back(static_cast<Real>(number.imag()));
      }
    }
  }
  std::vector<void *> arrays;
  for (std::vector<Real> &array : memory)
    arrays.push_back(array.data() + array.size() / 2); // behind the margin
  reinterpret_cast<void (*)(const long *, const double *, void *const *)>(function)(
      sizes.data(), scalars.data(), arrays.data());
  std::size_t next = 0;
  for (const Parameter &parameter : parameters)
    if (parameter.kind == Parameter::Kind::Array) {
      const std::vector<Real> &parts = memory[next++];
      std::vector<Number> &array = world.arrays[parameter.name];
      for (std::size_t k = 0; k < array.size(); ++k)
        array[k] = parameter.is_complex ? Number(parts[2 * k], parts[2 * k + 1]) : Number(parts[k]);
    }
}

World make_world(const std::vector<Parameter> &parameters, const std::vector<std::int64_t> &sizes) {
  World world;
  std::size_t next = 0;
  std::mt19937 random(5);
  auto number = [&] { return 0.25 * (1 + static_cast<int>(random() % 12)); };
  for (const Parameter &parameter : parameters) {
    if (parameter.kind == Parameter::Kind::Size) world.sizes[parameter.name] = sizes[next++];
    auto any = [&] {
      const double real = number();
      return Number(real, parameter.is_complex ? number() : 0);
    };
    if (parameter.kind == Parameter::Kind::Scalar) world.scalars[parameter.name] = any();
    if (parameter.kind == Parameter::Kind::Array) {
      std::vector<Number> &array = world.arrays[parameter.name];
      array.resize(2 * margin);
      for (Number &each : array)
        each = any();
    }
  }
  return world;
}

/// What a size may be: of any sign where no tensor tells it.
std::vector<std::int64_t> choices_of(const std::string &name, const cfront::Function &read,
                                     std::vector<std::int64_t> choices,
                                     const std::vector<std::int64_t> &given) {
  for (const parse::SizeTree &size : read.tree.sizes)
    if (size.name.text == name) {
      choices = given;
      std::erase_if(choices, [&](std::int64_t value) { return size.least && value < *size.least; });
    }
  return choices;
}

/// Compares on sizes from `choices`, and from `given` where no tensor tells them. Returns how many
/// assignments were executed.
std::size_t compare(void *function, const std::string &c, const cfront::Function &read,
                    const std::vector<std::int64_t> &choices, const std::vector<std::int64_t> &given) {
  std::vector<Parameter> parameters = parameters_of(c, read.name);
  std::vector<std::vector<std::int64_t>> choices_of_all;
  std::size_t rounds = 1, executed = 0;
  for (const Parameter &each : parameters)
    if (each.kind == Parameter::Kind::Size) {
      choices_of_all.push_back(choices_of(each.name, read, choices, given));
      rounds *= choices_of_all.back().size();
    }
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<std::int64_t> sizes;
    std::size_t rest = round;
    for (const std::vector<std::int64_t> &values : choices_of_all) {
      sizes.push_back(values[rest % values.size()]);
      rest /= values.size();
    }
    World expected = make_world(parameters, sizes), got = expected;
    if (read.is_float)
      call<float>(function, parameters, expected);
    else
      call<double>(function, parameters, expected);
    Interpreter interpreter(read.tree, got);
    interpreter.run();
    executed += interpreter.assignments();
    for (const auto &[name, array] : expected.arrays)
      for (std::size_t k = 0; k < array.size(); ++k) {
        const Number a = array[k], b = got.arrays[name][k];
        double most = (read.is_float ? 1e-5 : 1e-9) * std::max({1.0, std::abs(a), std::abs(b)});
        const auto is_same = [&](double one, double other) {
          return std::abs(one - other) <= most || (std::isnan(one) && std::isnan(other)) || one == other;
        };
        if (is_same(a.real(), b.real()) && is_same(a.imag(), b.imag())) continue;
        ADD_FAILURE() << name << " at " << static_cast<std::int64_t>(k) - margin << ": C gives " << a
                      << ", the program " << b << "\n"
                      << c << "\n"
                      << parse::to_text(read.tree);
        return executed;
      }
  }
  return executed;
}

TEST(CfrontExecute, GoldenFunctions) {
  SKIP_WITHOUT_CLANG();
  int compared = 0;
  for (const std::string &file : golden_names("cfront", "")) {
    if (file.find("refused_") == 0) continue;
    for (const std::string &input : golden_inputs("cfront", file)) {
      cfront::Function read = cfront::read(c_source(input), "");
      build::Kernel kernel = build::compile(callable(input, {read.name}), {.cache = false});
      EXPECT_GT(compare(kernel.symbol("call_" + read.name), input, read, {1, 2, 5}, {-3, -1, 0, 1, 2, 7}), 0u)
          << input;
      ++compared;
    }
  }
  EXPECT_GE(compared, 40);
}

// ---- random functions

class RandomFunction {
public:
  explicit RandomFunction(std::mt19937 &random) : random_(random) {}

  std::string text(const std::string &name) {
    scalars_ = {};
    is_complex_ = chance(3);
    std::string type = is_complex_ ? "double complex" : "double";
    std::string body = "  int i, j, k;\n  " + type + " t;\n" + statements(1, 3) + "  y[n] += x[n];\n";
    return "void " + name + "(int n, " + pick({"int", "long", "size_t", "unsigned"}) + " m, " + type +
           " alpha, double A[n + 9][m + 9], " + (is_complex_ ? "double complex x[n + 9], " : "double *x, ") +
           type + " y[n + 9]) {\n" + body + "}\n";
  }

private:
  std::string pick(const std::vector<std::string> &of) { return of[random_() % of.size()]; }
  bool chance(unsigned of) { return random_() % of == 0; }

  std::string integer() {
    std::string small = std::to_string(random_() % 4);
    std::string loop = loops_.empty() ? small : pick(loops_);
    switch (random_() % 9) {
    case 0: return small;
    case 1: return "n - " + loop;
    case 2: return loop + " + " + small;
    case 3: return "2 * " + loop + " - " + small;
    case 4: return chance(3) ? "m" : "(int)m - " + small;
    case 5: return "(" + loop + " < n ? " + loop + " : n)";
    case 6: return locals_.empty() ? loop : pick(locals_);
    default: return loop;
    }
  }

  std::string plain_integer() {
    std::string text = integer();
    return text[0] == '(' && text[1] != 'i' ? "n" : text;
  }

  std::string element() {
    switch (random_() % 3) {
    case 0: return "A[" + plain_integer() + "][" + plain_integer() + "]";
    case 1: return "x[" + plain_integer() + "]";
    default: return "y[" + plain_integer() + "]";
    }
  }

  /// Of a complex number a part, as it has no order.
  std::string real(int depth) {
    const std::string any = number(depth);
    return is_complex_ ? pick({"creal(", "cimag("}) + any + ")" : any;
  }

  std::string number(int depth) {
    if (is_complex_ && depth <= 2 && chance(3)) {
      const std::string one = number(depth + 1) + ")";
      if (chance(3)) return pick({"csqrt(0.5 * I + cabs(", "cexp(-cabs("}) + one + ")";
      return pick({"conj(", "cabs(", "(1.5 - 2 * I) * creal(", "I * (", "cimag("}) + one;
    }
    switch (random_() % (depth > 2 ? 3 : 9)) {
    case 0: return pick({"alpha", "2", "0.5", "1.f", "-3"});
    case 1: return scalars_.empty() ? "alpha" : pick(scalars_);
    case 2: return element();
    case 3: return number(depth + 1) + pick({" + ", " - "}) + number(depth + 1);
    case 4: return "0.5 * (" + number(depth + 1) + ")";
    case 5:
      if (chance(2))
        return pick({"sqrt(0.25 + ", "exp(-", "log(1 + ", "pow(0.5, "}) + "fabs(" + real(depth + 1) + "))";
      return pick({"fmin(", "fmax("}) + real(depth + 1) + ", " + real(depth + 1) + ")";
    case 6: return "(" + test(depth + 1) + " ? " + number(depth + 1) + " : " + number(depth + 1) + ")";
    case 7: return "0.5 * ((" + test(depth + 1) + ") + (" + test(depth + 1) + "))";
    default: return "-" + element();
    }
  }

  /// A condition on numbers.
  std::string test(int depth) {
    std::string one = real(depth) + pick({" < ", " <= ", " > ", " >= ", " == ", " != "}) + real(depth);
    if (is_complex_ && chance(6)) one = number(depth) + pick({" == ", " != "}) + number(depth);
    if (depth > 1 || chance(2)) return one;
    return pick({"", "!"}) + "(" + one + pick({" && ", " || "}) + test(depth + 1) + ")";
  }

  std::string condition(int depth) {
    std::string one = integer() + pick({" < ", " <= ", " > ", " >= ", " == ", " != "}) + plain_integer();
    if (depth > 1 || chance(2)) return one;
    return pick({"", "!"}) + "(" + one + pick({" && ", " || "}) + condition(depth + 1) + ")";
  }

  std::string statements(int depth, int most) {
    std::string text;
    auto scalars = scalars_, locals = locals_;
    for (unsigned k = 0; k < 1 + random_() % static_cast<unsigned>(most); ++k)
      text += statement(depth);
    scalars_ = scalars;
    locals_ = locals;
    return text;
  }

  std::string statement(int depth) {
    std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    switch (random_() % (depth > 3 ? 5 : 9)) {
    case 0: {
      const bool is_real = !is_complex_ || chance(4); // of a complex value the real part
      std::string name = (is_real ? pick({"r", "s", "u"}) : "z") + std::to_string(names_++);
      std::string text =
          indent + (is_real ? "double " : "double complex ") + name + " = " + number(0) + ";\n";
      scalars_.push_back(name);
      return text;
    }
    case 1: {
      std::string name = "l" + std::to_string(names_++);
      std::string text = indent + "int " + name + " = " + integer() + ";\n";
      if (chance(2)) text += indent + name + pick({" += 2", "++", "--", " = 1 + " + name}) + ";\n";
      locals_.push_back(name);
      return text;
    }
    case 2: {
      std::string text = indent + "t = " + number(0) + ";\n";
      if (!std::count(scalars_.begin(), scalars_.end(), "t")) scalars_.push_back("t");
      return text;
    }
    case 3:
      if (!scalars_.empty()) return changed(indent, pick(scalars_), {" += ", " -= "}, 1);
      [[fallthrough]];
    case 4: return changed(indent, element(), {" = ", " += ", " -= "}, 0);
    case 5: {
      std::string when = chance(3) ? condition(0) : test(0);
      const bool is_mixed = chance(4);
      if (is_mixed) when = condition(1) + " && " + test(1);
      std::string text = indent + "if (" + when + ") {\n" + statements(depth + 1, 2) + indent + "}";
      if (!is_mixed && chance(2)) text += " else {\n" + statements(depth + 1, 2) + indent + "}";
      return text + "\n";
    }
    default: return loop(depth, indent);
    }
  }

  std::string changed(const std::string &indent, const std::string &target,
                      const std::vector<std::string> &operators, int depth) {
    const bool is_complex = std::string("txyz").find(target[0]) != std::string::npos;
    const std::string op = pick(operators), by = is_complex ? number(depth) : real(depth);
    return indent + target + op + by + ";\n";
  }

  std::string loop(int depth, const std::string &indent) {
    std::string low = chance(2) ? "0" : integer(), high = chance(2) ? "n" : integer();
    bool is_old = chance(3) && loops_.size() < 3;
    std::string name = is_old ? std::string(1, static_cast<char>('i' + loops_.size()))
                              : pick({"p", "q"}) + std::to_string(chance(3) ? 0 : names_++);
    if (std::count(loops_.begin(), loops_.end(), name)) name += std::to_string(names_++);
    std::string type = is_old ? "" : pick({"int ", "int ", "long ", "size_t ", "unsigned long "});
    if (high.find('?') != std::string::npos) high = "n"; // the lesser of two can be no bound from below
    std::string head;
    switch (random_() % 5) {
    case 0: head = name + " = " + low + "; " + name + " < " + high + "; " + name + "++"; break;
    case 1: head = name + " = " + low + "; " + high + " >= " + name + "; ++" + name; break;
    case 2: head = name + " = " + high + "; " + name + " >= " + low + "; " + name + "--"; break;
    case 3: head = name + " = " + high + "; " + name + " > " + low + "; " + name + " -= 1"; break;
    default: head = name + " = n; " + name + "-- > 0;"; break;
    }
    loops_.push_back(name);
    std::string text = indent + "for (" + type + head + ") {\n" + statements(depth + 1, 3) + indent + "}\n";
    loops_.pop_back();
    return text;
  }

  std::mt19937 &random_;
  std::vector<std::string> scalars_, locals_, loops_;
  bool is_complex_ = false;
  int names_ = 0;
};

TEST(CfrontExecute, RandomFunctions) {
  SKIP_WITHOUT_CLANG();
  bool all = std::getenv("UNRAVEL_TEST_ALL") != nullptr;
  std::mt19937 random(20);
  int compared = 0, refused = 0;
  for (int text = 0; text < (all ? 100 : 6); ++text) {
    std::string c;
    RandomFunction functions(random);
    std::vector<cfront::Function> read;
    std::vector<std::string> names;
    for (int k = 0; k < 25; ++k) {
      std::string name = "f" + std::to_string(k), one = functions.text(name);
      try {
        read.push_back(cfront::read(c_source(declarations + std::string(macros) + one), name));
      } catch (const report::Error &error) {
        EXPECT_NE(error.diagnostic().kind, report::Kind::c_error) << error.what() << one;
        EXPECT_EQ(report::exit_code(error.diagnostic().kind), 1) << error.what() << one;
        ++refused;
        continue;
      }
      c += one;
      names.push_back(name);
    }
    if (names.empty()) continue;
    build::Kernel kernel = build::compile(callable(macros + c, names), {.cache = false});
    for (const cfront::Function &function : read) {
      compare(kernel.symbol("call_" + function.name), c, function, {4, 6},
              {4, 6}); // unsigned variables count to sizes
      if (HasFailure()) return;
      ++compared;
    }
  }
  EXPECT_GT(compared, refused) << "few of the functions are read";
}

} // namespace
} // namespace unravel::test
