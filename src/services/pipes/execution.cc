#include "services/pipes/execution.h"

#include <algorithm>

#include "base/executor.h"
#include "base/text.h"
#include "engine/mappings/item_failures.h"
#include "services/pipes/pipe_metrics.h"

namespace tidemill::pipes {
namespace {

using base::cat;
using engine::InvokeOutcome;
using engine::InvokeStatus;

// "", null, {} and []: the enrichment wants nothing to be sent.
bool is_nothing(const json::Value& answer) {
  return answer.is_null() || (answer.is_string() && answer.string().empty()) ||
         (answer.is_object() && answer.object().empty()) || (answer.is_array() && answer.array().empty());
}

std::string too_long() {
  return cat("what the InputTemplate makes of the batch is larger than ", kTransformedBytesMax, " bytes");
}

bool is_one_unknown(const std::vector<std::string>& records) { return std::ranges::find(records, "") != records.end(); }

InvokeOutcome failure(std::string detail) {
  return {.status = InvokeStatus::function_error, .detail = std::move(detail)};
}

}  // namespace

Execution::Execution(wire::Platform& platform, Compute& compute, ActivePipePtr pipe, Turn turn)
    : platform_(platform),
      compute_(compute),
      pipe_(std::move(pipe)),
      turn_(std::move(turn)),
      log_(*pipe_, platform.clock) {}

Task<InvokeOutcome> Execution::run(std::string batch) {
  const Pipe& pipe = pipe_->pipe;
  const base::Time start = platform_.clock.now();
  log_.step(Level::info, "EXECUTION_STARTED", batch);
  records_ = co_await Records::of(pipe, batch);
  events_ = std::move(records_.events());
  measure(platform_, pipe, kInvocations);
  measure(platform_, pipe, kEventCount, static_cast<double>(events_.size()));
  measure(platform_, pipe, kEventSize, static_cast<double>(batch.size()));
  if (!has_enrichment(pipe.settings) || co_await enrich()) co_await send();
  measure_time(platform_, pipe, kDuration, start);
  tell_end();
  co_return std::move(outcome_);
}

void Execution::tell_end() {
  if (outcome_.status == InvokeStatus::throttled) {
    measure(platform_, pipe_->pipe, kThrottled);
    log_.failed("EXECUTION_THROTTLED", outcome_.detail);
  } else if (outcome_.status != InvokeStatus::ok) {
    measure(platform_, pipe_->pipe, kFailed);
    log_.failed("EXECUTION_FAILED", outcome_.detail);
  } else if (!outcome_.payload.empty()) {
    measure(platform_, pipe_->pipe, kPartiallyFailed);
    log_.failed("EXECUTION_PARTIALLY_FAILED", outcome_.detail, outcome_.payload);
  } else {
    log_.step(Level::info, "EXECUTION_SUCCEEDED");
  }
}

// What a function says of its failure is for the pipe's own log, not for the server's.
void Execution::fail(InvokeOutcome outcome, std::string_view step, std::string_view payload) {
  log_.failed(step, outcome.payload.empty() ? outcome.detail : outcome.payload, payload);
  outcome_ = std::move(outcome);
  outcome_.payload.clear();
}

// It is kept for the one function that was throttled, until that is called.
engine::PlaceTurnPtr Execution::take_turn(std::string_view arn) {
  return arn == turn_.function ? std::exchange(turn_.turn, nullptr) : nullptr;
}

void Execution::note_throttling(const std::string& arn, const InvokeOutcome& outcome) {
  if (outcome.status == InvokeStatus::throttled) throttled_ = arn;
}

// ---- what is told of an event -------------------------------------------------------------------------------------

Task<std::optional<std::string>> Execution::text_for(const std::optional<PipeTemplate>& form, const Event& event,
                                                     size_t bytes_max) const {
  if (form) return form->render(event, pipe_->pipe, platform_.clock.now(), bytes_max);
  return Task<std::optional<std::string>>::ready(text_of(event.document));
}

// All events as one JSON array. False: a template made something else, and the execution is over.
Task<bool> Execution::make_array(const std::optional<PipeTemplate>& form, std::string_view stage, std::string& array) {
  if (form) log_.step(Level::trace, cat(stage, "_TRANSFORMATION_STARTED"));
  array = "[";
  for (const Event& event : events_) {
    if (base::slice_is_over(kStepsPerRecord)) co_await base::give_way();
    if (array.size() > 1) array.push_back(',');
    const size_t room = kTransformedBytesMax - std::min(kTransformedBytesMax, array.size());
    const auto text = form ? co_await text_for(form, event, room) : json::write(event.document);
    if (!text) {
      fail(failure(too_long()), cat(stage, "_TRANSFORMATION_FAILED"));
      co_return false;
    }
    if (form && !json::parse(*text)) {
      fail(failure("what the InputTemplate makes is no JSON"), cat(stage, "_TRANSFORMATION_FAILED"), *text);
      co_return false;
    }
    array.append(*text);
  }
  array.push_back(']');
  if (form) log_.step(Level::trace, cat(stage, "_TRANSFORMATION_SUCCEEDED"), array);
  co_return true;
}

// ---- enrichment ---------------------------------------------------------------------------------------------------

Task<bool> Execution::enrich() {
  const std::string arn = pipe_->pipe.settings.enrichment.value_or("");
  const base::Time start = platform_.clock.now();
  log_.step(Level::info, "ENRICHMENT_STAGE_ENTERED");
  const bool is_single = is_api_destination(arn);
  std::string payload;
  if (is_single) {
    auto text = co_await text_for(pipe_->enrichment_template, events_.front(), kTransformedBytesMax);
    if (!text) {
      fail(failure(too_long()), "ENRICHMENT_TRANSFORMATION_FAILED");
      co_return false;
    }
    payload = *std::move(text);
  }
  if (!is_single && !co_await make_array(pipe_->enrichment_template, "ENRICHMENT", payload)) co_return false;
  log_.step(Level::trace, "ENRICHMENT_INVOCATION_STARTED", payload);
  InvokeOutcome outcome = is_single ? co_await call_api_destination(platform_, pipe_->pipe, arn,
                                                                    pipe_->enrichment_http, events_.front(),
                                                                    std::move(payload))
                                    : co_await compute_.call(principal_of(pipe_->pipe), arn, std::move(payload),
                                                             take_turn(arn));
  note_throttling(arn, outcome);
  measure_time(platform_, pipe_->pipe, kEnrichmentDuration, start);
  if (outcome.status != InvokeStatus::ok) {
    measure(platform_, pipe_->pipe, kEnrichmentFailed);
    fail(std::move(outcome), "ENRICHMENT_INVOCATION_FAILED");
    co_return false;
  }
  log_.step(Level::trace, "ENRICHMENT_INVOCATION_SUCCEEDED", outcome.payload);
  const bool goes_on = take_answer(outcome.payload);
  if (outcome_.status == InvokeStatus::ok) log_.step(Level::info, "ENRICHMENT_STAGE_EXITED");
  co_return goes_on;
}

// What the enrichment made of the batch are the events from now on. Whose failure would be whose is told by what they
// carry of their records; of a single record it is clear.
bool Execution::take_answer(const std::string& answer) {
  auto document = json::parse(answer);
  if (answer.empty() || (document && is_nothing(*document))) {
    measure(platform_, pipe_->pipe, kTargetSkipped);
    log_.step(Level::trace, "TARGET_STAGE_SKIPPED");
    return false;
  }
  const std::string sole = events_.size() == 1 ? events_.front().record : "";
  json::Array made;
  if (document && document->is_array()) {
    made = std::move(document->array());
  } else {
    made.push_back(document ? *std::move(document) : json::Value(answer));
  }
  if (made.size() > static_cast<size_t>(pipe_->target.batch_max)) {
    fail(failure(cat("the enrichment answered ", made.size(), " events, the target takes ", pipe_->target.batch_max)),
         "TARGET_INVOCATION_FAILED");
    return false;
  }
  events_.clear();
  for (json::Value& value : made) {
    Event event{.document = std::move(value)};
    event.parsed = event.document;
    event.record = sole.empty() ? records_.record_behind(event.document) : sole;
    events_.push_back(std::move(event));
  }
  return true;
}

// ---- target -------------------------------------------------------------------------------------------------------

Task<void> Execution::send() {
  const base::Time start = platform_.clock.now();
  log_.step(Level::info, "TARGET_STAGE_ENTERED");
  pipe_->target.takes_arrays() ? co_await send_array() : co_await send_each();
  measure_time(platform_, pipe_->pipe, kTargetDuration, start);
  if (outcome_.status != InvokeStatus::ok) {
    measure(platform_, pipe_->pipe, kTargetFailed);
    co_return;
  }
  if (!outcome_.payload.empty()) measure(platform_, pipe_->pipe, kTargetPartiallyFailed);
  log_.step(Level::info, "TARGET_STAGE_EXITED");
}

Task<void> Execution::send_array() {
  const std::string& arn = pipe_->pipe.settings.target;
  std::string payload;
  if (!co_await make_array(pipe_->target_template, "TARGET", payload)) co_return;
  log_.step(Level::trace, "TARGET_INVOCATION_STARTED", payload);
  const bool waits = !is_asynchronous(pipe_->pipe.settings);
  InvokeOutcome outcome = waits ? co_await compute_.call(principal_of(pipe_->pipe), arn, std::move(payload), take_turn(arn))
                                : co_await compute_.start(principal_of(pipe_->pipe), arn, std::move(payload));
  note_throttling(arn, outcome);
  if (outcome.status != InvokeStatus::ok) {
    fail(std::move(outcome), "TARGET_INVOCATION_FAILED");
    co_return;
  }
  if (waits) read_failures(outcome.payload);
  if (outcome_.status != InvokeStatus::ok) co_return;
  log_.step(Level::trace,
            outcome_.payload.empty() ? "TARGET_INVOCATION_SUCCEEDED" : "TARGET_INVOCATION_PARTIALLY_FAILED",
            outcome.payload);
}

// {"batchItemFailures":[{"itemIdentifier":"…"}]}: what else a target answers means that all is well.
void Execution::read_failures(const std::string& answer) {
  const auto document = json::parse(answer);
  if (!document || !document->is_object()) return;
  const auto failures = engine::item_failures(*document);
  std::vector<std::string> records;
  for (const std::string& identifier : failures.value_or(std::vector<std::string>())) {
    records.push_back(records_.record_of(identifier));
  }
  if (!failures || is_one_unknown(records)) {
    fail(failure("the target reported failures of items that were not in the batch"), "TARGET_INVOCATION_FAILED",
         answer);
    return;
  }
  report(records);
}

Task<void> Execution::send_each() {
  std::vector<Outgoing> outgoing;
  if (pipe_->target_template) log_.step(Level::trace, "TARGET_TRANSFORMATION_STARTED");
  size_t room = kTransformedBytesMax;
  for (const Event& event : events_) {
    if (base::slice_is_over(kStepsPerRecord)) co_await base::give_way();
    auto text = co_await text_for(pipe_->target_template, event, room);
    if (!text) {
      fail(failure(too_long()), "TARGET_TRANSFORMATION_FAILED");
      co_return;
    }
    room -= std::min(room, text->size());
    outgoing.push_back({&event, *std::move(text)});
  }
  if (pipe_->target_template) log_.step(Level::trace, "TARGET_TRANSFORMATION_SUCCEEDED");
  log_.step(Level::trace, "TARGET_INVOCATION_STARTED");
  const Sent sent = co_await send_events(platform_, *pipe_, outgoing);
  if (sent.failed.empty()) {
    log_.step(Level::trace, "TARGET_INVOCATION_SUCCEEDED");
    co_return;
  }
  std::vector<std::string> records;
  for (const size_t place : sent.failed) records.push_back(events_[place].record);
  const bool is_whole = sent.failed.size() == events_.size();
  if (is_whole || is_one_unknown(records)) {
    fail({.status = sent.status, .detail = sent.detail}, "TARGET_INVOCATION_FAILED");
    co_return;
  }
  log_.failed("TARGET_INVOCATION_PARTIALLY_FAILED", sent.detail);
  outcome_.detail = sent.detail;
  report(records);
}

// As a function reports to its mapping.
void Execution::report(const std::vector<std::string>& failed_records) {
  if (failed_records.empty()) return;
  json::Array failures;
  for (const std::string& record : failed_records) failures.push_back(json::Object{{"itemIdentifier", record}});
  outcome_.payload = json::write(json::Object{{"batchItemFailures", std::move(failures)}});
}

}  // namespace tidemill::pipes
