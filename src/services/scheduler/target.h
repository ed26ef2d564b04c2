// What a schedule calls: a queue, a function and the like by its ARN ("templated"), or any operation of the platform
// ("universal", arn:aws:scheduler:::aws-sdk:sqs:sendMessage). Either becomes a call of an operation by its name.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/json_members.h"
#include "engine/targets/universal_target.h"
#include "wire/context.h"
#include "wire/registry.h"
#include "wire/shapes/scheduler.h"

namespace tidemill::scheduler {

namespace json = base::json;
namespace shapes = wire::scheduler;

// AWS's defaults, which descriptions show.
inline constexpr int64_t kRetriesDefault = 185;
inline constexpr std::chrono::seconds kAgeDefault = std::chrono::hours(24);

struct Target {
  std::string arn;
  std::string role;
  std::optional<std::string> input;
  std::string group_id;       // of a FIFO queue; empty: none
  std::string partition_key;  // of a data stream
  std::string detail_type;    // of an event bus, as `source`
  std::string source;
  std::string dead_letter;  // a queue's ARN; empty: none
  std::chrono::seconds age_max = kAgeDefault;
  int64_t retries = kRetriesDefault;

  [[nodiscard]] bool is_universal() const;
  [[nodiscard]] bool is_queue() const;
};

// Of a request. Throws ValidationException, for targets that Tidemill has not, by name.
[[nodiscard]] Target check_target(const wire::Context& context, const shapes::Target& target);
[[nodiscard]] shapes::Target describe(const Target& target);

inline constexpr auto kTargetMembers = [](auto& member, auto& target) {
  member("arn", target.arn);
  member("role", target.role);
  member("input", target.input);
  member.unless_empty("group_id", target.group_id);
  member.unless_empty("partition_key", target.partition_key);
  member.unless_empty("detail_type", target.detail_type);
  member.unless_empty("source", target.source);
  member.unless_empty("dead_letter", target.dead_letter);
  member("age_max_s", target.age_max);
  member("retries", target.retries);
};

// What the platform is asked to do.
struct Call {
  engine::NamedOperation operation;
  json::Value document;
};

// `input` has its context attributes replaced. Throws ValidationException if it cannot be a document.
[[nodiscard]] Call call_of(const Target& target, const std::string& input);

}  // namespace tidemill::scheduler
