#include "services/lambda/function_url.h"

#include <random>

#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "store/resources.h"

namespace tidemill::lambda {
namespace {

namespace json = base::json;

constexpr store::ResourceType kUrls{"lambda", "url"};
constexpr store::ResourceType kIds{"lambda", "url-id"};
constexpr std::string_view kWhat = "function URL";

std::string urls_prefix(const FunctionAddress& address) {
  return store::resource_key(kUrls, address.account, address.region, address.name);
}

std::string url_key(const FunctionReference& reference) {
  std::string key = urls_prefix(reference.address);
  base::append_string(key, reference.qualifier);
  return key;
}

std::string id_key(std::string_view id) { return store::resource_key(kIds, "", "", id); }

constexpr auto kCorsMembers = [](auto& member, auto& cors) {
  member("allow_credentials", cors.allow_credentials);
  member("allow_headers", cors.allow_headers);
  member("allow_methods", cors.allow_methods);
  member("allow_origins", cors.allow_origins);
  member("expose_headers", cors.expose_headers);
  member("max_age", cors.max_age);
};

constexpr auto kUrlMembers = [](auto& member, auto& url) {
  member("id", url.id);
  member("qualifier", url.qualifier);
  member("auth_type", url.auth_type);
  member("invoke_mode", url.invoke_mode);
  member("created_us", url.created);
  member("modified_us", url.modified);
  member.part("cors", kWhat, url.cors, kCorsMembers);
};

// "localhost:4566" of "http://127.0.0.1:4566": what has no name cannot have names below it.
std::string name_of_endpoint(std::string_view endpoint) {
  const size_t scheme = endpoint.find("://");
  if (scheme != std::string_view::npos) endpoint.remove_prefix(scheme + 3);
  const size_t port = endpoint.starts_with('[') ? endpoint.find("]:") + 1 : endpoint.rfind(':');
  const std::string_view host = endpoint.substr(0, port);
  const bool is_address = host.starts_with('[') || host.find_first_not_of("0123456789.") == std::string_view::npos;
  if (!is_address) return std::string(endpoint);
  return "localhost" + std::string(port == std::string_view::npos ? "" : endpoint.substr(port));
}

}  // namespace

std::string new_url_id() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  std::random_device random;
  std::uniform_int_distribution<size_t> any(0, kLetters.size() - 1);
  std::string id;
  for (size_t i = 0; i < kUrlIdSize; ++i) id.push_back(kLetters[any(random)]);
  return id;
}

store::Range function_urls_range(const FunctionAddress& address) { return store::Range::prefix(urls_prefix(address)); }

FunctionUrl decode_function_url(std::string_view bytes) { return json::decode<FunctionUrl>(kWhat, bytes, kUrlMembers); }

Task<std::optional<FunctionUrl>> load_function_url(store::Snapshot& reader, FunctionReference reference) {
  const auto bytes = co_await reader.get(url_key(reference));
  if (!bytes) co_return std::nullopt;
  co_return decode_function_url(*bytes);
}

void save_function_url(store::Transaction& txn, const FunctionReference& reference, const FunctionUrl& url) {
  txn.put(url_key(reference), json::encode(url, kUrlMembers));
  txn.put(id_key(url.id), reference.arn());
}

Task<bool> erase_function_url(store::Transaction& txn, FunctionReference reference) {
  const auto url = co_await load_function_url(txn, reference);
  if (!url) co_return false;
  txn.erase(id_key(url->id));
  txn.erase(url_key(reference));
  co_return true;
}

Task<void> erase_function_urls(store::Transaction& txn, FunctionAddress address) {
  std::vector<std::string> ids;
  const store::Range range = function_urls_range(address);
  co_await txn.scan(range, store::Direction::forward, [&](std::string_view, std::string_view value) {
    ids.push_back(decode_function_url(value).id);
    return true;
  });
  for (const std::string& id : ids) txn.erase(id_key(id));
  txn.erase_range(range);
}

Task<std::optional<FoundUrl>> find_function_url(store::Snapshot& reader, std::string id) {
  const auto arn = co_await reader.get(id_key(id));
  if (!arn) co_return std::nullopt;
  auto reference = parse_function_arn(*arn);
  if (!reference) co_return std::nullopt;
  auto url = co_await load_function_url(reader, *reference);
  if (!url || url->id != id) co_return std::nullopt;
  co_return FoundUrl{*std::move(reference), *std::move(url)};
}

std::string address_of_url(std::string_view endpoint, const FunctionAddress& address, std::string_view id) {
  return base::cat("http://", id, ".lambda-url.", address.region, ".", name_of_endpoint(endpoint), "/");
}

}  // namespace tidemill::lambda
