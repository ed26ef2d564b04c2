#include "main/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "store/rocksdb_store.h"

namespace tidemill {

namespace {

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total_pages = 0;
  double resident_pages = 0;
  file >> total_pages >> resident_pages;
  return resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double open_files() {
  std::error_code error;
  std::filesystem::directory_iterator entries("/proc/self/fd", error);
  return error ? 0 : static_cast<double>(std::distance(entries, std::filesystem::directory_iterator()));
}

}  // namespace

void add_process_metrics(base::Metrics& metrics) {
  const double started =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  metrics.gauge("process_resident_memory_bytes", "Resident memory.", "", resident_bytes);
  metrics.gauge("process_cpu_seconds_total", "User and system CPU time.", "", cpu_seconds);
  metrics.gauge("process_open_fds", "Open file descriptors.", "", open_files);
  metrics.gauge("process_start_time_seconds", "Start of the process, seconds since 1970.", "",
                [started] { return started; });
}

void add_net_metrics(base::Metrics& metrics, const net::HttpServer& http) {
  const auto gauge = [&](std::string_view name, std::string_view help, auto read) {
    metrics.gauge(name, help, "", [&http, read] { return static_cast<double>(read(http.use())); });
  };
  using net::ServerUse;
  gauge("tidemill_connections", "Connections that are open.", [](const ServerUse& use) { return use.connections; });
  gauge("tidemill_connections_crowded_total", "Times that new connections had to wait.",
        [](const ServerUse& use) { return use.crowded; });
  gauge("tidemill_requests_under_way", "Requests begun and not yet answered.",
        [](const ServerUse& use) { return use.requests; });
  gauge("tidemill_body_bytes", "Bodies of requests in memory.", [](const ServerUse& use) { return use.body_bytes; });
  gauge("tidemill_answer_bytes", "Answers in memory, or room reserved for them.",
        [](const ServerUse& use) { return use.answer_bytes; });
}

void add_store_metrics(base::Metrics& metrics, store::Store& store, std::shared_ptr<const store::Condition> condition) {
  const auto gauge = [&](std::string_view name, std::string_view help, auto read) {
    metrics.gauge(name, help, "", [&store, read] { return static_cast<double>(read(store.metrics())); });
  };
  using store::StoreMetrics;
  gauge("tidemill_store_commits", "Transactions committed.", [](const StoreMetrics& m) { return m.commits; });
  gauge("tidemill_store_conflicts", "Transactions that lost a race and ran again.",
        [](const StoreMetrics& m) { return m.conflicts; });
  gauge("tidemill_store_syncs", "Synced batches.", [](const StoreMetrics& m) { return m.syncs; });
  gauge("tidemill_store_written_bytes", "Bytes in committed batches.",
        [](const StoreMetrics& m) { return m.bytes_written; });
  gauge("tidemill_store_queued_commits", "Transactions waiting to be committed.",
        [](const StoreMetrics& m) { return m.queued_commits; });
  metrics.gauge("tidemill_store_views",
                "States of the store that are still read, the newest included; what they see is kept.", "",
                [&store] { return static_cast<double>(store::views_of(store)); });
  gauge("tidemill_store_cache_hits", "Reads of blocks that the cache held.",
        [](const StoreMetrics& m) { return m.cache_hits; });
  gauge("tidemill_store_cache_misses", "Reads of blocks that had to come from files.",
        [](const StoreMetrics& m) { return m.cache_misses; });
  gauge("tidemill_store_cache_bytes", "What the cache of blocks holds.",
        [](const StoreMetrics& m) { return m.cache_bytes; });
  gauge("tidemill_store_cache_bytes_max", "What the cache of blocks may hold (--cache).",
        [](const StoreMetrics& m) { return m.cache_bytes_max; });
  gauge("tidemill_store_failed", "1 while the store takes no writes.", [](const StoreMetrics& m) { return m.failed; });
  metrics.gauge("tidemill_store_reopened", "How often the store went on after there had been no room.", "",
                [condition] { return static_cast<double>(condition->reopened()); });
}

}  // namespace tidemill
