#pragma once

#include "parse/parse.h"
#include "parse/values.h"

#include <cstdlib>
#include <fmt/format.h>
#include <ranges>
#include <string_view>

/// Trees of layouts, schedules and references as text that parses to the same tree; the parser's own printer
/// has expressions, assignments and programs.
namespace unravel::parse {

template <typename List, typename Print>
inline std::string join_texts(const List &list, std::string_view between, Print print) {
  return fmt::format("{}", fmt::join(list | std::views::transform(print), between));
}

inline std::string name_text(const Name &name) {
  return name.text;
}

inline std::string names_text(const std::vector<Name> &names) {
  return join_texts(names, ", ", name_text);
}

inline std::string expressions_text(const std::vector<Expression> &list) {
  return join_texts(list, ", ", [](const Expression &e) { return to_text(e); });
}

inline std::string comment_text(const std::string &comment) {
  if (comment.empty()) return {};
  std::string result = "# ";
  for (char c : comment) {
    result += c;
    if (c == '\n') result += "# ";
  }
  return result + "\n";
}

inline std::string array_text(const ArrayTree &array) {
  std::string result = array.name.text + "[" + expressions_text(array.extents) + "]";
  if (array.element) result += " : " + array.element->text;
  return result;
}

/// Neighbours of one sort share a statement.
inline std::string arrays_text(const std::vector<ArrayTree> &arrays) {
  std::string result;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    bool continues = k > 0 && arrays[k - 1].is_value == arrays[k].is_value;
    if (!continues) result += arrays[k].is_value ? "  value " : "  index ";
    result += array_text(arrays[k]);
    bool continued = k + 1 < arrays.size() && arrays[k + 1].is_value == arrays[k].is_value;
    result += continued ? ", " : ";\n";
  }
  return result;
}

inline std::string counts_text(const std::vector<CountTree> &counts) {
  if (counts.empty()) return {};
  return "  count " +
         join_texts(counts, ", ",
                    [](const CountTree &count) {
                      return count.definition ? count.name.text + " = " + to_text(*count.definition)
                                              : count.name.text;
                    }) +
         ";\n";
}

inline std::string stored_text(const StoredTree &stored) {
  return "  stored { [" + names_text(stored.positions) + "] -> [" + expressions_text(stored.coordinates) +
         "] : " + to_text(stored.relation) + " } at " + to_text(stored.value) + ";\n";
}

inline std::string functions_text(const PropertyTree &property) {
  std::string names = names_text(property.functions);
  return property.functions.size() == 1 ? names : "(" + names + ")";
}

inline std::string property_body(const PropertyTree &property) {
  std::string within = property.within ? " within " + property.within->text : "";
  switch (property.form) {
  case PropertyTree::Form::Range:
    return "range " + functions_text(property) + " in [" + to_text(*property.low) + ", " +
           to_text(*property.high) + (property.high_included ? "]" : ")");
  case PropertyTree::Form::Injective: return "injective " + functions_text(property) + within;
  case PropertyTree::Form::Monotone:
    return std::string(property.strict ? "strictly " : "") +
           (property.decreasing ? "decreasing " : "increasing ") + functions_text(property) + within;
  case PropertyTree::Form::Formula:
    return (property.variables.empty() ? "" : "forall " + names_text(property.variables) + " : ") +
           to_text(*property.formula);
  }
  return {};
}

inline std::string level_text(const LevelTree &level) {
  std::string result = level.coordinate.text + ": " + level.format.text;
  if (level.buckets) result += "(" + to_text(*level.buckets) + ")";
  for (const LevelPropertyTree &property : level.properties)
    result += (property.holds ? " " : " not ") + property.name.text;
  return result;
}

inline std::string to_text(const PropertyTree &property);

inline std::string to_text(const LayoutTree &layout) {
  std::string result = comment_text(layout.comment);
  result += layout.permutable ? "permutable layout " : "layout ";
  result += layout.name.text;
  if (!layout.parameters.empty())
    result +=
        "<" + join_texts(layout.parameters, ", ", [](const ParameterTree &p) { return p.name.text; }) + ">";
  result += "(" +
            join_texts(layout.coordinates, ", ",
                       [](const CoordinateTree &c) { return c.name.text + ": " + c.size.text; }) +
            ") {\n";
  result += arrays_text(layout.arrays) + counts_text(layout.counts);
  for (const StoredTree &stored : layout.stored)
    result += stored_text(stored);
  for (const PropertyTree &property : layout.properties)
    result += "  property " + to_text(property) + ";\n";
  if (!layout.levels.empty()) result += "  levels " + join_texts(layout.levels, ", ", level_text) + ";\n";
  return result + "}\n";
}

inline std::string to_text(const PropertyTree &property) {
  return property_body(property);
}

inline std::string to_text(const LayoutFileTree &file) {
  return join_texts(file.layouts, "\n", [](const LayoutTree &layout) { return to_text(layout); });
}

inline std::string transformation_text(const ScheduleTree::Transformation &how) {
  using How = ScheduleTree::Transformation::Kind;
  const std::string variable = how.variable.text, number = std::to_string(how.number);
  switch (how.kind) {
  case How::Tile: return "tile " + variable + " by " + number;
  case How::Split: return "split " + variable + " by " + number;
  case How::Skew:
    return "skew " + variable + " by " + (how.number < 0 ? "-" : "") + std::to_string(std::abs(how.number)) +
           "*" + how.by.text;
  case How::Shift: return "shift " + variable + " by " + number;
  case How::Bound:
    return "bound " + variable + " in [" + std::to_string(how.low) + ", " + std::to_string(how.high) + ")";
  case How::Fix: return "bound " + variable + " = " + number;
  }
  return {};
}

inline std::string request_text(const ScheduleTree::LoopRequest &request) {
  using What = ScheduleTree::LoopRequest::Kind;
  const std::string by = request.factor == 0 ? "" : " by " + std::to_string(request.factor);
  switch (request.kind) {
  case What::Unroll: return "unroll " + request.variable.text + by;
  case What::Vectorise: return "vectorise " + request.variable.text;
  case What::Jam: return "jam " + request.variable.text + by;
  }
  return {};
}

inline std::string to_text(const ScheduleTree &schedule) {
  std::vector<std::string> parts;
  for (const ScheduleTree::Transformation &transformation : schedule.transformations)
    parts.push_back(transformation_text(transformation));
  if (!schedule.order.empty()) parts.push_back("order " + names_text(schedule.order));
  if (!schedule.parallel.empty())
    parts.push_back("parallel " + names_text(schedule.parallel) +
                    (schedule.sharing ? " " + schedule.sharing->text : ""));
  if (!schedule.fused.empty()) parts.push_back("fuse " + names_text(schedule.fused));
  if (schedule.wavefront)
    parts.push_back("wavefront " + schedule.wavefront->text + (schedule.packed ? " packed" : ""));
  for (const ScheduleTree::Reduce &reduce : schedule.reductions)
    parts.push_back("reduce " + reduce.target.text + " by " + reduce.method.text);
  for (const ScheduleTree::Find &find : schedule.finds)
    parts.push_back("find " + find.target.text + " by " + find.method.text);
  for (const ScheduleTree::LoopRequest &request : schedule.loops)
    parts.push_back(request_text(request));
  if (schedule.chunk) parts.push_back("chunk " + std::to_string(*schedule.chunk));
  if (schedule.serial) parts.push_back("serial");
  return join_texts(parts, "; ", [](const std::string &part) { return part; });
}

inline std::string to_text(const LayoutReference &reference) {
  if (!reference.like.empty()) return "like:" + reference.like + to_text(reference.values);
  std::string result = reference.file;
  if (!reference.file.empty() && !reference.name.empty()) result += ":";
  result += reference.name;
  if (!reference.parameters.empty())
    result +=
        "<" + join_texts(reference.parameters, ",", [](std::int64_t p) { return std::to_string(p); }) + ">";
  return result + to_text(reference.values);
}

} // namespace unravel::parse
