// Which forms loops have that statements share over what a tensor stores.
#include "loop/loop.h"
#include "pipeline.h"

#include <gtest/gtest.h>

namespace unravel::pipeline {
namespace {

/// What doesn't change in a shared loop stands in front of it, so that its products are added in tiles.
TEST(SharedSupports, ProductsOfFibresAreAddedInTiles) {
  Request request;
  request.expression = "for i { for j { let w(s) = 0; for k { for s { w(s) += T(i,j,k) * W(k,s); } } for r { "
                       "for s { Y(i,r,s) += w(s) * V(j,r); } } } }";
  request.formats = {{"T", "csf3"}};
  const std::string loops = loop::to_text(compile(request).program);
  EXPECT_NE(loops.find("  let i = T.row(T.r)\n"), std::string::npos) << loops;
  EXPECT_NE(loops.find(" sums tiles {"), std::string::npos) << loops;
}

} // namespace
} // namespace unravel::pipeline
