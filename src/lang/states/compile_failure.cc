// Retry and Catch.
#include <algorithm>
#include <limits>

#include "base/text.h"
#include "lang/states/compile.h"

namespace tidemill::lang::states {

namespace {

constexpr std::string_view kRetrier[] = {"ErrorEquals",     "IntervalSeconds", "MaxAttempts", "BackoffRate",
                                         "MaxDelaySeconds", "JitterStrategy",  "Comment"};
constexpr std::string_view kCatcher[] = {"ErrorEquals", "Next", "ResultPath", "Assign", "Output", "Comment"};

// `visit(fields, is_last)` of each element of Retry or Catch.
void for_each(const Fields& fields, std::string_view name, auto&& visit) {
  const json::Array* const all = fields.array(name);
  if (!all) return;
  for (size_t i = 0; i < all->size(); ++i) {
    Place place = fields.place().member(name).element(i);
    place.has_error_output = name == "Catch";
    if (!(*all)[i].is_object()) {
      fields.report().schema("Expected value of type Object", place.location);
      continue;
    }
    visit(Fields((*all)[i].object(), place, fields.report()), i + 1 == all->size());
  }
}

std::vector<std::string> read_errors(const Fields& fields, bool is_last) {
  fields.require({"ErrorEquals"});
  std::vector<std::string> errors;
  const json::Array* const names = fields.array("ErrorEquals");
  if (!names) return errors;
  if (names->empty()) fields.refuse("ErrorEquals", "Value cannot be empty");
  for (size_t i = 0; i < names->size(); ++i) {
    if ((*names)[i].is_string())
      errors.push_back((*names)[i].string());
    else
      fields.report().schema("Expected value of type [STRING]",
                             fields.place().member("ErrorEquals").element(i).location);
  }
  const bool has_all = std::ranges::find(errors, error_name::kAll) != errors.end();
  if (has_all && (errors.size() > 1 || !is_last)) {
    fields.refuse("ErrorEquals", "States.ALL must appear alone and at end of list");
  }
  return errors;
}

}  // namespace

std::vector<Retrier> compile_retriers(const Fields& fields) {
  std::vector<Retrier> retriers;
  for_each(fields, "Retry", [&](const Fields& source, bool is_last) {
    source.allow({kRetrier});
    Retrier retrier{.errors = read_errors(source, is_last)};
    if (const auto seconds = source.integer("IntervalSeconds", 0, kSecondsMax)) {
      retrier.interval_seconds = static_cast<double>(*seconds);
    }
    if (const auto attempts = source.integer("MaxAttempts", 0, kSecondsMax)) retrier.attempts_max = *attempts;
    if (const auto rate = source.number("BackoffRate", 1, std::numeric_limits<double>::max()))
      retrier.backoff_rate = *rate;
    if (const auto seconds = source.integer("MaxDelaySeconds", 1, kMaxDelaySecondsLimit)) {
      retrier.delay_seconds_max = static_cast<double>(*seconds);
      if (*retrier.delay_seconds_max <= retrier.interval_seconds) {
        source.refuse("MaxDelaySeconds", "'MaxDelaySeconds' must be greater than 'IntervalSeconds'");
      }
    }
    const std::string* const jitter = source.one_of("JitterStrategy", {"NONE", "FULL"});
    retrier.has_full_jitter = jitter && *jitter == "FULL";
    retriers.push_back(std::move(retrier));
  });
  return retriers;
}

std::vector<Catcher> compile_catchers(const Fields& fields) {
  std::vector<Catcher> catchers;
  for_each(fields, "Catch", [&](const Fields& source, bool is_last) {
    source.allow({kCatcher});
    Catcher catcher{.errors = read_errors(source, is_last)};
    source.require({"Next"});
    if (const std::string* const next = source.string("Next")) catcher.next = *next;
    const std::string_view other = source.is_jsonata() ? "ResultPath" : "Output";
    if (source.has(other)) {
      source.refuse(base::cat("The QueryLanguage is set to '", source.is_jsonata() ? "JSONata" : "JSONPath",
                              "', but field '", other, "' is only supported for the '",
                              source.is_jsonata() ? "JSONPath" : "JSONata", "' QueryLanguage"));
    } else if (source.is_jsonata()) {
      catcher.output = source.payload("Output");
    } else {
      catcher.result_path = source.path_field("ResultPath", true);
    }
    catcher.assign = source.assign();
    catchers.push_back(std::move(catcher));
  });
  return catchers;
}

}  // namespace tidemill::lang::states
