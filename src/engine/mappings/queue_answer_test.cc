#include "engine/mappings/queue_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemill::engine {
namespace {

using ::testing::ElementsAre;

TEST(QueueAnswer, AnswersWithoutFailuresAreAWholeSuccess) {
  for (const std::string_view answer :
       {"", R"("")", "null", "{}", "[]", R"({"batchItemFailures":[]})", R"({"batchItemFailures":null})",
        R"({"statusCode":200,"body":"done"})"}) {
    const auto failures = reported_failures(answer);
    ASSERT_TRUE(failures) << answer;
    EXPECT_TRUE(failures->empty()) << answer;
  }
}

TEST(QueueAnswer, NamedItemsAreAPartialFailure) {
  const auto failures =
      reported_failures(R"({"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"a","more":1}]})");
  ASSERT_TRUE(failures);
  EXPECT_THAT(*failures, ElementsAre("b", "a"));
}

TEST(QueueAnswer, AnythingElseIsAWholeFailure) {
  for (const std::string_view answer :
       {R"({"batchItemFailures":[{"itemIdentifier":""}]})", R"({"batchItemFailures":[{"itemIdentifier":null}]})",
        R"({"batchItemFailures":[{"foo":"a"}]})", R"({"batchItemFailures":[{"foo":null}]})",
        R"({"batchItemFailures":[{"itemIdentifier":7}]})", R"({"batchItemFailures":["a"]})",
        R"({"batchItemFailures":[{"itemIdentifier":"a"},{"itemIdentifier":""}]})", R"({"batchItemFailures":"a"})",
        R"({"batchItemFailures":{}})", R"("{\"batchItemFailures\":")", R"({"batchItemFailures":)", "7", "true",
        R"([{"itemIdentifier":"a"}])"}) {
    EXPECT_FALSE(reported_failures(answer)) << answer;
  }
}

}  // namespace
}  // namespace tidemill::engine
