#include "engine/mappings/queue_filter.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/text.h"

namespace tidemill::engine {
namespace {

std::string record(std::string_view body) {
  std::string quoted;
  json::append_string(quoted, body);
  return base::cat(R"({"messageId":"m","body":)", quoted,
                   R"(,"messageAttributes":{"kind":{"stringValue":"order","dataType":"String"}},)"
                   R"("eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:us-east-1:000000000000:q"})");
}

bool passes(std::vector<std::string> patterns, std::string_view body) {
  return QueueFilter(patterns).passes(record(body));
}

TEST(QueueFilter, WithoutPatternsEverythingPasses) { EXPECT_TRUE(passes({}, "text")); }

TEST(QueueFilter, JsonBodiesAreMatchedByTheirMembers) {
  EXPECT_TRUE(passes({R"({"body":{"n":[{"numeric":[">",1]}]}})"}, R"({"n":2})"));
  EXPECT_TRUE(passes({R"({"body":{"n":[{"numeric":[">",1]}]}})"}, " \n{\"n\":2}"));
  EXPECT_FALSE(passes({R"({"body":{"n":[{"numeric":[">",1]}]}})"}, R"({"n":1})"));
  EXPECT_TRUE(passes({R"({"body":{"n":[2]}})"}, R"([{"n":1},{"n":2}])"));
}

TEST(QueueFilter, PlainBodiesAreMatchedByPlainPatternsOnly) {
  EXPECT_TRUE(passes({R"({"body":["hello"]})"}, "hello"));
  EXPECT_TRUE(passes({R"({"body":["12"]})"}, "12"));
  EXPECT_FALSE(passes({R"({"body":{"n":[1]}})"}, "hello"));
  EXPECT_FALSE(passes({R"({"body":{"n":[1]}})"}, R"({"n":1)"));
  EXPECT_FALSE(passes({R"({"body":["{\"n\":1}"]})"}, R"({"n":1})"));
}

TEST(QueueFilter, PatternsWithoutABodyLookAtTheRestOnly) {
  EXPECT_TRUE(passes({R"({"messageAttributes":{"kind":{"stringValue":["order"]}}})"}, "any"));
  EXPECT_FALSE(passes({R"({"messageAttributes":{"kind":{"stringValue":["bill"]}}})"}, "any"));
}

TEST(QueueFilter, OneOfSeveralPatternsIsEnough) {
  EXPECT_TRUE(passes({R"({"body":["a"]})", R"({"body":["b"]})"}, "b"));
  EXPECT_FALSE(passes({R"({"body":["a"]})", R"({"body":["b"]})"}, "c"));
}

TEST(QueueFilter, APatternThatCannotBeReadDecidesNothing) {
  EXPECT_THROW((void)passes({"{"}, "a"), lang::patterns::PatternError);
}

TEST(QueueFilter, WhatIsAddedAfterFilteringCannotBeMatched) {
  EXPECT_FALSE(passes({R"({"eventSource":["aws:sqs"]})"}, "a"));
  EXPECT_TRUE(passes({R"({"eventSource":[{"exists":false}]})"}, "a"));
}

}  // namespace
}  // namespace tidemill::engine
