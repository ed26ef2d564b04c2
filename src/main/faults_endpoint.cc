#include "main/faults_endpoint.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <random>
#include <stdexcept>

#include "base/text.h"
#include "main/own_answer.h"

namespace tidemill {
namespace {

namespace json = base::json;
using base::cat;
using wire::Fault;
using wire::FaultEffect;

constexpr size_t kRequestBytesMax = 16 << 10;
constexpr int kStatusMin = 400;
constexpr int kStatusMax = 599;
constexpr int64_t kSeedMax = int64_t{1} << 53;  // what all JSON readers keep
constexpr std::array<std::string_view, 4> kEffects{"throttle", "fail", "delay", "partial"};  // in FaultEffect's order

class Refused : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

json::Object shown(const wire::ListedFault& listed) {
  const Fault& fault = listed.fault;
  json::Object out{{"id", listed.id}};
  const auto set_text = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) out.set(std::string(name), text);
  };
  set_text("service", fault.service);
  set_text("operation", fault.operation);
  set_text("function", fault.function);
  out.set("effect", std::string(kEffects[static_cast<size_t>(fault.effect)]));
  set_text("error", fault.error);
  if (fault.status != 0) out.set("status", fault.status);
  set_text("message", fault.message);
  if (fault.effect == FaultEffect::delay) out.set("delay", std::chrono::duration<double>(fault.delay).count());
  out.set("probability", fault.probability);
  if (fault.times) out.set("times", *fault.times);
  out.set("seed", fault.seed);
  out.set("seen", listed.seen);
  out.set("struck", listed.struck);
  return out;
}

FaultEffect effect_of(const json::Value& value) {
  const auto found = value.is_string() ? std::ranges::find(kEffects, value.string()) : kEffects.end();
  if (found == kEffects.end()) throw Refused("\"effect\" must be \"throttle\", \"fail\", \"delay\" or \"partial\"");
  return static_cast<FaultEffect>(found - kEffects.begin());
}

std::string text_of(std::string_view name, const json::Value& value) {
  if (!value.is_string() || value.string().empty()) throw Refused(cat("\"", name, "\" must be text"));
  return value.string();
}

// An error's name becomes a header of some answers.
std::string error_of(const json::Value& value) {
  std::string name = text_of("error", value);
  const bool is_name = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
  });
  if (!is_name) throw Refused("\"error\" must be an error's name, like ThrottlingException");
  return name;
}

// Faults know no versions: a qualifier would never be met.
std::string function_of(const json::Value& value) {
  constexpr auto kColonsOfArn = 6;
  std::string name = text_of("function", value);
  const auto colons = std::ranges::count(name, ':');
  if (colons != (name.starts_with("arn:") ? kColonsOfArn : 0)) {
    throw Refused("\"function\" must be a function's name, or its ARN without a qualifier");
  }
  return name;
}

int64_t integer_of(std::string_view name, const json::Value& value, int64_t min, int64_t max) {
  const auto number = value.to_int64();
  if (!number || *number < min || *number > max) {
    throw Refused(cat("\"", name, "\" must be a whole number from ", min, " to ", max));
  }
  return *number;
}

double number_of(std::string_view name, const json::Value& value, double max) {
  const auto number = value.to_double();
  if (!number || !(*number >= 0 && *number <= max)) {
    throw Refused(cat("\"", name, "\" must be a number from 0 to ", static_cast<int64_t>(max)));
  }
  return *number;
}

void take(Fault& fault, std::string_view name, const json::Value& value) {
  if (name == "service") fault.service = text_of(name, value);
  else if (name == "operation") fault.operation = text_of(name, value);
  else if (name == "function") fault.function = function_of(value);
  else if (name == "effect") fault.effect = effect_of(value);
  else if (name == "error") fault.error = error_of(value);
  else if (name == "status") fault.status = static_cast<int>(integer_of(name, value, kStatusMin, kStatusMax));
  else if (name == "message") fault.message = text_of(name, value);
  else if (name == "delay") {
    constexpr double kSecondsMax = std::chrono::duration<double>(wire::kFaultDelayMax).count();
    fault.delay = std::chrono::milliseconds(std::llround(number_of(name, value, kSecondsMax) * 1000));
  } else if (name == "probability") fault.probability = number_of(name, value, 1);
  else if (name == "times") fault.times = static_cast<uint64_t>(integer_of(name, value, 1, INT64_MAX));
  else if (name == "seed") fault.seed = static_cast<uint64_t>(integer_of(name, value, 0, kSeedMax));
  else throw Refused(cat("a fault has no \"", name, "\""));
}

void check_target(const Fault& fault, const wire::Registry& registry) {
  if (!fault.function.empty()) {
    if (!fault.service.empty() || !fault.operation.empty()) throw Refused("\"function\" stands without an operation");
    if (fault.effect == FaultEffect::partial) throw Refused("a function cannot be \"partial\"");
    if (fault.status != 0) throw Refused("\"status\" is an operation's");
    return;
  }
  if (fault.service.empty()) throw Refused("what is it to strike? \"service\" and \"operation\", or \"function\"");
  const auto all = registry.all();
  const bool is_service = std::ranges::any_of(all, [&](const auto* one) { return one->info.service == fault.service; });
  if (!is_service) throw Refused(cat("there is no service ", fault.service));
  if (!fault.operation.empty() && !registry.find(fault.service, fault.operation)) {
    throw Refused(cat("there is no operation ", fault.operation, " of ", fault.service));
  }
  if (fault.effect == FaultEffect::partial && !wire::has_entries(fault.service, fault.operation)) {
    throw Refused(cat("\"partial\" is for operations whose answer says what of a batch was left undone, not for ",
                      fault.service, ".", fault.operation));
  }
}

void check(const Fault& fault, const wire::Registry& registry) {
  check_target(fault, registry);
  const bool fails = fault.effect == FaultEffect::fail;
  if (!fault.error.empty() && !fails && fault.effect != FaultEffect::partial) {
    throw Refused("\"error\" goes with the effects \"fail\" and \"partial\"");
  }
  if (fault.status != 0 && !fails) throw Refused("\"status\" goes with the effect \"fail\"");
  if (!fault.message.empty() && fault.effect == FaultEffect::delay) throw Refused("a delay says no \"message\"");
  if ((fault.delay.count() > 0) != (fault.effect == FaultEffect::delay)) {
    throw Refused("\"delay\", above 0, goes with the effect \"delay\"");
  }
}

Fault fault_of(const json::Value& document, const wire::Registry& registry) {
  Fault fault;
  fault.seed = std::random_device()();
  bool has_effect = false;
  for (const auto& [name, value] : document.object()) {
    take(fault, name, value);
    has_effect |= name == "effect";
  }
  if (!has_effect) throw Refused("\"effect\" must be \"throttle\", \"fail\", \"delay\" or \"partial\"");
  check(fault, registry);
  return fault;
}

Task<net::Response> add(wire::Faults& faults, const wire::Registry& registry, net::Request& request) {
  const auto document = json::parse(co_await request.body->read_all(kRequestBytesMax));
  if (!document || !document->is_object()) throw Refused("the body must be a JSON object");
  Fault fault = fault_of(*document, registry);
  const uint64_t seed = fault.seed;
  const auto id = faults.add(std::move(fault));
  if (!id) throw Refused(cat("there are ", wire::kFaultsMax, " faults already"));
  co_return json_answer(200, {{"id", *id}, {"seed", seed}});
}

net::Response list(const wire::Faults& faults) {
  json::Array all;
  for (const wire::ListedFault& listed : faults.list()) all.push_back(shown(listed));
  return json_answer(200, {{"faults", std::move(all)}});
}

net::Response clear(wire::Faults& faults, const net::Request& request) {
  const auto query = net::parse_query(request.target);
  if (query.empty()) return json_answer(200, {{"cleared", faults.clear()}});
  uint64_t id = 0;
  const std::string& text = query.front().second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (query.size() > 1 || query.front().first != "id" || error != std::errc() || end != text.data() + text.size()) {
    throw Refused("the query has \"id\" only, a number");
  }
  if (!faults.remove(id)) throw Refused(cat("there is no fault ", id));
  return json_answer(200, {{"cleared", 1}});
}

}  // namespace

Task<net::Response> answer_faults(wire::Faults& faults, const wire::Registry& registry, net::Request& request) {
  try {
    if (request.method == "GET") co_return list(faults);
    if (request.method == "POST") co_return co_await add(faults, registry, request);
    if (request.method == "DELETE") co_return clear(faults, request);
  } catch (const Refused& error) {
    co_return refusal(400, error.what());
  }
  co_return wrong_method();
}

}  // namespace tidemill
