#pragma once

#include "machine/profile.h"

#include <string>
#include <vector>

/// A profile's numbers one by one, and as a text.
namespace unravel::machine {

/// One number of a profile.
struct Fact {
  std::string name; // "wake", "even.plain"
  std::string unit; // "ns", "GB/s"
  std::string meaning;
  std::string decides; // what follows from it; may be empty
  bool may_be_zero;    // which says that the processor has no such thing
  double &(*in)(Profile &profile);

  double of(Profile profile) const { return in(profile); }
};

/// All numbers but the caches' sizes, in the order in which they are shown.
const std::vector<Fact> &facts();

/// One object: "processor", each fact by its name, and "caches", a list of objects with "name" and "bytes".
std::string to_json(const Profile &profile);

/// The profile that a text of that form says, with all of its fields and no others. `file`: the text's name,
/// for messages. Throws bad_machine_file.
Profile from_json(const std::string &text, const std::string &file);

} // namespace unravel::machine
