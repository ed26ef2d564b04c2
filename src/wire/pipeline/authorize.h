// Whether a principal may call an operation. One interface, asked twice of every call: before its body is read, of those
// over HTTP and of those that the platform makes for a mapping, a delivery or another service (wire/registry.h); and
// once its request has been read and checked, as only that tells what is to be done to what. What knows policies
// (src/rights) stands there with `--auth iam`, in Platform::authorizer; without, everybody may do everything.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/task.h"
#include "wire/context.h"

namespace tidemill::wire {

struct OperationInfo;

// What is asked for.
struct Access {
  const Context& context;  // with the principal
  const OperationInfo& operation;
  const void* request = nullptr;  // of the C++ type of the operation's input; null: not read yet
};

// Something that no operation stands for: the call of a function's address, a mapping's reading.
struct Deed {
  std::string action;    // "lambda:InvokeFunctionUrl"
  std::string resource;  // its ARN
  std::vector<std::pair<std::string, std::string>> facts = {};  // condition keys and their values
};

// Any thread.
class Authorizer {
 public:
  virtual ~Authorizer() = default;
  // Before the request is read. Throws Error for what is denied, in the words of the operation's service.
  virtual Task<void> authorize(const Access& access) = 0;
  // Once it is. `access` lives until it is done. Throws the same.
  virtual Task<void> authorize_request(const Access&) { return Task<void>::ready(); }
  // Throws Error AccessDeniedException.
  virtual Task<void> authorize_deed(const Context&, Deed) { return Task<void>::ready(); }
  // Whether a resource that has `policy` would let the caller do the deed, as far as that says. To leave it to the policies
  // of the caller's account is to let.
  virtual Task<bool> would_let(const Context&, Deed, [[maybe_unused]] std::string policy) {
    return Task<bool>::ready(true);
  }
  // An operation has ended, however: what it changed may change rights.
  virtual void ended(const OperationInfo&) noexcept {}
};

// The stages. Nobody to ask means that all may do all.
inline Task<void> authorize(const Access& access) {
  Authorizer* authorizer = access.context.platform().authorizer;
  return authorizer ? authorizer->authorize(access) : Task<void>::ready();
}
inline Task<void> authorize_request(const Access& access) {
  Authorizer* authorizer = access.context.platform().authorizer;
  return authorizer ? authorizer->authorize_request(access) : Task<void>::ready();
}
inline Task<void> authorize_deed(const Context& context, Deed deed) {
  Authorizer* authorizer = context.platform().authorizer;
  return authorizer ? authorizer->authorize_deed(context, std::move(deed)) : Task<void>::ready();
}
inline Task<bool> would_let(const Context& context, Deed deed, std::string policy) {
  Authorizer* authorizer = context.platform().authorizer;
  return authorizer ? authorizer->would_let(context, std::move(deed), std::move(policy)) : Task<bool>::ready(true);
}

// Tells the authorizer at the end of a call.
class TellsEnd {
 public:
  TellsEnd(const Context& context, const OperationInfo& operation)
      : authorizer_(context.platform().authorizer), operation_(operation) {}
  ~TellsEnd() {
    if (authorizer_) authorizer_->ended(operation_);
  }
  TellsEnd(const TellsEnd&) = delete;

 private:
  Authorizer* const authorizer_;
  const OperationInfo& operation_;
};

}  // namespace tidemill::wire
