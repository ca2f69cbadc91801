#pragma once

#include "library/variant.h"

#include <atomic>
#include <span>

/// A kernel of the public interface.
namespace unravel {

/// What a call is given, in the kernel's order: the tensors, then the sizes.
struct Bound {
  std::vector<Tensor> tensors; // no tensor: a result that is to be made
  std::vector<std::int64_t> sizes;
  std::map<std::string, std::int64_t> extents; // that no argument tells
  bool makes_results = false;
  bool is_wide = false; // results and locals that are made have int64 indices, as extents and counts need
  /// What the only result is to lie in, a dense one, with its number of bytes.
  std::optional<std::pair<void *, std::size_t>> memory = {};
};

/// An expression with its layouts, and machine code for the types of tensors that have come.
struct Kernel::Code {
  /// Reads and checks all that doesn't depend on types.
  Code(pipeline::Request request, bool trust, std::optional<int> threads);

  /// For the types that the request says. Made when it is first asked for.
  const Variant &standard() const;

  /// Makes machine code for a call with these operands, which needn't be all.
  void prepare_for(const Tensors &operands) const;

  /// The arguments by their places or names. Throws wrong_arity, unknown_tensor, missing_input.
  Bound bind(std::span<const Argument> arguments) const;
  Bound bind(std::span<const NamedArgument> arguments) const;
  /// The number of a tensor or size, and what is given for it.
  void bind(Bound &bound, std::size_t at, const Argument &argument) const;

  enum class Step { All, Values, Inspect };
  /// Results that are made are put into `bound`. Throws.
  void call(Bound &bound, Step step = Step::All) const;

  std::vector<std::string> names;       // of the arguments
  std::size_t results = 0;              // so many of them, the first ones
  std::size_t tensors = 0;              // so many of them are tensors; the others are sizes
  mutable std::atomic<int> threads = 0; // 0: not set

private:
  enum class Role { Operand, Dense, Like, Assembled, Packed };
  /// An operand that the machine code has in another layout than the tensors that are given for it.
  struct ConvertedOperand {
    std::size_t argument = 0; // among the tensors
    const TensorKind *kind = nullptr;
  };
  struct Prepared {
    std::vector<const TensorKind *> given; // of the tensors; null: a result that is made
    bool is_wide = false;                  // as Bound
    std::vector<const TensorKind *> kinds; // that the machine code has
    std::vector<Role> roles;
    std::vector<bool> cleared; // is it of no matter what a dense result held?
    std::size_t lender = 0;    // of a result with an operand's structure
    std::unique_ptr<const Variant> variant;
    std::vector<std::size_t> places; // of the machine code's arguments, among `names`, then `converted`
    std::vector<ConvertedOperand> converted = {};
    /// May the loops do far more than what is stored? Where they do so for what a call is given, another
    /// machine code takes an operand converted.
    bool is_dear = false;
    mutable std::unique_ptr<const Prepared> cheaper;
    mutable double weighed = 0; // the size of the greatest call for which it was looked for
    /// The shapes that operands had last, then those that the results had.
    mutable std::mutex mutex;
    mutable std::vector<std::vector<std::int64_t>> last_shapes;
  };

  const Prepared &prepared_for(const Bound &bound) const;
  pipeline::Request request_for(const Bound &bound) const;
  std::unique_ptr<Prepared> prepare(const Bound &bound, const pipeline::Request &request,
                                    const pipeline::Front &front) const;
  /// Returns `prepared`, or the machine code that takes an operand converted, where that pays by the counts
  /// of the operands.
  const Prepared &cheapest_for(const Bound &bound, const Prepared &prepared) const;
  std::optional<pipeline::Front> front_with_conversion(const Bound &bound, const pipeline::Request &known,
                                                       const Prepared &prepared) const;
  static std::vector<Tensor> converted_operands(const Bound &bound, const Prepared &prepared);
  Role role_of(const std::string &name, const pipeline::Compilation &compilation) const;
  const TensorKind *kind_for(std::size_t argument, const TensorKind *given,
                             const pipeline::Compilation &compilation,
                             const pipeline::Request &request) const;
  void check_kind(std::size_t argument, const TensorKind &kind) const;
  void check_memory(const Bound &bound, const Prepared &prepared) const;
  void check_old_entries(const Bound &bound, const Prepared &prepared) const;
  void make_results(Bound &bound, const Prepared &prepared,
                    const std::vector<std::vector<std::int64_t>> &shapes) const;
  Tensor make_result(std::size_t k, const std::vector<std::int64_t> &shape, const Bound &bound,
                     const Prepared &prepared) const;
  void check_structure(const Bound &bound, const Prepared &prepared) const;
  std::vector<std::vector<std::int64_t>> shapes_of_results(const Bound &bound,
                                                           const Prepared &prepared) const;
  /// Are there coordinates of that shape which the index arrays of the result don't hold?
  bool is_too_narrow(std::size_t result, const std::vector<std::int64_t> &shape,
                     const Prepared &prepared) const;
  int run(Bound &bound, const Prepared &prepared, Step step) const;
  [[noreturn]] void fail_by(int code, const Bound &bound, const Prepared &prepared) const;
  void read_formats();
  const layout::Layout &layout_of(std::size_t argument) const { return layouts_[argument]; }

  pipeline::Request request_;
  bool trust_ = false;
  pipeline::Front front_;                // for no tensors in particular
  std::map<std::string, Wanted> wanted_; // of the tensors but a result with an operand's structure
  std::vector<layout::Layout> layouts_;  // of the tensors, with no types but those that they state
  std::vector<std::string> formats_;     // as TensorKind has them; empty: it has no text
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const Variant> standard_;
  mutable std::vector<std::unique_ptr<const Prepared>> prepared_; // the last used first
};

/// What is asked of the compiler. `machine`: where the options name none.
pipeline::Request request_of(const std::string &expression, const Options &options,
                             const std::string &machine);
/// The same for these tensors: their layouts and counts, where they are the computation's; their types, with
/// `types`.
pipeline::Request request_of(const std::string &expression, const Tensors &tensors, const Options &options,
                             const std::string &machine, bool types);

/// Throws where a layout may read outside its arrays and isn't trusted.
void check_warnings(const std::vector<report::Diagnostic> &warnings, bool trust);

} // namespace unravel
