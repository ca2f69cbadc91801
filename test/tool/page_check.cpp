#include "page_check.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>

namespace unravel::tool::test {

namespace {

struct Tag {
  std::string name;
  bool closes = false, is_empty = false; // </name>, <name/>
  std::vector<std::pair<std::string, std::string>> attributes;
};

class Reader {
public:
  explicit Reader(const std::string &page) : page_(page) {}

  void read() {
    const std::string doctype = "<!DOCTYPE html>\n";
    if (page_.compare(0, doctype.size(), doctype) != 0) complain("no doctype");
    at_ = doctype.size();
    while (at_ < page_.size()) {
      if (!open_.empty() && (open_.back() == "script" || open_.back() == "style")) skip_raw();
      if (page_[at_] == '<')
        tag();
      else
        text();
    }
    for (const std::string &name : open_)
      complain("<" + name + "> is never closed");
  }

  std::vector<Tag> tags;
  std::vector<std::string> complaints;

private:
  void complain(const std::string &what) {
    const auto line = std::count(page_.begin(), page_.begin() + static_cast<std::ptrdiff_t>(at_), '\n') + 1;
    complaints.push_back("line " + std::to_string(line) + ": " + what);
  }

  /// A script or a style up to its end tag.
  void skip_raw() {
    const std::size_t end = page_.find("</" + open_.back() + ">", at_);
    if (end == std::string::npos) return complain("no end"), void(at_ = page_.size());
    at_ = end;
  }

  void text() {
    if (page_[at_] == '>') complain("a `>` that stands for itself");
    if (page_[at_] == '&') entity();
    ++at_;
  }

  void entity() {
    for (const char *known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
      if (page_.compare(at_, std::string(known).size(), known) == 0) return;
    complain("an `&` that stands for itself");
  }

  std::string name() {
    std::string result;
    while (at_ < page_.size() &&
           (std::isalnum(static_cast<unsigned char>(page_[at_])) || page_[at_] == '-' || page_[at_] == ':'))
      result += page_[at_++];
    return result;
  }

  void tag() {
    Tag tag;
    ++at_;
    if (page_[at_] == '/') tag.closes = true, ++at_;
    tag.name = name();
    if (tag.name.empty()) complain("a `<` that stands for itself");
    while (at_ < page_.size() && page_[at_] != '>' && page_[at_] != '/')
      if (std::isspace(static_cast<unsigned char>(page_[at_])))
        ++at_;
      else
        attribute(tag);
    if (page_[at_] == '/') tag.is_empty = true, ++at_;
    if (page_[at_] != '>') complain("<" + tag.name + " has no `>`");
    ++at_;
    if (tag.closes) {
      if (open_.empty() || open_.back() != tag.name)
        complain("</" + tag.name + "> where " + (open_.empty() ? "nothing" : "<" + open_.back() + ">") +
                 " is open");
      else
        open_.pop_back();
    } else if (!tag.is_empty) {
      open_.push_back(tag.name);
    }
    tags.push_back(std::move(tag));
  }

  void attribute(Tag &tag) {
    std::string key = name();
    if (key.empty() || page_.compare(at_, 2, "=\"") != 0) {
      complain("an attribute of <" + tag.name + "> without quotes");
      ++at_;
      return;
    }
    at_ += 2;
    std::string value;
    for (; at_ < page_.size() && page_[at_] != '"'; ++at_) {
      if (page_[at_] == '<') complain("a `<` in an attribute");
      if (page_[at_] == '&') entity();
      value += page_[at_];
    }
    ++at_;
    for (const auto &[known, other] : tag.attributes)
      if (known == key) complain("<" + tag.name + "> has " + key + " twice");
    tag.attributes.emplace_back(key, value);
  }

  const std::string &page_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
};

} // namespace

std::vector<std::string> complaints_about(const std::string &page) {
  Reader reader(page);
  reader.read();
  std::vector<std::string> complaints = reader.complaints;
  std::set<std::string> ids;
  for (const Tag &tag : reader.tags)
    for (const auto &[key, value] : tag.attributes)
      if (key == "id" && (value.empty() || !ids.insert(value).second))
        complaints.push_back("the id `" + value + "` is there twice, or empty");
  for (const Tag &tag : reader.tags)
    for (const auto &[key, value] : tag.attributes) {
      const bool leads_nowhere =
          key == "href" && (value.empty() || value[0] != '#' || !ids.contains(value.substr(1)));
      if (leads_nowhere || key == "src")
        complaints.push_back(key + " `" + value + "` is no place on the page");
      if (key != "data-to" && key != "aria-labelledby") continue;
      std::istringstream names(value);
      for (std::string id; names >> id;)
        if (!ids.contains(id)) complaints.push_back(key + ": there is no id `" + id + "`");
    }
  return complaints;
}

std::vector<std::string> values_of(const std::string &page, const std::string &attribute) {
  Reader reader(page);
  reader.read();
  std::vector<std::string> values;
  for (const Tag &tag : reader.tags)
    for (const auto &[key, value] : tag.attributes)
      if (key == attribute) values.push_back(value);
  return values;
}

} // namespace unravel::tool::test
