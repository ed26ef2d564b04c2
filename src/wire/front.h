// The HTTP front: one request from its headers to its answer, through the stages of pipeline/ (see its README). Also
// the last resort for defects: logged with the request id, answered as InternalFailure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "net/http.h"
#include "wire/pipeline/access_log.h"
#include "wire/pipeline/authenticate.h"
#include "wire/pipeline/cross_origin.h"
#include "wire/pipeline/function_url.h"
#include "wire/pipeline/identify.h"
#include "wire/pipeline/website.h"
#include "wire/registry.h"

namespace tidemill::wire {

struct FrontOptions {
  std::string account = "000000000000";      // of callers whose access key id is not itself 12 digits
  std::string region = "us-east-1";          // of unsigned requests
  std::string endpoint;                      // "http://127.0.0.1:4566", for Context::endpoint
  std::vector<std::string> hosts = {};            // names of this server beside loopback's, as normal_host() gives them
  std::vector<std::string> allowed_origins = {};  // of pages beside loopback's, as normal_origin() gives them
  std::vector<OwnPath> own_paths = {};            // what is answered beside the AWS APIs
  BucketOrigins* buckets = nullptr;               // the rules of buckets for pages; null: none has any; outlives the front
  FunctionUrls* function_urls = nullptr;          // answers at addresses of functions; null: there are none; outlives the front
  AccessLog* access_log = nullptr;  // is told of requests to buckets; null: nobody is; outlives the front
  Websites* websites = nullptr;  // gives the pages of buckets; null: there are none; outlives the front
  std::shared_ptr<Authenticator> authenticator = std::make_shared<BelieveEverybody>();
  std::vector<base::Executor*> large_calls = {};  // carry out what brings much; none: where it comes; outlive the front
  bool enforces_rights = false;  // policies say what may be done, also by nobody; the authenticator checks signatures
  bool is_behind_proxy = false;  // that says by X-Forwarded-Proto whether clients speak TLS with it
};

class Front {
 public:
  // Reads the registry as it is now, and counts its calls: register every service before. `platform` outlives the
  // front.
  Front(Platform& platform, FrontOptions options);
  ~Front();

  // Every answer of an operation carries x-amzn-requestid. Does not throw wire::Error; net::ConnectionLost passes. An
  // operation that has begun goes on to its end if the client leaves (or, beyond base::Survivors::kPerExecutorMax of
  // those, ends where it waits). Destroy the front once its executors no longer run.
  Task<net::Response> handle(net::Request& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemill::wire
