// Operations by documents: what a request and an answer look like to those who call an operation by name and know
// nothing of its protocol (workflows, schedules, pipes, stacks).
//
//   Names         the API's, with a capital first letter, as Step Functions' SDK integrations spell them: "LogGroupName".
//                 Requests may also spell them as the API does. Members of headers, paths and the status stand among
//                 the others. A name that the operation does not have is refused: nothing is accepted and ignored.
//   Timestamps    2026-01-02T03:04:05Z; requests may also give seconds since 1970 as a number
//   Blobs         base64 text
//   Bodies        a blob that is the whole body of its message (an object of S3, the payload of Lambda's Invoke), also
//                 one that streams, is its text; requests may also give any other JSON value, which stands for its JSON
//                 text. An answer's that is no UTF-8, or streams beyond kDocumentBodyBytesMax, is refused.
//   Attributes    of DynamoDB: as its API has them, {"S": "…"}
//   Event streams cannot be documents: such operations are refused
#pragma once

#include <cstddef>

#include "base/json.h"
#include "base/task.h"
#include "wire/error.h"
#include "wire/registry.h"
#include "wire/shape_table.h"

namespace tidemill::wire::shapes {

inline constexpr size_t kDocumentBodyBytesMax = 6 << 20;  // the longest payload of an invocation

// The body of an answer is longer than that; the service's error for what is unsupported.
struct AnswerTooLong : Error {
  using Error::Error;
};

// Reads a document into a new structure of the operation's input. Throws SerializationException for what is of a wrong
// type, and the service's error for what is unsupported.
void parse_document(const OperationInfo& operation, const json::Value& document, void* request);

// An answer as a document. A body that streams is read to its end.
Task<json::Value> document_of(const OperationInfo& operation, const void* response);

// An error as this service's callers know it: S3 has no errors of types and constraints beyond those of its XML.
[[nodiscard]] Error as_service_says(const OperationInfo& operation, Error error);

}  // namespace tidemill::wire::shapes
