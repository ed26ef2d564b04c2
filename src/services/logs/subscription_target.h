// Who gets the events of subscription filters: functions, which are told in no order, and data streams. What they get
// is one document for some events of one log stream, packed with gzip; a function has it in base64.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/logs/subscription_filter.h"
#include "store/delivery.h"
#include "wire/context.h"
#include "wire/shapes/kinesis.h"

namespace tidemill::logs {

// Of deliveries to functions; target: the ARN, payload: encode_function_document.
inline constexpr std::string_view kSubscribedFunctionTarget = "logs-function";

// What a document may hold, unpacked, so that what comes of it fits: an asynchronous invocation takes 256 KiB, a record
// of a data stream 1 MiB. A longer event has a document of its own, which the destination may refuse.
inline constexpr size_t kFunctionDocumentBytesMax = 180 << 10;
inline constexpr size_t kRecordDocumentBytesMax = 900 << 10;

// The group whose event it is, as permissions of functions name it: its ARN and ":*".
[[nodiscard]] std::string encode_function_document(std::string_view group_arn, std::string_view document);
// The sender of those deliveries. rejected: there is no such function, or it may not be called, or the document is too
// long.
Task<store::SendOutcome> invoke_subscribed(wire::Platform& platform, const store::Delivery& delivery);

// On its way to the function for a day if need be.
[[nodiscard]] store::Delivery function_delivery(const SubscriptionFilter& filter, std::string_view group_arn,
                                                std::string_view document);

// In the account and region of the stream, as the filter's role.
[[nodiscard]] wire::Context stream_context(wire::Platform& platform, const std::string& stream_arn,
                                           const std::string& role_arn, const std::string& group_arn);

// Throws InvalidParameterException, with AWS's words, if the filter's destination does not take what comes: a function
// is asked whether it may be called, a stream gets a control message.
Task<void> try_destination(wire::Context& context, const SubscriptionFilter& filter, const std::string& group_arn);

}  // namespace tidemill::logs
