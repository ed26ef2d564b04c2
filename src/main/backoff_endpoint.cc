#include "main/backoff_endpoint.h"

#include <stdexcept>

#include "base/base64.h"
#include "base/ordered.h"
#include "base/text.h"
#include "main/own_answer.h"
#include "services/sns/backoff.h"
#include "wire/timestamp.h"

namespace tidemill {
namespace {

namespace json = base::json;
using base::cat;

constexpr size_t kRequestBytesMax = 16 << 10;
constexpr double kSilenceSecondsMax = 100.0 * 366 * 86'400;

class Refused : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string time_text(base::Time time) { return wire::format_timestamp(time, wire::TimestampFormat::date_time); }

json::Value shown(const sns::BackoffEntry& entry, base::Time now) {
  const sns::BackoffState& state = entry.state;
  json::Object out{{"principal", entry.key.principal}, {"cause", entry.key.cause},
                   {"first", time_text(state.first)},  {"last", time_text(state.last)},
                   {"reports", state.reports},         {"deliveries", state.deliveries},
                   {"next", time_text(state.next)},    {"suppressed", state.suppressed}};
  if (state.silenced_until && *state.silenced_until > now) out.set("silencedUntil", time_text(*state.silenced_until));
  return out;
}

std::string token_of(const sns::BackoffKey& key) {
  std::string bytes;
  base::append_string(bytes, key.principal);
  base::append_string(bytes, key.cause);
  return base::base64_encode(bytes);
}

sns::BackoffKey key_of_token(const std::string& token) {
  const auto bytes = base::base64_decode(token);
  base::OrderedReader reader(bytes ? std::string_view(*bytes) : std::string_view());
  sns::BackoffKey key;
  key.principal = reader.string();
  key.cause = reader.string();
  if (!reader.ok() || !reader.at_end()) throw Refused("\"after\" must be what \"next\" was");
  return key;
}

Task<sns::Topic> backing_off(store::Snapshot& snapshot, const std::string& arn) {
  const auto address = sns::parse_topic_arn(arn);
  if (!address) throw Refused("\"topic\" must be the ARN of a topic");
  auto topic = co_await sns::find_topic(snapshot, *address);
  if (!topic) throw Refused("there is no such topic");
  if (!topic->backoff) throw Refused("the topic does not hold back: it lacks the attribute TidemillBackoff");
  co_return *std::move(topic);
}

Task<net::Response> list(sns::Service& topics, const net::Request& request) {
  std::string arn;
  std::optional<sns::BackoffKey> after;
  for (auto& [name, value] : net::parse_query(request.target)) {
    if (name == "topic")
      arn = std::move(value);
    else if (name == "after")
      after = key_of_token(value);
    else
      throw Refused("the query has \"topic\" and \"after\" only");
  }
  const auto snapshot = topics.store().snapshot();
  const sns::Topic topic = co_await backing_off(*snapshot, arn);
  const auto entries = co_await sns::list_backoff(*snapshot, topic, after);
  json::Array states;
  for (const sns::BackoffEntry& entry : entries) states.push_back(shown(entry, topics.clock().now()));
  json::Object out{{"states", std::move(states)}};
  if (entries.size() == sns::kBackoffStatesMax) out.set("next", token_of(entries.back().key));
  co_return json_answer(200, out);
}

// A kind is known by both, so neither may be left out; either may be empty.
void check_members(const json::Value& document) {
  if (const auto other = other_member(document, {"topic", "principal", "cause", "silence", "reset"})) {
    throw Refused(cat("the body has no \"", *other, "\""));
  }
  std::string missing;
  for (const char* name : {"topic", "principal", "cause"}) {
    if (!document.find(name)) missing += cat(missing.empty() ? "\"" : ", \"", name, "\"");
  }
  if (!missing.empty()) throw Refused(cat("the body lacks ", missing));
}

std::string text_of(const json::Value& document, std::string_view name) {
  const json::Value* found = document.find(name);
  if (!found->is_string()) throw Refused("\"topic\", \"principal\" and \"cause\" must be text");
  return found->string();
}

// For how long; nothing: the kind is to begin anew.
std::optional<base::Duration> silence_of(const json::Value& document) {
  const json::Value* silence = document.find("silence");
  const json::Value* reset = document.find("reset");
  if ((silence == nullptr) == (reset == nullptr)) throw Refused("the body must have \"silence\" or \"reset\"");
  if (!silence) {
    if (!reset->is_boolean() || !reset->boolean()) throw Refused("\"reset\" must be true");
    return std::nullopt;
  }
  const auto seconds = silence->to_double();
  if (!seconds || *seconds < 0 || *seconds > kSilenceSecondsMax)
    throw Refused("\"silence\" must be seconds, up to 100 years");
  return base::Duration(static_cast<int64_t>(*seconds * 1e6));
}

Task<net::Response> change(sns::Service& topics, net::Request& request) {
  const auto document = json::parse(co_await request.body->read_all(kRequestBytesMax));
  if (!document || !document->is_object()) throw Refused("the body must be a JSON object");
  check_members(*document);
  const std::string arn = text_of(*document, "topic");
  const sns::BackoffKey key{text_of(*document, "principal"), text_of(*document, "cause")};
  const auto silence = silence_of(*document);
  const base::Time now = topics.clock().now();
  const bool done = co_await topics.store().transact([&](store::Transaction& txn) -> Task<bool> {
    const sns::Topic topic = co_await backing_off(txn, arn);
    if (!silence) co_return co_await sns::reset_backoff(txn, topic, key);
    co_return co_await sns::silence_backoff(txn, topic, key, now + *silence);
  });
  co_return json_answer(200, {{"done", done}});
}

}  // namespace

Task<net::Response> answer_backoff(sns::Service& topics, net::Request& request) {
  try {
    if (request.method == "GET") co_return co_await list(topics, request);
    if (request.method == "POST") co_return co_await change(topics, request);
  } catch (const Refused& error) {
    co_return refusal(400, error.what());
  }
  co_return wrong_method();
}

}  // namespace tidemill
