#include "emit/names.h"

#include "loop/walk.h"
#include "term/read.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::emit {

namespace {

using loop::ArrayParameter;
using loop::Program;
using loop::TensorParameter;
using term::Term;

std::string tensor_of(const std::string &qualified) {
  std::size_t dot = qualified.find('.');
  return dot == std::string::npos ? std::string() : qualified.substr(0, dot);
}

/// The tensor as part of an identifier: A#2 is A2.
std::string tensor_suffix(const std::string &qualified) {
  std::string tensor = tensor_of(qualified);
  tensor.erase(std::remove(tensor.begin(), tensor.end(), '#'), tensor.end());
  return tensor;
}

/// `wanted` as an identifier, or something like it that is neither reserved nor taken; takes it.
std::string take(std::set<std::string> &taken, const std::string &wanted) {
  std::string result = to_identifier(wanted);
  if (taken.contains(result) || is_reserved(result)) {
    std::string base = result.substr(0, result.find_last_not_of('_') + 1);
    if (is_reserved(base + "_")) base = "v" + base; // a reserved prefix
    result = base + "_";
    for (int k = 2; taken.contains(result); ++k)
      result = fmt::format("{}_{}", base, k);
  }
  taken.insert(result);
  return result;
}

/// What makes two parameters' structs the same, as an identifier.
std::string shape_of(const TensorParameter &parameter) {
  std::string result;
  for (const auto *names : {&parameter.sizes, &parameter.counts}) {
    for (const std::string &name : *names)
      result += "_" + name;
    result += ";";
  }
  for (const ArrayParameter &array : parameter.arrays)
    result += "_" + array.name + "_" + loop::name_of(array.element) + (array.is_value ? "v" : "i");
  return result + (parameter.constant ? "c" : "");
}

/// The struct's name, but for collisions.
std::string wanted_type(const TensorParameter &parameter) {
  return parameter.type_name.empty() ? parameter.layout : parameter.type_name;
}

/// The struct's name where structs of one layout differ.
std::string distinct_type(const TensorParameter &parameter) {
  return fmt::format("{}_{}d", wanted_type(parameter), parameter.sizes.size());
}

/// What the structs and the functions that pack and free them may be called: no name for a kernel, whose
/// inspector has the same structs.
std::set<std::string> names_around_types(const Program &program) {
  std::set<std::string> names;
  for (const TensorParameter &parameter : program.parameters)
    for (const std::string &type : {wanted_type(parameter), distinct_type(parameter)}) {
      for (const char *prefix : {"", "pack_", "free_"})
        names.insert(prefix + type);
      if (parameter.assembled) names.insert(type + "_free");
    }
  return names;
}

/// Names that are declared in a block, in the order of the text, each once.
std::vector<std::string> declared_names(const loop::Block &block) {
  std::vector<std::string> names;
  each_statement(block, [&](const loop::Statement &statement) {
    loop::Statement alone = statement;
    for (loop::Block *inner : loop::blocks_of(alone))
      inner->clear();
    for (const std::string &name : loop::effects_of(alone).declared)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  });
  return names;
}

} // namespace

std::string last_part(const std::string &qualified) {
  return qualified.substr(qualified.rfind('.') + 1);
}

std::string to_identifier(const std::string &text) {
  std::string result;
  for (char c : text) {
    bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (good && !(c == '_' && !result.empty() && result.back() == '_'))
      result += c;
    else if (!good && !result.empty() && result.back() != '_')
      result += '_';
  }
  if (result != text)
    while (!result.empty() && result.back() == '_' && text.back() != '_')
      result.pop_back();
  if (result.empty() || result[0] == '_' || (result[0] >= '0' && result[0] <= '9')) result = "v" + result;
  return result;
}

Names::Names(const Program &program) {
  std::set<std::string> around = names_around_types(program);
  kernel_ = take(around, program.name);
  taken_.insert(kernel_);
  name_types(program);
  for (std::size_t k = 0; k < program.parameters.size(); ++k) {
    parameters_.push_back(take(taken_, program.parameters[k].name));
    parameter_index_[program.parameters[k].name] = k;
  }
  for (const std::string &size : program.sizes)
    variables_[size] = take(taken_, size);
  if (!program.workspace.empty()) name_workspace(program);
  name_variables(program);
}

void Names::name_workspace(const Program &program) {
  workspace_.type = take(taken_, kernel_ + "_workspace");
  workspace_.init = take(taken_, workspace_.type + "_init");
  workspace_.free = take(taken_, workspace_.type + "_free");
  workspace_.parameter = take(taken_, "work");
  std::set<std::string> members;
  loop::each<loop::For>(program.body, [&](const loop::For &loop) {
    if (loop.parallel && workspace_.threads.empty()) workspace_.threads = take(members, "threads");
  });
  for (const loop::WorkspaceArray &array : program.workspace) {
    std::string wanted = array.name;
    std::replace(wanted.begin(), wanted.end(), '.', '_');
    arrays_[array.name] = take(taken_, wanted);
    workspace_.members[array.name] = take(members, wanted);
    workspace_.capacities[array.name] = take(members, wanted + "_capacity");
  }
}

void Names::name_types(const Program &program) {
  std::map<std::string, std::vector<std::string>> shapes; // by layout: the different shapes
  std::map<std::string, std::size_t> known;               // layout and shape: index in types_
  for (const TensorParameter &parameter : program.parameters) {
    auto &of_layout = shapes[wanted_type(parameter)];
    std::string shape = shape_of(parameter);
    if (std::find(of_layout.begin(), of_layout.end(), shape) == of_layout.end()) of_layout.push_back(shape);
  }
  for (const TensorParameter &parameter : program.parameters) {
    auto [found, is_new] = known.emplace(wanted_type(parameter) + shape_of(parameter), types_.size());
    type_of_.push_back(found->second);
    if (!is_new) {
      name_free(parameter, types_[found->second]);
      continue;
    }
    std::string wanted = wanted_type(parameter);
    bool alone = shapes[wanted].size() == 1;
    StructType type;
    type.name = take(taken_, alone ? wanted : distinct_type(parameter));
    type.shape = &parameter;
    std::set<std::string> members;
    for (const auto *names : {&parameter.sizes, &parameter.counts})
      for (const std::string &name : *names)
        type.members[name] = take(members, name);
    for (const ArrayParameter &array : parameter.arrays)
      type.members[array.name] = take(members, array.name);
    name_free(parameter, type);
    types_.push_back(std::move(type));
  }
}

void Names::name_free(const TensorParameter &parameter, StructType &type) {
  if (parameter.assembled && type.free.empty()) type.free = take(taken_, type.name + "_free");
}

void Names::name_variables(const Program &program) {
  std::vector<std::string> declared = declared_names(program.body);
  std::set<std::string> used;
  each_statement(program.body, [&](const loop::Statement &statement) {
    each_own_term(statement, [&](const Term &term) {
      auto names = variables_of(term);
      used.insert(names.begin(), names.end());
    });
    if (const auto *set = statement.as<loop::SetCount>()) used.insert(set->count);
  });
  // The slots of index arrays of several extents are computed from sizes.
  for (const TensorParameter &parameter : program.parameters)
    for (const ArrayParameter &array : parameter.arrays)
      for (std::size_t k = 1; k < array.extents.size() && !array.is_value; ++k) {
        auto names = variables_of(array.extents[k]);
        used.insert(names.begin(), names.end());
      }
  std::vector<std::string> sizes;
  for (const TensorParameter &parameter : program.parameters)
    for (const auto *names : {&parameter.sizes, &parameter.counts})
      for (const std::string &name : *names)
        if (used.contains(parameter.name + "." + name)) sizes.push_back(parameter.name + "." + name);

  // A.p is p, A.p.tile is p_tile; but j.tile, where j is no tensor, is j_tile.
  auto is_of_parameter = [&](const std::string &name) {
    return parameter_index_.contains(tensor_of(name).substr(0, name.find('#')));
  };
  auto short_name = [&](const std::string &name) {
    std::string result = is_of_parameter(name) ? name.substr(tensor_of(name).size() + 1) : name;
    std::replace(result.begin(), result.end(), '.', '_');
    return result;
  };
  std::map<std::string, int> sharers; // of a short name
  for (const auto *names : {&declared, &sizes})
    for (const std::string &name : *names)
      ++sharers[short_name(name)];
  auto is_free = [&](const std::string &name) {
    return sharers[name] == 1 && !is_reserved(to_identifier(name)) && !taken_.contains(to_identifier(name));
  };
  // What the user wrote comes first, so that it is kept.
  for (const std::string &name : declared)
    if (tensor_of(name).empty()) variables_[name] = take(taken_, name);
  for (const std::string &name : declared)
    if (!tensor_of(name).empty())
      variables_[name] = take(taken_, is_free(short_name(name)) || !is_of_parameter(name)
                                          ? short_name(name)
                                          : short_name(name) + tensor_suffix(name));
  for (const std::string &name : sizes)
    variables_[name] = take(taken_, is_free(short_name(name)) ? short_name(name) : name);
  for (const TensorParameter &parameter : program.parameters)
    for (const ArrayParameter &array : parameter.arrays)
      arrays_[parameter.name + "." + array.name] = take(taken_, parameter.name + "_" + array.name);
}

std::string Names::member(const std::string &qualified) const {
  if (tensor_of(qualified).empty()) return variables_.at(qualified);
  std::size_t index = parameter_index_.at(tensor_of(qualified));
  return parameters_[index] + "->" + type_of(index).members.at(last_part(qualified));
}

std::string Names::translate(const std::string &text) const {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && term::is_name_character(text[end]))
      ++end;
    std::string word = text.substr(at, std::max<std::size_t>(end - at, 1));
    at += word.size();
    std::string stops; // a full stop ends a sentence, not a name
    while (word.size() > 1 && word.back() == '.')
      word.pop_back(), stops += '.';
    auto variable = variables_.find(word);
    auto array = arrays_.find(word);
    result += variable != variables_.end() ? variable->second : array != arrays_.end() ? array->second : word;
    result += stops;
  }
  return result;
}

bool Names::has(const std::string &name) const {
  return taken_.contains(name) || is_reserved(name);
}

std::string Names::fresh(const std::string &wanted) {
  return take(taken_, wanted);
}

std::string Names::fresh_variable(const std::string &wanted) {
  std::string name = fresh(wanted);
  variables_[name] = name;
  return name;
}

} // namespace unravel::emit
