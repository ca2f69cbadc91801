#include "data/output_file.h"
#include "run/tiling.h"
#include "show/facts.h"
#include "show/page.h"
#include "tool/commands.h"
#include "tool/options.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace unravel::tool {

using nlohmann::json;

namespace {

const char *name_of(scan::Level::Kind kind) {
  switch (kind) {
  case scan::Level::Kind::Loop: return "loop";
  case scan::Level::Kind::Let: return "let";
  case scan::Level::Kind::Find: return "find";
  }
  return "loop";
}

json levels_json(const run::TilingLeaf &leaf) {
  json levels = json::array();
  for (const run::TilingLevel &level : leaf.levels) {
    json made = {{"variable", level.variable},
                 {"kind", name_of(level.kind)},
                 {"text", level.text},
                 {"guards", level.guards},
                 {"run", show::or_null(level.run)},
                 {"template", show::or_null(level.found_by)},
                 {"tile_of", show::or_null(level.tile_of)}};
    made["tile_size"] = level.tile_of.empty() ? json(nullptr) : json(level.tile_size);
    levels.push_back(std::move(made));
  }
  return levels;
}

json iterations_json(const run::Iterations &iterations) {
  return {{"all", iterations.all}, {"with_points", iterations.with_points}};
}

json touched_json(const run::TileLoop &tile) {
  json arrays = json::array();
  for (const run::Touched &array : tile.arrays)
    arrays.push_back({{"array", array.array}, {"average", array.average}, {"maximum", array.maximum}});
  return {{"average", tile.touched.average}, {"maximum", tile.touched.maximum}, {"arrays", arrays}};
}

json cache_json(const std::vector<machine::DataCache> &caches, double bytes) {
  const machine::DataCache *cache = run::holds(caches, bytes);
  return cache ? json(cache->name) : json(nullptr);
}

json tiling_json(const run::Tiling &tiling) {
  json out = {{"expression", tiling.expression}};
  out["leaves"] = json::array();
  for (const run::TilingLeaf &leaf : tiling.leaves)
    out["leaves"].push_back(
        {{"space", leaf.space}, {"chosen", show::or_null(leaf.chosen)}, {"levels", levels_json(leaf)}});
  out["tiles"] = json::array();
  for (const run::TileLoop &tile : tiling.tiles) {
    json made = {{"variable", tile.variable},
                 {"of", tile.of},
                 {"size", tile.size},
                 {"number", term::to_text(tile.number)}};
    if (tiling.counts) {
      made["exist"] = tile.exist;
      made["with_points"] = tile.with_points;
      made["iterations"] = iterations_json(tile.iterations);
      made["touched_bytes"] = touched_json(tile);
      made["average_fits_in"] = cache_json(tiling.caches, tile.touched.average);
      made["maximum_fits_in"] = cache_json(tiling.caches, static_cast<double>(tile.touched.maximum));
    }
    out["tiles"].push_back(std::move(made));
  }
  out["data_caches"] = json::array();
  for (const machine::DataCache &cache : tiling.caches)
    out["data_caches"].push_back({{"name", cache.name}, {"bytes", cache.bytes}});
  if (!tiling.counts) return out;
  const run::TilingCounts &counts = *tiling.counts;
  out["points"] = counts.points;
  out["nest"] = {{"exist", counts.nest.exist ? json(*counts.nest.exist) : json(nullptr)},
                 {"at_most", counts.nest.at_most},
                 {"with_points", counts.nest.with_points},
                 {"iterations", iterations_json(counts.nest.entered)}};
  out["loops"] = json::array();
  for (const run::LoopRun &loop : counts.loops)
    out["loops"].push_back({{"variable", loop.variable}, {"iterations", iterations_json(loop.iterations)}});
  return out;
}

void write_report(const Options &options, const pipeline::Compilation &compilation, const run::Tiling &tiling,
                  const run::Prepared *data) {
  if (options.report.empty()) return;
  show::Page page{.compilation = compilation, .schedules = options.schedules, .tiling = &tiling};
  if (data) page.tensors = &data->tensors, page.max_memory = data->max_memory;
  data::write_text_file(options.report, show::to_html(page));
}

/// Of the tiled loops, also where a kernel would execute those without tiles on these data.
run::Tiling tiling_of(const Options &options) {
  bool details = !options.report.empty();
  if (options.inputs.empty() && options.sizes.empty()) {
    require_data(options);
    pipeline::Request request = compile_request(options);
    request.details = details;
    request.untiled_for_one_tile = false;
    pipeline::Compilation compilation = pipeline::compile(request);
    print_warnings(compilation);
    run::Tiling tiling = run::describe_tiling(compilation);
    write_report(options, compilation, tiling, nullptr);
    return tiling;
  }
  run::Request request = run_request(options);
  request.compile.details = details;
  request.compile.untiled_for_one_tile = false;
  add_dense_inputs(request);
  run::Prepared prepared = run::prepare(request);
  print_warnings(prepared.compilation);
  for (const std::string &note : prepared.notes)
    std::cerr << "note: " << note << "\n";
  run::Tiling tiling =
      run::count_tiling(prepared.compilation, prepared.tensors, prepared.max_memory, prepared.sizes);
  write_report(options, prepared.compilation, tiling, &prepared);
  return tiling;
}

} // namespace

void add_tile(CLI::App &app, bool &as_json) {
  auto *command = app.add_subcommand(
      "tile",
      "show a schedule's tiles: how many tiles there are, how many hold entries, how many the kernel enters, "
      "and how many bytes one uses");
  auto options = std::make_shared<Options>();
  add_kernel_options(*command, *options, as_json);
  add_data_options(*command, *options);
  command->add_flag("--no-validate", options->no_validate,
                    "don't check that the arrays keep the layouts' properties");
  command->add_option("--report", options->report,
                      "write one HTML page: loops, tiles over the matrix, proofs, C");
  command->footer("Examples:\n"
                  "  unravel tile 'Y(i,r) = A(i,j) * B(j,r)' -f A=csr -s 'tile j by 4096'\n"
                  "  unravel tile 'y(i) = A(i,j) * x(j)' -f A=csr -i A=matrix.mtx "
                  "-s 'tile i by 64, j by 64'");
  command->callback([options, &as_json] {
    keep_source(*options, options->report);
    run::Tiling tiling = tiling_of(*options);
    std::cout << (as_json ? json_text(tiling_json(tiling)) : run::to_text(tiling));
  });
}

} // namespace unravel::tool
