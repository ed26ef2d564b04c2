// What a request costs between its bytes and its handler, and an answer on its way back, without a server: nanoseconds
// of CPU to read and check, and to write, for the operations that are called most.
//
//   shapes_bench [rounds]
//
// Prints "operation read write", each the best of all rounds.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/base64.h"
#include "lang/dynamodb/json_codec.h"
#include "wire/shapes/dynamodb.h"
#include "wire/shapes/kinesis.h"
#include "wire/shapes/lambda.h"
#include "wire/shapes/sqs.h"

namespace {

using namespace tidemill;

constexpr int kCallsPerRound = 2000;

double cpu_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// The best of `rounds`, of one call.
template <class Call>
double best_of(int rounds, int calls, Call call) {
  double best = std::numeric_limits<double>::max();
  for (int round = 0; round < rounds; ++round) {
    const double begin = cpu_nanoseconds();
    for (int i = 0; i < calls; ++i) call();
    best = std::min(best, (cpu_nanoseconds() - begin) / calls);
  }
  return best;
}

template <class Op>
void measure(int rounds, const wire::WireRequest& request, const typename Op::Response& response,
             int calls = kCallsPerRound) {
  const double read = best_of(rounds, calls, [&] {
    const typename Op::Request parsed = Op::parse(request);
    Op::validate(parsed);
  });
  const double write = best_of(rounds, calls, [&] {
    wire::WireResponse out;
    Op::serialize(response, out);
  });
  std::printf("%-20s %8.0f %8.0f\n", std::string(Op::info.name).c_str(), read, write);
}

std::string items(int count, const std::string& item, const std::string& before, const std::string& after) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i ? "," : "") + before + item + after;
  return text;
}

void measure_tables(int rounds) {
  namespace ops = wire::dynamodb::ops;
  const std::string item =
      R"({"id":{"S":"user-000001"},"name":{"S":"Somebody"},"count":{"N":"12"},"tags":{"SS":["a","b"]}})";
  const lang::dynamodb::Item stored = lang::dynamodb::item_from_json(item);
  const std::string get = R"({"TableName":"users","Key":{"id":{"S":"user-000001"}},"ConsistentRead":true})";
  measure<ops::GetItem>(rounds, {.body = get}, {.item = stored});
  const std::string put = R"({"TableName":"users","Item":)" + item + R"(,"ReturnConsumedCapacity":"NONE"})";
  measure<ops::PutItem>(rounds, {.body = put}, {});
  const std::string query =
      R"q({"TableName":"users","KeyConditionExpression":"id = :id AND begins_with(#r, :p)",)q"
      R"q("ExpressionAttributeNames":{"#r":"range"},"ExpressionAttributeValues":{":id":{"S":"u"},":p":{"S":"x"}},)q"
      R"q("Limit":25,"ScanIndexForward":false})q";
  measure<ops::Query>(rounds, {.body = query}, {.items = std::vector(25, stored), .count = 25, .scanned_count = 25});
  const std::string batch =
      R"({"RequestItems":{"users":[)" + items(25, item, R"({"PutRequest":{"Item":)", "}}") + "]}}";
  measure<ops::BatchWriteItem>(rounds, {.body = batch}, {}, kCallsPerRound / 10);
}

void measure_queues(int rounds) {
  namespace ops = wire::sqs::ops;
  const std::string url = R"("QueueUrl":"http://127.0.0.1:4566/000000000000/orders")";
  const std::string text(200, 'x');
  const std::string md5 = "d41d8cd98f00b204e9800998ecf8427e";
  const std::string id = "219f8380-5770-4cc2-8c3e-5c715e145f5e";
  measure<ops::SendMessage>(rounds, {.body = "{" + url + R"(,"MessageBody":")" + text + "\"}"},
                            {.md5_of_message_body = md5, .message_id = id});
  wire::sqs::Message message;
  message.message_id = id;
  message.receipt_handle = std::string(120, 'r');
  message.md5_of_body = md5;
  message.body = text;
  measure<ops::ReceiveMessage>(rounds, {.body = "{" + url + R"(,"MaxNumberOfMessages":10,"WaitTimeSeconds":20})"},
                               {.messages = std::vector(10, message)});
  measure<ops::DeleteMessage>(rounds, {.body = "{" + url + R"(,"ReceiptHandle":")" + std::string(120, 'r') + "\"}"},
                              {});
}

void measure_streams(int rounds) {
  namespace ops = wire::kinesis::ops;
  const std::string record =
      R"({"Data":")" + base::base64_encode(std::string(150, 'd')) + R"(","PartitionKey":"key-000001"})";
  wire::kinesis::PutRecordsOutput output;
  output.failed_record_count = 0;
  for (int i = 0; i < 100; ++i) {
    wire::kinesis::PutRecordsResultEntry entry;
    entry.sequence_number = "49543463076548007577105092703039560359975228518395019266";
    entry.shard_id = "shardId-000000000000";
    output.records.push_back(entry);
  }
  measure<ops::PutRecords>(rounds, {.body = R"({"StreamName":"river","Records":[)" + items(100, record, "", "") + "]}"},
                           output, kCallsPerRound / 20);
}

void measure_functions(int rounds) {
  namespace ops = wire::lambda::ops;
  wire::WireRequest request{.body = R"({"key":"value"})", .labels = {{"FunctionName", "mill"}}};
  request.headers = {{"host", "127.0.0.1:4566"},
                     {"user-agent", "aws-sdk"},
                     {"content-type", "application/json"},
                     {"x-amz-invocation-type", "RequestResponse"},
                     {"x-amz-date", "20260101T000000Z"},
                     {"authorization", "AWS4-HMAC-SHA256 Credential=x"},
                     {"content-length", "15"}};
  wire::lambda::InvokeOutput response;
  response.status_code = 200;
  response.executed_version = "$LATEST";
  response.payload = R"({"key":"value"})";
  measure<ops::Invoke>(rounds, request, response);
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::max(1, std::atoi(arguments[1])) : 50;
  measure_tables(rounds);
  measure_queues(rounds);
  measure_streams(rounds);
  measure_functions(rounds);
}
