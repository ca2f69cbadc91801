#include "data/npz.h"

#include "data/elements.h"
#include "data/output_file.h"
#include "report/diagnostic.h"
#include "value/exact.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <zip.h>

namespace unravel::data {

using report::fail;
using report::Kind;

namespace {

/// Are the values to be in halves?
bool in_halves(const Array &array, const ReadOptions &options) {
  return options.exact_integers && value::is_wide_integer(array.type());
}

std::string inexact_text(const value::Scalar &number) {
  return fmt::format("the value {} is no double: entries hold integers up to 2^53 exactly",
                     value::integer_text(number));
}

/// The arrays of an archive, by their names without `.npy`, read when they are asked for.
class Archive {
public:
  Archive(const std::string &path, const ReadOptions &options)
      : path_(path), options_(options), left_(options.max_memory) {
    int code = 0;
    archive_.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
    if (archive_) return;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    if (code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ)
      fail(Kind::cannot_read, text::Place::of_file(path), fmt::format("the file can't be read: {}", why));
    fail(Kind::bad_array_file, text::Place::of_file(path), fmt::format("this is not a .npz file: {}", why),
         "write it with scipy.sparse.save_npz or numpy.savez");
  }

  const ReadOptions &options() const { return options_; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (zip_int64_t k = 0; k < zip_get_num_entries(archive_.get(), 0); ++k) {
      std::string name = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(k), 0);
      if (name.ends_with(".npy")) name.resize(name.size() - 4);
      names.push_back(std::move(name));
    }
    return names;
  }

  bool has(const std::string &name) const {
    return zip_name_locate(archive_.get(), (name + ".npy").c_str(), 0) >= 0;
  }

  Array array(const std::string &name) { return parse_npy(content(name), place(name)); }

  /// An array of integers with one mode.
  std::vector<std::int64_t> integers(const std::string &name) {
    const Array array = this->array(name);
    if (!array.is_integer() || array.shape.size() != 1)
      refuse(fmt::format("the array `{}` is not a vector of integers", name));
    std::vector<std::int64_t> numbers(array.size());
    for (std::size_t k = 0; k < numbers.size(); ++k)
      numbers[k] = array.integer(k);
    return numbers;
  }

  /// An array of characters: what NumPy keeps a string in.
  std::string word(const std::string &name) {
    const std::string text = content(name);
    std::string word;
    for (char c : npy_data(text, place(name)))
      if (c != 0) word += c; // of one byte each, or of four
    return word;
  }

  /// Memory for the entries of a tensor.
  void take_entries(std::size_t entries, std::size_t order) {
    const auto bytes = static_cast<std::int64_t>(entries * 8 * (order + 1));
    check_memory(text::Place::of_file(path_), "the tensor takes", bytes, left_);
    left_ -= bytes;
  }

  std::string beginning(const std::string &name) {
    std::string text(longest_npy_header, 0);
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t *)> file(
        zip_fopen(archive_.get(), (name + ".npy").c_str(), 0), zip_fclose);
    const zip_int64_t size = file ? zip_fread(file.get(), text.data(), text.size()) : 0;
    text.resize(static_cast<std::size_t>(std::max<zip_int64_t>(size, 0)));
    return text;
  }

  [[noreturn]] void refuse(const std::string &message) const {
    fail(Kind::bad_array_file, text::Place::of_file(path_), message);
  }

private:
  std::string place(const std::string &name) const { return path_ + ":" + name + ".npy"; }

  std::string content(const std::string &name) {
    const std::string member = name + ".npy";
    zip_stat_t about;
    if (zip_stat(archive_.get(), member.c_str(), 0, &about) != 0 || (about.valid & ZIP_STAT_SIZE) == 0)
      refuse(fmt::format("the archive has no array `{}`", name));
    constexpr zip_uint64_t most = std::numeric_limits<std::int64_t>::max() / 4;
    const std::int64_t size = static_cast<std::int64_t>(std::min<zip_uint64_t>(about.size, most));
    check_memory(text::Place::of_file(path_), fmt::format("the array `{}` takes", name), 2 * size, left_);
    left_ -= 2 * size; // its file, and its elements
    std::string text(static_cast<std::size_t>(size), 0);
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t *)> file(
        zip_fopen(archive_.get(), member.c_str(), 0), zip_fclose);
    char behind = 0; // only who reads on to the end is told that the checksum is another
    if (!file || zip_fread(file.get(), text.data(), about.size) != size ||
        zip_fread(file.get(), &behind, 1) != 0)
      refuse(fmt::format("the array `{}` can't be read: the archive is damaged", name));
    return text;
  }

  std::string path_;
  ReadOptions options_;
  std::int64_t left_; // memory, in bytes
  std::unique_ptr<zip_t, void (*)(zip_t *)> archive_{nullptr, zip_discard};
};

/// A matrix in one of SciPy's formats.
class MatrixReader {
public:
  MatrixReader(Archive &archive, std::string format) : archive_(archive), format_(std::move(format)) {
    const std::vector<std::int64_t> shape = archive_.integers("shape");
    const bool has_coordinates = format_ == "coo" && archive_.has("coords");
    if (shape.empty() || (shape.size() > 2 && !has_coordinates) ||
        std::ranges::any_of(shape, [](std::int64_t n) { return n < 0; }))
      archive_.refuse("`shape` doesn't have one or two extents");
    result_ = Coordinates(shape);
  }

  Coordinates read() {
    if (format_ == "coo" && archive_.has("coords"))
      coordinate_rows();
    else if (format_ == "coo")
      coordinates();
    else if (result_.order() != 2 && format_ != "csr")
      archive_.refuse(fmt::format("a matrix in format {} has two modes", format_));
    else if (format_ == "csr" || format_ == "csc" || format_ == "bsr")
      compressed();
    else if (format_ == "dia")
      diagonals();
    else
      fail_format();
    if (in_halves_) take_halves(result_, std::move(result_.value), std::move(result_.imaginary));
    return std::move(result_);
  }

private:
  [[noreturn]] void fail_format() const {
    archive_.refuse(fmt::format("`format` is `{}`, not csr, csc, bsr, coo or dia", printable(format_)));
  }

  void require(bool holds, const char *message) const {
    if (!holds) archive_.refuse(message);
  }

  void add_value(const Array &data, std::size_t k) {
    const value::Scalar number = data.number(k);
    in_halves_ = in_halves(data, archive_.options());
    if (!in_halves_ && !value::is_exact_as_double(number)) archive_.refuse(inexact_text(number));
    const std::complex<double> parts =
        in_halves_ ? value::halves_of(number) : std::complex(data.real(k), data.imaginary(k));
    result_.value.push_back(parts.real());
    if (in_halves_ || data.is_complex()) result_.imaginary.push_back(parts.imag());
  }

  /// Newer versions of SciPy write a vector as a matrix of one row, but say its own shape.
  bool is_vector() const { return result_.order() == 1; }
  std::int64_t extent(std::size_t mode) const {
    if (is_vector()) return mode == 0 ? 1 : result_.shape[0];
    return result_.shape[mode];
  }

  /// data[k] at that coordinate.
  void add(std::size_t mode_0, std::int64_t at_0, std::int64_t at_1, const Array &data, std::size_t k) {
    const std::size_t mode_1 = 1 - mode_0;
    if (at_0 < 0 || at_0 >= extent(mode_0) || at_1 < 0 || at_1 >= extent(mode_1))
      archive_.refuse(fmt::format("entry {} lies outside of the matrix", result_.size()));
    if (!is_vector()) result_.index[mode_0].push_back(at_0);
    result_.index[is_vector() ? 0 : mode_1].push_back(at_1);
    add_value(data, k);
  }

  /// A row of indices for each mode: of vectors, and of more than two modes.
  void coordinate_rows() {
    const Array coordinates = archive_.array("coords"), data = archive_.array("data");
    const std::size_t entries = data.size();
    const std::vector<std::int64_t> wanted{static_cast<std::int64_t>(result_.order()),
                                           static_cast<std::int64_t>(entries)};
    require(coordinates.is_integer() && coordinates.shape == wanted && data.shape.size() == 1,
            "`coords` must have a row for each mode, an index in it for each element of `data`");
    archive_.take_entries(entries, result_.order());
    for (std::size_t mode = 0; mode < result_.order(); ++mode)
      for (std::size_t k = 0; k < entries; ++k) {
        const std::int64_t index = coordinates.integer(mode * entries + k);
        require(0 <= index && index < result_.shape[mode], "an entry lies outside of the tensor");
        result_.index[mode].push_back(index);
      }
    for (std::size_t k = 0; k < entries; ++k)
      add_value(data, k);
  }

  void coordinates() {
    const std::vector<std::int64_t> row = archive_.integers("row"), col = archive_.integers("col");
    const Array data = archive_.array("data");
    require(row.size() == col.size() && row.size() == data.size(),
            "`row`, `col` and `data` differ in length");
    archive_.take_entries(row.size(), 2);
    result_.reserve(row.size());
    for (std::size_t k = 0; k < row.size(); ++k)
      add(0, row[k], col[k], data, k);
  }

  /// csr, csc; bsr: each index is of a block.
  void compressed() {
    const std::size_t outer = format_ == "csc" ? 1 : 0;
    const std::vector<std::int64_t> starts = archive_.integers("indptr"),
                                    indices = archive_.integers("indices");
    const Array data = archive_.array("data");
    std::int64_t rows = 1, columns = 1; // of a block
    if (format_ == "bsr") {
      require(data.shape.size() == 3, "`data` of a matrix in format bsr has three modes");
      rows = data.shape[1], columns = data.shape[2];
    }
    // Then the elements of a block can be counted, if there is one: so many are in the file.
    require(rows > 0 && columns > 0 && !data.shape.empty() &&
                data.shape[0] == static_cast<std::int64_t>(indices.size()) &&
                (data.shape.size() == 1 || format_ == "bsr"),
            "`indices` and `data` differ in length");
    require(!starts.empty() && starts.front() == 0 &&
                starts.back() == static_cast<std::int64_t>(indices.size()) && std::ranges::is_sorted(starts),
            "`indptr` doesn't rise from 0 to the number of indices");
    require(static_cast<std::int64_t>(starts.size()) - 1 == extent(outer) / rows && extent(outer) % rows == 0,
            "`indptr` must have one element more than the matrix has rows, columns or block rows");
    archive_.take_entries(data.size(), 2);
    result_.reserve(data.size());
    for (std::size_t r = 0; r + 1 < starts.size(); ++r)
      for (std::size_t p = static_cast<std::size_t>(starts[r]); p < static_cast<std::size_t>(starts[r + 1]);
           ++p) {
        require(0 <= indices[p] && indices[p] < extent(1 - outer) / columns,
                "an index lies outside of the matrix");
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < columns; ++j)
            add(outer, static_cast<std::int64_t>(r) * rows + i, indices[p] * columns + j, data,
                p * static_cast<std::size_t>(rows * columns) + static_cast<std::size_t>(i * columns + j));
      }
  }

  /// data[d, j] is at (j - offsets[d], j).
  void diagonals() {
    const std::vector<std::int64_t> offsets = archive_.integers("offsets");
    const Array data = archive_.array("data");
    require(data.shape.size() == 2 && data.shape[0] == static_cast<std::int64_t>(offsets.size()),
            "`data` must have a row for each offset");
    const std::int64_t columns = std::min(data.shape[1], result_.shape[1]);
    archive_.take_entries(data.size(), 2);
    for (std::size_t d = 0; d < offsets.size(); ++d) {
      constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
      require(-most < offsets[d] && offsets[d] < most, "an offset lies outside of the matrix");
      for (std::int64_t j = std::max<std::int64_t>(0, offsets[d]); j < columns; ++j)
        if (const std::int64_t i = j - offsets[d]; i < result_.shape[0])
          add(0, i, j, data, d * static_cast<std::size_t>(data.shape[1]) + static_cast<std::size_t>(j));
        else
          break;
    }
  }

  Archive &archive_;
  std::string format_;
  Coordinates result_;
  bool in_halves_ = false;
};

/// An archive in memory, then in a file.
class ArchiveWriter {
public:
  ArchiveWriter() {
    zip_error_t error;
    zip_error_init(&error);
    source_ = zip_source_buffer_create(nullptr, 0, 0, &error);
    archive_ = source_ ? zip_open_from_source(source_, ZIP_TRUNCATE, &error) : nullptr;
    zip_error_fini(&error);
    report::require(archive_ != nullptr, "an archive in memory");
    zip_source_keep(source_);
  }
  ~ArchiveWriter() {
    if (archive_) zip_discard(archive_);
    zip_source_free(source_);
  }
  ArchiveWriter(const ArchiveWriter &) = delete;
  ArchiveWriter &operator=(const ArchiveWriter &) = delete;

  void add(const std::string &name, const Array &array) {
    add(name, npy_header(array) + std::string(static_cast<const char *>(array.data()), array.bytes()));
  }

  void add(const std::string &name, std::string content) {
    members_.push_back(std::make_unique<std::string>(std::move(content)));
    zip_source_t *member = zip_source_buffer(archive_, members_.back()->data(), members_.back()->size(), 0);
    const zip_int64_t index =
        member ? zip_file_add(archive_, (name + ".npy").c_str(), member, ZIP_FL_ENC_UTF_8) : -1;
    report::require(index >= 0, "a member of an archive");
    // As NumPy and SciPy do by default of arrays of numbers, which hardly become smaller.
    zip_set_file_compression(archive_, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
    zip_file_set_mtime(archive_, static_cast<zip_uint64_t>(index), 315619200,
                       0); // 1980, whenever it is written
  }

  void write(const std::string &path) {
    OutputFile file(path);
    const bool is_closed = zip_close(archive_) == 0;
    if (is_closed) archive_ = nullptr;
    report::require(is_closed && zip_source_open(source_) == 0, "an archive is complete");
    std::string buffer(std::size_t{1} << 20, 0);
    for (zip_int64_t count; (count = zip_source_read(source_, buffer.data(), buffer.size())) > 0;)
      file.write(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    zip_source_close(source_);
    file.commit();
  }

private:
  zip_source_t *source_ = nullptr;
  zip_t *archive_ = nullptr;
  std::vector<std::unique_ptr<std::string>> members_; // until the archive is complete
};

/// Of int32 where all fit, as SciPy has them.
Array indices_of(const std::vector<std::int64_t> &numbers) {
  if (numbers.empty() || *std::ranges::max_element(numbers) <= std::numeric_limits<std::int32_t>::max())
    return Array::of(std::vector<std::int32_t>(numbers.begin(), numbers.end()));
  return Array::of(numbers);
}

} // namespace

Coordinates entries_of(const Array &array, const ReadOptions &options) {
  std::vector<double> values(array.size());
  if (in_halves(array, options)) {
    std::vector<double> high(array.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::complex<double> halves = value::halves_of(array.number(k));
      values[k] = halves.real(), high[k] = halves.imag();
    }
    Coordinates entries = from_dense(array.shape, values);
    take_halves(entries, std::move(values), std::move(high));
    return entries;
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    const value::Scalar number = array.number(k);
    if (!value::is_exact_as_double(number))
      fail(Kind::value_width, inexact_text(number),
           "a folder of arrays with a layout.json is taken as it is");
    values[k] = number.number();
  }
  std::vector<double> imaginary(array.is_complex() ? array.size() : 0);
  for (std::size_t k = 0; k < imaginary.size(); ++k)
    imaginary[k] = array.imaginary(k);
  return from_dense(array.shape, values, std::move(imaginary));
}

Coordinates read_npz(const std::string &path, const ReadOptions &options) {
  Archive archive(path, options);
  if (archive.has("format") && archive.has("shape")) {
    Coordinates matrix = MatrixReader(archive, archive.word("format")).read();
    if (options.progress) options.progress(1);
    return matrix;
  }
  const std::vector<std::string> names = archive.names();
  if (names.size() != 1)
    archive.refuse(fmt::format(
        "the archive has {} arrays, and no `format`: it is neither a SciPy matrix nor a single array",
        names.size()));
  const Array array = archive.array(names.front());
  archive.take_entries(array.size(), array.shape.size() + 1);
  return entries_of(array, options);
}

std::string beginning_of_values(const std::string &path) {
  Archive archive(path, {});
  const std::vector<std::string> names = archive.names();
  return archive.beginning(archive.has("data") || names.empty() ? "data" : names.front());
}

void write_npz(const std::string &path, const Coordinates &tensor, value::Type type,
               std::int64_t max_memory) {
  report::require(tensor.order() <= 2, "a matrix");
  const std::int64_t rows = tensor.order() > 0 ? tensor.shape[0] : 1;
  check_memory(text::Place::of_file(path), "where its rows begin takes",
               rows < INT64_MAX / 8 ? 8 * (rows + 1) : INT64_MAX, max_memory);
  const std::vector<std::size_t> order =
      tensor.order() > 0 ? sorted_order(tensor, {0}) : std::vector<std::size_t>(tensor.size(), 0);
  std::vector<std::int64_t> starts(static_cast<std::size_t>(rows) + 1, 0), columns;
  Elements data(type, tensor.size());
  columns.reserve(tensor.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t e = tensor.order() > 0 ? order[k] : k;
    ++starts[static_cast<std::size_t>(tensor.order() > 0 ? tensor.index[0][e] : 0) + 1];
    columns.push_back(tensor.order() > 1 ? tensor.index[1][e] : 0);
    data.set_number(k, number_of(tensor, e, type));
  }
  for (std::size_t r = 0; r + 1 < starts.size(); ++r)
    starts[r + 1] += starts[r];
  ArchiveWriter archive;
  archive.add("indices", indices_of(columns));
  archive.add("indptr", indices_of(starts));
  archive.add("format", npy_header("|S3", {}) + "csr");
  archive.add("shape", Array::of(std::vector<std::int64_t>{rows, tensor.order() > 1 ? tensor.shape[1] : 1}));
  archive.add("data", Array({static_cast<std::int64_t>(tensor.size())}, std::move(data)));
  archive.write(path);
}

void write_npz(const std::string &path, const Array &array) {
  ArchiveWriter archive;
  archive.add("arr_0", array);
  archive.write(path);
}

} // namespace unravel::data
