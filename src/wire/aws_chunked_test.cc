#include "wire/aws_chunked.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/error.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// The content, or the error's code; fed in pieces of `step` bytes.
std::string decode(std::string_view bytes, uint64_t length, std::string_view declared = "", size_t step = 1000,
                   BodySource::Headers* trailers = nullptr) {
  AwsChunkedDecoder decoder(length, declared);
  std::string content;
  try {
    for (size_t at = 0; at < bytes.size(); at += step) decoder.feed(bytes.substr(at, step), content);
    decoder.finish();
  } catch (const Error& error) {
    return error.code;
  }
  if (trailers) *trailers = decoder.trailers();
  return content;
}

TEST(AwsChunked, GivesTheContentHoweverItIsCut) {
  const std::string first(AwsChunkedDecoder::kChunkBytesMin, 'a');
  const std::string body = "2000;chunk-signature=0a\r\n" + first +
                           "\r\nA\r\n0123456789\r\n0;chunk-signature=0b\r\n"
                           "X-Amz-Checksum-Crc32C: sOO8/Q==\n\r\nx-amz-trailer-signature:0c\r\n\r\n";
  for (size_t step = 1; step <= body.size(); step += step < 200 ? 1 : 97) {
    BodySource::Headers trailers;
    EXPECT_EQ(decode(body, first.size() + 10, "x-amz-checksum-crc32c", step, &trailers), first + "0123456789");
    EXPECT_THAT(trailers, ElementsAre(Pair("x-amz-checksum-crc32c", "sOO8/Q==")));
  }
}

TEST(AwsChunked, RefusesSmallChunksBeforeTheLast) {
  EXPECT_EQ(decode("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 5), "InvalidChunkSizeError");
  const std::string almost(AwsChunkedDecoder::kChunkBytesMin - 1, 'a');
  EXPECT_EQ(decode("1fff\r\n" + almost + "\r\n1\r\nb\r\n0\r\n\r\n", almost.size() + 1), "InvalidChunkSizeError");
  EXPECT_EQ(decode("1fff\r\n" + almost + "\r\n0\r\n\r\n", almost.size()), almost);
}

TEST(AwsChunked, TakesSignedChunksWithoutTrailers) {
  EXPECT_EQ(decode("3;chunk-signature=a\r\nabc\r\n0;chunk-signature=b\r\n\r\n", 3), "abc");
  EXPECT_EQ(decode("0\r\n\r\n", 0), "");
}

TEST(AwsChunked, RefusesABodyThatEndsEarly) {
  EXPECT_EQ(decode("", 0), "IncompleteBody");
  EXPECT_EQ(decode("3\r\nab", 3), "IncompleteBody");
  EXPECT_EQ(decode("3\r\nabc\r\n", 3), "IncompleteBody");
  EXPECT_EQ(decode("3\r\nabc\r\n0\r\n", 3), "IncompleteBody");
}

TEST(AwsChunked, RefusesALengthThatIsNotTheOneDeclared) {
  EXPECT_EQ(decode("3\r\nabc\r\n0\r\n\r\n", 4), "IncompleteBody");
  EXPECT_EQ(decode("3\r\nabc\r\n0\r\n\r\n", 2), "IncompleteBody");
  EXPECT_EQ(decode("ffffffffffffffff\r\nabc", 2), "IncompleteBody");
}

TEST(AwsChunked, RefusesWhatIsNoChunk) {
  EXPECT_EQ(decode("x\r\nabc\r\n", 3), "InvalidRequest");
  EXPECT_EQ(decode("-1\r\nabc\r\n", 3), "InvalidRequest");
  EXPECT_EQ(decode("\r\n", 0), "InvalidRequest");
  EXPECT_EQ(decode("3\r\nabcd\r\n0\r\n\r\n", 3), "InvalidRequest");
  EXPECT_EQ(decode("0\r\n\r\nmore", 0), "InvalidRequest");
  EXPECT_EQ(decode("11111111111111111\r\n", 3), "InvalidRequest");
  EXPECT_EQ(decode(std::string(AwsChunkedDecoder::kLineBytesMax + 1, '0'), 3, "", 7), "InvalidRequest");
}

TEST(AwsChunked, HoldsTrailersToWhatTheHeadersDeclared) {
  EXPECT_EQ(decode("0\r\n\r\n", 0, "x-amz-checksum-sha1"), "MalformedTrailerError");
  EXPECT_EQ(decode("0\r\nx-amz-checksum-sha1:a\r\n\r\n", 0), "MalformedTrailerError");
  EXPECT_EQ(decode("0\r\nnonsense\r\n\r\n", 0), "MalformedTrailerError");
  EXPECT_EQ(decode("0\r\n" + std::string(AwsChunkedDecoder::kLineBytesMax + 1, 'a'), 0), "MalformedTrailerError");
}

TEST(BodyStreams, GiveWhatTheyAreMadeOf) {
  const BodyStream text("hello");
  const BodyStream copy = text;
  EXPECT_EQ(copy.length(), 5u);
  EXPECT_EQ(testing::run(copy.read()), "hello");
  EXPECT_EQ(testing::run(text.read()), std::nullopt) << "copies share one position";
  EXPECT_EQ(testing::run(BodyStream().read()), std::nullopt);
  EXPECT_EQ(BodyStream().length(), 0u);
  EXPECT_THAT(BodyStream("x").trailers(), IsEmpty());
}

TEST(BodyStreams, AreReadWholeUpToALimit) {
  EXPECT_EQ(testing::run(BodyStream("hello").read_all(5)), "hello");
  EXPECT_THROW((void)testing::run(BodyStream("hello").read_all(4)), net::BodyTooLarge);
  const BodyStream text("hello");
  EXPECT_EQ(text.take_whole(), "hello");
  EXPECT_EQ(testing::run(text.read()), std::nullopt);
}

}  // namespace
}  // namespace tidemill::wire
