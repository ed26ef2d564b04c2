// Requests of rest-xml as S3's clients send them, through the front to operations of a test model and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/front.h"
#include "wire/testdata/attic.h"
#include "wire/testdata/teahouse.h"
#include "wire/testing.h"
#include "wire/xml_reader.h"

namespace tidemill::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;
using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kNamespace = " xmlns=\"http://attic.example.com/doc/2026-01-01/\"";

std::string signed_for(std::string_view service) {
  return "AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/" + std::string(service) +
         "/aws4_request, SignedHeaders=host, Signature=0";
}

class RestXmlTest : public ::testing::Test {
 protected:
  RestXmlTest() {
    Registry& registry = platform_.registry;
    registry.add<attic::ops::ListBoxes>([](Context&, const attic::ListBoxesInput&) -> Task<attic::ListBoxesOutput> {
      attic::ListBoxesOutput out;
      out.boxes.emplace().push_back({.name = "a<b", .created = base::Time(base::Duration(1560209851000000))});
      out.owner = attic::Owner{.type = "Canonical\"User", .id = "me"};
      co_return out;
    });
    registry.add<attic::ops::ListThings>([this](Context&, const attic::ListThingsInput& in) -> Task<attic::ListThingsOutput> {
      seen_ = "list " + in.box + " " + std::to_string(in.max_keys.value_or(-1));
      attic::ListThingsOutput out;
      out.things = {"one", "two"};
      out.is_truncated = false;
      co_return out;
    });
    registry.add<attic::ops::ListThingsV2>(
        [this](Context&, const attic::ListThingsV2Input& in) -> Task<attic::ListThingsV2Output> {
          seen_ = "list2 " + in.box;
          co_return attic::ListThingsV2Output{.key_count = 7};
        });
    registry.add<attic::ops::PutThing>([this](Context&, const attic::PutThingInput& in) { return put(in); });
    registry.add<attic::ops::CopyThing>([this](Context&, const attic::CopyThingInput& in) -> Task<attic::CopyThingOutput> {
      seen_ = "copy " + in.copy_source + " to " + in.thing;
      co_return attic::CopyThingOutput{.result = attic::Box{.name = "copied"}};
    });
    registry.add<attic::ops::PutPart>([this](Context&, const attic::PutPartInput& in) -> Task<attic::PutPartOutput> {
      seen_ = "part " + std::to_string(in.part_number) + " of " + in.thing;
      co_return attic::PutPartOutput{};
    });
    registry.add<attic::ops::GetThing>([this](Context&, const attic::GetThingInput& in) { return get(in); });
    registry.add<attic::ops::HeadThing>([](Context&, const attic::HeadThingInput&) -> Task<attic::HeadThingOutput> {
      co_return attic::HeadThingOutput{.content_length = 12345};
    });
    registry.add<attic::ops::DeleteThings>(
        [this](Context&, const attic::DeleteThingsInput& in) -> Task<attic::DeleteThingsOutput> {
          deleted_ = in;
          co_return attic::DeleteThingsOutput{.deleted = in.delete_.objects};
        });
    registry.add<attic::ops::BeginParts>([this](Context&, const attic::BeginPartsInput& in) -> Task<attic::BeginPartsOutput> {
      seen_ = "begin " + in.thing;
      co_return attic::BeginPartsOutput{.upload_id = "u"};
    });
    registry.add<attic::ops::PutLabels>([this](Context&, const attic::PutLabelsInput& in) -> Task<attic::PutLabelsOutput> {
      seen_ = "";
      for (const auto& label : in.tagging.tag_set) seen_ += label.key + "=" + label.value + ";";
      co_return attic::PutLabelsOutput{};
    });
    registry.add<attic::ops::GetPlace>([](Context&, const attic::GetPlaceInput& in) -> Task<attic::GetPlaceOutput> {
      if (in.box == "home") co_return attic::GetPlaceOutput{};
      co_return attic::GetPlaceOutput{.location_constraint = "eu-west-1"};
    });
    registry.refuse(attic::refused_operations());
    registry.add<teahouse::ops::ListGuests>([this](Context&, const teahouse::ListGuestsInput&) {
      seen_ = "guests";
      return Task<teahouse::ListGuestsOutput>::ready();
    });
    front_ = std::make_unique<Front>(platform_.platform, FrontOptions{.endpoint = "http://mill.example:4566", .hosts = {"mill.example", "localhost.example.com"}});
  }

  Task<attic::PutThingOutput> put(const attic::PutThingInput& in) {
    seen_ = "put " + in.box + " " + in.thing + " " + in.size.value_or("-") + " " + in.content_encoding.value_or("-");
    notes_ = in.notes.value_or(std::map<std::string, std::string>());
    length_ = in.content.length();
    content_ = co_await in.content.read_all(1 << 20);
    trailers_ = in.content.trailers();
    co_return attic::PutThingOutput{.e_tag = "\"etag\"", .part_names = {{"a", "b"}}};
  }

  Task<attic::GetThingOutput> get(const attic::GetThingInput& in) {
    seen_ = "get " + in.box + " " + in.thing;
    if (in.wanted) wanted_ = *in.wanted;
    if (in.thing == "none") throw attic::errors::no_such_thing("There is no <thing>.", {.key = in.thing});
    if (in.thing == "old") {
      Error error("NotModified", 304, "Not Modified");
      error.headers.emplace_back("ETag", "\"e\"");
      throw error;
    }
    attic::GetThingOutput out;
    out.content = "content";
    if (in.thing == "typed") out.content_type = "text/html";
    out.last_modified = out.until = base::Time(base::Duration(1560209851000000));
    out.notes = std::map<std::string, std::string>{{"colour", "blue"}};
    co_return out;
  }

  net::Response send(std::string method, std::string target, std::string body = "", Headers headers = {},
                     std::string host = "s3.localhost:4566", std::string service = "s3") {
    headers.emplace_back("Host", std::move(host));
    if (!service.empty()) headers.emplace_back("Authorization", signed_for(service));
    headers.emplace_back("Content-Length", std::to_string(body.size()));
    net::Request request = testing::make_request(std::move(method), std::move(target), std::move(headers), std::move(body));
    return testing::run(front_->handle(request));
  }
  std::string seen(std::string method, std::string target, Headers headers = {}) {
    seen_.clear();
    const net::Response response = send(std::move(method), std::move(target), "", std::move(headers));
    return seen_.empty() ? std::to_string(response.status) + " " + response.body : seen_;
  }
  net::Response remove(std::string xml) { return send("POST", "/box?delete", std::move(xml)); }

  testing::TestPlatform platform_;
  std::unique_ptr<Front> front_;
  std::string seen_;
  std::string content_;
  std::optional<uint64_t> length_;
  BodySource::Headers trailers_;
  std::map<std::string, std::string> notes_;
  std::vector<std::string> wanted_;
  attic::DeleteThingsInput deleted_;
};

TEST_F(RestXmlTest, AnswersWithTheXmlOfTheModel) {
  const net::Response response = send("GET", "/");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("content-type"), "application/xml");
  EXPECT_EQ(response.headers.get("x-amz-request-id").size(), 16u);
  EXPECT_NE(response.headers.get("x-amz-id-2"), "");
  EXPECT_EQ(response.body,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListAllBoxesResult" + std::string(kNamespace) +
                "><Boxes><Box><Name>a&lt;b</Name><Created>2019-06-10T23:37:31.000Z</Created></Box></Boxes>"
                "<Owner xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"Canonical&quot;User\">"
                "<ID>me</ID></Owner></ListAllBoxesResult>");
}

TEST_F(RestXmlTest, TellsOperationsOfOnePathApartByQueryAndHeaders) {
  EXPECT_EQ(seen("GET", "/box?max-keys=3"), "list box 3");
  EXPECT_EQ(seen("GET", "/box/"), "list box -1");
  EXPECT_EQ(seen("GET", "/box?list-type=2&prefix=x"), "list2 box");
  EXPECT_EQ(seen("GET", "/box?list-type=1"), "list box -1");
  EXPECT_EQ(seen("PUT", "/box/a?x-id=PutThing"), "put box a - -");
  EXPECT_EQ(seen("PUT", "/box/a", {{"X-Amz-Copy-Source", "/from/there"}}), "copy /from/there to a");
  EXPECT_EQ(seen("PUT", "/box/a?uploadId=u&partNumber=3"), "part 3 of a");
  EXPECT_EQ(seen("POST", "/box/a/b?uploads"), "begin a/b");
  EXPECT_THAT(seen("GET", "/box?acl"), HasSubstr("<Code>NotImplemented</Code>"));
}

TEST_F(RestXmlTest, KeepsEverySlashOfAKey) {
  EXPECT_EQ(seen("GET", "/box/a/b/"), "get box a/b/");
  EXPECT_EQ(seen("GET", "/box//a"), "get box /a");
  EXPECT_EQ(seen("GET", "/box//"), "get box /");
  EXPECT_EQ(seen("GET", "/box/a%2Fb%20+c//d"), "get box a/b +c//d");
}

TEST_F(RestXmlTest, FindsTheBoxInTheHost) {
  const auto seen_at = [&](std::string host, std::string service = "s3") {
    seen_.clear();
    send("GET", "/key?x=y", "", {}, std::move(host), std::move(service));
    return seen_;
  };
  EXPECT_EQ(seen_at("Box.s3.us-east-1.amazonaws.com"), "get box key");
  EXPECT_EQ(seen_at("box.s3-us-west-2.amazonaws.com"), "get box key");
  EXPECT_EQ(seen_at("my.s3.box.s3.localhost:4566"), "get my.s3.box key");
  EXPECT_EQ(seen_at("box.s3.localhost.example.com"), "get box key");
  EXPECT_EQ(seen_at("box.localhost:4566"), "get box key");
  EXPECT_EQ(seen_at("box.localhost:4566", ""), "get box key");
  EXPECT_EQ(seen_at("a.box.mill.example:4566"), "get a.box key");
  EXPECT_EQ(seen_at("s3.localhost:4566"), "list key -1");
  EXPECT_EQ(seen_at("s3.us-east-1.localhost"), "list key -1");
  EXPECT_EQ(seen_at("127.0.0.1:4566"), "list key -1");
  EXPECT_EQ(seen_at("[::1]:4566"), "list key -1");
  EXPECT_EQ(seen_at("teahouse.localhost:4566", ""), "");
}

TEST_F(RestXmlTest, LeavesOtherServicesTheirPaths) {
  const auto seen_for = [&](std::string target, std::string service) {
    seen_.clear();
    const auto response = send("GET", std::move(target), "", {}, "127.0.0.1:4566", std::move(service));
    return std::to_string(response.status) + " " + seen_;
  };
  EXPECT_EQ(seen_for("/2026-01-01/guests", "teahouse"), "200 guests");
  EXPECT_EQ(seen_for("/2026-01-01/guests", ""), "200 guests");
  EXPECT_EQ(seen_for("/2026-01-01/cakes", "teahouse"), "404 ");
  EXPECT_EQ(seen_for("/2026-01-01/guests", "s3"), "200 get 2026-01-01 guests");
  EXPECT_EQ(seen_for("/box/key", ""), "200 get box key");
  EXPECT_EQ(seen_for("/box/queue?Action=SendMessage", ""), "404 ");
}

TEST_F(RestXmlTest, StreamsARequestsBodyWithItsHeaders) {
  const net::Response response =
      send("PUT", "/box/a", "hello",
           {{"x-amz-size", "BIG"}, {"X-Amz-Meta-Colour", "red"}, {"x-amz-meta-b", "1"}, {"x-amz-meta-b", "2"},
            {"Content-Encoding", "gzip"}, {"x-amz-acl", "private"}});
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(seen_, "put box a BIG gzip");
  EXPECT_EQ(content_, "hello");
  EXPECT_EQ(length_, 5u);
  EXPECT_THAT(notes_, ElementsAre(Pair("b", "1,2"), Pair("colour", "red")));
  EXPECT_EQ(response.headers.get("etag"), "\"etag\"");
  EXPECT_EQ(response.headers.get("x-amz-part-names"), "a,b");
  EXPECT_EQ(response.body, "");
}

TEST_F(RestXmlTest, DecodesAwsChunkedBeneathTheHandler) {
  const Headers headers = {{"x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"},
                           {"Content-Encoding", "aws-chunked, gzip"},
                           {"x-amz-decoded-content-length", "11"},
                           {"x-amz-trailer", "x-amz-checksum-crc32"}};
  const net::Response response = send("PUT", "/box/a", "b\r\nhello world\r\n0\r\nx-amz-checksum-crc32:DUoRhQ==\r\n\r\n", headers);
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(seen_, "put box a - gzip");
  EXPECT_EQ(content_, "hello world");
  EXPECT_EQ(length_, 11u);
  EXPECT_THAT(trailers_, ElementsAre(Pair("x-amz-checksum-crc32", "DUoRhQ==")));

  const net::Response cut = send("PUT", "/box/a", "6\r\nhello \r\n", headers);
  EXPECT_EQ(cut.status, 400);
  EXPECT_THAT(cut.body, HasSubstr("<Code>IncompleteBody</Code>"));
}

TEST_F(RestXmlTest, AsksForTheLengthOfABody) {
  net::Request request = testing::make_request(
      "PUT", "/box/a", {{"Host", "s3.localhost"}, {"Authorization", signed_for("s3")}}, "body");
  const net::Response response = testing::run(front_->handle(request));
  EXPECT_EQ(response.status, 411);
  EXPECT_THAT(response.body, HasSubstr("<Code>MissingContentLength</Code>"));
}

// Gives a piece, and then the client is gone.
class LostBody : public net::Body {
 public:
  Task<std::string> read_all(size_t) override { throw net::ConnectionLost("gone"); }
  Task<std::optional<std::string>> read_some() override {
    if (std::exchange(begun_, true)) throw net::ConnectionLost("gone");
    co_return "piece";
  }

 private:
  bool begun_ = false;
};

TEST_F(RestXmlTest, ABodyThatIsLostIsNoDefect) {
  net::Request request = testing::make_request(
      "PUT", "/box/a", {{"Host", "s3.localhost"}, {"Authorization", signed_for("s3")}, {"Content-Length", "10"}}, "");
  request.body = std::make_shared<LostBody>();
  const net::Response response = testing::run(front_->handle(request));
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("<Code>IncompleteBody</Code>"));
  EXPECT_EQ(content_, "");
}

TEST_F(RestXmlTest, CallersInThisProcessSendAndGetTextAsABody) {
  Context context(platform_.platform, "000000000000", "us-east-1", "id", Principal::platform());
  const auto put = testing::run(platform_.registry.call<attic::ops::PutThing>(
      context, {.box = "box", .thing = "a", .content = "text"}));
  EXPECT_EQ(put.e_tag, "\"etag\"");
  EXPECT_EQ(content_, "text");
  const auto got = testing::run(platform_.registry.call<attic::ops::GetThing>(context, {.box = "box", .thing = "a"}));
  EXPECT_EQ(testing::run(got.content.read_all(100)), "content");
}

TEST_F(RestXmlTest, AnswersWithABodyAndItsHeaders) {
  const net::Response plain = send("GET", "/box/a", "", {{"x-amz-wanted", "ETag, Size ,"}});
  EXPECT_EQ(plain.body, "content");
  EXPECT_THAT(wanted_, ElementsAre("ETag", "Size"));
  EXPECT_EQ(plain.headers.get("content-type"), "application/octet-stream");
  EXPECT_EQ(plain.headers.get("last-modified"), "Mon, 10 Jun 2019 23:37:31 GMT");
  EXPECT_EQ(plain.headers.get("x-amz-until"), "2019-06-10T23:37:31Z");
  EXPECT_EQ(plain.headers.get("x-amz-meta-colour"), "blue");
  EXPECT_EQ(send("GET", "/box/typed").headers.get("content-type"), "text/html");
  EXPECT_EQ(send("HEAD", "/box/a").headers.get("content-length"), "12345");
}

TEST_F(RestXmlTest, AnswersPayloadsAndUnwrappedOutputs) {
  const net::Response copied = send("PUT", "/box/a", "", {{"x-amz-copy-source", "/b/c"}});
  EXPECT_THAT(copied.body, EndsWith("<CopyThingResult" + std::string(kNamespace) + "><Name>copied</Name></CopyThingResult>"));
  EXPECT_THAT(send("GET", "/box?location").body,
              EndsWith("<LocationConstraint" + std::string(kNamespace) + ">eu-west-1</LocationConstraint>"));
  EXPECT_THAT(send("GET", "/home?location").body, EndsWith("<LocationConstraint" + std::string(kNamespace) + "/>"));
  EXPECT_THAT(send("GET", "/box").body, HasSubstr("<Contents>one</Contents><Contents>two</Contents><IsTruncated>false"));
}

TEST_F(RestXmlTest, ReadsXmlOfEveryShape) {
  const net::Response response = remove(
      "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"UTF-8\"?><!-- hm -->\n<s:Delete xmlns:s=\"x\">\n <Object><Key>a&amp;&#x41;</Key>"
      "</Object><Quiet>true</Quiet><Object><Size>BIG</Size><Key><![CDATA[<b>]]></Key><VersionId/></Object>"
      "<Owner xmlns:xsi=\"y\" xsi:type=\"T\"><ID> </ID></Owner><Due>2026-01-02T03:04:05Z</Due></s:Delete>");
  EXPECT_EQ(response.status, 200) << response.body;
  ASSERT_EQ(deleted_.delete_.objects.size(), 2u);
  EXPECT_EQ(deleted_.delete_.objects[0].key, "a&A");
  EXPECT_EQ(deleted_.delete_.objects[1].key, "<b>");
  EXPECT_EQ(deleted_.delete_.objects[1].size, "BIG");
  EXPECT_EQ(deleted_.delete_.quiet, true);
  EXPECT_EQ(deleted_.delete_.owner->type, "T");
  EXPECT_EQ(deleted_.delete_.owner->id, " ");
  EXPECT_THAT(response.body, HasSubstr("<Deleted><Key>a&amp;A</Key></Deleted><Deleted><Key>&lt;b&gt;</Key><Size>BIG</Size>"));
  EXPECT_EQ(send("PUT", "/box?tagging", "<Tagging><TagSet><Tag><Key>k</Key><Value/></Tag></TagSet></Tagging>").status, 204);
  EXPECT_EQ(seen_, "k=;");
}

TEST_F(RestXmlTest, RefusesXmlThatIsNotTheSchemas) {
  const std::string good = "<Object><Key>a</Key></Object>";
  std::string deep;
  for (int i = 0; i < shapes::XmlBody::kDepthMax; ++i) deep += "<Object>";
  for (const std::string& body : std::vector<std::string>{
        "<Delete>" + good, "<Remove>" + good + "</Remove>", "<Delete>" + good + "<Loud>1</Loud></Delete>",
        "<Delete>" + good + "<Quiet>perhaps</Quiet></Delete>", std::string("<Delete/>"), std::string("not xml"),
        "<Delete><Object><Key>a</Key><Size>HUGE</Size></Object></Delete>", std::string("<Delete><Object/></Delete>"),
        "<Delete><Object><Key>much-too-long</Key></Object></Delete>" + std::string(),
        "<!DOCTYPE Delete [<!ENTITY e \"x\">]><Delete>" + good + "</Delete>", "<Delete>" + good + "\xFF</Delete>",
        "<Delete>" + deep + "</Delete>", std::string("<Delete><Object><Key><b/></Key></Object></Delete>"),
        "<Delete>" + good + "</Delete><Delete/>"}) {
    const net::Response response = remove(body);
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_THAT(response.body, HasSubstr("<Code>MalformedXML</Code><Message>The XML you provided was not well-formed")) << body;
  }
  EXPECT_THAT(remove("").body, HasSubstr("<Code>MissingRequestBodyError</Code>"));
  EXPECT_THAT(remove(std::string(5000, ' ')).body, HasSubstr("<Code>MaxMessageLengthExceeded</Code>"));
  EXPECT_THAT(remove("<Delete><Object><Key>a</Key><VersionId>v</VersionId></Object></Delete>").body,
              HasSubstr("<Code>NotImplemented</Code><Message>Tidemill does not support the parameter VersionId of DeleteThings"));
}

TEST_F(RestXmlTest, RefusesWhatIsBoundWithS3sErrors) {
  EXPECT_THAT(send("GET", "/box?max-keys=many").body,
              HasSubstr("<Code>InvalidArgument</Code><Message>Provided max-keys not an integer or within integer range"
                        "</Message><ArgumentName>max-keys</ArgumentName><ArgumentValue>many</ArgumentValue>"));
  const net::Response two = send("PUT", "/box/much-too-long", "", {{"x-amz-size", "HUGE"}});
  EXPECT_EQ(two.status, 400);
  EXPECT_THAT(two.body, HasSubstr("<Code>InvalidArgument</Code><Message>2 validation errors detected: "));
  EXPECT_EQ(send("GET", "/box?encoding-type=url").status, 200);
  EXPECT_EQ(send("GET", "/box?encoding-type=other").status, 501);
  EXPECT_EQ(send("PUT", "/box/a", "", {{"x-amz-acl", "public-read"}}).status, 501);
}

TEST_F(RestXmlTest, AnswersErrorsAsS3Does) {
  const net::Response none = send("GET", "/box/none");
  const std::string id(none.headers.get("x-amz-request-id"));
  EXPECT_EQ(none.status, 404);
  EXPECT_EQ(none.headers.get("content-type"), "application/xml");
  EXPECT_EQ(none.body, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>NoSuchThing</Code><Message>There is no &lt;thing&gt;.</Message>"
                       "<Key>none</Key><RequestId>" + id + "</RequestId><HostId>" +
                           std::string(none.headers.get("x-amz-id-2")) + "</HostId></Error>");
  const net::Response old = send("GET", "/box/old");
  EXPECT_EQ(old.status, 304);
  EXPECT_EQ(old.headers.get("etag"), "\"e\"");
  EXPECT_EQ(old.body, "");
}

}  // namespace
}  // namespace tidemill::wire
