// What an embedded backend gives to the shared code of this folder: reads at one version that never wait, from which
// this makes reads that give way. Inside store/ only; users see Snapshot and Transaction.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "store/store.h"

namespace tidemill::store {

class RecentWrites;

// Goes through the entries of a range, one after the other.
class Cursor {
 public:
  // Each step does a bounded amount of work: what is erased and not yet gone from the disk may be hundreds of thousands of
  // keys.
  enum class At {
    entry,
    gap,  // a stretch of what is erased; next() goes on behind it
    end,
  };

  virtual ~Cursor() = default;
  [[nodiscard]] virtual At at() const = 0;
  // At an entry only; the views live until next().
  [[nodiscard]] virtual std::string_view key() const = 0;
  [[nodiscard]] virtual std::string_view value() const = 0;
  // Not at the end.
  virtual void next() = 0;
};

// Immutable; any thread.
class View {
 public:
  // `recent` tells what has been written lately; nullptr: nothing is known of that.
  View(Version version, std::shared_ptr<const RecentWrites> recent) : version_(version), recent_(std::move(recent)) {}
  virtual ~View() = default;
  View(const View&) = delete;

  [[nodiscard]] Version version() const { return version_; }
  [[nodiscard]] virtual std::optional<std::string> get(std::string_view key) const = 0;
  // As Snapshot's.
  [[nodiscard]] bool unchanged_since(std::string_view key, Version since) const;
  // At the first entry of the range in that direction. Both ends are in the same key space (their first bytes are the
  // same, or the end is that byte's end). The view must outlive the cursor.
  [[nodiscard]] virtual std::unique_ptr<Cursor> open(Range range, Direction direction) const = 0;

 private:
  const Version version_;
  const std::shared_ptr<const RecentWrites> recent_;
};

using ViewPtr = std::shared_ptr<const View>;

// Reads that give way. What is short is done when they return, without a frame of its own.
Task<std::optional<std::string>> read(const ViewPtr& view, std::string_view key);
Task<void> read_log(const ViewPtr& view, const LogId& log, LogStart start, const RecordVisitor& visit);
Task<std::optional<Position>> last_position(const ViewPtr& view, const LogId& log);

// A Snapshot of one view.
std::shared_ptr<Snapshot> make_snapshot(ViewPtr view);

}  // namespace tidemill::store
