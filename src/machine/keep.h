#pragma once

#include "machine/profile.h"

#include <string>

/// Profiles that are kept on disk.
namespace unravel::machine {

/// The profile of this machine: as it is kept in the folder, else measured, and kept there. Kept files are of
/// one processor, number of processors and version of what is measured; one that can't be read is measured
/// again. portable() where nothing can be kept, so that not each run measures. Never throws.
Profile here(const std::string &folder);

/// Measures again, whatever is kept, and keeps that where that can be done.
Profile measure_and_keep(const std::string &folder);

/// The file of this machine's profile in the folder, which may not exist; empty where none is kept.
std::string kept_file(const std::string &folder);

/// What a user names: "portable", "here" (as it is kept in the folder), else the file of a profile. Throws
/// cannot_read and bad_machine_file.
Profile profile_of(const std::string &choice, const std::string &folder);

} // namespace unravel::machine
