#include "wire/pipeline/answer_sizes.h"

#include <array>

namespace tidemill::wire {

namespace {

constexpr size_t kMegabyte = 1 << 20;

struct Size {
  std::string_view service;
  std::string_view operation;
  size_t bytes;
};

// What AWS allows each of them to give at once.
constexpr std::array kSizes{
    Size{"cloudformation", "GetTemplate", kMegabyte},
    Size{"cloudwatch", "GetMetricData", 4 * kMegabyte},
    Size{"dynamodb", "BatchExecuteStatement", 16 * kMegabyte},
    Size{"dynamodb", "BatchGetItem", 16 * kMegabyte},
    Size{"dynamodb", "ExecuteStatement", kMegabyte},
    Size{"dynamodb", "ExecuteTransaction", 4 * kMegabyte},
    Size{"dynamodb", "Query", kMegabyte},
    Size{"dynamodb", "Scan", kMegabyte},
    Size{"dynamodb", "TransactGetItems", 4 * kMegabyte},
    Size{"dynamodbstreams", "GetRecords", kMegabyte},
    Size{"healthlakefhir", "FhirBundle", 4 * kMegabyte},
    Size{"healthlakefhir", "FhirHistory", 4 * kMegabyte},
    Size{"healthlakefhir", "FhirSearch", 4 * kMegabyte},
    Size{"healthlakefhir", "FhirSearchByPost", 4 * kMegabyte},
    Size{"iam", "GetAccountAuthorizationDetails", 4 * kMegabyte},
    Size{"kinesis", "GetRecords", 10 * kMegabyte},
    Size{"logs", "FilterLogEvents", kMegabyte},
    Size{"logs", "GetLogEvents", kMegabyte},
    Size{"logs", "GetQueryResults", 16 * kMegabyte},
    Size{"s3", "ListMultipartUploads", kMegabyte},
    Size{"s3", "ListObjects", kMegabyte},
    Size{"s3", "ListObjectsV2", kMegabyte},
    Size{"s3", "ListObjectVersions", kMegabyte},
    Size{"secretsmanager", "BatchGetSecretValue", kMegabyte},
    Size{"states", "DescribeStateMachine", kMegabyte},
    Size{"states", "DescribeStateMachineForExecution", kMegabyte},
    Size{"states", "GetExecutionHistory", 8 * kMegabyte},
};

}  // namespace

AnswerSizes::AnswerSizes(const Registry& registry) {
  for (const Size& size : kSizes) {
    const auto* operation = registry.find(size.service, size.operation);
    if (operation) sizes_.emplace(&operation->info, size.bytes);
  }
}

size_t AnswerSizes::listed() { return kSizes.size(); }

Task<void> admit_answer(net::Request& request, size_t bytes) {
  if (bytes == 0 || request.answer_room == nullptr) return Task<void>::ready();
  return request.answer_room->reserve(bytes);
}

bool has_room(net::Request& request, const net::Response& response) {
  if (request.answer_room == nullptr) return true;
  try {
    request.answer_room->hold(response.body.size());
    return true;
  } catch (const net::ServerBusy&) {
    return false;
  }
}

}  // namespace tidemill::wire
