#include "loop/passes.h"

#include "loop/copies.h"
#include "loop/vector_sums.h"
#include "loop/verify.h"

namespace unravel::loop {

const std::vector<Pass> &passes() {
  static const std::vector<Pass> all = {
      {"fold", fold},
      {"group_rows", group_rows},
      {"collect_in_result", collect_in_result},
      {"fuse", fuse},
      {"cut_strips", cut_strips},
      {"clear_in_blocks", clear_in_blocks},
      {"split_full_blocks", split_full_blocks},
      {"multiply_in_tiles", multiply_in_tiles},
      {"accumulate_locally", accumulate_locally},
      {"hoist", hoist},
      {"share", share},
      {"reduce_at_once", reduce_at_once},
      {"fold again", fold},
      {"skip_empty_segments", skip_empty_segments},
      {"mask_sums", mask_sums},
      {"reduce_in_own_locals", reduce_in_own_locals},
      {"keep_truths", keep_truths},
      {"leave_settled", leave_settled},
      {"reserve_ahead", reserve_ahead},
      {"prefetch_segments", prefetch_segments},
      {"take_single_entries", take_single_entries},
      {"reserve_copies", reserve_copies},
      {"sums_in_vectors", sums_in_vectors},
  };
  return all;
}

Program improve(Program program, const Known &known, const AroundPass &step) {
  forget_vector_sums(program.body);
  for (const Pass &pass : passes()) {
    auto apply = [&] { return pass.apply(std::move(program), known); };
    program = step ? step(pass, apply) : apply();
    verify(program);
  }
  return program;
}

} // namespace unravel::loop
