// Records as earlier versions wrote them: they are read, and are written again to the letter. What stands here may be
// added to, and never changes otherwise: ponds have it.
#include <gtest/gtest.h>

#include "services/ssm/parameter.h"

namespace tidemill::ssm {
namespace {

constexpr std::string_view kAccount = "000000000000";
constexpr std::string_view kRegion = "us-east-1";

TEST(StoredRecords, OfParameters) {
  const auto parameter = [](std::string_view text) {
    EXPECT_EQ(encode_parameter(decode_parameter(std::string(kAccount), std::string(kRegion), text)), text);
  };
  parameter(R"({"name":"/n","type":"String","value":"v","version":1,"modified_us":1,"modified_by":"a","tags":{}})");
  parameter(
      R"({"name":"/n","type":"SecureString","value":"v","version":2,"modified_us":1,"modified_by":"a","description":"d",)"
      R"("allowed_pattern":".*","tags":{"k":"v"},"key_id":"alias/k","labels":{"l":1}})");
}

}  // namespace
}  // namespace tidemill::ssm
