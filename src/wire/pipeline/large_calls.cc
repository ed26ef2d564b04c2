#include "wire/pipeline/large_calls.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>
#include <variant>

#include "base/future.h"

namespace tidemill::wire {

namespace {

struct Name {
  std::string_view service;
  std::string_view operation;
};

// What they look through, draw up or tell is not theirs, and comes in pieces that may be large themselves: a stack's record,
// an event with an execution's input, a metric with its dimensions. None is called so often that the way there and back
// would count. (Those that are, such as GetItem, Query and ReceiveMessage, give way between their pieces.)
constexpr Name kLong[] = {
    {"cloudformation", "CreateChangeSet"},
    {"cloudformation", "CreateStack"},
    {"cloudformation", "DescribeChangeSet"},
    {"cloudformation", "DescribeStackEvents"},
    {"cloudformation", "DescribeStackResources"},
    {"cloudformation", "DescribeStacks"},
    {"cloudformation", "GetTemplate"},
    {"cloudformation", "GetTemplateSummary"},
    {"cloudformation", "ListExports"},
    {"cloudformation", "ListStackResources"},
    {"cloudformation", "ListStacks"},
    {"cloudformation", "UpdateStack"},
    {"cloudwatch", "DescribeAlarms"},
    {"cloudwatch", "GetMetricData"},
    {"cloudwatch", "GetMetricStatistics"},
    {"cloudwatch", "ListMetrics"},
    {"healthlakefhir", "FhirHistory"},
    {"healthlakefhir", "FhirSearch"},
    {"healthlakefhir", "FhirSearchByPost"},
    {"iam", "ListPolicies"},
    {"iam", "ListRoles"},
    {"logs", "GetQueryResults"},
    {"s3", "ListMultipartUploads"},
    {"s3", "ListObjectVersions"},
    {"s3", "ListParts"},
    {"secretsmanager", "BatchGetSecretValue"},
    {"states", "DescribeStateMachine"},
    {"states", "DescribeStateMachineForExecution"},
    {"states", "GetExecutionHistory"},
};

using Ending = std::variant<net::Response, std::exception_ptr>;

Task<void> carry_out(Task<net::Response> work, base::Activity::Hold, base::Future<Ending> done,
                     std::atomic<size_t>& under_way) {
  struct Leave {
    std::atomic<size_t>& under_way;
    ~Leave() { --under_way; }
  };
  const Leave leave{under_way};
  std::exception_ptr failure;
  try {
    done.set(co_await std::move(work));
    co_return;
  } catch (...) {
    failure = std::current_exception();
  }
  done.set(std::move(failure));
}

}  // namespace

LargeCalls::LargeCalls(const std::vector<base::Executor*>& executors, base::Activity& activity, const Registry& registry)
    : activity_(activity) {
  for (base::Executor* const executor : executors) places_.push_back(std::make_unique<Place>(*executor));
  for (const Name& name : kLong) {
    if (const auto* operation = registry.find(name.service, name.operation)) long_.push_back(operation);
  }
}

bool LargeCalls::takes(const Call& call) const {
  const OperationInfo& info = call.operation.info;
  if (places_.empty() || info.streaming_input || info.event_stream || info.ends_with_client) return false;
  if (std::ranges::find(long_, &call.operation) != long_.end()) return true;
  return call.form ? call.form->is_large : call.body.size() > kBodyBytes;
}

LargeCalls::Place& LargeCalls::emptiest() const {
  return **std::ranges::min_element(places_, {}, [](const auto& place) { return place->under_way.load(); });
}

Task<net::Response> LargeCalls::run(Task<net::Response> work) {
  base::Future<Ending> done;
  Place& place = emptiest();
  ++place.under_way;
  place.executor.post([&place, work = std::move(work), hold = activity_.hold(), done]() mutable {
    place.scope.spawn(carry_out(std::move(work), std::move(hold), std::move(done), place.under_way));
  });
  Ending ending = co_await done;
  if (ending.index() == 1) std::rethrow_exception(std::get<1>(std::move(ending)));
  co_return std::get<0>(std::move(ending));
}

}  // namespace tidemill::wire
