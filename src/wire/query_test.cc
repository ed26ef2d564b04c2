// Query requests as clients send them, through the front to operations and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/front.h"
#include "wire/query_form.h"
#include "wire/testdata/postbox.h"
#include "wire/testdata/teahouse.h"
#include "wire/testing.h"
#include "wire/xml_writer.h"

namespace tidemill::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

class QueryTest : public ::testing::Test {
 protected:
  QueryTest() {
    platform_.platform.registry.add<postbox::ops::Post>(
        [this](Context&, const postbox::PostInput& in) -> Task<postbox::PostOutput> {
          seen_ = in;
          if (in.box_url == "nowhere") {
            Error error = postbox::errors::box_does_not_exist("There is no such box.");
            error.query_message = "There is no such box in this version.";
            throw error;
          }
          co_return postbox::PostOutput{in.box_url, in.letters, in.words, in.stamps, in.attributes, in.by_name,
                                        in.urgent, in.bytes, in.at, in.delay};
        });
    platform_.platform.registry.add<postbox::ops::Empty>(
        [](Context&, const postbox::EmptyInput&) { return Task<postbox::EmptyOutput>::ready(); });
    front_ = std::make_unique<Front>(platform_.platform, FrontOptions{});
  }

  net::Response send(std::string method, std::string target, std::string body,
                     std::vector<std::pair<std::string, std::string>> headers = {
                         {"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}}) {
    net::Request request = testing::make_request(std::move(method), std::move(target), std::move(headers), std::move(body));
    return testing::run(front_->handle(request));
  }
  net::Response post(std::string form) { return send("POST", "/", "Action=Post&Version=2026-01-01&" + form); }

  testing::TestPlatform platform_;
  std::unique_ptr<Front> front_;
  postbox::PostInput seen_;
};

TEST_F(QueryTest, ReadsFormsOfEveryShape) {
  const net::Response response = post(
      "BoxUrl=here&Letter.2.Text=two&Letter.10.Text=ten&Letter.1.Text=a%20%26+b&Letter.1.Pages=3"
      "&Letter.1.Attributes.entry.1.Name=n&Letter.1.Attributes.entry.1.Value=v&Words.member.1=x&Words.member.2="
      "&Stamps.Stamp.1=s&Attribute.1.Name=A&Attribute.1.Value=1&Attribute.2.Name=B&Attribute.2.Value=2"
      "&ByName.entry.1.key=k&ByName.entry.1.value.Text=t&Urgent=true&Bytes=aGk%3D&At=2026-01-02T03:04:05Z&Delay=7");
  EXPECT_EQ(response.status, 200) << response.body;
  ASSERT_EQ(seen_.letters->size(), 3u);
  EXPECT_EQ(seen_.letters->at(0).text, "a & b");
  EXPECT_EQ(seen_.letters->at(0).pages, 3);
  EXPECT_THAT(*seen_.letters->at(0).attributes, ElementsAre(Pair("n", "v")));
  EXPECT_EQ(seen_.letters->at(2).text, "ten");
  EXPECT_THAT(*seen_.words, ElementsAre("x", ""));
  EXPECT_THAT(*seen_.stamps, ElementsAre("s"));
  EXPECT_THAT(*seen_.attributes, ElementsAre(Pair("A", "1"), Pair("B", "2")));
  EXPECT_EQ(seen_.by_name->at("k").text, "t");
  EXPECT_EQ(seen_.urgent, true);
  EXPECT_EQ(seen_.bytes, "hi");
  EXPECT_EQ(seen_.delay, 7);
}

TEST_F(QueryTest, AnswersWithXmlOfEveryShape) {
  const net::Response response = post(
      "BoxUrl=b%3C1%3E&Letter.1.Text=%22t%22&Letter.1.Pages=2&Words.member.1=w&Stamps.Stamp.1=s&Attribute.1.Name=A"
      "&Attribute.1.Value=1&ByName.entry.1.key=k&ByName.entry.1.value.Text=%01&Urgent=false&Bytes=aGk%3D"
      "&At=2026-01-02T03:04:05Z&Delay=7");
  const std::string id(response.headers.get("x-amzn-requestid"));
  EXPECT_EQ(response.headers.get("content-type"), "text/xml");
  EXPECT_EQ(response.body,
            "<?xml version=\"1.0\"?><PostResponse xmlns=\"http://postbox.example.com/doc/2026-01-01/\"><PostResult>"
            "<BoxUrl>b&lt;1&gt;</BoxUrl><Letter><Text>&quot;t&quot;</Text><Pages>2</Pages></Letter>"
            "<Words><member>w</member></Words><Stamps><Stamp>s</Stamp></Stamps>"
            "<Attributes><entry><Name>A</Name><Value>1</Value></entry></Attributes>"
            "<ByName><entry><key>k</key><value><Text>\xEF\xBF\xBD</Text></value></entry></ByName>"
            "<Urgent>false</Urgent><Bytes>aGk=</Bytes><At>2026-01-02T03:04:05Z</At><Delay>7</Delay>"
            "</PostResult><ResponseMetadata><RequestId>" + id + "</RequestId></ResponseMetadata></PostResponse>");
}

TEST_F(QueryTest, AnOperationWithoutOutputHasNoResult) {
  EXPECT_THAT(send("POST", "/", "Action=Empty").body,
              StartsWith("<?xml version=\"1.0\"?><EmptyResponse xmlns=\"http://postbox.example.com/doc/2026-01-01/\">"
                         "<ResponseMetadata>"));
}

TEST_F(QueryTest, ThePathStandsForTheMemberThatTheModelNames) {
  EXPECT_EQ(send("GET", "/000000000000/letters%201?Action=Post&Words.member.1=x", "", {}).status, 200);
  EXPECT_EQ(seen_.box_url, "/000000000000/letters 1");
  EXPECT_THAT(*seen_.words, ElementsAre("x"));
}

TEST_F(QueryTest, ARequestOfAnotherProtocolMayCallItsBodyAForm) {
  platform_.platform.registry.add<teahouse::ops::SeatGuest>(
      [](Context&, const teahouse::SeatGuestInput& in) -> Task<teahouse::Guest> {
        co_return teahouse::Guest{.guest_name = in.guest_name};
      });
  front_ = std::make_unique<Front>(platform_.platform, FrontOptions{});
  EXPECT_EQ(send("POST", "/2026-01-01/guests", R"({"GuestName":"ann"})").status, 201);
}

TEST_F(QueryTest, ErrorsHaveTheCodesOfTheQueryProtocol) {
  const net::Response response = post("BoxUrl=nowhere");
  EXPECT_EQ(response.status, 404);
  EXPECT_THAT(response.body, HasSubstr("<ErrorResponse xmlns=\"http://postbox.example.com/doc/2026-01-01/\"><Error>"
                                       "<Type>Sender</Type><Code>AWS.Postbox.NonExistentBox</Code>"
                                       "<Message>There is no such box in this version.</Message></Error><RequestId>"));
}

TEST_F(QueryTest, JsonClientsAreToldWhatAQueryClientWouldSee) {
  const net::Response response = send("POST", "/", R"({"BoxUrl":"nowhere"})",
                                      {{"X-Amz-Target", "Postbox_20260101.Post"}});
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.headers.get("x-amzn-query-error"), "AWS.Postbox.NonExistentBox;Sender");
  EXPECT_EQ(response.body, R"({"__type":"com.amazonaws.postbox#BoxDoesNotExist","message":"There is no such box."})");
}

TEST_F(QueryTest, ConstraintsAndUnsupportedParametersAreRefused) {
  EXPECT_THAT(post("Words.member.1=x").body, HasSubstr("Value null at 'boxUrl' failed"));
  EXPECT_THAT(post("BoxUrl=b&Delay=11").body, HasSubstr("Value '11' at 'delay' failed"));
  EXPECT_THAT(post("BoxUrl=b&Delay=soon").body, HasSubstr("SerializationException"));
  EXPECT_THAT(post("BoxUrl=b&Delay.1=5").body, HasSubstr("SerializationException"));
  EXPECT_THAT(post("BoxUrl=b&Words.member.one=5").body, HasSubstr("SerializationException"));
  EXPECT_THAT(post("BoxUrl=b&Insured=true").body, HasSubstr("does not support the parameter Insured of Post"));
  EXPECT_EQ(post("BoxUrl=b&Insured=").status, 200);
}

TEST_F(QueryTest, UnknownActionsAreRefusedByName) {
  const net::Response response = send("POST", "/", "Action=Burn&Version=2026-01-01");
  EXPECT_EQ(response.status, 404);
  EXPECT_THAT(response.body, HasSubstr("Tidemill does not support the operation Burn"));
  EXPECT_THAT(send("POST", "/", "Version=2026-01-01").body, HasSubstr("does not support"));
}

TEST_F(QueryTest, DeepAndBroadFormsAreRefused) {
  std::string deep = "BoxUrl=b&a";
  for (int i = 0; i < 100; ++i) deep += ".a";
  EXPECT_THAT(post(deep + "=1").body, HasSubstr("<Code>MalformedQueryString</Code>"));
  std::string broad = "BoxUrl=b";
  for (size_t i = 0; i <= shapes::QueryNode::kNodesMax; ++i) broad += "&n" + std::to_string(i) + "=";
  EXPECT_THAT(post(broad).body, HasSubstr("<Code>MalformedQueryString</Code>"));
}

TEST_F(QueryTest, FormsThatSayOneNameTooOftenAreRefusedByTheirText) {
  std::string repeated = "BoxUrl=b";
  for (size_t i = 0; i <= shapes::QueryNode::kNodesMax; ++i) repeated += "&a";
  EXPECT_THAT(post(repeated).body, HasSubstr("<Code>MalformedQueryString</Code>"));
  EXPECT_EQ(post("BoxUrl=b&a&a").status, 200);
}

}  // namespace
}  // namespace tidemill::wire
