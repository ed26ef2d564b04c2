// Reserved concurrency.
#include "services/lambda/functions_world.h"

namespace tidemill::lambda {
namespace {

using testing::HasSubstr;

class ConcurrencyTest : public FunctionsTest {
 protected:
  ConcurrencyTest() { call<ops::CreateFunction>(definition()); }

  std::string reserve(int count, std::string name = "echo") {
    shapes::PutFunctionConcurrencyInput request;
    request.function_name = std::move(name);
    request.reserved_concurrent_executions = count;
    return refusal<ops::PutFunctionConcurrency>(request);
  }
  std::optional<int32_t> reserved() {
    shapes::GetFunctionConcurrencyInput request;
    request.function_name = "echo";
    return call<ops::GetFunctionConcurrency>(request).reserved_concurrent_executions;
  }
  int32_t unreserved() {
    return *call<ops::GetAccountSettings>({}).account_limit->unreserved_concurrent_executions;
  }
};

TEST_F(ConcurrencyTest, WhatIsReservedIsToldAndTakenFromTheAccount) {
  EXPECT_FALSE(reserved());
  EXPECT_EQ(unreserved(), 1000);
  EXPECT_EQ(reserve(30), "accepted");
  EXPECT_EQ(reserved(), 30);
  EXPECT_EQ(unreserved(), 970);
  EXPECT_EQ(reserve(10), "accepted");
  EXPECT_EQ(unreserved(), 990);
  shapes::GetFunctionInput get;
  get.function_name = "echo";
  EXPECT_EQ(call<ops::GetFunction>(get).concurrency->reserved_concurrent_executions, 10);
  shapes::DeleteFunctionConcurrencyInput remove;
  remove.function_name = "echo";
  call<ops::DeleteFunctionConcurrency>(remove);
  EXPECT_FALSE(reserved());
  EXPECT_EQ(unreserved(), 1000);
}

TEST_F(ConcurrencyTest, AHundredAreLeftToTheOthers) {
  EXPECT_EQ(reserve(901),
            "InvalidParameterValueException: Specified ReservedConcurrentExecutions for function decreases account's "
            "UnreservedConcurrentExecution below its minimum value of [100].");
  EXPECT_EQ(reserve(900), "accepted");
  call<ops::CreateFunction>(definition("other"));
  EXPECT_THAT(reserve(1, "other"), HasSubstr("below its minimum value"));
  EXPECT_EQ(reserve(0, "other"), "accepted");
}

TEST_F(ConcurrencyTest, ADeletedFunctionGivesBackWhatItReserved) {
  EXPECT_EQ(reserve(500), "accepted");
  shapes::DeleteFunctionInput request;
  request.function_name = "echo";
  call<ops::DeleteFunction>(request);
  EXPECT_EQ(unreserved(), 1000);
}

TEST_F(ConcurrencyTest, VersionsReserveNothingOfTheirOwn) {
  EXPECT_THAT(reserve(1, "echo:1"), HasSubstr("Aliases and versions do not support this operation."));
}

TEST_F(ConcurrencyTest, AFunctionWithoutAnyPlaceIsThrottledAndSaysByWhat) {
  EXPECT_EQ(reserve(0), "accepted");
  try {
    call<ops::Invoke>(invocation("echo"));
    FAIL() << "it ran";
  } catch (const wire::Error& error) {
    EXPECT_EQ(error.code, "TooManyRequestsException");
    EXPECT_EQ(error.message, "Rate Exceeded.");
    EXPECT_THAT(error.more_members, HasSubstr("ReservedFunctionConcurrentInvocationLimitExceeded"));
  }
  EXPECT_EQ(reserve(1), "accepted");
  EXPECT_EQ(call<ops::Invoke>(invocation("echo", "1")).payload, "1");
}

}  // namespace
}  // namespace tidemill::lambda
