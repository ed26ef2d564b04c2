// And the operations on them: on streams by name, and on any resource by its ARN.
#include "services/kinesis/tags.h"

#include "base/text.h"
#include "base/utf8.h"
#include "services/kinesis/consumer.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/operations.h"
#include "wire/tags.h"

namespace tidemill::kinesis {
namespace {

bool is_allowed(uint32_t character) {
  const auto is_within = [&](uint32_t first, uint32_t last) { return character >= first && character <= last; };
  if (is_within('0', '9') || is_within('A', 'Z') || is_within('a', 'z')) return true;
  if (character < 0x80) return std::string_view("_./=+- @:").contains(static_cast<char>(character));
  return is_within(0xc0, 0x1fff) || is_within(0x2c00, 0xd7ff);
}

void check_characters(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const auto [character, size] = base::character_at(text, at);
    if (!is_allowed(character)) {
      throw invalid_argument(
          "Some tags contain invalid characters. Valid characters: Unicode letters, digits, white space, _ . / = + - @ "
          ":.");
    }
    at += size;
  }
}

wire::Error reserved_key(std::string_view key) {
  return invalid_argument(base::cat("Tag key ", key, " begins with the reserved prefix aws:."));
}

std::vector<shapes::Tag> describe(const Tags& tags) {
  std::vector<shapes::Tag> result;
  for (const auto& [key, value] : tags) result.push_back({.key = key, .value = value});
  return result;
}

// Changes the tags of a stream or a consumer by `apply`, (Tags&) -> void.
template <class Apply>
Task<void> change_tags(Service& service, const wire::Context& context, std::string arn, Apply apply) {
  if (!parse_consumer_arn(arn)) {
    const StreamAddress address = resolve_stream(context, std::nullopt, arn);
    co_await service.change(address, [&](store::Transaction&, Stream& stream) -> Task<void> {
      apply(stream.tags);
      co_return;
    });
    co_return;
  }
  const ConsumerAddress address = resolve_consumer(context, arn);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    (void)co_await service.streams().get(txn, address.stream);  // guards its consumers
    Consumer consumer = co_await get_consumer(txn, address);
    apply(consumer.tags);
    txn.put(consumer_key(address.stream, address.name), encode_consumer(consumer));
  });
}

}  // namespace

void add_tags(Tags& tags, const Tags& added) {
  for (const auto& [key, value] : added) {
    check_characters(key);
    check_characters(value);
    if (wire::is_reserved_tag_key(key)) throw reserved_key(key);
    tags.insert_or_assign(key, value);
  }
  if (tags.size() > kTagsMax) {
    throw invalid_argument(base::cat("Failed to add tags to stream: a resource can have ", kTagsMax, " tags at most."));
  }
}

void remove_tags(Tags& tags, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    if (!wire::may_remove_tag(tags, key)) throw reserved_key(key);
    tags.erase(key);
  }
}

Task<shapes::AddTagsToStreamOutput> add_tags_to_stream(Service& service, wire::Context& context,
                                                       const shapes::AddTagsToStreamInput& request) {
  co_await change_tags(service, context, stream_of(context, request).arn(),
                       [&](Tags& tags) { add_tags(tags, request.tags); });
  co_return shapes::AddTagsToStreamOutput{};
}

Task<shapes::RemoveTagsFromStreamOutput> remove_tags_from_stream(Service& service, wire::Context& context,
                                                                 const shapes::RemoveTagsFromStreamInput& request) {
  co_await change_tags(service, context, stream_of(context, request).arn(),
                       [&](Tags& tags) { remove_tags(tags, request.tag_keys); });
  co_return shapes::RemoveTagsFromStreamOutput{};
}

Task<shapes::ListTagsForStreamOutput> list_tags_for_stream(Service& service, wire::Context& context,
                                                           const shapes::ListTagsForStreamInput& request) {
  const StreamPtr stream = co_await service.find_stream(stream_of(context, request));
  const auto limit = static_cast<size_t>(request.limit.value_or(kTagsMax));
  const std::string after = request.exclusive_start_tag_key.value_or("");
  shapes::ListTagsForStreamOutput out{.has_more_tags = false};
  for (const auto& [key, value] : stream->tags) {
    if (key <= after) continue;
    out.has_more_tags = out.tags.size() == limit;
    if (out.has_more_tags) break;
    out.tags.push_back({.key = key, .value = value});
  }
  co_return out;
}

Task<shapes::TagResourceOutput> tag_resource(Service& service, wire::Context& context,
                                             const shapes::TagResourceInput& request) {
  co_await change_tags(service, context, request.resource_arn, [&](Tags& tags) { add_tags(tags, request.tags); });
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service& service, wire::Context& context,
                                                 const shapes::UntagResourceInput& request) {
  co_await change_tags(service, context, request.resource_arn,
                       [&](Tags& tags) { remove_tags(tags, request.tag_keys); });
  co_return shapes::UntagResourceOutput{};
}

Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service& service, wire::Context& context,
                                                               const shapes::ListTagsForResourceInput& request) {
  const auto snapshot = service.store().snapshot();
  if (parse_consumer_arn(request.resource_arn)) {
    const Consumer consumer = co_await get_consumer(*snapshot, resolve_consumer(context, request.resource_arn));
    co_return shapes::ListTagsForResourceOutput{.tags = describe(consumer.tags)};
  }
  const StreamPtr stream =
      co_await service.streams().get(*snapshot, resolve_stream(context, std::nullopt, request.resource_arn));
  co_return shapes::ListTagsForResourceOutput{.tags = describe(stream->tags)};
}

}  // namespace tidemill::kinesis
