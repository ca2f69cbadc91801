#pragma once

namespace unravel::build {

/// The options of `clang -cc1` that all kernels share; the target's are added at run time. Part of the
/// cache's key. Floating point: sums may be reassociated and products contracted; NaN and infinities keep
/// their meaning, so none of the options of finite-math-only are here. The driver `clang -O3` adds the
/// -vectorize options, cc1 by itself does not. -fno-math-errno is what cc1 does anyway.
inline constexpr const char *clang_flags[] = {
    // the text
    "-x", "c", "-std=gnu99", "-fgnuc-version=4.2.1", "-fopenmp", "-nostdsysteminc", "-nobuiltininc",
    // the code
    "-O3", "-vectorize-loops", "-vectorize-slp", "-mreassociate", "-fno-signed-zeros", "-ffp-contract=fast",
    "-mrelocation-model", "pic", "-pic-level", "2", "-fhalf-no-semantic-interposition",
    "-mframe-pointer=none",
    // the compiler's own time
    "-disable-llvm-verifier", "-discard-value-names"};

} // namespace unravel::build
