#include "engine/leased_ownership.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <map>

#include "base/log.h"

namespace tidemill::engine {

namespace {

// A life: from a join to its end. Tenures share it, so that its end is theirs.
struct Life {
  const base::Clock& clock;
  base::Time until;  // may act before this; moved on by each beat
  [[nodiscard]] bool ended() const { return clock.now() >= until; }
};

class LeasedTenure final : public Tenure {
 public:
  LeasedTenure(std::shared_ptr<const Life> life, store::Lease lease)
      : life_(std::move(life)), lease_(std::move(lease)) {}

  [[nodiscard]] bool ended() const override { return ended_ || life_->ended(); }
  [[nodiscard]] bool asked_back() const override { return asked_back_; }
  Task<void> fence(store::Transaction& txn) const override {
    if (!co_await store::holds_lease(txn, lease_)) throw NotOwner("another process owns " + lease_.name);
  }

  void end() { ended_ = true; }
  // False: it was asked back before.
  bool ask_back() { return !std::exchange(asked_back_, true); }
  [[nodiscard]] const store::Lease& lease() const { return lease_; }

 private:
  const std::shared_ptr<const Life> life_;
  const store::Lease lease_;
  bool ended_ = false;
  bool asked_back_ = false;
};

// How much a member has a thing coming to it. The same in every process.
uint64_t weight(std::string_view process, std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const std::string_view part : {process, std::string_view("\0", 1), name}) {
    for (const char c : part) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  }
  // The last bytes of FNV-1a reach only the lower half: mixed as MurmurHash3 ends.
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

}  // namespace

struct LeasedOwnership::Impl {
  struct Thing {
    base::Signal changed;
    std::shared_ptr<LeasedTenure> tenure;
  };
  // Another member, as this one has seen it.
  struct Peer {
    store::Member member;
    base::Time since;  // its beats are what they are
  };

  store::Store& store;
  base::Clock& clock;
  const LeaseTimes times;
  store::Member self;
  std::shared_ptr<Life> life;  // null: not joined
  std::function<void(const store::Member&)> on_life;
  uint64_t last_term = 0;
  bool leaving = false;
  base::Time next_beat;
  std::map<std::string, Thing, std::less<>> things;  // that are claimed
  std::map<std::string, Peer> peers;                 // by process
  std::deque<store::Lease> given_back;               // and not yet written
  base::Signal wake;
  store::Subscription watch;
  base::Alarm expiry;
  base::Scope tasks;

  Impl(store::Store& of_all, base::Clock& own_clock, std::string process, LeaseTimes lease_times)
      : store(of_all), clock(own_clock), times(lease_times), self{.process = std::move(process)} {}

  void start() {
    watch = store.subscribe(store::kLeasesTopic, [signal = wake] { signal.signal(); });
    tasks.spawn(run());
  }

  Task<void> run() {
    while (!leaving) {
      std::string problem;
      try {
        co_await look_after();
      } catch (const store::StoreFailed& error) {
        base::log_error("this process owns nothing any more: the store takes no changes", {{"what", error.what()}});
        end_life();
        co_return;
      } catch (const std::exception& error) {
        problem = error.what();
      }
      if (!problem.empty()) {
        base::log_warning("leases are not kept", {{"process", self.process}, {"what", problem}});
        next_beat = clock.now() + times.beat / 4;
      }
      co_await clock.wait(wake, next_beat, base::Purpose::housekeeping);
    }
  }

  Task<void> look_after() {
    if (!life || clock.now() >= next_beat) co_await show_life();
    if (!life) co_return;
    co_await follow_members();
    co_await give_back();
    ask_back();
    co_await take();
  }

  // ---- this process's life ----

  // Counted from before the transaction began, since others may see it from any time after.
  Task<void> show_life() {
    const base::Time began = clock.now();
    next_beat = began + times.beat;
    const bool joins = !life;
    if (joins) {
      ++self.life;
      self.beats = 0;
    } else {
      ++self.beats;
    }
    const uint64_t this_life = self.life;
    const store::Member shown = self;
    const bool lives = co_await store.transact([&](store::Transaction& txn) -> Task<bool> {
      if (!joins) co_return co_await store::beat(txn, shown);
      store::join(txn, shown);
      co_return true;
    });
    if (self.life != this_life || leaving) co_return;
    if (!lives) {
      end_life();
      next_beat = clock.now();
      co_return;
    }
    if (!joins && !life) co_return;  // it ended while the beat was on its way
    const base::Time until = began + times.length - times.margin;
    if (joins) {
      life = std::make_shared<Life>(clock, until);
      if (on_life) on_life(self);
    } else {
      life->until = until;
    }
    expiry = clock.call_at(base::Executor::current(), until, [this] { end_life(); }, base::Purpose::housekeeping);
  }

  // Nothing is owned any more, whether others know of it or not. What was held is free once the next life has begun, or
  // somebody has buried this one.
  void end_life() {
    expiry = {};
    if (const auto ending = std::exchange(life, nullptr)) ending->until = std::min(ending->until, clock.now());
    given_back.clear();
    for (auto& [name, thing] : things) {
      if (const auto tenure = std::exchange(thing.tenure, nullptr)) {
        tenure->end();
        thing.changed.signal();
      }
    }
    next_beat = clock.now();
    wake.signal();
  }

  // ---- the others ----

  Task<void> follow_members() {
    const auto found = co_await store::members(*store.snapshot());
    const auto is_this_life = [&](const store::Member& member) {
      return member.process == self.process && member.life == self.life;
    };
    if (std::ranges::none_of(found, is_this_life)) end_life();  // somebody has buried it
    const base::Time now = clock.now();
    std::map<std::string, Peer> seen;
    for (const store::Member& member : found) {
      const auto known = peers.find(member.process);
      const bool is_still = known != peers.end() && known->second.member == member;
      seen[member.process] = {member, is_still ? known->second.since : now};
    }
    peers = std::move(seen);
    std::vector<store::Member> dead;
    for (const auto& [process, peer] : peers) {
      if (process != self.process && now - peer.since >= times.length) dead.push_back(peer.member);
    }
    for (const store::Member& member : dead) {
      const bool buried = co_await store.transact(
          [&](store::Transaction& txn) -> Task<bool> { co_return co_await store::bury(txn, member); });
      if (!buried) continue;
      peers.erase(member.process);
      base::log_warning("a process is gone: others take over what it owned", {{"process", member.process}});
    }
  }

  [[nodiscard]] bool falls_here(std::string_view name) const {
    const uint64_t mine = weight(self.process, name);
    return std::ranges::none_of(peers, [&](const auto& peer) {
      return peer.first != self.process && weight(peer.first, name) > mine;
    });
  }

  // ---- what is owned ----

  Task<void> give_back() {
    while (life && !given_back.empty()) {
      const store::Lease lease = given_back.front();
      co_await store.transact(
          [&](store::Transaction& txn) -> Task<void> { co_await store::release_lease(txn, lease); });
      if (!given_back.empty() && given_back.front() == lease) given_back.pop_front();
    }
  }

  void ask_back() {
    for (auto& [name, thing] : things) {
      if (!thing.tenure || falls_here(name)) continue;
      if (thing.tenure->ask_back()) thing.changed.signal();
    }
  }

  Task<void> take() {
    std::deque<store::Lease> wanted;
    for (const auto& [name, thing] : things) {
      if (thing.tenure || !falls_here(name)) continue;
      wanted.push_back({.name = name, .process = self.process, .life = self.life, .term = ++last_term});
    }
    while (life && !wanted.empty()) {
      const size_t count = std::min(wanted.size(), kLeasesPerTransactionMax);
      const std::vector<store::Lease> some(wanted.begin(), wanted.begin() + static_cast<ptrdiff_t>(count));
      wanted.erase(wanted.begin(), wanted.begin() + static_cast<ptrdiff_t>(count));
      const auto taken = co_await store.transact([&](store::Transaction& txn) -> Task<std::vector<store::Lease>> {
        std::vector<store::Lease> mine;
        for (const store::Lease& lease : some) {
          if (co_await store::take_lease(txn, lease)) mine.push_back(lease);
        }
        co_return mine;
      });
      for (const store::Lease& lease : taken) begin_tenure(lease);
    }
  }

  void begin_tenure(const store::Lease& lease) {
    if (!life || lease.life != self.life) return;  // others see that the life has ended
    const auto thing = things.find(lease.name);
    if (thing == things.end() || thing->second.tenure) {  // not claimed any more, or anew
      given_back.push_back(lease);
      wake.signal();
      return;
    }
    thing->second.tenure = std::make_shared<LeasedTenure>(life, lease);
    thing->second.changed.signal();
  }

  void end_tenure(Thing& thing) {
    const auto tenure = std::exchange(thing.tenure, nullptr);
    if (!tenure) return;
    tenure->end();
    given_back.push_back(tenure->lease());
    wake.signal();
  }

  Task<void> leave() {
    leaving = true;
    const bool was_member = life != nullptr;
    end_life();
    tasks.clear();
    if (!was_member) co_return;
    co_await store.transact([&](store::Transaction& txn) -> Task<void> {
      for (const store::Member& member : co_await store::members(txn)) {
        if (member.process == self.process) (void)co_await store::bury(txn, member);
      }
    });
  }
};

namespace {

class LeasedClaim final : public Claim {
 public:
  LeasedClaim(std::shared_ptr<LeasedOwnership::Impl> impl, std::string name)
      : impl_(std::move(impl)), name_(std::move(name)) {}
  ~LeasedClaim() override {
    let_go();
    impl_->things.erase(name_);
  }
  LeasedClaim(const LeasedClaim&) = delete;

  [[nodiscard]] std::shared_ptr<const Tenure> tenure() const override {
    const auto& tenure = impl_->things.at(name_).tenure;
    return tenure && !tenure->ended() ? tenure : nullptr;
  }
  void let_go() override { impl_->end_tenure(impl_->things.at(name_)); }

 private:
  const std::shared_ptr<LeasedOwnership::Impl> impl_;
  const std::string name_;
};

}  // namespace

LeasedOwnership::LeasedOwnership(store::Store& store, base::Clock& clock, std::string process, LeaseTimes times)
    : impl_(std::make_shared<Impl>(store, clock, std::move(process), times)) {
  assert(times.beat + times.margin < times.length);
}

LeasedOwnership::~LeasedOwnership() {
  impl_->watch.reset();
  impl_->tasks.clear();
  impl_->expiry = {};
}

void LeasedOwnership::on_life(std::function<void(const store::Member&)> tell) { impl_->on_life = std::move(tell); }

void LeasedOwnership::start() { impl_->start(); }

Task<void> LeasedOwnership::leave() { return impl_->leave(); }

std::unique_ptr<Claim> LeasedOwnership::claim(std::string name, base::Signal changed) {
  const bool is_new = impl_->things.try_emplace(name, LeasedOwnership::Impl::Thing{std::move(changed), nullptr}).second;
  assert(is_new);
  (void)is_new;
  impl_->wake.signal();
  return std::make_unique<LeasedClaim>(impl_, std::move(name));
}

Task<bool> LeasedOwnership::is_owned(store::Transaction& txn, std::string_view prefix) {
  return store::is_leased(txn, prefix);
}

store::Subscription LeasedOwnership::watch(std::function<void()> callback) {
  return impl_->store.subscribe(store::kLeasesTopic, std::move(callback));
}

}  // namespace tidemill::engine
