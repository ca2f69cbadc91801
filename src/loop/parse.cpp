// The loop IR from text: the inverse of print.cpp, line by line.
#include "loop/value_reader.h"
#include "loop/vector_sums.h"

#include <fmt/format.h>

namespace unravel::loop {

namespace {

using term::Term;

class ProgramReader : ValueReader {
public:
  explicit ProgramReader(std::string_view text) : ValueReader(text) {}

  Program program() {
    Program result;
    skip_lines();
    expect_word("kernel");
    result.name = rest_of_line();
    expect_word("expression");
    result.expression = rest_of_line();
    while (true) {
      skip_lines();
      if (peek_word() == "result" || peek_word() == "operand") {
        result.parameters.push_back(parameter());
      } else if (accept_word("size")) {
        result.sizes.push_back(name());
      } else if (accept_word("require")) {
        Precondition condition;
        condition.formula = term();
        expect(":");
        condition.message = rest_of_line();
        result.preconditions.push_back(std::move(condition));
      } else if (accept_word("operator")) {
        own_.push_back(own_operator());
      } else if (accept_word("workspace")) {
        result.workspace.push_back(workspace_array());
      } else {
        break;
      }
    }
    result.body = braced();
    end();
    return result;
  }

  Block whole_block() {
    Block result = statements();
    end();
    return result;
  }

private:
  void end() {
    skip_lines();
    if (at_ != text_.size()) fail("the end of the text");
  }

  // ---- parameters

  TensorParameter parameter() {
    TensorParameter result;
    result.is_result = accept_word("result");
    if (!result.is_result) expect_word("operand");
    result.name = name();
    expect(":");
    std::string head = rest_of_line();
    std::size_t open = head.rfind('(');
    std::size_t close = head.rfind(')');
    std::string after = close == std::string::npos ? "" : head.substr(close + 1);
    bool is_named = after.rfind(" as ", 0) == 0;
    if (open == std::string::npos || close == std::string::npos || close < open ||
        !(after.empty() || is_named))
      fail("a layout and its sizes, as in `csr(M, N)` or `csr(M, N) as csr_f32`", at_ - 1);
    result.layout = head.substr(0, open);
    result.sizes = split(head.substr(open + 1, close - open - 1));
    if (is_named) result.type_name = after.substr(4);
    while (true) {
      skip_lines();
      if (accept_word("about"))
        result.about += (result.about.empty() ? "" : "\n") + rest_of_line();
      else if (accept_word("like"))
        result.structure = name();
      else if (accept_word("assembled"))
        result.assembled = true;
      else if (accept_word("constant"))
        result.constant = true;
      else if (accept_word("count"))
        result.counts.push_back(rest_of_line());
      else if (peek_word() == "index" || peek_word() == "value")
        result.arrays.push_back(array());
      else
        return result;
    }
  }

  ArrayParameter array() {
    ArrayParameter result;
    result.is_value = accept_word("value");
    if (!result.is_value) expect_word("index");
    result.name = name();
    expect("[");
    if (!accept("]")) {
      listed([&] { result.extents.push_back(term()); });
      expect("]");
    }
    expect(":");
    result.element = element_type();
    result.non_negative = accept_word("nonnegative");
    return result;
  }

  WorkspaceArray workspace_array() {
    WorkspaceArray result;
    result.name = name();
    expect("[");
    result.extent = term();
    expect("]");
    expect(":");
    result.element = element_type();
    result.is_value = accept_word("values");
    result.initial.reset();
    if (accept("=")) result.initial = number();
    if (accept_word("per")) {
      expect_word("thread");
      result.per_thread = true;
    }
    if (accept_word("of")) {
      expect_word("teams");
      result.for_teams = true;
    }
    result.grows = accept_word("grows");
    result.hashed = accept_word("hashed");
    if (accept_word("if")) result.when = term();
    skip_lines();
    if (accept_word("about")) result.about = rest_of_line();
    return result;
  }

  ElementType element_type() {
    for (const value::TypeFacts &facts : value::all_types)
      if (accept_word(name_of(facts.type))) return facts.type;
    fail("int32, int64, float32, float64, bit or another type");
  }

  static std::vector<std::string> split(std::string_view list) {
    std::vector<std::string> result;
    while (!list.empty()) {
      std::size_t end = std::min(list.find(", "), list.size());
      result.emplace_back(list.substr(0, end));
      list.remove_prefix(std::min(list.size(), end + 2));
    }
    return result;
  }

  // ---- statements

  Block braced() {
    expect("{");
    Block result = statements();
    expect("}");
    return result;
  }

  Block statements() {
    Block result;
    while (true) {
      std::string comment;
      skip_lines();
      if (accept("# ")) {
        comment = rest_of_line();
        skip_lines();
      }
      if (at_ == text_.size() || text_[at_] == '}') return result;
      result.push_back(statement());
      std::visit(
          [&](auto &made) {
            if constexpr (requires { made.comment; }) made.comment = std::move(comment);
          },
          result.back().kind);
    }
  }

  Statement statement() {
    if (accept_word("for")) return for_loop();
    if (accept_word("while")) {
      While loop{term(), {}, ""};
      loop.sums = vector_sum();
      loop.body = braced();
      return {std::move(loop)};
    }
    if (accept_word("intersect")) {
      Intersect loop;
      loop.first = keyed_range();
      expect(",");
      loop.second = keyed_range();
      loop.body = braced();
      return {std::move(loop)};
    }
    if (accept_test("merge")) return merge();
    if (accept_word("if")) {
      for (auto [word, test] :
           {std::pair("stored", IfValue::Test::Stored), std::pair("nan", IfValue::Test::NotANumber),
            std::pair("differs", IfValue::Test::Differs)})
        if (accept_test(word)) return if_value(test);
      If guard{term(), {}, ""};
      guard.speculative = accept_word("speculative");
      guard.then = braced();
      if (accept_word("else")) guard.otherwise = braced();
      return {std::move(guard)};
    }
    if (accept_word("let")) {
      std::string variable = name("=");
      return {Let{variable, term()}};
    }
    if (accept_word("var")) {
      std::string variable = name("=");
      return {Declare{variable, term()}};
    }
    if (accept_test("share")) {
      ShareOut out;
      out.total = term();
      expect_word("in");
      out.parts = name();
      expect_word("of");
      out.share = name(",");
      out.each = term();
      return {std::move(out)};
    }
    if (accept_word("value")) {
      DeclareValue declaration{name(), {}};
      if (accept(":")) declaration.type = element_type();
      expect("=");
      declaration.initial = value();
      return {std::move(declaration)};
    }
    if (accept_word("zero")) {
      std::string array = name(",");
      return {Zero{array, term()}};
    }
    if (accept_test("sort")) {
      Sort sort;
      sort.order = name();
      if (accept_word("by")) sort.keys = name();
      expect_word("in");
      sort.room = name(",");
      sort.count = term();
      return {std::move(sort)};
    }
    if (accept_word("break")) return {Break{}};
    if (accept_word("miss")) return {Miss{}};
    if (accept_word("prefetch")) {
      const Element asked = element();
      return {Prefetch{asked.array, asked.slot}};
    }
    if (accept_test("blas")) return blas();
    if (accept_test("reserve")) return reserve();
    if (accept_test("count")) {
      std::string count = name("=");
      return {SetCount{std::move(count), term()}};
    }
    if (accept_test("atomic")) {
      Statement added = assignment();
      auto *add = added.as<Accumulate>();
      if (!add) fail("an addition behind `atomic`");
      add->atomic = true;
      return added;
    }
    return assignment();
  }

  Statement merge() {
    Merge loop;
    loop.variable = name();
    expect("{");
    for (skip_lines(); accept_word("at"); skip_lines()) {
      KeyedRange range = keyed_range();
      loop.ranges.push_back({std::move(range), braced()});
    }
    expect_word("then");
    loop.body = braced();
    expect("}");
    return {std::move(loop)};
  }

  Element element() {
    Element made{name("["), {}};
    made.slot = term();
    expect("]");
    return made;
  }

  /// An element of that array, or that local.
  Target target(const std::string &read) {
    if (!accept("[")) return Local{read};
    Element made{read, term()};
    expect("]");
    return made;
  }

  Statement blas() {
    Blas call;
    call.target = target(name());
    expect_word("by");
    call.left = element();
    if (accept_word("and")) call.right = element();
    expect_word("scale");
    call.scale = value();
    while (accept_word("over")) {
      Blas::Axis axis;
      axis.extent = term();
      expect(":");
      axis.target = term();
      expect(",");
      axis.left = term();
      expect(",");
      axis.right = term();
      call.axes.push_back(std::move(axis));
    }
    call.threads = accept_word("threads");
    return {std::move(call)};
  }

  Statement reserve() {
    Reserve wanted;
    wanted.count = name(">=");
    if (wanted.count == "room") wanted.count.clear();
    wanted.least = term();
    if (accept(":")) listed([&] { wanted.arrays.push_back(name()); });
    return {std::move(wanted)};
  }

  /// The word, if a name follows: otherwise it is a variable.
  bool accept_test(const char *word) {
    std::size_t before = at_;
    if (accept_word(word) && !peek_word().empty()) return true;
    at_ = before;
    return false;
  }

  Statement if_value(IfValue::Test test) {
    IfValue guard{name(), {}, "", test};
    if (test == IfValue::Test::Differs) {
      expect_word("from");
      guard.number = number();
    }
    guard.speculative = accept_word("speculative");
    guard.then = braced();
    return {std::move(guard)};
  }

  VectorSum vector_sum() {
    if (!accept_word("sums")) return VectorSum::None;
    using enum VectorSum;
    for (const VectorSum kind : {Stretch, ClearsStretch, Lanes, Pairs, Gathered, Tiles, Columns})
      if (accept_word(name_of(kind))) return kind;
    fail("stretch, clears_stretch, lanes, pairs or gathered");
  }

  Statement for_loop() {
    For loop;
    loop.variable = name();
    expect_word("in");
    loop.lower = term();
    expect("..");
    loop.upper = term();
    if (accept_word("step")) loop.step = number();
    if (accept_word("parallel")) loop.parallel = Parallel{static_cast<int>(number())};
    if (loop.parallel && accept_word("static")) loop.parallel->schedule = Parallel::Schedule::Static;
    if (loop.parallel && accept_word("guided")) loop.parallel->schedule = Parallel::Schedule::Guided;
    if (loop.parallel && accept_word("share")) loop.parallel->share = number();
    if (loop.parallel && accept_word("never")) loop.parallel->least = Parallel::never;
    if (loop.parallel && accept_word("from")) loop.parallel->least = number();
    if (loop.parallel && accept_word("of")) loop.parallel->work = term();
    if (loop.parallel && accept_word("sum")) loop.parallel->sum = name();
    if (loop.parallel && accept_word("copies")) loop.parallel->copied = name();
    if (loop.parallel && accept_word("appends")) loop.parallel->appended = appended();
    loop.simd = accept_word("simd");
    loop.brief = accept_word("brief");
    if (accept_word("together")) loop.together = static_cast<int>(number());
    if (accept_word("masked")) loop.masked = Masked{term(), {}, false};
    if (loop.masked && accept_word("uneven")) loop.masked->pointers = name();
    if (loop.masked) loop.masked->reads_on = accept_word("reads_on");
    loop.team = accept_word("team");
    loop.in_lanes = accept_word("lanes");
    loop.sums = vector_sum();
    loop.body = braced();
    return {std::move(loop)};
  }

  Appended appended() {
    Appended result;
    listed([&] {
      std::string array = name();
      expect_word("at");
      std::string end = name();
      if (accept_word("into"))
        result.pointers.push_back({std::move(array), std::move(end), name()});
      else
        result.counters.push_back({std::move(array), std::move(end)});
    });
    return result;
  }

  KeyedRange keyed_range() {
    KeyedRange range;
    range.variable = name();
    expect_word("in");
    range.lower = term();
    expect("..");
    range.upper = term();
    expect_word("by");
    range.key = name();
    return range;
  }

  Statement assignment() {
    std::string target_name = name();
    if (accept(":=")) return {Assign{target_name, term()}};
    if (accept("(")) {
      Term slot = term();
      expect(")");
      expect(":=");
      SetElement set{target_name, std::move(slot), term()};
      set.whole_word = accept_word("word");
      return {std::move(set)};
    }
    Target to = target(target_name);
    for (const Operator &own : own_)
      if (accept(value::reduction_text(own))) return {Accumulate{std::move(to), value(), false, own}};
    for (const value::Laws &laws : value::all_operators)
      if (laws.identity && accept(value::reduction_text(laws.op)))
        return {Accumulate{std::move(to), value(), false, laws.op}};
    expect("=");
    return {Store{std::move(to), value()}};
  }
};

} // namespace

Program parse_program(std::string_view text) {
  return ProgramReader(text).program();
}
Block parse_block(std::string_view text) {
  return ProgramReader(text).whole_block();
}

} // namespace unravel::loop
