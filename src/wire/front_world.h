// For tests of the front: operations of the test models, and requests as clients send them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/front.h"
#include "wire/testdata/kettle.h"
#include "wire/testdata/teahouse.h"
#include "wire/testing.h"

namespace tidemill::wire {

using Headers = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::string_view kAuthorization = "AWS4-HMAC-SHA256 Credential=";

inline std::string signed_for(std::string_view service, std::string_view region = "eu-west-1", std::string_view key = "AKID") {
  return std::string(kAuthorization) + std::string(key) + "/20260101/" + std::string(region) + "/" + std::string(service) +
         "/aws4_request, SignedHeaders=host, Signature=0";
}

class FrontTest : public ::testing::Test {
 protected:
  FrontTest() {
    registry().add<kettle::ops::Brew>([this](Context& context, const kettle::BrewInput& in) -> Task<kettle::BrewOutput> {
      if (wait_) co_await wait_();
      seen_ = context.account + " " + context.region + " " + context.principal.name() + " " + context.endpoint;
      source_ip_ = context.source_ip;
      request_id_ = context.request_id;
      if (fail_) fail_();
      co_return kettle::BrewOutput{.table_name = in.table_name};
    });
    registry().add<kettle::ops::Rinse>(
        [](Context&, const kettle::RinseInput&) { return Task<kettle::RinseOutput>::ready(); });
    registry().refuse(kettle::refused_operations());
    registry().add<teahouse::ops::SeatGuest>([](Context&, const teahouse::SeatGuestInput& in) -> Task<teahouse::Guest> {
      co_return teahouse::Guest{.guest_name = in.guest_name, .seated_at = base::Time(base::Duration(1500000))};
    });
    registry().add<teahouse::ops::GetGuest>([](Context&, const teahouse::GetGuestInput& in) -> Task<teahouse::Guest> {
      if (in.guest_name == "nobody") throw teahouse::errors::guest_not_found_exception("no such guest");
      if (in.guest_name == "twice") throw teahouse::errors::seat_taken_exception("taken");
      co_return teahouse::Guest{.guest_name = in.guest_name + in.course.value_or("")};
    });
    registry().add<teahouse::ops::ListGuests>(
        [](Context&, const teahouse::ListGuestsInput& in) -> Task<teahouse::ListGuestsOutput> {
          std::vector<std::string> words = in.tags.value_or(std::vector<std::string>());
          words.push_back(in.marker.value_or("-") + (in.late.value_or(false) ? "late" : ""));
          words.push_back(std::to_string(in.max_items.value_or(0)));
          co_return teahouse::ListGuestsOutput{.guests = words};
        });
    registry().add<teahouse::ops::RemoveGuest>(
        [](Context&, const teahouse::RemoveGuestInput&) { return Task<teahouse::RemoveGuestOutput>::ready(); });
    registry().add<teahouse::ops::ServeTea>(
        [](Context&, const teahouse::ServeTeaInput& in) -> Task<teahouse::ServeTeaOutput> {
          co_return teahouse::ServeTeaOutput{
              .status_code = 202, .cup = in.course, .degrees = 80, .tea = in.tea.value_or("none")};
        });
    registry().add<teahouse::ops::ReadBook>(
        [this](Context&, const teahouse::ReadBookInput& in) -> Task<teahouse::ReadBookOutput> {
          seen_ = in.path;
          co_return teahouse::ReadBookOutput{.modified = base::Time(base::Duration(1560209851000000))};
        });
    registry().add<teahouse::ops::SetMenu>([](Context&, const teahouse::SetMenuInput& in) -> Task<teahouse::SetMenuOutput> {
      co_return teahouse::SetMenuOutput{.menu = in.menu};
    });
    front_ = std::make_unique<Front>(
        platform_.platform,
        FrontOptions{.account = "000000000000", .region = "us-east-1", .endpoint = "http://127.0.0.1:4566"});
  }

  Registry& registry() { return platform_.registry; }

  net::Response send(std::string method, std::string target, Headers headers, std::string body = "") {
    net::Request request = testing::make_request(std::move(method), std::move(target), std::move(headers), std::move(body));
    net::Response response = testing::run(front_->handle(request));
    const bool has_id = response.headers.get("x-amzn-requestid").size() == 36 || response.headers.find("x-amz-request-id");
    EXPECT_TRUE(has_id);
    return response;
  }
  net::Response brew(std::string body, std::string authorization = signed_for("kettle")) {
    return send("POST", "/",
                {{"Host", "127.0.0.1:4566"},
                 {"X-Amz-Target", "Kettle_20260101.Brew"},
                 {"Content-Type", "application/x-amz-json-1.0"},
                 {"Authorization", std::move(authorization)}},
                std::move(body));
  }
  net::Response rest(std::string method, std::string target, std::string body = "", Headers headers = {}) {
    headers.emplace_back("Authorization", signed_for("teahouse"));
    return send(std::move(method), std::move(target), std::move(headers), std::move(body));
  }

  testing::TestPlatform platform_;
  std::unique_ptr<Front> front_;
  std::string seen_;
  std::string source_ip_;
  std::string request_id_;
  std::function<void()> fail_;
  std::function<Task<void>()> wait_;
};

inline const std::string kGood = R"({"TableName":"tea","Amount":1})";

}  // namespace tidemill::wire
