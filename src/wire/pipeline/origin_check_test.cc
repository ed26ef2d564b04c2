#include "wire/pipeline/origin_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

class OriginCheck : public ::testing::Test {
 protected:
  static constexpr auto none = PageStanding::none;
  static constexpr auto allowed = PageStanding::allowed;
  static constexpr auto foreign = PageStanding::foreign;

  PageStanding standing(Headers headers, std::string host = "127.0.0.1:4566", std::string method = "POST") {
    headers.emplace_back("Host", std::move(host));
    request_ = testing::make_request(std::move(method), "/", std::move(headers), "");
    Identity identity;
    identity.head = head_of(request_);
    identity.kind = kind_;
    page_ = origins_.page_of(request_, identity);
    return page_.standing;
  }

  HostNames hosts_{{"mill.example"}};
  Origins origins_{hosts_, {"https://app.example", "capacitor://localhost"}};
  net::Request request_;
  Page page_;
  Identity::Kind kind_ = Identity::Kind::operation;
};

TEST_F(OriginCheck, ProgramsAreNoPages) {
  EXPECT_EQ(standing({}), none);
  EXPECT_EQ(standing({{"User-Agent", "Mozilla/5.0"}}), none);
  // As fetch() of Node.js does.
  EXPECT_EQ(standing({{"Sec-Fetch-Mode", "cors"}, {"User-Agent", "node"}}), none);
}

TEST_F(OriginCheck, PagesOnThisMachineAreAllowed) {
  for (const char* origin : {"http://localhost", "http://localhost:3000", "https://127.0.0.1:8443", "http://[::1]:5173",
                             "http://app.localhost:3000", "HTTP://LOCALHOST:3000"}) {
    EXPECT_EQ(standing({{"Origin", origin}, {"Sec-Fetch-Site", "cross-site"}}), allowed) << origin;
  }
}

TEST_F(OriginCheck, PagesOfOtherSitesAreForeign) {
  for (const char* origin : {"https://evil.example", "http://evil.example:4566", "null", "http://localhost.evil.example",
                             "http://127.0.0.1.evil.example", "http://localhost@evil.example", "file://", "file://localhost",
                             "chrome-extension://localhost", "localhost", "http://", "https://app.example.evil.example",
                             "http://app.example", "https://app.example:444", "https://app.example/", "x"}) {
    EXPECT_EQ(standing({{"Origin", origin}}), foreign) << origin;
    EXPECT_EQ(page_.origin, origin);
  }
}

TEST_F(OriginCheck, OriginsThatAreGivenAreAllowed) {
  EXPECT_EQ(standing({{"Origin", "https://app.example"}}), allowed);
  EXPECT_EQ(standing({{"Origin", "https://App.Example"}}), allowed);
  EXPECT_EQ(standing({{"Origin", "capacitor://localhost"}}), allowed);
}

TEST_F(OriginCheck, APageOfTheServerItselfIsAllowedByWhateverNameItWasCalled) {
  EXPECT_EQ(standing({{"Origin", "http://mill.example:4566"}}, "mill.example:4566"), allowed);
  EXPECT_EQ(standing({{"Origin", "http://mill.example"}}, "mill.example:4566"), foreign);
  EXPECT_EQ(standing({{"Origin", "http://other.mill.example:4566"}}, "mill.example:4566"), foreign);
}

TEST_F(OriginCheck, WithoutAnOriginTheBrowserSaysWhatSiteAsks) {
  EXPECT_EQ(standing({{"Sec-Fetch-Site", "cross-site"}}), foreign);
  EXPECT_EQ(standing({{"Sec-Fetch-Site", "something-new"}}), foreign);
  EXPECT_EQ(standing({{"Sec-Fetch-Site", "none"}}), none);
  EXPECT_EQ(standing({{"Sec-Fetch-Site", "same-origin"}}), none);
}

TEST_F(OriginCheck, OnlyOnLoopbackIsTheSameSiteThisMachine) {
  EXPECT_EQ(standing({{"Sec-Fetch-Site", "same-site"}}, "localhost:4566"), allowed);
  EXPECT_EQ(standing({{"Sec-Fetch-Site", "same-site"}}, "mill.example:4566"), foreign);
  EXPECT_EQ(standing({{"Sec-Fetch-Site", "same-site"}}, "b.s3.amazonaws.com"), foreign);
}

TEST_F(OriginCheck, TheReferrerTellsWhosePageShowsAnImage) {
  const auto shown_on = [&](const char* page) {
    return standing({{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "no-cors"}, {"Referer", page}});
  };
  EXPECT_EQ(shown_on("http://localhost:3000/page?x"), allowed);
  EXPECT_EQ(shown_on("https://app.example/"), allowed);
  EXPECT_EQ(shown_on("https://evil.example/http://localhost/"), foreign);
  EXPECT_EQ(shown_on("http://localhost#@evil.example/"), allowed);  // that is localhost
  EXPECT_EQ(shown_on("http://localhost:80@evil.example/"), foreign);
  EXPECT_EQ(shown_on("about:blank"), foreign);
  // An origin that is said counts whatever the referrer is.
  EXPECT_EQ(standing({{"Origin", "https://evil.example"}, {"Referer", "http://localhost/"}}), foreign);
}

TEST_F(OriginCheck, AnUnsignedActionByAddressOfABrowserThatSaysNothingIsForeign) {
  kind_ = Identity::Kind::form;
  EXPECT_EQ(standing({{"User-Agent", "Mozilla/5.0 (X11)"}}, "mill.example", "GET"), foreign);
  EXPECT_EQ(standing({{"User-Agent", "curl/8"}}, "mill.example", "GET"), none);
  EXPECT_EQ(standing({{"User-Agent", "Mozilla/5.0 (X11)"}, {"Sec-Fetch-Site", "none"}}, "mill.example", "GET"), none);
}

TEST_F(OriginCheck, TheRefusalNamesTheFlagInOneLine) {
  EXPECT_EQ(foreign_page_line({foreign, "https://evil.example"}),
            "A web page of https://evil.example asked for this; if it may, start the server with --allow-origin "
            "https://evil.example");
  EXPECT_THAT(foreign_page_line({foreign, {}}), ::testing::EndsWith("--allow-origin ORIGIN"));
}

}  // namespace
}  // namespace tidemill::wire
