#include "base/uuid.h"

#include <gtest/gtest.h>

#include <set>

namespace tidemill::base {
namespace {

TEST(Uuid, IsRandomAndOfVersion4) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string id = new_uuid();
    ASSERT_EQ(id.size(), 36u);
    EXPECT_EQ(id[14], '4');
    EXPECT_TRUE(std::string_view("89ab").contains(id[19])) << id;
    EXPECT_TRUE(seen.insert(id).second);
  }
}

TEST(Uuid, IsTheFormOfBytes) {
  EXPECT_EQ(uuid_text(std::string_view("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff more", 21)),
            "00112233-4455-6677-8899-aabbccddeeff");
}

}  // namespace
}  // namespace tidemill::base
