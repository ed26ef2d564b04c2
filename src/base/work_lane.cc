#include "base/work_lane.h"

namespace tidemill::base {

void WorkLane::post(Function function) {
  {
    const std::lock_guard lock(queue_->mutex);
    queue_->waiting.push_back(std::move(function));
    if (queue_->running) return;
    queue_->running = true;
  }
  start(queue_);
}

void WorkLane::start(std::shared_ptr<Queue> queue) {
  BlockingWork& work = queue->work;
  work.post([queue = std::move(queue)] { step(queue); });
}

void WorkLane::step(const std::shared_ptr<Queue>& queue) {
  Function function;
  {
    const std::lock_guard lock(queue->mutex);
    function = std::move(queue->waiting.front());
    queue->waiting.pop_front();
  }
  function();
  function = {};  // what it owns goes before the next begins
  {
    const std::lock_guard lock(queue->mutex);
    queue->running = !queue->waiting.empty();
    if (!queue->running) return;
  }
  start(queue);
}

}  // namespace tidemill::base
