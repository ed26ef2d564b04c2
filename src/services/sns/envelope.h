// What subscribers get: the JSON document around a message, its signature's text, the event of a function, the message of
// a queue, the request to a URL. Formats: "Parsing Amazon SNS message formats" and "Verifying the signatures of Amazon
// SNS messages" in the SNS developer guide.
#pragma once

#include <string>
#include <string_view>

#include "engine/targets/queue_target.h"
#include "net/http_client.h"
#include "services/sns/message.h"
#include "services/sns/signer.h"
#include "services/sns/subscription.h"

namespace tidemill::sns {

// Where the links in documents lead.
struct Links {
  std::string endpoint;           // "http://127.0.0.1:4566": SubscribeURL, UnsubscribeURL
  std::string certificates_from;  // before the path of SigningCertURL

  [[nodiscard]] std::string subscribe(const TopicAddress& topic, std::string_view token) const;
  [[nodiscard]] std::string unsubscribe(const SubscriptionAddress& subscription) const;
};

// Signs those of the message's texts that the subscription's protocol gets, unless that has been done.
void sign_for(Message& message, const std::string& protocol, const SigningKey& key);

// Whether a subscription gets the message signed: raw ones do not, and messages of FIFO topics are not.
[[nodiscard]] bool gets_signature(const Subscription& subscription);

// `certificate_path` is empty if the message is not signed.
struct Envelope {
  const Message& message;
  const Subscription& subscription;
  const Links& links;
  std::string certificate_path;

  [[nodiscard]] std::string document() const;  // or the raw text
  [[nodiscard]] engine::QueueMessage queue_message(std::string_view queue_arn) const;
  [[nodiscard]] std::string function_event() const;
  [[nodiscard]] net::HttpCall http_call(const std::string& content_type) const;
};

// A question to an endpoint: SubscriptionConfirmation or UnsubscribeConfirmation.
struct Letter {
  std::string type;
  std::string message_id;
  TopicAddress topic;
  std::string token;
  base::Time timestamp;
  int signature_version = 1;
};
[[nodiscard]] std::string letter_document(const Letter& letter, const Links& links, const SigningKey& key);

// The headers that all requests to endpoints have.
[[nodiscard]] net::HttpCall call_of(std::string_view type, std::string_view message_id, const TopicAddress& topic,
                                    std::string_view subscription_arn, std::string url, std::string body);

}  // namespace tidemill::sns
