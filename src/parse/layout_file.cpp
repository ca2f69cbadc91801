#include "parse/expression.h"
#include "parse/parse.h"
#include "report/suggest.h"
#include "text/contains.h"

#include <algorithm>

// The grammar ({ } repeats, [ ] is optional; list(x) is x {"," x}; term and formula: see expression.h):
//
//   file      = { layout [";"] }
//   layout    = ["permutable"] "layout" name ["<" list(name) ">"] "(" [list(name ":" name)] ")" body
//   body      = "{" { statement ";" } "}"
//   statement = "index" list(array) | "value" list(array) | "count" list(count) | stored | property
//             | "levels" list(level)
//   level     = name ":" format { ["not"] quality }
//   format    = "dense" | "compressed" | "singleton" | "range" | "offset" | "hashed" "(" term ")"
//   quality   = "full" | "ordered" | "unique" | "branchless" | "compact"
//   array     = name "[" list(term) "]" [":" element]
//   count     = name ["=" term]
//   stored    = "stored" "{" positions "->" "[" [list(term)] "]" [":" formula] "}" "at" value
//   positions = "[" [list(name)] "]"
//   value     = ["-"] ( name "(" [list(term)] ")" | integer )
//   property  = "property" ( range | injective | monotone | ["forall" list(name) ":"] formula )
//   range     = "range" name "in" "[" term "," term ( ")" | "]" )
//   injective = "injective" names ["within" name]
//   monotone  = ["strictly"] ( "increasing" | "decreasing" ) names ["within" name]
//   names     = name | "(" list(name) ")"
//   element   = "int32" | "int64" | "f32" | "f64" | "complex64" | "complex128"
//
// # begins a comment, to the end of the line.

namespace unravel::parse {

namespace {

const std::vector<std::string> layout_statements = {"index", "count", "value", "stored", "property"};
const std::vector<std::string> index_elements = {"int32", "int64"};
const std::vector<std::string> value_elements = {"f32", "f64", "int32", "int64", "complex64", "complex128"};

/// Statements that the language will have, with what works instead.
struct LaterStatement {
  const char *word;
  const char *hint;
};
constexpr LaterStatement later_layout_statements[] = {
    {"struct", "declare the arrays separately: `index row[NNZ], col[NNZ]; value val[NNZ];`"},
    {"function", "declare an `index` array that holds the function's values"},
    {"fill", "a tensor has a fill, in any layout: its format is `csr fill inf`"},
};

const std::vector<std::string> level_formats = {"dense", "compressed", "singleton",
                                                "range", "offset",     "hashed"};
const std::vector<std::string> level_properties = {"full", "ordered", "unique", "branchless", "compact"};

/// int8, uint2, f16, bool: types that a later version may have.
bool looks_like_element(std::string_view word) {
  if (word == "bool") return true;
  std::size_t letters = word.find_first_of("0123456789");
  if (letters == std::string_view::npos ||
      word.find_first_not_of("0123456789", letters) != std::string_view::npos)
    return false;
  std::string_view stem = word.substr(0, letters);
  return stem == "int" || stem == "uint" || stem == "f" || stem == "bf";
}

/// The # lines directly above the line that holds `begin`, without the marks; empty where something else
/// stands before `begin` on its line.
std::string comment_above(std::string_view text, std::size_t begin) {
  constexpr std::string_view blank = " \t\r\f\v";
  auto line_of = [&](std::size_t end) {
    std::size_t start = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    start = start == std::string_view::npos ? 0 : start + 1;
    return std::pair(start, text.substr(start, end - start));
  };
  auto [start, before] = line_of(begin);
  if (before.find_first_not_of(blank) != std::string_view::npos) return {};
  std::vector<std::string_view> lines;
  while (start > 0) {
    auto [previous, line] = line_of(start - 1);
    std::size_t mark = line.find_first_not_of(blank);
    if (mark == std::string_view::npos || line[mark] != '#') break;
    line.remove_prefix(std::min(line.find_first_not_of('#', mark), line.size()));
    if (!line.empty() && line[0] == ' ') line.remove_prefix(1);
    line = line.substr(0, line.find_last_not_of(blank) + 1);
    lines.push_back(line);
    start = previous;
  }
  std::string comment;
  for (std::size_t k = lines.size(); k-- > 0;) {
    comment += lines[k];
    if (k > 0) comment += '\n';
  }
  return comment;
}

class LayoutParser {
public:
  explicit LayoutParser(const std::shared_ptr<const text::Source> &source)
      : source_(source), tokens_(source, Dialect::Layout) {}

  LayoutFileTree parse() {
    LayoutFileTree file;
    while (!tokens_.at_end()) {
      file.layouts.push_back(parse_layout());
      fail_if_known(file);
      // A stop behind the last brace is a habit from other languages, and harmless.
      tokens_.accept(";");
    }
    if (file.layouts.empty())
      report::fail(report::Kind::syntax_error, text::Place::of_file(source_->name()),
                   "this file holds no layout", "a layout begins with `layout name(i: M, j: N) {`");
    return file;
  }

private:
  /// A reference to the last layout would mean one before it: the names and orders are the same.
  static void fail_if_known(const LayoutFileTree &file) {
    const LayoutTree &last = file.layouts.back();
    for (std::size_t k = 0; k + 1 < file.layouts.size(); ++k)
      if (const LayoutTree &other = file.layouts[k];
          other.name.text == last.name.text && other.coordinates.size() == last.coordinates.size())
        report::fail(report::Kind::duplicate_name, last.name.span,
                     "this file has two layouts `" + last.name.text + "` for tensors of order " +
                         std::to_string(last.coordinates.size()),
                     "give one of them another name");
  }

  LayoutTree parse_layout() {
    LayoutTree layout;
    std::size_t begin = tokens_.peek().begin;
    layout.comment = comment_above(source_->content(), begin);
    layout.permutable = tokens_.accept("permutable");
    if (!tokens_.at("layout"))
      tokens_.fail_expected(layout.permutable ? "`layout` after `permutable`" : "`layout`",
                            report::suggest(tokens_.peek().text, {"layout", "permutable"}));
    tokens_.next();
    layout.name = tokens_.expect_name("the layout's name");
    parse_head(layout);
    fail_if_later();
    const Token brace = tokens_.open("{", "after the head of layout `" + layout.name.text + "`");
    while (!tokens_.at("}")) {
      fail_if_unclosed(layout, brace);
      parse_statement(layout);
    }
    tokens_.close("}");
    layout.span = tokens_.span_from(begin);
    return layout;
  }

  /// `<R, C>(i: M, j: N)`
  void parse_head(LayoutTree &layout) {
    if (tokens_.at("<")) {
      tokens_.open("<");
      do
        layout.parameters.push_back(
            {tokens_.expect_name("the name of a parameter", "write `layout bcsr<R, C>(...)`")});
      while (tokens_.accept(","));
      tokens_.close(">");
    }
    tokens_.open("(", "after the layout's name", "the coordinates follow the name: `layout csr(i: M, j: N)`");
    if (!tokens_.at(")")) {
      do
        layout.coordinates.push_back(parse_coordinate());
      while (tokens_.accept(","));
    }
    tokens_.close(")");
  }

  CoordinateTree parse_coordinate() {
    CoordinateTree coordinate;
    coordinate.name = tokens_.expect_name("the name of a coordinate");
    tokens_.expect(":", "and the size of `" + coordinate.name.text + "`",
                   "write `" + coordinate.name.text + ": M`");
    coordinate.size =
        tokens_.expect_name("the name of a size", "a size is a name: the tensor's shape gives its value");
    return coordinate;
  }

  void fail_if_later() {
    for (const LaterStatement &later : later_layout_statements)
      if (tokens_.at(later.word))
        report::fail(report::Kind::not_supported, tokens_.span_here(),
                     "the statement `" + std::string(later.word) + "` is not supported yet", later.hint);
  }

  void fail_if_unclosed(const LayoutTree &layout, const Token &brace) {
    bool head = tokens_.at("layout") || (tokens_.at("permutable") && tokens_.peek_second().text == "layout");
    if (head)
      report::fail(report::Kind::syntax_error, tokens_.span(brace),
                   "`{` of layout `" + layout.name.text + "` is not closed before the next layout",
                   "close with `}`");
  }

  void parse_statement(LayoutTree &layout) {
    std::string hint;
    if (tokens_.accept("index")) {
      parse_arrays(layout, false);
    } else if (tokens_.accept("value")) {
      parse_arrays(layout, true);
    } else if (tokens_.accept("count")) {
      parse_counts(layout);
    } else if (tokens_.at("stored")) {
      layout.stored.push_back(parse_stored());
      hint = "a value is `[-] array(position, ...)` or a number";
    } else if (tokens_.at("property")) {
      layout.properties.push_back(parse_property());
    } else if (tokens_.at("levels")) {
      parse_levels(layout);
      hint = "write `levels i: dense, j: compressed;`";
    } else {
      fail_statement();
    }
    tokens_.expect_semicolon(layout_statements, hint);
  }

  [[noreturn]] void fail_statement() {
    fail_if_later();
    std::string hint = report::suggest(tokens_.peek().text, layout_statements);
    if (hint.empty() &&
        tokens_.at_any({"forall", "increasing", "decreasing", "injective", "range", "strictly"}))
      hint = "write `property` before `" + std::string(tokens_.peek().text) + "`";
    if (tokens_.at(";")) hint = "every statement has one `;`";
    tokens_.fail_expected("a statement (" + report::list_words(layout_statements) + ") or `}`", hint);
  }

  /// `levels i: dense, j: compressed not unique;`
  void parse_levels(LayoutTree &layout) {
    if (!layout.levels.empty())
      report::fail(report::Kind::syntax_error, tokens_.span_here(),
                   "layout `" + layout.name.text + "` has level formats already",
                   "write one per mode, in one list");
    tokens_.next();
    do
      layout.levels.push_back(parse_level());
    while (tokens_.accept(","));
  }

  LevelTree parse_level() {
    LevelTree level;
    level.coordinate = tokens_.expect_name("the coordinate of a level");
    tokens_.expect(":", "and the format of the level of `" + level.coordinate.text + "`",
                   "write `" + level.coordinate.text + ": compressed`");
    std::string expected = "a level format (" + report::list_words(level_formats) + ")";
    if (!tokens_.at_name() || !contains(level_formats, tokens_.peek().text))
      tokens_.fail_expected(expected, report::suggest(tokens_.peek().text, level_formats));
    level.format = tokens_.expect_name(expected);
    if (level.format.text == "hashed") {
      tokens_.open("(", "and the number of buckets", "write `hashed(64)`, or a parameter: `hashed(B)`");
      level.buckets = parse_term(tokens_);
      tokens_.close(")");
    }
    while (tokens_.at("not") || tokens_.at_name()) {
      bool holds = !tokens_.accept("not");
      if (!tokens_.at_name() || !contains(level_properties, tokens_.peek().text))
        tokens_.fail_expected("a property of levels (" + report::list_words(level_properties) + ")",
                              report::suggest(tokens_.peek().text, level_properties));
      level.properties.push_back({tokens_.expect_name("a property of levels"), holds});
    }
    return level;
  }

  void parse_arrays(LayoutTree &layout, bool is_value) {
    do {
      ArrayTree array;
      array.is_value = is_value;
      array.name = tokens_.expect_name("the name of an array");
      tokens_.open("[", "and the extents of `" + array.name.text + "`",
                   "write `" + array.name.text + "[" + (is_value ? "NNZ" : "M + 1") + "]`");
      if (tokens_.at("]")) tokens_.fail_expected("an extent", "an array has at least one extent");
      array.extents = parse_terms_until(tokens_, "]");
      if (tokens_.accept(":")) array.element = parse_element(is_value ? value_elements : index_elements);
      array.is_hashed = !is_value && tokens_.accept("hashed");
      layout.arrays.push_back(std::move(array));
    } while (tokens_.accept(","));
  }

  Name parse_element(const std::vector<std::string> &known) {
    std::string expected = "the type of an element (" + report::list_words(known) + ")";
    std::string_view word = tokens_.peek().text;
    if (tokens_.at_name() && !contains(known, word)) {
      if (looks_like_element(word) && !contains(value_elements, word))
        report::fail(report::Kind::not_supported, tokens_.span_here(),
                     "elements of type `" + std::string(word) + "` are not supported yet",
                     "an element here is " + report::list_words(known));
      tokens_.fail_expected(expected, report::suggest(word, known));
    }
    return tokens_.expect_name(expected);
  }

  void parse_counts(LayoutTree &layout) {
    do {
      CountTree count;
      count.name = tokens_.expect_name("the name of a count", "write `count NNZ = rowptr(M);`");
      if (tokens_.at("==")) tokens_.expect("=");
      if (tokens_.accept("=")) count.definition = parse_term(tokens_);
      layout.counts.push_back(std::move(count));
    } while (tokens_.accept(","));
  }

  /// `stored { [r, p] -> [i, j] : formula } at val(p)`
  StoredTree parse_stored() {
    StoredTree stored;
    std::size_t begin = tokens_.next().begin;
    tokens_.open("{", "after `stored`", "write `stored { [p] -> [i] : ... } at val(p);`");
    tokens_.open("[", "and the positions", "write `[r, p] -> [i, j]`");
    if (!tokens_.at("]")) {
      do
        stored.positions.push_back(tokens_.expect_name("the name of a position"));
      while (tokens_.accept(","));
    }
    tokens_.close("]");
    tokens_.expect("->", "between positions and coordinates");
    tokens_.open("[", "and the coordinates", "write `[r, p] -> [i, j]`");
    stored.coordinates = parse_terms_until(tokens_, "]");
    stored.relation = parse_relation();
    std::string hint;
    if (tokens_.at(";")) hint = "several pieces are several `stored` statements";
    if (tokens_.at(",")) hint = "conditions are joined by `and`";
    tokens_.close("}", hint);
    tokens_.expect("at", "and the value", "say where the value lies: `at val(p)`");
    stored.value = parse_value();
    stored.span = tokens_.span_from(begin);
    return stored;
  }

  Expression parse_relation() {
    if (tokens_.accept(":")) return parse_formula(tokens_);
    Expression truth;
    truth.kind = Expression::Kind::Truth;
    truth.span = tokens_.span_after_previous();
    return truth;
  }

  /// `[-] array(term, ...)` or an integer.
  Expression parse_value() {
    if (tokens_.at("-")) {
      Expression negation;
      negation.kind = Expression::Kind::Negate;
      std::size_t begin = tokens_.next().begin;
      negation.children.push_back(parse_positive_value());
      negation.span = tokens_.span_from(begin);
      return negation;
    }
    return parse_positive_value();
  }

  Expression parse_positive_value() {
    Expression value;
    const Token token = tokens_.peek();
    if (token.kind == Token::Kind::Integer) {
      tokens_.next();
      value.integer = token.integer;
      value.span = tokens_.span(token);
      return value;
    }
    if (token.kind == Token::Kind::Decimal)
      report::fail(report::Kind::not_supported, tokens_.span(token),
                   "the decimal value " + tokens_.describe_current() + " in a layout is not supported yet",
                   "use an integer, or a `value` array that holds the number");
    value.name = tokens_.expect_name("a value", "a value is `[-] array(position, ...)` or a number");
    value.kind = Expression::Kind::Call;
    tokens_.open("(", "after `" + value.name.text + "`", "write `at " + value.name.text + "(p)`");
    value.children = parse_terms_until(tokens_, ")");
    value.span = tokens_.span_from(token.begin);
    return value;
  }

  PropertyTree parse_property() {
    PropertyTree property;
    tokens_.next();
    std::size_t begin = tokens_.peek().begin;
    if (tokens_.accept("forall")) {
      parse_quantified(property);
    } else if (tokens_.at_name() && begins_named_form()) {
      parse_named(property);
    } else {
      fail_if_misspelt();
      property.formula = parse_formula(tokens_);
    }
    property.span = tokens_.span_from(begin);
    return property;
  }

  void parse_quantified(PropertyTree &property) {
    do
      property.variables.push_back(tokens_.expect_name("the name of a variable"));
    while (tokens_.accept(","));
    tokens_.expect(":", "after the variables of `forall`", "write `forall r, p : guard => conclusion`");
    property.formula = parse_formula(tokens_);
  }

  /// A UF may bear the name of a form: `range(0) = 0` is a formula; brackets of a list follow only the
  /// others.
  bool begins_named_form() {
    if (tokens_.at("range")) return tokens_.peek_second().kind == Token::Kind::Name;
    return tokens_.at_any({"injective", "strictly", "increasing", "decreasing"});
  }

  /// Two names in a row are no formula: the first is a misspelt form.
  void fail_if_misspelt() {
    if (!tokens_.at_name() || tokens_.peek_second().kind != Token::Kind::Name) return;
    if (is_reserved(tokens_.peek_second().text)) return;
    const std::vector<std::string> words = {"range",      "injective", "increasing",
                                            "decreasing", "strictly",  "forall"};
    std::string hint = report::suggest(tokens_.peek().text, words);
    tokens_.fail_expected("a property (" + report::list_words(words) + ") or a formula", hint);
  }

  void parse_named(PropertyTree &property) {
    using Form = PropertyTree::Form;
    if (tokens_.accept("range")) {
      property.form = Form::Range;
      parse_range(property);
      return;
    }
    if (tokens_.accept("injective")) {
      property.form = Form::Injective;
    } else {
      property.form = Form::Monotone;
      property.strict = tokens_.accept("strictly");
      if (!tokens_.at_any({"increasing", "decreasing"}))
        tokens_.fail_expected("`increasing` or `decreasing` after `strictly`",
                              report::suggest(tokens_.peek().text, {"increasing", "decreasing"}));
      property.decreasing = tokens_.next().text == "decreasing";
    }
    parse_functions(property);
    if (tokens_.peek().kind == Token::Kind::Name && !tokens_.at("within") &&
        report::suggest(tokens_.peek().text, {"within"}) != "")
      tokens_.fail_expected("`within` or `;`", report::suggest(tokens_.peek().text, {"within"}));
    if (tokens_.accept("within")) property.within = tokens_.expect_name("an index array after `within`");
  }

  /// `f` or `(f, g)`
  void parse_functions(PropertyTree &property) {
    const std::string what = "the name of an index array";
    if (!tokens_.at("(")) {
      property.functions.push_back(tokens_.expect_name(what + " or `(`"));
      if (tokens_.at(","))
        tokens_.fail_expected("`within` or `;`", "write several arrays in brackets: `(f, g)`");
      return;
    }
    tokens_.open("(");
    do
      property.functions.push_back(tokens_.expect_name(what));
    while (tokens_.accept(","));
    tokens_.close(")");
  }

  /// `f in [low, high)` or `f in [low, high]`
  void parse_range(PropertyTree &property) {
    property.functions.push_back(tokens_.expect_name("the name of an index array"));
    tokens_.expect("in", "after `" + property.functions[0].text + "`", "write `range f in [0, N)`");
    tokens_.open("[", "and the lower end", "a range contains its lower end: `[0, N)`");
    property.low = parse_term(tokens_);
    tokens_.expect(",", "between the ends of the range");
    property.high = parse_term(tokens_);
    if (!tokens_.at_any({")", "]"})) tokens_.fail_expected("`)` or `]` after the range");
    property.high_included = tokens_.next().text == "]";
    tokens_.forget_open();
  }

  std::shared_ptr<const text::Source> source_;
  TokenStream tokens_;
};

} // namespace

LayoutFileTree parse_layout_file(const std::shared_ptr<const text::Source> &source) {
  return LayoutParser(source).parse();
}

} // namespace unravel::parse
