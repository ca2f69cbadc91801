#include "machine/profile.h"

#include <algorithm>

namespace unravel::machine {

Profile portable() {
  Profile profile;
  profile.processor = "portable, for an Intel Xeon (Sapphire Rapids)";
  profile.wake = 100000;
  profile.barrier = 150;
  profile.entry = 0.75;
  profile.branch_miss = 6;
  profile.load = 0.4;
  profile.gather4 = 0.4;
  profile.gather8 = 0.35;
  profile.even = {0.75, 0.75, 0.70};
  profile.uneven = {2, 2, 1.3};
  profile.bandwidth = 10;
  return profile;
}

bool gathers_pay(const Profile &profile) {
  auto pay = [](const SumTimes &times) {
    return times.gathers > 0 && times.gathers <= 0.95 * std::min(times.plain, times.pairs);
  };
  return pay(profile.even) && pay(profile.uneven);
}

} // namespace unravel::machine
