#include "services/lambda/function.h"

#include "base/base64.h"
#include "base/hex.h"
#include "base/json_record.h"
#include "base/ordered.h"
#include "base/text.h"
#include "base/uuid.h"
#include "crypto/digest.h"
#include "services/lambda/package_store.h"
#include "store/resources.h"

namespace tidemill::lambda {
namespace {

using base::cat;

constexpr store::ResourceType kFunctions{"lambda", "function"};
constexpr size_t kVersionBytes = sizeof(uint64_t);

// Which interpreter a runtime's name stands for has an ARN of its own on AWS; here it is derived from the name.
std::string runtime_version_arn(const Function& function) {
  return cat("arn:aws:lambda:", function.address.region, "::runtime:", base::hex_of(crypto::sha256(function.runtime)));
}

// What the function as a whole has, and not each version of it.
void write_whole(json::Writer& writer, const Function& function) {
  json::write_member(writer, "tags", function.tags);
  json::write_member(writer, "last_version", static_cast<int64_t>(function.last_version));
  json::write_member(writer, "published_description", function.published_description);
  if (function.reserved_concurrency) {
    json::write_member(writer, "reserved_concurrency", int64_t{*function.reserved_concurrency});
  }
  json::write_member(writer, "allows_recursion", function.allows_recursion);
}

void read_whole(const json::Record& record, Function& function) {
  function.tags = record.map("tags");
  function.last_version = static_cast<uint64_t>(record.find_integer("last_version").value_or(0));
  function.published_description = record.find_text("published_description").value_or("");
  if (const auto reserved = record.find_integer("reserved_concurrency")) {
    function.reserved_concurrency = static_cast<int>(*reserved);
  }
  function.allows_recursion = record.find_boolean("allows_recursion").value_or(false);
}

std::string host_architecture() {
#if defined(__aarch64__)
  return "arm64";
#else
  return "x86_64";
#endif
}

}  // namespace

std::string Function::effective_log_group() const {
  return log_group.empty() ? cat("/aws/lambda/", address.name) : log_group;
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

std::string encode_function(const Function& function) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "runtime", function.runtime);
  json::write_member(writer, "role", function.role);
  json::write_member(writer, "handler", function.handler);
  json::write_member(writer, "description", function.description);
  json::write_member(writer, "timeout_seconds", int64_t{function.timeout_seconds});
  json::write_member(writer, "memory_mb", int64_t{function.memory_mb});
  if (function.environment) json::write_member(writer, "environment", *function.environment);
  json::write_member(writer, "log_group", function.log_group);
  json::write_member(writer, "code_digest", function.code_digest);
  json::write_member(writer, "code_bytes", int64_t{function.code_bytes});
  json::write_member(writer, "revision", function.revision);
  json::write_member(writer, "process_revision", function.process_revision);
  json::write_member(writer, "last_modified_us", function.last_modified);
  json::write_member(writer, "dead_letter_target", function.dead_letter_target);
  if (function.version == 0) write_whole(writer, function);
  writer.end_object();
  return out;
}

Function decode_function(FunctionKey key, std::string_view bytes) {
  const json::Record record("function", bytes);
  Function function;
  function.address = std::move(key.address);
  function.version = key.version;
  function.runtime = record.text("runtime");
  function.role = record.text("role");
  function.handler = record.text("handler");
  function.description = record.text("description");
  function.timeout_seconds = static_cast<int>(record.integer("timeout_seconds"));
  function.memory_mb = static_cast<int>(record.integer("memory_mb"));
  function.environment = record.find_map("environment");
  function.log_group = record.text("log_group");
  function.code_digest = record.text("code_digest");
  function.code_bytes = record.integer("code_bytes");
  function.revision = record.text("revision");
  function.process_revision = record.find_text("process_revision").value_or(function.revision);
  function.last_modified = record.time("last_modified_us");
  function.dead_letter_target = record.find_text("dead_letter_target").value_or("");
  if (function.version == 0) read_whole(record, function);
  return function;
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
  if (function.environment) out.environment.emplace().variables = *function.environment;
  out.tracing_config.emplace().mode = "PassThrough";
  out.revision_id = function.revision;
  out.state = "Active";
  out.last_update_status = "Successful";
  out.package_type = "Zip";
  out.architectures = {host_architecture()};
  out.ephemeral_storage.emplace().size = kEphemeralStorageMb;
  out.snap_start = {"None", "Off"};
  out.runtime_version_config.emplace().runtime_version_arn = runtime_version_arn(function);
  out.logging_config = {"Text", function.effective_log_group()};
  return out;
}

}  // namespace tidemill::lambda
