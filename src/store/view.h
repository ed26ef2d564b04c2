// What an embedded backend gives to the shared code of this folder: synchronous reads at one version. Inside store/
// only; users see Snapshot and Transaction.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace tidemill::store {

// Immutable; any thread.
class View {
 public:
  explicit View(Version version) : version_(version) {}
  virtual ~View() = default;
  View(const View&) = delete;

  [[nodiscard]] Version version() const { return version_; }
  [[nodiscard]] virtual std::optional<std::string> get(std::string_view key) const = 0;
  // begin <= key < end, both in the same key space (their first bytes are the same, or `end` is that byte's end).
  virtual void scan(std::string_view begin, std::string_view end, Direction direction,
                    const EntryVisitor& visit) const = 0;

  // Logs, in terms of the above.
  void read_log(const LogId& log, Position after, const RecordVisitor& visit) const;
  [[nodiscard]] std::optional<Position> last_position(const LogId& log) const;

 private:
  const Version version_;
};

// A Snapshot of one view.
std::shared_ptr<Snapshot> make_snapshot(std::shared_ptr<const View> view);

}  // namespace tidemill::store
