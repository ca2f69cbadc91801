#include "compute/fills.h"
#include "data/output_file.h"
#include "emit/names.h"
#include "packing/pack_c.h"
#include "pipeline/conversions.h"
#include "pipeline/packed.h"
#include "report/diagnostic.h"
#include "run/extents.h"
#include "show/facts.h"
#include "tool/commands.h"
#include "tool/options.h"
#include "tool/places.h"
#include "value/same_number.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

namespace unravel::tool {

namespace {

struct CompileOptions : Options {
  std::string output, prefix;
  bool main = false, constant = false;
};

/// What slots of a tensor hold that no entry has.
double fill_of_slots(const pipeline::Compilation &compilation, const std::string &tensor) {
  return compute::fill_of(compilation.computation.program, tensor).value_or(0);
}

/// What its elements are that a file of entries doesn't have.
double fill_in_files(const pipeline::Compilation &compilation, const loop::TensorParameter &tensor) {
  return tensor.has_given_arrays() ? fill_of_slots(compilation, tensor.name)
                                   : compute::nothing_of(compilation.computation.program, tensor.name);
}

/// Does packing leave slots without an entry that are read?
bool has_open_slots(const packing::PackPlan &plan) {
  return std::ranges::any_of(plan.pieces, [](const packing::PiecePlan &piece) {
    if (piece.value.empty()) return false;
    if (piece.levels.empty()) return true;
    const packing::Level &last = piece.levels.back();
    using Kind = packing::Level::Kind;
    return last.kind != Kind::Counted && last.kind != Kind::Segment && !last.unused;
  });
}

/// The tensors whose pack function is given the fill, as those of one struct type have several.
std::set<std::string> given_fills(const pipeline::Compilation &compilation,
                                  const std::vector<emit::StructNames> &names) {
  std::map<std::string, std::vector<std::string>> tensors; // by struct type
  for (std::size_t k = 0; k < compilation.program.parameters.size(); ++k)
    if (const loop::TensorParameter &parameter = compilation.program.parameters[k];
        parameter.has_given_arrays() && compilation.layouts.contains(parameter.name))
      tensors[names[k].type].push_back(parameter.name);
  std::set<std::string> result;
  for (const auto &[type, alike] : tensors) {
    const auto has_first_fill = [&](const std::string &tensor) {
      return value::is_same_number(fill_of_slots(compilation, tensor),
                                   fill_of_slots(compilation, alike.front()));
    };
    if (!std::ranges::all_of(alike, has_first_fill) &&
        has_open_slots(packing::plan_packing(compilation.layouts.at(alike.front()))))
      result.insert(alike.begin(), alike.end());
  }
  return result;
}

/// What emit::MainOptions asks for: y(j + 2) has two elements more than j has values, and an extent that a
/// program declares is a sum. Over sizes of other tensors.
std::map<std::string, term::Term> following_sizes(const pipeline::Compilation &compilation) {
  const compute::Program &program = compilation.computation.program;
  const run::Extents extents(compilation.computation);
  const auto size_of = [&](const std::string &tensor, std::size_t mode) {
    return tensor + "." + compilation.layouts.at(tensor).sizes[mode];
  };
  std::map<std::string, term::Term> following;
  const auto add = [&](const std::string &tensor, std::size_t mode, const term::Term &extent) {
    term::Substitution by;
    for (const std::string &size : compilation.program.sizes)
      by.emplace(size, term::variable(size));
    for (const compute::TensorUse &use : compilation.computation.tensors)
      for (const run::Extents::Named &named : extents.named(use.name))
        for (std::size_t k = 0; k < named.names.size() && use.name != tensor; ++k)
          if (!named.names[k].empty()) by.emplace(named.names[k], term::variable(size_of(use.name, k)));
    for (const auto &[part, factor] : term::linear_form(extent).parts)
      if (const auto *name = part.as<term::Variable>(); !name || !by.contains(name->name)) return;
    following.emplace(size_of(tensor, mode), term::substitute(extent, by));
  };
  for (const auto &[tensor, declared] : program.extents)
    for (std::size_t mode = 0; mode < declared.size() && compilation.layouts.contains(tensor); ++mode)
      if (!declared[mode].as<term::Variable>()) add(tensor, mode, declared[mode]);
  for (const compute::Statement &statement : program.statements)
    for (std::size_t mode = 0; mode < statement.target.subscripts.size() && statement.is_free; ++mode)
      if (const compute::Subscript &subscript = statement.target.subscripts[mode];
          subscript.shift != 0 && !statement.target.is_local)
        add(statement.target.tensor, mode, term::variable(subscript.index) + term::Term(subscript.shift));
  return following;
}

/// A whole program: the kernel, functions that pack each tensor from coordinates, and a main() that reads
/// files. Results that the kernel lists are written from there.
std::string program_text(const pipeline::Compilation &compilation, const Options &options) {
  const loop::Program &program = compilation.program;
  std::string text = pipeline::c_text(compilation) + "\n#include <stdlib.h>\n\n";
  std::vector<emit::StructNames> names = emit::struct_names(program);
  emit::MainOptions main;
  const std::set<std::string> given = given_fills(compilation, names);
  const value::Type value = value::type_called(options.type).value_or(value::Type::Float64);
  std::set<std::string> packed; // struct types
  main.inspector = compilation.inspector ? &compilation.inspector->program : nullptr;
  main.values = compilation.values ? &compilation.values->program : nullptr;
  if (compilation.inspector) main.numbers = compilation.inspector->numbers;
  for (std::size_t k = 0; k < program.parameters.size() - (compilation.inspector ? 1 : 0); ++k) {
    const layout::Layout &layout = compilation.layouts.at(program.parameters[k].name);
    main.modes[program.parameters[k].name] = layout.sizes;
    main.fills[program.parameters[k].name] = fill_in_files(compilation, program.parameters[k]);
    if (!program.parameters[k].has_given_arrays()) continue;
    const packing::PackPlan plan = packing::plan_packing(layout);
    const std::string &tensor = program.parameters[k].name;
    if (plan.adds_up()) main.adding.insert(tensor);
    const double fill = fill_of_slots(compilation, tensor);
    if (given.contains(tensor))
      main.packed_fills[tensor] =
          packing::fill_text(fill, layout::type_of_values(layout, value).value_or(value));
    if (!packed.insert(names[k].type).second) continue;
    if (plan.compared && !plan.is_implied_known)
      std::cerr << report::render(
          {report::Kind::not_storable,
           {},
           fmt::format("the program doesn't test that the file of `{}` has the entries that layout `{}` "
                       "implies, as the other half of a symmetric matrix",
                       tensor, layout.name),
           "`unravel run` does"},
          "warning");
    text +=
        packing::emit_pack_c(plan, layout, {names[k].type, names[k].members},
                             options.index == "int64" ? tensor::IndexType::Int64 : tensor::IndexType::Int32,
                             value, given.contains(tensor) ? std::nullopt : std::optional(fill)) +
        "\n";
  }
  for (const loop::TensorParameter &parameter : program.parameters) {
    if (!parameter.is_result) continue;
    main.initial[parameter.name] = compute::initial_of(compilation.computation.program, parameter.name);
    if (parameter.has_given_arrays()) continue;
    const auto places = main.places.emplace(parameter.name, places_of(parameter.name, compilation)).first;
    text += emit::emit_c(places->second) + "\n";
  }
  main.following = following_sizes(compilation);
  loop::Program whole = program;
  whole.expression = compilation.computation.text;
  return text + emit::emit_main(whole, main);
}

} // namespace

void add_compile(CLI::App &app, bool &as_json) {
  auto *command =
      app.add_subcommand("compile", "write the kernel as C that depends only on the C library and OpenMP");
  auto options = std::make_shared<CompileOptions>();
  add_kernel_options(*command, *options, as_json);
  command->add_option("-o,--output", options->output,
                      "file.c; the header is written beside it, named like the function (default: one text "
                      "on standard output)");
  command->add_flag("--main", options->main,
                    "add a small program: it reads the operands from files and runs the kernel");
  command
      ->add_option("--prefix", options->prefix,
                   "prefix of the names of functions and structs, if your program already has a `csr` or a "
                   "`kernel`")
      ->check([](const std::string &text) {
        return emit::to_identifier(text) == text
                   ? std::string()
                   : "a C name that begins with a letter and has no `__` is expected, as in my_";
      });
  command
      ->add_flag("--const", options->constant,
                 "make the arrays of operands const, in structs named const_csr and the like")
      ->excludes("--main");
  command->footer("Examples:\n"
                  "  unravel compile 'y(i) = A(i,j) * x(j)' -f A=csr -o spmv.c\n"
                  "  unravel compile 'y(i) = A(i,j) * x(j)' -f A=csr --main -o spmv.c && cc -O3 -fopenmp "
                  "spmv.c -o spmv -lm && ./spmv A=a.mtx x=ones\n"
                  "  unravel compile 'y(i) = A(i,j) * x(j)' -f A=csr -f x=sv --type f32 --index int64");
  command->callback([options, &as_json] {
    pipeline::Request request = compile_request(*options);
    std::filesystem::path path = options->output;
    if (options->name.empty() && !options->output.empty()) request.name = path.stem().string();
    pipeline::Compilation compilation = pipeline::compile(request);
    for (const report::Diagnostic &warning : compilation.warnings)
      if (warning.kind == report::Kind::argument_range && !options->trust) throw report::Error(warning);
    if (options->main) pipeline::require_given_layouts(compilation);
    pipeline::add_conversions(request, compilation);
    pipeline::name_for(compilation, {options->prefix, options->constant});
    const value::Type value = request.value.value_or(value::Type::Float64);
    const bool packs = !options->main && !compilation.packed.empty();
    if (packs) pipeline::require_packing_in_c(compilation);
    print_warnings(compilation);
    emit::EmitOptions how;
    const auto text = [&](bool with_header) {
      if (options->main) return program_text(compilation, *options);
      if (packs) return pipeline::packed_c_text(compilation, request.index, value, with_header);
      how.with_header = with_header;
      return pipeline::c_text(compilation, how);
    };
    if (!options->output.empty()) {
      if (path.extension() != ".c")
        report::fail(report::Kind::bad_option,
                     fmt::format("`-o {}`: the name of a C file is expected", options->output),
                     "as in -o kernel.c");
      const bool with_header = !options->main;
      const std::string header_path = path.parent_path() / (emit::kernel_name(compilation.program) + ".h");
      std::optional<data::OutputFile> header;
      keep_source(*options, options->output);
      if (with_header) {
        keep_source(*options, header_path);
        header.emplace(header_path)
            .write(packs ? pipeline::packed_header(compilation, request.index, value)
                         : pipeline::c_header(compilation));
      }
      data::OutputFile file(options->output);
      file.write(text(with_header));
      if (header) header->commit(); // both or none
      file.commit();
    }
    if (as_json) {
      nlohmann::json out = {{"expression", compilation.computation.text},
                            {"function", emit::kernel_name(compilation.program)},
                            {"times_ms", {{"compile", compilation.milliseconds()}}},
                            {"c", packs ? text(false) : pipeline::c_text(compilation)}};
      out.update(show::plans_json(compilation));
      std::cout << json_text(out);
    } else if (options->output.empty()) {
      std::cout << text(false);
    }
  });
}

} // namespace unravel::tool
