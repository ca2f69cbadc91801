#pragma once

#include "properties.h"
#include "world.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <set>

/// Random small arrays that have the properties of properties.h.
namespace unravel::find::test {

using Random = std::mt19937;

inline int pick(Random &random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

inline std::vector<std::int64_t> values(Random &random, int count, int range, Order order) {
  std::vector<std::int64_t> result;
  if (order == Order::Weak || order == Order::WeakFalling || order == Order::Any) {
    for (int k = 0; k < count; ++k)
      result.push_back(pick(random, 0, range - 1));
    if (order != Order::Any) std::sort(result.begin(), result.end());
    if (order == Order::WeakFalling) std::reverse(result.begin(), result.end());
    return result;
  }
  result.resize(static_cast<std::size_t>(range));
  std::iota(result.begin(), result.end(), 0);
  std::shuffle(result.begin(), result.end(), random);
  result.resize(static_cast<std::size_t>(std::min(count, range)));
  if (order != Order::Different) std::sort(result.begin(), result.end());
  if (order == Order::Falling) std::reverse(result.begin(), result.end());
  return result;
}

inline void make_vector(Random &random, World &world, const std::string &tensor, Order order, int range = 7) {
  world.arrays[tensor + ".idx"] = values(random, pick(random, 0, 5), range, order);
  world.variables[tensor + ".len"] = static_cast<std::int64_t>(world.arrays[tensor + ".idx"].size());
}

inline void make_csr(Random &random, World &world, const std::string &tensor, int rows, int columns,
                     const std::function<Order(int)> &order) {
  std::vector<std::int64_t> rowptr{0}, col;
  for (int row = 0; row < rows; ++row) {
    std::vector<std::int64_t> own = values(random, pick(random, 0, 2), columns, order(row));
    col.insert(col.end(), own.begin(), own.end());
    rowptr.push_back(static_cast<std::int64_t>(col.size()));
  }
  world.variables[tensor + ".N"] = rows;
  world.variables[tensor + ".nnz"] = static_cast<std::int64_t>(col.size());
  world.arrays[tensor + ".rowptr"] = rowptr;
  world.arrays[tensor + ".col"] = col;
}

inline void make_csr(Random &random, World &world, const std::string &tensor, int rows, int columns,
                     Order order = Order::Strict) {
  make_csr(random, world, tensor, rows, columns, [order](int) { return order; });
}

inline void make_coo(Random &random, World &world, const std::string &tensor, int rows, int columns,
                     Order order) {
  std::vector<std::pair<int, int>> entries;
  std::set<std::pair<int, int>> seen;
  for (int k = pick(random, 0, 6); k > 0; --k) {
    std::pair<int, int> entry(pick(random, 0, rows - 1), pick(random, 0, columns - 1));
    if (seen.insert(entry).second || order == Order::Weak) entries.push_back(entry);
  }
  if (order != Order::Different) std::sort(entries.begin(), entries.end());
  std::vector<std::int64_t> row, col;
  for (const auto &entry : entries)
    row.push_back(entry.first), col.push_back(entry.second);
  world.variables[tensor + ".nnz"] = static_cast<std::int64_t>(entries.size());
  world.arrays[tensor + ".row"] = row;
  world.arrays[tensor + ".col"] = col;
}

inline void make_dcsr(Random &random, World &world, const std::string &tensor, int rows, int columns) {
  std::vector<std::int64_t> row = values(random, pick(random, 0, 3), rows, Order::Strict);
  make_csr(random, world, tensor, static_cast<int>(row.size()), columns);
  world.arrays[tensor + ".row"] = row;
}

inline void make_blocks(Random &random, World &world, const std::string &tensor, int rows, int columns,
                        bool aligned = true) {
  std::vector<std::int64_t> rowptr{0}, bcol;
  for (int row = 0; row < rows; ++row) {
    std::vector<std::int64_t> own = values(random, pick(random, 0, 2), columns, Order::Strict);
    if (!aligned) {
      int start = pick(random, 0, 2);
      for (std::int64_t &each : own)
        each = start, start += 3 + pick(random, 0, 2);
    }
    bcol.insert(bcol.end(), own.begin(), own.end());
    rowptr.push_back(static_cast<std::int64_t>(bcol.size()));
  }
  world.variables[tensor + ".nb"] = rows;
  world.variables[tensor + ".nblk"] = static_cast<std::int64_t>(bcol.size());
  world.arrays[tensor + ".rowptr"] = rowptr;
  world.arrays[tensor + ".bcol"] = bcol;
}

using Make = std::function<void(Random &, World &)>;

} // namespace unravel::find::test
