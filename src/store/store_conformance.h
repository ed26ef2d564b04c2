// For tests of what every backend promises (store.h), each against each of them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "store/test_backends.h"

namespace tidemill::store {

using Strings = std::vector<std::string>;

class StoreConformance : public testing::TestWithParam<const char*> {
 protected:
  StoreConformance() {
    if (std::string_view(GetParam()) == "rocksdb") {
      backend_ = std::make_unique<RocksdbBackend>();
    } else if (std::string_view(GetParam()) == "rocksdb_in_slices") {
      backend_ = std::make_unique<RocksdbBackend>(TestExecutor::Slices::none);
    } else {
      backend_ = std::make_unique<SimBackend>();
    }
  }

  Store& store() { return backend_->store(); }
  template <class Body>
  void run(Body body) {
    backend_->run(std::move(body));
  }

  Task<void> put(std::string key, std::string value) {
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      txn.put(key, value);
      co_return;
    });
  }
  Task<std::string> get(std::string key) {
    const auto snapshot = store().snapshot();
    co_return (co_await snapshot->get(key)).value_or("-");
  }
  // One transaction with the given appends; the positions they got.
  Task<std::vector<Position>> append(LogId log, Strings records) {
    auto [indexes, version] =
        co_await store().transact_versioned([&](Transaction& txn) -> Task<std::vector<uint32_t>> {
          std::vector<uint32_t> result;
          for (const auto& record : records) result.push_back(txn.append(log, record));
          co_return result;
        });
    std::vector<Position> positions;
    for (const uint32_t index : indexes) positions.push_back({version, index});
    co_return positions;
  }

  static Task<Strings> keys_of(Snapshot& snapshot, Range range, Direction direction, size_t limit = 1000) {
    Strings keys;
    co_await snapshot.scan(range, direction, [&](std::string_view key, std::string_view value) {
      keys.push_back(std::string(key) + "=" + std::string(value));
      return keys.size() < limit;
    });
    co_return keys;
  }
  static Task<Strings> records_of(Snapshot& snapshot, LogId log, Position after = Position::before_all()) {
    Strings records;
    co_await snapshot.read_log(log, after, [&](Position, std::string_view record) {
      records.emplace_back(record);
      return true;
    });
    co_return records;
  }

  std::unique_ptr<Backend> backend_;
};

}  // namespace tidemill::store
