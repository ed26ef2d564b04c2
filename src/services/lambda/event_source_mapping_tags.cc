#include "services/lambda/event_source_mapping_tags.h"

#include "base/text.h"
#include "services/lambda/errors.h"
#include "services/lambda/event_source_mapping_record.h"

namespace tidemill::lambda {

namespace {

using base::cat;

wire::Error mapping_not_found(std::string_view arn) {
  return errors::resource_not_found_exception(cat("Event source mapping not found: ", arn));
}

Task<engine::Mapping> load(store::Snapshot& reader, const wire::Context& context, std::string arn) {
  const auto uuid = mapping_of_arn(context, arn);
  const auto bytes = uuid ? co_await reader.get(engine::mapping_key(*uuid)) : std::nullopt;
  auto mapping = bytes ? engine::decode_mapping(*bytes) : std::nullopt;
  if (bytes && !mapping) throw std::runtime_error("an event source mapping is damaged");
  if (!mapping || mapping->account != context.account || mapping->region != context.region) throw mapping_not_found(arn);
  co_return *std::move(mapping);
}

template <class Change>
Task<void> change_tags(wire::Context& context, std::string arn, Change change) {
  co_await context.store().transact([&](store::Transaction& txn) -> Task<void> {
    engine::Mapping mapping = co_await load(txn, context, arn);
    change(mapping.tags);
    save_mapping(txn, mapping);
  });
}

}  // namespace

bool is_mapping_arn(std::string_view arn) {
  return arn.starts_with("arn:aws:lambda:") && arn.find(":event-source-mapping:") != std::string_view::npos;
}

Task<Tags> list_mapping_tags(wire::Context& context, std::string arn) {
  const auto snapshot = context.store().snapshot();
  co_return (co_await load(*snapshot, context, std::move(arn))).tags;
}

Task<void> tag_mapping(wire::Context& context, std::string arn, Tags tags) {
  return change_tags(context, std::move(arn), [tags = std::move(tags)](Tags& kept) { add_tags(kept, tags); });
}

Task<void> untag_mapping(wire::Context& context, std::string arn, std::vector<std::string> keys) {
  return change_tags(context, std::move(arn), [keys = std::move(keys)](Tags& kept) { remove_tags(kept, keys); });
}

}  // namespace tidemill::lambda
