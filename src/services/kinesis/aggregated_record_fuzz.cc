// Any bytes as an aggregated record: as they are, and as the message of one, so that the digest is no obstacle.
#include <cstdint>
#include <string>

#include "crypto/digest.h"
#include "services/kinesis/aggregated_record.h"

namespace {

void check(std::string_view data) {
  const auto records = tidemill::kinesis::parse_aggregated_record(data);
  if (!records) return;
  if (records->empty()) __builtin_trap();
  for (const auto& record : *records) {
    const bool is_within = record.data.empty() || (record.data.data() >= data.data() &&
                                                   record.data.data() + record.data.size() <= data.data() + data.size());
    if (!is_within || record.partition_key.empty()) __builtin_trap();
    (void)record.hash_key();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  check(message);
  check("\xf3\x89\x9a\xc2" + std::string(message) + tidemill::crypto::md5(message));
  return 0;
}
