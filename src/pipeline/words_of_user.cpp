#include "pipeline/words_of_user.h"

#include "text/characters.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>
#include <vector>

namespace unravel::pipeline {

namespace {

std::size_t end_of_word(std::string_view text, std::size_t begin) {
  while (begin < text.size() && text::is_of_name(text[begin]))
    ++begin;
  return begin;
}

/// Behind the brackets that begin here, if any do.
std::size_t end_of_brackets(std::string_view text, std::size_t begin) {
  if (begin >= text.size() || text[begin] != '(') return begin;
  int depth = 0;
  for (std::size_t k = begin; k < text.size(); ++k)
    if (depth += (text[k] == '(') - (text[k] == ')'); depth == 0) return k + 1;
  return begin;
}

class Words {
public:
  Words(const Request &request, const Front &front) : stands_for_(front.stands_for) {
    const compute::Computation &computation = front.computation;
    const compute::Program &program = computation.program;
    own_ = front.own_words;
    for (const auto *asked : {&request.schedules, &request.finds})
      for (const std::string &each : *asked)
        own_.merge(words_in(each));
    for (const auto &[tensor, format] : request.formats)
      own_.insert(tensor);
    add(computation.indices, loops_);
    for (const compute::Statement &statement : program.statements)
      for (const compute::Loop &loop : statement.loops)
        add({loop.variable}, loops_);
    for (const compute::TensorUse &use : computation.tensors)
      add({use.name}, locals_);
    for (const auto *locals : {&program.locals, &program.local_tensors})
      for (const auto &[local, around] : *locals)
        add({local}, locals_);
    add(program.sizes, locals_);
    for (const auto &[tensor, result] : front.packed) {
      const std::string &list = front.layouts.at(tensor).name;
      add({list}, locals_);
      stands_for_.emplace(list, result.layout.name);
    }
  }

  report::Diagnostic said(report::Diagnostic diagnostic) const {
    if (report::category_of(diagnostic.kind) == report::Category::Bug) return diagnostic;
    diagnostic.message = said(diagnostic.message);
    diagnostic.hint = said(diagnostic.hint);
    return diagnostic;
  }

  std::string said(const std::string &text) const {
    if (loops_.empty() && locals_.empty()) return text;
    std::string made;
    bool is_quoted = false;
    for (std::size_t k = 0; k < text.size();) {
      const std::size_t end = end_of_word(text, k);
      const std::string word = text.substr(k, end - k);
      if (end == k) is_quoted = is_quoted != (text[k] == '`');
      if (end == k || !is_made(word) || may_be_prose(text, k, end, is_quoted)) {
        made += end == k ? text.substr(k, 1) : word;
        k = std::max(end, k + 1);
        continue;
      }
      k = end;
      if (const auto found = stands_for_.find(word); found != stands_for_.end())
        made += found->second;
      else if (const std::string extent = ".extent"; loops_.contains(word) && text.substr(k, 7) == extent)
        made += "its extent", k += extent.size();
      else if (loops_.contains(word))
        made += word.substr(0, word.find_first_of("0123456789"));
      else {
        k = end_of_brackets(text, k);
        const bool is_alone = made.ends_with('`') && k < text.size() && text[k] == '`';
        if (is_alone) made.pop_back(), ++k, is_quoted = false;
        made += "a local tensor";
      }
    }
    return made;
  }

private:
  void add(const std::vector<std::string> &names, std::set<std::string> &to) const {
    for (const std::string &name : names)
      if (!own_.contains(name)) to.insert(name);
  }

  bool is_made(const std::string &name) const { return loops_.contains(name) || locals_.contains(name); }

  /// May the word be an English one here, or what a hint proposes?
  static bool may_be_prose(std::string_view text, std::size_t begin, std::size_t end, bool is_quoted) {
    const std::string_view before = text.substr(0, begin), word = text.substr(begin, end - begin);
    if (before.ends_with("let ") || before.ends_with('.') || before.ends_with('#')) return true;
    const bool is_word = std::ranges::all_of(word, [](unsigned char c) { return std::isalpha(c); });
    const std::string_view behind = text.substr(end);
    const bool has_part = behind.size() > 1 && behind[0] == '.' && text::is_of_name(behind[1]);
    return is_word && !is_quoted && !behind.starts_with('(') && !behind.starts_with('#') && !has_part;
  }

  std::map<std::string, std::string> stands_for_;
  std::set<std::string> own_, loops_, locals_;
};

} // namespace

std::set<std::string> words_in(std::string_view text) {
  std::set<std::string> words;
  for (std::size_t k = 0; k < text.size();) {
    const std::size_t end = end_of_word(text, k);
    if (end > k) words.emplace(text.substr(k, end - k));
    k = std::max(end, k + 1);
  }
  return words;
}

std::string in_words_of_user(const std::string &text, const Request &request, const Front &front) {
  return Words(request, front).said(text);
}

report::Diagnostic in_words_of_user(report::Diagnostic said, const Request &request, const Front &front) {
  return Words(request, front).said(std::move(said));
}

void say_in_words_of_user(Compilation &made, const Request &request, const Front &front) {
  if (made.warnings.empty() && made.notes.empty() && made.not_tried.empty()) return;
  const Words words(request, front);
  for (report::Diagnostic &warning : made.warnings)
    warning = words.said(std::move(warning));
  for (auto *texts : {&made.notes, &made.not_tried})
    for (std::string &text : *texts)
      text = words.said(text);
}

} // namespace unravel::pipeline
