#include "wire/pipeline/encode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/store.h"
#include "wire/testdata/attic.h"
#include "wire/testdata/kettle.h"
#include "wire/testdata/teahouse.h"

namespace tidemill::wire {
namespace {

using ::testing::HasSubstr;

template <class Thrown>
net::Response answer_to(Thrown thrown, const OperationInfo& info) {
  return encode(info, Encoding::own, refusal_for(info, std::make_exception_ptr(std::move(thrown))), "id");
}

TEST(Encode, WhatAnOperationRefusesIsSaidInItsForm) {
  const Error error("Cold", 409, "cold");
  EXPECT_THAT(answer_to(error, kettle::ops::Brew::info).body, HasSubstr("#Cold\""));
  EXPECT_EQ(answer_to(error, teahouse::ops::GetGuest::info).headers.get("x-amzn-errortype"), "Cold");
  EXPECT_THAT(answer_to(error, attic::ops::GetThing::info).body, HasSubstr("<Code>Cold</Code>"));
  EXPECT_EQ(answer_to(error, attic::ops::GetThing::info).status, 409);
}

TEST(Encode, OverloadIsTheServicesThrottling) {
  EXPECT_EQ(answer_to(store::Overloaded("full"), kettle::ops::Brew::info).status, 400);
  EXPECT_THAT(answer_to(store::Overloaded("full"), kettle::ops::Brew::info).body, HasSubstr("TooHotException"));
  EXPECT_EQ(answer_to(store::Overloaded("full"), teahouse::ops::GetGuest::info).status, 429);
  EXPECT_EQ(answer_to(store::Overloaded("full"), attic::ops::GetThing::info).status, 503);
}

TEST(Encode, DefectsSayNothingOfThemselves) {
  const net::Response response = answer_to(std::runtime_error("secret"), kettle::ops::Brew::info);
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body.find("secret"), std::string::npos);
  EXPECT_EQ(answer_to(1, kettle::ops::Brew::info).status, 500);
}

TEST(Encode, BodiesThatAreTooLargeOrLostAreTheClients) {
  EXPECT_EQ(answer_to(net::BodyTooLarge(), kettle::ops::Brew::info).status, 413);
  EXPECT_THAT(answer_to(net::BodyTooLarge(), attic::ops::PutThing::info).body, HasSubstr("MaxMessageLengthExceeded"));
  EXPECT_THAT(answer_to(net::ConnectionLost("gone"), attic::ops::PutThing::info).body, HasSubstr("IncompleteBody"));
}

}  // namespace
}  // namespace tidemill::wire
