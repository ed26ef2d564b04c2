// What a server that was started with --lenient keeps of settings that change nothing here: how it is stored, and how shown.
#pragma once

#include "services/lambda/function.h"

namespace tidemill::lambda {

inline constexpr auto kVpcMembers = [](auto& member, auto& vpc) {
  member.filled("subnet_ids", vpc.subnet_ids);
  member.filled("security_group_ids", vpc.security_group_ids);
  member.filled("has_ipv6", vpc.ipv6_allowed_for_dual_stack);
};

inline constexpr auto kFileSystemMembers = [](auto& member, auto& file_system) {
  member("arn", file_system.arn);
  member("path", file_system.local_mount_path);
};

inline constexpr auto kLenientMembers = [](auto& member, auto& settings) {
  member("kms_key_arn", settings.kms_key_arn);
  member("traces", settings.traces);
  member("has_snap_start", settings.has_snap_start);
  member.inlined("subnet_ids", settings.vpc_config, kVpcMembers);
  member.list("file_systems", "function", settings.file_systems, kFileSystemMembers);
};

// `version`: 0 is $LATEST, to which SnapStart says nothing.
void describe_lenient(const LenientSettings& settings, uint64_t version, wire::lambda::FunctionConfiguration& out);

}  // namespace tidemill::lambda
