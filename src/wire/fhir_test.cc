// What FHIR's clients need of the wire: all parameters of a query, literals of a path however they are escaped, and
// errors as OperationOutcomes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/front.h"
#include "wire/shapes/healthlake.h"
#include "wire/shapes/healthlakefhir.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Headers = std::vector<std::pair<std::string, std::string>>;

class FhirWireTest : public ::testing::Test {
 protected:
  FhirWireTest() {
    Registry& registry = platform_.registry;
    registry.add<healthlakefhir::ops::FhirSearch>(
        [this](Context&, const healthlakefhir::FhirSearchInput& in) -> Task<healthlakefhir::FhirAnswer> {
          seen_ = in;
          if (in.resource_type == "Nothing") throw Error("not-found", 404, "There is no Nothing");
          if (in.resource_type == "Native") throw Error("ThrottlingException", 429, "Too much");
          if (in.resource_type == "Defect") throw std::runtime_error("defect");
          co_return healthlakefhir::FhirAnswer{.status = 203, .e_tag = "W/\"1\"", .body = "{}"};
        });
    registry.add<healthlakefhir::ops::FhirExport>(
        [](Context&, const healthlakefhir::FhirExportInput&) -> Task<healthlakefhir::FhirAnswer> {
          co_return healthlakefhir::FhirAnswer{.body = "exported"};
        });
    registry.add<healthlake::ops::ListTagsForResource>(
        [](Context&, const healthlake::ListTagsForResourceInput&) -> Task<healthlake::ListTagsForResourceOutput> {
          co_return healthlake::ListTagsForResourceOutput{};
        });
    registry.refuse(healthlakefhir::refused_operations());
    front_ = std::make_unique<Front>(platform_.platform, FrontOptions{});
  }

  net::Response send(std::string method, std::string path, Headers more = {}) {
    Headers headers{{"Host", "healthlake.us-east-1.amazonaws.com"},
                    {"Authorization",
                     "AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/healthlake/aws4_request, "
                     "SignedHeaders=host, Signature=0"}};
    headers.insert(headers.end(), more.begin(), more.end());
    net::Request request =
        testing::make_request(std::move(method), "/datastore/1/r4" + std::move(path), std::move(headers), "");
    return testing::run(front_->handle(request));
  }

  testing::TestPlatform platform_;
  std::unique_ptr<Front> front_;
  healthlakefhir::FhirSearchInput seen_;
};

TEST_F(FhirWireTest, AllParametersOfAQueryComeByTheirNames) {
  const net::Response response = send("GET", "/Patient?name=a+b&_count=2&name=%C3%BC%26&flag", {{"Prefer", "x"}});
  EXPECT_EQ(response.status, 203);
  EXPECT_EQ(response.headers.get("content-type"), "application/fhir+json");
  EXPECT_EQ(response.headers.get("etag"), "W/\"1\"");
  EXPECT_EQ(seen_.prefer, "x");
  auto parameters = seen_.parameters.value();
  EXPECT_THAT(parameters["name"], ElementsAre("a b", "ü&"));
  EXPECT_THAT(parameters["_count"], ElementsAre("2"));
  EXPECT_THAT(parameters["flag"], ElementsAre(""));
  (void)send("GET", "/Patient");
  EXPECT_FALSE(seen_.parameters);
}

TEST_F(FhirWireTest, LiteralsOfAPathMayBeEscaped) {
  EXPECT_EQ(send("POST", "/$export").body, "exported");
  EXPECT_EQ(send("POST", "/%24export").body, "exported");
  EXPECT_THAT(send("POST", "/%24import").body, HasSubstr("FhirOtherPost"));
}

TEST_F(FhirWireTest, ErrorsAreOperationOutcomes) {
  const auto outcome = [&](std::string method, std::string path, int status) {
    const net::Response response = send(std::move(method), std::move(path));
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.headers.get("content-type"), "application/fhir+json");
    return response.body;
  };
  EXPECT_EQ(outcome("GET", "/Nothing", 404), R"({"resourceType":"OperationOutcome","issue":[{"severity":"error",)"
                                             R"("code":"not-found","diagnostics":"There is no Nothing"}]})");
  EXPECT_THAT(outcome("GET", "/Native", 429), HasSubstr(R"("code":"throttled")"));
  EXPECT_THAT(outcome("GET", "/Defect", 500), HasSubstr(R"("code":"exception")"));
  EXPECT_THAT(outcome("PATCH", "/Patient/1", 400), HasSubstr("does not support the operation FhirPatch"));
  EXPECT_THAT(outcome("GET", "/Patient/1/2/3", 400), HasSubstr(R"("code":"not-supported")"));
}

}  // namespace
}  // namespace tidemill::wire
