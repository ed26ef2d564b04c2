#include "engine/data_keys.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "crypto/sealing.h"
#include "wire/registry.h"
#include "wire/shapes/kms.h"

namespace tidemill::engine {
namespace {

namespace kms = wire::kms;

constexpr std::string_view kAwsAlias = "alias/aws/";

constexpr std::array<std::pair<std::string_view, KeyErrors::Make KeyErrors::*>, 9> kFaults{{
    {"AccessDeniedException", &KeyErrors::access_denied},
    {"DisabledException", &KeyErrors::disabled},
    {"InvalidKeyUsageException", &KeyErrors::invalid_key_usage},
    {"KMSInvalidStateException", &KeyErrors::invalid_state},
    {"KeyUnavailableException", &KeyErrors::invalid_state},
    {"InvalidCiphertextException", &KeyErrors::invalid_state},  // its material is gone
    {"InvalidArnException", &KeyErrors::not_found},
    {"NotFoundException", &KeyErrors::not_found},
    {"ThrottlingException", &KeyErrors::throttled},
}};

bool is_aws_key(std::string_view key_id) {
  return key_id.starts_with(kAwsAlias) || key_id.contains(base::cat(":", kAwsAlias));
}

wire::Context on_behalf(const wire::Context& caller, bool is_aws_key) {
  wire::Context context = caller;
  if (is_aws_key) context.principal = wire::Principal::platform();
  return context;
}

// Who asks: another's rights are another's. Parts cannot run into each other, as each is a string of base/ordered.h.
std::string name_of(const wire::Context& context, std::string_view what, const KeyContext& use) {
  const wire::Principal& principal = context.principal;
  std::string name(1, static_cast<char>(principal.kind()));
  for (const std::string_view part :
       {std::string_view(principal.name()), std::string_view(context.account), std::string_view(context.region), what,
        std::string_view(use.name), std::string_view(use.value)}) {
    base::append_string(name, part);
  }
  if (const wire::Standing* standing = principal.standing()) {
    for (const std::string* part : {&standing->role_arn, &standing->session_name, &standing->service,
                                    &standing->source_arn, &standing->source_account, &standing->taken_by}) {
      base::append_string(name, *part);
    }
  }
  return name;
}

std::optional<std::map<std::string, std::string>> pairs_of(const KeyContext& context) {
  return std::map<std::string, std::string>{{context.name, context.value}};
}

}  // namespace

void append_envelope(std::string& out, const KeyEnvelope& envelope) {
  base::append_string(out, envelope.data_key);
  base::append_string(out, envelope.context.name);
  base::append_string(out, envelope.context.value);
  base::append_u8(out, envelope.is_aws_key ? 1 : 0);
}

KeyEnvelope read_envelope(base::OrderedReader& reader) {
  KeyEnvelope envelope;
  envelope.data_key = reader.string();
  envelope.context.name = reader.string();
  envelope.context.value = reader.string();
  envelope.is_aws_key = reader.u8() != 0;
  return envelope;
}

std::string Sealing::seal(std::string_view plain) const { return crypto::seal(*key, plain, envelope.context.value); }

std::string Sealing::open(std::string_view sealed) const {
  const auto plain = crypto::open_sealed(*key, sealed, envelope.context.value);
  if (!plain) throw std::runtime_error(base::cat("what is kept encrypted for ", envelope.context.value, " is damaged"));
  return std::string(plain->bytes());
}

Task<Sealing> DataKeys::to_seal(const wire::Context& caller, KeyUse use, base::Duration reuse) {
  const bool is_aws = is_aws_key(use.key_id);
  wire::Context context = on_behalf(caller, is_aws);
  std::string name = name_of(context, use.key_id, use.context);
  if (auto kept = find(name, reuse)) co_return *std::move(kept);
  kms::GenerateDataKeyInput request{.key_id = use.key_id};
  request.encryption_context = pairs_of(use.context);
  request.key_spec = kms::DataKeySpec::kAes_256;
  auto made = co_await context.registry().call<kms::ops::GenerateDataKey>(context, request);
  Sealing sealing{std::make_shared<const crypto::Secret>(std::move(made.plaintext).value()),
                  {std::move(made.ciphertext_blob).value(), std::move(use.context), is_aws}};
  keep(std::move(name), sealing);
  co_return sealing;
}

Task<Sealing> DataKeys::to_open(const wire::Context& caller, KeyEnvelope envelope, base::Duration reuse) {
  wire::Context context = on_behalf(caller, envelope.is_aws_key);
  std::string name = name_of(context, envelope.data_key, envelope.context);
  if (auto kept = find(name, reuse)) co_return *std::move(kept);
  kms::DecryptInput request{.ciphertext_blob = envelope.data_key};
  request.encryption_context = pairs_of(envelope.context);
  auto opened = co_await context.registry().call<kms::ops::Decrypt>(context, request);
  Sealing sealing{std::make_shared<const crypto::Secret>(std::move(opened.plaintext).value()), std::move(envelope)};
  keep(std::move(name), sealing);
  co_return sealing;
}

std::optional<Sealing> DataKeys::find(const std::string& name, base::Duration reuse) {
  const base::Time now = clock_.now();
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(name);
  if (found == kept_.end()) return std::nullopt;
  const bool is_fresh = found->second.made <= now && now - found->second.made < reuse;
  if (is_fresh) return found->second.sealing;
  kept_.erase(found);
  return std::nullopt;
}

void DataKeys::keep(std::string name, Sealing sealing) {
  const base::Time now = clock_.now();
  const std::lock_guard lock(mutex_);
  if (kept_.size() >= kKeptMax) kept_.clear();
  kept_.insert_or_assign(std::move(name), Kept{std::move(sealing), now});
}

wire::Error key_refusal(const KeyErrors& errors, const wire::Error& error, const wire::Context& context) {
  for (const auto& [code, make] : kFaults) {
    if (error.code != code) continue;
    return (errors.*make)(base::cat(error.message, " (Service: AWSKMS; Status Code: ", error.http_status,
                                    "; Error Code: ", error.code, "; Request ID: ", context.request_id,
                                    "; Proxy: null)"));
  }
  return error;
}

}  // namespace tidemill::engine
