#include "parse/expression.h"
#include "parse/lexer.h"
#include "parse/parse.h"
#include "report/suggest.h"
#include "text/contains.h"

// The grammar: statements between ";", each one of
//   "order" list(variable)   "find" variable "by" method   "chunk" integer   "serial"   "reuse"
//   "brackets" "written"
//   "drop" "zeros"   "plan" ( integer | "none" )   "blas"
//   "convert" tensor "to" layout ["<" list(integer) ">" | ":" list(integer)]
//   "wavefront" variable ["packed"]
//   "parallel" list(variable) [sharing]   "fuse" variable "," variable   "reduce" tensor "by" reduction
//   ("tile" | "split") list(variable "by" integer)
//   "skew" variable "by" [integer "*"] variable     "shift" variable "by" ["-"] integer
//   "bound" variable ( "in" "[" integer "," integer ( ")" | "]" ) | "=" integer )
//   "unroll" list(variable ["by" integer])     "jam" list(variable "by" integer)
//   ("vectorise" | "vectorize") list(variable)     "workspace" tensor ["(" list(variable) ")"] "for" term
// where a variable is `i`, `A.p`, `A#2.p`, or one that a tile has added, `j.tile`.

namespace unravel::parse {

namespace {

const std::vector<std::string> statements = {
    "order",     "parallel", "fuse",  "reduce", "find",      "chunk",   "serial",  "tile",
    "split",     "skew",     "shift", "bound",  "wavefront", "unroll",  "jam",     "vectorise",
    "workspace", "reuse",    "drop",  "plan",   "blas",      "convert", "brackets"};
const std::vector<std::string> sharings = {"static", "dynamic", "guided", "balanced"};
const std::vector<std::string> reductions = {"scalar", "private", "atomic", "auto"};
const std::vector<std::string> methods = {"direct", "probe", "seq",  "gallop", "binary",
                                          "hash",   "map",   "scan", "auto"};
const std::vector<std::string> later_statements = {"share", "reorder",    "collapse",    "strip", "combine",
                                                   "merge", "precompute", "interchange", "peel"};

using Transformation = ScheduleTree::Transformation;
using LoopRequest = ScheduleTree::LoopRequest;

/// Of tiles, factors, distances: what is computed from them and from sizes fits in 64 bits.
constexpr std::int64_t largest = std::int64_t{1} << 31;
/// Iterations of a chunk: OpenMP's pragmas have an int.
constexpr std::int64_t largest_chunk = largest - 1;
/// Of a loop, that stand in the kernel's text.
constexpr std::int64_t most_iterations = 64;

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
      parse_parallel(word);
    } else if (tokens_.accept("fuse")) {
      parse_fuse(word);
    } else if (tokens_.accept("reduce")) {
      parse_reduce();
    } else if (tokens_.accept("find")) {
      result_.finds.push_back(parse_find("by", "write `find x by binary`"));
    } else if (tokens_.accept("chunk")) {
      if (result_.chunk) fail_twice(word);
      const text::Span here = tokens_.span_here();
      result_.chunk = tokens_.expect_integer("a number of iterations, at least 1", 1);
      check_size(*result_.chunk, largest_chunk, here);
    } else if (tokens_.accept("serial")) {
      result_.serial = true;
    } else if (tokens_.accept("wavefront")) {
      if (result_.wavefront) fail_twice(word);
      result_.wavefront = parse_variable();
      if (tokens_.at_name() && tokens_.peek().text == "packed")
        result_.packed = tokens_.expect_name("`packed`");
    } else if (tokens_.peek().text == "reuse") {
      if (result_.reuse) fail_twice(word);
      result_.reuse = tokens_.expect_name("`reuse`");
    } else if (tokens_.peek().text == "blas") {
      if (result_.blas) fail_twice(word);
      result_.blas = tokens_.expect_name("`blas`");
    } else if (tokens_.peek().text == "brackets") {
      if (result_.brackets) fail_twice(word);
      result_.brackets = tokens_.expect_name("`brackets`");
      tokens_.expect("written", "after `brackets`", "write `brackets written`");
    } else if (tokens_.peek().text == "drop") {
      if (result_.drop) fail_twice(word);
      result_.drop = tokens_.expect_name("`drop`");
      tokens_.expect("zeros", "after `drop`", "write `drop zeros`");
    } else if (tokens_.accept("plan")) {
      if (result_.plan) fail_twice(word);
      parse_plan(word);
    } else if (tokens_.accept("convert")) {
      parse_conversion();
    } else if (tokens_.accept("workspace")) {
      if (result_.workspace) fail_twice(word);
      parse_workspace();
    } else if (tokens_.accept("tile")) {
      parse_tiles(Transformation::Kind::Tile);
    } else if (tokens_.accept("split")) {
      parse_tiles(Transformation::Kind::Split);
    } else if (tokens_.accept("skew")) {
      parse_skew();
    } else if (tokens_.accept("shift")) {
      parse_shift();
    } else if (tokens_.accept("bound")) {
      parse_bound();
    } else if (!parse_loop_request()) {
      fail_statement();
    }
  }

  Name parse_variable() { return tokens_.expect_name("a variable such as `i` or `A.p`"); }

  std::vector<Name> parse_variables() {
    std::vector<Name> names;
    do
      names.push_back(parse_variable());
    while (tokens_.accept(","));
    return names;
  }

  void parse_parallel(const Token &word) {
    for (Name &name : parse_variables())
      result_.parallel.push_back(std::move(name));
    if (tokens_.at_end() || !tokens_.at_name() || contains(statements, tokens_.peek().text)) return;
    std::string expected = "`;` or a way to share out iterations (" + report::list_words(sharings) + ")";
    if (!contains(sharings, tokens_.peek().text))
      tokens_.fail_expected(expected, report::suggest(tokens_.peek().text, sharings));
    if (result_.sharing) fail_twice(word);
    result_.sharing = tokens_.expect_name(expected);
  }

  void parse_fuse(const Token &word) {
    if (!result_.fused.empty()) fail_twice(word);
    result_.fused.push_back(parse_variable());
    tokens_.expect(",", "after `" + result_.fused[0].text + "`", "write `fuse i, A.p` or `fuse i, j`");
    result_.fused.push_back(parse_variable());
  }

  void parse_reduce() {
    ScheduleTree::Reduce reduce;
    reduce.target = tokens_.expect_name("the result, a tensor such as `y`");
    tokens_.expect("by", "after `" + reduce.target.text + "`", "write `reduce y by atomic`");
    std::string expected = "a way to add up (" + report::list_words(reductions) + ")";
    if (!tokens_.at_name() || !contains(reductions, tokens_.peek().text))
      tokens_.fail_expected(expected, report::suggest(tokens_.peek().text, reductions));
    reduce.method = tokens_.expect_name(expected);
    result_.reductions.push_back(std::move(reduce));
  }

  void parse_workspace() {
    ScheduleTree::Workspace workspace;
    workspace.tensor = tokens_.expect_name("the name of the workspace");
    if (tokens_.at("(")) {
      tokens_.open("(");
      workspace.modes = parse_variables();
      tokens_.close(")");
    }
    tokens_.expect("for", "after what `workspace` declares", "write `workspace w(j) for A(i,k) * B(k,j)`");
    workspace.value = parse_term(tokens_);
    result_.workspace = std::move(workspace);
  }

  void parse_plan(const Token &word) {
    ScheduleTree::Plan plan;
    if (!tokens_.accept("none")) plan.number = tokens_.expect_integer("the number of a plan, or `none`", 1);
    plan.span = tokens_.span_from(word.begin);
    result_.plan = plan;
  }

  void parse_conversion() {
    const char *example = "write `convert T to csf<1,0,2>`";
    ScheduleTree::Conversion conversion;
    conversion.tensor = tokens_.expect_name("an operand, a tensor such as `T`", example);
    tokens_.expect("to", "after `" + conversion.tensor.text + "`", example);
    const Name layout = tokens_.expect_name("the name of a layout", example);
    conversion.layout.name = layout.text;
    const bool is_bracketed = tokens_.at("<");
    if (is_bracketed) tokens_.open("<");
    if (is_bracketed || tokens_.accept(":"))
      do
        conversion.layout.parameters.push_back(tokens_.expect_integer("a parameter of the layout", 0));
      while (tokens_.accept(","));
    if (is_bracketed) tokens_.close(">");
    conversion.layout.span = tokens_.span_from(layout.span.begin);
    result_.conversions.push_back(std::move(conversion));
  }

  void add(Transformation transformation) {
    transformation.span = tokens_.span_from(transformation.variable.span.begin);
    result_.transformations.push_back(std::move(transformation));
  }

  std::int64_t parse_integer(Transformation &of, const std::string &what, std::int64_t least) {
    of.number_span = tokens_.span_here();
    std::int64_t number = tokens_.expect_integer(what, least);
    check_size(number, largest, of.number_span);
    return number;
  }

  static void check_size(std::int64_t number, std::int64_t most, const text::Span &span) {
    if (number > most)
      report::fail(report::Kind::number_too_large, span,
                   "`" + std::to_string(number) + "` is too large for a schedule",
                   "the largest number is " + std::to_string(most));
  }

  void parse_tiles(Transformation::Kind kind) {
    do {
      Transformation tile{.kind = kind, .variable = parse_variable()};
      tokens_.expect("by", "after `" + tile.variable.text + "`", "write `tile j by 64`");
      tile.number = parse_integer(tile, "the size of a tile, at least 1", 1);
      add(std::move(tile));
    } while (tokens_.accept(","));
  }

  void parse_skew() {
    Transformation skew{.kind = Transformation::Kind::Skew, .variable = parse_variable(), .number = 1};
    tokens_.expect("by", "after `" + skew.variable.text + "`", "write `skew j by i` or `skew j by 2*i`");
    std::int64_t sign = tokens_.accept("-") ? -1 : 1;
    if (!tokens_.at_name()) {
      skew.number = parse_integer(skew, "a factor and a variable such as `2*i`", 1);
      tokens_.expect("*", "after the factor", "write `skew j by 2*i`");
    }
    skew.number *= sign;
    skew.by = parse_variable();
    add(std::move(skew));
  }

  void parse_shift() {
    Transformation shift{.kind = Transformation::Kind::Shift, .variable = parse_variable()};
    tokens_.expect("by", "after `" + shift.variable.text + "`", "write `shift j by 1` or `shift j by -1`");
    std::int64_t sign = tokens_.accept("-") ? -1 : 1;
    shift.number = sign * parse_integer(shift, "a distance", 0);
    add(std::move(shift));
  }

  void parse_bound() {
    Transformation bound{.kind = Transformation::Kind::Bound, .variable = parse_variable()};
    const char *example = "write `bound j in [0, 64)`, or `bound r = 16` for the extent of r";
    if (tokens_.accept("=")) {
      bound.kind = Transformation::Kind::Fix;
      bound.number = parse_integer(bound, "the extent of `" + bound.variable.text + "`", 0);
    } else {
      tokens_.expect("in", "after `" + bound.variable.text + "`", example);
      tokens_.open("[", "after `in`", example);
      bound.low = parse_integer(bound, "the least value", 0);
      tokens_.expect(",", "after the least value", example);
      bound.high = parse_integer(bound, "the end of the range", 0);
      if (!tokens_.at_any({")", "]"})) tokens_.fail_expected("`)` or `]` after the range");
      if (tokens_.next().text == "]") ++bound.high;
      tokens_.forget_open();
    }
    add(std::move(bound));
  }

  // ---- changes of loops

  bool parse_loop_request() {
    if (tokens_.accept("unroll"))
      parse_loops(LoopRequest::Kind::Unroll);
    else if (tokens_.accept("jam"))
      parse_loops(LoopRequest::Kind::Jam);
    else if (tokens_.accept("vectorise") || tokens_.accept("vectorize"))
      parse_loops(LoopRequest::Kind::Vectorise);
    else
      return false;
    return true;
  }

  void parse_loops(LoopRequest::Kind kind) {
    do {
      LoopRequest request{.kind = kind, .variable = parse_variable()};
      const std::string after = "after `" + request.variable.text + "`";
      if (kind == LoopRequest::Kind::Jam) tokens_.expect("by", after, "write `jam i by 4`");
      if (kind == LoopRequest::Kind::Jam || (kind == LoopRequest::Kind::Unroll && tokens_.accept("by")))
        request.factor = parse_iterations();
      request.span = tokens_.span_from(request.variable.span.begin);
      result_.loops.push_back(std::move(request));
    } while (tokens_.accept(","));
  }

  std::int64_t parse_iterations() {
    const text::Span here = tokens_.span_here();
    std::int64_t number = tokens_.expect_integer("a number of iterations, at least 2", 2);
    if (number > most_iterations)
      report::fail(report::Kind::number_too_large, here,
                   "`" + std::to_string(number) + "` iterations are too many to be written out",
                   "the largest number is " + std::to_string(most_iterations));
    return number;
  }

  ScheduleTree::Find parse_find(const char *separator, const char *example) {
    ScheduleTree::Find find;
    find.target = tokens_.expect_name("a tensor such as `x` or a variable such as `x.p`");
    tokens_.expect(separator, "after `" + find.target.text + "`", example);
    std::string expected = "a way to find (" + report::list_words(methods) + ")";
    if (!tokens_.at_name() || !contains(methods, tokens_.peek().text))
      tokens_.fail_expected(expected, report::suggest(tokens_.peek().text, methods));
    find.method = tokens_.expect_name(expected);
    return find;
  }

  [[noreturn]] void fail_statement() {
    std::string_view word = tokens_.peek().text;
    if (contains(later_statements, word))
      report::fail(report::Kind::not_supported, tokens_.span_here(),
                   "the schedule statement `" + std::string(word) + "` is not supported yet",
                   "a statement is " + report::list_words(statements));
    tokens_.fail_expected("a schedule statement (" + report::list_words(statements) + ")",
                          report::suggest(word, statements));
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
