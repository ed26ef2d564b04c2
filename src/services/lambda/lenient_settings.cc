#include "services/lambda/lenient_settings.h"

namespace tidemill::lambda {

bool LenientSettings::any() const {
  return vpc_config || !kms_key_arn.empty() || traces || has_snap_start || !file_systems.empty();
}

void describe_lenient(const LenientSettings& settings, uint64_t version, wire::lambda::FunctionConfiguration& out) {
  if (settings.vpc_config) {
    auto& vpc = out.vpc_config.emplace();
    vpc.subnet_ids = settings.vpc_config->subnet_ids;
    vpc.security_group_ids = settings.vpc_config->security_group_ids;
    vpc.ipv6_allowed_for_dual_stack = settings.vpc_config->ipv6_allowed_for_dual_stack;
    vpc.vpc_id = "";  // nobody knows which it would be
  }
  if (!settings.kms_key_arn.empty()) out.kms_key_arn = settings.kms_key_arn;
  if (settings.traces) out.tracing_config.emplace().mode = "Active";
  if (settings.has_snap_start) out.snap_start = {"PublishedVersions", version == 0 ? "Off" : "On"};
  if (!settings.file_systems.empty()) out.file_system_configs = settings.file_systems;
}

}  // namespace tidemill::lambda
