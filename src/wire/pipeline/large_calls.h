// Where calls are carried out that bring much, or take long whatever they bring: on executors of their own, whose turns
// nobody else waits for; each on that with the fewest, so that one that is short does not wait for one that is long while
// another has nothing to do. What an operation does with a megabyte of small values takes tens of milliseconds, in
// its checks, its answer, and in giving all of it back; so the loops that have connections do none of it, and
// operations need not know.
//
//   net::Response response = co_await large_calls.run(std::move(work));
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "net/http.h"
#include "wire/pipeline/call.h"

namespace tidemill::wire {

// Any thread. Destroy it once the executors no longer run; that destroys what is still under way.
class LargeCalls {
 public:
  // A body beyond that is carried out elsewhere: to go there and back takes some tens of microseconds, which is little
  // beside what is done with so much.
  static constexpr size_t kBodyBytes = 64 << 10;

  // `executors` outlive this; none: all is carried out where it comes. What is under way counts in `activity`.
  LargeCalls(const std::vector<base::Executor*>& executors, base::Activity& activity, const Registry& registry);

  // Bodies that are read while the call goes on, and answers that go on as events, stay where their client is.
  [[nodiscard]] bool takes(const Call& call) const;

  // Carries out what run(Call) gave, which uses nothing of its caller: it goes on to its end if the caller leaves.
  Task<net::Response> run(Task<net::Response> work);

 private:
  struct Place {
    explicit Place(base::Executor& on) : executor(on) {}
    base::Executor& executor;
    std::atomic<size_t> under_way = 0;
    base::Scope scope;  // on the executor
  };
  [[nodiscard]] Place& emptiest() const;

  base::Activity& activity_;
  std::vector<const Registry::Operation*> long_;
  std::vector<std::unique_ptr<Place>> places_;
};

}  // namespace tidemill::wire
