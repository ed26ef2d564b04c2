// Records as earlier versions wrote them: they are read, and are written again to the letter. What stands here may be
// added to, and never changes otherwise: ponds have it.
#include <gtest/gtest.h>

#include "services/ecr/repository.h"

namespace tidemill::ecr {
namespace {

TEST(StoredRecords, OfRepositories) {
  const auto same = [](std::string_view text) {
    EXPECT_EQ(encode_repository(decode_repository({}, text)), text);
  };
  same(R"({"created_us":1,"tag_mutability":"MUTABLE","scan_on_push":false,"tags":{}})");
  same(
      R"({"created_us":1,"tag_mutability":"IMMUTABLE","scan_on_push":true,"lifecycle_policy":"{}","policy":"{\"a\":1}",)"
      R"("tags":{"k":"v"}})");
}

}  // namespace
}  // namespace tidemill::ecr
