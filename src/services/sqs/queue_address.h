// How queues are named: by URL (http://HOST/ACCOUNT/NAME), by ARN (arn:aws:sqs:REGION:ACCOUNT:NAME), by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/context.h"

namespace tidemill::sqs {

inline constexpr std::string_view kFifoSuffix = ".fifo";
inline constexpr size_t kQueueNameSizeMax = 80;

struct QueueAddress {
  std::string account;
  std::string region;
  std::string name;

  [[nodiscard]] std::string arn() const;
  [[nodiscard]] std::string url(const wire::Context& context) const;
  [[nodiscard]] bool is_fifo() const { return name.ends_with(kFifoSuffix); }
  bool operator==(const QueueAddress&) const = default;
};

// 1..80 of a-z A-Z 0-9 _ -, with the suffix .fifo or without.
[[nodiscard]] bool is_queue_name(std::string_view name);

// Whatever its host is; a path alone and a name alone will do. Throws QueueDoesNotExist for what names no queue of the
// caller's account, and MissingParameter.
[[nodiscard]] QueueAddress parse_queue_url(const wire::Context& context, const std::optional<std::string>& url);

// Nothing if `arn` is none of a queue.
[[nodiscard]] std::optional<QueueAddress> parse_queue_arn(std::string_view arn);

}  // namespace tidemill::sqs
