// Records as earlier versions wrote them: they are read, and are written again to the letter. What stands here may be
// added to, and never changes otherwise: ponds have it.
#include <gtest/gtest.h>

#include "services/lambda/event_invoke_config.h"
#include "services/lambda/function.h"
#include "services/lambda/layer.h"
#include "services/lambda/package_record.h"

namespace tidemill::lambda {
namespace {

constexpr std::string_view kAccount = "000000000000";
constexpr std::string_view kRegion = "us-east-1";

TEST(StoredRecords, OfFunctions) {
  const auto function = [](uint64_t version, std::string_view text) {
    EXPECT_EQ(encode_function(decode_function({{}, version}, text)), text);
  };
  function(0,
           R"({"runtime":"python3.12","role":"r","handler":"h","description":"","timeout_seconds":3,"memory_mb":128,)"
           R"("log_group":"","ephemeral_storage_mb":512,"code_digest":"00","code_bytes":9,"revision":"v",)"
           R"("process_revision":"p","last_modified_us":1,"dead_letter_target":"","tags":{},"last_version":0,)"
           R"("published_description":"","allows_recursion":false})");
  function(0,
           R"({"runtime":"python3.12","role":"r","handler":"h","description":"d","timeout_seconds":3,"memory_mb":128,)"
           R"("environment":{"A":"B"},"log_group":"/g","application_log_level":"INFO","system_log_level":"WARN",)"
           R"("ephemeral_storage_mb":1024,"lenient":{"kms_key_arn":"k","traces":true,"has_snap_start":true,)"
           R"("subnet_ids":["s"],"security_group_ids":[],"has_ipv6":false,"file_systems":[{"arn":"a","path":"/mnt/x"}]},)"
           R"("code_digest":"00","code_bytes":9,"layers":[{"arn":"l","digest":"01","bytes":4}],"architecture":"arm64",)"
           R"("revision":"v","process_revision":"p","last_modified_us":1,"dead_letter_target":"q","tags":{"k":"v"},)"
           R"("last_version":2,"published_description":"d","reserved_concurrency":0,"allows_recursion":true,)"
           R"("provisioned_concurrency":3})");
  const std::string_view before =
      R"({"runtime":"python3.12","role":"r","handler":"h","description":"","timeout_seconds":3,"memory_mb":128,)"
      R"("log_group":"","code_digest":"00","code_bytes":9,"revision":"v","last_modified_us":1})";
  const Function read = decode_function({{}, 1}, before);
  EXPECT_EQ(read.process_revision, "v");
  EXPECT_EQ(read.ephemeral_storage_mb, 512);
  const auto config = [](std::string_view text) {
    EXPECT_EQ(encode_event_invoke_config(decode_event_invoke_config(text)), text);
  };
  config(R"({"qualifier":"$LATEST","on_success":"","on_failure":"q","last_modified_us":1})");
  config(
      R"({"qualifier":"a","retry_attempts_max":0,"age_seconds_max":60,"on_success":"s","on_failure":"","last_modified_us":1})");
  const std::string_view layer =
      R"({"description":"d","license":"MIT","runtimes":["python3.12"],"architectures":[],"created_us":1,)"
      R"("code_digest":"00","code_bytes":3})";
  const LayerReference reference{{std::string(kAccount), std::string(kRegion), "l"}, 7};
  const auto version =
      decode_layer_version(reference.address, layer_version_key(reference), layer);
  EXPECT_EQ(version.reference.number, 7);
  EXPECT_EQ(encode_layer_version(version), layer);
  const std::string_view package = R"({"blob":"AAAAAAAAAAAAAAAAAAAAAA==","bytes":9,"functions":1})";
  EXPECT_EQ(encode_package(decode_package(package)), package);
}

}  // namespace
}  // namespace tidemill::lambda
