#include "services/dynamodb/table_key.h"

#include "base/text.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/new_replica.h"
#include "wire/pipeline/authorize.h"
#include "wire/registry.h"
#include "wire/shapes/kms.h"

namespace tidemill::dynamodb {
namespace {

namespace kms = wire::kms;
using base::cat;

constexpr std::string_view kAccessDenied = "AccessDeniedException";

// What the table's key is refused with, where KMS says `error`. Those that its model does not have share a class.
wire::Error refusal(const wire::Error& error, const wire::Context& context) {
  const bool is_denied = error.code == kAccessDenied;
  std::string message =
      cat(is_denied ? "KMS key access denied error" : "KMS validation error", ": com.amazonaws.services.kms.model.",
          is_denied ? std::string_view("AWSKMSException") : std::string_view(error.code), ": ", error.message,
          " (Service: AWSKMS; Status Code: 400; Error Code: ", error.code, "; Request ID: ", context.request_id,
          "; Proxy: null)");
  return is_denied ? wire::Error(error.code, 400, std::move(message)) : validation(std::move(message));
}

bool is_of_the_key(const wire::Error& error) {
  return error.code == kAccessDenied || error.code == "NotFoundException" || error.code == "InvalidArnException" ||
         error.code == "DisabledException" || error.code == "KMSInvalidStateException" ||
         error.code == "InvalidKeyUsageException";
}

// As KMS refuses to make a grant.
void require_usable(const kms::KeyMetadata& key) {
  const std::string& arn = key.arn.value();
  if (key.deletion_date) throw kms::errors::kms_invalid_state_exception(cat(arn, " is pending deletion."));
  if (!key.enabled.value_or(false)) throw kms::errors::disabled_exception(cat(arn, " is disabled."));
  if (key.key_usage == kms::KeyUsage::kEncryptDecrypt) return;
  throw kms::errors::invalid_key_usage_exception(
      cat(arn, " key usage is ", key.key_usage.value(), " which is not valid for CreateGrant."));
}

}  // namespace

Task<void> settle_key(const wire::Context& caller, Table& table) {
  if (!has_customers_key(table)) co_return;
  wire::Context context = caller;
  context.account = table.address.account;
  context.region = table.address.region;
  try {
    const kms::DescribeKeyInput request{.key_id = table.encryption->kms_key_arn};
    const auto described = co_await context.registry().call<kms::ops::DescribeKey>(context, request);
    const kms::KeyMetadata& key = described.key_metadata.value();
    co_await wire::authorize_deed(context, {"kms:CreateGrant", *key.arn, {{"kms:GrantIsForAWSResource", "true"}}});
    require_usable(key);
    table.encryption->kms_key_arn = *key.arn;
  } catch (const wire::Error& error) {
    if (!is_of_the_key(error)) throw;
    throw refusal(error, caller);
  }
}

}  // namespace tidemill::dynamodb
