// Whether a principal may call an operation. One interface, asked of every call: of those that come over HTTP before
// their bodies are read, and of those that the platform makes for a mapping, a delivery or another service
// (wire/registry.h). Today everybody may do everything; what knows policies takes that place, in Platform::authorizer,
// and nothing else changes.
#pragma once

#include "base/task.h"
#include "wire/context.h"

namespace tidemill::wire {

struct OperationInfo;

// What is asked for. The place for the resource and its conditions, once there is somebody to judge them.
struct Access {
  const Context& context;  // with the principal
  const OperationInfo& operation;
};

// Any thread.
class Authorizer {
 public:
  virtual ~Authorizer() = default;
  // Throws Error for what is denied, in the words of the operation's service.
  virtual Task<void> authorize(const Access& access) = 0;
};

// The stage. Nobody to ask means that all may do all.
inline Task<void> authorize(const Access& access) {
  Authorizer* authorizer = access.context.platform().authorizer;
  return authorizer ? authorizer->authorize(access) : Task<void>::ready();
}

}  // namespace tidemill::wire
