// How spans of a metric are read.
#include "services/cloudwatch/metric_reader.h"

#include <algorithm>

#include "services/cloudwatch/testing.h"

namespace tidemill::cloudwatch {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using namespace std::chrono_literals;
using testing::World;

// Counts the entries that are read.
class CountingSnapshot final : public store::Snapshot {
 public:
  explicit CountingSnapshot(std::shared_ptr<store::Snapshot> other) : other_(std::move(other)) {}
  size_t entries = 0;

  [[nodiscard]] store::Version version() const override { return other_->version(); }
  Task<std::optional<std::string>> get(std::string_view key) override { return other_->get(key); }
  Task<bool> unchanged_since(std::string_view key, store::Version since) override {
    return other_->unchanged_since(key, since);
  }
  Task<void> scan(const store::Range& range, store::ScanOptions options, const store::EntryVisitor& visit) override {
    co_await other_->scan(range, options, [&](std::string_view key, std::string_view value) {
      ++entries;
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

class MetricReaderTest : public ::testing::Test {
 protected:
  MetricReaderTest() {
    begin_ = std::chrono::floor<std::chrono::days>(std::chrono::floor<std::chrono::seconds>(world_.clock.now()));
  }
  // One value of each of so many minutes.
  void put(int minutes) {
    for (int i = 0; i < minutes; ++i) {
      const int64_t time = begin_.time_since_epoch().count() + 60 * i;
      EXPECT_EQ(world_.put(base::cat(R"("Value":)", i, R"(,"Timestamp":)", time)), "{}");
    }
  }
  [[nodiscard]] Span span(std::chrono::seconds period, std::chrono::seconds length) const {
    return {begin_, begin_ + length, period};
  }

  World world_;
  Seconds begin_;
  const MetricId metric_{std::string(World::kAccount), std::string(World::kRegion), "n", "m", {}};
};

// A span may have twenty thousand periods, of which each takes kilobytes.
TEST_F(MetricReaderTest, NoMoreThanAPeriodIsHeldAtOnce) {
  put(60);
  CountingSnapshot snapshot(world_.store->snapshot());
  size_t shown = 0;
  size_t held = 0;
  const auto read = [&](std::chrono::seconds period) -> Task<bool> {
    co_await read_metric(snapshot, metric_, span(period, 1h), std::nullopt,
                         [&](UnitNumber, Seconds, const base::Distribution& values) {
                           held = std::max(held, snapshot.entries - shown);
                           shown += static_cast<size_t>(values.count());
                         });
    co_return true;
  };
  (void)world_.await(read(60s));
  EXPECT_EQ(shown, 60U);
  EXPECT_LE(held, 2U) << "the period that ends, and the entry that begins the next";
}

TEST_F(MetricReaderTest, PeriodsAreReducedInTheOrderOfTime) {
  put(10);
  const auto snapshot = world_.store->snapshot();
  const auto sum = Statistic::parse("Sum").value();
  const auto read = world_.await(read_statistic(*snapshot, metric_, span(180s, 10min), std::nullopt, sum));
  std::vector<double> values;
  for (const Reduced& point : read) values.push_back(point.value.value());
  EXPECT_THAT(values, ElementsAre(0 + 1 + 2, 3 + 4 + 5, 6 + 7 + 8, 9));
  EXPECT_EQ(read[0].samples, 3);
  EXPECT_EQ(read[3].begin, begin_ + 540s);
}

TEST_F(MetricReaderTest, TheUnitThatHasMostIsTheSeries) {
  put(2);
  for (const int minute : {3, 4, 5}) {
    const int64_t time = begin_.time_since_epoch().count() + 60 * minute;
    (void)world_.put(base::cat(R"("Value":7,"Unit":"Bytes","Timestamp":)", time));
  }
  const auto snapshot = world_.store->snapshot();
  const auto sum = Statistic::parse("Sum").value();
  EXPECT_THAT(world_.await(read_statistic(*snapshot, metric_, span(60s, 1h), std::nullopt, sum)), SizeIs(3));
  EXPECT_THAT(world_.await(read_statistic(*snapshot, metric_, span(60s, 1h), number_of_unit("None"), sum)), SizeIs(2));
}

}  // namespace
}  // namespace tidemill::cloudwatch
