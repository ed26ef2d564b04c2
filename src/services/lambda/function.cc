#include "services/lambda/function.h"

#include <openssl/evp.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/lambda/package_store.h"
#include "store/keys.h"
#include "base/uuid.h"

namespace tidemill::lambda {
namespace {

using base::cat;

constexpr std::string_view kService = "lambda";
constexpr std::string_view kType = "function";

std::string range_prefix(std::string_view account, std::string_view region) {
  std::string key(1, static_cast<char>(store::KeySpace::resource));
  base::append_string(key, account);
  base::append_string(key, region);
  base::append_string(key, kService);
  base::append_string(key, kType);
  return key;
}

void write_map(json::Writer& writer, std::string_view name, const std::map<std::string, std::string>& map) {
  writer.key(name);
  writer.begin_object();
  for (const auto& [key, value] : map) {
    writer.key(key);
    writer.string(value);
  }
  writer.end_object();
}

// Reads members of the stored document; a missing one is damage.
class Document {
 public:
  explicit Document(const json::Value& value) : value_(value) {}

  std::string string(std::string_view name) const {
    const json::Value* found = value_.find(name);
    if (!found || !found->is_string()) throw damaged(name);
    return found->string();
  }
  int64_t integer(std::string_view name) const {
    const json::Value* found = value_.find(name);
    const auto number = found ? found->to_int64() : std::nullopt;
    if (!number) throw damaged(name);
    return *number;
  }
  std::optional<std::map<std::string, std::string>> map(std::string_view name) const {
    const json::Value* found = value_.find(name);
    if (!found) return std::nullopt;
    if (!found->is_object()) throw damaged(name);
    std::map<std::string, std::string> result;
    for (const auto& [key, value] : found->object()) {
      if (!value.is_string()) throw damaged(name);
      result.emplace(key, value.string());
    }
    return result;
  }

 private:
  static std::runtime_error damaged(std::string_view name) {
    return std::runtime_error(cat("a stored function is damaged: ", name));
  }
  const json::Value& value_;
};

// Which interpreter a runtime's name stands for has an ARN of its own on AWS; here it is derived from the name.
std::string runtime_version_arn(const Function& function) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(function.runtime.data(), function.runtime.size(), digest, &size, EVP_sha256(), nullptr);
  std::string id;
  for (unsigned int i = 0; i < size; ++i) id += base::hex(digest[i], 2);
  return cat("arn:aws:lambda:", function.address.region, "::runtime:", id);
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
  std::string key = range_prefix(address.account, address.region);
  base::append_string(key, address.name);
  return key;
}

store::Range functions_range(std::string_view account, std::string_view region) {
  return store::Range::prefix(range_prefix(account, region));
}

store::Range all_resources_range() {
  return store::Range::prefix(std::string(1, static_cast<char>(store::KeySpace::resource)));
}

std::optional<FunctionAddress> address_of_key(std::string_view key) {
  base::OrderedReader reader(key.substr(1));
  FunctionAddress address;
  address.account = reader.string();
  address.region = reader.string();
  if (reader.string() != kService || reader.string() != kType) return std::nullopt;
  address.name = reader.string();
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return address;
}

std::string encode_function(const Function& function) {
  std::string out;
  json::Writer writer(out);
  const auto text = [&](std::string_view name, std::string_view value) {
    writer.key(name);
    writer.string(value);
  };
  const auto number = [&](std::string_view name, int64_t value) {
    writer.key(name);
    writer.integer(value);
  };
  writer.begin_object();
  text("runtime", function.runtime);
  text("role", function.role);
  text("handler", function.handler);
  text("description", function.description);
  number("timeout_seconds", function.timeout_seconds);
  number("memory_mb", function.memory_mb);
  if (function.environment) write_map(writer, "environment", *function.environment);
  text("log_group", function.log_group);
  text("code_digest", function.code_digest);
  number("code_bytes", function.code_bytes);
  text("revision", function.revision);
  number("last_modified_us", function.last_modified.time_since_epoch().count());
  write_map(writer, "tags", function.tags);
  writer.end_object();
  return out;
}

Function decode_function(FunctionAddress address, std::string_view bytes) {
  const auto parsed = json::parse(bytes);
  if (!parsed) throw std::runtime_error(cat("a stored function is damaged: ", parsed.error().message));
  const Document document(*parsed);
  Function function;
  function.address = std::move(address);
  function.runtime = document.string("runtime");
  function.role = document.string("role");
  function.handler = document.string("handler");
  function.description = document.string("description");
  function.timeout_seconds = static_cast<int>(document.integer("timeout_seconds"));
  function.memory_mb = static_cast<int>(document.integer("memory_mb"));
  function.environment = document.map("environment");
  function.log_group = document.string("log_group");
  function.code_digest = document.string("code_digest");
  function.code_bytes = document.integer("code_bytes");
  function.revision = document.string("revision");
  function.last_modified = base::Time(base::Duration(document.integer("last_modified_us")));
  function.tags = document.map("tags").value_or(std::map<std::string, std::string>{});
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
