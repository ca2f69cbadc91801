#include "run/levels.h"

#include "emit/emit.h"
#include "machine/stopwatch.h"
#include "report/diagnostic.h"

#include <algorithm>

namespace unravel::run {

struct Levels::NumbersOf : term::Environment {
  NumbersOf(const Levels &levels, const std::vector<void *> &structs) : levels_(levels), structs_(structs) {}
  std::int64_t variable(const std::string &name) const override {
    if (name.find('.') == std::string::npos)
      return *static_cast<const std::int64_t *>(structs_.at(levels_.operands_.at(name)));
    for (const loop::TensorParameter &parameter : levels_.inspector_.program.parameters) {
      std::vector<std::string> numbers = parameter.sizes; // a struct begins with these, and its counts
      numbers.insert(numbers.end(), parameter.counts.begin(), parameter.counts.end());
      for (std::size_t k = 0; k < numbers.size(); ++k)
        if (parameter.name + "." + numbers[k] == name)
          return static_cast<const std::int64_t *>(structs_.at(levels_.operands_.at(parameter.name)))[k];
    }
    report::fail(report::Kind::internal, "unknown size " + name, "please report this as a bug");
  }
  std::int64_t apply(const std::string &, const std::vector<std::int64_t> &) const override { return 0; }
  const Levels &levels_;
  const std::vector<void *> &structs_;
};

/// The sizes that no tensor has.
std::vector<std::int64_t> Levels::given_in(const std::vector<void *> &structs) const {
  std::vector<std::int64_t> given;
  for (const std::string &size : inspector_.program.sizes)
    given.push_back(*static_cast<const std::int64_t *>(structs.at(operands_.at(size))));
  return given;
}

/// The size and the counts of the levels.
std::vector<std::int64_t> Levels::numbers_on(const std::vector<void *> &structs) const {
  std::vector<std::int64_t> numbers;
  for (const term::Term &number : inspector_.numbers)
    numbers.push_back(term::evaluate(number, NumbersOf(*this, structs)));
  return numbers;
}

const std::vector<std::int64_t> &Levels::counted() const {
  const auto found = std::ranges::find(own().arrays, "count", &loop::ArrayParameter::name);
  return arrays_.at(static_cast<std::size_t>(found - own().arrays.begin()));
}

Levels::Levels(lower::Inspector inspector, const loop::Program &kernel, build::Options options)
    : inspector_(std::move(inspector)), options_(std::move(options)) {
  for (const loop::TensorParameter &parameter : kernel.parameters)
    operands_[parameter.name] = operands_.size();
  for (const std::string &size : kernel.sizes) // behind the tensors, of which the levels aren't one
    operands_[size] = operands_.size() - 1;
  slots_.resize(inspector_.numbers.size() + own().arrays.size()); // M = 0: nothing is known
  arrays_.resize(own().arrays.size());
}

int Levels::inspect(const std::vector<void *> &structs) {
  if (!kernel_) kernel_ = build::compile(emit::emit_in_process(inspector_.program), options_);
  slots_[0] = 0;
  const std::vector<std::int64_t> numbers = numbers_on(structs);
  std::vector<std::uint64_t> slots(numbers.begin(), numbers.end());
  const std::vector<std::int64_t> room = lower::room_of_levels(own(), numbers);
  for (std::size_t k = 0; k < arrays_.size(); ++k) {
    const std::size_t bytes =
        static_cast<std::size_t>(room[k]) * value::facts_of(own().arrays[k].element).bytes;
    arrays_[k].resize(bytes / sizeof(std::int64_t) + 1);
    slots.push_back(reinterpret_cast<std::uint64_t>(arrays_[k].data()));
  }
  std::vector<void *> arguments{slots.data()};
  for (std::size_t k = 1; k < inspector_.program.parameters.size(); ++k)
    arguments.push_back(structs.at(operands_.at(inspector_.program.parameters[k].name)));
  for (const std::string &size : inspector_.program.sizes)
    arguments.push_back(structs.at(operands_.at(size)));
  build::Workspace workspace(*kernel_);
  arguments.push_back(workspace.get());
  auto entry = reinterpret_cast<int (*)(void **)>(kernel_->symbol("unravel_entry"));
  const machine::Stopwatch clock;
  const int code = entry(arguments.data());
  milliseconds_ = clock.milliseconds();
  if (code == 0) slots_ = std::move(slots), given_ = given_in(structs);
  return code;
}

std::vector<std::uint64_t> Levels::slots(const std::vector<void *> &structs) const {
  std::vector<std::uint64_t> slots = slots_;
  const std::vector<std::int64_t> numbers = numbers_on(structs);
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (slots_[k] != static_cast<std::uint64_t>(numbers[k])) slots[0] = 0;
  if (given_ != given_in(structs)) slots[0] = 0; // other iterations may depend on each other
  return slots;
}

} // namespace unravel::run
