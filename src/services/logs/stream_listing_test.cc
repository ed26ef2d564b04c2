// Pages of a group's streams.
#include "services/logs/stream_listing.h"

#include <gmock/gmock.h>

#include "services/logs/stream_totals.h"
#include "services/logs/testing.h"

namespace tidemill::logs {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::World;

// Counts what is read.
class CountingSnapshot final : public store::Snapshot {
 public:
  explicit CountingSnapshot(std::shared_ptr<store::Snapshot> other) : other_(std::move(other)) {}
  size_t reads = 0;

  [[nodiscard]] store::Version version() const override { return other_->version(); }
  Task<std::optional<std::string>> get(std::string_view key) override {
    ++reads;
    return other_->get(key);
  }
  Task<bool> unchanged_since(std::string_view key, store::Version since) override {
    return other_->unchanged_since(key, since);
  }
  Task<void> scan(const store::Range& range, store::ScanOptions options, const store::EntryVisitor& visit) override {
    co_await other_->scan(range, options, [&](std::string_view key, std::string_view value) {
      ++reads;
      return visit(key, value);
    });
  }
  Task<void> read_log(const store::LogId& log, store::LogStart start, const store::RecordVisitor& visit) override {
    return other_->read_log(log, start, visit);
  }
  Task<std::optional<store::Position>> last_position(const store::LogId& log) override {
    return other_->last_position(log);
  }

 private:
  std::shared_ptr<store::Snapshot> other_;
};

class StreamListingTest : public ::testing::Test {
 protected:
  StreamListingTest() { group_.id = std::string(kIdSize, 'g'); }

  // Named "000" and so on; each third without events, the others with the last at one of seven times.
  void create(int count) {
    world_.await(write(count));
    std::ranges::sort(by_time_);
  }
  Task<bool> write(int count) {
    co_await world_.store->transact([&](store::Transaction& txn) -> Task<void> {
      by_time_.clear();
      for (int i = 0; i < count; ++i) {
        const LogStream stream{.name = base::cat(i / 100, i / 10 % 10, i % 10), .id = new_id(), .created = {}};
        txn.put(stream_key(group_.id, stream.name), encode_stream(stream));
        const Milliseconds last = i % 3 == 0 ? 0 : 1'000 + i * 5 % 7;
        if (last > 0) {
          txn.put(totals_key(group_.id, stream.id), encode_totals({.first_event = 1, .last_event = last, .events = 1}));
        }
        by_time_.emplace_back(last, stream.name);
      }
      co_return;
    });
    co_return true;
  }
  std::vector<ListedStream> page(StreamListing listing) {
    CountingSnapshot snapshot(world_.store->snapshot());
    auto found = world_.await(list_page(snapshot, group_, std::move(listing)));
    reads_ = snapshot.reads;
    return found;
  }
  // All, a page at a time.
  std::vector<std::string> names(StreamListing listing) {
    std::vector<std::string> all;
    for (;;) {
      const auto found = page(listing);
      for (const ListedStream& one : found) all.push_back(one.stream.name);
      if (found.size() < listing.count) return all;
      listing.after = StreamPlace{found.back().time, found.back().stream.name};
    }
  }
  std::vector<std::string> expected(bool descending) const {
    std::vector<std::string> all;
    for (const auto& [time, name] : by_time_) all.push_back(name);
    if (descending) std::ranges::reverse(all);
    return all;
  }

  World world_;
  LogGroup group_;
  std::vector<std::pair<Milliseconds, std::string>> by_time_;
  size_t reads_ = 0;
};

TEST_F(StreamListingTest, APageByNameReadsNoMoreThanItShows) {
  create(300);
  EXPECT_THAT(page({.count = 11}), SizeIs(11));
  EXPECT_EQ(reads_, 11U);
  const auto last = page({.descending = true, .after = StreamPlace{0, "290"}, .count = 11});
  EXPECT_EQ(last.front().stream.name, "289");
  EXPECT_EQ(last.back().stream.name, "279");
  EXPECT_EQ(reads_, 11U);
}

TEST_F(StreamListingTest, PagesGoOnWhereTheLastOneEnded) {
  create(50);
  for (const bool descending : {false, true}) {
    for (const size_t count : std::initializer_list<size_t>{1, 7, 50, 100}) {
      EXPECT_THAT(names({.by_time = true, .descending = descending, .count = count}),
                  ElementsAreArray(expected(descending)));
      auto by_name = names({.descending = descending, .count = count});
      EXPECT_THAT(by_name, SizeIs(50));
      if (descending) std::ranges::reverse(by_name);
      EXPECT_TRUE(std::ranges::is_sorted(by_name));
      EXPECT_THAT(names({.descending = descending, .name_prefix = "01", .count = count}), SizeIs(10));
    }
  }
}

TEST_F(StreamListingTest, APageByTimeKeepsTheTimesOfSoManyStreamsAtOnce) {
  create(50);  // of which 33 have events
  for (const size_t at_once : std::initializer_list<size_t>{1, 7, 32, 33, 34}) {
    for (const bool descending : {false, true}) {
      EXPECT_THAT(names({.by_time = true, .descending = descending, .count = 8, .times_at_once = at_once}),
                  ElementsAreArray(expected(descending)));
    }
    EXPECT_EQ(reads_, 33 + 50 * (33 / at_once + 1));
  }
}

TEST_F(StreamListingTest, BehindTheLastThereIsNothing) {
  create(10);
  EXPECT_THAT(page({.after = StreamPlace{0, "009"}, .count = 5}), IsEmpty());
  EXPECT_THAT(page({.name_prefix = "00", .after = StreamPlace{0, "zzz"}, .count = 5}), IsEmpty());
  EXPECT_THAT(page({.descending = true, .name_prefix = "00", .after = StreamPlace{0, "000"}, .count = 5}), IsEmpty());
  EXPECT_THAT(page({.descending = true, .name_prefix = "00", .after = StreamPlace{0, ""}, .count = 5}), IsEmpty());
}

}  // namespace
}  // namespace tidemill::logs
