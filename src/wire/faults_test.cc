#include "wire/faults.h"

#include <gtest/gtest.h>

#include "wire/testdata/kettle.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using testing::run;

class FaultsTest : public ::testing::Test {
 protected:
  // Whether a call of the operation is let through.
  bool passes(const OperationInfo& operation = kettle::ops::Brew::info) {
    try {
      std::ignore = run([](Faults& faults, Context& context, const OperationInfo& info) -> Task<bool> {
        co_await faults.authorize({context, info});
        co_return true;
      }(faults_, context_, operation));
      return true;
    } catch (const Error& error) {
      error_ = error;
    } catch (const ThrottledByFault& error) {
      error_ = Error("throttled", 0, error.what());
    }
    return false;
  }

  static Fault brew(FaultEffect effect) {
    Fault fault;
    fault.service = kettle::ops::Brew::info.service;
    fault.operation = kettle::ops::Brew::info.name;
    fault.effect = effect;
    return fault;
  }

  Faults faults_;
  testing::NoStore store_;
  base::RealClock clock_;
  base::Metrics metrics_;
  Registry registry_;
  Platform platform_{store_, clock_, metrics_, registry_, nullptr, &faults_};
  Context context_{platform_, "000000000000", "us-east-1", "id", Principal()};
  Error error_{"", 0, ""};
};

TEST_F(FaultsTest, WithoutAnyAllPass) {
  EXPECT_FALSE(faults_.any());
  EXPECT_TRUE(passes());
  EXPECT_EQ(Faults::of(context_), &faults_);
}

TEST_F(FaultsTest, StrikesOnlyWhatItNames) {
  faults_.add(brew(FaultEffect::throttle));
  EXPECT_TRUE(passes(kettle::ops::Rinse::info));
  EXPECT_FALSE(passes());
  EXPECT_EQ(error_.code, "throttled");
}

TEST_F(FaultsTest, OfAServiceStrikesEveryOperation) {
  Fault fault = brew(FaultEffect::fail);
  fault.operation.clear();
  faults_.add(fault);
  EXPECT_FALSE(passes());
  EXPECT_FALSE(passes(kettle::ops::Rinse::info));
  EXPECT_EQ(error_.code, kettle::ops::Rinse::info.internal_error);
  EXPECT_EQ(error_.http_status, 500);
}

TEST_F(FaultsTest, ErrorsHaveTheStatusThatTheirNamesSuggest) {
  const std::pair<std::string, int> cases[] = {{"ThrottlingException", 400},
                                               {"TooManyRequestsException", 429},
                                               {"InternalFailure", 500},
                                               {"ServiceUnavailable", 503},
                                               {"SlowDown", 503}};
  for (const auto& [name, status] : cases) {
    Fault fault = brew(FaultEffect::fail);
    fault.error = name;
    const auto id = faults_.add(fault);
    EXPECT_FALSE(passes());
    EXPECT_EQ(error_.http_status, status) << name;
    EXPECT_TRUE(faults_.remove(*id));
  }
}

TEST_F(FaultsTest, EndsAfterItsTimesAndCountsWhatItSaw) {
  Fault fault = brew(FaultEffect::throttle);
  fault.times = 2;
  faults_.add(fault);
  EXPECT_FALSE(passes());
  EXPECT_FALSE(passes());
  EXPECT_FALSE(faults_.any());
  EXPECT_TRUE(passes());
  EXPECT_EQ(faults_.list().front().struck, 2u);
  EXPECT_EQ(faults_.clear(), 1u);
}

TEST_F(FaultsTest, TheSameSeedStrikesTheSame) {
  const auto outcomes = [&](uint64_t seed) {
    Fault fault = brew(FaultEffect::throttle);
    fault.probability = 0.5;
    fault.seed = seed;
    const auto id = faults_.add(fault);
    std::string result;
    for (int i = 0; i < 40; ++i) result += passes() ? '.' : 'x';
    faults_.remove(*id);
    return result;
  };
  const std::string first = outcomes(1);
  EXPECT_EQ(outcomes(1), first);
  EXPECT_NE(outcomes(2), first);
  EXPECT_NE(first.find('.'), std::string::npos);
  EXPECT_NE(first.find('x'), std::string::npos);
}

TEST_F(FaultsTest, EntriesFailEachByItself) {
  Fault fault = brew(FaultEffect::partial);
  fault.times = 2;
  faults_.add(fault);
  EXPECT_TRUE(passes());  // the call itself is let through
  EntryFaults entries(context_, kettle::ops::Brew::info.service, kettle::ops::Brew::info.name);
  ASSERT_TRUE(entries.any());
  EXPECT_EQ(entries.next("Mine")->code, "Mine");
  EXPECT_TRUE(entries.next("Mine").has_value());
  EXPECT_FALSE(entries.next("Mine").has_value());
  EXPECT_FALSE(EntryFaults(context_, kettle::ops::Rinse::info.service, kettle::ops::Rinse::info.name).any());
}

TEST_F(FaultsTest, FunctionsGoByNameOrArn) {
  Fault fault;
  fault.function = "arn:f";
  fault.effect = FaultEffect::throttle;
  fault.times = 1;
  faults_.add(fault);
  EXPECT_TRUE(passes());
  EXPECT_FALSE(faults_.may_throttle("f", "arn:other"));
  EXPECT_TRUE(faults_.may_throttle("f", "arn:f"));
  EXPECT_FALSE(run(faults_.before_function("f", "arn:other")).has_value());
  EXPECT_EQ(run(faults_.before_function("f", "arn:f"))->effect, FaultEffect::throttle);
  EXPECT_FALSE(run(faults_.before_function("f", "arn:f")).has_value());
}

TEST_F(FaultsTest, ThereIsAnEndToThem) {
  for (size_t i = 0; i < kFaultsMax; ++i) ASSERT_TRUE(faults_.add(brew(FaultEffect::throttle)).has_value());
  EXPECT_FALSE(faults_.add(brew(FaultEffect::throttle)).has_value());
}

// Whoever judges calls otherwise stands behind.
TEST_F(FaultsTest, LetsThroughToTheNextOne) {
  struct Nobody : Authorizer {
    Task<void> authorize(const Access&) override { throw Error("AccessDenied", 403, "no"); }
  } nobody;
  Faults faults(&nobody);
  EXPECT_THROW(run([](Faults& gate, Context& context) -> Task<int> {
                 co_await gate.authorize({context, kettle::ops::Brew::info});
                 co_return 0;
               }(faults, context_)),
               Error);
}

}  // namespace
}  // namespace tidemill::wire
