// For tests: every backend behind one face, so that one suite checks what all of them promise.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>

#include "store/rocksdb_store.h"
#include "store/sim_store.h"
#include "store/test_executor.h"

namespace tidemill::store {

// A directory that is gone when the test is.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    char name[] = "/tmp/tidemill_store_XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The names of a data directory's files, and how long those are that say which of the others count.
inline std::map<std::filesystem::path, uintmax_t> names_and_manifests(const std::filesystem::path& data) {
  std::map<std::filesystem::path, uintmax_t> result;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
    const bool is_manifest = entry.path().filename().native().starts_with("MANIFEST");
    result[entry.path()] = is_manifest ? entry.file_size() : 0;
  }
  return result;
}

// False if it may not be of one moment: RocksDB's threads still write, and a file came, went or was named meanwhile.
inline bool copy_of_one_moment(const std::filesystem::path& data, const std::filesystem::path& copy) {
  using std::filesystem::copy_options;
  std::filesystem::remove_all(copy);
  std::filesystem::create_directories(copy);
  try {
    const auto before = names_and_manifests(data);
    // First: what it says is true of all that is copied later.
    if (exists(data / "SYNCED")) std::filesystem::copy_file(data / "SYNCED", copy / "SYNCED");
    std::filesystem::copy(data, copy, copy_options::recursive | copy_options::skip_existing);
    return names_and_manifests(data) == before;
  } catch (const std::filesystem::filesystem_error& error) {
    if (error.code() != std::errc::no_such_file_or_directory) throw;
    return false;
  }
}

// Leaves of a data directory what a crash of the process would leave just now.
inline void crash(std::unique_ptr<Store>& store, const std::filesystem::path& data) {
  const std::filesystem::path left = data.native() + ".left";
  while (!copy_of_one_moment(data, left)) {}
  store.reset();
  std::filesystem::remove_all(data);
  std::filesystem::rename(left, data);
}

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Store& store() = 0;
  virtual base::Clock& clock() = 0;
  // Runs a coroutine function to its end.
  template <class Body>
  void run(Body body) {
    const auto begin = [&](Task<void> task) { start(std::move(task)); };
    run_to_end(body, begin, [&](const std::function<bool()>& done) { drive(done); });
  }
  // Starts a coroutine next to others; drive() runs them.
  virtual void start(Task<void> task) = 0;
  virtual void drive(const std::function<bool()>& done) = 0;
  // Closes the store and opens it again on what is durable.
  virtual void reopen() = 0;
};

class RocksdbBackend final : public Backend {
 public:
  explicit RocksdbBackend(TestExecutor::Slices slices = TestExecutor::Slices::usual)
      : executor_(&clock_.activity(), slices) {
    store_ = open_rocksdb({.directory = directory_.path() / "data"}, clock_);
  }
  ~RocksdbBackend() override { scope_.clear(); }

  Store& store() override { return *store_; }
  base::Clock& clock() override { return clock_; }
  void start(Task<void> task) override {
    const base::Executor::Enter enter(executor_);
    scope_.spawn(std::move(task));
  }
  void drive(const std::function<bool()>& done) override { executor_.run_until(done); }
  void reopen() override {
    store_.reset();
    store_ = open_rocksdb({.directory = directory_.path() / "data"}, clock_);
  }

 private:
  TemporaryDirectory directory_;
  base::RealClock clock_;
  TestExecutor executor_;
  std::unique_ptr<Store> store_;
  base::Scope scope_;
};

class SimBackend final : public Backend {
 public:
  explicit SimBackend(SimFaults faults = SimFaults::none(), uint64_t seed = 1)
      : clock_(base::Time(std::chrono::hours(24 * 365 * 50)), base::VirtualClock::Mode::manual),
        executor_(seed, clock_.activity()),
        faults_(faults) {
    store_ = make_sim_store(disk_, executor_, clock_, faults_);
  }
  ~SimBackend() override {
    scope_.clear();
    executor_.drop_all();
  }

  Store& store() override { return *store_; }
  base::Clock& clock() override { return clock_; }
  void start(Task<void> task) override {
    const base::Executor::Enter enter(executor_);
    scope_.spawn(std::move(task));
  }
  void drive(const std::function<bool()>& done) override {
    const base::Executor::Enter enter(executor_);
    while (!done()) {
      if (!executor_.run_one()) {
        ADD_FAILURE() << "nothing is left to run and the test is not done";
        return;
      }
    }
  }
  void reopen() override {
    store_->crash();
    store_ = make_sim_store(disk_, executor_, clock_, faults_);
  }

 private:
  base::VirtualClock clock_;
  base::SimExecutor executor_;
  SimFaults faults_;
  SimDisk disk_;
  std::unique_ptr<SimStore> store_;
  base::Scope scope_;
};

}  // namespace tidemill::store
