#pragma once

#include "data/coordinates.h"
#include "data/file_text.h"
#include "text/source.h"

#include <optional>
#include <string_view>

/// Generated tensors, for tests, demonstrations and measurements.
namespace unravel::data {

enum class GeneratorKind { Random, Ones, Zeros, Integers, Poisson2d, Poisson3d, Fem, Rmat, Banded, Hypersparse };

/// What to generate. As a text: kind[:sizes][,option=value]... with sizes such as 100 or 100x200x3.
///   random:1000x1000,density=0.01,seed=1   any order; entries at uniform coordinates, or entries=COUNT
///   ones:1000                              as random, all values 1; the density is 1 if not given
///   zeros:1000                             as ones, all values 0
///   integers:1000x1000,most=9              as random, values are integers from 1 to `most`
///   poisson2d:100x100, poisson3d:9x9x9     the 5-point and 7-point stencil on a grid: a square matrix with
///                                          a row for each point, 4 or 6 on the diagonal, -1 beside it
///   fem:1000,block=3,seed=1                symmetric, diagonally dominant; dense blocks between neighbours
///                                          of a square grid of nodes, `block` unknowns each, as finite
///                                          elements give
///   rmat:scale=12,edges=8,seed=1           a power-law graph of 2^scale vertices (Chakrabarti et al., with
///                                          0.57, 0.19, 0.19, 0.05), at most edges * 2^scale entries, no
///                                          duplicates
///   banded:1000,width=5,seed=1             all (i, j) with |i - j| <= width; one size means square
///   hypersparse:1000000,rows=100,edges=4   entries in few rows, `edges` in each; one size means square
/// Other values are uniform in [-1, 1), none closer to 0 than 1/1024; of complex ones both parts, but for
/// `ones`, `zeros`, `integers` and symmetric matrices. The same text and seed give the same tensor
/// everywhere.
struct GeneratorSpec {
  GeneratorKind kind = GeneratorKind::Random;
  /// As in the text; without, the caller sets them before generate() (random, ones, zeros, integers, fem,
  /// banded, hypersparse).
  std::optional<std::vector<std::int64_t>> sizes;
  /// random, ones, zeros, integers: at most one of the two. Without either: 1 for ones and zeros, else 0.01.
  std::optional<double> density;
  std::optional<std::int64_t> entries;
  std::optional<std::uint64_t> seed; // without: 1, unless the caller sets another one
  std::int64_t block = 3;
  std::int64_t scale = 10;
  std::int64_t edges = 8;
  std::int64_t width = 1;
  std::int64_t most = 9;
  std::optional<std::int64_t> rows;
  bool is_complex = false; // by the type that the tensor gets
  /// The text it was read from, for messages.
  text::Span span;
};

/// Whether a text is meant as a generator: its first word is a kind. (Otherwise it is the name of a file.)
bool is_generator(std::string_view text);
/// The kinds of generators: "random", "ones", ...
std::vector<std::string> generator_names();

/// Reads a spec. Throws bad_generator and number_too_large with the part that is wrong underlined.
/// `name` is what messages call the text.
GeneratorSpec parse_generator(std::string_view text, const std::string &name = "generator");

/// The seed of a tensor for which no seed is given: tensors of other names are others.
std::uint64_t seed_of(std::string_view name);

/// The shape of the tensor that generate() makes; the sizes must be known unless the kind is rmat.
/// Throws bad_generator.
std::vector<std::int64_t> generated_shape(const GeneratorSpec &spec);

/// Makes the tensor, sorted lexicographically, without duplicates. The memory needed is in proportion to the
/// entries, and checked against max_memory (bytes) first: memory_limit. Throws bad_generator too.
Coordinates generate(const GeneratorSpec &spec, std::int64_t max_memory = default_max_memory());

} // namespace unravel::data
