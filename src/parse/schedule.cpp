#include "parse/lexer.h"
#include "parse/parse.h"

#include <algorithm>

// The grammar: statements between ";", each one of
//   "order" list(variable)   "parallel" list(variable)   "find" variable "by" method   "chunk" integer
//   "serial"
// where a variable is `i`, `A.p` or `A#2.p`.

namespace unravel::parse {

namespace {

const std::vector<std::string> statements = {"order", "parallel", "find", "chunk", "serial"};
const std::vector<std::string> methods = {"direct", "probe", "seq",  "gallop", "binary",
                                          "hash",   "map",   "scan", "auto"};
const std::vector<std::string> later_statements = {
    "tile",  "fuse",    "split", "skew",      "share",      "reorder",     "unroll", "vectorize", "collapse",
    "strip", "combine", "merge", "workspace", "precompute", "interchange", "shift",  "peel",      "bound"};

bool contains(const std::vector<std::string> &words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class ScheduleParser {
public:
  explicit ScheduleParser(const std::shared_ptr<const text::Source> &source)
      : tokens_(source, Dialect::Schedule) {}

  ScheduleTree parse() {
    while (!tokens_.at_end()) {
      if (tokens_.accept(";")) continue;
      parse_statement();
      if (!tokens_.at_end()) tokens_.expect_semicolon(statements, "statements are separated by `;`");
    }
    return std::move(result_);
  }

  /// A find alone: variable "=" method.
  ScheduleTree::Find parse_only_find() {
    ScheduleTree::Find find = parse_find("=", "write `x=binary`");
    if (!tokens_.at_end()) tokens_.fail_expected("the end of the text", "give one --find per find");
    return find;
  }

private:
  void parse_statement() {
    const Token word = tokens_.peek();
    if (tokens_.accept("order")) {
      if (!result_.order.empty()) fail_twice(word);
      result_.order = parse_variables();
    } else if (tokens_.accept("parallel")) {
      for (Name &name : parse_variables())
        result_.parallel.push_back(std::move(name));
    } else if (tokens_.accept("find")) {
      result_.finds.push_back(parse_find("by", "write `find x by binary`"));
    } else if (tokens_.accept("chunk")) {
      if (result_.chunk) fail_twice(word);
      result_.chunk = tokens_.expect_integer("a number of iterations, at least 1", 1);
    } else if (tokens_.accept("serial")) {
      result_.serial = true;
    } else {
      fail_statement();
    }
  }

  std::vector<Name> parse_variables() {
    std::vector<Name> names;
    do
      names.push_back(tokens_.expect_name("a variable such as `i` or `A.p`"));
    while (tokens_.accept(","));
    return names;
  }

  ScheduleTree::Find parse_find(const char *separator, const char *example) {
    ScheduleTree::Find find;
    find.target = tokens_.expect_name("a tensor such as `x` or a variable such as `x.p`");
    tokens_.expect(separator, "after `" + find.target.text + "`", example);
    std::string expected = "a way to find (" + list_words(methods) + ")";
    if (!tokens_.at_name() || !contains(methods, tokens_.peek().text))
      tokens_.fail_expected(expected, suggest(tokens_.peek().text, methods));
    find.method = tokens_.expect_name(expected);
    return find;
  }

  [[noreturn]] void fail_statement() {
    std::string_view word = tokens_.peek().text;
    if (contains(later_statements, word))
      report::fail(report::Kind::not_supported, tokens_.span_here(),
                   "the schedule statement `" + std::string(word) + "` is not supported yet",
                   "a statement is " + list_words(statements));
    tokens_.fail_expected("a schedule statement (" + list_words(statements) + ")", suggest(word, statements));
  }

  [[noreturn]] void fail_twice(const Token &word) {
    report::fail(report::Kind::syntax_error, tokens_.span(word),
                 "`" + std::string(word.text) + "` is given twice", "keep one of them");
  }

  TokenStream tokens_;
  ScheduleTree result_;
};

} // namespace

ScheduleTree parse_schedule(const std::shared_ptr<const text::Source> &source) {
  return ScheduleParser(source).parse();
}

ScheduleTree::Find parse_find(const std::shared_ptr<const text::Source> &source) {
  return ScheduleParser(source).parse_only_find();
}

} // namespace unravel::parse
