// CreateFunctionUrlConfig and its kin: addresses of functions and aliases. What answers there is url_requests.h.
#include <algorithm>

#include "base/text.h"
#include "services/lambda/alias.h"
#include "services/lambda/errors.h"
#include "services/lambda/function_url.h"
#include "services/lambda/operations.h"
#include "services/lambda/paging.h"
#include "wire/validation.h"

namespace tidemill::lambda {
namespace {

using base::cat;

// "((?!^\d+$)^[0-9a-zA-Z-_]+$)": an alias, as versions have no addresses.
void check_qualifier(std::string_view qualifier) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_allowed = [&](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  };
  if (std::ranges::all_of(qualifier, is_allowed) && !std::ranges::all_of(qualifier, is_digit)) return;
  throw wire::validation_error(cat("1 validation error detected: Value '", qualifier,
                                   "' at 'qualifier' failed to satisfy constraint: Member must satisfy regular "
                                   "expression pattern: ((?!^\\d+$)^[0-9a-zA-Z-_]+$)"));
}

template <class Request>
FunctionReference named(const wire::Context& context, const Request& request) {
  if (request.qualifier) check_qualifier(*request.qualifier);
  FunctionReference reference = parse_function_name(context, request.function_name, request.qualifier);
  if (!reference.qualifier.empty()) check_qualifier(reference.qualifier);
  return reference;
}

wire::Error no_url() {
  return errors::resource_not_found_exception("The resource you requested does not exist.");
}

Task<void> require_target(store::Transaction& txn, FunctionReference reference) {
  bool is_there = (co_await load_function(txn, reference.address)).has_value();
  if (is_there && !reference.qualifier.empty()) {
    is_there = (co_await load_alias(txn, reference.address, reference.qualifier)).has_value();
  }
  if (!is_there) throw errors::resource_not_found_exception("Function does not exist");
}

// "2026-11-23T12:00:00.000Z"
std::string shown(base::Time time) { return base::iso_milliseconds(time) + "Z"; }

template <class Out>
void describe_into(const wire::Context& context, const FunctionReference& reference, const FunctionUrl& url, Out& out) {
  out.function_url = address_of_url(context.endpoint, reference.address, url.id);
  out.function_arn = reference.arn();
  out.auth_type = url.auth_type;
  out.cors = url.cors;
  out.creation_time = shown(url.created);
}

shapes::FunctionUrlConfig describe(const wire::Context& context, const FunctionReference& reference,
                                   const FunctionUrl& url) {
  shapes::FunctionUrlConfig out;
  describe_into(context, reference, url, out);
  out.last_modified_time = shown(url.modified);
  out.invoke_mode = url.invoke_mode;
  return out;
}

// Rules without a member are how rules are taken away: none are shown then.
void take_cors(FunctionUrl& url, const std::optional<shapes::Cors>& given) {
  if (!given) return;
  const bool has_any = given->allow_credentials || given->allow_headers || given->allow_methods ||
                       given->allow_origins || given->expose_headers || given->max_age;
  url.cors = has_any ? given : std::nullopt;
}

}  // namespace

Task<shapes::CreateFunctionUrlConfigOutput> create_function_url_config(
    Service& service, wire::Context& context, const shapes::CreateFunctionUrlConfigInput& request) {
  const FunctionReference reference = named(context, request);
  FunctionUrl url;
  url.id = new_url_id();
  url.qualifier = reference.qualifier;
  url.auth_type = request.auth_type;
  take_cors(url, request.cors);
  url.invoke_mode = request.invoke_mode.value_or(std::string(shapes::InvokeMode::kBuffered));
  url.created = url.modified = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    co_await require_target(txn, reference);
    if (co_await load_function_url(txn, reference)) {
      throw errors::resource_conflict_exception(
          cat("Failed to create function url config for [functionArn = ", reference.arn(),
              "]. Error message:  FunctionUrlConfig exists for this Lambda function"));
    }
    save_function_url(txn, reference, url);
  });
  shapes::CreateFunctionUrlConfigOutput out;
  describe_into(context, reference, url, out);
  out.invoke_mode = request.invoke_mode;  // AWS shows it here only if it was given
  co_return out;
}

Task<shapes::FunctionUrlConfig> get_function_url_config(Service& service, wire::Context& context,
                                                        const shapes::GetFunctionUrlConfigInput& request) {
  const FunctionReference reference = named(context, request);
  const auto snapshot = service.store().snapshot();
  const auto url = co_await load_function_url(*snapshot, reference);
  if (!url) throw no_url();
  co_return describe(context, reference, *url);
}

Task<shapes::FunctionUrlConfig> update_function_url_config(Service& service, wire::Context& context,
                                                           const shapes::UpdateFunctionUrlConfigInput& request) {
  const FunctionReference reference = named(context, request);
  const FunctionUrl updated = co_await service.store().transact([&](store::Transaction& txn) -> Task<FunctionUrl> {
    co_await require_target(txn, reference);
    auto url = co_await load_function_url(txn, reference);
    if (!url) throw no_url();
    if (request.auth_type) url->auth_type = *request.auth_type;
    take_cors(*url, request.cors);
    if (request.invoke_mode) url->invoke_mode = *request.invoke_mode;
    url->modified = context.now();
    save_function_url(txn, reference, *url);
    co_return *std::move(url);
  });
  co_return describe(context, reference, updated);
}

Task<shapes::DeleteFunctionUrlConfigOutput> delete_function_url_config(
    Service& service, wire::Context& context, const shapes::DeleteFunctionUrlConfigInput& request) {
  const FunctionReference reference = named(context, request);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await erase_function_url(txn, reference)) throw no_url();
  });
  co_return shapes::DeleteFunctionUrlConfigOutput{};
}

Task<shapes::ListFunctionUrlConfigsOutput> list_function_url_configs(
    Service& service, wire::Context& context, const shapes::ListFunctionUrlConfigsInput& request) {
  const FunctionReference reference = parse_function_name(context, request.function_name);
  shapes::ListFunctionUrlConfigsOutput out;
  const auto take = [&](std::string_view, std::string_view value) {
    const FunctionUrl url = decode_function_url(value);
    out.function_url_configs.push_back(describe(context, {reference.address, url.qualifier}, url));
    return true;
  };
  const auto snapshot = service.store().snapshot();
  if (!co_await load_function(*snapshot, reference.address)) {
    throw errors::resource_not_found_exception("Function does not exist");
  }
  out.next_marker = co_await read_page(*snapshot, function_urls_range(reference.address), request.marker,
                                       request.max_items, take);
  co_return out;
}

}  // namespace tidemill::lambda
