#include "services/sqs/queue_attributes.h"

#include <array>
#include <charconv>

#include "base/boolean_text.h"
#include "base/text.h"
#include "engine/policy_principals.h"
#include "lang/policies/policy.h"
#include "services/sqs/errors.h"

namespace tidemill::sqs {
namespace {

constexpr std::string_view kKmsKey = "KmsMasterKeyId";
constexpr std::string_view kDataKeyReuse = "KmsDataKeyReusePeriodSeconds";  // shown of queues that encrypt with a key
constexpr std::string_view kManagedSse = "SqsManagedSseEnabled";

struct NumberAttribute {
  std::string_view name;
  int min;
  int max;
  std::string_view default_value;
};

constexpr std::array kNumbers{
    NumberAttribute{"DelaySeconds", 0, 900, "0"},
    NumberAttribute{"MaximumMessageSize", 1024, kMessageBytesMax, "1048576"},
    NumberAttribute{"MessageRetentionPeriod", 60, 1'209'600, "345600"},
    NumberAttribute{"ReceiveMessageWaitTimeSeconds", 0, 20, "0"},
    NumberAttribute{"VisibilityTimeout", 0, 43'200, "30"},
    NumberAttribute{kDataKeyReuse, 60, 86'400, "300"},
};

constexpr std::array<std::string_view, 4> kFifoOnly{"FifoQueue", "ContentBasedDeduplication", "DeduplicationScope",
                                                    "FifoThroughputLimit"};
constexpr std::array<std::string_view, 3> kPolicies{"Policy", "RedrivePolicy", "RedriveAllowPolicy"};
constexpr std::array<std::string_view, 6> kReported{"ApproximateNumberOfMessages",
                                                    "ApproximateNumberOfMessagesNotVisible",
                                                    "ApproximateNumberOfMessagesDelayed",
                                                    "CreatedTimestamp",
                                                    "LastModifiedTimestamp",
                                                    "QueueArn"};
constexpr std::string_view kScopeGroup = "messageGroup";
constexpr std::string_view kLimitPerGroup = "perMessageGroupId";

bool is_one_of(std::string_view name, const auto& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const NumberAttribute* number_attribute(std::string_view name) {
  const auto found = std::find_if(kNumbers.begin(), kNumbers.end(), [&](const auto& n) { return n.name == name; });
  return found == kNumbers.end() ? nullptr : &*found;
}

int number_of(std::string_view text, int otherwise) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : otherwise;
}

void check_number(const NumberAttribute& attribute, const std::string& value) {
  const int number = number_of(value, attribute.min - 1);
  if (number < attribute.min || number > attribute.max) throw invalid_attribute(attribute.name);
}

void check_boolean(std::string_view name, const std::string& value) {
  if (value != "true" && value != "false") throw invalid_attribute(name);
}

void check_policy(std::string_view name, const std::string& value) {
  if (name == "RedrivePolicy") {
    (void)parse_redrive_policy(value);
  } else if (name == "RedriveAllowPolicy") {
    (void)parse_redrive_allow_policy(value);
  } else if (!lang::policies::Policy::parse_of_resource(value)) {
    throw invalid_attribute(name);
  }
}

void check_fifo_attribute(const std::string& name, const std::string& value, bool is_fifo) {
  if (!is_fifo) {
    if (name == "FifoQueue" || name == "ContentBasedDeduplication") throw unknown_attribute(name);
    throw errors::invalid_attribute_name(
        base::cat("You can specify the ", name, " only when FifoQueue is set to true."));
  }
  if (name == "FifoQueue" && value != "true") {
    throw errors::invalid_attribute_value(
        "Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported.");
  }
  if (name == "ContentBasedDeduplication") check_boolean(name, value);
  if (name == "DeduplicationScope" && value != kScopeGroup && value != "queue") throw invalid_attribute(name);
  if (name == "FifoThroughputLimit" && value != kLimitPerGroup && value != "perQueue") throw invalid_attribute(name);
}

void check_attribute(const std::string& name, const std::string& value, bool is_fifo) {
  const NumberAttribute* number = number_attribute(name);
  const bool is_fifo_only = is_one_of(name, kFifoOnly);
  const bool is_known = number || is_fifo_only || is_one_of(name, kPolicies) || name == kManagedSse;
  if (name == kKmsKey) return;  // whether there is such a key, the first message tells, as on AWS
  if (!is_known) throw unknown_attribute(name);
  if (is_fifo_only) return check_fifo_attribute(name, value, is_fifo);
  if (value.empty()) return;
  if (number) return check_number(*number, value);
  if (name == kManagedSse) return check_boolean(name, value);
  check_policy(name, value);
}

std::string value_or(const AttributeMap& attributes, const std::string& name, std::string_view otherwise) {
  const auto found = attributes.find(name);
  return std::string(found == attributes.end() ? otherwise : std::string_view(found->second));
}

// One kind ends the other.
void choose_encryption(AttributeMap& attributes, const AttributeMap& changes) {
  const bool wants_key = !value_or(changes, std::string(kKmsKey), "").empty();
  const bool wants_managed = value_or(changes, std::string(kManagedSse), "") == "true";
  if (wants_key && wants_managed) {
    throw errors::invalid_attribute_name(
        "You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.");
  }
  if (wants_managed) {
    attributes.erase(std::string(kKmsKey));
    attributes.erase(std::string(kDataKeyReuse));
  }
  if (changes.contains(std::string(kKmsKey)) && !wants_managed) {
    attributes.insert_or_assign(std::string(kManagedSse), "false");
  }
}

}  // namespace

void check_attributes(const AttributeMap& attributes, bool is_fifo) {
  for (const auto& [name, value] : attributes) check_attribute(name, value, is_fifo);
}

AttributeMap canonical(AttributeMap attributes) {
  for (const char* name : {"FifoQueue", "ContentBasedDeduplication", "SqsManagedSseEnabled"}) {
    const auto found = attributes.find(name);
    if (found != attributes.end()) found->second = base::canonical_boolean(std::move(found->second));
  }
  return attributes;
}

Task<AttributeMap> with_principals(const wire::Context& context, AttributeMap attributes) {
  const auto policy = attributes.find("Policy");
  if (policy == attributes.end()) co_return attributes;
  policy->second = co_await engine::with_ids(context, std::move(policy->second),
                                             [](std::string_view) { return invalid_attribute("Policy"); });
  co_return attributes;
}

AttributeMap with_changes(AttributeMap attributes, const AttributeMap& changes) {
  for (const auto& [name, value] : changes) {
    if (value.empty())
      attributes.erase(name);
    else
      attributes.insert_or_assign(name, value);
  }
  choose_encryption(attributes, changes);
  if (value_or(attributes, "FifoThroughputLimit", "") == kLimitPerGroup &&
      value_or(attributes, "DeduplicationScope", "") != kScopeGroup) {
    throw errors::invalid_attribute_value(
        "The perMessageGroupId value of FifoThroughputLimit is allowed only when the value for DeduplicationScope is "
        "messageGroup.");
  }
  return attributes;
}

QueueSettings settings_of(const AttributeMap& attributes) {
  const auto number = [&](const NumberAttribute& attribute) {
    return number_of(value_or(attributes, std::string(attribute.name), attribute.default_value), attribute.min);
  };
  QueueSettings settings;
  settings.delay = std::chrono::seconds(number(kNumbers[0]));
  settings.message_bytes_max = number(kNumbers[1]);
  settings.retention = std::chrono::seconds(number(kNumbers[2]));
  settings.wait = std::chrono::seconds(number(kNumbers[3]));
  settings.visibility = std::chrono::seconds(number(kNumbers[4]));
  settings.content_based_deduplication = value_or(attributes, "ContentBasedDeduplication", "") == "true";
  settings.kms_key = value_or(attributes, std::string(kKmsKey), "");
  settings.has_managed_key = value_or(attributes, std::string(kManagedSse), "") == "true";
  settings.data_key_reuse = std::chrono::seconds(number(kNumbers[5]));
  settings.deduplicates_by_group = value_or(attributes, "DeduplicationScope", "") == kScopeGroup;
  if (const auto text = value_or(attributes, "RedrivePolicy", ""); !text.empty()) {
    settings.redrive = parse_redrive_policy(text);
  }
  if (const auto text = value_or(attributes, "RedriveAllowPolicy", ""); !text.empty()) {
    settings.redrive_allow = parse_redrive_allow_policy(text);
  }
  return settings;
}

std::optional<std::string> effective_attribute(const Queue& queue, const std::string& name) {
  const auto seconds = [](base::Time time) {
    return std::to_string(std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count());
  };
  if (const auto set = queue.attributes.find(name); set != queue.attributes.end()) return set->second;
  if (name == kDataKeyReuse && queue.settings.kms_key.empty()) return std::nullopt;
  if (const NumberAttribute* number = number_attribute(name)) return std::string(number->default_value);
  if (name == "QueueArn") return queue.address.arn();
  if (name == "CreatedTimestamp") return seconds(queue.created);
  if (name == "LastModifiedTimestamp") return seconds(queue.modified);
  if (name == kManagedSse) return "true";
  if (!queue.is_fifo()) return std::nullopt;
  if (name == "FifoQueue") return "true";
  if (name == "ContentBasedDeduplication") return "false";
  if (name == "DeduplicationScope") return "queue";
  if (name == "FifoThroughputLimit") return "perQueue";
  return std::nullopt;
}

bool is_attribute(const std::string& name) {
  return number_attribute(name) || is_one_of(name, kFifoOnly) || is_one_of(name, kPolicies) ||
         is_one_of(name, kReported) || name == kManagedSse || name == kKmsKey;
}

Task<void> check_redrive_target(store::Transaction& txn, QueueCache& queues, QueueAddress source,
                                const QueueSettings& settings) {
  if (!settings.redrive) co_return;
  const QueueAddress& address = settings.redrive->target;
  const auto refuse = [&](std::string_view reason) {
    return invalid_parameter(base::cat(R"({"deadLetterTargetArn":")", address.arn(), R"(","maxReceiveCount":)",
                                       settings.redrive->receives_max, "}"),
                             "RedrivePolicy", reason);
  };
  if (address.account != source.account || address.region != source.region) {
    throw refuse("Dead letter queue must be of the same account and region.");
  }
  if (address.is_fifo() != source.is_fifo()) {
    throw refuse("Dead-letter queue must be same type of queue as the source.");
  }
  const QueuePtr target = co_await queues.find(txn, address);
  if (!target) throw refuse("Dead letter target does not exist.");
  if (target->settings.redrive_allow && !target->settings.redrive_allow->allows(source)) {
    throw refuse("The queue cannot be used as dead-letter queue: its RedriveAllowPolicy denies it.");
  }
}

}  // namespace tidemill::sqs
