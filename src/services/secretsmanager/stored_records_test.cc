// Records as earlier versions wrote them: they are read, and are written again to the letter. What stands here may be
// added to, and never changes otherwise: ponds have it.
#include <gtest/gtest.h>

#include "services/secretsmanager/secret.h"

namespace tidemill::secretsmanager {
namespace {

TEST(StoredRecords, OfSecrets) {
  const std::string_view secret =
      R"({"suffix":"AbCdEf","description":"d","kms_key_id":"k","created_us":1,"changed_us":2,"deletion_us":3,)"
      R"("policy":"{}","tags":{},"versions":{"v1":1,"v2":2},"stages":{"AWSCURRENT":"v2"}})";
  EXPECT_EQ(encode_secret(decode_secret({}, secret)), secret);
}

}  // namespace
}  // namespace tidemill::secretsmanager
