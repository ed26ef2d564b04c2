#include "services/logs/subscribed_events.h"

#include "base/executor.h"
#include "base/json_record.h"
#include "services/logs/subscription_queue.h"
#include "services/logs/subscription_target.h"

namespace tidemill::logs {
namespace {

constexpr size_t kBytesPerStep = 256;  // written in about a microsecond (base::slice_is_over)

// One document of events: begun with the first, and ended when it is full.
class DocumentWriter {
 public:
  DocumentWriter(const LogGroup& group, const LogStream& stream, const SubscriptionFilter& filter) : writer_(text_) {
    writer_.begin_object();
    json::write_member(writer_, "messageType", "DATA_MESSAGE");
    json::write_member(writer_, "owner", group.address.account);
    json::write_member(writer_, "logGroup", group.address.name);
    json::write_member(writer_, "logStream", stream.name);
    writer_.key("subscriptionFilters");
    writer_.begin_array();
    writer_.string(filter.name);
    writer_.end_array();
    writer_.key("logEvents");
    writer_.begin_array();
  }

  void add(const EventPlace& place, std::string_view message) {
    if (events_ == 0) first_ = place.position;
    ++events_;
    writer_.begin_object();
    json::write_member(writer_, "id", place.digits());
    json::write_member(writer_, "timestamp", place.time);
    json::write_member(writer_, "message", message);
    writer_.end_object();
  }
  [[nodiscard]] size_t events() const { return events_; }
  [[nodiscard]] size_t size() const { return text_.size(); }
  [[nodiscard]] EventPosition first() const { return first_; }
  [[nodiscard]] const std::string& finish() {
    writer_.end_array();
    writer_.end_object();
    return text_;
  }

 private:
  std::string text_;
  json::Writer writer_;
  size_t events_ = 0;
  EventPosition first_;
};

}  // namespace

Task<SubscribedEvents> SubscribedEvents::find(PatternMatching& matching, LogGroupPtr group,
                                              const std::vector<wire::logs::InputLogEvent>& events) {
  SubscribedEvents result;
  result.group_ = group;
  for (const SubscriptionFilter& filter : group->subscription_filters) {
    auto& wanted = result.wanted_.emplace_back(events.size());
    for (size_t i = 0; i < events.size(); ++i) {
      const size_t steps = PatternMatching::slice_steps(*filter.pattern, events[i].message);
      if (base::slice_is_over(1 + steps)) co_await base::give_way();
      wanted[i] = co_await matching.matches(*filter.pattern, events[i].message);
    }
  }
  co_return result;
}

bool SubscribedEvents::is_of(const LogGroup& group) const {
  return group_ ? group_->encoded == group.encoded : group.subscription_filters.empty();
}

Task<void> SubscribedEvents::enqueue(store::Transaction& txn, const LogStream& stream,
                                     const std::vector<wire::logs::InputLogEvent>& events, size_t begin, size_t end,
                                     EventPosition first, base::Time now) const {
  for (size_t number = 0; number < wanted_.size(); ++number) {
    const SubscriptionFilter& filter = group_->subscription_filters[number];
    const size_t bytes_max = filter.is_function() ? kFunctionDocumentBytesMax : kRecordDocumentBytesMax;
    std::optional<DocumentWriter> document;
    const auto send = [&]() -> Task<void> {
      const EventPosition position = document->first();
      const std::string& text = document->finish();
      if (filter.is_function()) {
        co_await store::enqueue_delivery(txn, function_delivery(filter, group_->arn(), text), now);
      } else {
        enqueue_document(txn, *group_, filter, stream.id, position, text, now);
      }
      document.reset();
    };
    EventPlace place{.position = first};
    for (size_t i = begin; i < end; ++i, ++place.position.index) {
      if (!wanted_[number][i]) continue;
      place.time = events[i].timestamp;
      if (document && document->size() + events[i].message.size() > bytes_max) co_await send();
      if (!document) document.emplace(*group_, stream, filter);
      document->add(place, events[i].message);
      if (base::slice_is_over(1 + events[i].message.size() / kBytesPerStep)) co_await base::give_way();
    }
    if (document) co_await send();
  }
}

}  // namespace tidemill::logs
