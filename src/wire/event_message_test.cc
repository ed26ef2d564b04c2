#include "wire/event_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "wire/event_reader_for_test.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using testing::read_message;

// The message of AWS's own test suite for the encoding: one header of a string.
TEST(EventMessages, AreEncodedAsTheDocumentSays) {
  const std::string message = encode_message({{"content-type", "application/json"}}, "{'foo':'bar'}");
  EXPECT_EQ(message,
            std::string("\0\0\0=\0\0\0 \x07\xFD\x83\x96\x0C"
                        "content-type\x07\0\x10"
                        "application/json{'foo':'bar'}\x8D\x9C\x08\xB1",
                        61));
}

constexpr OperationInfo kWatch{.service = "weathervane", .name = "Watch", .protocol = Protocol::json_1_1,
                               .internal_error = "InternalFailure"};

constexpr std::string_view kErrors[] = {"NoStation"};

EventFormat format() { return {kWatch, Encoding::own, "{}", kErrors}; }

TEST(EventMessages, BeginWithTheInitialResponseAndEndWithTheEvents) {
  int left = 2;
  const BodyStream stream = message_stream(format(), [&]() -> Task<std::optional<EventMessage>> {
    if (left-- == 0) co_return std::nullopt;
    co_return EventMessage{"Gust", "{\"n\":1}"};
  });
  EXPECT_EQ(stream.length(), std::nullopt);
  const auto first = read_message(*testing::run(stream.read()));
  EXPECT_THAT(first.headers, ElementsAre(Pair(":content-type", "application/x-amz-json-1.1"),
                                         Pair(":event-type", "initial-response"), Pair(":message-type", "event")));
  EXPECT_EQ(first.payload, "{}");
  const auto second = read_message(*testing::run(stream.read()));
  EXPECT_EQ(second.headers.at(":event-type"), "Gust");
  EXPECT_EQ(second.payload, "{\"n\":1}");
  EXPECT_TRUE(testing::run(stream.read()));
  EXPECT_FALSE(testing::run(stream.read()));
  EXPECT_FALSE(testing::run(stream.read()));
}

testing::ReadMessage failure_of(std::function<void()> fail) {
  const BodyStream stream = message_stream(format(), [&]() -> Task<std::optional<EventMessage>> {
    fail();
    co_return std::nullopt;
  });
  (void)testing::run(stream.read());
  auto message = read_message(*testing::run(stream.read()));
  EXPECT_FALSE(testing::run(stream.read())) << "an error is the end";
  return message;
}

TEST(EventMessages, TellErrorsOfTheModelAsExceptions) {
  const auto message = failure_of([] { throw Error("NoStation", 404, "gone"); });
  EXPECT_THAT(message.headers,
              ElementsAre(Pair(":content-type", "application/x-amz-json-1.1"), Pair(":exception-type", "NoStation"),
                          Pair(":message-type", "exception")));
  EXPECT_EQ(message.payload, "{\"message\":\"gone\"}");
}

TEST(EventMessages, TellOtherErrorsAndDefectsAsErrors) {
  EXPECT_THAT(failure_of([] { throw Error("Odd", 400, "why"); }).headers,
              ElementsAre(Pair(":error-code", "Odd"), Pair(":error-message", "why"), Pair(":message-type", "error")));
  EXPECT_THAT(failure_of([] { throw std::runtime_error("secret"); }).headers,
              ElementsAre(Pair(":error-code", "InternalFailure"), Pair(":error-message", "Internal server error"),
                          Pair(":message-type", "error")));
}

}  // namespace
}  // namespace tidemill::wire
