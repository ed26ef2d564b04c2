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
  EXPECT_EQ(base::hex_of(sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(base::hex_of(sha384("abc")),
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7");
  EXPECT_EQ(base::hex_of(sha512("abc")),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
}

}  // namespace
}  // namespace tidemill::crypto
