#include "services/lambda/function.h"

#include "base/base64.h"
#include "base/json_record.h"
#include "base/text.h"
#include "services/lambda/package_store.h"
#include "store/resources.h"
#include "wire/digest.h"
#include "base/uuid.h"

namespace tidemill::lambda {
namespace {

using base::cat;

constexpr store::ResourceType kFunctions{"lambda", "function"};

// Which interpreter a runtime's name stands for has an ARN of its own on AWS; here it is derived from the name.
std::string runtime_version_arn(const Function& function) {
  return cat("arn:aws:lambda:", function.address.region, "::runtime:", wire::hex_of(wire::sha256(function.runtime)));
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

store::Range functions_range(std::string_view account, std::string_view region) {
  return store::resources_range(kFunctions, account, region);
}

std::optional<FunctionAddress> address_of_key(std::string_view key) {
  auto found = store::resource_of_key(kFunctions, key);
  if (!found) return std::nullopt;
  return FunctionAddress{.account = std::move(found->account),
                         .region = std::move(found->region),
                         .name = std::move(found->name)};
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
  json::write_member(writer, "last_modified_us", function.last_modified);
  json::write_member(writer, "tags", function.tags);
  writer.end_object();
  return out;
}

Function decode_function(FunctionAddress address, std::string_view bytes) {
  const json::Record record("function", bytes);
  Function function;
  function.address = std::move(address);
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
  function.last_modified = record.time("last_modified_us");
  function.tags = record.map("tags");
  return function;
}

Task<std::optional<Function>> load_function(store::Snapshot& reader, FunctionAddress address) {
  const auto bytes = co_await reader.get(function_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_function(std::move(address), *bytes);
}

void save_function(store::Transaction& txn, Function& function, base::Time now) {
  function.revision = base::new_uuid();
  function.last_modified = now;
  txn.put(function_key(function.address), encode_function(function));
  txn.signal(kFunctionsTopic);
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
  out.code_sha256 = base::base64_encode(bytes_of_digest(function.code_digest));
  out.version = std::string(kLatest);
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
