// Profiles on disk: measured once, again where the file is damaged, never where nothing can be kept.
#include "machine/keep.h"

#include "files/file.h"
#include "machine/facts.h"
#include "report/diagnostic.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace unravel::machine {
namespace {

TEST(MachineKeep, MeasuresOnce) {
  const files::PrivateFolder folder;
  const std::string file = kept_file(folder.path() + "/deep/er");
  if (file.empty()) GTEST_SKIP() << "the system doesn't say which processor this is";
  const Profile first = here(folder.path() + "/deep/er");
  EXPECT_EQ(from_json(files::read_file(file).value(), file), first);
  Profile other = first;
  other.wake += 1;
  std::ofstream(file) << to_json(other);
  EXPECT_EQ(here(folder.path() + "/deep/er"), other); // as it is kept
}

TEST(MachineKeep, MeasuresAgainWhereTheFileIsDamaged) {
  const files::PrivateFolder folder;
  const std::string file = kept_file(folder.path());
  if (file.empty()) GTEST_SKIP() << "the system doesn't say which processor this is";
  const std::string whole = to_json(portable());
  std::ofstream(file) << whole.substr(0, whole.size() / 2);
  chmod(file.c_str(), 0600);
  const Profile measured = here(folder.path());
  EXPECT_NE(measured, portable());
  EXPECT_EQ(from_json(files::read_file(file).value(), file), measured);
}

TEST(MachineKeep, AFolderOfOthersIsNotUsed) {
  const files::PrivateFolder folder;
  const std::string open = folder.path() + "/open";
  mkdir(open.c_str(), 0700);
  chmod(open.c_str(), 0777); // anybody may write to it
  EXPECT_EQ(kept_file(open), "");
  EXPECT_EQ(here(open), portable());
  EXPECT_EQ(here(""), portable());
}

TEST(MachineKeep, WhatAUserNames) {
  const files::PrivateFolder folder;
  const std::string file = folder.path() + "/mine.json";
  Profile mine = portable();
  mine.wake = 7;
  std::ofstream(file) << to_json(mine);
  EXPECT_EQ(profile_of("portable", folder.path()), portable());
  EXPECT_EQ(profile_of(file, folder.path()), mine);
  EXPECT_THROW(profile_of(folder.path() + "/none.json", folder.path()), report::Error);
}

} // namespace
} // namespace unravel::machine
