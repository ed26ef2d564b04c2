#include "main/descriptors.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "base/log.h"
#include "engine/workers/workers.h"

namespace tidemill {

namespace {

// The store's files (512 at most), and as many for connections and functions.
constexpr rlim_t kDescriptorsMin = 1024;

constexpr size_t kOfStore = 576;   // store/rocksdb_database.cc holds 512, and opens a few beside
constexpr size_t kOfOthers = 128;  // bodies in files, the log
// Its listener, connections to it, the pipe of its output, and what watches its end, the line to its supervisor.
constexpr size_t kOfFunction = engine::kRuntimeConnectionsMax + 4;

}  // namespace

size_t descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kDescriptorsMin;
  return limit.rlim_cur;
}

DescriptorShares share_descriptors(size_t limit) {
  constexpr size_t kConnectionsMost = 10'000;
  constexpr size_t kCallsMost = 1024;
  const size_t free = limit - std::min(limit, kOfStore + kOfOthers);
  const size_t connections = std::min(kConnectionsMost, free / 2);
  const size_t calls = std::clamp<size_t>((free - connections) / 3, 1, kCallsMost);
  return {connections, calls, (free - connections - std::min(calls, free - connections)) / kOfFunction};
}

ConnectionShares share_connections(size_t connections, bool answers_aws_names) {
  constexpr size_t kAwsNamesMost = 1000;
  if (!answers_aws_names) return {connections, 0};
  const size_t aws_names = std::min(kAwsNamesMost, connections / 8);
  return {connections - 2 * aws_names, aws_names};
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    base::log_warning("the limit of open files cannot be read", {{"reason", std::strerror(errno)}});
    return;
  }
  if (limit.rlim_max < kDescriptorsMin) {
    throw std::runtime_error("only " + std::to_string(limit.rlim_max) + " files may be open, and at least " +
                             std::to_string(kDescriptorsMin) + " are needed: raise the limit (ulimit -Hn)");
  }
  if (limit.rlim_cur == limit.rlim_max) return;
  const rlimit raised{limit.rlim_max, limit.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &raised) != 0) {
    base::log_warning("the limit of open files stays as it is", {{"reason", std::strerror(errno)}});
  }
}

}  // namespace tidemill
