// A profile as JSON, there and back, and what is said of files that are none.
#include "machine/facts.h"

#include "report/diagnostic.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace unravel::machine {
namespace {

TEST(MachineFacts, ReadBackWhatIsWritten) {
  Profile profile = portable();
  profile.processor = "a \"fast\" one";
  profile.caches = {{"L1 data", 48 << 10}, {"L2", 1 << 20}};
  EXPECT_EQ(from_json(to_json(profile), "file"), profile);
  EXPECT_EQ(from_json(to_json(portable()), "file"), portable());
}

TEST(MachineFacts, HaveNamesOfTheirOwn) {
  Profile profile;
  for (const Fact &fact : facts())
    fact.in(profile) = 1;
  for (const Fact &fact : facts()) {
    EXPECT_EQ(fact.of(profile), 1) << fact.name;
    fact.in(profile) = 2; // no two are the same number
  }
}

nlohmann::json good() {
  return nlohmann::json::parse(to_json(portable()));
}

std::string message_of(const std::string &text) {
  try {
    from_json(text, "m.json");
  } catch (const report::Error &error) {
    EXPECT_EQ(report::name_of(error.diagnostic().kind), "bad-machine-file");
    return error.what();
  }
  return "";
}

std::string with(const std::string &field, const nlohmann::json &value) {
  nlohmann::json changed = good();
  changed[field] = value;
  return message_of(changed.dump());
}

bool begins(const std::string &text, const std::string &beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

TEST(MachineFacts, BadFilesAreRefusedWithTheField) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {with("wake", -1), "`wake` is to be a number above 0, but is -1 [bad-machine-file]"},
      {with("wake", 0), "`wake` is to be a number above 0, but is 0 [bad-machine-file]"},
      {with("wake", "fast"), "`wake` is to be a number above 0, but is \"fast\" [bad-machine-file]"},
      {with("wake", nullptr), "`wake` is to be a number above 0, but is null [bad-machine-file]"},
      {with("gather8", -0.5), "`gather8` is to be a number, 0 or more, but is -0.5 [bad-machine-file]"},
      {with("processor", 7), "`processor` is to be a text, but is 7 [bad-machine-file]"},
      {with("caches", "none"), "`caches` is to be a list, but is \"none\" [bad-machine-file]"},
      {with("caches", {{{"name", "L1"}, {"bytes", 0}}}),
       "a cache has a `name` and its `bytes`, above 0, but here is an object "
       "[bad-machine-file]"},
      {with("wake", std::string(50, 'w')), "but is \"" + std::string(39, 'w') + "... [bad-machine-file]"},
      {with("wakes", 1), "a machine's profile has no `wakes` [bad-machine-file]"},
  };
  for (const auto &[message, expected] : all)
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  EXPECT_NE(with("wakes", 1).find("hint: did you mean `wake`?"), std::string::npos);
}

TEST(MachineFacts, AValueMayBeNestedDeeply) {
  const std::string message =
      message_of("{\"processor\":" + std::string(200000, '[') + std::string(200000, ']') + "}");
  EXPECT_NE(message.find("`processor` is to be a text, but is a list [bad-machine-file]"), std::string::npos);
}

TEST(MachineFacts, MissingFieldsAreNamed) {
  for (const char *field : {"entry", "even.gathers", "processor", "caches"}) {
    nlohmann::json changed = good();
    changed.erase(field);
    const std::string expected = std::string("m.json:1:1: error: `") + field + "` is missing: ";
    EXPECT_TRUE(begins(message_of(changed.dump()), expected)) << message_of(changed.dump());
  }
}

TEST(MachineFacts, TextsThatAreNoProfile) {
  EXPECT_TRUE(begins(message_of(""), "m.json:1:1: error: no JSON from here on [bad-machine-file]"));
  EXPECT_TRUE(begins(message_of("{\"wake\": 1,\n  \"entry\": nan}"),
                     "m.json:2:13: error: no JSON from here on [bad-machine-file]"));
  EXPECT_TRUE(begins(message_of("[1]"), "m.json:1:1: error: a machine's profile is an object, `{` to `}`"));
  EXPECT_TRUE(begins(message_of("{\"wake\": 1e999}"), "m.json:1:1: error: a number is too large"));
  EXPECT_TRUE(begins(message_of("{\"wake\": 1,\n\"wake\": 2}"), "m.json:1:2: error: `wake` is given twice"));
  const std::string whole = to_json(portable());
  EXPECT_NE(message_of(whole.substr(0, whole.size() / 2)), "");
  EXPECT_NE(message_of(whole + "x"), "");
}

TEST(MachineProfile, GathersPayWhereTheyAreFasterByAMargin) {
  EXPECT_TRUE(gathers_pay(portable()));
  Profile profile = portable();
  profile.even.gathers = 0;
  EXPECT_FALSE(gathers_pay(profile)); // the processor has none
  profile = portable();
  profile.uneven.gathers = 0.96 * profile.uneven.pairs;
  EXPECT_FALSE(gathers_pay(profile));
  profile = portable();
  profile.even.pairs = profile.even.gathers;
  EXPECT_FALSE(gathers_pay(profile));
}

} // namespace
} // namespace unravel::machine
