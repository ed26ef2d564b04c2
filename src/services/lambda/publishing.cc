#include "services/lambda/publishing.h"

#include "base/base64.h"
#include "base/hex.h"
#include "base/text.h"
#include "services/lambda/errors.h"
#include "services/lambda/function_layers.h"
#include "services/lambda/operations.h"
#include "services/lambda/package_store.h"

namespace tidemill::lambda {
namespace {

// Whether `version` is what would be published of `latest` now.
bool is_unchanged(const Function& latest, const Function& version) {
  Function candidate = latest;
  candidate.version = version.version;
  candidate.description = version.description;  // the version's own; $LATEST's is compared with what it was
  candidate.revision = version.revision;
  candidate.process_revision = version.process_revision;
  candidate.last_modified = version.last_modified;
  return latest.description == latest.published_description && encode_function(candidate) == encode_function(version);
}

void check_expectations(const Function& latest, const shapes::PublishVersionInput& request) {
  const std::string sum = base::base64_encode(base::bytes_of_hex(latest.code_digest).value());
  if (request.revision_id && *request.revision_id != latest.revision) {
    throw errors::precondition_failed_exception(
        "The Revision Id provided does not match the latest Revision Id. Call the GetFunction/GetAlias API to retrieve the "
        "latest Revision Id");
  }
  if (request.code_sha256 && !request.code_sha256->empty() && *request.code_sha256 != sum) {
    throw errors::invalid_parameter_value_exception(
        base::cat("CodeSHA256 (", *request.code_sha256, ") is different from current CodeSHA256 in $LATEST (", sum,
                  "). Please try again with the CodeSHA256 in $LATEST."));
  }
}

}  // namespace

Task<Function> publish(store::Transaction& txn, Function& latest, std::optional<std::string> description, base::Time now) {
  if (latest.last_version != 0) {
    auto last = co_await load_function(txn, latest.address, latest.last_version);
    if (last && is_unchanged(latest, *last)) co_return *std::move(last);
  }
  latest.published_description = latest.description;
  Function version = latest;
  version.version = ++latest.last_version;
  if (description && !description->empty()) version.description = *std::move(description);
  if (!co_await refer_to_package(txn, version.code_digest)) {
    throw std::runtime_error(base::cat("the package ", version.code_digest, " is missing"));
  }
  co_await refer_to_layers(txn, version.layers);
  save_function(txn, version, now);
  txn.put(function_key(latest.address), encode_function(latest));
  co_return version;
}

Task<shapes::FunctionConfiguration> publish_version(Service& service, wire::Context& context,
                                                    const shapes::PublishVersionInput& request) {
  const FunctionReference reference = parse_function_name(context, request.function_name);
  if (!reference.is_latest()) throw function_not_found(reference.arn());
  const Function version = co_await service.store().transact([&](store::Transaction& txn) -> Task<Function> {
    auto latest = co_await load_function(txn, reference.address);
    if (!latest) throw function_not_found(reference.address.arn());
    check_expectations(*latest, request);
    co_return co_await publish(txn, *latest, request.description, context.now());
  });
  co_return describe(version, version.version_name());
}

}  // namespace tidemill::lambda
