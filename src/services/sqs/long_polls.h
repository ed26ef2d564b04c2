// The receivers that wait for a client's sake. They wait by the platform's clock; but a client has a time of its own,
// after which it gives up, so on a clock that stands they end after the real time as well. And when the server stops they are
// answered at once. Nothing is lost by that: who is answered early asks again.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>

#include "base/executor.h"
#include "services/sqs/receiver.h"

namespace tidemill::sqs {

// Any thread.
class LongPolls {
 public:
  explicit LongPolls(bool end_in_real_time) : end_in_real_time_(end_in_real_time) {}
  LongPolls(const LongPolls&) = delete;

  // Makes `receive` end early while it lives. On the executor that receives.
  class [[nodiscard]] Poll {
   public:
    Poll(LongPolls& polls, Receive& receive, base::Duration wait);
    ~Poll();
    Poll(const Poll&) = delete;

   private:
    friend class LongPolls;
    void end() const;

    LongPolls& polls_;
    const std::shared_ptr<std::atomic<bool>> interrupted_;
    const base::Signal signal_;
    std::list<Poll*>::iterator place_;
    base::Alarm alarm_;
  };

  // All that wait are answered, and none waits from now on.
  void end_all();

 private:
  const bool end_in_real_time_;
  std::mutex mutex_;
  std::list<Poll*> waiting_;
  bool ended_ = false;
};

}  // namespace tidemill::sqs
