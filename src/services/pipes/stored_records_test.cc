// Records as earlier versions wrote them: they are read, and are written again to the letter. What stands here may be
// added to, and never changes otherwise: ponds have it.
#include <gtest/gtest.h>

#include "services/pipes/pipe.h"

namespace tidemill::pipes {
namespace {

TEST(StoredRecords, OfPipes) {
  const auto same = [](std::string_view text) { EXPECT_EQ(encode_pipe(decode_pipe({}, text)), text); };
  same(
      R"({"created_us":1,"modified_us":2,"mapping":"m","settings":"{\"Source\":\"a\",\"Target\":\"b\",\"RoleArn\":\"c\"}"})");
  same(R"({"created_us":1,"modified_us":2,"mapping":"m","failed_state":"CREATE_FAILED","failure":"",)"
       R"("settings":"{\"Source\":\"a\",\"Target\":\"b\",\"RoleArn\":\"c\"}"})");
}

}  // namespace
}  // namespace tidemill::pipes
