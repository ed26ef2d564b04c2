#include "main/admin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sim_executor.h"
#include "store/sim_store.h"

namespace tidemill {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(IsoDuration, UnderstandsDaysHoursMinutesAndSeconds) {
  EXPECT_EQ(parse_iso_duration("PT1H30M"), 90min);
  EXPECT_EQ(parse_iso_duration("P7D"), 168h);
  EXPECT_EQ(parse_iso_duration("P2W"), 336h);
  EXPECT_EQ(parse_iso_duration("P1DT0.5S"), 24h + 500ms);
  EXPECT_EQ(parse_iso_duration("PT0S"), 0s);
}

TEST(IsoDuration, RefusesEverythingElse) {
  for (const char* text : {"", "P", "PT", "P1DT", "1H", "PT1", "P1H", "P1Y", "PT-1S", "PT+1S", "PT1S1M", "PT1H1H", "P1e3D",
                           "PTinfS", "PT1H ", "P99999999999D"}) {
    EXPECT_EQ(parse_iso_duration(text), std::nullopt) << text;
  }
}

class Text final : public net::Body {
 public:
  explicit Text(std::string text) : text_(std::move(text)) {}
  Task<std::string> read_all(size_t) override { return Task<std::string>::ready(text_); }
  Task<std::optional<std::string>> read_some() override { return Task<std::optional<std::string>>::ready(std::nullopt); }

 private:
  std::string text_;
};

// The endpoints over the virtual clock, which shows 2026-01-01 at first.
struct World {
  explicit World(bool can_turn = true) : admin(clock, can_turn ? &clock : nullptr, "virtual", *store, metrics) {}

  base::VirtualClock clock{std::chrono::sys_days(std::chrono::year(2026) / 1 / 1), base::VirtualClock::Mode::manual};
  base::SimExecutor executor{1, clock.activity()};
  store::SimDisk disk;
  std::unique_ptr<store::Store> store = store::make_sim_store(disk, executor, clock, store::SimFaults::none());
  base::Metrics metrics;
  Admin admin;

  net::Response ask(std::string method, std::string target, std::string body = "") {
    const base::Executor::Enter enter(executor);
    net::Response response;
    base::Scope scope;
    scope.spawn([](Admin& answering, std::string m, std::string t, std::string b, net::Response& out) -> Task<void> {
      net::Request request;
      request.method = std::move(m);
      request.target = std::move(t);
      request.body = std::make_shared<Text>(std::move(b));
      out = co_await answering.handle(request);
    }(admin, std::move(method), std::move(target), std::move(body), response));
    executor.run_until_idle();
    return response;
  }
};

TEST(Admin, TheClockSaysItsTimeAndCanBeTurned) {
  World world;
  EXPECT_EQ(world.ask("GET", "/_tidemill/clock").body,
            "{\"now\":1767225600,\"time\":\"2026-01-01T00:00:00Z\",\"mode\":\"virtual\"}\n");
  EXPECT_THAT(world.ask("POST", "/_tidemill/clock", R"({"advance":1.5})").body, HasSubstr("\"now\":1767225601.5,"));
  EXPECT_THAT(world.ask("POST", "/_tidemill/clock", R"({"advance":"P1D"})").body, HasSubstr("\"now\":1767312001.5,"));
  EXPECT_THAT(world.ask("POST", "/_tidemill/clock", R"({"to":"2026-02-01T00:00:00Z"})").body,
              HasSubstr("\"time\":\"2026-02-01T00:00:00Z\""));
}

TEST(Admin, WhatTheClockDoesNotUnderstandIsRefused) {
  World world;
  for (const char* body : {"", "{}", "[1]", "{", R"({"advance":-1})", R"({"advance":"a while"})", R"({"advance":null})",
                           R"({"advance":1e300})", R"({"to":"2025-12-31T00:00:00Z"})", R"({"to":"9000-01-01T00:00:00Z"})",
                           R"({"to":5})", R"({"advance":1,"to":"2027-01-01T00:00:00Z"})"}) {
    EXPECT_EQ(world.ask("POST", "/_tidemill/clock", body).status, 400) << body;
  }
  const auto other = world.ask("POST", "/_tidemill/clock", R"({"advance":1,"unit":"days"})");
  EXPECT_EQ(other.status, 400);
  EXPECT_THAT(other.body, HasSubstr("unit"));
  EXPECT_THAT(world.ask("GET", "/_tidemill/clock").body, HasSubstr("\"now\":1767225600,"));
}

TEST(Admin, TheRealClockCannotBeTurned) {
  World world(false);
  const auto refusal = world.ask("POST", "/_tidemill/clock", R"({"advance":1})");
  EXPECT_EQ(refusal.status, 400);
  EXPECT_THAT(refusal.body, HasSubstr("--clock virtual"));
}

TEST(Admin, HealthMetricsAndNothingElse) {
  World world;
  world.metrics.counter("tidemill_things_total", "Things.").add();
  EXPECT_THAT(world.ask("GET", "/_tidemill/health").body, HasSubstr("\"status\":\"ok\""));
  EXPECT_THAT(world.ask("GET", "/metrics").body, HasSubstr("tidemill_things_total 1\n"));
  EXPECT_EQ(world.ask("GET", "/_tidemill/other").status, 404);
  EXPECT_EQ(world.ask("DELETE", "/_tidemill/health").status, 405);
}

}  // namespace
}  // namespace tidemill
