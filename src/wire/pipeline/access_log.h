// Tells of requests to buckets once they have been answered, also those that were refused: services/s3 keeps logs of
// them where a bucket's owner wants one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "net/http.h"
#include "wire/context.h"
#include "wire/registry.h"

namespace tidemill::wire {

struct LoggedRequest {
  const OperationInfo* operation = nullptr;
  std::string bucket;
  std::string key;        // empty: the bucket itself is meant
  std::string account;    // of who asks; empty: nobody was told from others
  std::string principal;  // a key's id, a role's ARN, a service; empty: nobody signed
  std::string source_ip;
  std::string method;
  std::string target;
  std::string host;
  std::string referer;
  std::string user_agent;
  int version_major = 1;      // of HTTP: 1 or 2
  bool is_protected = false;  // the client came over TLS
  bool is_signed = false;
  bool is_presigned = false;
  std::string request_id;
  int status = 0;
  std::string error_code;  // empty: none
  std::optional<uint64_t> bytes_received;
  std::optional<uint64_t> bytes_sent;
  std::string version_id;
  base::Time begun;
  base::Duration duration{};
};

// Any thread.
class AccessLog {
 public:
  virtual ~AccessLog() = default;
  // False: nobody wants to know of any request.
  [[nodiscard]] virtual bool is_wanted() const = 0;
  // Keeps it in memory: no answer waits for its log.
  virtual void note(LoggedRequest request) = 0;
};

// Who asks.
void describe_caller(const Context& context, LoggedRequest& seen);
// What an answer says of itself.
void describe_answer(const net::Response& response, LoggedRequest& seen);

}  // namespace tidemill::wire
