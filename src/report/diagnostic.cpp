#include "report/diagnostic.h"
#include "text/characters.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <numeric>

namespace unravel::report {

namespace {

struct Entry {
  Category category;
  const char *name;
};

constexpr Entry entries[] = {
#define KIND(identifier, category, name, meaning) {Category::category, name},
#include "report/kinds.def"
#undef KIND
};

} // namespace

Category category_of(Kind kind) {
  return entries[static_cast<std::size_t>(kind)].category;
}

std::string name_of(Kind kind) {
  return entries[static_cast<std::size_t>(kind)].name;
}

int exit_code(Kind kind) {
  switch (category_of(kind)) {
  case Category::Mistake: return 1;
  case Category::Limit: return 1;
  case Category::Usage: return 2;
  case Category::Bug: return 3;
  }
  return 3;
}

std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds(std::size(entries));
  for (std::size_t k = 0; k < kinds.size(); ++k)
    kinds[k] = static_cast<Kind>(k);
  return kinds;
}

/// A quotation, which may be a whole program, as long as a reader takes it in at a glance: else its
/// beginning.
static std::string short_quotation(std::string_view quoted) {
  constexpr std::size_t most_bytes = 240, most_lines = 3, shown = 100;
  const auto lines = 1 + std::ranges::count(quoted, '\n');
  if (quoted.size() <= most_bytes && static_cast<std::size_t>(lines) <= most_lines)
    return std::string(quoted);
  quoted = quoted.substr(0, quoted.find('\n'));
  std::string beginning;
  while (!quoted.empty() && beginning.size() < shown) {
    const std::size_t length = text::decode(quoted).length;
    beginning += quoted.substr(0, length);
    quoted.remove_prefix(length);
  }
  return beginning + " ...";
}

static Diagnostic with_short_quotations(Diagnostic diagnostic) {
  const std::string_view message = diagnostic.message;
  std::string made;
  for (std::size_t k = 0; k < message.size();) {
    const std::size_t begin = message.find('`', k),
                      end = message.find('`', std::min(begin, message.size() - 1) + 1);
    if (end == std::string_view::npos) {
      made += message.substr(k);
      break;
    }
    made += message.substr(k, begin + 1 - k);
    made += short_quotation(message.substr(begin + 1, end - begin - 1)) + "`";
    k = end + 1;
  }
  diagnostic.message = std::move(made);
  return diagnostic;
}

Error::Error(Diagnostic diagnostic)
    : diagnostic_(with_short_quotations(std::move(diagnostic))), text_(render(diagnostic_)) {}

void fail(Kind kind, const text::Place &place, std::string message, std::string hint) {
  throw Error(Diagnostic{kind, place, std::move(message), std::move(hint)});
}

void fail(Kind kind, const text::Span &span, std::string message, std::string hint) {
  fail(kind, span.place(), std::move(message), std::move(hint));
}

void fail(Kind kind, std::string message, std::string hint) {
  fail(kind, text::Place{}, std::move(message), std::move(hint));
}

void require(bool condition, const char *what) {
  if (!condition)
    fail(Kind::internal, fmt::format("internal check failed: {}", what), "please report this as a bug");
}

/// The characters of a line; those that can't be shown are '?'.
static std::vector<std::string> shown_characters(std::string_view line) {
  std::vector<std::string> shown;
  while (!line.empty()) {
    const text::Character next = text::decode(line);
    const bool is_shown = line[0] == '\t' || (next.valid && text::is_showable(next.codepoint));
    shown.push_back(is_shown ? std::string(line.substr(0, next.length)) : "?");
    line.remove_prefix(next.length);
  }
  return shown;
}

std::string render(const Diagnostic &diagnostic, const std::string &severity) {
  const text::Place &place = diagnostic.place;
  std::string result;
  if (!place.file.empty()) {
    result += place.file + ":";
    if (place.line) result += fmt::format("{}:", place.line);
    if (place.line && place.column) result += fmt::format("{}:", place.column);
    result += " ";
  }
  result += fmt::format("{}: {} [{}]\n", severity, diagnostic.message, name_of(diagnostic.kind));
  if (place.line && place.column && !place.excerpt.empty()) {
    // Long lines (data files) are cut around the place.
    const std::vector<std::string> characters = shown_characters(place.excerpt);
    const std::size_t first = place.column > 60 ? place.column - 60 : 0;
    const std::size_t last = std::min(first + 110, characters.size());
    std::string excerpt, marker;
    for (std::size_t k = first; k < last; ++k)
      excerpt += characters[k];
    for (std::size_t k = first; k + 1 < place.column; ++k)
      marker += k < last && characters[k] == "\t" ? '\t' : ' ';
    const std::size_t room = last >= place.column ? last - (place.column - 1) : 1;
    marker += "^" + std::string(std::min(place.length, room) - 1, '~');
    std::string number = std::to_string(place.line);
    result += fmt::format("  {} | {}\n  {} | {}\n", number, excerpt, std::string(number.size(), ' '), marker);
  }
  if (!diagnostic.hint.empty()) result += fmt::format("  hint: {}\n", diagnostic.hint);
  return result;
}

/// How many letters are put in, left out, replaced, or change places with the next one.
static std::size_t edits_between(const std::string &name, const std::string &other) {
  std::vector<std::size_t> before, last, row(other.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= name.size(); ++i) {
    before = std::move(last), last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (name[i - 1] != other[j - 1])});
      if (i > 1 && j > 1 && name[i - 1] == other[j - 2] && name[i - 2] == other[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

/// Is it how the word begins, without some vowels? `rnd` abbreviates `random`.
static bool abbreviates(const std::string &name, const std::string &word) {
  if (name.size() < 3 || word.empty() || name.front() != word.front()) return false;
  std::size_t next = 0;
  for (std::size_t k = 0; k < word.size() && next < name.size(); ++k)
    if (name[next] == word[k])
      ++next;
    else if (std::string_view("aeiou").find(word[k]) == std::string_view::npos)
      return false;
  return next == name.size();
}

std::string nearest(const std::string &name, const std::vector<std::string> &candidates) {
  std::string best;
  // One letter in place of another leaves nothing of a name of one letter.
  std::size_t best_distance = std::min(std::max<std::size_t>(1, name.size() / 3) + 1, name.size());
  for (const std::string &candidate : candidates)
    if (const std::size_t distance = edits_between(name, candidate); distance < best_distance)
      best_distance = distance, best = candidate;
  if (!best.empty()) return best;
  std::vector<std::string> abbreviated;
  std::ranges::copy_if(candidates, std::back_inserter(abbreviated),
                       [&](const std::string &candidate) { return abbreviates(name, candidate); });
  return abbreviated.size() == 1 ? abbreviated.front() : "";
}

} // namespace unravel::report
