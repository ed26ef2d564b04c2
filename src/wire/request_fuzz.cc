// Any bytes as the body of any DynamoDB operation: parsing and checking must give a request or an Error, nothing else.
#include <cstdint>
#include <string_view>

#include "wire/shapes/dynamodb.h"

namespace {

using namespace tidemill::wire;

template <class Op>
void feed(std::string_view body) {
  try {
    const auto request = Op::parse(WireRequest{.body = body});
    Op::validate(request);
  } catch (const Error&) {
    // What a wrong request is for.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  feed<dynamodb::ops::CreateTable>(body);
  feed<dynamodb::ops::PutItem>(body);
  feed<dynamodb::ops::BatchWriteItem>(body);
  feed<dynamodb::ops::BatchGetItem>(body);
  feed<dynamodb::ops::Query>(body);
  return 0;
}
