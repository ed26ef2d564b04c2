// The transaction of the embedded backends: reads from a view, buffers writes in memory, remembers what it read.
// Inside store/ only.
#pragma once

#include <vector>

#include "store/merged_cursor.h"
#include "store/scan_run.h"

namespace tidemill::store {

// Points are kept as hashes: two keys with the same hash conflict now and then without need, and nothing is copied.
[[nodiscard]] inline uint64_t key_hash(std::string_view key) { return std::hash<std::string_view>()(key); }

struct ReadSet {
  std::vector<uint64_t> point_hashes;
  std::vector<Range> ranges;
};

// Receives the effects of a commit, in the order in which they are to be applied.
class WriteSink {
 public:
  virtual void put(std::string_view key, std::string_view value) = 0;
  virtual void erase(std::string_view key) = 0;
  virtual void erase_range(std::string_view begin, std::string_view end) = 0;

 protected:
  ~WriteSink() = default;
};

class BufferedTransaction : public Transaction {
 public:
  static constexpr size_t kMemoryBytesAtFirst = 1 << 10;  // of writes; what more is needed comes in growing pieces

  explicit BufferedTransaction(ViewPtr view) : view_(std::move(view)) {}

  // Snapshot and Transaction.
  [[nodiscard]] Version version() const override { return view_->version(); }
  Task<std::optional<std::string>> get(std::string_view key) override;
  Task<bool> unchanged_since(std::string_view key, Version since) override;
  Task<void> scan(const Range& range, ScanOptions options, const EntryVisitor& visit) override;
  Task<void> read_log(const LogId& log, LogStart start, const RecordVisitor& visit) override;
  Task<std::optional<Position>> last_position(const LogId& log) override;
  Task<std::optional<std::string>> get_untracked(std::string_view key) override;
  Task<void> scan_untracked(const Range& range, ScanOptions options, const EntryVisitor& visit) override;
  void track(std::string_view key) override;
  void put(std::string_view key, std::string_view value) override;
  void erase(std::string_view key) override;
  void erase_range(const Range& range) override;
  void add(std::string_view key, int64_t delta) override;
  void lower(std::string_view key, std::string_view bound) override;
  uint32_t append(const LogId& log, std::string_view record) override;
  void trim_log(const LogId& log, Position upto) override;
  void erase_log(const LogId& log) override;
  void signal(std::string_view topic) override;

  // For the committing side.
  [[nodiscard]] bool is_read_only() const;
  [[nodiscard]] const ReadSet& reads() const { return reads_; }
  // About what the commit will take in memory and in the write-ahead log.
  [[nodiscard]] size_t bytes() const { return bytes_; }
  // The keys that are put or erased one by one.
  template <class Visit>
  void for_each_written_key(Visit visit) const {
    for (const auto& [key, value] : writes_) visit(key);
  }
  template <class Visit>
  void for_each_topic(Visit visit) const {
    for (const std::string& topic : topics_) visit(std::string_view(topic));
    for (const Append& append : appends_) visit(std::string_view(append.log.bytes));
  }
  // All but adds() and lowers(), which are Tallies' to carry out.
  void apply(Version version, WriteSink& sink) const;
  [[nodiscard]] const std::map<std::string, int64_t, std::less<>>& adds() const { return adds_; }
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& lowers() const { return lowers_; }
  [[nodiscard]] const Writes& writes() const { return writes_; }
  // Each before all of writes() that lie in it.
  [[nodiscard]] const std::vector<Range>& erased_ranges() const { return erased_ranges_; }

 private:
  struct Append {
    LogId log;
    std::string_view record;  // in memory_
    uint32_t index;
  };

  Task<std::optional<std::string>> read(std::string_view key, bool tracked);
  Task<void> scan(const Range& range, ScanOptions options, const EntryVisitor& visit, bool tracked);
  // What is left of a scan that has used up its first slice.
  Task<void> scan_on(ScanRun run, Range range, Direction direction, const EntryVisitor& visit, bool tracked);
  [[nodiscard]] std::unique_ptr<Cursor> open(const Range& range, Direction direction) const;
  [[nodiscard]] std::string_view keep(std::string_view bytes);
  [[nodiscard]] std::optional<std::string_view>& written(std::string_view key);
  // Tracks as much of the range as the run went through.
  void track_seen(const ScanRun& run, Range range, Direction direction);

  const ViewPtr view_;
  ReadSet reads_;
  // Of all that is written: it is gathered piece by piece and goes as a whole.
  std::pmr::monotonic_buffer_resource memory_{kMemoryBytesAtFirst};
  Writes writes_{&memory_};
  std::vector<Range> erased_ranges_;  // each before every write in writes_ that lies in it
  std::map<std::string, int64_t, std::less<>> adds_;
  std::map<std::string, std::string, std::less<>> lowers_;
  std::vector<Append> appends_;
  std::vector<Range> dropped_log_ranges_;
  std::vector<std::string> topics_;
  uint32_t next_append_index_ = 0;
  size_t bytes_ = 0;
};

}  // namespace tidemill::store
