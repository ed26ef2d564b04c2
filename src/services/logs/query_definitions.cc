// Query definitions: queries that are kept under names, as resources (account, region, "logs", "query-definition", id).
#include <algorithm>

#include "base/base64.h"
#include "base/json_members.h"
#include "base/text.h"
#include "base/uuid.h"
#include "services/logs/errors.h"
#include "services/logs/operations.h"
#include "store/resources.h"

namespace tidemill::logs {
namespace {

using base::cat;

constexpr store::ResourceType kDefinitionType{"logs", "query-definition"};
constexpr size_t kDefinitionsMax = 1'000;  // of an account's region
constexpr size_t kDefinitionsByDefault = 1'000;

struct Definition {
  store::ResourceAddress address;
  std::string name;
  std::string query;
  std::vector<std::string> groups;
  std::string client_token;
  base::Time modified;
};

constexpr auto kDefinitionMembers = [](auto& member, auto& definition) {
  member("name", definition.name);
  member("query", definition.query);
  member("groups", definition.groups);
  member.unless_empty("client_token", definition.client_token);
  member("modified_us", definition.modified);
};

std::string key_of(const store::ResourceAddress& address) {
  return store::resource_key(kDefinitionType, address.account, address.region, address.name);
}

Task<std::vector<Definition>> list(store::Snapshot& reader, const wire::Context& context) {
  std::vector<Definition> all;
  const store::Range range = store::resources_range(kDefinitionType, context.account, context.region);
  co_await reader.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    if (auto address = store::resource_of_key(kDefinitionType, key)) {
      all.push_back(
          json::decode("query definition", value, kDefinitionMembers, Definition{.address = *std::move(address)}));
    }
    return true;
  });
  co_return all;
}

wire::Error not_found() {
  return errors::resource_not_found_exception("The specified query definition does not exist.");
}

void check_language(const std::optional<std::string>& language) {
  if (!language || *language == shapes::QueryLanguage::kCwli) return;
  throw errors::invalid_parameter_exception(cat("Tidemill does not support the queryLanguage ", *language));
}

}  // namespace

Task<shapes::PutQueryDefinitionOutput> put_query_definition(Service& service, wire::Context& context,
                                                            const shapes::PutQueryDefinitionInput& request) {
  check_language(request.query_language);
  const bool is_update = request.query_definition_id && !request.query_definition_id->empty();
  const std::string new_id = base::new_uuid();
  const std::string id = co_await service.store().transact([&](store::Transaction& txn) -> Task<std::string> {
    Definition definition{
        .address = {context.account, context.region, is_update ? *request.query_definition_id : new_id},
        .name = request.name,
        .query = request.query_string,
        .groups = request.log_group_names.value_or(std::vector<std::string>{}),
        .client_token = request.client_token.value_or(""),
        .modified = context.now()};
    if (is_update) {
      if (!co_await txn.get(key_of(definition.address))) throw not_found();
    } else {
      const std::vector<Definition> all = co_await list(txn, context);
      const auto same = std::ranges::find_if(all, [&](const Definition& one) {
        return !one.client_token.empty() && one.client_token == definition.client_token;
      });
      if (same != all.end()) co_return same->address.name;
      if (all.size() >= kDefinitionsMax) throw errors::limit_exceeded_exception("Resource limit exceeded.");
    }
    txn.put(key_of(definition.address), json::encode(definition, kDefinitionMembers));
    co_return definition.address.name;
  });
  co_return shapes::PutQueryDefinitionOutput{.query_definition_id = id};
}

Task<shapes::DescribeQueryDefinitionsOutput> describe_query_definitions(
    Service& service, wire::Context& context, const shapes::DescribeQueryDefinitionsInput& request) {
  check_language(request.query_language);
  std::vector<Definition> all = co_await list(*service.store().snapshot(), context);
  std::ranges::sort(all, [](const Definition& a, const Definition& b) {
    return std::tie(a.name, a.address.name) < std::tie(b.name, b.address.name);
  });
  auto from = all.begin();
  if (request.next_token) {
    const auto last = base::base64_decode(*request.next_token);
    from = std::ranges::find_if(all, [&](const Definition& one) { return last && one.address.name == *last; });
    if (from == all.end()) throw invalid_next_token();
    ++from;
  }
  const size_t count_max = request.max_results ? static_cast<size_t>(*request.max_results) : kDefinitionsByDefault;
  shapes::DescribeQueryDefinitionsOutput out;
  auto& found = out.query_definitions.emplace();
  for (; from != all.end(); ++from) {
    if (!from->name.starts_with(request.query_definition_name_prefix.value_or(""))) continue;
    if (found.size() == count_max) {
      out.next_token = base::base64_encode(*found.back().query_definition_id);
      break;
    }
    auto& shown = found.emplace_back();
    shown = {.query_language = std::string(shapes::QueryLanguage::kCwli),
             .query_definition_id = from->address.name,
             .name = from->name,
             .query_string = from->query,
             .last_modified = milliseconds(from->modified)};
    if (!from->groups.empty()) shown.log_group_names = from->groups;
  }
  co_return out;
}

Task<shapes::DeleteQueryDefinitionOutput> delete_query_definition(Service& service, wire::Context& context,
                                                                  const shapes::DeleteQueryDefinitionInput& request) {
  const std::string key = key_of({context.account, context.region, request.query_definition_id});
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await txn.get(key)) throw not_found();
    txn.erase(key);
  });
  co_return shapes::DeleteQueryDefinitionOutput{.success = true};
}

}  // namespace tidemill::logs
