#include "check/validate.h"
#include "combine/space.h"
#include "convert/convert.h"
#include "convert/duplicates.h"
#include "convert/exact.h"
#include "convert/halves.h"
#include "data/folder.h"
#include "data/generate.h"
#include "data/tensor_file.h"
#include "machine/stopwatch.h"
#include "parse/parse.h"
#include "report/diagnostic.h"
#include "run/operand.h"
#include "run/outputs.h"
#include "show/facts.h"
#include "tensor/raw_arrays.h"
#include "tool/commands.h"
#include "tool/options.h"
#include "value/same_number.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

namespace unravel::tool {

using report::Kind;

namespace {

/// More modes than any layout has.
constexpr std::size_t max_order = 16;

struct ConvertCommandOptions {
  std::string input, output, to, from, combine;
  std::string index = "int32", type, max_memory; // no type: the one of the input, or f64
};

/// What was done, for people and for programs.
struct Facts {
  std::vector<std::int64_t> shape;
  std::size_t entries = 0;
  std::string from, to; // layouts; empty for files and generators
  std::int64_t bytes = 0;
  std::string route; // empty where no arrays were converted
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, double>> times_ms;
};

class Converter {
public:
  explicit Converter(const ConvertCommandOptions &options) : options_(options) {
    pack_.index = options.index == "int64" ? tensor::IndexType::Int64 : tensor::IndexType::Int32;
    type_ = value::type_called(options.type);
    if (!options.max_memory.empty()) pack_.max_memory = memory_bytes(options.max_memory);
    read_.max_memory = pack_.max_memory;
    read_.progress = reading_progress();
  }

  Facts convert() {
    check_options();
    if (!to_file_) wanted_ = read_wanted();
    pack_.value = type_.value_or(value::Type::Float64);
    read();
    if (to_file_)
      write_file();
    else
      write_arrays();
    return std::move(facts_);
  }

private:
  /// Before anything is read: what can't work whatever the input is.
  void check_options() {
    to_file_ = data::is_output_file(options_.output);
    if (!to_file_ && options_.to.empty())
      report::fail(
          Kind::bad_option,
          fmt::format("`{}` is to be a folder of arrays, but no layout is given for them", options_.output),
          "add -f csr, or name a file.mtx, file.tns, file.npy or file.npz");
    if (to_file_ && !options_.to.empty())
      report::fail(Kind::bad_option,
                   fmt::format("`-f {}`: `{}` is a file of coordinates, which has no layout", options_.to,
                               options_.output),
                   "leave out -f, or name a folder for the arrays");
    run::check_output(options_.output);
  }

  /// What -f says, also of the values: their type, which --type may say too, and the fill.
  parse::LayoutReference read_wanted() {
    parse::LayoutReference wanted = reference("-f", options_.to);
    pack_.fill = wanted.values.fill.value_or(0);
    if (!wanted.values.type) return wanted;
    const auto type = value::type_called(wanted.values.type->text);
    if (type_ && type_ != type)
      report::fail(Kind::bad_option, wanted.values.type->span,
                   fmt::format("`--type {}` gives the values another type than -f does, {}", options_.type,
                               wanted.values.type->text),
                   "leave out one of them");
    type_ = type;
    return wanted;
  }

  template <class Work> void timed(const std::string &what, Work work) {
    const machine::Stopwatch clock;
    work();
    facts_.times_ms.emplace_back(what, clock.milliseconds());
  }

  void read() {
    if (std::error_code ignored;
        !data::is_generator(options_.input) && std::filesystem::is_directory(options_.input, ignored))
      return read_arrays();
    if (!options_.from.empty())
      report::fail(Kind::bad_option,
                   fmt::format("`--from {}`: `{}` is not a folder of arrays", options_.from, options_.input));
    timed("read", [&] {
      if (data::is_generator(options_.input)) {
        data::GeneratorSpec spec = data::parse_generator(options_.input, "input");
        spec.is_complex = value::is_complex(pack_.value);
        entries_ = data::generate(spec, pack_.max_memory);
      } else {
        if (!type_) pack_.value = data::type_in(options_.input).value_or(pack_.value);
        read_.exact_integers = value::is_wide_integer(pack_.value);
        entries_ = data::read_tensor(options_.input, read_);
        if (const std::optional<double> said = data::fill_in(options_.input)) take_fill(*said, pack_.value);
      }
    });
    facts_.shape = entries_.shape;
    if (!options_.combine.empty()) timed("combine", [&] { combine(pack_.value); });
  }

  /// Entries with equal coordinates.
  void combine(value::Type type) {
    convert::combine_duplicates(entries_, run::combining_operator(options_.combine, "--combine ", {}, type),
                                type);
  }

  void read_arrays() {
    layout::CheckedLayout layout;
    timed("read", [&] {
      data::ArrayFolder folder = data::read_folder(options_.input, read_);
      const parse::LayoutReference from = reference_of(folder);
      layout = layout_of(from, folder);
      value::Type type = type_ ? *type_ : type_of_data(folder, layout.layout).value_or(pack_.value);
      if (from.values.type) type = value::type_called(from.values.type->text).value();
      arrays_ = tensor::from_folder(folder, layout.layout, pack_.index, type);
      if (!type_) pack_.value = type;
      if (const std::optional<double> said = fill_of_from())
        take_said_fill(*said, type, tensor::fill_of(folder, layout.layout));
      else if (from.values.fill)
        take_fill(*from.values.fill, tensor::type_of_fill(folder, layout.layout));
    });
    timed("validate", [&] {
      check::ValidateOptions validation;
      for (const report::Diagnostic &finding : layout.findings)
        validation.accesses = validation.accesses || finding.kind == Kind::argument_range;
      check::ValidationResult result = check::validate(*arrays_, validation);
      check::require_ok(result, *arrays_, fmt::format("folder `{}`", options_.input));
      trusted_ = result.sampled.empty() && !validation.accesses;
      for (const std::string &property : result.sampled)
        facts_.notes.push_back(fmt::format("`{}` was only sampled: nothing relies on it", property));
    });
    facts_.shape = arrays_->shape();
    facts_.from = layout.layout.name;
    if (options_.combine.empty()) return;
    timed("combine", [&] {
      entries_ = convert::unpack_exactly(*std::exchange(arrays_, std::nullopt), pack_.max_memory);
      combine(pack_.value);
    });
  }

  /// What --from says of elements that aren't stored, if anything.
  std::optional<double> fill_of_from() const {
    return options_.from.empty() ? std::nullopt : reference("--from", options_.from).values.fill;
  }

  /// `type`: in which --from takes the values. `own`: what the folder says of its fill.
  void take_said_fill(double fill, value::Type type, std::optional<double> own) {
    if (own && !value::is_same_number(value::Scalar::of(*own, type).number(),
                                      value::Scalar::of(fill, type).number()))
      report::fail(Kind::bad_option,
                   fmt::format("elements that aren't stored are {} in `{}`, and --from makes them {}", *own,
                               options_.input, fill),
                   "leave out the fill of --from");
    take_fill(fill, type);
  }

  /// The arrays' fill is the result's, too: elements that aren't stored stay what they are.
  void take_fill(double fill, value::Type type) {
    const double number = value::Scalar::of(fill, type).number();
    const auto as_wanted = [&](double each) { return value::Scalar::of(each, pack_.value).number(); };
    if (wanted_.values.fill && !value::is_same_number(as_wanted(*wanted_.values.fill), as_wanted(number)))
      report::fail(Kind::bad_option, wanted_.values.fill_span,
                   fmt::format("elements that aren't stored are {} in `{}`, and -f makes them {}", number,
                               options_.input, *wanted_.values.fill),
                   "leave out the fill of -f");
    pack_.fill = type == pack_.value ? fill : number;
  }

  /// Of the arrays for which the layout leaves it open.
  static std::optional<value::Type> type_of_data(const data::ArrayFolder &folder,
                                                 const layout::Layout &layout) {
    return layout::type_of_open_values(layout, [&](const std::string &array) {
      const auto given = folder.arrays.find(array);
      return given == folder.arrays.end() ? std::nullopt : std::optional(given->second.type());
    });
  }

  static parse::LayoutReference reference(const std::string &option, const std::string &text) {
    return parse::parse_layout_reference(std::make_shared<const text::Source>(option, text));
  }

  /// How well a folder goes with a layout.
  enum class Fit { None, Arrays, Whole };

  /// Arrays: it has those of the layout, and its sizes among others. Whole: it has no other sizes, and no
  /// array of numbers where one of another order is wanted.
  static Fit fit(const data::ArrayFolder &folder, const layout::Layout &layout) {
    bool flat = false; // as value arrays may be
    for (const layout::Array &array : layout.arrays) {
      auto given = folder.arrays.find(array.name);
      if (given == folder.arrays.end()) return Fit::None;
      if (given->second.shape.size() == array.extents.size()) continue;
      if (!array.is_value || given->second.shape.size() != 1) return Fit::None;
      flat = true;
    }
    const std::set<std::string> sizes(layout.sizes.begin(), layout.sizes.end());
    if (!std::ranges::all_of(sizes, [&](const std::string &size) { return folder.sizes.count(size) > 0; }))
      return Fit::None;
    if (sizes.size() == folder.sizes.size()) return Fit::Whole;
    return flat ? Fit::None : Fit::Arrays;
  }

  /// The layout for tensors of the order that fits best, or the error that order 2 gives.
  static layout::CheckedLayout layout_that(const parse::LayoutReference &reference,
                                           const data::ArrayFolder &folder) {
    std::optional<report::Error> error;
    std::optional<layout::CheckedLayout> best;
    Fit fits = Fit::None;
    std::vector<std::size_t> orders{2};
    for (std::size_t order = 0; order <= max_order; ++order)
      if (order != 2) orders.push_back(order);
    for (std::size_t order : orders) {
      try {
        layout::CheckedLayout layout = layout::load_layout(reference, order);
        Fit found = fit(folder, layout.layout);
        if (!best || found > fits) best = std::move(layout), fits = found;
        if (fits == Fit::Whole) break;
      } catch (const report::Error &refused) {
        if (refused.diagnostic().kind != Kind::unknown_layout) throw;
        if (!error) error = refused;
      }
    }
    if (best) return *best;
    throw report::Error(*error);
  }

  /// What says the layout, fill and type of a folder's arrays: --from, or the folder itself.
  parse::LayoutReference reference_of(const data::ArrayFolder &folder) const {
    const std::string option = options_.from.empty() ? options_.input : "--from";
    return reference(option, tensor::reference_to(folder, option, options_.from));
  }

  /// The layout that a folder's arrays are in. A name may stand for layouts of several orders; it is the one
  /// that has the folder's arrays and sizes.
  layout::CheckedLayout layout_of(const parse::LayoutReference &from, const data::ArrayFolder &folder) const {
    try {
      return layout_that(from, folder);
    } catch (const report::Error &error) {
      if (!options_.from.empty() || error.diagnostic().kind != Kind::unknown_layout) throw;
      report::fail(Kind::unknown_layout, text::Place::of_file(options_.input + "/layout.json"),
                   error.diagnostic().message,
                   fmt::format("if it is in a file of your own: --from ./file.layout:{}", from.name));
    }
  }

  /// The layout wanted, for tensors of the input's order; without modes of extent 1 where it has none for it,
  /// the last ones first.
  layout::Layout target() {
    const std::size_t order = facts_.shape.size();
    auto units = static_cast<std::size_t>(std::ranges::count(facts_.shape, 1));
    try {
      return layout::load_layout(wanted_, order).layout;
    } catch (const report::Error &error) {
      if (error.diagnostic().kind != Kind::unknown_layout) throw;
      for (std::size_t fewer = 1; fewer <= units; ++fewer) {
        std::optional<layout::Layout> smaller;
        try {
          smaller = layout::load_layout(wanted_, order - fewer).layout;
        } catch (const report::Error &refused) {
          if (refused.diagnostic().kind != Kind::unknown_layout) throw;
          continue;
        }
        if (arrays_)
          entries_ = convert::unpack_exactly(*std::exchange(arrays_, std::nullopt), pack_.max_memory);
        entries_ = data::with_order(std::move(entries_), order - fewer);
        facts_.shape = entries_.shape;
        return *smaller;
      }
      throw;
    }
  }

  void require_fill() const {
    if (value::holds(pack_.value, pack_.fill)) return;
    report::fail(
        Kind::value_width, wanted_.values.fill_span,
        fmt::format("the fill {} is not a value of type {}", pack_.fill, value::facts_of(pack_.value).word),
        "give the values a type that holds it");
  }

  void write_arrays() {
    layout::Layout to = target();
    require_fill();
    tensor::Tensor made;
    timed("convert", [&] {
      if (!arrays_) {
        made = convert::pack_exactly(to, std::move(entries_), pack_);
        return;
      }
      convert::Conversion conversion = convert::convert(*arrays_, to, {pack_, trusted_});
      facts_.route = convert::to_text(conversion.route);
      made = std::move(conversion.tensor);
    });
    facts_.to = to.name;
    facts_.bytes = made.bytes();
    facts_.entries = made.entries();
    const double fill = combine::has_slot_of_each(made.layout) ? 0 : pack_.fill;
    timed("write", [&] { data::write_folder(options_.output, tensor::to_folder(made, fill)); });
  }

  /// Sorted and without duplicates, whatever the arrays are; all elements where they all have a slot.
  void write_file() {
    bool full = false;
    if (arrays_)
      timed("convert", [&] {
        entries_ = convert::unpack_exactly(*arrays_, pack_.max_memory);
        const std::vector<layout::Array> &arrays = arrays_->layout.arrays;
        full = std::ranges::all_of(arrays, [](auto &array) { return array.is_value; }) &&
               data::element_count(entries_.shape) == static_cast<std::int64_t>(entries_.size());
        arrays_.reset();
      });
    timed("write", [&] {
      data::WriteOptions options;
      options.type = pack_.value;
      options.fill = pack_.fill;
      options.max_memory = pack_.max_memory;
      data::sort(entries_, data::natural_modes(entries_.order()));
      data::combine_duplicates(entries_);
      convert::require_held(entries_, pack_.value, fmt::format("`{}` is to hold", options_.output));
      facts_.entries = entries_.size();
      if (!full && data::loses_fill(options_.output, options))
        facts_.notes.push_back(data::note_of_lost_fill(options));
      full ? data::write_dense(options_.output, entries_, options)
           : data::write_tensor(options_.output, entries_, options);
    });
    std::error_code no_file; // as a pipe has no size
    std::uintmax_t bytes = std::filesystem::file_size(options_.output, no_file);
    facts_.bytes = no_file ? 0 : static_cast<std::int64_t>(bytes);
  }

  const ConvertCommandOptions &options_;
  std::optional<value::Type> type_; // that the options give the values
  parse::LayoutReference wanted_;   // of a folder
  convert::PackOptions pack_;
  data::ReadOptions read_;
  bool to_file_ = false;
  data::Coordinates entries_;            // of the input, or
  std::optional<tensor::Tensor> arrays_; // its arrays
  bool trusted_ = true;
  Facts facts_;
};

std::string text_of(const Facts &facts, const ConvertCommandOptions &options) {
  std::string text = fmt::format(
      "{}: {} with {} entries{}, {}\n", options.output,
      facts.shape.empty() ? "order 0" : fmt::format("{}", fmt::join(facts.shape, " x ")), facts.entries,
      facts.to.empty() ? "" : fmt::format(" in layout `{}`", facts.to), data::memory_text(facts.bytes));
  if (!facts.from.empty())
    text += fmt::format("  from layout `{}`{}\n", facts.from,
                        facts.route.empty() ? "" : fmt::format(" {}", facts.route));
  for (const std::string &note : facts.notes)
    text += fmt::format("  note: {}\n", note);
  std::string times;
  for (const auto &[what, milliseconds] : facts.times_ms)
    times += fmt::format("{}{} {:.1f} ms", times.empty() ? "" : ", ", what, milliseconds);
  return text + "  " + times + "\n";
}

nlohmann::json json_of(const Facts &facts, const ConvertCommandOptions &options) {
  nlohmann::json times = nlohmann::json::object();
  for (const auto &[what, milliseconds] : facts.times_ms)
    times[what] = milliseconds;
  return {{"input", options.input},
          {"output", options.output},
          {"shape", facts.shape},
          {"entries", facts.entries},
          {"from", show::or_null(facts.from)},
          {"to", show::or_null(facts.to)},
          {"route", show::or_null(facts.route)},
          {"bytes", facts.bytes},
          {"notes", facts.notes},
          {"times_ms", times}};
}

} // namespace

void add_convert(CLI::App &app, bool &as_json) {
  auto *command = app.add_subcommand("convert", "convert a tensor from one layout or file to another");
  auto options = std::make_shared<ConvertCommandOptions>();
  command
      ->add_option("input", options->input,
                   "file.mtx[.gz], file.tns[.gz], file.npy, file.npz, a FOLDER of arrays, or a generator as "
                   "random:1000x1000")
      ->required();
  command
      ->add_option("output", options->output,
                   "file.mtx[.gz], file.tns[.gz], file.npy, file.npz, file.txt or a FOLDER of arrays")
      ->required();
  command->add_option("-f,--format", options->to,
                      "layout of the folder's arrays: csr, bcsr<4,4>, ./mine.layout:name");
  command->add_option("--combine", options->combine,
                      "what becomes of entries with equal coordinates: min, second, or another operator "
                      "(default: their sum)");
  command->add_option("--from", options->from,
                      "layout of the input's arrays (default: the one that the folder names)");
  add_type_options(*command, options->index, options->type);
  add_memory_option(*command, options->max_memory);
  command->add_flag("--json", as_json, "print JSON on standard output");
  command->footer("Examples:\n"
                  "  unravel convert matrix.mtx.gz matrix -f csr\n"
                  "  unravel convert matrix blocks -f bcsr:4,4\n"
                  "  unravel convert arrays matrix.mtx --from ./mine.layout:name");
  command->callback([options, &as_json] {
    Facts facts = Converter(*options).convert();
    std::cout << (as_json ? json_text(json_of(facts, *options)) : text_of(facts, *options));
  });
}

} // namespace unravel::tool
