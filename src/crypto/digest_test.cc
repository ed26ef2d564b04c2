#include "crypto/digest.h"

#include <gtest/gtest.h>

#include "base/hex.h"

namespace tidemill::crypto {
namespace {

TEST(Digest, IsThatOfTheStandards) {
  EXPECT_EQ(base::hex_of(md5("")), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(base::hex_of(md5("abc")), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(base::hex_of(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(base::hex_of(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace tidemill::crypto
