#include "base/base64.h"

#include <gtest/gtest.h>

#include <random>

namespace tidemill::base {
namespace {

TEST(Base64, EncodesTheExamplesOfTheRfc) {
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text), bytes);
  }
}

TEST(Base64, RefusesWhatIsNotStrict) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zm8", "Zm9v\n", "Zm 9", "Zm-_", "====", "=g==", "Zg=v",
                           "Z===", "Zg==Zg==", "Zm9vé"}) {
    std::string out = "kept";
    EXPECT_FALSE(append_base64_decoded(out, text)) << text;
    EXPECT_EQ(out, "kept");
  }
}

TEST(Base64, BringsRandomBytesBack) {
  std::mt19937 random(1);
  for (size_t size = 0; size < 200; ++size) {
    std::string bytes;
    for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(random()));
    const std::string text = base64_encode(bytes);
    EXPECT_EQ(text.size(), base64_encoded_size(size));
    EXPECT_EQ(base64_decode(text), bytes);
  }
}

}  // namespace
}  // namespace tidemill::base
