#include "wire/pipeline/admit.h"

#include <gtest/gtest.h>

#include "wire/testdata/attic.h"
#include "wire/testdata/kettle.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

constexpr size_t kKettleBytesMax = 4096;

std::string admitted(std::string body, const OperationInfo& info) {
  net::Request request = testing::make_request("POST", "/", {}, std::move(body));
  WireRequest in;
  return testing::run(admit_body(request, info, in));
}

TEST(Admit, ABodyMayBeAsLongAsItsOperationAllows) {
  const OperationInfo& brew = kettle::ops::Brew::info;
  EXPECT_EQ(admitted(std::string(kKettleBytesMax, ' '), brew).size(), kKettleBytesMax);
  EXPECT_THROW(admitted(std::string(kKettleBytesMax + 1, ' '), brew), net::BodyTooLarge);
}

TEST(Admit, AnXmlBodyIsHeldToItsClaims) {
  net::Request request = testing::make_request("POST", "/box?delete", {}, "<Delete/>");
  WireRequest in;
  in.headers = {{"content-md5", "1B2M2Y8AsgTpgAmY7PhCfg=="}};  // of nothing
  EXPECT_THROW(testing::run(admit_body(request, attic::ops::DeleteThings::info, in)), Error);
}

TEST(Admit, AStreamThatMustSayItsLengthIsAskedForIt) {
  const net::Request request = testing::make_request("PUT", "/box/a", {}, "body");
  WireRequest in;
  EXPECT_THROW((void)admit_stream(request, attic::ops::PutThing::info, in), Error);
}

TEST(Admit, AFormHasItsOwnLimit) {
  net::Request request = testing::make_request("POST", "/", {}, "Action=X");
  EXPECT_THROW(testing::run(admit_form(request, 7)), net::BodyTooLarge);
}

}  // namespace
}  // namespace tidemill::wire
