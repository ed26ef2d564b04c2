// The queues as the source of event source mappings.
#pragma once

#include "engine/mappings/queue_source.h"
#include "services/sqs/service.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::sqs {

class SqsQueueSource final : public engine::QueueSource {
 public:
  // All outlive this. `usage` gets the queues' metrics; may be null. `platform` opens messages that are encrypted with
  // keys; null: there are none.
  explicit SqsQueueSource(Service& service, wire::PlatformMetrics* usage = nullptr, wire::Platform* platform = nullptr)
      : service_(service), usage_(usage), platform_(platform) {}

  [[nodiscard]] bool owns(std::string_view arn) const override;
  Task<std::optional<engine::QueueProperties>> describe(std::string arn) override;
  std::unique_ptr<engine::QueueReader> read(std::string arn) override;
  Task<size_t> remove(std::string arn, std::vector<std::string> receipts) override;
  Task<void> hide(std::string arn, std::vector<std::string> receipts, std::chrono::seconds timeout) override;
  store::Subscription watch(std::string_view arn, std::function<void()> made) override;

 private:
  template <class Body>
  Task<void> change(std::string arn, Body body);

  Service& service_;
  wire::PlatformMetrics* usage_;
  wire::Platform* platform_;
};

}  // namespace tidemill::sqs
