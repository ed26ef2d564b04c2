// A data directory that no server uses, opened to look at all of it and to change nothing (`tidemill check`).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace tidemill::store {

// What was found; each a line.
struct Findings {
  std::vector<std::string> damage;  // something is lost, or a start will be refused
  std::vector<std::string> notes;   // what a crash leaves, and a start cleans up
};

class RocksdbDatabase;
class View;

class StoppedPond {
 public:
  // Checks the logs and opens the database; what is wrong with those goes to `findings`. Throws OpenError if there is
  // nothing to look at, or a server uses it.
  StoppedPond(std::filesystem::path data, Findings& findings);
  ~StoppedPond();
  StoppedPond(const StoppedPond&) = delete;

  // Reads every block of every table.
  void check_tables();
  // Reads every body, and compares which there are with those that are referred to.
  void check_blobs();

  // False: the database could not be opened, and there is nothing to be read.
  [[nodiscard]] bool is_open() const { return view_ != nullptr; }
  // What stands in a range, in order; and at a key.
  void for_each(const Range& range,
                const std::function<void(std::string_view key, std::string_view value)>& visit) const;
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
  // How much a body holds, by the length of its file; nothing: there is none, or it has a length that none can have.
  [[nodiscard]] std::optional<uint64_t> blob_bytes(std::string_view id) const;
  // All that it holds. Throws std::runtime_error if that is not what was written.
  [[nodiscard]] std::string read_blob(std::string_view id) const;

 private:
  const std::filesystem::path data_;
  Findings& findings_;
  std::shared_ptr<RocksdbDatabase> database_;
  std::shared_ptr<const View> view_;
};

}  // namespace tidemill::store
