// Simulated blobs: in memory, on one SimExecutor. A crash loses or tears what was not finished.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>

#include "base/sim_executor.h"
#include "store/blobs.h"

namespace tidemill::store {

// What survives a crash.
struct SimBlobDisk {
  struct File {
    std::string bytes;
    bool synced = false;
  };
  std::map<std::string, File> files;  // by id
  uint64_t life = 0;                  // writers of an earlier one do nothing any more

  // What a crash leaves: of files that were not synced nothing, a part, or all. Before what uses it is destroyed.
  void crash(std::mt19937_64& random);
};

std::unique_ptr<Blobs> make_sim_blobs(SimBlobDisk& disk);

}  // namespace tidemill::store
