#include "data/folder.h"

#include "data/output_file.h"
#include "report/diagnostic.h"
#include "text/json_value.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

namespace unravel::data {

using report::fail;
using report::Kind;
namespace fs = std::filesystem;
using Json = nlohmann::json; // the ordered one copies values as it is read, and recurses

namespace {

constexpr const char *description_name = "layout.json";
constexpr const char *description_form =
    R"(such as {"layout": "csr", "parameters": [], "sizes": {"M": 3, "N": 4}, "counts": {"NNZ": 5}})";

/// Reads the members of layout.json, with places for messages.
class Description {
public:
  explicit Description(const std::string &path) : source_(text::Source::from_file(path)) {
    try {
      json_ = Json::parse(source_->content());
    } catch (const Json::parse_error &error) {
      // nlohmann counts bytes from 1, and one past the end when the text ends too early.
      std::size_t at = std::min(error.byte == 0 ? 0 : error.byte - 1, source_->content().size());
      fail(Kind::bad_array_folder, source_->place(at, at + 1),
           at >= source_->content().size() ? "this is not valid JSON: it ends too early"
                                           : "this is not valid JSON",
           description_form);
    } catch (const Json::exception &) { // a number beyond every type
      fail_at("", "this is not valid JSON");
    }
    if (!json_.is_object()) fail_at("", "expected a JSON object");
  }

  std::string layout() const {
    if (!json_.contains("layout")) fail_at("", "the member `layout` is missing");
    if (!json_["layout"].is_string()) fail_at("layout", "`layout` must be a text, a layout's name");
    return json_["layout"].get<std::string>();
  }

  std::vector<std::int64_t> integers(const char *key) const {
    std::vector<std::int64_t> result;
    if (!json_.contains(key)) return result;
    if (!json_[key].is_array()) fail_at(key, fmt::format("`{}` must be a list of integers", key));
    for (const Json &item : json_[key])
      result.push_back(integer(key, item));
    return result;
  }

  std::map<std::string, std::int64_t> named_integers(const char *key, bool needed) const {
    std::map<std::string, std::int64_t> result;
    if (!json_.contains(key) && needed) fail_at("", fmt::format("the member `{}` is missing", key));
    if (!json_.contains(key)) return result;
    if (!json_[key].is_object()) fail_at(key, fmt::format("`{}` must be an object of integers", key));
    for (const auto &[name, item] : json_[key].items()) {
      result[name] = integer(key, item);
      if (result[name] < 0) fail_at(name, fmt::format("`{}` is negative: {}", name, result[name]));
    }
    return result;
  }

private:
  std::int64_t integer(const char *key, const Json &item) const {
    if (!item.is_number_integer())
      fail_at(key, fmt::format("`{}` must hold integers, not {}", key, text::shown_value(item)));
    if (item.is_number_unsigned() && item.get<std::uint64_t>() > INT64_MAX)
      fail(Kind::number_too_large, place_of(key),
           fmt::format("the number `{}` is beyond 2^63 - 1", item.dump()));
    return item.get<std::int64_t>();
  }
  text::Place place_of(const std::string &key) const {
    std::string quoted = "\"" + key + "\"";
    std::size_t at = key.empty() ? std::string::npos : source_->content().find(quoted);
    return at == std::string::npos ? text::Place::of_file(source_->name())
                                   : source_->place(at, at + quoted.size());
  }
  [[noreturn]] void fail_at(const std::string &key, const std::string &message) const {
    fail(Kind::bad_array_folder, place_of(key), message, description_form);
  }

  std::shared_ptr<const text::Source> source_;
  Json json_;
};

std::string description_of(const ArrayFolder &folder) {
  nlohmann::ordered_json json;
  json["layout"] = folder.layout;
  json["parameters"] = folder.parameters;
  json["sizes"] = folder.sizes;
  json["counts"] = folder.counts;
  if (folder.sizes.empty()) json["sizes"] = nlohmann::json::object();
  if (folder.counts.empty()) json["counts"] = nlohmann::json::object();
  return json.dump(2) + "\n";
}

/// Writes a folder under a temporary name and puts it in its place.
class FolderWriter {
public:
  explicit FolderWriter(const std::string &path) : path_(path) {
    while (path_.size() > 1 && path_.ends_with('/'))
      path_.pop_back();
    std::error_code no_folder;
    if (fs::is_symlink(path_, no_folder)) // the link stays, as where a file is written
      if (const fs::path target = fs::canonical(path_, no_folder); !no_folder) path_ = target.string();
    check_replaceable();
    temporary_ = files::temporary_name(path_);
    unfinished_.emplace(temporary_);
    std::error_code error;
    if (!fs::create_directory(temporary_, error)) fail_to_write(error.message());
  }
  ~FolderWriter() {
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);
  }
  FolderWriter(const FolderWriter &) = delete;
  FolderWriter &operator=(const FolderWriter &) = delete;

  /// The path of a file that is to be written to it.
  std::string file(const std::string &name) const { return temporary_ + "/" + name; }

  void commit() {
    // At once, so that nothing finds neither the old nor the new one; what was there is removed at the end.
    if (renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) == 0) return;
    std::error_code error;
    std::string old;
    if (fs::exists(path_, error)) {
      old = files::temporary_name(path_);
      fs::rename(path_, old, error);
      if (error) fail_to_write(error.message());
    }
    fs::rename(temporary_, path_, error);
    if (error) {
      std::string reason = error.message();
      if (!old.empty()) fs::rename(old, path_, error);
      fail_to_write(reason);
    }
    if (!old.empty()) fs::remove_all(old, error);
  }

private:
  /// Nobody's other files are removed by a wrong -o.
  void check_replaceable() const {
    std::error_code error;
    if (!fs::exists(path_, error)) return;
    if (!fs::is_directory(path_, error)) fail_to_write("a file of this name exists, but a folder is needed");
    for (const auto &entry : fs::directory_iterator(path_, error))
      if (entry.path().filename() != description_name && entry.path().extension() != ".npy")
        fail_to_write(fmt::format("the folder exists and holds `{}`, which is not an array of a layout",
                                  entry.path().filename().string()));
    if (error) fail_to_write(error.message());
    const auto first = fs::directory_iterator(path_, error);
    if (first != fs::directory_iterator() && !fs::exists(fs::path(path_) / description_name, error))
      fail_to_write(fmt::format("the folder exists and has no layout.json: `{}` is not an array of a layout",
                                first->path().filename().string()));
  }
  [[noreturn]] void fail_to_write(const std::string &reason) const {
    fail(Kind::cannot_write, text::Place::of_file(path_), "cannot write: " + reason);
  }

  std::string path_;
  std::string temporary_;
  std::optional<files::Unfinished> unfinished_;
};

} // namespace

std::string ArrayFolder::reference() const {
  if (parameters.empty()) return layout;
  const std::size_t name = layout.find_last_of("/:"); // a file's name may have spaces
  const std::size_t end = std::min(layout.find(' ', name == std::string::npos ? 0 : name), layout.size());
  return fmt::format("{}<{}>{}", layout.substr(0, end), fmt::join(parameters, ", "), layout.substr(end));
}

const Array &ArrayFolder::array(const std::string &name) const {
  auto found = arrays.find(name);
  if (found != arrays.end()) return found->second;
  std::string present;
  for (const auto &[other, contents] : arrays)
    present += fmt::format("{}`{}`", present.empty() ? "" : ", ", other);
  fail(Kind::bad_array_folder, text::Place::of_file(path),
       fmt::format("the array `{0}` is missing: there is no file {0}.npy", name),
       present.empty() ? "the folder holds no arrays" : "the folder holds " + present);
}

ArrayFolder read_folder(const std::string &path, const ReadOptions &options) {
  std::error_code error;
  fs::path folder(path);
  bool is_folder = fs::is_directory(folder, error);
  if (!is_folder)
    fail(Kind::cannot_read, text::Place::of_file(path),
         "cannot read: " + (error ? error.message() : std::string("this is not a folder")));
  if (!fs::exists(folder / description_name, error))
    fail(Kind::bad_array_folder, text::Place::of_file(path), "the folder has no layout.json",
         description_form);
  Description description((folder / description_name).string());
  ArrayFolder result;
  result.path = path;
  result.layout = description.layout();
  result.parameters = description.integers("parameters");
  result.sizes = description.named_integers("sizes", true);
  result.counts = description.named_integers("counts", false);

  std::vector<fs::path> names;
  std::uintmax_t bytes = 0, done = 0;
  for (const auto &entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".npy") {
      names.push_back(entry.path());
      bytes += entry.file_size(error);
    }
  if (error) fail(Kind::cannot_read, text::Place::of_file(path), "cannot read: " + error.message());
  check_memory(text::Place::of_file(path), "the arrays take", static_cast<std::int64_t>(bytes),
               options.max_memory);
  std::ranges::sort(names); // which error comes first must not depend on the file system
  for (const fs::path &name : names) {
    Array array = read_npy(name.string(), ReadOptions{options.max_memory, {}});
    done += array.bytes();
    if (options.progress)
      options.progress(static_cast<double>(done) / static_cast<double>(std::max(bytes, done)));
    result.arrays.emplace(name.stem().string(), std::move(array));
  }
  return result;
}

void write_folder(const std::string &path, const ArrayFolder &folder) {
  FolderWriter writer(path);
  for (const auto &[name, array] : folder.arrays)
    write_npy(writer.file(name + ".npy"), array);
  OutputFile description(writer.file(description_name));
  description.write(description_of(folder));
  description.commit();
  writer.commit();
}

} // namespace unravel::data
