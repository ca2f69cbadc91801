// In C: that what the layout makes of the entries are those given, as convert's require_same_meaning tests.
#include "packing/pack_c_compared.h"

namespace unravel::packing {

void ComparisonWriter::write_functions() {
  c_.open(fmt::format("typedef struct {}_given", c_.prefix));
  c_.line("int64_t index[{}];", c_.layout.order());
  c_.line("int64_t number; // of the entry in the input");
  c_.line("int is_meant;   // by the layout, once it is packed");
  c_.line("{} value;", c_.sum());
  c_.close(fmt::format(" {}_given;", c_.prefix));
  c_.line("");
  c_.open(fmt::format("static int {}_coordinates_given(const void *a, const void *b)", c_.prefix));
  c_.line("const {0}_given *x = (const {0}_given *)a;", c_.prefix);
  c_.line("const {0}_given *y = (const {0}_given *)b;", c_.prefix);
  for (std::size_t mode = 0; mode < c_.layout.order(); ++mode)
    c_.line("if (x->index[{0}] != y->index[{0}]) return x->index[{0}] < y->index[{0}] ? -1 : 1;", mode);
  c_.line("return x->number < y->number ? -1 : x->number > y->number;");
  c_.close();
  c_.line("");
}

void ComparisonWriter::write() {
  all_ = c_.choose("all"), count_ = c_.choose("count");
  const std::size_t most = 2 + plan_.implied.size(); // an entry, as it is given and meant, and the others
  c_.line("// What the layout means then are the entries given.");
  c_.open("");
  c_.line("int64_t {} = 0;", count_);
  c_.line("{0}_given *{1} = ({0}_given *){0}_allocate({2} > INT64_MAX / {3} ? -1 : {3} * {2}, "
          "sizeof({0}_given));",
          c_.prefix, all_, c_.n, most);
  c_.line("if (!{}) return 2;", all_);
  c_.open_loop(c_.e, c_.n);
  const std::string value = c_.value(c_.e);
  std::vector<std::string> own;
  for (std::size_t mode = 0; mode < c_.layout.order(); ++mode)
    own.push_back(fmt::format("{}[{}][{}]", c_.index, mode, c_.e));
  write_one(own, false, value);
  std::string otherwise;
  for (std::size_t number = 0; number < plan_.pieces.size(); ++number) {
    const PiecePlan &piece = plan_.pieces[number];
    c_.open(fmt::format("{}if ({})", otherwise, c_.condition(term::conjunction(piece.conditions))));
    write_one(own, true,
              piece.value.empty() ? fmt::format("{}", piece.negative ? -piece.literal : piece.literal)
                                  : value);
    write_meant(number);
    c_.close();
    otherwise = "else ";
  }
  c_.close();
  c_.line("qsort({0}, (size_t){1}, sizeof *{0}, {2}_coordinates_given);", all_, count_, c_.prefix);
  write_sums();
  c_.close();
}

void ComparisonWriter::write_one(const std::vector<std::string> &coordinates, bool is_meant,
                                 const std::string &value) {
  for (std::size_t mode = 0; mode < coordinates.size(); ++mode)
    c_.line("{}[{}].index[{}] = {};", all_, count_, mode, coordinates[mode]);
  c_.line("{}[{}].number = {};", all_, count_, c_.e);
  c_.line("{}[{}].is_meant = {};", all_, count_, is_meant ? 1 : 0);
  c_.line("{}[{}++].value = {};", all_, count_, value);
}

void ComparisonWriter::write_meant(std::size_t number) {
  for (const Implied &implied : plan_.implied) {
    if (implied.piece != number) continue;
    std::vector<std::string> coordinates;
    for (const Term &coordinate : implied.coordinates)
      coordinates.push_back(c_.term(coordinate));
    c_.open(implied.conditions.empty()
                ? ""
                : fmt::format("if ({})", c_.condition(term::conjunction(implied.conditions))));
    write_one(coordinates, true,
              implied.literal ? fmt::format("{}", *implied.literal)
                              : fmt::format("{}{}", implied.negative ? "-" : "", c_.value(c_.e)));
    c_.close();
  }
}

/// What sums are converted to before they are stored.
std::string ComparisonWriter::element_type() const {
  for (const PiecePlan &piece : plan_.pieces)
    if (!piece.value.empty()) return c_.element(piece.value);
  return c_.sum();
}

/// What is meant where nothing is.
std::string ComparisonWriter::initial() const {
  for (const PiecePlan &piece : plan_.pieces)
    if (!piece.value.empty()) return c_.fill_as_sum(piece.value, piece.negative);
  return "0";
}

void ComparisonWriter::write_sums() {
  const std::string next = c_.choose("next"), sum = c_.choose("sum"), some = c_.choose("some"),
                    same = c_.choose("same");
  const std::string rounds = element_type() == c_.sum() ? "" : fmt::format("({})", element_type());
  const std::string given = fmt::format("{}{}[0]", rounds, sum), meant = fmt::format("{}{}[1]", rounds, sum);
  c_.line("int {} = 1;", same);
  c_.open(fmt::format("for (int64_t {0} = 0, {1} = 0; {0} < {2}; {0} = {1})", c_.k, next, count_));
  c_.line("{} {}[2] = {{{}, {}}};", c_.sum(), sum, initial(), initial());
  c_.line("int {}[2] = {{0, 0}};", some);
  std::string alike = fmt::format("{} < {}", next, count_);
  for (std::size_t mode = 0; mode < c_.layout.order(); ++mode)
    alike += fmt::format(" && {0}[{1}].index[{2}] == {0}[{3}].index[{2}]", all_, next, mode, c_.k);
  c_.open(fmt::format("for (; {}; ++{})", alike, next));
  const std::string part = fmt::format("{}[{}].is_meant", all_, next);
  c_.line("if ({0}[{1}]) {2}[{1}] += {3}[{4}].value;", some, part, sum, all_, next);
  c_.line("else {}[{}] = {}[{}].value;", sum, part, all_, next);
  c_.line("{}[{}] = 1;", some, part);
  c_.close();
  c_.line("if ({0} != {1} && ({0} == {0} || {1} == {1})) {2} = 0;", given, meant, same);
  c_.close();
  c_.line("free({});", all_);
  c_.line("if (!{}) return 1;", same);
}

} // namespace unravel::packing
