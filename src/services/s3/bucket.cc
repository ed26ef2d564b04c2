#include "services/s3/bucket.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "base/hex.h"
#include "base/json_members.h"
#include "base/text.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/errors.h"
#include "store/resources.h"
#include "wire/credential_scope.h"

namespace tidemill::s3 {
namespace {

constexpr store::ResourceType kType{"s3", "bucket"};
constexpr size_t kNameMin = 3;
constexpr size_t kNameMax = 63;
constexpr std::array<std::string_view, 3> kReservedPrefixes{"xn--", "sthree-", "amzn-s3-demo-"};
constexpr std::array<std::string_view, 5> kReservedSuffixes{"-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3"};

std::string_view name_of(Versioning versioning) {
  switch (versioning) {
    case Versioning::never: return "never";
    case Versioning::enabled: return "enabled";
    case Versioning::suspended: return "suspended";
  }
  return "";
}

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Four numbers with dots between them.
bool looks_like_address(std::string_view name) {
  return std::ranges::count(name, '.') == 3 &&
         std::ranges::all_of(name, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

bool is_valid_name(std::string_view name) {
  if (name.size() < kNameMin || name.size() > kNameMax) return false;
  if (!std::ranges::all_of(name, [](char c) { return is_letter_or_digit(c) || c == '.' || c == '-'; })) return false;
  if (!is_letter_or_digit(name.front()) || !is_letter_or_digit(name.back())) return false;
  if (name.find("..") != std::string_view::npos || looks_like_address(name)) return false;
  return std::ranges::none_of(kReservedPrefixes, [&](auto prefix) { return name.starts_with(prefix); }) &&
         std::ranges::none_of(kReservedSuffixes, [&](auto suffix) { return name.ends_with(suffix); });
}

// What no version has written is taken for `never`.
Versioning versioning_of(std::string_view name) {
  for (const Versioning each : {Versioning::enabled, Versioning::suspended}) {
    if (name == name_of(each)) return each;
  }
  return Versioning::never;
}

constexpr auto kBucketMembers = [](auto& member, auto& bucket) {
  member("name", bucket.name);
  member.bytes("id", bucket.id);
  member.check(bucket.id.size() == kBucketIdSize, "id");
  member("account", bucket.account);
  member("region", bucket.region);
  member("created_us", bucket.created);
  member.as("versioning", bucket.versioning, [](Versioning versioning) { return name_of(versioning); }, versioning_of);
  member("tags", bucket.tags);
  member("settings", bucket.settings);
};

}  // namespace

std::string bucket_key(std::string_view name) { return store::resource_key(kType, "", "", name); }

store::Range buckets_range() { return store::resources_range(kType, "", ""); }

std::string encode_bucket(const Bucket& bucket) { return json::encode(bucket, kBucketMembers); }

Bucket decode_bucket(std::string_view bytes) { return json::decode<Bucket>("bucket", bytes, kBucketMembers); }

void check_bucket_name(std::string_view name) {
  if (is_valid_name(name)) return;
  throw errors::error("InvalidBucketName", 400, "The specified bucket is not valid.", {{"BucketName", std::string(name)}});
}

Task<std::optional<Bucket>> find_bucket(store::Snapshot& reader, std::string name) {
  const auto bytes = co_await reader.get(bucket_key(name));
  if (!bytes) co_return std::nullopt;
  co_return decode_bucket(*bytes);
}

Task<Bucket> require_bucket(store::Snapshot& reader, std::string name, std::optional<std::string> expected_owner) {
  if (expected_owner && !wire::is_account(*expected_owner)) {
    throw errors::error("InvalidBucketOwnerAWSAccountID", 400,
                        base::cat("The value of the expected bucket owner parameter must be an AWS Account ID... [",
                                  *expected_owner, "]"));
  }
  auto bucket = co_await find_bucket(reader, name);
  if (!bucket) throw errors::no_such_bucket(name);
  if (expected_owner && *expected_owner != bucket->account) throw errors::access_denied();
  co_return *std::move(bucket);
}

void save_bucket(store::Transaction& txn, const Bucket& bucket) { txn.put(bucket_key(bucket.name), encode_bucket(bucket)); }

std::string bucket_arn(std::string_view name) { return base::cat("arn:aws:s3:::", name); }

std::string canonical_id(std::string_view account) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(account.data(), account.size(), digest, &size, EVP_sha256(), nullptr);
  return base::hex_of({reinterpret_cast<const char*>(digest), size});
}

}  // namespace tidemill::s3
