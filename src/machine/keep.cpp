#include "machine/keep.h"

#include "files/own_folder.h"
#include "machine/data_caches.h"
#include "machine/facts.h"
#include "machine/team.h"
#include "report/diagnostic.h"
#include "text/source.h"

#include <fmt/format.h>
#include <optional>
#include <thread>

namespace unravel::machine {

namespace {

/// Changes whenever something else is measured, or otherwise.
constexpr int version = 1;

/// FNV-1a: a name for a file, where two machines in one home folder must not meet.
std::uint64_t hash(const std::string &text) {
  std::uint64_t state = 0xcbf29ce484222325;
  for (unsigned char character : text)
    state = (state ^ character) * 0x100000001b3;
  return state;
}

/// None where the machine doesn't tell what it is.
std::optional<std::string> name_of_file() {
  const std::string identity = processor_identity();
  if (identity.empty()) return std::nullopt;
  return fmt::format("machine-{:016x}.json",
                     hash(fmt::format("{} {}\n{}", version, std::thread::hardware_concurrency(), identity)));
}

/// The caller's thread, and two that answer each other.
bool can_be_measured() {
  return startable_threads(3) == 3;
}

std::optional<Profile> kept_in(const files::OwnFolder &folder, const std::string &name) {
  const std::optional<std::string> text = folder.read(name);
  if (!text) return std::nullopt;
  try {
    return from_json(*text, name);
  } catch (const report::Error &) {
    return std::nullopt; // half written, or of somebody who tried something
  }
}

} // namespace

Profile here(const std::string &folder) {
  const std::optional<std::string> name = name_of_file();
  const files::OwnFolder own(name ? folder : "");
  if (!own.usable()) return portable();
  if (std::optional<Profile> kept = kept_in(own, *name)) return *std::move(kept);
  if (!can_be_measured()) return portable();
  Profile profile = measure();
  return own.write(*name, to_json(profile)) ? profile : portable();
}

Profile measure_and_keep(const std::string &folder) {
  if (!can_be_measured())
    report::fail(report::Kind::bad_option, "a measurement times threads, and none can be started here",
                 "raise the limit of processes that `ulimit` sets");
  Profile profile = measure();
  if (const std::optional<std::string> name = name_of_file())
    files::OwnFolder(folder).write(*name, to_json(profile));
  return profile;
}

std::string kept_file(const std::string &folder) {
  const std::optional<std::string> name = name_of_file();
  const files::OwnFolder own(name ? folder : "");
  return own.usable() ? own.path_of(*name) : "";
}

Profile profile_of(const std::string &choice, const std::string &folder) {
  if (choice == "portable") return portable();
  if (choice == "here") return here(folder);
  return from_json(std::string(text::Source::from_file(choice)->content()), choice);
}

} // namespace unravel::machine
