// What large requests need that would hold an event loop for longer than a slice may: sums and unpacking in pieces, and
// work on threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <type_traits>

#include "base/blocking_work.h"
#include "base/executor.h"
#include "base/sim_executor.h"

namespace tidemill::wire {

// A simulation has one thread, so that its runs can be replayed.
inline bool may_use_threads() {
  auto* const executor = base::Executor::current_or_null();
  return executor != nullptr && dynamic_cast<base::SimExecutor*>(executor) == nullptr;
}

// How much is hashed or unpacked at once: that takes a tenth of a millisecond or two.
inline constexpr size_t kPieceBytes = 64 << 10;
// How many of the bytes take about a microsecond (base::slice_is_over).
inline constexpr size_t kBytesPerStep = 512;

// Adds `text` to what has add(std::string_view), giving way between pieces. Both must stay until it is done.
template <class Sums>
Task<void> add_in_pieces(Sums& sums, std::string_view text) {
  while (text.size() > kPieceBytes) {
    sums.add(text.substr(0, kPieceBytes));
    text.remove_prefix(kPieceBytes);
    if (base::slice_is_over(kPieceBytes / kBytesPerStep)) co_await base::give_way();
  }
  sums.add(text);
}

// Whether work on so many bytes is for a thread.
inline bool is_for_thread(size_t bytes) { return bytes > kPieceBytes && may_use_threads(); }

// Does work on about `bytes`, on a thread if they are many. `work` owns what it uses.
template <class F>
Task<std::invoke_result_t<F&>> do_large(base::BlockingWork& threads, size_t bytes, F work) {
  if (is_for_thread(bytes)) co_return co_await threads.run(std::move(work));
  co_return work();
}

// The same of work that uses what its caller has: if the wait is abandoned, that waits for the work's end. Here and now if
// there is little, or no `threads`.
template <class F>
Task<std::invoke_result_t<F&>> do_large_joined(base::BlockingWork* threads, size_t bytes, F work) {
  using Result = std::invoke_result_t<F&>;
  if (threads != nullptr && is_for_thread(bytes)) return threads->run_joined(std::move(work));
  if constexpr (std::is_void_v<Result>) {
    work();
    return Task<void>::ready();
  } else {
    return Task<Result>::ready(work());
  }
}

// Destroys what is large on a thread, if it has one: thousands of small pieces take milliseconds to give back.
struct DestroyElsewhere {
  base::BlockingWork* threads = nullptr;

  template <class T>
  void operator()(T* object) const {
    if (threads) threads->post([object] { delete object; });
    else delete object;
  }
};

}  // namespace tidemill::wire
