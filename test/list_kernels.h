#pragma once

#include <string>

/// Texts of kernels that assemble a list of entries.
namespace unravel::test {

/// Up to the workspace. `keys`: of what type the list's keys are; empty, and it has none.
inline std::string head_of_list(const std::string &name, const std::string &operand,
                                const std::string &keys = "") {
  return "kernel " + name +
         "\nexpression e\nresult C : list(N)\n  assembled\n  count NNZ\n  index idx[C.NNZ] : " +
         (keys.empty() ? "int64\n" : keys + "\n  index key[C.NNZ] : " + keys + "\n") +
         "  value val[C.NNZ] : float64\n" + operand;
}

inline const std::string operand_of_values = "operand x : v(N)\n  value val[x.N] : float64\n";

/// The head of a kernel that sorts keys of a type, with its workspace: `room` elements for each.
inline std::string head_of_sort(const std::string &type, int room) {
  return head_of_list("sort_keys", "operand x : keys_of(N)\n  index key[x.N] : " + type + "\n", type) +
         "workspace order[x.N] : " + type + "\nworkspace keys[x.N] : " + type + "\nworkspace room[" +
         std::to_string(room) + "*x.N] : int64\n";
}

/// Lists the keys in their order, each with where it was.
inline const std::string sorting = R"({
  for p in 0 .. x.N {
    order(p) := p
    keys(p) := x.key(p)
  }
  sort order by keys in room, x.N
  reserve C.NNZ >= x.N : C.idx, C.key, C.val
  for p in 0 .. x.N {
    C.idx(p) := order(p)
    C.key(p) := keys(p)
    C.val[p] = 1
  }
  count C.NNZ = x.N
}
)";

/// Lists each key once, from the least on. Those that come are bits, and listed while one in 8 has come at most;
/// the list is sorted, or all bits are looked through.
inline const std::string listing_distinct_keys =
    head_of_list("distinct_keys", "operand x : keys_of(N, M)\n  index key[x.N] : int32\n") + R"(
workspace bits[x.M] : bit = 0
workspace list[x.M] : int32
workspace room[x.M] : int64
{
  var found = 0
  for p in 0 .. x.N {
    let j = x.key(p)
    if 8*found < x.M {
      if bits(j) != 1 {
        bits(j) := 1
        list(found) := j
        found := found + 1
      }
    } else {
      bits(j) := 1
    }
  }
  var end = 0
  if 8*found < x.M {
    sort list in room, found
    reserve C.NNZ >= found : C.idx, C.val
    for s in 0 .. found {
      let j = list(s)
      C.idx(end) := j
      C.val[end] = 1
      end := end + 1
      bits(j) := 0 word
    }
  } else {
    reserve C.NNZ >= x.M : C.idx, C.val
    for j in 0 .. x.M together 64 {
      if bits(j) = 1 {
        C.idx(end) := j
        C.val[end] = 1
        end := end + 1
      }
    }
    zero bits, x.M
  }
  count C.NNZ = end
}
)";

} // namespace unravel::test
