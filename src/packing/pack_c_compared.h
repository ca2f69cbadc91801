#pragma once

#include "packing/pack_c_text.h"

namespace unravel::packing {

/// Writes the test that a layout means the entries that are given: each entry of a planned piece, and what
/// other pieces imply beside it. For plans with `compared` whose implied entries are known. Both must outlive
/// it.
class ComparisonWriter {
public:
  ComparisonWriter(const PackPlan &plan, PackCText &c) : plan_(plan), c_(c) {}

  /// A type and the function that sorts by it.
  void write_functions();
  /// In the pack function, before it has allocated anything: returns 1 where they differ.
  void write();

private:
  std::string element_type() const;
  std::string initial() const;
  void write_one(const std::vector<std::string> &coordinates, bool is_meant, const std::string &value);
  void write_meant(std::size_t number);
  void write_sums();

  const PackPlan &plan_;
  PackCText &c_;
  std::string all_, count_;
};

} // namespace unravel::packing
