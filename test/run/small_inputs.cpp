#include "run/small_inputs.h"

#include "convert/pack.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <set>

namespace unravel::run::test {

namespace {

using term::Term;

/// Values of names; `undefined` after an array was read outside.
class World : public term::Environment {
public:
  World(const layout::Layout &layout, const Instance &instance) : layout_(layout), instance_(instance) {}

  std::map<std::string, std::int64_t> variables;
  mutable bool undefined = false;

  std::int64_t variable(const std::string &name) const override {
    if (auto found = variables.find(name); found != variables.end()) return found->second;
    return instance_.numbers.at(name);
  }

  std::int64_t apply(const std::string &function, const std::vector<std::int64_t> &arguments) const override {
    const std::vector<std::int64_t> &elements = instance_.indices.at(function);
    std::int64_t slot = row_major(function, arguments);
    if (slot >= 0 && slot < static_cast<std::int64_t>(elements.size()))
      return elements[static_cast<std::size_t>(slot)];
    undefined = true;
    return 0;
  }

  /// -1 outside.
  std::int64_t row_major(const std::string &array, const std::vector<std::int64_t> &arguments) const {
    std::int64_t slot = 0;
    const std::vector<Term> &extents = layout_.array(array)->extents;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      std::int64_t extent = term::evaluate(extents[k], *this);
      if (arguments[k] < 0 || arguments[k] >= extent) return -1;
      slot = slot * extent + arguments[k];
    }
    return slot;
  }

private:
  const layout::Layout &layout_;
  const Instance &instance_;
};

bool knows(const Instance &instance, const Term &formula, const std::vector<std::string> &bound = {}) {
  for (const Term &application : term::applications_of(formula))
    if (!instance.indices.count(application.as<term::Apply>()->function)) return false;
  for (const std::string &name : term::variables_of(formula))
    if (!instance.numbers.count(name) && std::find(bound.begin(), bound.end(), name) == bound.end())
      return false;
  return true;
}

std::int64_t largest_number(const Instance &instance) {
  std::int64_t largest = 1;
  for (const auto &[name, number] : instance.numbers)
    largest = std::max(largest, number);
  for (const auto &[name, elements] : instance.indices)
    largest = std::max(largest, static_cast<std::int64_t>(elements.size()));
  return largest;
}

/// The assignments of numbers in [-1, high] to variables under which a condition may hold. Each part of the
/// condition is asked as soon as its variables have numbers. What reads outside an array: where `strict`, the
/// condition doesn't hold; else it may.
class Assignments {
public:
  Assignments(std::vector<std::string> variables, const Term &condition, bool strict)
      : variables_(std::move(variables)), parts_(variables_.size() + 1), strict_(strict) {
    for (const Term &part : term::conjuncts(condition)) {
      std::size_t last = 0;
      for (std::size_t k = 0; k < variables_.size(); ++k)
        if (term::mentions(part, variables_[k])) last = k + 1;
      parts_[last].push_back(part);
    }
  }

  /// Calls `use` for each, until it says no.
  bool each(World &world, std::int64_t high, const std::function<bool()> &use, std::size_t next = 0) const {
    for (const Term &part : parts_[next]) {
      world.undefined = false;
      bool holds = term::evaluate(part, world) != 0;
      if (world.undefined ? strict_ : !holds) return true;
    }
    if (next == variables_.size()) return use();
    std::int64_t &number = world.variables[variables_[next]];
    for (std::int64_t value = -1; value <= high; ++value) {
      number = value;
      if (!each(world, high, use, next + 1)) return false;
    }
    return true;
  }

private:
  std::vector<std::string> variables_;
  std::vector<std::vector<Term>> parts_; // by the number of variables that must be known
  bool strict_;
};

/// The properties of a layout, made ready to be asked of many instances.
class Judge {
public:
  explicit Judge(const layout::Layout &layout) : layout_(layout) {
    for (const layout::Property &property : layout.properties) {
      Question question{property.axiom, {property.axiom.variables, property.axiom.guard, true}, {}, {}};
      Term whole = term::conjunction({property.axiom.guard, property.axiom.conclusion});
      for (const Term &application : term::applications_of(whole))
        question.arrays.insert(application.as<term::Apply>()->function);
      for (const std::string &name : term::variables_of(whole))
        if (std::find(property.axiom.variables.begin(), property.axiom.variables.end(), name) ==
            property.axiom.variables.end())
          question.numbers.insert(name);
      questions_.push_back(std::move(question));
    }
    std::stable_sort(questions_.begin(), questions_.end(), [](const Question &a, const Question &b) {
      return a.axiom.variables.size() < b.axiom.variables.size();
    });
  }

  /// Whether all hold that can be judged and, where `fresh` isn't empty, speak of that array. `partly`:
  /// arrays may be known in part; what reads further isn't judged.
  bool accepts(const Instance &instance, const std::string &fresh, bool partly) const {
    return std::all_of(questions_.begin(), questions_.end(), [&](const Question &question) {
      bool concerned = fresh.empty() || question.arrays.count(fresh) > 0;
      for (const std::string &array : question.arrays)
        concerned = concerned && instance.indices.count(array) > 0;
      for (const std::string &number : question.numbers)
        concerned = concerned && instance.numbers.count(number) > 0;
      return !concerned || holds(question, instance, partly);
    });
  }

private:
  struct Question {
    prove::Axiom axiom;
    Assignments guarded;
    std::set<std::string> arrays, numbers;
  };

  bool holds(const Question &question, const Instance &instance, bool partly) const {
    World world(layout_, instance);
    return question.guarded.each(world, largest_number(instance), [&] {
      world.undefined = false;
      bool conclusion = term::evaluate(question.axiom.conclusion, world) != 0;
      return world.undefined ? partly : conclusion;
    });
  }

  const layout::Layout &layout_;
  std::vector<Question> questions_;
};

void define_counts(const layout::Layout &layout, Instance &instance) {
  for (const layout::Count &count : layout.counts)
    if (count.definition && !instance.numbers.count(count.name) && knows(instance, *count.definition))
      instance.numbers[count.name] = term::evaluate(*count.definition, World(layout, instance));
}

std::size_t elements_of(const layout::Layout &layout, const Instance &instance, const layout::Array &array) {
  std::size_t count = 1;
  World world(layout, instance);
  for (const Term &extent : array.extents)
    count *= static_cast<std::size_t>(std::max<std::int64_t>(0, term::evaluate(extent, world)));
  return count;
}

/// The numbers of one mode's size, or nothing where two modes share a size and differ.
std::optional<Instance> with_sizes(const layout::Layout &layout, const std::vector<std::int64_t> &shape) {
  Instance instance;
  instance.shape = shape;
  for (std::size_t mode = 0; mode < shape.size(); ++mode) {
    auto [at, fresh] = instance.numbers.emplace(layout.sizes[mode], shape[mode]);
    if (!fresh && at->second != shape[mode]) return std::nullopt;
  }
  return instance;
}

/// What the arrays mean, by the relation.
void find_entries(const layout::Layout &layout, Instance &instance) {
  for (const layout::Array &array : layout.arrays)
    if (array.is_value) instance.value_counts[array.name] = elements_of(layout, instance, array);
  World world(layout, instance);
  std::int64_t largest = largest_number(instance);
  for (const auto &[name, count] : instance.value_counts)
    largest = std::max(largest, static_cast<std::int64_t>(count));
  for (const layout::Piece &piece : layout.pieces) {
    std::vector<std::string> variables = piece.positions;
    variables.insert(variables.end(), layout.coordinates.begin(), layout.coordinates.end());
    Assignments(variables, piece.relation, false).each(world, largest, [&] {
      world.undefined = false;
      if (term::evaluate(piece.relation, world) == 0) return true;
      EXPECT_FALSE(world.undefined) << layout.name << ": the relation reads outside an array";
      Instance::Entry entry;
      for (std::size_t mode = 0; mode < instance.shape.size(); ++mode) {
        entry.coordinate.push_back(world.variables.at(layout.coordinates[mode]));
        EXPECT_TRUE(entry.coordinate.back() >= 0 && entry.coordinate.back() < instance.shape[mode])
            << layout.name;
      }
      entry.array = piece.value.array;
      entry.factor = (piece.value.negative ? -1 : 1) * (entry.array.empty() ? piece.value.literal : 1);
      std::vector<std::int64_t> slots;
      for (const Term &slot : piece.value.slots)
        slots.push_back(term::evaluate(slot, world));
      std::int64_t slot = entry.array.empty() ? 0 : world.row_major(entry.array, slots);
      EXPECT_GE(slot, 0) << layout.name << ": a value outside its array";
      entry.slot = static_cast<std::size_t>(slot);
      instance.entries.push_back(std::move(entry));
      return true;
    });
  }
}

class Search {
public:
  Search(const layout::Layout &layout, std::int64_t largest)
      : layout_(layout), judge_(layout), largest_(largest) {}

  std::vector<Instance> run(const std::vector<std::int64_t> &shape) {
    std::optional<Instance> start = with_sizes(layout_, shape);
    if (!start) return {};
    for (const layout::Array &array : layout_.arrays)
      if (!array.is_value) arrays_.push_back(&array);
    highest_ = std::max(largest_, shape.empty() ? 0 : *std::max_element(shape.begin(), shape.end()));
    choose_counts(*start, 0);
    return std::move(found_);
  }

private:
  void choose_counts(const Instance &instance, std::size_t next) {
    if (next == layout_.counts.size()) return choose_array(instance, 0);
    if (layout_.counts[next].definition) return choose_counts(instance, next + 1);
    for (std::int64_t value = 0; value <= largest_; ++value) {
      Instance longer = instance;
      longer.numbers[layout_.counts[next].name] = value;
      choose_counts(longer, next + 1);
    }
  }

  void choose_array(Instance instance, std::size_t next) {
    define_counts(layout_, instance);
    for (const layout::Count &count : layout_.counts)
      if (auto known = instance.numbers.find(count.name); known != instance.numbers.end())
        if (known->second < 0 || known->second > largest_) return;
    if (next == arrays_.size()) {
      if (!judge_.accepts(instance, "", false)) return;
      find_entries(layout_, instance);
      found_.push_back(std::move(instance));
      return;
    }
    const layout::Array &array = *arrays_[next];
    choose_elements(instance, next, elements_of(layout_, instance, array));
  }

  /// The array's further elements, one by one: what can't be continued is given up early.
  void choose_elements(const Instance &instance, std::size_t next, std::size_t count) {
    const std::string &name = arrays_[next]->name;
    auto known = instance.indices.find(name);
    if ((known == instance.indices.end() ? 0 : known->second.size()) == count) {
      Instance whole = instance;
      whole.indices[name];
      if (judge_.accepts(whole, name, false)) choose_array(std::move(whole), next + 1);
      return;
    }
    Instance longer = instance;
    longer.indices[name].push_back(0);
    for (std::int64_t value = lowest_; value <= highest_ && --budget_ > 0; ++value) {
      longer.indices[name].back() = value;
      if (judge_.accepts(longer, name, true)) choose_elements(longer, next, count);
    }
  }

  const layout::Layout &layout_;
  Judge judge_;
  std::int64_t largest_;
  int budget_ = 10'000; // of questions: beyond them, some arrays will do
  std::int64_t lowest_ = -2, highest_ = 3;
  std::vector<const layout::Array *> arrays_;
  std::vector<Instance> found_;
};

Instance instance_of(const tensor::Tensor &tensor) {
  Instance instance;
  instance.shape = tensor.shape();
  instance.numbers = tensor.sizes;
  instance.numbers.insert(tensor.counts.begin(), tensor.counts.end());
  for (const layout::Array &array : tensor.layout.arrays) {
    const data::Elements &elements = tensor.array(array.name);
    if (array.is_value) continue;
    std::vector<std::int64_t> &integers = instance.indices[array.name];
    for (std::size_t k = 0; k < elements.size(); ++k)
      integers.push_back(elements.integer(k));
  }
  find_entries(tensor.layout, instance);
  return instance;
}

/// The packed tensor's entries, by the relation, are those of the pattern.
void expect_same(const tensor::Tensor &packed, const Instance &instance, const data::Coordinates &pattern) {
  data::Coordinates meant(pattern.shape);
  for (const Instance::Entry &entry : instance.entries)
    meant.append(entry.coordinate,
                 entry.factor * (entry.array.empty() ? 1 : packed.array(entry.array).real(entry.slot)));
  EXPECT_EQ(data::to_dense(meant), data::to_dense(pattern)) << packed.layout.name;
  EXPECT_TRUE(satisfies(packed.layout, instance)) << packed.layout.name << ": packing broke a property";
}

} // namespace

Instance with_structure(const layout::Layout &layout, const std::vector<std::int64_t> &shape,
                        const Instance &lender) {
  Instance instance = with_sizes(layout, shape).value();
  for (const layout::Count &count : layout.counts)
    instance.numbers[count.name] = lender.numbers.at(count.name);
  for (const layout::Array &array : layout.arrays)
    if (!array.is_value) instance.indices[array.name] = lender.indices.at(array.name);
  find_entries(layout, instance);
  return instance;
}

bool satisfies(const layout::Layout &layout, const Instance &instance) {
  return Judge(layout).accepts(instance, "", false);
}

std::vector<Instance> all_arrays(const layout::Layout &layout, const std::vector<std::int64_t> &shape,
                                 std::int64_t largest) {
  return Search(layout, largest).run(shape);
}

std::vector<Instance> all_packed(const layout::Layout &layout, const std::vector<std::int64_t> &shape) {
  std::vector<Instance> found;
  if (!with_sizes(layout, shape)) return found;
  std::int64_t elements = data::element_count(shape);
  std::optional<packing::PackPlan> plan;
  try {
    plan = packing::plan_packing(layout);
  } catch (const report::Error &error) {
    EXPECT_EQ(error.diagnostic().kind, report::Kind::cannot_pack) << error.what();
    return found;
  }
  // Of large tensors some patterns, all empty and all full ones among them.
  std::int64_t patterns = std::int64_t{1} << elements;
  std::int64_t step = patterns <= 512 ? 1 : patterns / 128 - 1;
  for (std::int64_t pattern = 0; pattern < patterns; pattern += step) {
    data::Coordinates coordinates(shape);
    double value = 1;
    for (std::int64_t element = elements; element-- > 0;) {
      if (!(pattern >> element & 1)) continue;
      std::vector<std::int64_t> coordinate(shape.size());
      std::int64_t rest = element;
      for (std::size_t mode = shape.size(); mode-- > 0; rest /= shape[mode])
        coordinate[mode] = rest % shape[mode];
      coordinates.append(coordinate, value++);
      if (pattern % 2 == 1 && coordinates.size() == 1) coordinates.append(coordinate, value++);
    }
    try {
      tensor::Tensor packed = convert::pack(layout, *plan, coordinates);
      found.push_back(instance_of(packed));
      expect_same(packed, found.back(), coordinates);
    } catch (const report::Error &error) {
      EXPECT_EQ(error.diagnostic().kind, report::Kind::not_storable) << error.what();
    }
  }
  return found;
}

const std::vector<Instance> &small_inputs(const layout::Layout &layout,
                                          const std::vector<std::int64_t> &shape) {
  static std::map<std::pair<std::string, std::vector<std::int64_t>>, std::vector<Instance>> made;
  auto [at, fresh] = made.try_emplace({layout::to_text(layout), shape});
  if (fresh) {
    at->second = all_packed(layout, shape);
    std::int64_t largest = shape.size() == 2 && shape[0] * shape[1] > 6 ? 2 : 3;
    std::vector<Instance> arrays = all_arrays(layout, shape, largest);
    if (arrays.empty()) arrays = all_arrays(layout, shape, 6); // a full triangle of side 3
    at->second.insert(at->second.end(), arrays.begin(), arrays.end());
  }
  return at->second;
}

} // namespace unravel::run::test
