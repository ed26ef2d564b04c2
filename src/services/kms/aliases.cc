// CreateAlias, UpdateAlias, DeleteAlias and ListAliases.
#include "services/kms/alias.h"

#include <algorithm>
#include <vector>

#include "services/kms/describing.h"
#include "services/kms/lookup.h"
#include "services/kms/operations.h"

namespace tidemill::kms {
namespace {

using base::cat;
namespace errors = shapes::errors;

constexpr int32_t kPageUsual = 50;

void check_name(const std::string& name) {
  if (!name.starts_with(kAliasStart)) {
    throw errors::validation_exception(
        "Alias must start with the prefix \"alias/\". Please see "
        "https://docs.aws.amazon.com/kms/latest/developerguide/kms-alias.html");
  }
  if (name.size() == kAliasStart.size() || name.find(':') != std::string::npos) {
    throw errors::validation_exception(cat(name, " contains invalid characters for an alias"));
  }
}

// Of those that are changed: not AWS's own.
void check_own_name(const std::string& name) {
  check_name(name);
  if (!name.starts_with(kAwsAliasStart)) return;
  throw errors::not_authorized_exception("Names that begin with alias/aws/ are reserved for AWS's own keys.");
}

Task<void> check_room(store::Transaction& txn, const KeyAddress& key) {
  size_t count = 0;
  co_await txn.scan(aliases_of_key_range(key), store::first(kAliasesOfKeyMax), [&](std::string_view, std::string_view) {
    ++count;
    return true;
  });
  if (count < kAliasesOfKeyMax) co_return;
  throw errors::limit_exceeded_exception(cat("A key has at most ", kAliasesOfKeyMax, " aliases."));
}

Task<Alias> require_alias(store::Snapshot& reader, const wire::Context& context, const std::string& name) {
  auto alias = co_await find_alias(reader, context.account, context.region, name);
  if (!alias) {
    throw errors::not_found_exception(
        cat("Alias ", alias_arn(context.account, context.region, name), " is not found."));
  }
  co_return *std::move(alias);
}

shapes::AliasListEntry describe(const Alias& alias) {
  shapes::AliasListEntry shown;
  shown.alias_name = alias.name;
  shown.alias_arn = alias.arn();
  shown.target_key_id = alias.target;
  shown.creation_date = alias.created;
  shown.last_updated_date = alias.updated;
  return shown;
}

Task<Key> require_target(store::Transaction& txn, const KeyAddress& address, std::string_view operation) {
  Key key = co_await load_key(txn, address);
  require_customers(key, operation);
  require_kept(key);
  co_return key;
}

}  // namespace

Task<shapes::CreateAliasOutput> create_alias(Service& service, wire::Context& context,
                                             const shapes::CreateAliasInput& request) {
  check_own_name(request.alias_name);
  const KeyAddress target = parse_key_id(context, request.target_key_id);
  const base::Time now = context.now();
  const Alias alias{context.account, context.region, request.alias_name, target.id, now, now};
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (co_await find_alias(txn, context.account, context.region, request.alias_name)) {
      throw errors::already_exists_exception(cat("An alias with the name ", alias.arn(), " already exists"));
    }
    (void)co_await require_target(txn, target, "CreateAlias");
    co_await check_room(txn, target);
    save_alias(txn, alias);
  });
  co_return shapes::CreateAliasOutput{};
}

Task<shapes::UpdateAliasOutput> update_alias(Service& service, wire::Context& context,
                                             const shapes::UpdateAliasInput& request) {
  check_own_name(request.alias_name);
  const KeyAddress target = parse_key_id(context, request.target_key_id);
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Alias alias = co_await require_alias(txn, context, request.alias_name);
    const Key key = co_await require_target(txn, target, "UpdateAlias");
    const auto before = co_await find_key(txn, alias.key());
    if (before && before->usage != key.usage) {
      throw errors::validation_exception(
          cat("The alias is of a key for ", before->usage, " and cannot be of one for ", key.usage, "."));
    }
    if (alias.target != target.id) co_await check_room(txn, target);
    erase_alias(txn, alias);
    alias.target = target.id;
    alias.updated = now;
    save_alias(txn, alias);
  });
  co_return shapes::UpdateAliasOutput{};
}

Task<shapes::DeleteAliasOutput> delete_alias(Service& service, wire::Context& context,
                                             const shapes::DeleteAliasInput& request) {
  check_own_name(request.alias_name);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    erase_alias(txn, co_await require_alias(txn, context, request.alias_name));
  });
  co_return shapes::DeleteAliasOutput{};
}

Task<shapes::ListAliasesOutput> list_aliases(Service& service, wire::Context& context,
                                             const shapes::ListAliasesInput& request) {
  const auto snapshot = service.store().snapshot();
  shapes::ListAliasesOutput out;
  out.aliases.emplace();
  if (!request.key_id) {
    co_await list_records(out, *snapshot, aliases_range(context.account, context.region), request, kPageUsual,
                          [&](std::string_view, std::string_view bytes) {
                            out.aliases->push_back(describe(decode_alias(context.account, context.region, bytes)));
                            return true;
                          });
    co_return out;
  }
  const Key key = co_await load_key(*snapshot, parse_key_id(context, *request.key_id));
  std::vector<std::string> names;
  co_await list_records(out, *snapshot, aliases_of_key_range(key.address), request, kPageUsual,
                        [&](std::string_view record, std::string_view) {
                          names.push_back(alias_name_of(key.address, record));
                          return true;
                        });
  for (const std::string& name : names) {
    out.aliases->push_back(describe(co_await require_alias(*snapshot, context, name)));
  }
  co_return out;
}

}  // namespace tidemill::kms
