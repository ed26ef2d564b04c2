// Times, as milliseconds since 1970 and as text.
#include <chrono>

#include "lang/jsonata/date_picture.h"
#include "lang/jsonata/functions.h"

namespace tidemill::lang::jsonata {

namespace {

double now_millis(const Call& call) {
  const auto since = call.evaluator.world().now.time_since_epoch();
  return static_cast<double>(std::chrono::floor<std::chrono::milliseconds>(since).count());
}

Value format(const Call& call, double millis, size_t picture) {
  const std::string_view zone = call.has(picture + 1) ? call.argument(picture + 1).string() : std::string_view();
  return call.text(format_date(millis, call.has(picture) ? call.argument(picture).string() : kIsoPicture, zone));
}

Value now(const Call& call) { return format(call, now_millis(call), 0); }

Value millis(const Call& call) { return now_millis(call); }

Value from_millis(const Call& call) { return call.has(0) ? format(call, call.argument(0).number, 1) : Value(); }

Value to_millis(const Call& call) {
  if (!call.has(0)) return {};
  if (!call.has(1)) return parse_iso_date(call.argument(0).string());
  const auto millis = parse_date(call.argument(0).string(), call.argument(1).string(), now_millis(call));
  return millis ? Value(*millis) : Value();
}

constexpr Builtin kFunctions[] = {
    {"now", "<s?s?:s>", 2, now},
    {"millis", "<:n>", 0, millis},
    {"fromMillis", "<n-s?s?:s>", 3, from_millis},
    {"toMillis", "<s-s?:n>", 2, to_millis},
};

}  // namespace

std::span<const Builtin> date_functions() { return kFunctions; }

}  // namespace tidemill::lang::jsonata
