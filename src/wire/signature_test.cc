// The public vectors of awslabs/aws-c-auth, where they are: beside the repository (../shared/vectors), or where $TIDEMILL_VECTORS
// says.
#include "wire/signature.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/hex.h"
#include "base/json.h"
#include "crypto/digest.h"
#include "wire/aws_chunked.h"
#include "wire/error.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A request as the vectors write it: lines may go on in the next, which then begins with a blank.
net::Request parse_request(const std::string& text, std::string& body) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const size_t first = line.find(' ');
  const size_t last = line.rfind(" HTTP/");
  net::Request request = testing::make_request(line.substr(0, first), line.substr(first + 1, last - first - 1), {}, "");
  while (std::getline(lines, line) && !line.empty()) {
    if (line.starts_with(' ')) {
      request.headers.entries().back().second += line;
      continue;
    }
    const size_t colon = line.find(':');
    request.headers.add(line.substr(0, colon), line.substr(colon + 1));
  }
  std::stringstream rest;
  rest << lines.rdbuf();
  body = rest.str();
  return request;
}

struct Vector {
  std::filesystem::path folder;
  json::Value context;

  std::string file(const std::string& name) const { return read_file(folder / name); }
  bool says(std::string_view name) const {
    const json::Value* value = context.find(name);
    return value && value->is_boolean() && value->boolean();
  }

  void check(const std::string& way) const {
    SCOPED_TRACE(folder.filename().string() + " " + way);
    std::string body;
    const net::Request request = parse_request(file(way + "-signed-request.txt"), body);
    const Signature signature = parse_signature(request);
    ASSERT_EQ(signature.is_presigned, way == "query");
    const PathForm form = says("normalize") ? PathForm::normal : PathForm::encoded_again;
    const std::string canonical = canonical_request(request, signature, form, base::hex_of(crypto::sha256(body)));
    EXPECT_EQ(canonical, file(way + "-canonical-request.txt"));
    const std::string text = string_to_sign(signature, canonical);
    EXPECT_EQ(text, file(way + "-string-to-sign.txt"));
    const std::string secret = context.find("credentials")->find("secret_access_key")->string();
    const std::string found = sign(signing_key(secret, signature.date, signature.region, signature.service), text);
    EXPECT_EQ(found, file(way + "-signature.txt"));
    EXPECT_EQ(found, signature.signature);
  }
};

TEST(Signatures, AreThoseOfThePublicVectors) {
  const char* vectors = std::getenv("TIDEMILL_VECTORS");
  const std::filesystem::path root = std::filesystem::path(vectors ? vectors : TIDEMILL_PUBLIC_VECTORS) / "sigv4";
  if (!std::filesystem::is_directory(root)) GTEST_SKIP() << "no vectors at " << root;
  int checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (!entry.is_directory()) continue;
    auto context = json::parse(read_file(entry.path() / "context.json"));
    ASSERT_TRUE(context) << entry.path();
    const Vector vector{entry.path(), *std::move(context)};
    vector.check("header");
    // A token that is added behind the signature is what only AWS IoT wants; here the whole query is signed.
    if (!vector.says("omit_session_token")) vector.check("query");
    ++checked;
  }
  EXPECT_GE(checked, 30);
}

constexpr std::string_view kSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

// The example of "Authenticating Requests: GET Object" in the documentation of S3.
TEST(Signatures, OfS3LeaveThePathAsItIs) {
  net::Request request =
      testing::make_request("GET", "/test%24file.text",
                            {{"Host", "examplebucket.s3.amazonaws.com"},
                             {"x-amz-content-sha256", base::hex_of(crypto::sha256(""))},
                             {"x-amz-date", "20130524T000000Z"},
                             {"Authorization",
                              "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request "
                              "SignedHeaders=host;x-amz-content-sha256;x-amz-date,Signature=0"}},
                            "");
  const Signature signature = parse_signature(request);
  EXPECT_EQ(signature.access_key_id, "AKIAIOSFODNN7EXAMPLE");
  EXPECT_EQ(signature.scope(), "20130524/us-east-1/s3/aws4_request");
  EXPECT_TRUE(signature.signs("host"));
  EXPECT_FALSE(signature.signs("range"));
  const auto path = [&](PathForm form) {
    const std::string canonical = canonical_request(request, signature, form, "");
    return canonical.substr(4, canonical.find('\n', 4) - 4);
  };
  EXPECT_EQ(path(PathForm::as_it_is), "/test%24file.text");
  EXPECT_EQ(path(PathForm::normal), "/test%2524file.text");
}

TEST(Signatures, HaveDates) {
  EXPECT_EQ(basic_date(*parse_basic_date("20130524T235959Z")), "20130524T235959Z");
  for (const char* bad :
       {"", "20130524", "20131324T000000Z", "20130524T240000Z", "20130524 000000Z", "2013-524T000000Z"}) {
    EXPECT_FALSE(parse_basic_date(bad)) << bad;
  }
}

TEST(Signatures, WithoutPartsAreEmpty) {
  for (const char* header : {"", "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA256 ,,, =", "AWS4-HMAC-SHA256 Credential=a/b"}) {
    net::Request request = testing::make_request("GET", "/", {{"Authorization", header}}, "");
    const Signature signature = parse_signature(request);
    EXPECT_EQ(signature.access_key_id, "") << header;
    EXPECT_EQ(signature.signature, "") << header;
  }
}

TEST(Signatures, AreOfTheLastOfSeveralCredentials) {
  net::Request request = testing::make_request(
      "GET", "/?X-Amz-Credential=AKID%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Credential=A%2Fb", {}, "");
  const Signature signature = parse_signature(request);
  EXPECT_EQ(signature.credential, "A/b");
  EXPECT_EQ(signature.access_key_id, "");
  EXPECT_EQ(signature.scope(), "");
}

// A body in signed chunks, and what its reader makes of it.
class Chunks : public ::testing::Test {
 protected:
  const std::string key_ = signing_key(kSecret, "20130524", "us-east-1", "s3");
  const std::string time_ = "20130524T000000Z";
  const std::string scope_ = "20130524/us-east-1/s3/aws4_request";
  // That of the documentation's example, "transferring a payload in multiple chunks".
  const std::string seed_ = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9";

  std::string read(const std::string& body, uint64_t length, bool has_trailers = false,
                   std::string_view declared = "") {
    AwsChunkedDecoder decoder(length, declared,
                              std::make_shared<ChunkSignatures>(key_, time_, scope_, seed_, has_trailers));
    std::string out;
    try {
      for (const char c : body) decoder.feed(std::string_view(&c, 1), out);
      decoder.finish();
    } catch (const Error& error) {
      return error.code;
    }
    return out;
  }
};

TEST_F(Chunks, AreSignedEachByTheOneBefore) {
  const std::string first(65536, 'a');
  const std::string second(1024, 'a');
  const auto body = [&](std::string_view one, std::string_view two, std::string_view three) {
    return "10000;chunk-signature=" + std::string(one) + "\r\n" + first +
           "\r\n400;chunk-signature=" + std::string(two) + "\r\n" + second +
           "\r\n0;chunk-signature=" + std::string(three) + "\r\n\r\n";
  };
  const std::string one = "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648";
  const std::string two = "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497";
  const std::string three = "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9";
  EXPECT_TRUE(read(body(one, two, three), 66560) == first + second);
  EXPECT_EQ(read(body(two, two, three), 66560), "SignatureDoesNotMatch");
  EXPECT_EQ(read(body(one, one, three), 66560), "SignatureDoesNotMatch");
  EXPECT_EQ(read(body(one, two, ""), 66560), "SignatureDoesNotMatch");
  std::string changed = body(one, two, three);
  changed[1000] = 'b';
  EXPECT_EQ(read(changed, 66560), "SignatureDoesNotMatch");
}

TEST_F(Chunks, MayHaveTrailersThatAreSigned) {
  const std::string empty = sign(key_, "AWS4-HMAC-SHA256-PAYLOAD\n" + time_ + "\n" + scope_ + "\n" + seed_ + "\n" +
                                           base::hex_of(crypto::sha256("")) + "\n" + base::hex_of(crypto::sha256("")));
  const std::string trailers = sign(key_, "AWS4-HMAC-SHA256-TRAILER\n" + time_ + "\n" + scope_ + "\n" + empty + "\n" +
                                              base::hex_of(crypto::sha256("x-amz-checksum-crc32:AAAAAA==\n")));
  const std::string start = "0;chunk-signature=" + empty + "\r\nx-amz-checksum-crc32:AAAAAA==\r\n";
  const std::string name = "x-amz-checksum-crc32";
  EXPECT_EQ(read(start + "x-amz-trailer-signature:" + trailers + "\r\n\r\n", 0, true, name), "");
  EXPECT_EQ(read(start + "x-amz-trailer-signature:" + empty + "\r\n\r\n", 0, true, name), "SignatureDoesNotMatch");
  EXPECT_EQ(read(start + "\r\n", 0, true, name), "MalformedTrailerError");
}

}  // namespace
}  // namespace tidemill::wire
