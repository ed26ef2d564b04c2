// Carries out what transactions do to keys that many change at once (Transaction::add and lower), one commit after the
// other, on top of what the commits before have made of them, written or not. So the committer decides what a number or
// a bound becomes, and transactions need not read it to change it. Inside store/ only; one thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/buffered_transaction.h"
#include "store/recent_writes.h"

namespace tidemill::store {

[[nodiscard]] bool is_tally_key(std::string_view key);

class Tallies {
 public:
  static constexpr size_t kKnownMax = 16'384;  // values kept in memory so as not to be read again

  // What is durable at a key.
  using Load = std::function<std::optional<std::string>(std::string_view key)>;
  explicit Tallies(Load load) : load_(std::move(load)) {}

  // `txn` commits with `version`, after all that were given before. What it lowers is recorded as written.
  void apply(const BufferedTransaction& txn, Version version, RecentWrites& recent);

  // Puts what has changed since the last time, once for each key: after the transactions' other writes.
  void write(WriteSink& sink);

  // What was given and not settled is none of the store's: as if nothing had been given.
  void forget();

  // All that was given is durable: `load` tells it from now on.
  void settle();

 private:
  struct Known {
    std::optional<std::string> value;
    bool is_changed = false;
  };

  void follow_writes(const BufferedTransaction& txn);
  Known& know(std::string_view key);
  void change(std::string_view key, Known& known, std::optional<std::string> value);

  const Load load_;
  std::map<std::string, Known, std::less<>> known_;
  std::vector<std::string> changed_;
  std::vector<Range> erased_;  // not durable yet: what is not known and lies in one is not there
};

}  // namespace tidemill::store
