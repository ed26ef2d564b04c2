// Mappings whose batches go to a pipe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/invokers.h"
#include "engine/mappings/failure_document.h"
#include "engine/mappings/mapping.h"

namespace tidemill::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kPipe = "arn:aws:pipes:us-east-1:000000000000:pipe/p";
constexpr std::string_view kFunction = "arn:aws:lambda:us-east-1:000000000000:function:f";

Mapping mapping_to(std::string_view arn) {
  Mapping mapping;
  mapping.uuid = "u";
  mapping.event_source_arn = "arn:aws:kinesis:us-east-1:000000000000:stream/s";
  mapping.function_arn = arn;
  return mapping;
}

TEST(PipeMapping, IsTheRecordsThatItGoesWith) {
  Mapping mapping = mapping_to(kPipe);
  mapping.owner_key = std::string("R\0p", 3);
  const auto decoded = decode_mapping(encode_mapping(mapping));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->owner_key, mapping.owner_key);
  EXPECT_TRUE(goes_to_pipe(*decoded));
  EXPECT_FALSE(goes_to_pipe(mapping_to(kFunction)));
  EXPECT_EQ(decode_mapping(encode_mapping(mapping_to(kFunction)))->owner_key, "");
}

TEST(PipeMapping, ItsFailureDocumentNamesThePipe) {
  DiscardedBatch batch{.shard_id = "shardId-0", .first_sequence_number = "1", .last_sequence_number = "2", .count = 2};
  const std::string document = failure_document(mapping_to(kPipe), batch, base::Time(), false);
  EXPECT_THAT(document, HasSubstr(R"({"context":{"partnerResourceArn":"arn:aws:pipes:us-east-1:000000000000:pipe/p",)"
                                  R"("condition":"RetryAttemptsExhausted"},"version":"1.0")"));
  EXPECT_THAT(document, HasSubstr(R"("startSequenceNumber":"1","endSequenceNumber":"2")"));
  EXPECT_THAT(document, Not(HasSubstr("responseContext")));
  EXPECT_THAT(failure_document(mapping_to(kFunction), batch, base::Time(), false), HasSubstr("requestContext"));
}

struct Named final : Invoker {
  explicit Named(std::string of) : name(std::move(of)) {}
  Task<InvokeOutcome> invoke(std::string_view, std::string) override {
    return Task<InvokeOutcome>::ready({.status = InvokeStatus::ok, .payload = name});
  }
  Task<std::optional<std::chrono::seconds>> timeout(std::string_view) override {
    return Task<std::optional<std::chrono::seconds>>::ready(std::chrono::seconds(name.size()));
  }
  std::string name;
};

template <class T>
T result_of(Task<T> task) {
  std::optional<T> result;
  base::Scope scope;
  scope.spawn([](Task<T> inner, std::optional<T>& out) -> Task<void> { out = co_await std::move(inner); }(
      std::move(task), result));
  return std::move(result).value();
}

TEST(Invokers, CallsGoByTheServiceOfTheirArn) {
  Named functions("lambda");
  Named pipes("pipes!!");
  Invokers invokers({{"lambda", &functions}, {"pipes", &pipes}});
  EXPECT_EQ(result_of(invokers.invoke(kFunction, "")).payload, "lambda");
  EXPECT_EQ(result_of(invokers.invoke(kPipe, "")).payload, "pipes!!");
  EXPECT_EQ(result_of(invokers.timeout(kPipe)), std::chrono::seconds(7));
  EXPECT_EQ(result_of(invokers.invoke("arn:aws:sqs:us-east-1:000000000000:q", "")).status, InvokeStatus::no_function);
  EXPECT_EQ(result_of(invokers.wait_for_place("no arn", base::Time(), {})), nullptr);
  EXPECT_EQ(result_of(invokers.invoke(kPipe, "")).payload, "pipes!!");
  EXPECT_EQ(invokers.calls_of("lambda"), 1u);
  EXPECT_EQ(invokers.calls_of("pipes"), 2u);
  EXPECT_EQ(invokers.calls_of("sqs"), 0u);
}

}  // namespace
}  // namespace tidemill::engine
