// The HTTP front: finds the operation that a request means, makes its Context, runs it through the registry and answers
// in the operation's protocol. Also the last resort for defects: logged with the request id, answered as InternalFailure.
#pragma once

#include <memory>
#include <string>

#include "net/http.h"
#include "wire/registry.h"

namespace tidemill::wire {

struct FrontOptions {
  std::string account = "000000000000";      // of callers whose access key id is not itself 12 digits
  std::string region = "us-east-1";          // of unsigned requests
  std::string endpoint;                      // "http://127.0.0.1:4566", for Context::endpoint
};

class Front {
 public:
  // Reads the registry as it is now: register every service before. `platform` outlives the front.
  Front(Platform& platform, FrontOptions options);
  ~Front();

  // Routes by X-Amz-Target, credential scope, path and host (facts/aws.md section 11). Every answer carries
  // x-amzn-requestid. Does not throw wire::Error; net's exceptions pass. An operation that has begun goes on to its end
  // if the client leaves (or, beyond base::Survivors::kPerExecutorMax of those, ends where it waits). Destroy the front
  // once its executors no longer run.
  Task<net::Response> handle(net::Request& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemill::wire
