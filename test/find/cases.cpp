// The cases of the study of find synthesis.
#include "cases.h"

#include "levels.h"

namespace unravel::find::test {

namespace {

Case vectors(const std::string &name, const std::string &what, Order a, Order b, std::int64_t shift = 0) {
  return {name,
          what,
          Properties().vector("A", a).vector("B", b),
          {vector_loop("A", "i") + vector_find("B", v("i") + Term(shift))},
          [a, b](Random &random, World &world) {
            make_vector(random, world, "A", a);
            make_vector(random, world, "B", b);
          }};
}

void add_vectors(std::vector<Case> &cases) {
  using enum Order;
  cases.push_back(vectors("1", "vectors, both strict", Strict, Strict));
  cases.push_back(vectors("1b", "vectors, A weak", Weak, Strict));
  cases.push_back(vectors("2", "vectors, B falling", Strict, Falling));
  cases.push_back(vectors("2b", "vectors, both falling", Falling, Falling));
  cases.push_back(vectors("2w", "vectors, B weakly falling", Strict, WeakFalling));
  cases.push_back(vectors("3", "vectors, A unsorted", Different, Strict));
  cases.push_back(vectors("3b", "vectors, A anything", Any, Strict));
  cases.push_back(vectors("4", "vectors, both unsorted", Different, Different));
  cases.push_back(vectors("4b", "vectors without properties", Any, Any));
  cases.push_back(vectors("5", "vectors, B weak", Strict, Weak));
  cases.push_back(vectors("5b", "vectors, both weak", Weak, Weak));
  cases.push_back(vectors("16", "shifted vectors", Strict, Strict, 1));
  scan::Nest three{vector_loop("A", "i") + vector_find("B", v("i")) + vector_find("C", v("i"))};
  three.safe_loads = {at("C.idx", v("C.p"))};
  cases.push_back({"11", "three vectors: rising, falling, unsorted",
                   Properties().vector("A", Strict).vector("B", Falling).vector("C", Different), three,
                   [](Random &random, World &world) {
                     make_vector(random, world, "A", Strict);
                     make_vector(random, world, "B", Falling);
                     make_vector(random, world, "C", Different);
                   }});
  Properties contradiction;
  contradiction.vector("A", Strict).vector("B", Strict);
  contradiction.add("contradiction", {"p"}, truth(),
                    conjunction({less(at("B.idx", v("p")), 0), at_most(0, at("B.idx", v("p")))}));
  cases.push_back({"19",
                   "contradictory properties",
                   contradiction,
                   {vector_loop("A", "i") + vector_find("B", v("i"))},
                   nullptr});
  Properties identity;
  identity.vector("A", Strict).array("B.idx", v("B.len"));
  identity.add("B is dense", {"p"}, truth(), equal(at("B.idx", v("p")), v("p")));
  cases.push_back({"21",
                   "an index array that is the identity",
                   identity,
                   {vector_loop("A", "i") + vector_find("B", v("i"))},
                   [](Random &random, World &world) {
                     make_vector(random, world, "A", Strict);
                     make_vector(random, world, "B", Strict);
                     std::vector<std::int64_t> &idx = world.arrays["B.idx"];
                     std::iota(idx.begin(), idx.end(), 0);
                   }});
}

void add_matrices(std::vector<Case> &cases) {
  using enum Order;
  Make csr_vector = [](Random &random, World &world) {
    make_csr(random, world, "A", 3, 6);
    make_vector(random, world, "b", Strict, 6);
  };
  cases.push_back({"6",
                   "CSR times sparse vector",
                   Properties().csr("A").vector("b", Strict),
                   {csr_loop("A", "i", "j") + vector_find("b", v("j"))},
                   csr_vector});
  cases.push_back({"6b",
                   "sparse vector, find in the row",
                   Properties().csr("A").vector("b", Strict),
                   {loop("i", 0, v("A.N")) + vector_loop("b", "j") + row_find("A", v("i"), v("j"))},
                   csr_vector});
  auto csr_csr = [](Order a, Order b) -> Make {
    return [a, b](Random &random, World &world) {
      make_csr(random, world, "A", 3, 5, a);
      make_csr(random, world, "B", 3, 5, b);
    };
  };
  cases.push_back({"7",
                   "CSR and CSR",
                   Properties().csr("A").csr("B").same_rows(),
                   {csr_loop("A", "i", "j") + csr_csr_find()},
                   csr_csr(Strict, Strict)});
  // As the scan writes it: the dense level is a copy.
  cases.push_back({"7 let",
                   "CSR and CSR, the row as an assignment",
                   Properties().csr("A").csr("B").same_rows(),
                   {loop("i", 0, v("B.N")) + row_loop("A", v("i"), "j") + let("B.r", v("i")) +
                    row_find("B", v("B.r"), v("j"))},
                   csr_csr(Strict, Strict)});
  // Sizes may differ: the start of a row must not be read before its guard.
  Levels guarded = let("B.r", v("i"));
  guarded[0].guards = {less(v("B.r"), v("B.N"))};
  cases.push_back(
      {"7 guard",
       "CSR and CSR, the row as an assignment with a guard",
       Properties().csr("A").csr("B"),
       {loop("i", 0, v("A.N")) + row_loop("A", v("i"), "j") + guarded + row_find("B", v("B.r"), v("j"))},
       [](Random &random, World &world) {
         make_csr(random, world, "A", 4, 5);
         make_csr(random, world, "B", 3, 5);
       }});
  auto coo_csr = [](Order order) -> Make {
    return [order](Random &random, World &world) {
      make_coo(random, world, "A", 3, 5, order);
      make_csr(random, world, "B", 3, 5);
    };
  };
  cases.push_back({"8a",
                   "COO and CSR",
                   Properties().coo("A", Strict).csr("B"),
                   {coo_loop("A") + csr_csr_find()},
                   coo_csr(Strict)});
  auto coo_coo = [](Order a, Order b) -> Make {
    return [a, b](Random &random, World &world) {
      make_coo(random, world, "A", 3, 4, a);
      make_coo(random, world, "B", 3, 4, b);
    };
  };
  cases.push_back({"8b",
                   "COO and COO",
                   Properties().coo("A", Strict).coo("B", Strict),
                   {coo_loop("A") + coo_find("B")},
                   coo_coo(Strict, Strict)});
  cases.push_back({"8c",
                   "CSR and COO",
                   Properties().csr("A").coo("B", Strict),
                   {csr_loop("A", "i", "j") + coo_find("B")},
                   [](Random &random, World &world) {
                     make_csr(random, world, "A", 3, 4);
                     make_coo(random, world, "B", 3, 4, Strict);
                   }});
  scan::Nest rows_first{loop("i", 0, v("B.N")) +
                        search("A.p", 0, v("A.nnz"), {{at("A.row", v("A.p")), v("i"), 1}}) +
                        let("j", at("A.col", v("A.p"))) + row_find("B", v("i"), v("j"))};
  rows_first.safe_loads = {at("B.rowptr", v("i")), at("B.rowptr", v("i") + Term(1)), at("B.col", v("B.p"))};
  cases.push_back({"8d", "rows of CSR, rows of COO, columns of CSR", Properties().csr("B").coo("A", Strict),
                   rows_first, coo_csr(Strict)});
  cases.push_back({"8e",
                   "unsorted COO and CSR",
                   Properties().coo("A", Different).csr("B"),
                   {coo_loop("A") + csr_csr_find()},
                   coo_csr(Different)});
  cases.push_back({"8f",
                   "COO and COO with duplicates",
                   Properties().coo("A", Strict).coo("B", Weak),
                   {coo_loop("A") + coo_find("B")},
                   coo_coo(Strict, Weak)});
  Properties rows_only;
  rows_only.array("A.row", v("A.nnz")).array("A.col", v("A.nnz"));
  rows_only.array("B.row", v("B.nnz")).array("B.col", v("B.nnz"));
  rows_only.add("rows of B", {"p", "q"}, less(v("p"), v("q")),
                at_most(at("B.row", v("p")), at("B.row", v("q"))));
  cases.push_back({"8g",
                   "COO sorted by rows only",
                   rows_only,
                   {coo_loop("A") + coo_find("B")},
                   [coo_coo](Random &random, World &world) {
                     coo_coo(Strict, Weak)(random, world);
                     std::shuffle(world.arrays["B.col"].begin(), world.arrays["B.col"].end(), random);
                   }});
  Levels dcsr_rows =
      loop("A.r", 0, v("A.N")) + let("i", at("A.row", v("A.r"))) + row_loop("A", v("A.r"), "j");
  Levels find_row = search("B.r", 0, v("B.N"), {{at("B.row", v("B.r")), v("i"), 1}});
  cases.push_back({"9a",
                   "DCSR and CSR",
                   Properties().dcsr("A").csr("B"),
                   {dcsr_rows + csr_csr_find()},
                   [](Random &random, World &world) {
                     make_dcsr(random, world, "A", 4, 5);
                     make_csr(random, world, "B", 4, 5);
                   }});
  cases.push_back(
      {"9b",
       "CSR and DCSR",
       Properties().csr("A").dcsr("B"),
       {loop("i", 0, v("A.N")) + find_row + row_loop("A", v("i"), "j") + row_find("B", v("B.r"), v("j"))},
       [](Random &random, World &world) {
         make_csr(random, world, "A", 4, 5);
         make_dcsr(random, world, "B", 4, 5);
       }});
  cases.push_back({"9c",
                   "DCSR and DCSR",
                   Properties().dcsr("A").dcsr("B"),
                   {loop("A.r", 0, v("A.N")) + let("i", at("A.row", v("A.r"))) + find_row +
                    row_loop("A", v("A.r"), "j") + row_find("B", v("B.r"), v("j"))},
                   [](Random &random, World &world) {
                     make_dcsr(random, world, "A", 4, 5);
                     make_dcsr(random, world, "B", 4, 5);
                   }});
  cases.push_back({"12",
                   "inner products of CSR rows and CSC columns",
                   Properties().csr("A").csr("B"),
                   {loop("i", 0, v("A.N")) + loop("j", 0, v("B.N")) + row_loop("A", v("i"), "k") +
                    row_find("B", v("j"), v("k"))},
                   csr_csr(Strict, Strict)});
  cases.push_back({"12b",
                   "the same by row, entry, column",
                   Properties().csr("A").csr("B"),
                   {csr_loop("A", "i", "k") + loop("j", 0, v("B.N")) + row_find("B", v("j"), v("k"))},
                   csr_csr(Strict, Strict)});
  Properties even = Properties().csr("A").csr("B", Strict, equal(modulo(v("r"), 2), 0));
  Make make_even = [](Random &random, World &world) {
    make_csr(random, world, "A", 4, 4);
    make_csr(random, world, "B", 4, 4, [](int row) { return row % 2 == 1 ? Any : Strict; });
  };
  cases.push_back({"17",
                   "CSR, only even rows of B sorted",
                   even,
                   {loop("i", 0, v("B.N")) + row_loop("A", v("i"), "j") + row_find("B", v("i"), v("j"))},
                   make_even});
  cases.push_back(
      {"17b",
       "the same, only even rows visited",
       even,
       {loop("h", 0, 2) + let("i", scale(2, v("h"))) + search("A.r", 0, v("A.N"), {{v("A.r"), v("i"), 1}}) +
        dense_find("B", v("i")) + row_loop("A", v("A.r"), "j") + row_find("B", v("B.r"), v("j"))},
       make_even});
  cases.push_back({"18",
                   "CSR, rows weakly sorted",
                   Properties().csr("A", Weak).csr("B", Weak).same_rows(),
                   {csr_loop("A", "i", "j") + csr_csr_find()},
                   csr_csr(Weak, Weak)});
  cases.push_back({"20",
                   "the diagonal of CSR",
                   Properties().csr("A"),
                   {loop("i", 0, v("A.N")) + row_find("A", v("i"), v("i"))},
                   [](Random &random, World &world) { make_csr(random, world, "A", 4, 4); }});
  cases.push_back({"22",
                   "CSR, rows of B falling",
                   Properties().csr("A").csr("B", Falling).same_rows(),
                   {csr_loop("A", "i", "j") + csr_csr_find()},
                   csr_csr(Strict, Falling)});
}

void add_blocks(std::vector<Case> &cases) {
  using enum Order;
  auto find_block = [](const Term &key) {
    return search("B.b", 0, v("B.nb"), {{scale(2, v("B.b")), v("i"), 2}}) +
           search("B.p", at("B.rowptr", v("B.b")), at("B.rowptr", v("B.b") + Term(1)), {{key, v("j"), 3}});
  };
  Term start = scale(3, at("B.bcol", v("B.p")));
  auto make = [](bool aligned) -> Make {
    return [aligned](Random &random, World &world) {
      make_csr(random, world, "A", 4, 9);
      make_blocks(random, world, "B", 2, 3, aligned);
    };
  };
  cases.push_back({"10a",
                   "CSR and blocks of 2 x 3",
                   Properties().csr("A").blocks("B"),
                   {csr_loop("A", "i", "j") + find_block(start)},
                   make(true)});
  Levels block_loop = loop("B.b", 0, v("B.nb")) +
                      loop("B.p", at("B.rowptr", v("B.b")), at("B.rowptr", v("B.b") + Term(1))) +
                      loop("B.ii", 0, 2) + loop("B.jj", 0, 3) + let("i", scale(2, v("B.b")) + v("B.ii")) +
                      let("j", start + v("B.jj"));
  cases.push_back(
      {"10b",
       "blocks, find in CSR",
       Properties().csr("A").blocks("B"),
       {block_loop + search("A.r", 0, v("A.N"), {{v("A.r"), v("i"), 1}}) + row_find("A", v("A.r"), v("j"))},
       make(true)});
  Make make_with_coo = [](Random &random, World &world) {
    make_coo(random, world, "A", 4, 9, Strict);
    world.variables["A.M"] = 4;
    make_blocks(random, world, "B", 2, 3);
  };
  Properties limited = Properties().coo("A", Strict).blocks("B");
  limited.add("range of A.row", {"p"}, truth(), between(0, at("A.row", v("p")), v("A.M")));
  cases.push_back({"10c", "COO and blocks", limited, {coo_loop("A") + find_block(start)}, make_with_coo});
  cases.push_back({"10d",
                   "blocks, find in COO",
                   Properties().coo("A", Strict).blocks("B"),
                   {block_loop + coo_find("A")},
                   make_with_coo});
  cases.push_back({"10e",
                   "CSR and blocks at any column",
                   Properties().csr("A").blocks("B", false),
                   {csr_loop("A", "i", "j") + find_block(at("B.bcol", v("B.p")))},
                   make(false)});
}

void add_others(std::vector<Case> &cases) {
  using enum Order;
  Properties diagonals = Properties().csr("A").array("D.off", v("D.nd"));
  diagonals.add("diagonals rise", {"p", "q"}, less(v("p"), v("q")),
                less(at("D.off", v("p")), at("D.off", v("q"))));
  Make make = [](Random &random, World &world) {
    make_csr(random, world, "A", 4, 5);
    std::vector<std::int64_t> off = values(random, pick(random, 0, 4), 7, Strict);
    for (std::int64_t &each : off)
      each -= 3;
    world.variables["D.nd"] = static_cast<std::int64_t>(off.size());
    world.arrays["D.off"] = off;
  };
  cases.push_back(
      {"14",
       "CSR and diagonals",
       diagonals,
       {csr_loop("A", "i", "j") + search("D.d", 0, v("D.nd"), {{at("D.off", v("D.d")), v("j") - v("i"), 1}})},
       make});
  cases.push_back({"14b",
                   "diagonals, find in CSR",
                   diagonals,
                   {loop("D.d", 0, v("D.nd")) + loop("i", 0, v("A.N")) +
                    let("j", v("i") + at("D.off", v("D.d"))) + row_find("A", v("i"), v("j"))},
                   make});
  // Rows of two slots; with padding, -1 fills the slots after a row's entries.
  Term c1 = apply("E.col", {v("r"), v("p")}), c2 = apply("E.col", {v("r"), v("q")});
  auto make_slots = [](bool padded) -> Make {
    return [padded](Random &random, World &world) {
      make_csr(random, world, "A", 3, 5);
      std::vector<std::int64_t> col, len;
      for (int row = 0; row < 3; ++row) {
        std::vector<std::int64_t> own = values(random, pick(random, 0, 3), 5, Strict);
        len.push_back(static_cast<std::int64_t>(own.size()));
        own.resize(4, padded ? -1 : 0);
        col.insert(col.end(), own.begin(), own.end());
      }
      world.arrays["E.col"] = col, world.strides["E.col"] = 4;
      world.arrays["E.len"] = len;
      world.variables["E.W"] = 4, world.variables["E.N"] = 3;
    };
  };
  auto slots = [](const Term &length) {
    return csr_loop("A", "i", "j") + search("E.r", 0, v("E.N"), {{v("E.r"), v("i"), 1}}) +
           search("E.s", 0, length, {{apply("E.col", {v("E.r"), v("E.s")}), v("j"), 1}});
  };
  Properties full = Properties().csr("A").array("E.col", {v("E.N"), v("E.W")}).array("E.len", v("E.N"));
  full.add("lengths", {"r"}, truth(), between(0, at("E.len", v("r")), v("E.W") + Term(1)));
  full.add("columns rise", {"r", "p", "q"},
           conjunction({less(v("p"), v("q")), less(v("q"), at("E.len", v("r")))}), less(c1, c2));
  cases.push_back(
      {"15", "CSR and slots with lengths", full, {slots(at("E.len", v("E.r")))}, make_slots(false)});
  Properties padded = Properties().csr("A").array("E.col", {v("E.N"), v("E.W")});
  padded.add("columns are not negative", {"p"}, truth(), at_most(0, at("A.col", v("p"))));
  padded.add("columns rise before the padding", {"r", "p", "q"},
             conjunction({less(v("p"), v("q")), at_most(0, c2)}),
             conjunction({at_most(0, c1), less(c1, c2)}));
  cases.push_back({"15b", "CSR and slots with padding", padded, {slots(v("E.W"))}, make_slots(true)});
  auto csf = [](Properties &all, const std::string &t) {
    all.array(t + ".x0", v(t + ".n0"));
    all.add("order of " + t, {"p", "q"}, less(v("p"), v("q")),
            less(at(t + ".x0", v("p")), at(t + ".x0", v("q"))));
    all.rows(t + ".p1", v(t + ".n0"), v(t + ".n1")).within(t + ".x1", t + ".p1", v(t + ".n1"), Strict);
    all.rows(t + ".p2", v(t + ".n1"), v(t + ".n2")).within(t + ".x2", t + ".p2", v(t + ".n2"), Strict);
  };
  auto make_csf = [](Random &random, World &world, const std::string &t) {
    std::set<std::vector<int>> entries;
    for (int k = pick(random, 0, 7); k > 0; --k)
      entries.insert({pick(random, 0, 2), pick(random, 0, 2), pick(random, 0, 3)});
    std::vector<std::int64_t> x0, p1{0}, x1, p2{0}, x2;
    std::vector<int> last{-1, -1};
    for (const auto &entry : entries) {
      if (entry[0] != last[0]) x0.push_back(entry[0]), p1.push_back(0), last = {entry[0], -1};
      if (entry[1] != last[1]) x1.push_back(entry[1]), p2.push_back(0), last[1] = entry[1];
      x2.push_back(entry[2]);
      p1.back() = static_cast<std::int64_t>(x1.size());
      p2.back() = static_cast<std::int64_t>(x2.size());
    }
    world.variables[t + ".n0"] = static_cast<std::int64_t>(x0.size());
    world.variables[t + ".n1"] = static_cast<std::int64_t>(x1.size());
    world.variables[t + ".n2"] = static_cast<std::int64_t>(x2.size());
    world.arrays[t + ".x0"] = x0, world.arrays[t + ".p1"] = p1, world.arrays[t + ".x1"] = x1;
    world.arrays[t + ".p2"] = p2, world.arrays[t + ".x2"] = x2;
  };
  Properties both;
  csf(both, "A");
  csf(both, "B");
  Levels nest;
  const char *coordinates[] = {"i", "j", "k"};
  for (int depth = 0; depth < 3; ++depth) {
    auto part = [&](const std::string &t) {
      std::string position = t + ".q" + std::to_string(depth), above = t + ".q" + std::to_string(depth - 1);
      std::string pointer = t + ".p" + std::to_string(depth);
      Term lower = depth == 0 ? Term(0) : at(pointer, v(above));
      Term upper = depth == 0 ? v(t + ".n0") : at(pointer, v(above) + Term(1));
      return std::tuple(position, lower, upper, at(t + ".x" + std::to_string(depth), v(position)));
    };
    auto [a, a_low, a_high, a_key] = part("A");
    auto [b, b_low, b_high, b_key] = part("B");
    nest = nest + loop(a, a_low, a_high) + let(coordinates[depth], a_key) +
           search(b, b_low, b_high, {{b_key, v(coordinates[depth]), 1}});
  }
  cases.push_back(
      {"13", "compressed fibers of order 3", both, {nest}, [make_csf](Random &random, World &world) {
         make_csf(random, world, "A");
         make_csf(random, world, "B");
       }});
}

} // namespace

const std::vector<Case> &all_cases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> all;
    add_vectors(all);
    add_matrices(all);
    add_blocks(all);
    add_others(all);
    add_odd_cases(all);
    return all;
  }();
  return cases;
}

const Case &case_named(const std::string &name) {
  for (const Case &each : all_cases())
    if (each.name == name) return each;
  throw std::logic_error("no case " + name);
}

std::string summary(const LevelPlan &plan) {
  std::string text = std::string(plan.unique ? "U1" : "U0") + (plan.contiguous ? " C1 " : " C0 ");
  auto braces = [](const std::vector<std::string> &names) {
    std::string list;
    for (const std::string &name : names)
      list += (list.empty() ? "" : ", ") + name;
    return "{" + list + "}";
  };
  if (const auto *direct = plan.as<plan::Direct>())
    return text + "direct" + (direct->check_bounds ? " +bounds" : "") +
           (direct->check_match ? " +match" : "");
  if (const plan::Walk *walk = plan.walk(); walk && !walk->gallops)
    return text + (walk->direction == Direction::Up ? "up " : "down ") + walk->skip_name + " " +
           braces(walk->state) + " at " + std::to_string(walk->state_level) +
           (walk->clamp ? " clamped" : "") + (walk->advance ? " ++" : "");
  text += name_of(plan.method());
  for (const Candidate &candidate : plan.candidates)
    if (candidate.method == Method::Sequential && candidate.proved) text += " (" + candidate.reason + ")";
  return text;
}

} // namespace unravel::find::test
