#include "net/name_lookups.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/wants.h"
#include "net/file_descriptor.h"

namespace tidemill::net {

namespace asio = boost::asio;

struct NameLookups::Lookup {
  std::string host;
  bool is_known = false;  // had addresses last time
  bool has_begun = false;
  std::vector<std::shared_ptr<const Done>> waiting;
};

// Shared with the threads, which may outlive the rest.
struct NameLookups::State {
  using Time = std::chrono::steady_clock::time_point;
  struct Failure {
    Time forgotten_at;
    Found found;
  };

  State(Resolve asked, Now clock) : resolve(std::move(asked)), now(std::move(clock)) {}

  const Resolve resolve;
  const Now now;

  std::mutex mutex;  // of all below
  std::condition_variable changed;
  bool is_ending = false;
  size_t threads = 0;
  size_t idle = 0;
  size_t unknown_under_way = 0;
  std::deque<std::shared_ptr<Lookup>> line;  // those that have not begun
  std::unordered_map<std::string, std::shared_ptr<Lookup>> lookups;
  std::map<std::string, Time> known;        // when they were found
  std::map<std::string, Failure> failures;  // few: each has kept a thread for kLong

  // The rest is called under the mutex.

  // The failure that is still remembered of `host`; null: none.
  const Found* failure_of(const std::string& host) {
    const auto failed = failures.find(host);
    if (failed == failures.end()) return nullptr;
    if (now() < failed->second.forgotten_at) return &failed->second.found;
    failures.erase(failed);
    return nullptr;
  }

  [[nodiscard]] size_t room_for_unknown() const { return kThreadsMax - kThreadsForKnown - unknown_under_way; }

  // How many in line may have a thread.
  [[nodiscard]] size_t ready() const {
    const auto known_ones =
        static_cast<size_t>(std::ranges::count_if(line, [](const auto& lookup) { return lookup->is_known; }));
    return known_ones + std::min(line.size() - known_ones, room_for_unknown());
  }

  // The first in line that may have a thread, now out of line; null: none may.
  std::shared_ptr<Lookup> take_next() {
    const bool may_be_unknown = room_for_unknown() > 0;
    const auto next =
        std::ranges::find_if(line, [&](const auto& lookup) { return lookup->is_known || may_be_unknown; });
    if (next == line.end()) return nullptr;
    const auto lookup = *next;
    line.erase(next);
    lookup->has_begun = true;
    return lookup;
  }

  void end(const Lookup& lookup, const Found& found, std::chrono::nanoseconds taken) {
    const Time time = now();
    lookups.erase(lookup.host);
    std::erase_if(failures, [&](const auto& entry) { return entry.second.forgotten_at <= time; });
    if (found.addresses.empty()) {
      // A want of our own says nothing of the name.
      if (!base::is_want_of_resources(found.error)) {
        known.erase(lookup.host);
        if (taken >= kLong) failures.insert_or_assign(lookup.host, Failure{time + kFailureKept, found});
      }
    } else {
      known.insert_or_assign(lookup.host, time);
      if (known.size() > kKnownMax) {
        known.erase(std::ranges::min_element(known, {}, [](const auto& entry) { return entry.second; }));
      }
    }
    for (const auto& done : lookup.waiting) (*done)(found);
  }

  // Has a thread look at the line, a new one if all may be busy. The error if there is none at all.
  static std::error_code call_thread(const std::shared_ptr<State>& state) {
    if (state->ready() > state->idle && state->threads < kThreadsMax) {
      try {
        std::thread([state] { work(state); }).detach();
        ++state->threads;
      } catch (const std::system_error& error) {
        if (state->threads == 0) return error.code();  // those that there are come to it
      }
    }
    state->changed.notify_one();
    return {};
  }

  static void work(const std::shared_ptr<State>& state) {
    State& self = *state;
    std::unique_lock lock(self.mutex);
    for (;;) {
      std::shared_ptr<Lookup> lookup;
      ++self.idle;
      self.changed.wait(lock, [&] { return self.is_ending || (lookup = self.take_next()); });
      --self.idle;
      if (self.is_ending) return;
      if (!lookup->is_known) ++self.unknown_under_way;
      lock.unlock();
      const Time began = self.now();
      const Found found = self.resolve(lookup->host);
      const auto taken = self.now() - began;
      lock.lock();
      if (!lookup->is_known) --self.unknown_under_way;
      if (self.is_ending) return;
      self.end(*lookup, found, taken);
    }
  }
};

NameLookups::NameLookups(Resolve resolve, Now now)
    : state_(std::make_shared<State>(std::move(resolve), std::move(now))) {}

NameLookups::~NameLookups() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_ending = true;
    state_->line.clear();
    for (const auto& [host, lookup] : state_->lookups) lookup->waiting.clear();
    state_->lookups.clear();
  }
  state_->changed.notify_all();
}

NameLookups::Wait NameLookups::look_up(const std::string& host, Done done) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  if (const Found* failure = state.failure_of(host)) {
    done(*failure);
    return {};
  }
  const auto shared = std::make_shared<const Done>(std::move(done));
  std::shared_ptr<Lookup>& entry = state.lookups[host];
  const bool is_new = !entry;
  if (is_new) entry = std::make_shared<Lookup>(Lookup{.host = host, .is_known = state.known.contains(host)});
  const std::shared_ptr<Lookup> lookup = entry;
  lookup->waiting.push_back(shared);
  if (is_new) {
    state.line.push_back(lookup);
    if (const std::error_code problem = State::call_thread(state_)) {
      state.line.pop_back();
      state.end(*lookup, {{}, {problem.value(), boost::system::system_category()}}, {});
      return {};
    }
  }
  return {state_, lookup, shared};
}

NameLookups::Wait& NameLookups::Wait::operator=(Wait&& other) noexcept {
  if (this == &other) return *this;
  leave();
  state_ = std::move(other.state_);
  lookup_ = std::move(other.lookup_);
  done_ = std::move(other.done_);
  return *this;
}

void NameLookups::Wait::leave() {
  if (const auto state = std::exchange(state_, nullptr)) {
    const std::lock_guard lock(state->mutex);
    std::erase(lookup_->waiting, done_);
    const bool is_wanted = lookup_->has_begun || !lookup_->waiting.empty();
    if (!is_wanted && std::erase(state->line, lookup_) > 0) state->lookups.erase(lookup_->host);
  }
  lookup_ = nullptr;
  done_ = nullptr;
}

namespace {

// Why nothing can be opened just now; 0: something can.
int want_of_descriptors() {
  const FileDescriptor probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return !probe && base::is_want_of_resources({errno, std::generic_category()}) ? errno : 0;
}

}  // namespace

NameLookups::Found NameLookups::ask_system(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* answer = nullptr;
  Found found;
  int want = want_of_descriptors();
  errno = 0;
  const int problem = ::getaddrinfo(host.c_str(), nullptr, &wanted, &answer);
  const int reason = errno;
  switch (problem) {
    case 0: break;
    case EAI_SYSTEM: found.error = {reason, boost::system::system_category()}; break;
    case EAI_MEMORY: found.error = asio::error::no_memory; break;
    case EAI_AGAIN: found.error = asio::error::host_not_found_try_again; break;
    default: found.error = asio::error::host_not_found;
  }
  // Whoever could not open its files or a socket takes the name for unknown, or asks elsewhere and forgets why.
  if (reason == EMFILE || reason == ENFILE) want = reason;
  if (problem != 0 && want == 0) want = want_of_descriptors();
  if (problem != 0 && want != 0) found.error = {want, boost::system::system_category()};
  if (problem != 0) return found;
  for (const addrinfo* entry = answer; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_family == AF_INET) {
      sockaddr_in address{};
      std::memcpy(&address, entry->ai_addr, sizeof address);
      found.addresses.push_back(asio::ip::address_v4(ntohl(address.sin_addr.s_addr)));
    } else if (entry->ai_family == AF_INET6) {
      sockaddr_in6 address{};
      std::memcpy(&address, entry->ai_addr, sizeof address);
      asio::ip::address_v6::bytes_type bytes;
      std::memcpy(bytes.data(), &address.sin6_addr, bytes.size());
      found.addresses.push_back(asio::ip::address_v6(bytes, address.sin6_scope_id));
    }
  }
  ::freeaddrinfo(answer);
  if (found.addresses.empty()) found.error = asio::error::host_not_found;
  return found;
}

}  // namespace tidemill::net
