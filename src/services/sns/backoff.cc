#include "services/sns/backoff.h"

#include <algorithm>

#include "base/hex.h"
#include "base/json.h"
#include "base/json_record.h"
#include "base/ordered.h"
#include "crypto/digest.h"
#include "store/keys.h"
#include "store/timer.h"
#include "wire/timestamp.h"

namespace tidemill::sns {
namespace {

constexpr std::string_view kResetTimer = "sns-backoff-reset";  // its id is the key
constexpr char kBackoffPart = 'b';
// What is longer is known by its beginning and its digest, so that keys stay short.
constexpr size_t kNameBytesMax = 512;
constexpr size_t kNameBytesShown = 256;
// Of a message that goes to a queue as it is: SQS takes no more.
constexpr size_t kAttributesMax = 10;

std::string states_prefix(const Topic& topic) {
  return std::string{static_cast<char>(store::KeySpace::notification), kBackoffPart} + topic.id;
}

std::string bounded(std::string name) {
  if (name.size() <= kNameBytesMax) return name;
  return name.substr(0, kNameBytesShown) + "..." + base::hex_of(crypto::sha256(name));
}

std::string state_key(const Topic& topic, const BackoffKey& key) {
  std::string bytes = states_prefix(topic);
  base::append_string(bytes, key.principal);
  base::append_string(bytes, key.cause);
  return bytes;
}

BackoffKey key_of(const Topic& topic, std::string_view bytes) {
  base::OrderedReader reader(bytes.substr(states_prefix(topic).size()));
  BackoffKey key;
  key.principal = reader.string();
  key.cause = reader.string();
  if (!reader.ok() || !reader.at_end()) throw std::runtime_error("a topic's back-off is damaged");
  return key;
}

std::string encode_state(const BackoffState& state) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "first_us", state.first);
  json::write_member(writer, "last_us", state.last);
  json::write_member(writer, "reports", state.reports);
  json::write_member(writer, "deliveries", state.deliveries);
  json::write_member(writer, "next_us", state.next);
  json::write_member(writer, "resets_us", state.resets);
  json::write_member(writer, "suppressed", state.suppressed);
  json::write_member(writer, "suppressed_first_us", state.suppressed_first);
  json::write_member(writer, "suppressed_last_us", state.suppressed_last);
  if (state.silenced_until) json::write_member(writer, "silenced_until_us", *state.silenced_until);
  writer.end_object();
  return out;
}

BackoffState decode_state(std::string_view bytes) {
  const json::Record record("a topic's back-off", bytes);
  BackoffState state;
  state.first = record.time("first_us");
  state.last = record.time("last_us");
  state.reports = record.integer("reports");
  state.deliveries = record.integer("deliveries");
  state.next = record.time("next_us");
  state.resets = record.time("resets_us");
  state.suppressed = record.integer("suppressed");
  state.suppressed_first = record.time("suppressed_first_us");
  state.suppressed_last = record.time("suppressed_last_us");
  state.silenced_until = record.find_time("silenced_until_us");
  return state;
}

Task<std::optional<BackoffState>> load_state(store::Snapshot& reader, const std::string& key) {
  const auto bytes = co_await reader.get(key);
  if (!bytes) co_return std::nullopt;
  co_return decode_state(*bytes);
}

bool is_silent(const BackoffState& state, base::Time now) {
  return state.silenced_until && *state.silenced_until > now;
}

// From `now` on; what was held back before is still to be told, and what is silenced stays so.
void begin_ladder(BackoffState& state, const BackoffPolicy& policy, base::Time now) {
  state.first = now;
  state.reports = state.deliveries = 0;
  state.next = now + policy.wait_after(0);
  state.resets = now + policy.reset;
}

void hold_back(BackoffState& state, base::Time now) {
  if (state.suppressed++ == 0) state.suppressed_first = now;
  state.suppressed_last = now;
}

void set_attribute(Message& message, std::string_view name, std::string type, std::string value) {
  if (message.attributes.size() >= kAttributesMax) return;
  message.attributes.push_back({std::string(name), std::move(type), std::move(value)});
}

std::string time_text(base::Time time) { return wire::format_timestamp(time, wire::TimestampFormat::date_time); }

// The names are the topic's on such messages, so that they say what is true.
void tell_suppressed(Message& message, const BackoffState& state) {
  std::erase_if(message.attributes, [](const MessageAttribute& attribute) {
    return attribute.name == kSuppressedCount || attribute.name == kSuppressedFirst ||
           attribute.name == kSuppressedLast;
  });
  if (state.suppressed == 0) return;
  set_attribute(message, kSuppressedCount, "Number", std::to_string(state.suppressed));
  set_attribute(message, kSuppressedFirst, "String", time_text(state.suppressed_first));
  set_attribute(message, kSuppressedLast, "String", time_text(state.suppressed_last));
}

std::string attribute_of(const Message& message, std::string_view name) {
  const auto found = std::ranges::find(message.attributes, name, &MessageAttribute::name);
  return found == message.attributes.end() ? "" : found->value;
}

// The text at the path of members; empty: it has none.
std::string text_at(const json::Value& document, std::initializer_list<std::string_view> path) {
  const json::Value* value = &document;
  for (const std::string_view member : path) {
    value = value->is_object() ? value->find(member) : nullptr;
    if (!value) return "";
  }
  return value->is_string() ? value->string() : "";
}

// What Lambda tells of an invocation that failed, and a mapping of a batch (facts 1.8, 3).
BackoffKey key_of_failure(const Message& message) {
  const std::string& text = message.text_for(std::string(kDefaultText));
  if (!text.starts_with('{')) return {};
  const auto document = json::parse(text);
  if (!document) return {};
  BackoffKey key{text_at(*document, {"requestContext", "functionArn"}),
                 text_at(*document, {"responsePayload", "errorType"})};
  if (key.cause.empty()) key.cause = text_at(*document, {"responseContext", "functionError"});
  if (key.cause.empty()) key.cause = text_at(*document, {"requestContext", "condition"});
  return key;
}

Task<void> forget(store::Store& store, base::Clock& clock, const store::Timer& timer) {
  const base::Time now = clock.now();
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    const auto state = co_await load_state(txn, timer.id);
    // What was held back is told by the next message, however late that comes.
    if (!state || state->suppressed > 0) co_return;
    const base::Time until = std::max(state->resets, state->silenced_until.value_or(state->resets));
    if (until <= now)
      txn.erase(timer.id);
    else
      co_await store::set_timer(txn, {std::string(kResetTimer), timer.id, until, ""});
  });
}

}  // namespace

BackoffKey backoff_key(const BackoffPolicy& policy, const Message& message) {
  BackoffKey key{attribute_of(message, policy.principal_attribute), attribute_of(message, policy.cause_attribute)};
  if (key.principal.empty() || key.cause.empty()) {
    BackoffKey failure = key_of_failure(message);
    if (key.principal.empty()) key.principal = std::move(failure.principal);
    if (key.cause.empty()) key.cause = std::move(failure.cause);
  }
  return {bounded(std::move(key.principal)), bounded(std::move(key.cause))};
}

Task<bool> passes_backoff(store::Transaction& txn, const Topic& topic, Message& message, base::Time now) {
  const BackoffPolicy& policy = *topic.backoff;
  const std::string key = state_key(topic, backoff_key(policy, message));
  const auto known = co_await load_state(txn, key);
  BackoffState state = known.value_or(BackoffState{});
  if (!known || now >= state.resets) {
    begin_ladder(state, policy, now);
    co_await store::set_timer(txn, {std::string(kResetTimer), key, state.resets, ""});
  }
  ++state.reports;
  state.last = now;
  const bool passes = now >= state.next && !is_silent(state, now);
  tell_suppressed(message, passes ? state : BackoffState{});
  if (passes) {
    state.suppressed = 0;
    state.next = now + policy.wait_after(++state.deliveries);
  } else {
    hold_back(state, now);
  }
  txn.put(key, encode_state(state));
  co_return passes;
}

Task<std::vector<BackoffEntry>> list_backoff(store::Snapshot& snapshot, const Topic& topic,
                                             std::optional<BackoffKey> after) {
  std::vector<BackoffEntry> found;
  store::Range range = store::Range::prefix(states_prefix(topic));
  if (after) range.begin = state_key(topic, *after) + '\0';
  co_await snapshot.scan(range, store::first(kBackoffStatesMax), [&](std::string_view key, std::string_view value) {
    found.push_back({key_of(topic, key), decode_state(value)});
    return true;
  });
  co_return found;
}

Task<bool> silence_backoff(store::Transaction& txn, const Topic& topic, BackoffKey key, base::Time until) {
  const std::string at = state_key(topic, {bounded(std::move(key.principal)), bounded(std::move(key.cause))});
  auto state = co_await load_state(txn, at);
  if (!state) co_return false;
  state->silenced_until = until;
  txn.put(at, encode_state(*state));
  co_return true;
}

Task<bool> reset_backoff(store::Transaction& txn, const Topic& topic, BackoffKey key) {
  const std::string at = state_key(topic, {bounded(std::move(key.principal)), bounded(std::move(key.cause))});
  if (!co_await txn.get(at)) co_return false;
  txn.erase(at);
  co_return true;
}

void forget_backoff(store::Transaction& txn, const Topic& topic) {
  txn.erase_range(store::Range::prefix(states_prefix(topic)));  // the timers find nothing, each at its time
}

void forget_backoff_by(engine::TimerService& timers, store::Store& store, base::Clock& clock) {
  timers.handle(store::TimerKind{kResetTimer},
                [&store, &clock](const store::Timer& timer) { return forget(store, clock, timer); },
                {.purpose = base::Purpose::housekeeping});
}

}  // namespace tidemill::sns
