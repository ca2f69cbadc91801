#include "data/file_text.h"

#include "files/file.h"
#include "report/diagnostic.h"
#include "text/characters.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace unravel::data {

using report::fail;
using report::Kind;

namespace {

[[noreturn]] void fail_to_read(const std::string &path, const std::string &reason) {
  fail(Kind::cannot_read, text::Place::of_file(path), "cannot read: " + reason);
}

[[noreturn]] void fail_too_large(const std::string &path, std::int64_t max_memory) {
  fail(Kind::memory_limit, text::Place::of_file(path),
       fmt::format("the text of this file takes more than the {} allowed", memory_text(max_memory)),
       "raise the limit with --max-memory");
}

bool is_packed(std::string_view content) {
  return content.starts_with("\x1f\x8b");
}

/// A .npy file, which is no text either.
bool is_array(std::string_view content) {
  return content.starts_with("\x93NUMPY");
}

} // namespace

std::int64_t default_max_memory() {
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) / 2 *
         static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
}

void Progress::at(double fraction) {
  if (!report_) return;
  auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  report_(from_ + (to_ - from_) * fraction);
}

FileText::FileText(const std::string &path, const ReadOptions &options) : path_(path) {
  const files::File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!file.is_open() || fstat(file.descriptor(), &status) != 0) fail_to_read(path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail_to_read(path, "this is a directory");
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    mapped_size_ = static_cast<std::size_t>(status.st_size);
    mapped_ = mmap(nullptr, mapped_size_, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (mapped_ == MAP_FAILED) mapped_ = nullptr; // some file systems can't: read it instead
  }
  if (mapped_) {
    content_ = std::string_view(static_cast<const char *>(mapped_), mapped_size_);
    madvise(mapped_, mapped_size_, MADV_SEQUENTIAL);
  } else {
    read_stream(file.descriptor(), options.max_memory);
  }
  if (is_packed(content_)) inflate_content(options);
  content_ = text::without_byte_order_mark(content_);
}

FileText::~FileText() {
  if (mapped_) munmap(mapped_, mapped_size_);
}

void FileText::read_stream(int descriptor, std::int64_t max_memory) {
  constexpr std::size_t block = 1 << 16;
  std::size_t used = 0;
  for (;;) {
    if (static_cast<std::int64_t>(used) > max_memory) fail_too_large(path_, max_memory);
    if (owned_.size() - used < block) owned_.resize(std::max(2 * owned_.size(), used + block));
    ssize_t count = read(descriptor, owned_.data() + used, block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_read(path_, std::strerror(errno));
    if (count == 0) break;
    const bool first = used == 0;
    used += static_cast<std::size_t>(count);
    // A device may never end; what it holds is refused by any reader.
    if (first && !is_packed(owned_) && !is_array(owned_) && looks_binary({owned_.data(), used})) break;
  }
  owned_.resize(used);
  content_ = owned_;
}

void FileText::inflate_content(const ReadOptions &options) {
  std::string_view packed = content_;
  std::string text;
  z_stream stream = {};
  report::require(inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK, "zlib starts");
  std::unique_ptr<z_stream, int (*)(z_stream *)> at_end(&stream, inflateEnd);
  Progress progress(options.progress, 0, 0.5);

  constexpr std::size_t block = 1 << 20; // zlib counts in 32 bits, and progress is reported between blocks
  std::size_t consumed = 0, produced = 0;
  bool complete = false; // at the end of a gzip member
  while (consumed < packed.size() || !complete) {
    if (complete) { // a file may hold several members, one after the other; padding with zeros is usual
      if (packed.find_first_not_of('\0', consumed) == std::string_view::npos) break;
      if (packed.substr(consumed, 2) != "\x1f\x8b")
        fail(Kind::bad_gzip, text::Place::of_file(path_),
             fmt::format("unexpected data after the end of the compressed text, at byte {}", consumed));
      inflateReset(&stream);
    }
    if (text.size() - produced < block) text.resize(std::max(text.size() * 3 / 2, produced + block));
    std::size_t input = std::min(block, packed.size() - consumed);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data() + consumed));
    stream.avail_in = static_cast<uInt>(input);
    stream.next_out = reinterpret_cast<Bytef *>(text.data() + produced);
    stream.avail_out = static_cast<uInt>(block);
    int code = inflate(&stream, Z_NO_FLUSH);
    std::size_t taken = input - stream.avail_in, given = block - stream.avail_out;
    consumed += taken;
    produced += given;
    complete = code == Z_STREAM_END;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      fail(Kind::bad_gzip, text::Place::of_file(path_),
           fmt::format("the compressed data is damaged near byte {}: {}", consumed,
                       stream.msg ? stream.msg : "unknown error"));
    if (!complete && taken == 0 && given == 0)
      fail(Kind::bad_gzip, text::Place::of_file(path_),
           fmt::format("the compressed file is truncated: it ends after {} bytes, within the data",
                       packed.size()),
           "copy or download the file again");
    if (static_cast<std::int64_t>(produced) > options.max_memory) fail_too_large(path_, options.max_memory);
    progress.at(static_cast<double>(consumed) / static_cast<double>(packed.size()));
  }
  text.resize(produced);
  owned_ = std::move(text);
  content_ = owned_;
  compressed_ = true;
}

text::Place FileText::place(std::size_t begin, std::size_t end) const {
  begin = std::min(begin, content_.size());
  end = std::clamp(end, begin, content_.size());
  std::size_t before = begin == 0 ? std::string_view::npos : content_.rfind('\n', begin - 1);
  std::size_t line_begin = before == std::string_view::npos ? 0 : before + 1;
  std::size_t line_end = content_.find_first_of("\r\n", begin);
  // A line of a binary file may be the whole file: what follows the place by far is of no use in a message.
  line_end = std::min(line_end, std::min(content_.size(), end + 200));
  text::Place place;
  place.file = path_;
  place.line =
      1 + static_cast<std::size_t>(std::count(content_.begin(), content_.begin() + line_begin, '\n'));
  place.column = text::characters_in(content_.substr(line_begin, begin - line_begin)) + 1;
  place.excerpt = content_.substr(line_begin, std::max(line_end, begin) - line_begin);
  begin = std::min(begin, line_end);
  place.length = std::max<std::size_t>(
      1, text::characters_in(content_.substr(begin, std::max(begin, std::min(end, line_end)) - begin)));
  return place;
}

bool looks_binary(std::string_view content) {
  return std::any_of(content.begin(), content.begin() + std::min<std::size_t>(content.size(), 512),
                     [](unsigned char c) { return c == 127 || (c < 32 && !(c >= 8 && c <= 13)); });
}

void check_memory(const text::Place &place, const std::string &what, std::int64_t needed,
                  std::int64_t allowed) {
  if (needed > allowed)
    fail(Kind::memory_limit, place,
         fmt::format("{} {}, more than the {} allowed", what, memory_text(needed), memory_text(allowed)),
         "raise the limit with --max-memory");
}

std::string memory_text(std::int64_t bytes) {
  const char *units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  double amount = static_cast<double>(bytes);
  while (amount >= 1024 && unit < 4)
    amount /= 1024, ++unit;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.4g} {}", amount, units[unit]);
}

} // namespace unravel::data
