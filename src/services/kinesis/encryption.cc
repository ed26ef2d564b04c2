// And StartStreamEncryption and StopStreamEncryption.
#include "services/kinesis/encryption.h"

#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/operations.h"
#include "services/kinesis/quota_window.h"
#include "services/kinesis/stream_changes.h"
#include "wire/registry.h"
#include "wire/shapes/kms.h"

namespace tidemill::kinesis {
namespace {

constexpr std::string_view kContextName = "aws:kinesis:arn";
constexpr size_t kChangesMax = 25;  // of a kind, in 24 hours

constexpr engine::KeyErrors kKeyErrors{.access_denied = errors::kms_access_denied_exception,
                                       .disabled = errors::kms_disabled_exception,
                                       .invalid_key_usage = errors::kms_invalid_state_exception,
                                       .invalid_state = errors::kms_invalid_state_exception,
                                       .not_found = errors::kms_not_found_exception,
                                       .throttled = errors::kms_throttling_exception};

// AWS asks for the key once, so that a stream does not come to one that it cannot use.
Task<void> require_key(Service& service, wire::Context& context, const StreamAddress& address, std::string key_id) {
  try {
    (void)co_await service.data_keys().to_seal(context, {std::move(key_id), {std::string(kContextName), address.arn()}},
                                               kDataKeyReuse);
  } catch (const wire::Error& error) {
    throw engine::key_refusal(kKeyErrors, error, context);
  }
}

void require_kms(const std::string& type) {
  if (type != shapes::EncryptionType::kKms) throw invalid_argument("The encryption type must be KMS.");
}

// The stream as `apply`, (Stream&) -> whether anything changes, leaves it.
template <class Apply>
Task<void> change_encryption(Service& service, const wire::Context& context, StreamAddress address,
                             std::vector<base::Time> Stream::*changes, Apply apply) {
  co_await service.change(address, [&](store::Transaction& txn, Stream& stream) -> Task<void> {
    require_active(stream);
    if (!apply(stream)) co_return;
    if (!take_from_quota(stream.*changes, kChangesMax, context.now())) {
      throw limit_exceeded(base::cat("The encryption of stream ", stream.address.name, " under account ",
                                     stream.address.account, " can be changed ", kChangesMax, " times in 24 hours."));
    }
    co_await begin_change(txn, stream, Status::updating, context.now());
  });
}

}  // namespace

Task<std::optional<engine::Sealing>> sealing_of(Service& service, const wire::Context& producer, const Stream& stream) {
  if (stream.kms_key.empty()) co_return std::nullopt;
  engine::KeyUse use{.key_id = stream.kms_key, .context = {std::string(kContextName), stream.address.arn()}};
  try {
    co_return co_await service.data_keys().to_seal(producer, std::move(use), kDataKeyReuse);
  } catch (const wire::Error& error) {
    throw engine::key_refusal(kKeyErrors, error, producer);
  }
}

std::optional<std::string_view> RecordOpener::open(const DataRecord& record) {
  if (record.envelope.empty()) return record.data;
  const auto found = fetched_.find(record.envelope);
  if (found == fetched_.end()) {
    lacking_ = record.envelope;
    return std::nullopt;
  }
  opened_ = found->second.open(record.data);
  return opened_;
}

Task<void> RecordOpener::fetch() {
  if (!reader_) throw std::logic_error("a record is encrypted, and nobody opens it");
  base::OrderedReader reader(*lacking_);
  engine::KeyEnvelope envelope = engine::read_envelope(reader);
  if (!reader.ok() || !reader.at_end()) throw std::runtime_error("a record of a stream is damaged");
  try {
    engine::Sealing sealing = co_await keys_.to_open(*reader_, std::move(envelope), kDataKeyReuse);
    fetched_.insert_or_assign(*std::exchange(lacking_, std::nullopt), std::move(sealing));
  } catch (const wire::Error& error) {
    throw engine::key_refusal(kKeyErrors, error, *reader_);
  }
}

Task<shapes::StartStreamEncryptionOutput> start_stream_encryption(Service& service, wire::Context& context,
                                                                  const shapes::StartStreamEncryptionInput& request) {
  const StreamAddress address = stream_of(context, request);
  require_kms(request.encryption_type);
  (void)co_await service.find_stream(address);
  co_await require_key(service, context, address, request.key_id);
  co_await change_encryption(service, context, address, &Stream::encryptions, [&](Stream& stream) {
    return std::exchange(stream.kms_key, request.key_id) != request.key_id;
  });
  co_return shapes::StartStreamEncryptionOutput{};
}

Task<shapes::StopStreamEncryptionOutput> stop_stream_encryption(Service& service, wire::Context& context,
                                                                const shapes::StopStreamEncryptionInput& request) {
  const StreamAddress address = stream_of(context, request);
  require_kms(request.encryption_type);
  co_await change_encryption(service, context, address, &Stream::decryptions,
                             [](Stream& stream) { return !std::exchange(stream.kms_key, {}).empty(); });
  co_return shapes::StopStreamEncryptionOutput{};
}

}  // namespace tidemill::kinesis
