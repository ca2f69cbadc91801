// What the plan that is taken must reach against the forms that others would run: each row of the table of
// targets in bench/README.md.
#include "plans_contest.h"
#include "plans_hand.h"
#include "tensors_hand.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::bench {

namespace {

const std::string gain = "1 thread / 2 threads";

/// The load average above which two threads don't have two processors.
constexpr double most_load = 2.5;

Tree tree_of(tensor::Tensor &csf) {
  auto integers = [&](const std::string &name) {
    return static_cast<const std::int32_t *>(csf.array(name).data());
  };
  Tree tree;
  tree.order = static_cast<int>(csf.shape().size());
  tree.roots = static_cast<std::int32_t>(csf.array("idx1").size());
  for (int depth = 0; depth < tree.order; ++depth) {
    tree.index[depth] = integers(fmt::format("idx{}", depth + 1));
    if (depth > 0) tree.begin[depth] = integers(fmt::format("pos{}", depth + 1));
  }
  tree.val = csf.array("val").as<double>().data();
  return tree;
}

/// Which ratio is wanted of a table.
struct Goal {
  std::string ratio;
  double most; // geometric mean
};

class Goals {
public:
  Goals(Report &report, const Options &options) : report_(report), options_(options) {}

  void run() {
    read_tensors();
    if (wanted("ttmc")) ttmc();
    if (wanted("tttc")) chain();
    if (wanted("tttp")) tttp();
    for (int order : {3, 4})
      if (wanted(fmt::format("mttkrp{}", order))) mttkrp(order);
    if (wanted("attention")) attention();
  }

private:
  bool wanted(const std::string &goal) const {
    return options_.goals.empty() || ("," + options_.goals + ",").find("," + goal + ",") != std::string::npos;
  }

  Timing timing() const { return timing_of(options_.threads); }

  Table &table(const std::string &name, const std::string &title, const std::vector<Goal> &goals) {
    Table &made = report_.table("goal " + name, title, unit_of(timing()), options_.threads);
    if (options_.threads > 1) {
      // Our own two threads are one or two of them.
      const bool quiet = load() <= most_load;
      if (!quiet) fmt::print("  not judged: others use the machine\n");
      made.expect(gain, Better::higher,
                  quiet ? std::vector<Target>{{Statistic::mean, 1.8}} : std::vector<Target>{});
    } else
      for (const Goal &goal : goals)
        made.expect(goal.ratio, Better::lower, {{Statistic::mean, goal.most}});
    return made;
  }

  /// Measures ours against the programs by hand, or, with two threads, against itself with one. The
  /// milliseconds of ours.
  double measure(ProductContest &contest, Table &table,
                 const std::map<std::string, std::function<void(double *)>> &others, bool best = false) {
    if (options_.threads > 1) {
      contest.add("1 thread", {}, 1);
      contest.add("2 threads", {}, 2);
    } else {
      contest.add("ours", {});
      for (const auto &[name, run] : others)
        contest.add_by_hand(name, run);
    }
    const Standings standings = contest.run(table, timing());
    const std::vector<Contestant> &all = contest.contestants();
    for (std::size_t k = 0; k < all.size(); ++k)
      table.figure(all[k].name, standings.milliseconds(k));
    std::size_t fastest = 1;
    for (std::size_t k = 1; k < all.size(); ++k)
      if (standings.milliseconds(k) < standings.milliseconds(fastest)) fastest = k;
    if (options_.threads > 1)
      table.ratio(gain, standings.ratio(0, 1));
    else if (best)
      table.ratio("ours / best", standings.ratio(0, fastest));
    else
      for (std::size_t k = 1; k < all.size(); ++k)
        table.ratio("ours / " + all[k].name, standings.ratio(0, k));
    return standings.milliseconds(0);
  }

  void read_tensors() {
    auto add = [&](const std::string &text) { inputs_.push_back({text, generated(text)}); };
    add("random:2000x2000x2000,entries=400000,seed=1");
    add("random:300x300x300,entries=500000,seed=2");
    add("random:50x60x70x800,entries=800000,seed=1");
    add("random:2000x30x20x400,entries=500000,seed=2");
    add("random:100x60x4000,entries=800000,seed=4"); // long fibres
    if (!options_.quick) add("random:200x4000x3000,entries=800000,seed=3");
    for_each_file(options_.folder, ".tns", [&](const std::string &name, data::Coordinates entries) {
      if (entries.size() > 10000) inputs_.push_back({name, std::move(entries)});
    });
  }

  std::vector<const Input *> of_order(std::size_t order) const {
    std::vector<const Input *> found;
    for (const Input &input : inputs_)
      if (input.matrix.order() == order) found.push_back(&input);
    return found;
  }

  std::vector<std::int64_t> widths() const {
    return options_.quick ? std::vector<std::int64_t>{16} : std::vector<std::int64_t>{16, 32, 64};
  }

  void ttmc() {
    for (std::int64_t width : widths()) {
      const std::string expression = "Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)";
      Table &made = table(fmt::format("ttmc {}", width), fmt::format("{}, width {}", expression, width),
                          {{"ours / factored", 0.3}, {"ours / unfactored", 0.05}});
      for (const Input *input : of_order(3)) {
        const std::int64_t rows = input->matrix.shape[0];
        if (rows * width * width > 10'000'000) continue;
        ProductContest contest({input->name,
                                expression,
                                {{"T", "csf"}},
                                {},
                                {{"r", width}, {"s", width}},
                                {{"T", &input->matrix}}},
                               options_);
        const Tree tree = tree_of(contest.tensor("T"));
        const double *u = contest.values("U"), *v = contest.values("V");
        measure(contest, made,
                {{"factored", [=](double *y) { factored_ttmc(tree, u, v, width, rows, y); }},
                 {"unfactored", [=](double *y) { unfactored_ttmc(tree, u, v, width, rows, y); }}});
        made.print_row();
      }
      report_.finish(made);
    }
  }

  void chain() {
    const std::string expression =
        "Z(e,n) = T(i,j,k,l,m,n) * A(i,a) * B(a,j,b) * C(b,k,c) * D(c,l,d) * E(d,m,e)";
    Table &made = table("tttc", expression, {{"ours / unfactored", 0.002}});
    for (auto [text, width] : {std::pair("random:8x8x8x8x8x8,entries=20000,seed=1", 8),
                               std::pair("random:20x20x20x20x20x20,entries=1000,seed=2", 16)}) {
      if (options_.quick && width == 16) continue;
      const data::Coordinates entries = generated(text);
      const std::int64_t extent = width;
      std::map<std::string, std::int64_t> sizes;
      for (const char *index : {"a", "b", "c", "d", "e"})
        sizes[index] = extent;
      ProductContest contest(
          {fmt::format("{} width {}", text, width), expression, {{"T", "csf"}}, {}, sizes, {{"T", &entries}}},
          options_);
      const Tree tree = tree_of(contest.tensor("T"));
      std::vector<const double *> cores;
      for (const char *core : {"A", "B", "C", "D", "E"})
        cores.push_back(contest.values(core));
      measure(contest, made, {{"unfactored", [&, extent](double *z) {
                                 unfactored_chain(tree, cores, entries.shape, extent, z);
                               }}});
      made.print_row();
    }
    report_.finish(made);
  }

  void tttp() {
    const std::string expression = "D(i,j,k) = T(i,j,k) * U(i,r) * V(j,r) * W(k,r)";
    for (std::int64_t width : widths()) {
      Table &made = table(fmt::format("tttp {}", width), fmt::format("{}, width {}", expression, width),
                          {{"ours / pairwise", 0.05}});
      for (const Input *input : of_order(3)) {
        ProductContest contest({input->name,
                                expression,
                                {{"T", "csf"}, {"D", "like:T"}},
                                {},
                                {{"r", width}},
                                {{"T", &input->matrix}}},
                               options_);
        const Tree tree = tree_of(contest.tensor("T"));
        const double *u = contest.values("U"), *v = contest.values("V"), *w = contest.values("W");
        measure(contest, made, {{"pairwise", [=](double *d) { pairwise_tttp(tree, u, v, w, width, d); }}});
        made.print_row();
      }
      report_.finish(made);
    }
  }

  void mttkrp(int order) {
    const std::string indices = order == 3 ? "ijk" : "ijkl";
    for (std::int64_t width : widths()) {
      Table &made = table(fmt::format("mttkrp{} {}", order, width),
                          fmt::format("MTTKRP of order {}, each mode, width {}", order, width),
                          {{"ours / best", order == 3 ? 0.55 : 0.5}, {"mode / root", 1.3}});
      for (const Input *input : of_order(static_cast<std::size_t>(order))) {
        double root = 0;
        for (int mode = 0; mode < order; ++mode) {
          std::string read = "T(i";
          for (int k = 1; k < order; ++k)
            read += fmt::format(",{}", indices[static_cast<std::size_t>(k)]);
          std::string expression =
              fmt::format("Y({},r) = {})", indices[static_cast<std::size_t>(mode)], read);
          for (int k = 0; k < order; ++k)
            if (k != mode)
              expression += fmt::format(" * {}({},r)", std::string("UVWX")[static_cast<std::size_t>(k)],
                                        indices[static_cast<std::size_t>(k)]);
          ProductContest contest(
              {fmt::format("{} mode {}", input->name, indices[static_cast<std::size_t>(mode)]),
               expression,
               {{"T", "csf"}},
               {},
               {{"r", width}},
               {{"T", &input->matrix}}},
              options_);
          const Tree tree = tree_of(contest.tensor("T"));
          std::vector<const double *> factors;
          for (int k = 0; k < order; ++k)
            factors.push_back(
                k == mode ? nullptr
                          : contest.values(std::string(1, std::string("UVWX")[static_cast<std::size_t>(k)])));
          const std::int64_t rows = input->matrix.shape[static_cast<std::size_t>(mode)];
          const double ours = measure(
              contest, made,
              {{"tree", [&](double *y) { tree_mttkrp(tree, factors, mode, width, rows, y); }},
               {"unfactored", [&](double *y) { unfactored_mttkrp(tree, factors, mode, width, rows, y); }}},
              true);
          if (mode == 0) root = ours;
          if (mode > 0 && options_.threads == 1) made.ratio("mode / root", ours / root);
          made.print_row();
        }
      }
      report_.finish(made);
    }
  }

  void attention() {
    const std::string expression = "Y(i,r) = S(i,j) * Q(i,k) * K(j,k) * V(j,r)";
    for (std::int64_t width : widths()) {
      Table &made = table(fmt::format("attention {}", width), fmt::format("{}, width {}", expression, width),
                          {{"ours / SDDMM, SpMM", 0.6}});
      for (const char *text :
           {"random:4000x4000,entries=160000,seed=1", "banded:20000,width=16", "rmat:scale=13,edges=16"}) {
        ProductContest contest(
            {text, expression, {{"S", "csr"}}, {{"S", text}}, {{"k", width}, {"r", width}}}, options_);
        const Compressed s = compressed(contest.tensor("S"));
        const double *q = contest.values("Q"), *k = contest.values("K"), *v = contest.values("V");
        measure(contest, made, {{"SDDMM, SpMM", [=](double *y) {
                                   std::vector<double> d(static_cast<std::size_t>(s.entries()));
                                   row_sddmm(s, q, k, width, d.data());
                                   Compressed product = s;
                                   product.val = d.data();
                                   row_spmm(product, v, width, y);
                                 }}});
        made.print_row();
      }
      report_.finish(made);
    }
  }

  Report &report_;
  const Options options_;
  std::vector<Input> inputs_;
};

} // namespace

void measure_goals(Report &report, const Options &options) {
  Goals(report, options).run();
}

} // namespace unravel::bench
