// Records as earlier versions wrote them: they are read, and are written again to the letter. What stands here may be
// added to, and never changes otherwise: ponds have it.
#include <gtest/gtest.h>

#include "services/kms/key.h"

namespace tidemill::kms {
namespace {

TEST(StoredRecords, OfKeys) {
  const auto key = [](std::string_view text) { EXPECT_EQ(encode_key(decode_key({}, text)), text); };
  key(R"({"usage":"ENCRYPT_DECRYPT","spec":"SYMMETRIC_DEFAULT","description":"","policy":"{}","created_us":1,)"
      R"("enabled":true,"aws_managed":false,"material":"m","rotations_on_demand":0,"tags":{}})");
  key(R"({"usage":"ENCRYPT_DECRYPT","spec":"SYMMETRIC_DEFAULT","description":"d","policy":"{}","created_us":1,)"
      R"("enabled":false,"aws_managed":true,"deletion_us":4,"material":"m","rotations_on_demand":2,"rotation_days":90,)"
      R"("rotation_next_us":5,"tags":{"k":"v"}})");
}

}  // namespace
}  // namespace tidemill::kms
