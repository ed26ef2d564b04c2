#include "services/dynamodb/table_options.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/expiry.h"
#include "services/dynamodb/stream_retention.h"
#include "wire/tags.h"

namespace tidemill::dynamodb {

namespace shapes = wire::dynamodb;

void set_billing(Table& table, const std::optional<std::string>& billing_mode,
                 const std::optional<shapes::ProvisionedThroughput>& throughput) {
  table.on_demand = billing_mode == shapes::BillingMode::kPayPerRequest;
  if (table.on_demand && throughput) {
    throw invalid_parameters(
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST");
  }
  if (!table.on_demand && !throughput) {
    throw invalid_parameters(
        "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED");
  }
  if (throughput) {
    table.throughput.read_units = throughput->read_capacity_units;
    table.throughput.write_units = throughput->write_capacity_units;
  }
}

void set_on_demand_throughput(Table& table, const shapes::OnDemandThroughput& throughput) {
  constexpr int64_t kUnlimited = -1;
  const auto set = [&](std::optional<int64_t>& current, const std::optional<int64_t>& wanted, const std::string& name) {
    if (!wanted) return;
    if (!table.on_demand) {
      throw invalid_parameters(name +
                               " for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED");
    }
    if (*wanted != kUnlimited && *wanted < 1) {
      throw invalid_parameters("Requested " + name + " for OnDemandThroughput for table is outside of valid range");
    }
    current = *wanted == kUnlimited ? std::nullopt : wanted;
  };
  set(table.read_request_units_max, throughput.max_read_request_units, "MaxReadRequestUnits");
  set(table.write_request_units_max, throughput.max_write_request_units, "MaxWriteRequestUnits");
}

void set_encryption(Table& table, const shapes::SSESpecification& specification, base::Time now) {
  if (!specification.enabled.value_or(false)) {
    if (specification.sse_type) throw invalid_parameters("SSEType can not be specified if Enabled is false");
    if (specification.kms_master_key_id) {
      throw invalid_parameters("KMSMasterKeyId can not be specified if Enabled is false");
    }
    table.encryption.reset();
    return;
  }
  if (specification.sse_type == shapes::SSEType::kAes256) {
    throw invalid_parameters("SSEType AES256 is not supported");
  }
  if (specification.kms_master_key_id && !specification.sse_type) {
    throw invalid_parameters("SSEType KMS is required if KMSMasterKeyId is specified");
  }
  // Nothing is encrypted with this key: what is described is what was asked for (table_key.h).
  const std::string scope = "arn:aws:kms:" + table.address.region + ":" + table.address.account + ":";
  std::string key = specification.kms_master_key_id.value_or("alias/aws/dynamodb");
  if (!key.starts_with("arn:")) key = scope + (key.starts_with("alias/") ? key : "key/" + key);
  table.encryption = Encryption{now, std::move(key)};
}

wire::Error reserved_tag_key(std::string_view key) {
  return validation(base::cat("Tag Key cannot be prefixed with aws:, Key: ", key));
}

void add_tags(Table& table, const std::vector<shapes::Tag>& tags) {
  std::set<std::string_view> keys;
  for (const shapes::Tag& tag : tags) {
    if (!wire::is_tag_text(tag.key)) throw validation("The Tag Key provided is invalid, Key: " + tag.key);
    if (!wire::is_tag_text(tag.value)) throw validation("The Tag Value provided is invalid, Value: " + tag.value);
    if (wire::is_reserved_tag_key(tag.key)) throw reserved_tag_key(tag.key);
    if (!keys.insert(tag.key).second) {
      throw validation("Duplicate Tag Keys provided as input: Duplicate Tag Key found " + tag.key);
    }
    if (tag.key == kExpiryTag && tag.value != kLazyExpiry && tag.value != kPreciseExpiry) {
      throw validation(base::cat("The tag ", kExpiryTag, " must be ", kPreciseExpiry, " or ", kLazyExpiry));
    }
    table.tags[tag.key] = tag.value;
  }
  if (table.tags.size() > kTagsMax) {
    throw validation("Number of Tags exceed the current limit for the provided ResourceArn");
  }
}

std::optional<ViewType> stream_view_type(const shapes::StreamSpecification& specification) {
  if (!specification.stream_enabled) {
    if (specification.stream_view_type) {
      throw invalid_parameters("StreamViewType cannot be specified when StreamEnabled is false");
    }
    return std::nullopt;
  }
  if (!specification.stream_view_type) {
    throw invalid_parameters("StreamViewType must be specified when StreamEnabled is true");
  }
  return view_type_from_name(*specification.stream_view_type);
}

namespace {

uint32_t stream_shards(const Table& table) {
  if (table.on_demand) return kStreamShards;
  const auto partitions = [](int64_t units, int64_t each) { return (units + each - 1) / each; };
  const int64_t wanted = std::max(partitions(table.throughput.read_units, kPartitionReadUnits),
                                  partitions(table.throughput.write_units, kPartitionWriteUnits));
  return static_cast<uint32_t>(std::clamp<int64_t>(wanted, 1, kStreamShards));
}

}  // namespace

Task<void> add_stream(store::Transaction& txn, Table& table, ViewType view_type, base::Time now) {
  base::Time created = now;
  StreamAddress address{table.address, stream_label(created)};
  while (co_await txn.get(stream_key(address))) {
    created += std::chrono::milliseconds(1);
    address.label = stream_label(created);
  }
  const Stream stream = make_stream(std::move(address), table.id, view_type, table.partition, table.sort, stream_shards(table),
                                    created);
  save_stream(txn, stream);
  table.set_stream(stream);
}

}  // namespace tidemill::dynamodb
