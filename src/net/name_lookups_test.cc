#include "net/name_lookups.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/no_more_files.h"

namespace tidemill::net {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// A resolver that answers when it is told to. Names that begin with "dead" have no addresses, nor has any while it
// lacks descriptors. The threads have it, too, and may leave late.
struct Script {
  NameLookups::Found resolve(const std::string& host) {
    std::unique_lock lock(mutex);
    ++asked[host];
    under_way.insert(host);
    changed.notify_all();
    changed.wait(lock, [&] { return is_over || open.contains(host); });
    open.erase(host);
    under_way.erase(host);
    changed.notify_all();
    namespace errc = boost::system::errc;
    if (lacks_descriptors) return {{}, errc::make_error_code(errc::too_many_files_open)};
    if (host.starts_with("dead")) return {{}, errc::make_error_code(errc::timed_out)};
    return {{boost::asio::ip::make_address("192.0.2.1")}, {}};
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, int> asked, found, failed;
  std::set<std::string> under_way, open;
  bool is_over = false;
  bool lacks_descriptors = false;
  std::atomic<Clock::rep> time = 0;
};

// Lookups by such a resolver, and what was heard of them.
class Names {
 public:
  Names()
      : lookups_(std::in_place, [script = script_](const std::string& host) { return script->resolve(host); },
                 [script = script_] { return Clock::time_point(Clock::duration(script->time.load())); }) {}
  ~Names() {
    lookups_.reset();
    const std::lock_guard lock(script_->mutex);
    script_->is_over = true;
    script_->changed.notify_all();
  }

  NameLookups::Wait look_up(const std::string& host) {
    return lookups_->look_up(host, [script = script_, host](const NameLookups::Found& found) {
      const std::lock_guard lock(script->mutex);
      ++(found.addresses.empty() ? script->failed : script->found)[host];
      script->changed.notify_all();
    });
  }
  // Lets the lookup of `host` end, `after` it has begun.
  void answer(const std::string& host, std::chrono::seconds after = 0s) {
    await([&] { return script_->under_way.contains(host); });
    pass(after);
    {
      const std::lock_guard lock(script_->mutex);
      script_->open.insert(host);
      script_->changed.notify_all();
    }
    await([&] { return !script_->under_way.contains(host); });
  }
  void await_begun(size_t count) {
    await([&] { return script_->under_way.size() == count; });
  }
  void await_found(const std::string& host, int times) {
    await([&] { return script_->found[host] == times; });
  }
  void await_failed(const std::string& host, int times) {
    await([&] { return script_->failed[host] == times; });
  }
  // The next time, it is one that had addresses.
  void find(const std::string& host) {
    const int times = count(script_->found, host) + 1;
    const auto wait = look_up(host);
    answer(host);
    await_found(host, times);
  }
  void lack_descriptors(bool lacks) {
    const std::lock_guard lock(script_->mutex);
    script_->lacks_descriptors = lacks;
  }
  void pass(std::chrono::seconds time) { script_->time += Clock::duration(time).count(); }
  int asked(const std::string& host) { return count(script_->asked, host); }
  int failed(const std::string& host) { return count(script_->failed, host); }
  void end() { lookups_.reset(); }

 private:
  void await(auto condition) {
    std::unique_lock lock(script_->mutex);
    script_->changed.wait(lock, condition);
  }
  int count(std::map<std::string, int>& counts, const std::string& host) {
    const std::lock_guard lock(script_->mutex);
    return counts[host];
  }

  const std::shared_ptr<Script> script_ = std::make_shared<Script>();
  std::optional<NameLookups> lookups_;
};

std::string dead(size_t n) { return "dead-" + std::to_string(n); }

TEST(NameLookups, ANameThatIsSilentKeepsNoOtherWaiting) {
  Names names;
  const auto silent = names.look_up("dead");
  names.await_begun(1);
  const auto wait = names.look_up("alive");
  names.answer("alive");
  names.await_found("alive", 1);
}

TEST(NameLookups, WhoWantsTheSameNameSharesItsLookup) {
  Names names;
  std::vector<NameLookups::Wait> waits;
  for (int i = 0; i < 100; ++i) waits.push_back(names.look_up("alive"));
  names.answer("alive");
  names.await_found("alive", 100);
  EXPECT_EQ(names.asked("alive"), 1);
}

TEST(NameLookups, NamesThatHadAddressesAreFoundHoweverManyAreSilent) {
  Names names;
  names.find("alive");
  std::vector<NameLookups::Wait> waits;
  for (size_t n = 0; n < 100; ++n) waits.push_back(names.look_up(dead(n)));
  names.await_begun(NameLookups::kThreadsMax - NameLookups::kThreadsForKnown);
  for (int i = 0; i < 10; ++i) names.find("alive");
  EXPECT_EQ(names.asked("alive"), 11);
}

TEST(NameLookups, NamesThatHadAddressesAndFallSilentTogetherKeepNoOtherWaiting) {
  constexpr size_t kTogether = 32;
  const auto name = [](size_t n) { return "provider-" + std::to_string(n); };
  Names names;
  for (size_t n = 0; n < kTogether; ++n) names.find(name(n));
  names.find("alive");
  std::vector<NameLookups::Wait> waits;
  for (size_t n = 0; n < kTogether; ++n) waits.push_back(names.look_up(name(n)));
  names.await_begun(kTogether);
  names.find("alive");
  names.find("new");
  for (size_t n = 0; n < 100; ++n) waits.push_back(names.look_up(dead(n)));
  names.await_begun(kTogether + NameLookups::kThreadsMax - NameLookups::kThreadsForKnown);
  names.find("alive");
}

TEST(NameLookups, ASilentNameIsNotAskedAgainForAWhile) {
  Names names;
  const auto first = names.look_up("dead");
  names.answer("dead", NameLookups::kLong);
  names.await_failed("dead", 1);
  const auto second = names.look_up("dead");
  names.await_failed("dead", 2);
  EXPECT_EQ(names.asked("dead"), 1);
  names.pass(NameLookups::kFailureKept);
  const auto third = names.look_up("dead");
  names.answer("dead");
  names.await_failed("dead", 3);
  // What fails at once keeps nobody from anything.
  const auto fourth = names.look_up("dead");
  names.answer("dead");
  names.await_failed("dead", 4);
  EXPECT_EQ(names.asked("dead"), 3);
}

TEST(NameLookups, AWantOfDescriptorsIsNoNamesFailure) {
  constexpr size_t kForOthers = NameLookups::kThreadsMax - NameLookups::kThreadsForKnown;
  Names names;
  names.find("alive");
  names.lack_descriptors(true);
  const auto first = names.look_up("alive");
  names.answer("alive", NameLookups::kLong);
  names.await_failed("alive", 1);
  names.lack_descriptors(false);
  std::vector<NameLookups::Wait> waits;
  for (size_t n = 0; n < kForOthers; ++n) waits.push_back(names.look_up(dead(n)));
  names.await_begun(kForOthers);
  // It is asked for again, and is still one that had addresses, which others do not keep waiting.
  const auto second = names.look_up("alive");
  ASSERT_EQ(names.failed("alive"), 1) << "remembered";
  names.await_begun(kForOthers + 1);
  names.answer("alive");
  names.await_found("alive", 2);
}

TEST(NameLookups, WhoLeavesHearsNothingAndALookupThatNobodyWaitsForDoesNotBegin) {
  Names names;
  std::vector<NameLookups::Wait> waits;
  constexpr size_t kAtOnce = NameLookups::kThreadsMax - NameLookups::kThreadsForKnown;
  for (size_t n = 0; n < kAtOnce; ++n) waits.push_back(names.look_up(dead(n)));
  names.await_begun(kAtOnce);
  for (size_t n = kAtOnce; n < 100; ++n) waits.push_back(names.look_up(dead(n)));
  const auto patient = names.look_up("alive");
  waits.clear();
  names.answer(dead(0));
  names.answer("alive");
  names.await_found("alive", 1);
  EXPECT_EQ(names.asked(dead(kAtOnce)), 0);
  // Under way, and joined again.
  const auto late = names.look_up(dead(1));
  names.answer(dead(1));
  names.await_failed(dead(1), 1);
  EXPECT_EQ(names.asked(dead(1)), 1);
}

TEST(NameLookups, TheEndWaitsForNobody) {
  Names names;
  const auto wait = names.look_up("dead");
  names.await_begun(1);
  names.end();
}

TEST(NameLookups, TheSystemKnowsItself) {
  const NameLookups::Found found = NameLookups::ask_system("localhost");
  ASSERT_FALSE(found.addresses.empty());
  EXPECT_TRUE(found.addresses.front().is_loopback());
}

TEST(NameLookups, TheSystemsFailureForWantOfDescriptorsIsToldAsThat) {
  const base::testing::NoMoreFiles none;
  const NameLookups::Found found = NameLookups::ask_system("no-such-host.invalid");
  EXPECT_EQ(found.error, boost::system::errc::too_many_files_open) << found.error.message();
}

}  // namespace
}  // namespace tidemill::net
