#include "services/lambda/function.h"

#include "base/base64.h"
#include "base/hex.h"
#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "base/uuid.h"
#include "crypto/digest.h"
#include "services/lambda/lenient_settings.h"
#include "services/lambda/package_store.h"
#include "store/resources.h"

namespace tidemill::lambda {
namespace {

using base::cat;

constexpr store::ResourceType kFunctions{"lambda", "function"};
// Of updates, too.
constexpr std::string_view kBeingMade = "The function is being created.";
constexpr std::string_view kBeingMadeCode = "Creating";
constexpr size_t kVersionBytes = sizeof(uint64_t);

constexpr auto kLayerMembers = [](auto& member, auto& layer) {
  member("arn", layer.arn);
  member("digest", layer.digest);
  member("bytes", layer.bytes);
};

// What the function as a whole has, and not each version of it.
constexpr auto kWholeMembers = [](auto& member, auto& function) {
  member("tags", function.tags);
  member.added("last_version", function.last_version);
  member.added("published_description", function.published_description);
  member("reserved_concurrency", function.reserved_concurrency);
  member.added("allows_recursion", function.allows_recursion);
  member.unless_empty("provisioned_concurrency", function.provisioned_concurrency);
};

constexpr auto kFunctionMembers = [](auto& member, auto& function) {
  member("runtime", function.runtime);
  member("role", function.role);
  member("handler", function.handler);
  member("description", function.description);
  member("timeout_seconds", function.timeout_seconds);
  member("memory_mb", function.memory_mb);
  member("environment", function.environment);
  member("log_group", function.log_group);
  if (member.has("application_log_level", function.logging.is_json)) {
    member("application_log_level", function.logging.application_level);
    member("system_log_level", function.logging.system_level);
  }
  member.added("ephemeral_storage_mb", function.ephemeral_storage_mb);
  member.part("lenient", "function", function.lenient, kLenientMembers);
  member("code_digest", function.code_digest);
  member("code_bytes", function.code_bytes);
  member.list_unless_empty("layers", "layer of a function", function.layers, kLayerMembers);
  member.unless_empty("architecture", function.architecture);
  member("revision", function.revision);
  if constexpr (std::decay_t<decltype(member)>::kReads) function.process_revision = function.revision;  // of before
  member.added("process_revision", function.process_revision);
  member("last_modified_us", function.last_modified);
  member.added("dead_letter_target", function.dead_letter_target);
  if (function.version == 0) kWholeMembers(member, function);
};

}  // namespace

std::string_view host_architecture() {
#if defined(__aarch64__)
  return "arm64";
#else
  return "x86_64";
#endif
}

std::string Function::effective_architecture() const {
  return architecture.empty() ? std::string(host_architecture()) : architecture;
}

std::string Function::effective_log_group() const {
  return log_group.empty() ? cat("/aws/lambda/", address.name) : log_group;
}

std::string Function::runtime_version_arn() const {
  return cat("arn:aws:lambda:", address.region, "::runtime:", base::hex_of(crypto::sha256(runtime)));
}

std::string function_key(const FunctionAddress& address) {
  return store::resource_key(kFunctions, address.account, address.region, address.name);
}

std::string version_key(const FunctionAddress& address, uint64_t version) {
  std::string key = function_key(address);
  if (version != 0) base::append_u64(key, version);
  return key;
}

store::Range functions_range(std::string_view account, std::string_view region) {
  return store::resources_range(kFunctions, account, region);
}

store::Range versions_range(const FunctionAddress& address) { return store::Range::prefix(function_key(address)); }

std::optional<FunctionKey> parse_function_key(std::string_view key) {
  FunctionKey result;
  auto found = store::resource_of_key(kFunctions, key);
  if (!found && key.size() > kVersionBytes) {
    base::OrderedReader reader(key.substr(key.size() - kVersionBytes));
    result.version = reader.u64();
    found = store::resource_of_key(kFunctions, key.substr(0, key.size() - kVersionBytes));
  }
  if (!found) return std::nullopt;
  result.address = {std::move(found->account), std::move(found->region), std::move(found->name)};
  return result;
}

std::string encode_function(const Function& function) { return json::encode(function, kFunctionMembers); }

Function decode_function(FunctionKey key, std::string_view bytes) {
  return json::decode("function", bytes, kFunctionMembers,
                      Function{.address = std::move(key.address), .version = key.version});
}

Task<std::optional<Function>> load_function(store::Snapshot& reader, FunctionAddress address, uint64_t version) {
  const auto bytes = co_await reader.get(version_key(address, version));
  if (!bytes) co_return std::nullopt;
  co_return decode_function({std::move(address), version}, *bytes);
}

void save_function(store::Transaction& txn, Function& function, base::Time now) {
  function.process_revision = base::new_uuid();
  function.last_modified = now;
  renew_revision(txn, function);
}

void renew_revision(store::Transaction& txn, Function& function) {
  function.revision = base::new_uuid();
  txn.put(version_key(function.address, function.version), encode_function(function));
}

wire::lambda::FunctionConfiguration describe(const Function& function, std::string_view qualifier) {
  wire::lambda::FunctionConfiguration out;
  out.function_name = function.address.name;
  out.function_arn = FunctionReference{function.address, std::string(qualifier)}.arn();
  out.runtime = function.runtime;
  out.role = function.role;
  out.handler = function.handler;
  out.code_size = function.code_bytes;
  out.description = function.description;
  out.timeout = function.timeout_seconds;
  out.memory_size = function.memory_mb;
  out.last_modified = base::iso_milliseconds(function.last_modified) + "+0000";
  out.code_sha256 = base::base64_encode(base::bytes_of_hex(function.code_digest).value());
  out.version = function.version_name();
  if (!function.dead_letter_target.empty()) out.dead_letter_config.emplace().target_arn = function.dead_letter_target;
  if (function.environment && !function.environment->empty()) {
    out.environment.emplace().variables = *function.environment;
  }
  out.tracing_config.emplace().mode = "PassThrough";
  out.snap_start = {"None", "Off"};
  if (function.lenient) describe_lenient(*function.lenient, function.version, out);
  out.revision_id = function.revision;
  out.state = "Active";
  out.last_update_status = "Successful";
  out.package_type = "Zip";
  if (!function.layers.empty()) {
    auto& layers = out.layers.emplace();
    for (const FunctionLayer& layer : function.layers) layers.push_back({layer.arn, layer.bytes});
  }
  out.architectures = {function.effective_architecture()};
  out.ephemeral_storage.emplace().size = function.ephemeral_storage_mb;
  out.runtime_version_config.emplace().runtime_version_arn = function.runtime_version_arn();
  auto& logging = out.logging_config.emplace();
  logging.log_format = function.logging.is_json ? "JSON" : "Text";
  logging.log_group = function.effective_log_group();
  if (function.logging.is_json) {
    logging.application_log_level = function.logging.application_level;
    logging.system_log_level = function.logging.system_level;
  }
  return out;
}

wire::lambda::FunctionConfiguration describe_pending(const Function& function) {
  wire::lambda::FunctionConfiguration out = describe(function);
  out.revision_id = base::new_uuid();
  out.state = "Pending";
  out.state_reason = kBeingMade;
  out.state_reason_code = kBeingMadeCode;
  out.last_update_status.reset();
  return out;
}

wire::lambda::FunctionConfiguration describe_in_progress(const Function& function, std::string_view qualifier) {
  wire::lambda::FunctionConfiguration out = describe(function, qualifier);
  out.revision_id = base::new_uuid();
  out.last_update_status = "InProgress";
  out.last_update_status_reason = kBeingMade;
  out.last_update_status_reason_code = kBeingMadeCode;
  return out;
}

}  // namespace tidemill::lambda
