// Faults that somebody has asked for, so that what calls the platform can be tested: an operation or a function is
// throttled, fails or is slow, or a batch is done in part only. Each fault draws from a seed of its own: the same calls in
// the same order meet the same faults.
//
// They stand at the gate that every call passes, by HTTP and from inside (pipeline/authorize.h), and let those through to
// whoever judges them otherwise. Functions ask at their start (engine/workers), batches entry by entry (EntryFaults). In
// memory only: a restart ends all of them. While there are none, a call costs one look at a flag.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "store/store.h"
#include "wire/error.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::wire {

inline constexpr size_t kFaultsMax = 1000;
inline constexpr std::chrono::milliseconds kFaultDelayMax = std::chrono::minutes(15);

enum class FaultEffect {
  throttle,  // refused as when there is too much to do
  fail,      // an error
  delay,     // goes on later, in the machine's time whatever the platform's clock says
  partial,   // entries of a batch are left undone, each with the probability
};

struct Fault {
  // What it strikes: an operation (or all of a service), or a function, by name or ARN, however it is invoked.
  std::string service;    // "dynamodb", as in the registry
  std::string operation;  // empty: any of the service
  std::string function;   // if set, service and operation are empty

  FaultEffect effect = FaultEffect::throttle;
  std::string error;    // its name; empty: the service's internal error, or "TidemillFault" of a function
  int status = 0;       // of the HTTP answer; 0: as the error's name suggests
  std::string message;  // empty: one that says it is a fault
  std::chrono::milliseconds delay{};

  double probability = 1;         // 0 to 1
  std::optional<uint64_t> times;  // strikes no more often; nothing: without end
  uint64_t seed = 0;
};

struct ListedFault {
  uint64_t id = 0;
  Fault fault;
  uint64_t seen = 0;    // calls, or entries, that it could have struck
  uint64_t struck = 0;
};

// A call that a fault throttles: in the words of its service.
class ThrottledByFault : public store::Overloaded {
 public:
  using Overloaded::Overloaded;
};

// Any thread.
class Faults final : public Authorizer {
 public:
  // `next` judges what is let through; null: everybody may do everything. Outlives this.
  explicit Faults(Authorizer* next = nullptr) : next_(next) {}
  // Before the first call.
  void let_judge(Authorizer& next) { next_ = &next; }

  // Those of the platform that the call runs on; null: it has none.
  [[nodiscard]] static Faults* of(const Context& context);

  // The id. Nothing: there are kFaultsMax.
  std::optional<uint64_t> add(Fault fault);
  [[nodiscard]] std::vector<ListedFault> list() const;
  // False: there is none of that id.
  bool remove(uint64_t id);
  // How many there were.
  size_t clear();

  // Throws ThrottledByFault and Error.
  Task<void> authorize(const Access& access) override;
  Task<void> authorize_request(const Access& access) override {
    return next_ ? next_->authorize_request(access) : Task<void>::ready();
  }
  Task<void> authorize_deed(const Context& context, Deed deed) override {
    return next_ ? next_->authorize_deed(context, std::move(deed)) : Task<void>::ready();
  }
  Task<bool> would_let(const Context& context, Deed deed, std::string policy) override {
    return next_ ? next_->would_let(context, std::move(deed), std::move(policy)) : Task<bool>::ready(true);
  }
  void ended(const OperationInfo& operation) noexcept override {
    if (next_) next_->ended(operation);
  }

  // What a function meets that is to be run. Nothing: it runs.
  struct Blow {
    FaultEffect effect;  // throttle or fail
    std::string error;
    std::string message;
  };
  // Waits first where a delay strikes.
  Task<std::optional<Blow>> before_function(std::string name, std::string arn);
  // Whether a fault that throttles is left for it.
  [[nodiscard]] bool may_throttle(std::string_view name, std::string_view arn) const;

  [[nodiscard]] bool any() const { return left_.load(std::memory_order_relaxed) > 0; }

 private:
  friend class EntryFaults;
  struct Entry {
    ListedFault listed;
    std::mt19937_64 random;

    [[nodiscard]] bool is_spent() const;
    bool strikes();  // draws
  };

  Task<void> disturb(Access access);
  // The faults that strike, in the order of their ids, of those that `concerns` says.
  template <class Concerns>
  std::vector<Fault> draw(Concerns concerns);
  void count_left();  // under the lock

  Authorizer* next_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  uint64_t last_id_ = 0;
  std::atomic<size_t> left_ = 0;  // not spent
};

// Whether an operation can be told to do its batch in part.
[[nodiscard]] bool has_entries(std::string_view service, std::string_view operation);

// The entries of one batch: next() is asked once for each, in their order.
class EntryFaults {
 public:
  EntryFaults(const Context& context, std::string_view service, std::string_view operation);

  struct Failure {
    std::string code;
    std::string message;
  };
  // If set, the entry is to be left undone. `code`: the service's own, where the fault names none.
  [[nodiscard]] std::optional<Failure> next(std::string_view code);
  [[nodiscard]] bool any() const { return faults_ != nullptr; }

 private:
  Faults* faults_;  // null: none concerns the operation
  std::string_view service_;
  std::string_view operation_;
};

}  // namespace tidemill::wire
