// scripts/setup where installing packages removes others: it asks, or says what to type.
#include "places.h"
#include "tool/tool.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

/// What apt-get and the others would do is written to the file `done`.
void write_program(const Desk &desk, const std::string &name, const std::string &text) {
  desk.write(name, "#!/bin/sh\n" + text);
  std::filesystem::permissions(desk.path(name), std::filesystem::perms::owner_all);
}

/// `on_ci`: whether the variable CI says so; these tests may run on a machine of either kind.
Outcome set_up(const Desk &desk, const std::string &plan, bool on_ci = false) {
  write_program(desk, "dpkg-query", "printf absent\n");
  write_program(desk, "sudo", "exec \"$@\"\n");
  write_program(desk, "apt-get",
                "case \"$*\" in *' -s '*) printf '" + plan + "' ;; *) echo \"$*\" >>done ;; esac\n");
  // Never on a terminal.
  return desk.execute(
      {"env", on_ci ? "CI=true" : "CI=", "PATH=" + desk.path("").string() + ":" + std::getenv("PATH"), "sh",
       "-c", unravel::test::source_folder() + "/scripts/setup </dev/null"});
}

TEST(Setup, NothingIsRemovedUnasked) {
  const Desk desk;
  const Outcome outcome = set_up(desk, "Remv libomp-14-dev [1:14.0.6-12]\\nInst libomp-19-dev (1:19)\\n");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.error.find("apt-get removes: libomp-14-dev\n"), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find("apt-get install -q -y --no-install-recommends g++ "), std::string::npos)
      << outcome.error;
  EXPECT_EQ(desk.read("done"), "update -q\n");
}

TEST(Setup, OnCiWhatIsInTheWayIsRemoved) {
  const Desk desk;
  const Outcome outcome =
      set_up(desk, "Remv libomp-14-dev [1:14.0.6-12]\\nInst libomp-19-dev (1:19)\\n", true);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.error.find("apt-get removes: libomp-14-dev\n"), std::string::npos) << outcome.error;
  EXPECT_NE(desk.read("done").find("\ninstall -q -y --no-install-recommends g++ "), std::string::npos);
}

TEST(Setup, WhatRemovesNothingIsInstalled) {
  const Desk desk;
  const Outcome outcome = set_up(desk, "Inst libomp-19-dev (1:19)\\n");
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(desk.read("done").find("\ninstall -q -y --no-install-recommends g++ "), std::string::npos);
}

} // namespace
} // namespace unravel::tool::test
