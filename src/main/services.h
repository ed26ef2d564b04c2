// Every service and the engine that moves them, assembled: a new service adds its member and its lines here.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "engine/workers/function_keys.h"
#include "engine/workers/sandbox.h"
#include "net/http.h"
#include "net/http_client.h"
#include "net/loop.h"
#include "wire/context.h"
#include "wire/faults.h"
#include "wire/pipeline/cross_origin.h"
#include "wire/pipeline/function_url.h"
#include "wire/pipeline/identify.h"
#include "wire/pipeline/access_log.h"
#include "wire/pipeline/website.h"

namespace tidemill {

struct ServicesOptions {
  std::filesystem::path data;     // functions' packages, bootstraps and scratch directories live below
  std::string endpoint;           // where functions reach the server
  bool strict_runtimes = false;
  bool lenient = false;           // settings of functions that change nothing are kept instead of refused
  bool throttle = false;          // the throughput of tables is enforced
  std::string sns_certificates;   // what the URL of the certificate for messages begins with; empty: the endpoint
  base::Duration window_idle_wait = std::chrono::minutes(2);  // after a tumbling window's end
  size_t workers_max = SIZE_MAX;  // processes of functions
  size_t calls_max = net::kCallsAtOnceMax;  // to other servers, at once
  wire::Faults* faults = nullptr;  // that functions meet; may be null
  const engine::FunctionKeys* keys = nullptr;  // of what functions sign with; null: signatures are not checked
  bool clock_is_virtual = false;  // functions see its time
  bool clock_stands = false;      // until somebody turns it: clients that wait are not kept longer than they said
  bool clock_jumps = false;       // whenever all is quiet
  std::filesystem::path key_file;  // of the master key; empty: one in key_directory, named after the pond
  std::filesystem::path key_directory;
  std::optional<engine::Sandbox> sandbox;  // that functions run in
  std::string authorities;        // in PEM: that functions trust beside the system's; empty: none
};

class Services {
 public:
  // Registers every operation in the platform's registry. `engine_loop` runs all that moves by itself; it need not run
  // yet. What is passed in outlives this. Throws std::filesystem::filesystem_error.
  Services(wire::Platform& platform, net::Loop& engine_loop, const ServicesOptions& options);
  // Once the loops no longer run.
  ~Services();
  Services(const Services&) = delete;

  // Answers at the URLs of functions.
  [[nodiscard]] wire::FunctionUrls& function_urls();
  // Keeps logs of requests to buckets.
  [[nodiscard]] wire::AccessLog& access_log();
  // Gives the pages of buckets' websites.
  [[nodiscard]] wire::Websites& websites();
  // Answer /_tidemill/replay, /_tidemill/backoff and /_tidemill/backup.
  Task<net::Response> replay(net::Request& request);
  Task<net::Response> backoff(net::Request& request);
  Task<net::Response> back_up(net::Request& request);

  // The access key of the root of the server's account, where signatures are checked. Before start().
  void know_root(std::string access_key_id);
  // Before the first request, on the engine's loop.
  Task<void> start();

  // Before the loops stop, from any thread: begins nothing that takes long any more, and answers those who wait for
  // something to come.
  void wind_down();
  // Functions that run, or are about to. Any thread.
  [[nodiscard]] size_t invocations_under_way() const;
  // How many timers of each kind have run, and how often mappings and pipes have given a batch to whom it is for. Any
  // thread.
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
