// Lists the topics of an account's region, by name.
#include "services/sns/listing.h"
#include "services/sns/operations.h"

namespace tidemill::sns {

Task<shapes::ListTopicsOutput> list_topics(Service& service, wire::Context& context,
                                           const shapes::ListTopicsInput& request) {
  shapes::ListTopicsOutput out;
  out.topics.emplace();
  const auto snapshot = service.store().snapshot();
  out.next_token = co_await read_page(*snapshot, topics_range(context.account, context.region), request.next_token,
                                      [&](std::string_view key, std::string_view) {
                                        const auto address = topic_of_key(key);
                                        if (!address) return false;
                                        out.topics->push_back({.topic_arn = address->arn()});
                                        return true;
                                      });
  co_return out;
}

}  // namespace tidemill::sns
