#include "run/session.h"

#include "check/reference_program.h"
#include "check/validate.h"
#include "combine/structure.h"
#include "convert/convert.h"
#include "convert/halves.h"
#include "convert/structure.h"
#include "data/folder.h"
#include "data/tensor_file.h"
#include "machine/stopwatch.h"
#include "pipeline/plans.h"
#include "report/diagnostic.h"
#include "run/assembled.h"
#include "run/converted.h"
#include "run/extents.h"
#include "run/joins.h"
#include "run/levels.h"
#include "run/operand.h"
#include "run/outputs.h"
#include "run/packed.h"
#include "run/stored_values.h"
#include "tensor/counts.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <ranges>
#include <utility>

namespace unravel::run {

using report::Kind;

namespace {

using Clock = machine::Stopwatch;

/// Of a kernel, or an inspector.
void check_code(int code) {
  if (code == 2) throw std::bad_alloc(); // no room for the workspace, or a result
  report::require(code == 0, "a kernel accepts sizes that agree");
}

} // namespace

class Session {
public:
  explicit Session(const Request &request) : request_(request), repeat_(std::max(1, request.repeat)) {}

  /// The data.
  void read() {
    check_outputs(request_.outputs, request_.other_files);
    folders_ = take_folders(request_);
    note_types(request_);
    try {
      front_ = Converted::read_front(request_.compile);
    } catch (const report::Error &error) {
      fail_in_folder(error, request_, folders_);
    }
    check_output_names();
    check_result_input();
    check_ranges();
    Clock reading;
    operands_ = read_operands(request_, front_, folders_, report_.notes);
    folders_.clear();
    report_.read_ms = reading.milliseconds();
    check_fixed_extents(front_, operands_.extents);
    pack();
    validate();
    if (shares_structure()) borrow_structure();
    report_.conversion_ms = converted_.convert(request_, front_, tensors_, distrusted_.empty());
  }

  /// On data that are there, others than the request's.
  void take_schedules(const std::vector<std::string> &schedules) {
    restore();
    converted_.give_back(tensors_);
    request_.compile.schedules = schedules;
    front_ = Converted::read_front(request_.compile);
    check_fixed_extents(front_, operands_.extents);
    report_.conversion_ms = converted_.convert(request_, front_, tensors_, distrusted_.empty());
    report_.clang_ms = 0;
  }

  Report measure(int calls, double milliseconds) {
    request_.repeat = calls, patience_ = milliseconds;
    make_kernel();
    execute();
    return report_;
  }

  Report run(bool details) {
    request_.compile.details = details;
    request_.repeat = repeat_, patience_ = std::numeric_limits<double>::infinity();
    make_kernel();
    execute();
    pack_results();
    if (request_.check) check();
    write_outputs();
    report_.result = std::move(tensors_.at(result_name()));
    report_.answer = answer_of(report_.result);
    tensors_.erase(result_name());
    report_.tensors = std::move(tensors_);
    return std::move(report_);
  }

  std::vector<std::string> conversions() const { return Converted::worth_trying(with_counts(), front_); }

  Prepared prepare() {
    make_kernel();
    return {std::move(report_.compilation), std::move(tensors_), std::move(report_.sizes),
            std::move(report_.notes), pack_options(request_).max_memory};
  }

private:
  /// Those that no tensor has, by name.
  std::map<std::string, std::int64_t> sizes() const {
    std::map<std::string, std::int64_t> sizes;
    for (const std::string &size : report_.compilation.combination.sizes)
      sizes.emplace(size, operands_.extents.at(size));
    return sizes;
  }

  /// Of the only one, or the first.
  const std::string &result_name() const { return front_.computation.tensors.front().name; }

  std::vector<std::string> result_names() const {
    std::vector<std::string> names;
    for (const compute::TensorUse &use : front_.computation.tensors)
      if (use.is_result) names.push_back(use.name);
    return names;
  }

  void check_output_names() const {
    const std::vector<std::string> names = result_names();
    for (const auto &[name, path] : request_.outputs)
      if (std::ranges::find(names, name) == names.end())
        report::fail(Kind::unknown_tensor,
                     fmt::format("`-o {}={}`: the result{} `{}`", name, path,
                                 names.size() == 1 ? " is" : "s are", fmt::join(names, "`, `")));
  }

  void check_result_input() const {
    for (const std::string &name : result_names())
      if (auto given = request_.inputs.find(name); given != request_.inputs.end() && is_assembled(name))
        report::fail(
            Kind::sparse_result,
            fmt::format("`-i {}={}`: a result that is not dense begins without entries", name, given->second),
            fmt::format("read old values as an operand of another name, or leave `{}` dense", name));
    auto given = request_.inputs.find(result_name());
    if (given != request_.inputs.end() && shares_structure())
      report::fail(Kind::sparse_result,
                   fmt::format("`-i {}={}`: a result with the structure of {} has no values before",
                               result_name(), given->second, lender()),
                   "add to it with a dense result, or leave out this input");
  }

  /// Accesses that aren't proved to be in range must be validated on the data.
  void check_ranges() {
    for (const report::Diagnostic &warning : front_.warnings) {
      if (warning.kind != Kind::argument_range) continue;
      if (!request_.validate && !request_.compile.trust) throw report::Error(warning);
      for (const auto &[name, layout] : front_.layouts)
        if (layout.span.source && layout.span.source->name() == warning.place.file) unproved_.insert(name);
    }
  }

  bool shares_structure() const { return !front_.structure.empty(); }
  bool is_assembled(const std::string &name) const {
    return !shares_structure() && !combine::has_slot_of_each(front_.layouts.at(name));
  }
  /// Has the result entries of some coordinates only?
  bool is_sparse(const std::string &name) const { return shares_structure() || is_assembled(name); }

  /// The tensor whose structure the result has.
  std::string lender() const { return combine::lender_of(front_.structure, front_.computation.program); }

  void pack() {
    Clock clock;
    for (const compute::TensorUse &use : front_.computation.tensors) {
      if (use.is_result && shares_structure()) continue;
      const layout::Layout &layout = front_.layouts.at(use.name);
      std::vector<std::string> sampled;
      convert::PackOptions options = pack_options(request_, use.is_result ? 0 : fill_of(front_, use.name));
      options.sampled = &sampled;
      auto operand = operands_.by_name.find(use.name);
      if (operand == operands_.by_name.end()) {
        const data::Coordinates none(operands_.result_shapes.at(use.name));
        tensors_.emplace(use.name, convert::pack(layout, none, options));
        begin_with_identity(use.name);
      } else if (operand->second.packed) {
        tensors_.emplace(use.name, *operand->second.packed);
      } else if (request_.check) {
        tensor::Tensor packed = convert::pack_exactly(layout, operand->second.coordinates, options);
        round_as_stored(operand->second.coordinates,
                        tensors_.emplace(use.name, std::move(packed)).first->second);
      } else {
        tensors_.emplace(use.name,
                         convert::pack_exactly(layout, std::move(operand->second.coordinates), options));
      }
      note_sampled(use.name, sampled);
      report_.shapes[use.name] = tensors_.at(use.name).shape();
      if (!use.is_result) report_.entries[use.name] = tensors_.at(use.name).entries();
    }
    report_.pack_ms = clock.milliseconds();
  }

  /// A dense result begins with its fill, or, where a line reduces it, with the operator's identity.
  void begin_with_identity(const std::string &name) {
    const double initial = compute::initial_of(front_.computation.program, name);
    if (initial == 0 || is_assembled(name)) return;
    tensor::Tensor &result = tensors_.at(name);
    for (const layout::Array &array : result.layout.arrays)
      if (array.is_value) result.array(array.name).fill(initial);
  }

  /// The result's tensor, once the arrays that it borrows are known to be good.
  void borrow_structure() {
    Clock clock;
    const std::string name = result_name();
    const double initial = compute::initial_of(front_.computation.program, name);
    tensor::Tensor made =
        convert::with_structure_of(tensors_.at(lender()), front_.layouts.at(name),
                                   operands_.result_shapes.at(name), pack_options(request_, initial));
    report_.shapes[name] = tensors_.emplace(name, std::move(made)).first->second.shape();
    report_.pack_ms += clock.milliseconds();
  }

  /// Properties of a tensor that weren't checked in full: no find may rely on them.
  void note_sampled(const std::string &name, const std::vector<std::string> &properties) {
    for (const std::string &property : properties) {
      report_.notes.push_back(
          fmt::format("`{}` of {} was only sampled{}", property, name,
                      request_.compile.trust ? ", and trusted" : ": no find relies on it"));
      if (!request_.compile.trust) distrusted_.push_back(fmt::format("{}: {}", name, property));
    }
  }

  /// Arrays from outside; without validation what keeps accesses inside them, of trusted ones that they
  /// belong together. What was packed here has what the layout promises, but for accesses that aren't proved.
  void validate() {
    Clock clock;
    for (const compute::TensorUse &use : front_.computation.tensors) {
      auto operand = operands_.by_name.find(use.name);
      bool outside = operand != operands_.by_name.end() && operand->second.packed;
      bool unproved = request_.validate && unproved_.count(use.name) > 0;
      if (use.is_result || (!outside && !unproved)) continue;
      const tensor::Tensor &tensor = tensors_.at(use.name);
      check::ValidateOptions options;
      options.accesses = unproved;
      options.bounds_alone = !request_.validate;
      const bool is_trusted = !request_.validate && request_.compile.trust;
      check::ValidationResult result =
          is_trusted ? check::validate_extents(tensor) : check::validate(tensor, options);
      check::require_ok(result, tensor, fmt::format("operand `{}`", use.name));
      note_sampled(use.name, result.sampled);
    }
    report_.validate_ms = clock.milliseconds();
  }

  /// What loop-order planning may know of the data.
  schedule::Counts counts() const {
    schedule::Counts counts = joins_;
    for (const auto &[name, tensor] : tensors_)
      tensor::put_counts(name, tensor, counts);
    for (const compute::GivenSize &size : front_.computation.program.given)
      counts[size.name] = static_cast<double>(operands_.extents.at(size.name));
    return counts;
  }

  pipeline::Request with_counts() const {
    pipeline::Request request = request_.compile;
    request.counts.merge(counts());
    request.distrusted.insert(request.distrusted.end(), distrusted_.begin(), distrusted_.end());
    return request;
  }

  void make_kernel() {
    if (const compute::Program &program = front_.computation.program; pipeline::may_want_finite_values(front_)) {
      const Clock clock;
      joins_ = joins_of(program, tensors_);
      report_.has_special_values =
          has_special_values(program, tensors_) || has_zero_divisor(program, tensors_);
      report_.count_ms = clock.milliseconds();
    }
    if (report_.has_special_values) front_.schedule.plan = pipeline::no_plan;
    const bool trust = distrusted_.empty();
    if (auto ms = converted_.convert_if_it_pays(request_, with_counts(), repeat_, front_, tensors_, trust))
      report_.conversion_ms = ms;
    report_.compilation = pipeline::compile_for_data(with_counts(), front_);
    if (auto ms = converted_.convert_for_loops(request_, with_counts(), report_.compilation, repeat_, front_,
                                               tensors_, trust)) {
      report_.conversion_ms = ms;
      report_.compilation = pipeline::compile_for_data(with_counts(), front_);
    }
    take_lists();
    report_.sizes = sizes();
    check_sizes(report_.compilation.combination.conditions, tensors_, operands_.extents);
  }

  /// Results that the kernel lists since no order of its loops is that of their entries.
  void take_lists() {
    front_.packed = report_.compilation.packed;
    for (const auto &[name, packed] : front_.packed) {
      const layout::Layout &list = front_.layouts[name] = report_.compilation.layouts.at(name);
      const data::Coordinates none(operands_.result_shapes.at(name));
      tensors_.at(name) = convert::pack(list, none, pack_options(request_));
    }
  }

  /// A compiled kernel, its arguments and its results' arrays.
  struct Call {
    build::Kernel kernel;
    std::map<std::string, std::vector<std::uint64_t>> structs = {}; // by tensor
    std::optional<Levels> levels = {};
    std::map<std::string, std::int64_t> given = {};
    std::vector<void *> arguments = {}; // into the members above
  };

  /// On the tensors as they are. The call must not be moved.
  void prepare_call(Call &call, const pipeline::Compilation &compilation) {
    report_.clang_ms += call.kernel.timing().milliseconds;
    report_.cached = call.kernel.timing().cached;
    call.kernel.set_threads(request_.threads.value_or(0));
    call.given = report_.sizes;
    for (const loop::TensorParameter &parameter : compilation.program.parameters) {
      const auto own = tensors_.find(parameter.name);
      call.structs[parameter.name] =
          own == tensors_.end() ? inspected(call) : tensor::kernel_arguments(own->second).slots();
      call.arguments.push_back(call.structs.at(parameter.name).data());
    }
    for (const std::string &size : compilation.program.sizes)
      call.arguments.push_back(&call.given.at(size));
  }

  /// Several times, with one workspace; `before` each of them and `behind` is something done that isn't
  /// timed.
  template <class Before, class Behind> KernelTimes timed(Call &call, Before before, Behind behind) const {
    auto entry = reinterpret_cast<int (*)(void **)>(call.kernel.symbol("unravel_entry"));
    build::Workspace workspace(call.kernel);
    call.arguments.push_back(workspace.get());
    std::vector<double> times;
    double all = 0;
    for (int round = 0; round == 0 || (round < request_.repeat && all < patience_); ++round) {
      before(round);
      Clock clock;
      const int code = entry(call.arguments.data());
      times.push_back(clock.milliseconds());
      all += times.back();
      behind(code);
    }
    std::ranges::sort(times);
    return {times[times.size() / 2], times.front(), static_cast<int>(times.size())};
  }

  void execute() {
    report_.c_text = emit::emit_in_process(report_.compilation.program, report_.compilation.gathers);
    Call call{build::compile(report_.c_text, request_.build)};
    prepare_call(call, report_.compilation);
    for (const std::string &name : result_names())
      initial_.emplace(name, convert::with_own_values(tensors_.at(name)));
    const combine::Combination &combination = report_.compilation.combination;
    const std::vector<std::string> names = result_names();
    const bool starts_anew =
        std::ranges::all_of(names, [&](const std::string &name) { return combination.is_cleared(name); });
    std::vector<Assembled> assembled;
    report_.kernel = timed(
        call,
        [&](int round) {
          if (!starts_anew && round > 0) restore();
          assembled.clear(); // those of the round before
        },
        [&](int code) {
          if (code == 3) fail_missed_divisor();
          if (code == 4)
            report::fail(Kind::index_width, "a result has more entries than 32-bit indices can count",
                         "add --index int64");
          check_code(code);
          for (const std::string &name : names)
            if (is_assembled(name)) assembled.emplace_back(tensors_.at(name), call.structs.at(name));
        });
    for (Assembled &result : assembled)
      result.take();
    if (report_.compilation.values) execute_values(*report_.compilation.values);
  }

  /// Of the structure that is there now.
  void execute_values(const pipeline::Compilation &values) {
    Call call{build::compile(emit::emit_in_process(values.program, values.gathers), request_.build)};
    prepare_call(call, values);
    const auto nothing = [](int) {};
    report_.structure = std::exchange(report_.kernel, timed(call, nothing, check_code));
  }

  /// What the kernel has listed, in the layouts that are wanted.
  void pack_results() {
    if (front_.packed.empty()) return;
    Clock clock;
    for (const auto &[name, wanted] : front_.packed) {
      tensor::Tensor &tensor = tensors_.at(name);
      tensor = ListPacking(tensor.layout, wanted, pack_options(request_)).pack(tensor);
    }
    report_.result_pack_ms = clock.milliseconds();
  }

  /// The levels of the kernel's wavefronts, behind all tensors; one thread has no use for any.
  std::vector<std::uint64_t> inspected(Call &call) {
    const pipeline::Compilation &compilation = report_.compilation;
    std::vector<void *> structs = call.arguments;
    for (const std::string &size : compilation.program.sizes)
      structs.push_back(&call.given.at(size));
    Levels &levels = call.levels.emplace(*compilation.inspector, compilation.program, request_.build);
    if (request_.threads == 1) return levels.slots(structs);
    check_code(levels.inspect(structs));
    report_.inspector_ms = levels.milliseconds();
    report_.levels = levels.levels(), report_.inspected = levels.inspected();
    return levels.slots(structs);
  }

  /// What the reference evaluator needs.
  struct ReferenceInput {
    check::ProgramInput input;
    std::map<std::string, data::Coordinates> unpacked = {}; // some of the operands in it
  };

  /// `counts_slots`: zeros that layouts store where operands have no entries take part.
  ReferenceInput reference_input(bool counts_slots) {
    ReferenceInput made;
    check::ProgramInput &input = made.input;
    input.sizes = operands_.extents;
    input.types = front_.types;
    for (const auto &[name, tensor] : initial_) {
      check::ProgramResult &result = input.results[name] = {operands_.result_shapes.at(name), {}};
      if (!is_sparse(name)) {
        const data::Coordinates entries = convert::unpack_exactly(tensor);
        result.initial = data::to_dense(entries);
        result.in_halves = entries.in_halves;
        if (entries.is_complex()) result.imaginary = data::to_dense(data::imaginary_part(entries));
      } else if (fill_of(front_, name) != 0) // else zeros
        result.initial = data::to_dense(data::Coordinates(result.shape), fill_of(front_, name));
    }
    if (front_.written) { // the line reads what its result was in an operand
      input.types = front_.written->line.types;
      if (const std::string &old = front_.written->old; !old.empty())
        input.operands[old] = &(made.unpacked[old] = convert::unpack_exactly(initial_.begin()->second));
    }
    for (const auto &[local, around] : front_.computation.program.local_tensors)
      if (const auto layout = front_.layouts.find(local);
          layout != front_.layouts.end() && !combine::has_slot_of_each(layout->second))
        input.listed.insert(local);
    for (const auto &[name, tensor] : initial_)
      if (is_assembled(name)) input.listed.insert(name);
    for (const compute::TensorUse &use : front_.computation.tensors)
      if (!use.is_result)
        input.operands.emplace(use.name, &coordinates_of(use.name, counts_slots, made.unpacked));
    for (const parse::ScheduleTree::Transformation &bound : front_.schedule.transformations)
      if (bound.kind == parse::ScheduleTree::Transformation::Kind::Bound) {
        auto range = input.ranges.emplace(bound.variable.text, std::pair(bound.low, bound.high)).first;
        range->second = {std::max(range->second.first, bound.low),
                         std::min(range->second.second, bound.high)};
      }
    return made;
  }

  const auto &written() const { return (front_.written ? front_.written->line : front_.computation).program; }
  check::ProgramReference program_reference(bool counts_slots) {
    return check::evaluate_program(written(), reference_input(counts_slots).input);
  }

  /// An operand as coordinates, as given or unpacked. `special`: it matters which zeros are stored.
  const data::Coordinates &coordinates_of(const std::string &tensor, bool counts_slots,
                                          std::map<std::string, data::Coordinates> &unpacked) {
    Operand &operand = operands_.by_name.at(tensor);
    const bool is_given = !operand.packed && request_.check;
    const bool matters =
        asks_what_is_stored(front_.computation.program) || (counts_slots && fill_of(front_, tensor) == 0);
    if (is_given && !matters) return operand.coordinates;
    data::Coordinates stored = convert::unpack_exactly(tensors_.at(tensor));
    if (is_given) stored = with_slots_of(stored, operand.coordinates);
    return unpacked.emplace(tensor, std::move(stored)).first->second;
  }

  [[noreturn]] void fail_missed_divisor() {
    const check::ProgramReference reference =
        program_reference(meets_special_values(front_.computation.program, tensors_));
    report::require(!reference.missing.empty(), "the reference misses a divisor where the kernel does");
    report::fail(Kind::divisor_not_stored, reference.missing_span,
                 fmt::format("the divisor {} isn't stored", reference.missing),
                 "store it, as a zero if it is one: the kernel looks for what is stored");
  }

  /// The results' values as they were.
  void restore() {
    for (const auto &[name, tensor] : initial_) {
      tensor::Tensor &result = tensors_.at(name);
      for (const layout::Array &array : result.layout.arrays) {
        if (!array.is_value) continue;
        const data::Elements &from = tensor.array(array.name);
        std::copy_n(static_cast<const char *>(from.data()), from.bytes(),
                    static_cast<char *>(result.array(array.name).data()));
      }
    }
  }

  void check() {
    for (const std::string &name : result_names())
      if (is_assembled(name))
        check::require_ok(check::validate(tensors_.at(name)), tensors_.at(name),
                          fmt::format("the result `{}`", name));
    const bool is_special = meets_special_values(front_.computation.program, tensors_);
    Compared all = compared(is_special);
    // Zeros that are stored also meet infinities which a value is computed from, and doesn't show.
    if (Compared other; !is_special && !all.worst.ok && (other = compared(true)).worst.ok) all = other;
    report_.comparison = std::move(all.worst);
    for (const std::string &name : all.wrong)
      report_.notes.push_back(fmt::format("`{}` is wrong", name));
  }

  /// Of the results the one furthest from its reference; those that are wrong among several.
  struct Compared {
    check::Comparison worst;
    std::vector<std::string> wrong = {};
  };

  Compared compared(bool counts_slots) {
    const double tolerance = check::tolerance_of(front_.computation.program, front_.types);
    const compute::Program &program = written();
    if (shares_structure() || (is_assembled(result_name()) && check::is_line(program)))
      return {check::compare(convert::unpack_exactly(tensors_.at(result_name())),
                             check::evaluate_sparse_program(program, reference_input(counts_slots).input),
                             tolerance)};
    Compared all;
    for (const auto &[name, reference] : program_reference(counts_slots).results) {
      check::Comparison one = check::compare(convert::unpack_exactly(tensors_.at(name)), reference, tolerance,
                                             fill_of(front_, name));
      if (!one.ok && result_names().size() > 1) all.wrong.push_back(name);
      if (all.worst.ok && (!one.ok || one.max_relative_error >= all.worst.max_relative_error))
        all.worst = std::move(one);
    }
    return all;
  }

  void write_outputs() {
    for (const auto &[name, path] : request_.outputs) {
      const double fill = is_sparse(name) ? nothing_of(front_, name) : fill_of(front_, name);
      write_output(path, tensors_.at(name), is_sparse(name),
                   {front_.types.at(name), fill, {}, read_options(request_).max_memory}, report_.notes);
    }
  }

  Request request_;
  int repeat_;                                                // of the kernel that is wanted
  double patience_ = std::numeric_limits<double>::infinity(); // with calls, in ms: no more begins then
  Folders folders_;
  pipeline::Front front_;
  std::set<std::string> unproved_; // tensors whose layout may read outside its arrays
  Operands operands_;
  std::map<std::string, tensor::Tensor> tensors_;
  std::map<std::string, tensor::Tensor> initial_; // of the results
  Converted converted_;
  std::vector<std::string> distrusted_;
  schedule::Counts joins_;
  Report report_;
};

Data::Data(const Request &request) : session_(std::make_unique<Session>(request)) {
  session_->read();
}

Data::~Data() = default;

Report Data::measure(const std::vector<std::string> &schedules, int calls, double milliseconds) {
  session_->take_schedules(schedules);
  return session_->measure(calls, milliseconds);
}

std::vector<std::string> Data::conversions() const {
  return session_->conversions();
}

Report Data::run(const std::vector<std::string> &schedules, bool details) {
  session_->take_schedules(schedules);
  return session_->run(details);
}

Prepared prepare(const Request &request) {
  Session session(request);
  session.read();
  return session.prepare();
}

Report run(const Request &request) {
  Session session(request);
  session.read();
  return session.run(request.compile.details);
}

} // namespace unravel::run
