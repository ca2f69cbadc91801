#pragma once

#include "build/kernel.h"
#include "library/state.h"
#include "pipeline.h"
#include "run/levels.h"
#include "run/packed.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

/// Machine code for tensors of certain types.
namespace unravel {

/// A compiled kernel with what it is called with: pointers to structs.
class Variant {
public:
  Variant(pipeline::Compilation compilation, const pipeline::Request &request);

  /// Of a call: as many pointers as there are tensors and sizes, none of them null. Throws.
  void check(const std::vector<void *> &structs) const;

  /// The structs are those of the tensors, then pointers to the sizes. Returns the kernel's code; results
  /// that are packed behind it aren't yet. On so many threads, if not 0.
  int call(const std::vector<void *> &structs, int threads) const;
  /// With what is packed; throws what packing does.
  int call_and_pack(const std::vector<void *> &structs, int threads) const;
  int inspect(const std::vector<void *> &structs) const { return levels_ ? levels_->inspect(structs) : 0; }
  /// `reuse`: what computes the values, or null.
  const Variant *values() const { return values_.get(); }

  /// The tensors, then the sizes.
  const std::vector<std::string> &names() const { return names_; }
  std::size_t tensors() const { return names_.size() - sizes_; }
  const pipeline::Compilation &compilation() const { return compilation_; }
  /// By parameter, of results that the kernel lists.
  const std::map<std::size_t, run::ListPacking> &packings() const { return packings_; }

private:
  build::Workspace take() const;
  void put_back(build::Workspace workspace) const;

  pipeline::Compilation compilation_;
  build::Kernel kernel_;
  int (*entry_)(void **) = nullptr;
  build::Kernel::Team team_;
  std::vector<std::string> names_;
  std::size_t sizes_ = 0; // how many of the names are sizes
  std::map<std::size_t, run::ListPacking> packings_;
  mutable std::optional<run::Levels> levels_;
  std::unique_ptr<const Variant> values_;
  mutable std::mutex mutex_;
  mutable std::vector<build::Workspace> idle_; // as many are made as there are calls at once
};

} // namespace unravel
