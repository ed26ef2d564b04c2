// `tidemill backoff TOPIC`: what a topic that holds back has held back, and of whom; with --silence or --reset it is
// told to be quiet about one kind of message, or to begin anew. GET and POST /_tidemill/backoff do the work
// (backoff_endpoint.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "main/client.h"

namespace tidemill {

struct BackoffOptions {
  std::string topic;  // an ARN, or a name in the client's account and region
  std::optional<std::string> principal;
  std::optional<std::string> cause;
  std::optional<std::chrono::seconds> silence;  // of the kind with that principal and cause
  bool reset = false;
  ClientOptions client;

  [[nodiscard]] std::string topic_arn() const;
};

// What follows the word "backoff". Throws UsageError.
BackoffOptions parse_backoff_options(std::span<const std::string_view> arguments, const Environment& environment);

// Prints a line for each kind of message. The exit code: 0 if it could, else 1, also of a kind never reported.
int backoff(const BackoffOptions& options);

}  // namespace tidemill
