// Layouts that no one ships: properties in unusual words, of odd segments, of a part of the positions only,
// or too weak by one.
#include "cases.h"

#include "levels.h"

namespace unravel::find::test {

namespace {

Term p() {
  return v("p");
}
Term q() {
  return v("q");
}

/// Case 1 with another property of B.idx.
Case vectors_with(const std::string &name, const std::string &what, const Term &guard, const Term &conclusion,
                  const std::function<void(Random &, std::vector<std::int64_t> &)> &change = nullptr) {
  Properties all;
  all.vector("A", Order::Strict).array("B.idx", v("B.len"));
  all.add(what, {"p", "q"}, guard, conclusion);
  return {name,
          what,
          all,
          {vector_loop("A", "i") + vector_find("B", v("i"))},
          [change](Random &random, World &world) {
            make_vector(random, world, "A", Order::Strict);
            make_vector(random, world, "B", Order::Strict);
            if (change) change(random, world.arrays["B.idx"]);
          }};
}

void add_words(std::vector<Case> &cases) {
  auto idx = [](const Term &at_position) { return at("B.idx", at_position); };
  cases.push_back(
      vectors_with("u1", "a contrapositive order", at_most(idx(q()), idx(p())), at_most(q(), p())));
  cases.push_back(
      vectors_with("u2", "an order of neighbours only", equal(q(), p() + Term(1)), less(idx(p()), idx(q()))));
  cases.push_back(
      vectors_with("u3", "a shifted order", less(p(), q()), less(idx(p() - Term(1)), idx(q() - Term(1)))));
  cases.push_back(vectors_with("u4", "keys at least as far apart as positions", less(p(), q()),
                               at_most(idx(p()) - p(), idx(q()) - q())));
  cases.push_back(vectors_with("u5", "an order of all but neighbours", less(p() + Term(1), q()),
                               less(idx(p()), idx(q())), [](Random &random, std::vector<std::int64_t> &all) {
                                 if (all.size() < 2) return;
                                 int first = pick(random, 0, static_cast<int>(all.size()) - 2);
                                 auto here = all.begin() + first;
                                 if (pick(random, 0, 1) == 0)
                                   std::iter_swap(here, here + 1);
                                 else
                                   here[1] = here[0];
                               }));
  cases.push_back(vectors_with(
      "u6", "different by a disjunction", less(p(), q()),
      disjunction({less(idx(p()), idx(q())), less(idx(q()), idx(p()))}),
      [](Random &random, std::vector<std::int64_t> &all) { std::shuffle(all.begin(), all.end(), random); }));
  Properties inverse;
  inverse.vector("A", Order::Strict).array("B.idx", v("B.len")).array("B.inv", v("B.N"));
  inverse.add("range of B.idx", {"p"}, truth(), between(0, idx(p()), v("B.N")));
  inverse.add("an inverse", {"p"}, truth(), equal(at("B.inv", idx(p())), p()));
  cases.push_back({"u7",
                   "an array with its inverse",
                   inverse,
                   {vector_loop("A", "i") + vector_find("B", v("i"))},
                   [](Random &random, World &world) {
                     make_vector(random, world, "A", Order::Strict);
                     make_vector(random, world, "B", Order::Different);
                     const std::vector<std::int64_t> &all = world.arrays["B.idx"];
                     std::vector<std::int64_t> inv(7, -1);
                     for (std::size_t k = 0; k < all.size(); ++k)
                       inv[static_cast<std::size_t>(all[k])] = static_cast<std::int64_t>(k);
                     world.arrays["B.inv"] = inv;
                     world.variables["B.N"] = 7;
                   }});
  Properties permuted;
  Term key = idx(at("B.perm", v("B.p")));
  permuted.vector("A", Order::Strict).array("B.idx", v("B.len")).array("B.perm", v("B.len"));
  permuted.add("range of B.perm", {"p"}, truth(), between(0, at("B.perm", p()), v("B.len")));
  permuted.add("an order by a permutation", {"p", "q"}, less(p(), q()),
               less(idx(at("B.perm", p())), idx(at("B.perm", q()))));
  cases.push_back({"u8",
                   "sorted by a permutation",
                   permuted,
                   {vector_loop("A", "i") + search("B.p", 0, v("B.len"), {{key, v("i"), 1}})},
                   [](Random &random, World &world) {
                     make_vector(random, world, "A", Order::Strict);
                     make_vector(random, world, "B", Order::Different);
                     const std::vector<std::int64_t> &all = world.arrays["B.idx"];
                     std::vector<std::int64_t> perm(all.size());
                     std::iota(perm.begin(), perm.end(), 0);
                     std::sort(perm.begin(), perm.end(), [&](std::int64_t a, std::int64_t b) {
                       return all[static_cast<std::size_t>(a)] < all[static_cast<std::size_t>(b)];
                     });
                     world.arrays["B.perm"] = perm;
                   }});
}

/// Columns rise within pairs of rows: [rowptr(2h), rowptr(2h + 2)).
Properties pairs_of_rows() {
  Properties all;
  all.csr("A").rows("B.rowptr", v("B.N"), v("B.nnz")).array("B.col", v("B.nnz"));
  all.add("four rows", {}, truth(), conjunction({equal(v("A.N"), 4), equal(v("B.N"), 4)}));
  all.add("columns rise in pairs of rows", {"h", "p", "q"},
          conjunction({at_most(at("B.rowptr", scale(2, v("h"))), p()), less(p(), q()),
                       less(q(), at("B.rowptr", scale(2, v("h")) + Term(2)))}),
          less(at("B.col", p()), at("B.col", q())));
  return all;
}

void make_pairs(Random &random, World &world) {
  make_csr(random, world, "A", 4, 5);
  make_csr(random, world, "B", 4, 5);
  std::vector<std::int64_t> &col = world.arrays["B.col"], &rowptr = world.arrays["B.rowptr"];
  for (std::size_t first : {0, 2}) {
    std::vector<std::int64_t> own =
        values(random, static_cast<int>(rowptr[first + 2] - rowptr[first]), 5, Order::Strict);
    std::copy(own.begin(), own.end(), col.begin() + rowptr[first]);
  }
}

void add_segments(std::vector<Case> &cases) {
  Term i = v("i"), h = v("h");
  cases.push_back({"u9",
                   "pairs of rows, find in a pair",
                   pairs_of_rows(),
                   {loop("h", 0, 2) + row_loop("A", h, "j") +
                    search("B.p", at("B.rowptr", scale(2, h)), at("B.rowptr", scale(2, h) + Term(2)),
                           {{at("B.col", v("B.p")), v("j"), 1}})},
                   make_pairs});
  cases.push_back({"u10",
                   "pairs of rows, find in a row",
                   pairs_of_rows(),
                   {loop("i", 0, 4) + row_loop("A", i, "j") + row_find("B", i, v("j"))},
                   make_pairs});
  cases.push_back({"u11",
                   "pairs of rows, find in the second of a pair",
                   pairs_of_rows(),
                   {loop("h", 0, 2) + row_loop("A", h, "j") + row_find("B", scale(2, h) + Term(1), v("j"))},
                   make_pairs});

  // The diagonal comes first in its row, the others are sorted.
  Properties diagonal_first;
  diagonal_first.csr("A").rows("B.rowptr", v("B.N"), v("B.nnz")).same_rows().array("B.col", v("B.nnz"));
  Term low = at("B.rowptr", v("r")), high = at("B.rowptr", v("r") + Term(1));
  diagonal_first.add("columns rise after the first", {"r", "p", "q"},
                     conjunction({less(low, p()), less(p(), q()), less(q(), high)}),
                     less(at("B.col", p()), at("B.col", q())));
  Make make_diagonal_first = [](Random &random, World &world) {
    make_csr(random, world, "A", 3, 5);
    make_csr(random, world, "B", 3, 5);
    std::vector<std::int64_t> &col = world.arrays["B.col"], &rowptr = world.arrays["B.rowptr"];
    for (std::size_t row = 0; row < 3; ++row)
      if (rowptr[row] < rowptr[row + 1])
        col[static_cast<std::size_t>(rowptr[row])] = static_cast<std::int64_t>(row);
  };
  cases.push_back({"u12",
                   "sorted but for the first of a row, find in the row",
                   diagonal_first,
                   {loop("i", 0, v("B.N")) + row_loop("A", i, "j") + row_find("B", i, v("j"))},
                   make_diagonal_first});
  cases.push_back({"u13",
                   "sorted but for the first of a row, find behind it",
                   diagonal_first,
                   {loop("i", 0, v("B.N")) + row_loop("A", i, "j") +
                    search("B.p", at("B.rowptr", i) + Term(1), at("B.rowptr", i + Term(1)),
                           {{at("B.col", v("B.p")), v("j"), 1}})},
                   make_diagonal_first});

  // Rows stored from the last to the first: row r is [back(r + 1), back(r)).
  auto backwards = [](Order order) {
    Properties all;
    all.array("B.back", v("B.N") + Term(1)).array("B.col", v("B.nnz"));
    Term r = v("r"), s = v("s");
    all.add("rows backwards", {"r", "s"}, at_most(r, s), at_most(at("B.back", s), at("B.back", r)));
    all.add("range of B.back", {"r"}, truth(), between(0, at("B.back", r), v("B.nnz") + Term(1)));
    all.add(
        "order in rows", {"r", "p", "q"},
        conjunction({at_most(at("B.back", r + Term(1)), p()), less(p(), q()), less(q(), at("B.back", r))}),
        ordered(at("B.col", p()), at("B.col", q()), order));
    return all;
  };
  auto make_backwards = [](Order order) -> Make {
    return [order](Random &random, World &world) {
      make_csr(random, world, "A", 3, 5);
      make_csr(random, world, "B", 3, 5, order);
      std::vector<std::int64_t> back = world.arrays["B.rowptr"];
      std::reverse(back.begin(), back.end());
      world.arrays["B.back"] = back;
    };
  };
  Levels entries =
      loop("A.p", 0, v("A.nnz")) + let("i", at("A.row", v("A.p"))) + let("j", at("A.col", v("A.p")));
  auto back_find = [](const Term &row, const Term &limit) {
    return search("B.r", 0, limit, {{v("B.r"), row, 1}}) + search("B.p", at("B.back", v("B.r") + Term(1)),
                                                                  at("B.back", v("B.r")),
                                                                  {{at("B.col", v("B.p")), v("j"), 1}});
  };
  Properties rising = backwards(Order::Strict);
  rising.csr("A");
  cases.push_back({"u14",
                   "rows backwards",
                   rising,
                   {csr_loop("A", "i", "j") + back_find(i, v("B.N"))},
                   make_backwards(Order::Strict)});
  Properties falling = backwards(Order::Falling);
  falling.coo("A", Order::Strict);
  cases.push_back({"u15",
                   "COO, rows backwards with falling columns",
                   falling,
                   {entries + back_find(i, v("B.N"))},
                   [](Random &random, World &world) {
                     make_csr(random, world, "B", 3, 5, Order::Falling);
                     make_coo(random, world, "A", 3, 5, Order::Strict);
                     std::vector<std::int64_t> back = world.arrays["B.rowptr"];
                     std::reverse(back.begin(), back.end());
                     world.arrays["B.back"] = back;
                   }});

  // Rows with two pointers each, in any order, with gaps between them.
  Properties two;
  two.csr("A").same_rows().array("B.first", v("B.N")).array("B.last", v("B.N")).array("B.col", v("B.nnz"));
  two.add(
      "range of rows", {"r"}, truth(),
      conjunction({at_most(0, at("B.first", v("r"))), at_most(at("B.first", v("r")), at("B.last", v("r"))),
                   at_most(at("B.last", v("r")), v("B.nnz"))}));
  two.add("order in rows", {"r", "p", "q"},
          conjunction({at_most(at("B.first", v("r")), p()), less(p(), q()), less(q(), at("B.last", v("r")))}),
          less(at("B.col", p()), at("B.col", q())));
  cases.push_back({"u16",
                   "rows with two pointers, anywhere",
                   two,
                   {loop("i", 0, v("B.N")) + row_loop("A", i, "j") +
                    search("B.p", at("B.first", i), at("B.last", i), {{at("B.col", v("B.p")), v("j"), 1}})},
                   [](Random &random, World &world) {
                     make_csr(random, world, "A", 3, 5);
                     make_csr(random, world, "B", 3, 5);
                     std::vector<std::int64_t> first = world.arrays["B.rowptr"], last = first;
                     first.pop_back(), last.erase(last.begin());
                     // The rows' segments in another order; the columns with them.
                     std::vector<std::int64_t> col, old = world.arrays["B.col"];
                     for (std::size_t row : {2, 0, 1}) {
                       std::int64_t begin = first[row], end = last[row];
                       first[row] = static_cast<std::int64_t>(col.size());
                       col.insert(col.end(), old.begin() + begin, old.begin() + end);
                       last[row] = static_cast<std::int64_t>(col.size());
                       col.push_back(pick(random, 0, 4)); // a gap
                     }
                     world.arrays["B.first"] = first, world.arrays["B.last"] = last;
                     world.arrays["B.col"] = col;
                     world.variables["B.nnz"] = static_cast<std::int64_t>(col.size());
                   }});
}

void add_parts(std::vector<Case> &cases) {
  // Sorted up to `half`, anything from there on.
  Properties half;
  half.vector("A", Order::Strict).array("B.idx", v("B.len"));
  half.add("the first part is within", {}, truth(), between(0, v("B.half"), v("B.len") + Term(1)));
  half.add("the first part rises", {"p", "q"}, conjunction({less(p(), q()), less(q(), v("B.half"))}),
           less(at("B.idx", p()), at("B.idx", q())));
  Make make = [](Random &random, World &world) {
    make_vector(random, world, "A", Order::Strict);
    make_vector(random, world, "B", Order::Strict);
    std::vector<std::int64_t> &idx = world.arrays["B.idx"];
    int count = pick(random, 0, static_cast<int>(idx.size()));
    world.variables["B.half"] = count;
    for (auto each = idx.begin() + count; each != idx.end(); ++each)
      *each = pick(random, 0, 6);
  };
  std::vector<Component> match{{at("B.idx", v("B.p")), v("i"), 1}};
  cases.push_back({"u17",
                   "sorted in the first part, find there",
                   half,
                   {vector_loop("A", "i") + search("B.p", 0, v("B.half"), match)},
                   make});
  cases.push_back(
      {"u18",
       "sorted in the first part, find one further",
       half,
       {vector_loop("A", "i") + search("B.p", 0, minimum({v("B.half") + Term(1), v("B.len")}), match)},
       make});
  // The row of each entry: a key whose width depends on the position.
  Properties rows;
  rows.rows("B.rowptr", v("B.N"), v("B.nnz"));
  Term r = v("B.r");
  cases.push_back({"u19",
                   "the row of an entry",
                   rows,
                   {loop("p", 0, v("B.nnz")) +
                    search("B.r", 0, v("B.N"),
                           {{at("B.rowptr", r), v("p"), at("B.rowptr", r + Term(1)) - at("B.rowptr", r)}})},
                   [](Random &random, World &world) { make_csr(random, world, "B", 4, 3); }});
  // COO with rows that fall, columns rise in a row, CSR with falling columns.
  Properties falling = Properties().csr("B", Order::Falling);
  falling.array("A.row", v("A.nnz")).array("A.col", v("A.nnz"));
  Term r1 = at("A.row", p()), r2 = at("A.row", q());
  falling.add(
      "rows fall, columns rise", {"p", "q"}, less(p(), q()),
      disjunction({less(r2, r1), conjunction({equal(r1, r2), less(at("A.col", p()), at("A.col", q()))})}));
  cases.push_back({"u20",
                   "COO with falling rows, CSR with falling columns",
                   falling,
                   {coo_loop("A") + csr_csr_find()},
                   [](Random &random, World &world) {
                     make_coo(random, world, "A", 3, 5, Order::Strict);
                     for (std::int64_t &row : world.arrays["A.row"])
                       row = 2 - row;
                     std::vector<std::pair<std::int64_t, std::int64_t>> entries;
                     for (std::size_t k = 0; k < world.arrays["A.row"].size(); ++k)
                       entries.emplace_back(-world.arrays["A.row"][k], world.arrays["A.col"][k]);
                     std::sort(entries.begin(), entries.end());
                     for (std::size_t k = 0; k < entries.size(); ++k)
                       world.arrays["A.row"][k] = -entries[k].first,
                       world.arrays["A.col"][k] = entries[k].second;
                     make_csr(random, world, "B", 3, 5, Order::Falling);
                   }});
}

} // namespace

void add_odd_cases(std::vector<Case> &cases) {
  add_words(cases);
  add_segments(cases);
  add_parts(cases);
}

} // namespace unravel::find::test
