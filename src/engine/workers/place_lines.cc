#include "engine/workers/place_lines.h"

#include <utility>

namespace tidemill::engine {

struct PlaceLines::Turn {
  enum class State { entering, waiting, called, left };
  std::string pool;
  std::shared_ptr<const FunctionSpec> spec;
  base::Time since;
  std::function<void()> call;
  State state = State::entering;
  Waiting::iterator at;
  base::Alarm limit;  // of the time for which it stays called
};

class PlaceLines::Ticket final : public PlaceTurn {
 public:
  Ticket(std::shared_ptr<PlaceLines> lines, std::shared_ptr<Turn> turn)
      : lines_(std::move(lines)), turn_(std::move(turn)) {}
  ~Ticket() override {
    lines_->on_loop([turn = turn_](PlaceLines& lines) { lines.leave(*turn); });
  }
  [[nodiscard]] const Turn& turn() const { return *turn_; }

 private:
  const std::shared_ptr<PlaceLines> lines_;
  const std::shared_ptr<Turn> turn_;
};

template <class Work>
void PlaceLines::on_loop(Work work) {
  if (base::Executor::current_or_null() == &loop_) {
    if (!closed_) work(*this);
    return;
  }
  loop_.post([weak = weak_from_this(), work = std::move(work)] {
    if (const auto lines = weak.lock(); lines && !lines->closed_) work(*lines);
  });
}

PlaceTurnPtr PlaceLines::enter(std::string pool, std::shared_ptr<const FunctionSpec> spec, base::Time since,
                               std::function<void()> called) {
  auto turn = std::make_shared<Turn>();
  turn->pool = std::move(pool);
  turn->spec = std::move(spec);
  turn->since = since;
  turn->call = std::move(called);
  auto ticket = std::make_shared<Ticket>(shared_from_this(), turn);
  on_loop([turn](PlaceLines& lines) { lines.stand(turn); });
  return ticket;
}

void PlaceLines::stand(const std::shared_ptr<Turn>& turn) {
  turn->state = Turn::State::waiting;
  turn->at = lines_[turn->pool].waiting.emplace(turn->since, turn);
  // A place may have become free since it was throttled.
  call_next(turn->pool, free_(*turn->spec));
}

void PlaceLines::call_next(const std::string& pool, int free) {
  const auto found = lines_.find(pool);
  if (found == lines_.end()) return;
  Line& line = found->second;
  while (!line.waiting.empty() && line.called < free) {
    const std::shared_ptr<Turn> turn = line.waiting.begin()->second;
    line.waiting.erase(line.waiting.begin());
    ++line.called;
    turn->state = Turn::State::called;
    // Whoever never comes must not keep the place from the others for good.
    turn->limit = loop_.call_after(Workers::kTurnMax, [weak = weak_from_this(), late = std::weak_ptr(turn)] {
      const auto lines = weak.lock();
      const auto which = late.lock();
      if (lines && which && !lines->closed_) lines->leave(*which);
    });
    turn->call();
  }
}

void PlaceLines::leave(Turn& turn) {
  const Turn::State state = std::exchange(turn.state, Turn::State::left);
  if (state != Turn::State::waiting && state != Turn::State::called) return;
  turn.limit.cancel();
  const auto line = lines_.find(turn.pool);
  if (state == Turn::State::waiting) line->second.waiting.erase(turn.at);
  else --line->second.called;
  if (line->second.waiting.empty() && line->second.called == 0) {
    lines_.erase(line);
  } else {
    call_next(turn.pool, free_(*turn.spec));
  }
}

bool PlaceLines::is_before_its_turn(const PlaceTurn& turn, const std::string& pool, int free) const {
  if (static_cast<const Ticket&>(turn).turn().state != Turn::State::waiting) return false;
  const auto line = lines_.find(pool);
  return line != lines_.end() && free <= line->second.called;
}

}  // namespace tidemill::engine
