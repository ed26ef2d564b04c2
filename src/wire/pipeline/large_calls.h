// Where calls are carried out that bring much, or take long whatever they bring: on an executor of their own, whose
// turns nobody else waits for. What an operation does with a megabyte of small values takes tens of milliseconds, in
// its checks, its answer, and in giving all of it back; so the loops that have connections do none of it, and
// operations need not know.
//
//   net::Response response = co_await large_calls.run(std::move(work));
#pragma once

#include <cstddef>
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

  // `executor` outlives this; null: all is carried out where it comes. What is under way counts in `activity`.
  LargeCalls(base::Executor* executor, base::Activity& activity, const Registry& registry);

  // Bodies that are read while the call goes on, and answers that go on as events, stay where their client is.
  [[nodiscard]] bool takes(const Call& call) const;

  // Carries out what run(Call) gave, which uses nothing of its caller: it goes on to its end if the caller leaves.
  Task<net::Response> run(Task<net::Response> work);

 private:
  base::Executor* const executor_;
  base::Activity& activity_;
  std::vector<const Registry::Operation*> long_;
  base::Scope scope_;  // on the executor
};

}  // namespace tidemill::wire
