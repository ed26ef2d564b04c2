// Records as earlier versions wrote them: they are read, and are written again to the letter. What stands here may be
// added to, and never changes otherwise: ponds have it.
#include <gtest/gtest.h>

#include "services/iam/identity.h"
#include "services/iam/instance_profile.h"
#include "services/iam/managed_policy.h"

namespace tidemill::iam {
namespace {

constexpr std::string_view kAccount = "000000000000";

TEST(StoredRecords, OfIdentities) {
  const auto identity = [](Kind kind, std::string_view text) {
    EXPECT_EQ(encode_identity(decode_identity(kind, std::string(kAccount), text)), text);
  };
  identity(Kind::user,
           R"({"name":"u","path":"/","id":"AIDA","created_us":1,"tags":{"k":"v"},"boundary":"b",)"
           R"("inline_policies":{"p":"{}"},"attached":["a"],"groups":["g","h"],"access_keys":["AKIA"]})");
  identity(Kind::group,
           R"({"name":"g","path":"/","id":"AGPA","created_us":1,"tags":{},"inline_policies":{},"attached":[],)"
           R"("members":["u"]})");
  identity(Kind::role,
           R"({"name":"r","path":"/p/","id":"AROA","created_us":1,"tags":{},"inline_policies":{},"attached":[],)"
           R"("trust":"{}","description":"d","session_seconds_max":3600,"instance_profiles":["i"],)"
           R"("linked_service":"lambda.amazonaws.com"})");
  const std::string_view policy =
      R"({"name":"p","path":"/","id":"ANPA","created_us":1,"updated_us":2,"description":"d","tags":{},"versions":[)"
      R"({"number":1,"document":"{}","created_us":1},{"number":3,"document":"{\"a\":1}","created_us":2}],)"
      R"("default_version":3,"last_version":3,"attachments":1,"bounds":0})";
  EXPECT_EQ(encode_policy(decode_policy(std::string(kAccount), policy)), policy);
  const std::string_view profile = R"({"name":"i","path":"/","id":"AIPA","created_us":1,"tags":{},"role":"r"})";
  EXPECT_EQ(encode_profile(decode_profile(std::string(kAccount), profile)), profile);
}

}  // namespace
}  // namespace tidemill::iam
