// Every service and the engine that moves them, assembled: a new service adds its member and its lines here.
#pragma once

#include <filesystem>
#include <map>
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
  size_t workers_max = SIZE_MAX;  // processes of functions
  bool clock_stands = false;      // until somebody turns it: clients that wait are not kept longer than they said
};

class Services {
 public:
  // Registers every operation in the platform's registry. `engine_loop` runs all that moves by itself; it need not run
  // yet. What is passed in outlives this. Throws std::filesystem::filesystem_error.
  Services(wire::Platform& platform, net::Loop& engine_loop, const ServicesOptions& options);
  // Once the loops no longer run.
  ~Services();
  Services(const Services&) = delete;

  // Answer /_tidemill/replay, /_tidemill/backoff and /_tidemill/backup.
  Task<net::Response> replay(net::Request& request);
  Task<net::Response> backoff(net::Request& request);
  Task<net::Response> back_up(net::Request& request);

  // Before the first request, on the engine's loop.
  Task<void> start();

  // Before the loops stop, from any thread: begins nothing that takes long any more, and answers those who wait for
  // something to come.
  void wind_down();
  // Functions that run, or are about to. Any thread.
  [[nodiscard]] size_t invocations_under_way() const;
  // How many timers of each kind have run. Any thread.
  [[nodiscard]] std::map<std::string, uint64_t> ran() const;

  // What services answer beside their operations.
  [[nodiscard]] std::vector<wire::OwnPath> own_paths();
  // What buckets say of web pages.
  [[nodiscard]] wire::BucketOrigins& bucket_origins();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemill
