#include "services/sns/service.h"

#include "services/sns/backoff.h"
#include "services/sns/confirmation.h"
#include "services/sns/fifo.h"
#include "services/sns/operations.h"

namespace tidemill::sns {

Service::Service(wire::Platform& platform, engine::HttpSend http, ServiceOptions options)
    : platform_(platform),
      signer_(options.directory, platform.clock, options.signs_on_thread),
      sending_(platform, subscriptions_, signer_,
               Links{options.endpoint,
                     options.certificates_from.empty() ? options.endpoint : options.certificates_from},
               std::move(http)) {}

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::CreateTopic{}, create_topic);
  add(ops::DeleteTopic{}, delete_topic);
  add(ops::ListTopics{}, list_topics);
  add(ops::GetTopicAttributes{}, get_topic_attributes);
  add(ops::SetTopicAttributes{}, set_topic_attributes);
  add(ops::AddPermission{}, add_permission);
  add(ops::RemovePermission{}, remove_permission);
  add(ops::TagResource{}, tag_resource);
  add(ops::UntagResource{}, untag_resource);
  add(ops::ListTagsForResource{}, list_tags_for_resource);
  add(ops::Subscribe{}, subscribe);
  add(ops::ConfirmSubscription{}, confirm_subscription);
  add(ops::Unsubscribe{}, unsubscribe);
  add(ops::ListSubscriptions{}, list_subscriptions);
  add(ops::ListSubscriptionsByTopic{}, list_subscriptions_by_topic);
  add(ops::GetSubscriptionAttributes{}, get_subscription_attributes);
  add(ops::SetSubscriptionAttributes{}, set_subscription_attributes);
  add(ops::Publish{}, publish);
  add(ops::PublishBatch{}, publish_batch);
  registry.refuse(shapes::refused_operations());
}

void Service::register_timers(engine::TimerService& timers, engine::Deliveries& deliveries) {
  sending_.register_with(timers, deliveries);
  forget_duplicates_by(timers, store(), clock());
  forget_backoff_by(timers, store(), clock());
  timers.handle(store::TimerKind{kTokenTimer},
                [this](const store::Timer& timer) { return forget_token(*this, timer); },
                {.purpose = base::Purpose::housekeeping});
}

Task<std::optional<std::string>> Service::certificate(std::string path) {
  if (!path.starts_with(kCertificatePathStart)) co_return std::nullopt;
  const SigningKeyPtr key = co_await signer_.key();
  if (path != key->certificate_path()) co_return std::nullopt;
  co_return key->certificate();
}

}  // namespace tidemill::sns
