// SNS, assembled: what its operations share, and how they come into the registry.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/deliveries.h"
#include "engine/targets/http_target.h"
#include "engine/timer_service.h"
#include "services/sns/sending.h"
#include "services/sns/signer.h"
#include "services/sns/subscription.h"
#include "store/write_queue.h"
#include "wire/registry.h"

namespace tidemill::sns {

struct ServiceOptions {
  std::filesystem::path directory;   // of the signing key
  std::string endpoint;              // what SubscribeURL and UnsubscribeURL begin with
  std::string certificates_from;     // what SigningCertURL begins with; empty: the endpoint
  bool signs_on_thread = true;       // false: for simulations
};

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  Service(wire::Platform& platform, engine::HttpSend http, ServiceOptions options);

  // Registers every operation.
  void register_operations(wire::Registry& registry);
  // Registers how messages leave, and the handlers of its timers. Before the timers start.
  void register_timers(engine::TimerService& timers, engine::Deliveries& deliveries);

  // The certificate, if `path` is that of its URL: for the HTTP server.
  Task<std::optional<std::string>> certificate(std::string path);

  [[nodiscard]] const wire::Platform& platform() const { return platform_; }
  [[nodiscard]] store::Store& store() { return platform_.store; }
  [[nodiscard]] base::Clock& clock() { return platform_.clock; }
  [[nodiscard]] SubscriptionCache& subscriptions() { return subscriptions_; }
  // To topics whose messages depend on those before them: FIFO ones and those that hold back. By the topic's ARN.
  [[nodiscard]] store::WriteQueue& publishers_in_turn() { return publishers_in_turn_; }
  [[nodiscard]] Sending& sending() { return sending_; }

  // Changes the topic's record by `apply`, (Topic&) -> void. Throws NotFound.
  template <class Apply>
  Task<void> change_topic(TopicAddress address, Apply apply) {
    co_await store().transact([&](store::Transaction& txn) -> Task<void> {
      Topic topic = co_await load_topic(txn, address);
      apply(topic);
      txn.put(topic_key(address), encode_topic(topic));
    });
  }

 private:
  wire::Platform& platform_;
  SubscriptionCache subscriptions_;
  store::WriteQueue publishers_in_turn_;
  Signer signer_;
  Sending sending_;
};

}  // namespace tidemill::sns
