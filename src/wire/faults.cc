#include "wire/faults.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/executor.h"
#include "base/future.h"
#include "base/text.h"
#include "wire/registry.h"

namespace tidemill::wire {

namespace {

using base::cat;

constexpr int kBadRequest = 400;
constexpr int kTooManyRequests = 429;
constexpr int kInternal = 500;
constexpr int kUnavailable = 503;

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kOperationsWithEntries{{
    {"dynamodb", "BatchGetItem"},
    {"dynamodb", "BatchWriteItem"},
    {"events", "PutEvents"},
    {"kinesis", "PutRecords"},
    {"sns", "PublishBatch"},
    {"sqs", "ChangeMessageVisibilityBatch"},
    {"sqs", "DeleteMessageBatch"},
    {"sqs", "SendMessageBatch"},
}};

// AWS's errors tell by their names whose fault they are.
int status_of(std::string_view error) {
  const auto has = [&](std::string_view part) { return error.find(part) != std::string_view::npos; };
  if (has("Unavailable") || error == "SlowDown") return kUnavailable;
  if (has("Internal") || has("ServerError") || error == "ServiceException") return kInternal;
  if (error == "TooManyRequestsException") return kTooManyRequests;
  return kBadRequest;
}

std::string message_of(const Fault& fault, std::string_view whom) {
  return fault.message.empty() ? cat(whom, " met a fault that was asked for (tidemill faults)") : fault.message;
}

Error error_of(const Fault& fault, const OperationInfo& operation) {
  const std::string code = fault.error.empty() ? std::string(operation.internal_error) : fault.error;
  const int status = fault.status != 0 ? fault.status : fault.error.empty() ? kInternal : status_of(code);
  return {code, status, message_of(fault, operation.name)};
}

Task<void> pass_real_time(std::chrono::milliseconds time) {
  const base::Future<bool> over;
  const base::Alarm alarm = base::Executor::current().call_after(time, [over] { over.set(true); });
  co_await over;
}

bool concerns_function(const Fault& fault, std::string_view name, std::string_view arn) {
  return !fault.function.empty() && (fault.function == name || fault.function == arn);
}

bool concerns_operation(const Fault& fault, std::string_view service, std::string_view operation) {
  return fault.function.empty() && fault.service == service &&
         (fault.operation.empty() || fault.operation == operation);
}

}  // namespace

bool has_entries(std::string_view service, std::string_view operation) {
  return std::ranges::find(kOperationsWithEntries, std::pair(service, operation)) != kOperationsWithEntries.end();
}

// Whoever judges calls stands in one place of the platform; where faults may be asked for, these stand in front of it.
Faults* Faults::of(const Context& context) { return dynamic_cast<Faults*>(context.platform().authorizer); }

bool Faults::Entry::is_spent() const { return listed.fault.times && listed.struck >= *listed.fault.times; }

bool Faults::Entry::strikes() {
  constexpr double kSteps = static_cast<double>(uint64_t{1} << 53);
  ++listed.seen;
  const bool struck = static_cast<double>(random() >> 11) / kSteps < listed.fault.probability;
  if (struck) ++listed.struck;
  return struck;
}

template <class Concerns>
std::vector<Fault> Faults::draw(Concerns concerns) {
  std::vector<Fault> result;
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.is_spent() || !concerns(entry.listed.fault)) continue;
    if (entry.strikes()) result.push_back(entry.listed.fault);
  }
  if (!result.empty()) count_left();
  return result;
}

void Faults::count_left() {
  left_ = static_cast<size_t>(std::ranges::count_if(entries_, [](const Entry& entry) { return !entry.is_spent(); }));
}

std::optional<uint64_t> Faults::add(Fault fault) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() >= kFaultsMax) return std::nullopt;
  const uint64_t seed = fault.seed;
  entries_.push_back({{.id = ++last_id_, .fault = std::move(fault)}, std::mt19937_64(seed)});
  count_left();
  return last_id_;
}

std::vector<ListedFault> Faults::list() const {
  std::vector<ListedFault> result;
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) result.push_back(entry.listed);
  return result;
}

bool Faults::remove(uint64_t id) {
  const std::lock_guard lock(mutex_);
  const bool found = std::erase_if(entries_, [id](const Entry& entry) { return entry.listed.id == id; }) > 0;
  count_left();
  return found;
}

size_t Faults::clear() {
  const std::lock_guard lock(mutex_);
  const size_t count = entries_.size();
  entries_.clear();
  count_left();
  return count;
}

Task<void> Faults::authorize(const Access& access) {
  if (any()) return disturb(access);
  return next_ ? next_->authorize(access) : Task<void>::ready();
}

Task<void> Faults::disturb(Access access) {
  if (next_) co_await next_->authorize(access);
  const OperationInfo& operation = access.operation;
  const std::vector<Fault> struck = draw([&](const Fault& fault) {
    return fault.effect != FaultEffect::partial && concerns_operation(fault, operation.service, operation.name);
  });
  for (const Fault& fault : struck) {
    if (fault.effect == FaultEffect::delay) co_await pass_real_time(fault.delay);
  }
  for (const Fault& fault : struck) {
    if (fault.effect == FaultEffect::throttle) throw ThrottledByFault(message_of(fault, operation.name));
    if (fault.effect == FaultEffect::fail) throw error_of(fault, operation);
  }
}

Task<std::optional<Faults::Blow>> Faults::before_function(std::string name, std::string arn) {
  const std::vector<Fault> struck = draw([&](const Fault& fault) { return concerns_function(fault, name, arn); });
  for (const Fault& fault : struck) {
    if (fault.effect == FaultEffect::delay) co_await pass_real_time(fault.delay);
  }
  for (const Fault& fault : struck) {
    if (fault.effect == FaultEffect::delay) continue;
    co_return Blow{fault.effect, fault.error.empty() ? "TidemillFault" : fault.error, message_of(fault, name)};
  }
  co_return std::nullopt;
}

bool Faults::may_throttle(std::string_view name, std::string_view arn) const {
  if (!any()) return false;
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    const Fault& fault = entry.listed.fault;
    return fault.effect == FaultEffect::throttle && !entry.is_spent() && concerns_function(fault, name, arn);
  });
}

EntryFaults::EntryFaults(const Context& context, std::string_view service, std::string_view operation)
    : faults_(Faults::of(context)), service_(service), operation_(operation) {
  if (!faults_ || !faults_->any()) {
    faults_ = nullptr;
    return;
  }
  const std::lock_guard lock(faults_->mutex_);
  const bool concerned = std::ranges::any_of(faults_->entries_, [&](const Faults::Entry& entry) {
    const Fault& fault = entry.listed.fault;
    return fault.effect == FaultEffect::partial && concerns_operation(fault, service, operation);
  });
  if (!concerned) faults_ = nullptr;
}

std::optional<EntryFaults::Failure> EntryFaults::next(std::string_view code) {
  if (!faults_) return std::nullopt;
  const std::vector<Fault> struck = faults_->draw([&](const Fault& fault) {
    return fault.effect == FaultEffect::partial && concerns_operation(fault, service_, operation_);
  });
  if (struck.empty()) return std::nullopt;
  const Fault& fault = struck.front();
  return Failure{fault.error.empty() ? std::string(code) : fault.error, message_of(fault, operation_)};
}

}  // namespace tidemill::wire
