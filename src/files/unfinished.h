#pragma once

#include <cstddef>
#include <string>

namespace unravel::files {

/// From here on SIGINT, SIGTERM and SIGHUP remove what is being written before they end the process. (Those
/// that are ignored stay so.) A file that grows beyond the limit for files is one that can't be written.
void remove_unfinished_at_signals();

/// A file that is no complete output, or a folder with the files in it: a signal removes it, the end of the
/// scope doesn't.
class Unfinished {
public:
  explicit Unfinished(const std::string &path);
  ~Unfinished();
  Unfinished(const Unfinished &) = delete;
  Unfinished &operator=(const Unfinished &) = delete;

private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t slot_ = none;
};

/// A name in the folder of `target` that doesn't exist yet, for something that is to be renamed to `target`.
std::string temporary_name(const std::string &target);

} // namespace unravel::files
