// TagResource and UntagResource.
#include <set>

#include "services/secretsmanager/operations.h"
#include "services/secretsmanager/requests.h"
#include "wire/tags.h"

namespace tidemill::secretsmanager {
namespace {

namespace errors = shapes::errors;

constexpr size_t kTagsMax = 50;

}  // namespace

json::TextMap with_tags(json::TextMap tags, const std::vector<shapes::Tag>& added) {
  std::set<std::string> seen;
  for (const shapes::Tag& tag : added) {
    if (!tag.key) throw errors::invalid_parameter_exception("A tag needs a key.");
    if (!seen.insert(*tag.key).second) {
      throw errors::invalid_parameter_exception(base::cat("The tag key ", *tag.key, " is given twice."));
    }
    if (wire::is_reserved_tag_key(*tag.key)) throw errors::invalid_parameter_exception(wire::kReservedTagKey);
    tags.insert_or_assign(*tag.key, tag.value.value_or(""));
  }
  if (tags.size() > kTagsMax) {
    throw errors::invalid_parameter_exception(base::cat("A secret has at most ", kTagsMax, " tags."));
  }
  return tags;
}

std::vector<shapes::Tag> tag_list(const json::TextMap& tags) {
  return wire::tag_list<shapes::Tag>(tags);
}

Task<shapes::TagResourceOutput> tag_resource(Service& service, wire::Context& context,
                                             const shapes::TagResourceInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Secret secret = co_await load_kept_secret(txn, context, request.secret_id);
    secret.tags = with_tags(std::move(secret.tags), request.tags);
    save_secret(txn, secret);
  });
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service& service, wire::Context& context,
                                                 const shapes::UntagResourceInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Secret secret = co_await load_kept_secret(txn, context, request.secret_id);
    wire::erase_tags(secret.tags, request.tag_keys);
    save_secret(txn, secret);
  });
  co_return shapes::UntagResourceOutput{};
}

}  // namespace tidemill::secretsmanager
