#include "engine/workers/worker_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemill::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

constexpr base::Time kNow{std::chrono::sys_days(std::chrono::year(2026) / 3 / 14)};

FunctionSpec spec_of(bool is_json, std::string level = "INFO") {
  FunctionSpec spec;
  spec.name = "f";
  spec.version = "3";
  spec.runtime = "nodejs20.x";
  spec.runtime_version_arn = "arn";
  spec.logging = {.is_json = is_json, .system_level = std::move(level)};
  return spec;
}

InvocationReport report_of(InvocationReport::Status status) {
  return {.request_id = "id", .status = status, .duration_ms = 1.2345, .init_duration_ms = 20, .memory_used_mb = 7};
}

TEST(WorkerRecords, AsTextAreAwssLines) {
  const FunctionSpec spec = spec_of(false, "WARN");  // text has no levels
  EXPECT_THAT(init_lines(spec, kNow),
              ElementsAre("INIT_START Runtime Version: nodejs:20.v1\tRuntime Version ARN: arn\n"));
  EXPECT_THAT(start_lines(spec, kNow, "id"), ElementsAre("START RequestId: id Version: 3\n"));
  EXPECT_THAT(end_lines(spec, kNow, report_of(InvocationReport::Status::timeout)),
              ElementsAre("END RequestId: id\n",
                          "REPORT RequestId: id\tDuration: 1.23 ms\tBilled Duration: 2 ms\tMemory Size: 128 MB\t"
                          "Max Memory Used: 7 MB\tInit Duration: 20.00 ms\tStatus: timeout\t\n"));
  InvocationReport error = report_of(InvocationReport::Status::error);
  EXPECT_THAT(end_lines(spec, kNow, error)[1], EndsWith("\tStatus: error\t\n"));
  error.error_type = "Runtime.ExitError";
  EXPECT_THAT(end_lines(spec, kNow, error)[1], EndsWith("\tStatus: error\tError Type: Runtime.ExitError\t\n"));
}

TEST(WorkerRecords, AsJsonHaveTimeTypeAndRecord) {
  const FunctionSpec spec = spec_of(true, "DEBUG");
  EXPECT_THAT(init_lines(spec, kNow),
              ElementsAre(R"({"time":"2026-03-14T00:00:00.000Z","type":"platform.initStart","record":{)"
                          R"("initializationType":"on-demand","phase":"init","runtimeVersion":"nodejs:20.v1",)"
                          R"("runtimeVersionArn":"arn","functionName":"f","functionVersion":"3"}})"
                          "\n"));
  EXPECT_THAT(start_lines(spec, kNow, "id"),
              ElementsAre(R"({"time":"2026-03-14T00:00:00.000Z","type":"platform.start","record":{)"
                          R"("requestId":"id","version":"3"}})"
                          "\n"));
  EXPECT_THAT(end_lines(spec, kNow, report_of(InvocationReport::Status::success)),
              ElementsAre(R"({"time":"2026-03-14T00:00:00.000Z","type":"platform.runtimeDone","record":{)"
                          R"("requestId":"id","status":"success","metrics":{"durationMs":1.234}}})"
                          "\n",
                          R"({"time":"2026-03-14T00:00:00.000Z","type":"platform.report","record":{"requestId":"id",)"
                          R"("metrics":{"durationMs":1.234,"billedDurationMs":2,"memorySizeMB":128,)"
                          R"("maxMemoryUsedMB":7,"initDurationMs":20.000},"status":"success"}})"
                          "\n"));
}

TEST(WorkerRecords, OfAStartThatFailedSayWhetherItWasPartOfAnInvocation) {
  InitReport report{.error_type = "Runtime.ImportModuleError", .duration_ms = 150.789};
  EXPECT_THAT(init_report_lines(spec_of(false), kNow, report),
              ElementsAre("INIT_REPORT Init Duration: 150.79 ms\tPhase: init\tStatus: error\t"
                          "Error Type: Runtime.ImportModuleError\n"));
  report = {.init = {.is_again = true}, .status = InvocationReport::Status::timeout, .duration_ms = 3000};
  EXPECT_THAT(init_report_lines(spec_of(false), kNow, report),
              ElementsAre("INIT_REPORT Init Duration: 3000.00 ms\tPhase: invoke\tStatus: timeout\n"));
  report.error_type = "Runtime.ExitError";
  EXPECT_THAT(init_report_lines(spec_of(true, "WARN"), kNow, report),
              ElementsAre(R"({"time":"2026-03-14T00:00:00.000Z","type":"platform.initReport","record":{)"
                          R"("initializationType":"on-demand","phase":"invoke","status":"timeout",)"
                          R"("errorType":"Runtime.ExitError","metrics":{"durationMs":3000.000}}})"
                          "\n"));
  EXPECT_THAT(init_lines(spec_of(true), kNow, {.is_again = true}),
              ElementsAre(MatchesRegex(".*\"phase\":\"invoke\".*\n")));
}

TEST(WorkerRecords, TellErrorsThatAreNotThePlatformsAsUnknown) {
  EXPECT_EQ(platform_error_type("Runtime.ImportModuleError"), "Runtime.ImportModuleError");
  EXPECT_EQ(platform_error_type("Function.Own"), "Function.Own");
  EXPECT_EQ(platform_error_type("Function.own thing"), "Function.Unknown");
  EXPECT_EQ(platform_error_type("ValueError"), "Runtime.Unknown");
  EXPECT_EQ(platform_error_type(""), "Runtime.Unknown");
}

TEST(WorkerRecords, AreAsManyAsTheLevelWants) {
  const InvocationReport success = report_of(InvocationReport::Status::success);
  InvocationReport error = report_of(InvocationReport::Status::error);
  error.error_type = "Runtime.ExitError";
  const FunctionSpec info = spec_of(true);
  EXPECT_THAT(end_lines(info, kNow, success), ElementsAre(MatchesRegex(".*platform.report.*success.*\n")));
  EXPECT_THAT(end_lines(info, kNow, error),
              ElementsAre(MatchesRegex(".*platform.runtimeDone.*error.*Runtime.ExitError.*\n"),
                          MatchesRegex(".*platform.report.*error.*Runtime.ExitError.*\n")));
  const FunctionSpec warn = spec_of(true, "WARN");
  EXPECT_THAT(init_lines(warn, kNow), IsEmpty());
  EXPECT_THAT(start_lines(warn, kNow, "id"), IsEmpty());
  EXPECT_THAT(end_lines(warn, kNow, success), IsEmpty());
  EXPECT_EQ(end_lines(warn, kNow, error).size(), 2U);
}

}  // namespace
}  // namespace tidemill::engine
