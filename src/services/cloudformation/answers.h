// What custom resources and wait conditions are answered: a URL of this server that nobody can guess, to which whoever
// knows it may PUT a document, as if it were a presigned URL of S3. It takes answers from when it is made until its step
// is over.
//
//   stack-answer, token -> {"answers": [text, …]}
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"
#include "services/cloudformation/keys.h"
#include "services/cloudformation/step.h"
#include "store/store.h"

namespace tidemill::cloudformation {

inline constexpr std::string_view kAnswersPath = "/_cloudformation/answers/";
inline constexpr size_t kAnswerBytesMax = 4'096;     // as on AWS
inline constexpr size_t kAnswersMax = 1'000;         // of one wait condition; more are refused

// A token of 64 letters.
[[nodiscard]] std::string new_answer_token();
// "http://127.0.0.1:4566/_cloudformation/answers/000000000000/us-east-1/TOKEN"
[[nodiscard]] std::string answer_url(std::string_view endpoint, const Place& place, std::string_view token);
// The same by AWS's name, "https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/…?token=TOKEN":
// the token stands where AWS has a signature, which clients leave out of their logs. It leads here for whom that name
// does: runtimes/README.md.
[[nodiscard]] std::string answer_url_of_aws(const Place& place, std::string_view token);
// The token in a URL of either; empty: it is none.
[[nodiscard]] std::string token_of_url(std::string_view url);
[[nodiscard]] std::string answer_topic(std::string_view token);

Task<void> open_answers(store::Store& store, Place place, std::string token);
Task<void> close_answers(store::Store& store, Place place, std::string token);
// Nothing: it is not open.
Task<std::optional<std::vector<std::string>>> read_answers(store::Store& store, Place place, std::string token);

// ---- Signals: SignalResource's, to what has a CreationPolicy --------------------------------------------------------

// Where those of a resource are kept that is being made. It has a blank, which no path can have: only the operation signals.
[[nodiscard]] std::string signal_token(std::string_view stack_id, std::string_view logical_id, int64_t operation);
// Whether or not anybody waits for it yet. One that repeats another of that UniqueId takes the place of the one before.
// False: there are kAnswersMax, and it is not kept.
[[nodiscard]] Task<bool> put_answer(store::Transaction& txn, Place place, std::string token, std::string text);

// Answers the PUT.
Task<net::Response> take_answer(store::Store& store, net::Request& request);

}  // namespace tidemill::cloudformation
