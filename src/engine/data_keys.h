// Data keys for what services keep encrypted with keys of KMS: made by GenerateDataKey and opened by Decrypt, on behalf
// of whoever asks, and used again for a time, so that not every message asks KMS. A value is sealed with a data key
// here (crypto/sealing.h); beside it stands what KMS opens the data key from.
//
//   const Sealing with = co_await keys.to_seal(context, {.key_id = "alias/orders", .context = {"aws:sqs:arn", arn}},
//   5min); kept = with.seal(body); … body = (co_await keys.to_open(context, with.envelope, 5min)).open(kept);
//
// A key of AWS's own (alias/aws/…) may be used by whoever may use the service, so the platform asks for it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "base/ordered.h"
#include "base/task.h"
#include "crypto/secret.h"
#include "wire/context.h"
#include "wire/error.h"

namespace tidemill::engine {

// An encryption context of one pair: "aws:sqs:arn" and the ARN.
struct KeyContext {
  std::string name;
  std::string value;
};

// What a resource's settings say.
struct KeyUse {
  std::string key_id;  // an id, an ARN, an alias
  KeyContext context;
};

// What is kept beside a sealed value. Empty: the value is not sealed.
struct KeyEnvelope {
  std::string data_key;  // as KMS gave it
  KeyContext context;
  bool is_aws_key = false;

  [[nodiscard]] bool empty() const { return data_key.empty(); }
};

void append_envelope(std::string& out, const KeyEnvelope& envelope);
[[nodiscard]] KeyEnvelope read_envelope(base::OrderedReader& reader);

struct Sealing {
  std::shared_ptr<const crypto::Secret> key;
  KeyEnvelope envelope;

  [[nodiscard]] std::string seal(std::string_view plain) const;
  // Throws std::runtime_error if it is damaged.
  [[nodiscard]] std::string open(std::string_view sealed) const;
};

// Any thread.
class DataKeys {
 public:
  static constexpr size_t kKeptMax = 10'000;  // beyond, all are forgotten

  explicit DataKeys(base::Clock& clock) : clock_(clock) {}

  // `reuse`: KMS is asked again after this. Throw KMS's errors.
  Task<Sealing> to_seal(const wire::Context& caller, KeyUse use, base::Duration reuse);
  Task<Sealing> to_open(const wire::Context& caller, KeyEnvelope envelope, base::Duration reuse);

 private:
  struct Kept {
    Sealing sealing;
    base::Time made;
  };
  [[nodiscard]] std::optional<Sealing> find(const std::string& name, base::Duration reuse);
  void keep(std::string name, Sealing sealing);

  base::Clock& clock_;
  std::mutex mutex_;
  std::unordered_map<std::string, Kept> kept_;
};

// A service's own errors for how KMS refuses.
struct KeyErrors {
  using Make = wire::Error (*)(std::string message);
  Make access_denied;
  Make disabled;
  Make invalid_key_usage;
  Make invalid_state;
  Make not_found;
  Make throttled;
};

// What the service answers where KMS answered `error`:
// "… is disabled. (Service: AWSKMS; Status Code: 400; Error Code: DisabledException; Request ID: …; Proxy: null)".
// Other errors than those of keys stay what they are.
[[nodiscard]] wire::Error key_refusal(const KeyErrors& errors, const wire::Error& error, const wire::Context& context);

}  // namespace tidemill::engine
