// A target that is an operation by its name: "arn:aws:scheduler:::aws-sdk:sqs:sendMessage", with the request as its
// input. On AWS these are EventBridge Scheduler's ("Using universal targets" in its user guide); Tidemill's rules have
// them, too.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/task.h"
#include "store/delivery.h"
#include "wire/context.h"
#include "wire/registry.h"

namespace tidemill::engine {

inline constexpr std::string_view kUniversalStart = "arn:aws:scheduler:::aws-sdk:";

[[nodiscard]] inline bool is_universal(std::string_view arn) { return arn.starts_with(kUniversalStart); }

struct NamedOperation {
  std::string service;  // "sqs"
  std::string name;     // "SendMessage"
};

// Why an ARN that begins so is no target; what() is for who asks for it.
class NoUniversalTarget : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Of one that is a target already: earlier versions took services by the names of their endpoints ("states"), too.
// Throws NoUniversalTarget for what names no operation.
[[nodiscard]] NamedOperation universal_operation(std::string_view arn);
// Of one that is to be a target. Throws NoUniversalTarget, in AWS's words, also for a service by another name than it
// has in SDKs ("sfn"), and for an operation that only reads: AWS tells these by how they begin.
[[nodiscard]] NamedOperation new_universal_operation(std::string_view arn);

// Whether the operation that a target's ARN names may take as long as what it calls: a function, a machine, an
// endpoint. All others end at once.
[[nodiscard]] bool may_wait(std::string_view arn);

// Whether the platform carries it out.
[[nodiscard]] bool is_supported(const wire::Registry& registry, const NamedOperation& operation);

// One attempt. rejected: the operation refuses it, or answers that it did not take an entry.
Task<store::SendOutcome> call_by_name(wire::Context context, NamedOperation operation, base::json::Value document);

}  // namespace tidemill::engine
