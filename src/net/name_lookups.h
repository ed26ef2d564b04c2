// The inside of HttpClient, for net/*.cc only: the addresses of names. The system's resolver blocks, and a name whose
// servers are silent keeps it for half a minute; so it is asked on a few threads, once for all who want the same name, and
// names that are silent do not keep others from being found:
//
// - who does not want to wait any longer leaves, and a lookup that nobody waits for does not begin;
// - a name that was not found after long is not looked up again for a while: it fails at once, unless what failed was a
//   want of this server's own;
// - names that had addresses when last looked up have threads that no others take, and so many that they may fall
//   silent together, as all those do whose servers are one provider's. What was silent is no such name any more.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tidemill::net {

// Any thread. Ends without waiting for lookups under way: their threads leave when the system lets them, and tell nobody.
class NameLookups {
 public:
  static constexpr size_t kThreadsMax = 40;       // begun as they are needed; one that waits holds little but its stack
  static constexpr size_t kThreadsForKnown = 34;  // of them, for names that had addresses
  static constexpr size_t kKnownMax = 1024;      // such names; beyond, the one that was found longest ago is as any other
  static constexpr std::chrono::seconds kLong{1};             // a lookup that takes a thread for so long and fails …
  static constexpr std::chrono::seconds kFailureKept{10};     // … is not repeated for so long

  struct Found {
    std::vector<boost::asio::ip::address> addresses;  // in the order in which to try them
    boost::system::error_code error;                  // why there are none
  };
  // Asks, and blocks until there is an answer. Must not throw.
  using Resolve = std::function<Found(const std::string& host)>;
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  // Hears the answer, on any thread, within look_up() too; may only hand it on.
  using Done = std::function<void(const Found&)>;

  // The system's resolver. What fails for want of descriptors fails with that (base/wants.h).
  [[nodiscard]] static Found ask_system(const std::string& host);

  explicit NameLookups(Resolve resolve = ask_system, Now now = std::chrono::steady_clock::now);
  ~NameLookups();
  NameLookups(const NameLookups&) = delete;

  struct State;
  struct Lookup;

  // Waits for an answer while it lives; afterwards nobody hears it.
  class [[nodiscard]] Wait {
   public:
    Wait() = default;
    Wait(Wait&&) noexcept = default;
    Wait& operator=(Wait&& other) noexcept;
    ~Wait() { leave(); }
    void leave();

   private:
    friend class NameLookups;
    Wait(std::shared_ptr<State> state, std::shared_ptr<Lookup> lookup, std::shared_ptr<const Done> done)
        : state_(std::move(state)), lookup_(std::move(lookup)), done_(std::move(done)) {}
    std::shared_ptr<State> state_;
    std::shared_ptr<Lookup> lookup_;
    std::shared_ptr<const Done> done_;
  };

  Wait look_up(const std::string& host, Done done);

 private:
  std::shared_ptr<State> state_;
};

}  // namespace tidemill::net
