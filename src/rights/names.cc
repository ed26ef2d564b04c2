#include "rights/names.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "services/dynamodb/shard_iterator.h"
#include "services/events/address.h"
#include "services/kinesis/shard_iterator.h"
#include "services/kinesis/shards_page.h"
#include "services/lambda/function_name.h"
#include "services/sqs/move_task.h"
#include "services/sqs/queue_address.h"
#include "wire/arn.h"
#include "wire/error.h"

namespace tidemill::rights {

namespace {

using base::cat;
using std::string;
using wire::Context;

constexpr std::string_view kNothing = "*";  // what names nothing that is there
constexpr std::string_view kMachine = "stateMachine:";

std::string_view after_last(std::string_view text, char separator) { return text.substr(text.rfind(separator) + 1); }
std::string_view before_last(std::string_view text, char separator) { return text.substr(0, text.rfind(separator)); }

Named queue(const Context& context, const string& value, const string&) {
  try {
    return {sqs::parse_queue_url(context, value).arn()};
  } catch (const wire::Error&) {
    return {string(kNothing)};
  }
}

Named function(const Context& context, const string& value, const string& qualifier) {
  try {
    const auto given = qualifier.empty() ? std::nullopt : std::optional(qualifier);
    return {lambda::parse_function_name(context, value, given).arn()};
  } catch (const wire::Error&) {
    return {value.starts_with("arn:") ? value : cat("function:", value)};
  }
}

// For what is asked of all its versions and aliases, whichever of them the name goes on to name.
Named whole_function(const Context& context, const string& value, const string&) {
  try {
    return {lambda::parse_function_name(context, value).address.arn()};
  } catch (const wire::Error&) {
    return function(context, value, "");
  }
}

// "/a/b:3" is parameter/a/b, and so is the same version or label behind an ARN.
Named parameter(const Context&, const string& value, const string&) {
  if (auto arn = wire::parse_arn(value)) {
    arn->resource = arn->resource.substr(0, arn->resource.find(':'));
    return {arn->text()};
  }
  std::string_view name = value;
  if (name.starts_with('/')) name.remove_prefix(1);
  return {string(name.substr(0, name.find(':')))};
}

// On a bus by its name or ARN, whose account and region are the rule's.
Named rule(const Context& context, const string& value, const string& bus) {
  const auto given = bus.empty() ? std::nullopt : std::optional(bus);
  return {events::RuleAddress{events::bus_of(context, given), value}.arn()};
}

Named rules_on(const Context& context, const string& bus, const string&) { return rule(context, "*", bus); }

// By a name or an ARN, with or without ":*" at its end, which is not part of what this gives.
string group_of(std::string_view value) {
  if (!value.starts_with("arn:")) return cat("log-group:", value);
  if (value.ends_with(":*")) value.remove_suffix(2);
  return string(value);
}

Named log_group(const Context&, const string& value, const string&) { return {group_of(value) + ":*"}; }

// For tags alone IAM knows a group without ":*" (API reference, LogGroup).
Named tagged_group(const Context&, const string& value, const string&) { return {group_of(value)}; }

Named log_stream(const Context&, const string& value, const string& stream) {
  return {cat(group_of(value), ":log-stream:", stream)};
}

// Of all regions.
Named dashboard(const Context& context, const string& value, const string&) {
  return {cat("arn:aws:cloudwatch::", context.account, ":dashboard/", value)};
}

// Of the table in another region.
Named replica(const Context& context, const string& region, const string& table) {
  const std::string_view name = table.starts_with("arn:") ? after_last(table, '/') : std::string_view(table);
  return {cat("arn:aws:dynamodb:", region, ":", context.account, ":table/", name)};
}

// Of an export's files.
Named folder(const Context&, const string& prefix, const string&) {
  return {prefix.empty() || prefix.ends_with('/') ? prefix : cat(prefix, "/")};
}

Named table_iterator(const Context&, const string& value, const string&) {
  const auto iterator = dynamodb::decode_iterator(value);
  return {iterator ? iterator->stream.arn() : string(kNothing)};
}

Named stream_iterator(const Context& context, const string& value, const string&) {
  const auto iterator = kinesis::decode_iterator(context, value);
  return {iterator ? iterator->stream.arn() : string(kNothing)};
}

// The stream that a page of shards goes on with.
Named shards_page(const Context& context, const string& value, const string&) {
  const auto stream = kinesis::stream_of_page(context, value);
  return {stream ? stream->arn() : string(kNothing)};
}

// Its ARN tells when it was registered.
Named consumer(const Context&, const string& stream, const string& name) {
  return {cat(stream, kinesis::kConsumerPart, name), Lookup::consumer};
}

Named move_task(const Context&, const string& value, const string&) {
  const auto handle = sqs::parse_task_handle(value);
  return {handle ? handle->source.arn() : string(kNothing)};
}

// What a subscription is of.
Named topic_of(const Context&, const string& value, const string&) {
  const auto arn = wire::parse_arn(value);
  return {arn && arn->resource.find(':') != std::string_view::npos ? string(before_last(value, ':')) : value};
}

// A state machine, also of the ARN of one of its versions or aliases: rights are those of the machine.
Named machine(const Context&, const string& value, const string&) {
  auto arn = wire::parse_arn(value);
  if (!arn || !arn->resource.starts_with(kMachine)) return {value};
  arn->resource = arn->resource.substr(0, arn->resource.find(':', kMachine.size()));
  return {arn->text()};
}

// The number of a version, or the name of an alias; nothing: it is the machine itself.
Named qualifier(const Context&, const string& value, const string&) {
  const auto arn = wire::parse_arn(value);
  if (!arn || !arn->resource.starts_with(kMachine)) return {""};
  const size_t colon = arn->resource.find(':', kMachine.size());
  return {colon == string::npos ? string() : string(arn->resource.substr(colon + 1))};
}

Named stack(const Context&, const string& value, const string&) {
  return {value.starts_with("arn:") ? value : cat("stack/", value, "/*")};
}

template <Lookup lookup>
Named of_record(const Context&, const string& value, const string&) {
  return {value, value.starts_with("arn:") ? Lookup::none : lookup};
}

// The stack that something made belongs to.
Named stack_of_resource(const Context&, const string& value, const string&) {
  return {value, Lookup::stack_of_resource};
}

Named change_set(const Context&, const string& value, const string&) {
  return value.starts_with("arn:") ? Named{value, Lookup::change_set} : Named{""};
}

// An ARN may lack the suffix of the secret's own.
Named secret(const Context&, const string& value, const string&) { return {value, Lookup::secret}; }

// The function that it calls stands in its record.
Named mapping(const Context&, const string& value, const string&) { return {value, Lookup::mapping}; }

Named key(const Context&, const string& value, const string&) { return {value, Lookup::key}; }

// The connection that an API destination is to have, or has.
Named destination(const Context&, const string& value, const string& connection) {
  return connection.empty() ? Named{value, Lookup::destination} : Named{connection};
}

}  // namespace

std::optional<Naming> find_naming(std::string_view name) {
  static const std::map<std::string_view, Naming> kNamings{
      {"change_set", &change_set},
      {"consumer", &consumer},
      {"dashboard", &dashboard},
      {"destination", &destination},
      {"folder", &folder},
      {"function", &function},
      {"group", &of_record<Lookup::group>},
      {"instance_profile", &of_record<Lookup::instance_profile>},
      {"key", &key},
      {"log_group", &log_group},
      {"log_stream", &log_stream},
      {"machine", &machine},
      {"mapping", &mapping},
      {"move_task", &move_task},
      {"parameter", &parameter},
      {"qualifier", &qualifier},
      {"queue", &queue},
      {"replica", &replica},
      {"role", &of_record<Lookup::role>},
      {"rule", &rule},
      {"rules_on", &rules_on},
      {"secret", &secret},
      {"shards_page", &shards_page},
      {"stack", &stack},
      {"stack_of_resource", &stack_of_resource},
      {"stream_iterator", &stream_iterator},
      {"table_iterator", &table_iterator},
      {"tagged_group", &tagged_group},
      {"topic_of", &topic_of},
      {"user", &of_record<Lookup::user>},
      {"whole_function", &whole_function},
  };
  const auto found = kNamings.find(name);
  return {found == kNamings.end() ? std::nullopt : std::optional(found->second)};
}

}  // namespace tidemill::rights
