#include "store/view.h"

#include <stdexcept>

#include "store/log_keys.h"

namespace tidemill::store {

namespace {

Position position_of(std::string_view log_key) {
  const auto position = Position::decode(log_key.substr(log_key.size() - Position::kEncodedSize));
  if (!position) throw std::runtime_error("a log holds a key without a position");
  return *position;
}

class ViewSnapshot final : public Snapshot {
 public:
  explicit ViewSnapshot(std::shared_ptr<const View> view) : view_(std::move(view)) {}

  [[nodiscard]] Version version() const override { return view_->version(); }
  Task<std::optional<std::string>> get(std::string_view key) override {
    return Task<std::optional<std::string>>::ready(view_->get(key));
  }
  Task<void> scan(const Range& range, Direction direction, const EntryVisitor& visit) override {
    view_->scan(range.begin, range.end, direction, visit);
    return Task<void>::ready();
  }
  Task<void> read_log(const LogId& log, Position after, const RecordVisitor& visit) override {
    view_->read_log(log, after, visit);
    return Task<void>::ready();
  }
  Task<std::optional<Position>> last_position(const LogId& log) override {
    return Task<std::optional<Position>>::ready(view_->last_position(log));
  }

 private:
  std::shared_ptr<const View> view_;
};

}  // namespace

void View::read_log(const LogId& log, Position after, const RecordVisitor& visit) const {
  scan(log_key_after(log, after), base::prefix_end(log_prefix(log)), Direction::forward,
       [&](std::string_view key, std::string_view record) { return visit(position_of(key), record); });
}

std::optional<Position> View::last_position(const LogId& log) const {
  std::optional<Position> last;
  const std::string prefix = log_prefix(log);
  scan(prefix, base::prefix_end(prefix), Direction::reverse, [&](std::string_view key, std::string_view) {
    last = position_of(key);
    return false;
  });
  return last;
}

std::shared_ptr<Snapshot> make_snapshot(std::shared_ptr<const View> view) {
  return std::make_shared<ViewSnapshot>(std::move(view));
}

}  // namespace tidemill::store
