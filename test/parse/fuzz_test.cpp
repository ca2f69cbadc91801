#include "golden.h"
#include "parse_text.h"

#include <random>

namespace unravel::test {
namespace {

/// Pieces that mutations insert: brackets, every symbol, every word of the languages, bytes that are no text.
const std::vector<std::string> pieces = {"(",
                                         ")",
                                         "[",
                                         "]",
                                         "{",
                                         "}",
                                         "<",
                                         ">",
                                         "<=",
                                         "=>",
                                         "->",
                                         "=",
                                         "==",
                                         "!",
                                         "+",
                                         "-",
                                         "*",
                                         "/",
                                         ":",
                                         ";",
                                         ",",
                                         "#",
                                         ".",
                                         "&&",
                                         "||",
                                         "and",
                                         "or",
                                         "not",
                                         "mod",
                                         "floor(",
                                         "ceil(",
                                         "true",
                                         "0",
                                         "1e9",
                                         "2.5",
                                         "layout",
                                         "index",
                                         "count",
                                         "value",
                                         "stored",
                                         "property",
                                         "at",
                                         "range",
                                         "in",
                                         "within",
                                         "forall",
                                         "exists",
                                         "struct",
                                         "by",
                                         "strictly",
                                         "min=",
                                         "increasing",
                                         "injective",
                                         "mask",
                                         "find",
                                         "\n",
                                         "\r\n",
                                         "\xFF",
                                         "\xE2",
                                         "\xE2\x89\xA4",
                                         "99999999999999999999",
                                         "like:",
                                         ".layout",
                                         std::string(1, '\0')};

class Mutator {
public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  std::string mutate(std::string text, const std::vector<std::string> &others) {
    for (std::size_t k = 1 + below(4); k-- > 0;)
      text = mutate_once(std::move(text), others);
    return text;
  }

  std::string bytes(std::size_t length) {
    std::string result;
    for (std::size_t k = 0; k < length; ++k)
      result += static_cast<char>(random_() & 0xFF);
    return result;
  }

  std::string words(std::size_t length) {
    std::string result;
    for (std::size_t k = 0; k < length; ++k)
      result += pieces[below(pieces.size())] + (below(2) ? " " : "");
    return result;
  }

private:
  std::string mutate_once(std::string text, const std::vector<std::string> &others) {
    std::size_t at = below(text.size() + 1);
    std::size_t length = below(1 + std::min<std::size_t>(12, text.size() - at));
    switch (below(6)) {
    case 0: return text.erase(at, length);
    case 1: return text.insert(at, pieces[below(pieces.size())]);
    case 2: return text.replace(at, length, pieces[below(pieces.size())]);
    case 3: return text.substr(0, at);
    case 4: return text.insert(at, text.substr(at, length));
    default: {
      const std::string &other = others[below(others.size())];
      return text.substr(0, at) + other.substr(below(other.size() + 1));
    }
    }
  }

  std::mt19937 random_;
};

/// A text is either refused as a mistake or a limit, with a message that can be shown, or printed as a text
/// that prints the same.
template <typename Parse> void expect_sane(Parse parse, const std::string &content) {
  std::string printed;
  try {
    printed = parse::to_text(parse(source_of(content)));
  } catch (const report::Error &error) {
    const report::Diagnostic &diagnostic = error.diagnostic();
    EXPECT_EQ(report::exit_code(diagnostic.kind), 1) << error.what() << content;
    EXPECT_FALSE(diagnostic.message.empty()) << content;
    EXPECT_LT(diagnostic.message.size(), 400u) << diagnostic.message;
    EXPECT_EQ(diagnostic.place.file, "input") << error.what();
    return;
  }
  EXPECT_EQ(outcome(parse, printed), printed) << content;
}

void expect_sane_everywhere(const std::string &content) {
  expect_sane(parse::parse_layout_file, content);
  expect_sane(parse::parse_assignment, content);
  expect_sane(parse::parse_schedule, content);
  expect_sane(parse::parse_layout_reference, content);
}

std::vector<std::string> inputs_of(const std::string &prefix) {
  std::vector<std::string> inputs;
  for (const std::string &name : golden_names("parse", prefix))
    for (const std::string &input : golden_inputs("parse", name))
      inputs.push_back(input);
  return inputs;
}

template <typename Parse> void fuzz(Parse parse, const std::string &prefix, unsigned seed, int rounds) {
  std::vector<std::string> inputs = inputs_of(prefix);
  ASSERT_FALSE(inputs.empty());
  Mutator mutator(seed);
  for (int k = 0; k < rounds && !testing::Test::HasFailure(); ++k)
    expect_sane(parse, mutator.mutate(inputs[mutator.below(inputs.size())], inputs));
}

TEST(ParseFuzz, MutatedLayouts) {
  fuzz(parse::parse_layout_file, "layout", 1, 6000);
}
TEST(ParseFuzz, MutatedWrongLayouts) {
  fuzz(parse::parse_layout_file, "fail_", 2, 6000);
}
TEST(ParseFuzz, MutatedAssignments) {
  fuzz(parse::parse_assignment, "notation", 3, 6000);
}
TEST(ParseFuzz, MutatedSchedules) {
  fuzz(parse::parse_schedule, "schedule", 4, 6000);
}
TEST(ParseFuzz, MutatedReferences) {
  fuzz(parse::parse_layout_reference, "reference", 5, 6000);
}

TEST(ParseFuzz, BytesAndWords) {
  Mutator mutator(6);
  for (int k = 0; k < 3000 && !HasFailure(); ++k) {
    expect_sane_everywhere(mutator.bytes(mutator.below(40)));
    expect_sane_everywhere(mutator.words(mutator.below(30)));
  }
}

/// Every beginning of a text: what an editor shows while it is typed.
TEST(ParseFuzz, Beginnings) {
  for (const std::string &input : inputs_of("layout"))
    for (std::size_t length = 0; length <= input.size() && !HasFailure(); ++length)
      expect_sane(parse::parse_layout_file, input.substr(0, length));
}

} // namespace
} // namespace unravel::test
