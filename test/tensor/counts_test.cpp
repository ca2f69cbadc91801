// What planning is told of a packed tensor.
#include "tensor/counts.h"

#include "tensor/layout_text.h"

namespace unravel::tensor {

using data::Coordinates;

namespace {

TEST(Counts, SizesCountsAndMeanDistances) {
  Coordinates entries =
      entries_of({4, 9}, {{{0, 1}, 1}, {{0, 7}, 1}, {{2, 0}, 1}, {{2, 3}, 1}, {{2, 4}, 1}, {{3, 8}, 1}});
  std::map<std::string, double> counts = known_counts(convert::pack(shipped("csr", 2), entries));
  EXPECT_EQ(counts, (std::map<std::string, double>{{"*", 6},
                                                   {"M", 4},
                                                   {"N", 9},
                                                   {"NNZ", 6},
                                                   {"rowptr", 1.5},
                                                   {"col", 7.0 / 5},
                                                   {"col.reach", 13.0 / 4 / 9}}));
}

TEST(Counts, SegmentsOfOnePositionEach) {
  Coordinates single = entries_of({3, 9}, {{{0, 7}, 1}, {{1, 2}, 1}, {{2, 2}, 1}});
  EXPECT_EQ(known_counts(convert::pack(shipped("csr", 2), single)).at("rowptr.single"), 1);
  // As many entries as rows, but not one in each.
  Coordinates others = entries_of({3, 9}, {{{0, 7}, 1}, {{1, 2}, 1}, {{1, 5}, 1}});
  EXPECT_FALSE(known_counts(convert::pack(shipped("csr", 2), others)).count("rowptr.single"));
}

TEST(Counts, NothingOfArraysThatDontRise) {
  Coordinates one = entries_of({4}, {{{2}, 1}});
  EXPECT_EQ(known_counts(convert::pack(shipped("sv", 1), one)),
            (std::map<std::string, double>{{"*", 1}, {"M", 4}, {"NNZ", 1}}));
  Coordinates falling = entries_of({2, 9}, {{{0, 7}, 1}, {{1, 2}, 1}});
  EXPECT_FALSE(known_counts(convert::pack(shipped("csr", 2), falling)).count("col"));
  // An empty matrix is planned as one of which nothing is known.
  EXPECT_TRUE(known_counts(convert::pack(shipped("csr", 2), Coordinates({0, 0}))).empty());
}

} // namespace
} // namespace unravel::tensor
