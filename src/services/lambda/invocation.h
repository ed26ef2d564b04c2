// What the ways to call a function and wait for its answer have in common: Invoke, InvokeWithResponseStream and URLs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/workers/workers.h"
#include "services/lambda/lineage.h"
#include "services/lambda/operations.h"

namespace tidemill::lambda {

// The payload, which is JSON of at most `bytes_max`, the limit of the invocation type; a large one is read on a thread. It
// must stay until then. Throws AWS's errors.
Task<std::string> checked_payload(Service& service, const std::optional<std::string>& payload, size_t bytes_max,
                                  std::string_view type);

// Of InvokeInput and InvokeWithResponseStreamInput, which must stay until it is made; without its trace header. Throws
// AWS's errors.
template <class Request>
Task<engine::Invocation> invocation_of(Service& service, const wire::Context& context, const Found& found,
                                       const Request& request);

// Throws what is an error of ours, not the function's.
void check_ran(const engine::InvocationResult& result, const FunctionReference& reference);

// Counts the call in its chain; true if the chain ends here.
[[nodiscard]] bool extend(Lineage& lineage, const Function& function);
// The same; throws RecursiveInvocationException if it does.
void extend_or_refuse(Lineage& lineage, const Found& found);

// A call whose answer is read as it comes. Who destroys it leaves; the function goes on.
class StreamedCall {
 public:
  StreamedCall(std::shared_ptr<engine::ResponseStream> stream, base::Future<engine::InvocationResult> done)
      : stream_(std::move(stream)), done_(std::move(done)) {}
  ~StreamedCall() { stream_->leave(); }
  StreamedCall(const StreamedCall&) = delete;

  // The answer's content type; nothing if the call ended before there was one.
  Task<std::optional<std::string>> begun() { return stream_->begun(); }
  // The next piece; nothing at the end.
  Task<std::optional<std::string>> next() { return stream_->next(); }
  // How it ended, once; its payload has not passed yet only if the call failed.
  Task<engine::InvocationResult> result() { co_return co_await done_; }

 private:
  const std::shared_ptr<engine::ResponseStream> stream_;
  const base::Future<engine::InvocationResult> done_;
};

}  // namespace tidemill::lambda
