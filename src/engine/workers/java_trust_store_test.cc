#include "engine/workers/java_trust_store.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/text.h"
#include "crypto/digest.h"

namespace tidemill::engine {
namespace {

std::string pem_of(std::string_view bytes) {
  return base::cat("-----BEGIN CERTIFICATE-----\n", base::base64_encode(bytes), "\n-----END CERTIFICATE-----\n");
}

// That Java reads it shows test_a_function_in_java_reaches_the_server_by_awss_names.
TEST(JavaTrustStore, HoldsTheCertificatesOfAText) {
  const std::string store = java_trust_store(base::cat("# a word\n", pem_of("first one"), "junk", pem_of("2")));
  const std::string content = store.substr(0, store.size() - 20);
  EXPECT_EQ(content.substr(0, 12), std::string("\xFE\xED\xFE\xED\0\0\0\2\0\0\0\2", 12));
  EXPECT_NE(content.find(std::string("\0\5X.509\0\0\0\x09" "first one", 20)), std::string::npos);
  EXPECT_TRUE(content.ends_with(std::string("\0\0\0\1" "2", 5)));
  EXPECT_EQ(store.substr(content.size()), crypto::sha1("Mighty Aphrodite" + content));
}

TEST(JavaTrustStore, LeavesOutWhatIsNoCertificate) {
  const std::string empty = java_trust_store("");
  EXPECT_EQ(empty.size(), 12u + 20u);
  EXPECT_EQ(java_trust_store("-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n"), empty);
  EXPECT_EQ(java_trust_store("-----BEGIN CERTIFICATE-----\nAAAA"), empty);
}

}  // namespace
}  // namespace tidemill::engine
