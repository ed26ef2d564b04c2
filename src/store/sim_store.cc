#include "store/sim_store.h"

#include <cassert>
#include <deque>
#include <iterator>
#include <set>

#include "store/buffered_transaction.h"
#include "store/recent_writes.h"
#include "store/tallies.h"
#include "store/topics.h"

namespace tidemill::store {

namespace {

constexpr size_t kConflictSlots = 1 << 14;
constexpr size_t kConflictRangeBytesMax = 1 << 20;
constexpr size_t kPendingCommitsMax = 16'384;

using Data = std::map<std::string, std::string, std::less<>>;

// What a commit makes of tallies: decided with it, in the order of commits, and on disk when it is.
struct TallyWrites final : WriteSink {
  std::map<std::string, std::optional<std::string>, std::less<>> values;

  void put(std::string_view key, std::string_view value) override { values.emplace(key, value); }
  void erase(std::string_view key) override { values.emplace(key, std::nullopt); }
  void erase_range(std::string_view, std::string_view) override { assert(false); }
};

// What the disk holds, as of now and as of every version that a view still reads.
class History {
 public:
  explicit History(SimDisk& disk) : disk_(disk) {}

  [[nodiscard]] Version version() const { return disk_.last_version; }

  void apply(Version version, const BufferedTransaction& txn, const TallyWrites& tallies) {
    Writer writer{*this, version};
    txn.apply(version, writer);
    for (const auto& [key, value] : tallies.values) {
      if (value) {
        writer.put(key, *value);
      } else {
        writer.erase(key);
      }
    }
    disk_.last_version = version;
    prune();
  }

  [[nodiscard]] std::optional<std::string> get(std::string_view key, Version at) const {
    const auto old = overwritten_.find(key);
    if (old != overwritten_.end()) {
      if (const auto value = old->second.upper_bound(at); value != old->second.end()) return value->second;
    }
    const auto now = disk_.data.find(key);
    if (now == disk_.data.end()) return std::nullopt;
    return now->second;
  }

  struct Entry {
    std::string key;
    std::string value;
  };
  // The entry with the least key at or behind `from`, before `end`.
  [[nodiscard]] std::optional<Entry> next(std::string_view from, std::string_view end, Version at) const {
    auto now = disk_.data.lower_bound(from);
    auto old = overwritten_.lower_bound(from);
    while (now != disk_.data.end() || old != overwritten_.end()) {
      const bool is_now = now != disk_.data.end() && (old == overwritten_.end() || now->first <= old->first);
      const std::string& key = is_now ? now->first : old->first;
      if (key >= end) break;
      if (auto value = get(key, at)) return Entry{key, *std::move(value)};
      if (old != overwritten_.end() && old->first == key) ++old;
      if (is_now) ++now;
    }
    return std::nullopt;
  }
  // The entry with the greatest key before `to`, not before `begin`.
  [[nodiscard]] std::optional<Entry> previous(std::string_view begin, std::string_view to, Version at) const {
    auto now = disk_.data.lower_bound(to);  // each stands behind what is still to be looked at
    auto old = overwritten_.lower_bound(to);
    while (now != disk_.data.begin() || old != overwritten_.begin()) {
      const bool is_now = now != disk_.data.begin() &&
                          (old == overwritten_.begin() || std::prev(now)->first >= std::prev(old)->first);
      const std::string& key = is_now ? std::prev(now)->first : std::prev(old)->first;
      if (key < begin) break;
      if (auto value = get(key, at)) return Entry{key, *std::move(value)};
      if (old != overwritten_.begin() && std::prev(old)->first == key) --old;
      if (is_now) --now;
    }
    return std::nullopt;
  }

  void add_reader(Version at) { readers_.insert(at); }
  void remove_reader(Version at) {
    readers_.erase(readers_.find(at));
    prune();
  }

 private:
  struct Writer final : WriteSink {
    Writer(History& owner, Version at) : history(owner), version(at) {}
    History& history;
    Version version;

    void put(std::string_view key, std::string_view value) override {
      keep_old(key);
      history.disk_.data.insert_or_assign(std::string(key), std::string(value));
    }
    void erase(std::string_view key) override {
      keep_old(key);
      if (const auto found = history.disk_.data.find(key); found != history.disk_.data.end()) {
        history.disk_.data.erase(found);
      }
    }
    void erase_range(std::string_view begin, std::string_view end) override {
      auto& data = history.disk_.data;
      const auto first = data.lower_bound(begin);
      const auto last = data.lower_bound(end);
      for (auto it = first; it != last; ++it) keep_old(it->first);
      data.erase(first, last);
    }
    void keep_old(std::string_view key) {
      std::optional<std::string> old;
      if (const auto found = history.disk_.data.find(key); found != history.disk_.data.end()) old = found->second;
      history.overwritten_[std::string(key)].emplace(version, std::move(old));  // the first of a commit counts
    }
  };

  // Forgets what no view can read any more.
  void prune() {
    if (overwritten_.empty()) return;
    const Version oldest = readers_.empty() ? disk_.last_version : *readers_.begin();
    if (oldest == pruned_ && !readers_.empty()) return;
    pruned_ = oldest;
    for (auto key = overwritten_.begin(); key != overwritten_.end();) {
      auto& values = key->second;
      values.erase(values.begin(), values.upper_bound(oldest));
      key = values.empty() ? overwritten_.erase(key) : std::next(key);
    }
  }

  SimDisk& disk_;
  // By key, by the version that overwrote it: what was there before.
  std::map<std::string, std::map<Version, std::optional<std::string>>, std::less<>> overwritten_;
  std::multiset<Version> readers_;
  Version pruned_;
};

// Finds its place anew at each step: commits go on while a scan gives way.
class SimCursor final : public Cursor {
 public:
  SimCursor(const History& history, Version at, Range range, Direction direction)
      : history_(history), version_(at), rest_(std::move(range)), direction_(direction) {
    find();
  }

  [[nodiscard]] At at() const override { return entry_ ? At::entry : At::end; }
  [[nodiscard]] std::string_view key() const override { return entry_->key; }
  [[nodiscard]] std::string_view value() const override { return entry_->value; }
  void next() override {
    if (direction_ == Direction::forward) {
      rest_.begin = std::move(entry_->key) + '\0';
    } else {
      rest_.end = std::move(entry_->key);
    }
    find();
  }

 private:
  void find() {
    entry_ = direction_ == Direction::forward ? history_.next(rest_.begin, rest_.end, version_)
                                              : history_.previous(rest_.begin, rest_.end, version_);
  }

  const History& history_;
  const Version version_;
  Range rest_;
  const Direction direction_;
  std::optional<History::Entry> entry_;
};

class SimView final : public View {
 public:
  SimView(std::shared_ptr<History> history, std::shared_ptr<const RecentWrites> recent)
      : View(history->version(), std::move(recent)), history_(std::move(history)) {
    history_->add_reader(version());
  }
  ~SimView() override { history_->remove_reader(version()); }

  [[nodiscard]] std::optional<std::string> get(std::string_view key) const override {
    return history_->get(key, version());
  }
  [[nodiscard]] std::unique_ptr<Cursor> open(Range range, Direction direction) const override {
    return std::make_unique<SimCursor>(*history_, version(), std::move(range), direction);
  }

 private:
  const std::shared_ptr<History> history_;
};

class SimStoreImpl final : public SimStore {
 public:
  SimStoreImpl(SimDisk& disk, base::SimExecutor& executor, base::Clock& clock, SimFaults faults)
      : executor_(executor),
        clock_(clock),
        faults_(faults),
        history_(std::make_shared<History>(disk)),
        recent_(std::make_shared<RecentWrites>(kConflictSlots, kConflictRangeBytesMax, disk.last_version)),
        tallies_([&disk](std::string_view key) -> std::optional<std::string> {
          const auto found = disk.data.find(key);
          if (found == disk.data.end()) return std::nullopt;
          return found->second;
        }),
        last_version_(disk.last_version) {}

  std::shared_ptr<Snapshot> snapshot() override { return make_snapshot(view()); }

  std::shared_ptr<Transaction> begin() override {
    return std::make_shared<BufferedTransaction>(view());
  }

  Task<CommitResult> commit(std::shared_ptr<Transaction> txn) override {
    auto mine = std::static_pointer_cast<BufferedTransaction>(std::move(txn));
    if (mine->is_read_only()) return Task<CommitResult>::ready({CommitStatus::committed, mine->version()});
    return enqueue(std::move(mine));
  }

  Subscription subscribe(std::string_view topic, std::function<void()> callback) override {
    return topics_.subscribe(topic, std::move(callback));
  }

  [[nodiscard]] StoreMetrics metrics() const override {
    StoreMetrics metrics = metrics_;
    metrics.queued_commits = pending_.size();
    return metrics;
  }

  void crash() override {
    crashed_ = true;
    const size_t kept = executor_.random()() % (pending_.size() + 1);
    for (size_t n = 0; n < kept; ++n) make_durable(*pending_[n]);
    pending_.clear();
  }

 private:
  struct Pending {
    std::shared_ptr<BufferedTransaction> txn;
    CommitResult result;
    base::Future<CommitResult> answer;
    TallyWrites tallies;
    base::Activity::Hold hold;
    base::Alarm delay;
    bool synced = false;  // may become visible once all before it are
  };

  [[nodiscard]] ViewPtr view() const { return std::make_shared<SimView>(history_, recent_); }

  Task<CommitResult> enqueue(std::shared_ptr<BufferedTransaction> txn) {
    if (pending_.size() >= kPendingCommitsMax) throw Overloaded("too many commits wait for the disk");
    auto entry = std::make_shared<Pending>();
    entry->txn = std::move(txn);
    if (!crashed_) {
      decide(*entry);
      pending_.push_back(entry);
      start_sync(entry);
    }
    // A local copy: the entry dies with the store.
    const base::Future<CommitResult> answer = entry->answer;
    entry.reset();
    co_return co_await answer;
  }

  void decide(Pending& entry) {
    entry.hold = clock_.activity().hold();
    const bool fault = chance(faults_.conflict_probability);
    if (const auto conflict = recent_->find_conflict(entry.txn->reads(), entry.txn->version()); conflict || fault) {
      entry.result = {CommitStatus::conflict, conflict ? conflict->version : entry.txn->version()};
      return;
    }
    last_version_ = std::max(Version{last_version_.value + 1}, Version::at(clock_.now()));
    entry.result = {CommitStatus::committed, last_version_};
    recent_->record(last_version_, *entry.txn);
    if (pending_.empty()) tallies_.settle();
    tallies_.apply(*entry.txn, last_version_, *recent_);
    tallies_.write(entry.tallies);
  }

  void start_sync(const std::shared_ptr<Pending>& entry) {
    auto finish = [this, weak = std::weak_ptr(entry)] {
      const auto alive = weak.lock();
      if (!alive) return;  // the store crashed or is gone
      alive->synced = true;
      show_synced();
    };
    if (chance(faults_.slow_commit_probability)) {
      const auto most = std::chrono::nanoseconds(faults_.slow_commit_max).count();
      const std::chrono::nanoseconds delay(executor_.random()() % static_cast<uint64_t>(most + 1));
      entry->delay = executor_.call_after(delay, std::move(finish));
    } else {
      executor_.post(std::move(finish));
    }
  }

  // In the order of commits, also the answers of those that lost: an earlier one may be why.
  void show_synced() {
    std::vector<std::shared_ptr<Pending>> shown;
    while (!pending_.empty() && pending_.front()->synced) {
      make_durable(*pending_.front());
      shown.push_back(std::move(pending_.front()));
      pending_.pop_front();
    }
    if (shown.empty()) return;
    ++metrics_.syncs;
    for (const auto& entry : shown) {
      if (entry->result.status == CommitStatus::committed) topics_.add(*entry->txn);
    }
    topics_.notify();
    for (const auto& entry : shown) entry->answer.set(entry->result);
  }

  void make_durable(const Pending& entry) {
    if (entry.result.status == CommitStatus::conflict) {
      ++metrics_.conflicts;
      return;
    }
    history_->apply(entry.result.version, *entry.txn, entry.tallies);
    ++metrics_.commits;
    metrics_.bytes_written += entry.txn->bytes();
  }

  bool chance(double probability) {
    return probability > 0 && std::uniform_real_distribution<double>(0, 1)(executor_.random()) < probability;
  }

  base::SimExecutor& executor_;
  base::Clock& clock_;
  const SimFaults faults_;
  const std::shared_ptr<History> history_;
  const std::shared_ptr<RecentWrites> recent_;
  Tallies tallies_;
  Version last_version_;  // of the last commit that was decided, visible or not
  std::deque<std::shared_ptr<Pending>> pending_;
  Topics topics_;
  StoreMetrics metrics_;
  bool crashed_ = false;
};

}  // namespace

std::unique_ptr<SimStore> make_sim_store(SimDisk& disk, base::SimExecutor& executor, base::Clock& clock,
                                         SimFaults faults) {
  return std::make_unique<SimStoreImpl>(disk, executor, clock, faults);
}

}  // namespace tidemill::store
