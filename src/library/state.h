#pragma once

#include "convert/pack.h"
#include "layout/layout.h"
#include "tensor/tensor.h"
#include "unravel/unravel.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What a tensor of the public interface is made of.
namespace unravel {

/// A layout with the types of its arrays. There is one object of each per process: equal kinds are equal
/// pointers.
struct TensorKind {
  layout::Layout layout; // each array has a type
  std::string format;    // what the layout is called by: its name, or the text that it was read from
  std::optional<value::Type> index, value; // of those arrays for which the layout states none
  std::vector<std::size_t> sizes;          // the modes whose sizes a struct has
  /// Is there one array, of values, with an element for each coordinate and no other?
  bool is_dense = false;
  /// Properties that were only sampled: no kernel may rely on them.
  std::vector<std::string> sampled = {};
};

/// `format` as in TensorKind. `index`, `value`: of arrays for which the layout states none.
const TensorKind *kind_of(const layout::Layout &layout, const std::string &format, value::Type index,
                          value::Type value, std::vector<std::string> sampled = {});

/// A layout as it was asked for.
struct Wanted {
  layout::CheckedLayout checked;
  std::string format; // as TensorKind has it
  std::optional<value::Type> type;
  double fill = 0;

  const layout::Layout &layout() const { return checked.layout; }
  /// May it read outside its arrays, though they have its properties?
  bool is_unproved() const;
};

/// `called`: what messages call the text. Throws mistakes in it.
Wanted read_layout(const std::string &text, std::size_t order, const std::string &called = "layout");

/// Do both have the same relation, arrays and properties? Their texts are compared.
bool is_same_layout(const layout::Layout &a, const layout::Layout &b);

struct Tensor::State {
  const TensorKind *kind = nullptr;
  std::vector<std::int64_t> shape;
  std::vector<data::Elements> arrays; // in the layout's order
  double fill = 0;
  /// The kernel's struct: sizes, counts, pointers to the arrays. None of a result whose arrays aren't made
  /// yet.
  std::vector<std::uint64_t> slots;

  /// May a kernel write to the arrays of values?
  bool is_writable() const;
  std::size_t first_count() const { return kind->sizes.size(); }
  std::size_t first_array() const { return kind->sizes.size() + kind->layout.counts.size(); }
  /// The same tensor for the rooms of the compiler: it shares the arrays.
  tensor::Tensor tensor() const;
  /// Sets all but the kind's, from a tensor of the same layout, whose arrays it takes.
  void take(tensor::Tensor made);
  void make_slots(const std::vector<std::int64_t> &counts);
};

/// Throws where memory can't be an array of such elements: C wants the addresses of numbers to be multiples
/// of their size.
void check_aligned(const std::string &name, value::Type type, const void *memory);

/// What the rest of the library may do with the public handles.
struct Access {
  static Tensor tensor(std::shared_ptr<Tensor::State> state) { return Tensor(std::move(state)); }
  /// Throws Error for a handle of no tensor.
  static Tensor::State &state(const Tensor &tensor);
  static const std::shared_ptr<Tensor::State> &shared(const Tensor &tensor) { return tensor.state_; }
  static Kernel kernel(std::shared_ptr<const Kernel::Code> code) { return Kernel(std::move(code)); }
};

/// A tensor that the compiler has made; `kind` is that of its layout.
Tensor wrap(tensor::Tensor made, const TensorKind *kind, double fill = 0);

/// `integers`: the values of the entries, if there are any, of the type if that is of 64 bits.
Tensor packed(const Wanted &wanted, data::Coordinates entries, value::Type type, value::Type index,
              const std::string &combine = "", std::span<const std::int64_t> integers = {});

/// How tensors of the kind are packed.
convert::PackOptions pack_options(const TensorKind &kind, double fill);

} // namespace unravel
