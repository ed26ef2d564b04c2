#include "main/faults_command.h"

#include <gtest/gtest.h>

namespace tidemill {
namespace {

FaultsOptions parse(std::vector<std::string_view> arguments) {
  return parse_faults_options(arguments, [](const std::string&) { return std::nullopt; });
}

std::string fault_of(std::vector<std::string_view> arguments) {
  arguments.insert(arguments.begin(), "add");
  return base::json::write(parse(std::move(arguments)).fault);
}

std::string wrong(std::vector<std::string_view> arguments) {
  try {
    (void)parse(std::move(arguments));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(FaultsCommand, AddsWhatItsFlagsSay) {
  EXPECT_EQ(fault_of({"--service", "dynamodb", "--operation=PutItem", "--throttle"}),
            R"({"service":"dynamodb","operation":"PutItem","effect":"throttle"})");
  EXPECT_EQ(fault_of({"--function", "f", "--error", "Boom", "--message", "as asked"}),
            R"({"function":"f","error":"Boom","message":"as asked","effect":"fail"})");
  EXPECT_EQ(fault_of({"--service", "s3", "--error", "SlowDown", "--status", "503", "--times", "3", "--seed", "7"}),
            R"({"service":"s3","error":"SlowDown","status":503,"times":3,"seed":7,"effect":"fail"})");
  EXPECT_EQ(fault_of({"--service", "sqs", "--partial", "--error", "InternalError", "--probability", "0.5"}),
            R"({"service":"sqs","error":"InternalError","probability":0.5,"effect":"partial"})");
}

TEST(FaultsCommand, DelaysHaveUnits) {
  EXPECT_EQ(fault_of({"--function", "f", "--delay", "250ms"}), R"({"function":"f","delay":0.25,"effect":"delay"})");
  EXPECT_EQ(fault_of({"--function", "f", "--delay", "1.5s"}), R"({"function":"f","delay":1.5,"effect":"delay"})");
  EXPECT_EQ(fault_of({"--function", "f", "--delay", "2m"}), R"({"function":"f","delay":120,"effect":"delay"})");
  for (const std::string_view delay : {"2", "soon", "s", "1..5s", "-1s", "2h"}) {
    EXPECT_NE(wrong({"add", "--function", "f", "--delay", delay}), "") << delay;
  }
}

TEST(FaultsCommand, ListsAndClears) {
  EXPECT_EQ(parse({"list"}).action, FaultsOptions::Action::list);
  EXPECT_EQ(parse({"clear", "12", "--endpoint", "http://h:1/"}).id, 12U);
  EXPECT_EQ(parse({"clear"}).id, std::nullopt);
  EXPECT_EQ(parse({"clear"}).action, FaultsOptions::Action::clear);
}

TEST(FaultsCommand, SaysWhatIsWrong) {
  EXPECT_NE(wrong({}), "");
  EXPECT_NE(wrong({"remove"}), "");
  EXPECT_NE(wrong({"list", "all"}), "");
  EXPECT_NE(wrong({"list", "--throttle"}), "");
  EXPECT_NE(wrong({"clear", "one"}), "");
  EXPECT_NE(wrong({"add", "--service", "sqs"}), "");
  EXPECT_NE(wrong({"add", "--service", "sqs", "--throttle", "--partial"}), "");
  EXPECT_NE(wrong({"add", "--service", "sqs", "--throttle", "--times", "many"}), "");
  EXPECT_NE(wrong({"add", "--service", "sqs", "--throttle", "--color", "red"}), "");
}

}  // namespace
}  // namespace tidemill
