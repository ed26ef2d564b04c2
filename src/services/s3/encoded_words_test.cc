#include "services/s3/encoded_words.h"

#include <gtest/gtest.h>

namespace tidemill::s3 {
namespace {

TEST(EncodedWords, AreDecodedWhereTheyAreRight) {
  EXPECT_EQ(decode_words("=?UTF-8?B?YWJj?="), "abc");
  EXPECT_EQ(decode_words("=?utf-8?q?caf=C3=A9_1?="), "caf\xc3\xa9 1");
  EXPECT_EQ(decode_words("a =?UTF-8?Q?b?= =?UTF-8?Q?c?= d"), "a bc d");
  for (const char* text : {"plain", "=?UTF-8?B?!!?=", "=?UTF-8?Q?=C3?=", "=?ISO-8859-1?Q?=E4?=", "=?UTF-8?Q?=4?=", "=?=", "=?x?="}) {
    EXPECT_EQ(decode_words(text), text);
  }
}

TEST(EncodedWords, AreMadeOfWhatNoHeaderCanSay) {
  EXPECT_EQ(encode_words("plain text"), "plain text");
  EXPECT_EQ(encode_words("\xc3\x84M\xc3\x84Z\xc3\x95\xc3\x91 S3"), "=?UTF-8?Q?=C3=84M=C3=84Z=C3=95=C3=91_S3?=");
  EXPECT_EQ(encode_words(std::string("\0\1\2\3\4", 5)), "=?UTF-8?B?AAECAwQ=?=");
  EXPECT_EQ(encode_words("a\r\nb: cde"), "=?UTF-8?Q?a=0D=0Ab:_cde?=");
  EXPECT_EQ(encode_words("=?UTF-8?B?!!?="), "=?UTF-8?Q?=3D=3FUTF-8=3FB=3F!!=3F=3D?=");
}

TEST(EncodedWords, ComeBackAsTheyWere) {
  for (const char* text : {"\xc3\xa9", "=?", "a_b=c?d \xe2\x80\x94", "=?UTF-8?Q?x?=", "\t"}) {
    EXPECT_EQ(decode_words(encode_words(text)), text);
  }
}

}  // namespace
}  // namespace tidemill::s3
