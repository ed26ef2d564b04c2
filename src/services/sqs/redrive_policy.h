// The two policies of dead-letter queues: where a queue's messages go that nobody manages to process (RedrivePolicy),
// and whose messages a queue takes (RedriveAllowPolicy).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/sqs/queue_address.h"

namespace tidemill::sqs {

struct RedrivePolicy {
  static constexpr int kReceivesMin = 1;
  static constexpr int kReceivesMax = 1000;

  QueueAddress target;
  int receives_max = 0;
};

struct RedriveAllowPolicy {
  static constexpr size_t kSourcesMax = 10;

  enum class Permission { all, none, by_queue };
  Permission permission = Permission::all;
  std::vector<std::string> source_arns;

  [[nodiscard]] bool allows(const QueueAddress& source) const;
};

// The attribute's JSON text. Throws InvalidParameterValue.
[[nodiscard]] RedrivePolicy parse_redrive_policy(const std::string& text);
[[nodiscard]] RedriveAllowPolicy parse_redrive_allow_policy(const std::string& text);

}  // namespace tidemill::sqs
