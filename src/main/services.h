// Every service and the engine that moves them, assembled: a new service adds its member and its lines here.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "net/http.h"
#include "net/loop.h"
#include "wire/context.h"
#include "wire/pipeline/cross_origin.h"
#include "wire/pipeline/identify.h"

namespace tidemill {

struct ServicesOptions {
  std::filesystem::path data;     // functions' packages, bootstraps and scratch directories live below
  std::string endpoint;           // where functions reach the server
  bool strict_runtimes = false;
  bool throttle = false;          // the throughput of tables is enforced
  std::string sns_certificates;   // what the URL of the certificate for messages begins with; empty: the endpoint
  base::Duration window_idle_wait = std::chrono::minutes(2);  // after a tumbling window's end
};

class Services {
 public:
  // Registers every operation in the platform's registry. `engine_loop` runs all that moves by itself; it need not run
  // yet. What is passed in outlives this. Throws std::filesystem::filesystem_error.
  Services(wire::Platform& platform, net::Loop& engine_loop, const ServicesOptions& options);
  // Once the loops no longer run.
  ~Services();
  Services(const Services&) = delete;

  // Answers POST /_tidemill/replay.
  Task<net::Response> replay(net::Request& request);
  // Answers POST /_tidemill/backup.
  Task<net::Response> back_up(net::Request& request);

  // Before the first request, on the engine's loop.
  Task<void> start();

  // What services answer beside their operations.
  [[nodiscard]] std::vector<wire::OwnPath> own_paths();
  // What buckets say of web pages.
  [[nodiscard]] wire::BucketOrigins& bucket_origins();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemill
