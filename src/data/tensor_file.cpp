#include "data/tensor_file.h"

#include "data/elements.h"
#include "data/frostt.h"
#include "data/generate.h"
#include "data/lines.h"
#include "data/matrix_market.h"
#include "data/npy.h"
#include "data/npz.h"
#include "data/output_file.h"
#include "report/diagnostic.h"
#include "value/exact.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <zlib.h>

namespace unravel::data {

using report::fail;
using report::Kind;

namespace {

enum class Format { MatrixMarket, Frostt, NumPy, Archive, Text, Unknown };

Format format_of(std::string_view path) {
  if (path.ends_with(".npy")) return Format::NumPy;
  if (path.ends_with(".npz")) return Format::Archive;
  if (path.ends_with(".txt")) return Format::Text;
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (path.ends_with(".mtx")) return Format::MatrixMarket;
  if (path.ends_with(".tns")) return Format::Frostt;
  return Format::Unknown;
}

/// What may be meant by the name of a file that isn't there: a generator, or another file of its folder.
std::string meant_by(const std::filesystem::path &path) {
  const std::string name = path.filename().string();
  std::string near = report::nearest(name.substr(0, name.find_first_of(":,")), generator_names());
  if (!near.empty()) return fmt::format("did you mean the generator `{}`?", near);
  std::vector<std::string> files;
  std::error_code ignored;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  for (auto file = std::filesystem::directory_iterator(folder, ignored);
       !ignored && file != std::filesystem::directory_iterator(); file.increment(ignored))
    files.push_back(file->path().filename().string());
  std::ranges::sort(files);
  near = report::nearest(name, files);
  return near.empty() ? "" : fmt::format("did you mean `{}`?", (path.parent_path() / near).string());
}

[[noreturn]] void fail_unknown(const std::string &path) {
  fail(Kind::unknown_file_type, text::Place::of_file(path),
       "the name of a tensor file ends in .mtx, .tns, .npy or .npz",
       "the first two may be followed by .gz; what is written may also be a .txt; arrays of a layout go to "
       "and "
       "come from a folder");
}

/// Of a regular file, compressed or not: as much as its header takes.
std::string beginning_of(const std::string &path) {
  std::string beginning;
  if (const gzFile file = gzopen(path.c_str(), "rb")) { // plain ones, too
    beginning.resize(longest_npy_header);
    const int size = gzread(file, beginning.data(), static_cast<unsigned>(longest_npy_header));
    beginning.resize(static_cast<std::size_t>(std::max(0, size)));
    gzclose(file);
  }
  return beginning;
}

void append_real(OutputFile &file, double value, value::Type type) {
  if (value::type_of_parts(type) == value::Type::Float32)
    file.append_number(static_cast<float>(value));
  else
    file.append_number(value);
}

/// A complex number as its two parts.
void append_value(OutputFile &file, const value::Scalar &number, const WriteOptions &options) {
  const value::Scalar own = value::converted(number, options.type);
  if (value::is_integer(options.type))
    file.append(value::integer_text(own));
  else
    append_real(file, own.real, options.type);
  if (value::is_complex(options.type)) {
    file.append(" ");
    append_real(file, own.imaginary, options.type);
  }
}

void append_index(OutputFile &file, std::int64_t index) {
  file.append_number(index + 1);
  file.append(" ");
}

/// Rows and columns as which a tensor of at most two modes is written.
std::pair<std::int64_t, std::int64_t> matrix_shape(const std::string &path,
                                                   const std::vector<std::int64_t> &shape) {
  if (shape.size() > 2)
    fail(Kind::unsupported_file, text::Place::of_file(path),
         fmt::format("a {} file holds a matrix, not a tensor of {} modes",
                     format_of(path) == Format::Archive ? ".npz" : ".mtx", shape.size()),
         "write it to a .tns file");
  return {!shape.empty() ? shape[0] : 1, shape.size() > 1 ? shape[1] : 1};
}

void append_banner(OutputFile &file, const char *form, const WriteOptions &options) {
  file.append(fmt::format("%%MatrixMarket matrix {} {} general\n", form,
                          value::is_complex(options.type)   ? "complex"
                          : value::is_integer(options.type) ? "integer"
                                                            : "real"));
  for (const std::string &comment : options.comments)
    file.append(fmt::format("% {}\n", comment));
}

/// What a comment line begins with that says the fill.
const char *mark_of_fill(Format format) {
  return format == Format::MatrixMarket ? "%fill " : "# fill: ";
}

/// A fill beyond the values' type stands for the type's greatest or least one.
void append_fill(OutputFile &file, const char *mark, const WriteOptions &options) {
  if (options.fill == 0) return;
  const bool is_end = !value::holds(options.type, options.fill);
  file.append(mark);
  file.append_number(is_end ? std::copysign(std::numeric_limits<double>::infinity(), options.fill)
                            : options.fill);
  file.append("\n");
}

void append_shape(OutputFile &file, const std::vector<std::int64_t> &shape, const WriteOptions &options) {
  file.append("# shape:");
  for (std::int64_t extent : shape)
    file.append(fmt::format(" {}", extent));
  file.append("\n");
  append_fill(file, mark_of_fill(Format::Frostt), options);
  for (const std::string &comment : options.comments)
    file.append(fmt::format("# {}\n", comment));
}

void write_coordinate_matrix(OutputFile &file, const std::string &path, const Coordinates &tensor,
                             const WriteOptions &options) {
  auto [rows, columns] = matrix_shape(path, tensor.shape);
  append_banner(file, "coordinate", options);
  append_fill(file, mark_of_fill(Format::MatrixMarket), options);
  file.append(fmt::format("{} {} {}\n", rows, columns, tensor.size()));
  for (std::size_t e = 0; e < tensor.size(); ++e) {
    append_index(file, tensor.order() > 0 ? tensor.index[0][e] : 0);
    append_index(file, tensor.order() > 1 ? tensor.index[1][e] : 0);
    append_value(file, number_of(tensor, e, options.type), options);
    file.append("\n");
  }
}

[[noreturn]] void fail_complex(const std::string &path) {
  fail(Kind::unsupported_file, text::Place::of_file(path), ".tns files can't hold complex numbers",
       "write a .mtx, .npy or .npz file, or a folder of arrays");
}

[[noreturn]] void fail_inexact(const std::string &path) {
  fail(Kind::value_width, text::Place::of_file(path),
       "values are integers that no double holds exactly, but those of .tns files are read as doubles",
       "write a .mtx, .npy or .npz file, or a folder of arrays");
}

/// All elements of a tensor, row-major, as an entry each.
Coordinates all_elements(const Coordinates &tensor, const WriteOptions &options) {
  Coordinates all(tensor.shape);
  const std::complex<double> fill = tensor.in_halves
                                        ? value::halves_of(value::Scalar::of(options.fill, options.type))
                                        : std::complex<double>(options.fill);
  all.value = to_dense(tensor, fill.real());
  if (tensor.is_complex()) all.imaginary = to_dense(imaginary_part(tensor), fill.imag());
  all.in_halves = tensor.in_halves;
  return all;
}

void write_array_matrix(const std::string &path, const Coordinates &all, const WriteOptions &options) {
  auto [rows, columns] = matrix_shape(path, all.shape);
  OutputFile file(path);
  append_banner(file, "array", options);
  file.append(fmt::format("{} {}\n", rows, columns));
  for (std::int64_t column = 0; column < columns; ++column)
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto k = static_cast<std::size_t>(row * columns + column);
      append_value(file, number_of(all, k, options.type), options);
      file.append("\n");
    }
  file.commit();
}

Array array_of(const Coordinates &all, value::Type type) {
  Array array(all.shape, Elements(type, all.value.size()));
  for (std::size_t k = 0; k < array.size(); ++k)
    array.set_number(k, number_of(all, k, type));
  return array;
}

void write_text(const std::string &path, const Coordinates &all, const WriteOptions &options) {
  OutputFile file(path);
  const std::size_t row = all.shape.size() > 1 ? static_cast<std::size_t>(all.shape.back()) : 1;
  for (std::size_t k = 0; k < all.value.size(); ++k) {
    if (value::is_complex(options.type)) { // as NumPy's loadtxt reads it
      const double part = all.imaginary_of(k);
      append_real(file, all.value[k], options.type);
      if (!std::signbit(part)) file.append("+");
      append_real(file, part, options.type);
      file.append("j");
    } else {
      append_value(file, number_of(all, k, options.type), options);
    }
    file.append((k + 1) % row == 0 ? "\n" : " ");
  }
  file.commit();
}

} // namespace

bool is_tensor_file_name(const std::string &path) {
  return format_of(path) != Format::Unknown;
}

bool loses_fill(const std::string &path, const WriteOptions &options) {
  return options.fill != 0 && format_of(path) == Format::Archive;
}

std::string note_of_lost_fill(const WriteOptions &options) {
  return fmt::format("elements that aren't stored are {}, which the file doesn't say, and who reads it takes as 0: "
                     "a .mtx or .tns file or a folder says it, a .npy file has all elements",
                     options.fill);
}

bool is_output_file(const std::string &path) {
  if (is_tensor_file_name(path)) return true;
  const std::filesystem::path name = std::filesystem::path(path).filename();
  const std::string ending = name.extension().string();
  const bool is_ending =
      ending.size() > 1 && ending.size() < 6 && std::isalpha(static_cast<unsigned char>(ending[1]));
  std::error_code ignored;
  if ((is_ending || name == "-") && !std::filesystem::is_directory(path, ignored))
    fail(Kind::unknown_file_type, text::Place::of_file(path),
         "the name of a file for a tensor ends in .mtx, .tns, .npy, .npz or .txt",
         fmt::format("for a folder with the arrays of its layout: `{}/`", path));
  return false;
}

Coordinates read_tensor(const std::string &path, const ReadOptions &options) {
  Format format = format_of(path);
  std::error_code ignored;
  using std::filesystem::file_type;
  const file_type type = std::filesystem::status(path, ignored).type(); // none: reading it says why
  if (type == file_type::not_found)
    fail(Kind::cannot_read, text::Place::of_file(path), "cannot read: No such file or directory",
         meant_by(path));
  // Whether the file is there matters more than its name; only then is it read.
  if (format == Format::Unknown && type != file_type::none && type != file_type::directory)
    fail_unknown(path);
  if (format == Format::NumPy) return entries_of(read_npy(path, options), options);
  if (format == Format::Archive) return read_npz(path, options);
  FileText file(path, options);
  if (format == Format::Unknown || format == Format::Text) fail_unknown(path);
  Coordinates result =
      format == Format::Frostt ? read_frostt(file, options) : read_matrix_market(file, options);
  if (options.progress) options.progress(1);
  return result;
}

std::optional<value::Type> type_in(const std::string &path) {
  const Format format = format_of(path);
  if (format == Format::Unknown || format == Format::Text || format == Format::Frostt) return std::nullopt;
  // What is taken from the beginning of a pipe is missing for who reads it then.
  if (std::error_code ignored; !std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  const std::string beginning =
      format == Format::Archive
          ? report::unless_refused([&] { return beginning_of_values(path); }).value_or("")
          : beginning_of(path);
  return format == Format::MatrixMarket ? type_in_matrix_market(beginning) : npy_type(beginning);
}

std::optional<double> fill_in(const std::string &path) {
  const Format format = format_of(path);
  if (format != Format::MatrixMarket && format != Format::Frostt) return std::nullopt;
  if (std::error_code ignored; !std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  return fill_in_comments(beginning_of(path), mark_of_fill(format));
}

void write_tensor(const std::string &path, const Coordinates &tensor, const WriteOptions &options) {
  Format format = format_of(path);
  if (format == Format::Unknown) fail_unknown(path);
  if (format == Format::NumPy || format == Format::Text) {
    const std::int64_t elements = element_count(tensor.shape);
    constexpr std::int64_t most = INT64_MAX / 8;
    check_memory(text::Place::of_file(path), "all elements of the tensor take",
                 elements < 0 || elements > most ? INT64_MAX : 8 * elements, options.max_memory);
    return write_dense(path, tensor, options);
  }
  if (format == Format::MatrixMarket || format == Format::Archive) matrix_shape(path, tensor.shape);
  if (format == Format::Archive) return write_npz(path, tensor, options.type, options.max_memory);
  if (format == Format::Frostt && tensor.in_halves) fail_inexact(path);
  if (format == Format::Frostt && value::is_complex(options.type)) fail_complex(path);
  OutputFile file(path);
  if (format == Format::MatrixMarket) {
    write_coordinate_matrix(file, path, tensor, options);
  } else {
    append_shape(file, tensor.shape, options);
    for (std::size_t e = 0; e < tensor.size(); ++e) {
      for (const auto &column : tensor.index)
        append_index(file, column[e]);
      append_value(file, number_of(tensor, e), options);
      file.append("\n");
    }
  }
  file.commit();
}

void write_dense(const std::string &path, const Coordinates &tensor, const WriteOptions &options) {
  if (format_of(path) == Format::Frostt && tensor.in_halves) fail_inexact(path);
  const Coordinates all = all_elements(tensor, options);
  switch (format_of(path)) {
  case Format::NumPy: return write_npy(path, array_of(all, options.type));
  case Format::Archive: return write_npz(path, array_of(all, options.type));
  case Format::Text: return write_text(path, all, options);
  case Format::MatrixMarket: return write_array_matrix(path, all, options);
  default: return write_tensor(path, from_dense(all.shape, all.value), options);
  }
}

} // namespace unravel::data
