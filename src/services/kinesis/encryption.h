// Streams whose records are encrypted with a key of KMS (StartStreamEncryption): the data of each record is sealed with
// a data key on behalf of whoever puts it, and opened on behalf of whoever reads it. A record keeps what opens it, also
// after the stream has changed its key or has none any more. Partition keys are not encrypted, as on AWS.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/data_keys.h"
#include "services/kinesis/data_record.h"
#include "services/kinesis/stream.h"
#include "wire/context.h"

namespace tidemill::kinesis {

class Service;

// How long a data key is used (Developer Guide, "How do I get started with server-side encryption?").
inline constexpr std::chrono::minutes kDataKeyReuse{5};

// What seals new records; nothing: the stream does not encrypt. Throws KMSDisabledException and the like.
Task<std::optional<engine::Sealing>> sealing_of(Service& service, const wire::Context& producer, const Stream& stream);

// Opens records within a visit of a log, which cannot wait for KMS: the visit ends at a record whose key is not there
// yet, and goes on from it once the key has been fetched.
class RecordOpener {
 public:
  // On behalf of `reader`; null: nobody who could open anything. Both outlive this.
  RecordOpener(engine::DataKeys& keys, const wire::Context* reader) : keys_(keys), reader_(reader) {}

  // The record's data, until the next call; nothing: end the visit, and fetch().
  [[nodiscard]] std::optional<std::string_view> open(const DataRecord& record);
  [[nodiscard]] bool lacks_key() const { return lacking_.has_value(); }
  // Throws KMSDisabledException and the like.
  Task<void> fetch();

 private:
  engine::DataKeys& keys_;
  const wire::Context* reader_;
  std::map<std::string, engine::Sealing, std::less<>> fetched_;  // by the records' envelopes
  std::optional<std::string> lacking_;
  std::string opened_;
};

}  // namespace tidemill::kinesis
