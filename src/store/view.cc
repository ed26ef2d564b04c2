#include "store/view.h"

#include <algorithm>
#include <stdexcept>

#include "store/log_keys.h"
#include "store/recent_writes.h"
#include "store/scan_run.h"

namespace tidemill::store {

namespace {

constexpr size_t kStepsPerGet = 2;
// What a value is beyond it is work of its own: it was copied, and whoever asked for it goes through it at least once.
constexpr size_t kLargeValueBytes = 16 << 10;
constexpr size_t kLargeBytesPerStep = 256;

Position position_of(std::string_view log_key) {
  const auto position = Position::decode(log_key.substr(log_key.size() - Position::kEncodedSize));
  if (!position) throw std::runtime_error("a log holds a key without a position");
  return *position;
}

// Whether one who reads many large values should give way behind this one.
bool is_over_behind(const std::optional<std::string>& value) {
  return value && value->size() > kLargeValueBytes && base::slice_is_over(value->size() / kLargeBytesPerStep);
}

Task<std::optional<std::string>> read_later(ViewPtr view, std::string key) {
  co_await base::give_way();
  std::optional<std::string> value = view->get(key);
  if (is_over_behind(value)) co_await base::give_way();
  co_return value;
}

Task<std::optional<std::string>> hand_on_later(std::string value) {
  co_await base::give_way();
  co_return value;
}

Task<std::optional<Position>> last_position_later(ViewPtr view, ScanRun run) {
  std::optional<Position> last;
  co_await run_to_end(std::move(view), std::move(run), [&last](std::string_view key, std::string_view) {
    last = position_of(key);
    return true;
  });
  co_return last;
}

class ViewSnapshot final : public Snapshot {
 public:
  explicit ViewSnapshot(ViewPtr view) : view_(std::move(view)) {}

  [[nodiscard]] Version version() const override { return view_->version(); }
  Task<std::optional<std::string>> get(std::string_view key) override { return read(view_, key); }
  Task<bool> unchanged_since(std::string_view key, Version since) override {
    return Task<bool>::ready(view_->unchanged_since(key, since));
  }
  Task<void> scan(const Range& range, ScanOptions options, const EntryVisitor& visit) override {
    if (range.begin >= range.end || options.limit == 0) return Task<void>::ready();
    const auto show = [&visit](std::string_view key, std::string_view value) { return visit(key, value); };
    ScanRun run(view_->open(range, options.direction), options.limit);
    if (run.advance(show)) return Task<void>::ready();
    return run_to_end(view_, std::move(run), show);
  }
  Task<void> read_log(const LogId& log, LogStart start, const RecordVisitor& visit) override {
    return store::read_log(view_, log, start, visit);
  }
  Task<std::optional<Position>> last_position(const LogId& log) override { return store::last_position(view_, log); }

 private:
  const ViewPtr view_;
};

}  // namespace

bool View::unchanged_since(std::string_view key, Version since) const {
  return recent_ && !recent_->may_be_written_since(key, std::min(since, version_));
}

Task<std::optional<std::string>> read(const ViewPtr& view, std::string_view key) {
  if (base::slice_is_over(kStepsPerGet)) return read_later(view, std::string(key));
  std::optional<std::string> value = view->get(key);
  if (is_over_behind(value)) return hand_on_later(*std::move(value));
  return Task<std::optional<std::string>>::ready(std::move(value));
}

Task<void> read_log(const ViewPtr& view, const LogId& log, LogStart start, const RecordVisitor& visit) {
  if (start.limit == 0) return Task<void>::ready();
  const auto show = [&visit](std::string_view key, std::string_view record) { return visit(position_of(key), record); };
  Range range{log_key_after(log, start.after), base::prefix_end(log_prefix(log))};
  ScanRun run(view->open(std::move(range), Direction::forward), start.limit);
  if (run.advance(show)) return Task<void>::ready();
  return run_to_end(view, std::move(run), show);
}

Task<std::optional<Position>> last_position(const ViewPtr& view, const LogId& log) {
  std::optional<Position> last;
  const auto see = [&last](std::string_view key, std::string_view) {
    last = position_of(key);
    return true;
  };
  ScanRun run(view->open(Range::prefix(log_prefix(log)), Direction::reverse), 1);
  if (run.advance(see)) return Task<std::optional<Position>>::ready(last);
  return last_position_later(view, std::move(run));  // nothing was seen: the first would have ended it
}

std::shared_ptr<Snapshot> make_snapshot(ViewPtr view) { return std::make_shared<ViewSnapshot>(std::move(view)); }

}  // namespace tidemill::store
