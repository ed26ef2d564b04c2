#include "wire/form_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/error.h"

namespace tidemill::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

struct Read {
  std::string content;
  FormFields fields;
  std::optional<std::string> file_name;
  std::string error;
};

Read read(std::string_view body, size_t step = 100'000, std::string_view boundary = "b") {
  FormDataDecoder decoder(boundary);
  Read result;
  try {
    for (size_t at = 0; at < body.size(); at += step) decoder.feed(body.substr(at, step), result.content);
    decoder.finish();
  } catch (const Error& error) {
    result.error = error.code;
  }
  result.fields = decoder.fields();
  result.file_name = decoder.file_name();
  return result;
}

std::string part(std::string_view parameters, std::string_view value) {
  return "--b\r\nContent-Disposition: form-data; " + std::string(parameters) + "\r\n\r\n" + std::string(value) + "\r\n";
}

TEST(FormData, GivesFieldsAndTheFileHoweverTheBodyIsCut) {
  const std::string body = part("name=\"key\"", "a/${filename}") + part("name=\"Empty\"", "") +
                           "--b  \r\nContent-Type: text/plain\r\ncontent-disposition:form-data;name=file; "
                           "filename=\"C:\\dir\\a \\\"b\\\".txt\"\r\n\r\none\r\n--\r\n--c\r\ntwo\r\n--b--\r\nmore";
  for (size_t step = 1; step <= body.size(); ++step) {
    const Read got = read(body, step);
    ASSERT_EQ(got.error, "") << step;
    EXPECT_EQ(got.content, "one\r\n--\r\n--c\r\ntwo");
    EXPECT_THAT(got.fields, ElementsAre(Pair("key", "a/${filename}"), Pair("Empty", "")));
    EXPECT_EQ(got.file_name, "a \"b\".txt");
  }
}

TEST(FormData, IgnoresWhatStandsBehindTheFile) {
  const Read got =
      read(part("name=\"file\"", "x") + part("name=\"key\"", "late") + part("name=\"file\"", "y") + "--b--\r\n");
  EXPECT_EQ(got.content, "x");
  EXPECT_TRUE(got.fields.empty());
  EXPECT_FALSE(got.file_name.has_value());
}

TEST(FormData, IsAFileByItsNameAlone) {
  EXPECT_EQ(read(part("name=\"upload\"; filename=\"a\"", "x") + "--b--\r\n").error, "InvalidArgument");
  EXPECT_EQ(read(part("name=\"file\"; filename=\"\"", "") + "--b--").file_name, "");
}

TEST(FormData, RefusesWhatIsNoForm) {
  EXPECT_EQ(read("").error, "MalformedPOSTRequest");
  EXPECT_EQ(read("key=value").error, "MalformedPOSTRequest");
  EXPECT_EQ(read("--bx\r\n\r\n").error, "MalformedPOSTRequest");
  EXPECT_EQ(read(part("name=\"file\"", "cut off")).error, "MalformedPOSTRequest");
  EXPECT_EQ(read(part("name=\"key\"", "1") + part("name=\"KEY\"", "2") + part("name=\"file\"", "")).error,
            "InvalidArgument");
}

TEST(FormData, BoundsWhatStandsBeforeTheFile) {
  const std::string large(FormDataDecoder::kBeforeFileBytesMax, 'x');
  EXPECT_EQ(read(part("name=\"a\"", large)).error, "MaxPostPreDataLengthExceeded");
  EXPECT_EQ(read(large, 7).error, "MaxPostPreDataLengthExceeded");
  EXPECT_EQ(read("--b" + large, 7).error, "MaxPostPreDataLengthExceeded");
  EXPECT_EQ(read("--b\r\n" + large, 7).error, "MaxPostPreDataLengthExceeded");
  EXPECT_EQ(read(part("name=\"file\"", large) + "--b--").content, large);
}

TEST(FormData, FindsTheBoundaryOfAContentType) {
  EXPECT_EQ(FormDataDecoder::boundary_of("multipart/form-data; boundary=----WebKitFormBoundaryX"),
            "----WebKitFormBoundaryX");
  EXPECT_EQ(FormDataDecoder::boundary_of("Multipart/Form-Data;charset=utf-8; Boundary=\"a b\""), "a b");
  EXPECT_EQ(FormDataDecoder::boundary_of("multipart/form-data"), std::nullopt);
  EXPECT_EQ(FormDataDecoder::boundary_of("multipart/form-data; boundary="), std::nullopt);
  EXPECT_EQ(FormDataDecoder::boundary_of("multipart/form-data; boundary=" + std::string(71, 'b')), std::nullopt);
  EXPECT_EQ(FormDataDecoder::boundary_of("text/html; boundary=b"), std::nullopt);
}

}  // namespace
}  // namespace tidemill::wire
