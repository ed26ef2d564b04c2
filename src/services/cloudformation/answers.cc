#include "services/cloudformation/answers.h"

#include <algorithm>

#include "base/hex.h"
#include "base/json_members.h"
#include "base/text.h"
#include "base/utf8.h"
#include "crypto/random.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {

constexpr size_t kTokenBytes = 32;

constexpr auto kAnswerMembers = [](auto& member, auto& answers) { member.unless_empty("answers", answers); };

std::string encode_answers(const std::vector<std::string>& answers) { return json::encode(answers, kAnswerMembers); }

std::vector<std::string> decode_answers(std::string_view bytes) {
  return json::decode<std::vector<std::string>>("answer", bytes, kAnswerMembers);
}

// What two answers have in common of which the second repeats the first.
struct Told {
  std::string status;
  std::string id;

  bool operator==(const Told&) const = default;
};
std::optional<Told> told_by(std::string_view text) {
  const auto answer = json::parse(text);
  const json::Value* id = answer ? answer->find("UniqueId") : nullptr;
  const json::Value* status = answer ? answer->find("Status") : nullptr;
  if (!id || !id->is_string() || !status || !status->is_string()) return std::nullopt;
  return Told{status->string(), id->string()};
}

std::vector<std::string>::iterator find_repeated(std::vector<std::string>& answers, const std::string& text) {
  const auto told = told_by(text);
  if (!told) return std::ranges::find(answers, text);
  const std::string id = json::write(json::Value(told->id));  // few have it, and only those are parsed
  return std::ranges::find_if(
      answers, [&](const std::string& one) { return one.find(id) != std::string::npos && told_by(one) == told; });
}

constexpr std::string_view kTokenInQuery = "?token=";

// "ACCOUNT/REGION/TOKEN" or "ACCOUNT/REGION/?token=TOKEN"
struct Where {
  Place place;
  std::string token;
};
std::optional<Where> parse_path(std::string_view target) {
  std::string_view query = target.substr(std::min(target.find('?'), target.size()));
  target.remove_suffix(query.size());
  if (!target.starts_with(kAnswersPath)) return std::nullopt;
  target.remove_prefix(kAnswersPath.size());
  const size_t first = target.find('/'), second = target.find('/', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  std::string_view token = target.substr(second + 1);
  if (token.empty() && query.starts_with(kTokenInQuery)) token = query.substr(kTokenInQuery.size());
  return Where{{std::string(target.substr(0, first)), std::string(target.substr(first + 1, second - first - 1))},
               std::string(token)};
}

net::Response plain(int status, std::string_view text) {
  net::Response response;
  response.status = status;
  response.headers.add("content-type", "text/plain");
  response.body = text;
  return response;
}

}  // namespace

std::string new_answer_token() { return base::hex_of(crypto::random_bytes(kTokenBytes)); }

std::string answer_url(std::string_view endpoint, const Place& place, std::string_view token) {
  return cat(endpoint, kAnswersPath, place.account, "/", place.region, "/", token);
}

std::string answer_url_of_aws(const Place& place, std::string_view token) {
  std::string region = place.region;  // AWS's bucket has it without dashes
  std::erase(region, '-');
  const std::string host = place.region == "us-east-1" ? "s3" : cat("s3.", place.region);
  return cat("https://cloudformation-custom-resource-response-", region, '.', host, ".amazonaws.com", kAnswersPath,
             place.account, "/", place.region, "/", kTokenInQuery, token);
}

std::string token_of_url(std::string_view url) {
  const size_t found = url.find(kAnswersPath);
  if (found == std::string_view::npos) return "";
  const auto where = parse_path(url.substr(found));
  return where ? where->token : "";
}

std::string answer_topic(std::string_view token) { return cat("cloudformation-answer/", token); }

Task<void> open_answers(store::Store& store, Place place, std::string token) {
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await txn.get(answer_key(place, token))) txn.put(answer_key(place, token), encode_answers({}));
  });
}

Task<void> close_answers(store::Store& store, Place place, std::string token) {
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    txn.erase(answer_key(place, token));
    co_return;
  });
}

Task<std::optional<std::vector<std::string>>> read_answers(store::Store& store, Place place, std::string token) {
  const auto snapshot = store.snapshot();
  const auto bytes = co_await snapshot->get(answer_key(place, token));
  if (!bytes) co_return std::nullopt;
  co_return decode_answers(*bytes);
}

std::string signal_token(std::string_view stack_id, std::string_view logical_id, int64_t operation) {
  return cat("signals ", stack_id, ' ', logical_id, ' ', operation);
}

Task<bool> put_answer(store::Transaction& txn, Place place, std::string token, std::string text) {
  const auto bytes = co_await txn.get(answer_key(place, token));
  auto answers = bytes ? decode_answers(*bytes) : std::vector<std::string>();
  const auto known = find_repeated(answers, text);
  if (known != answers.end()) {
    *known = std::move(text);
  } else if (answers.size() < kAnswersMax) {
    answers.push_back(std::move(text));
  } else {
    co_return false;
  }
  txn.put(answer_key(place, token), encode_answers(answers));
  txn.signal(answer_topic(token));
  co_return true;
}

Task<net::Response> take_answer(store::Store& store, net::Request& request) {
  const auto where = parse_path(request.target);
  if (request.method != "PUT") co_return plain(405, "PUT the answer here\n");
  // Room for one too long, so that the step says so.
  const std::string body = base::to_utf8(co_await request.body->read_all(4 * kAnswerBytesMax));
  bool is_open = false, is_kept = false;
  if (where) {
    co_await store.transact([&](store::Transaction& txn) -> Task<void> {
      const auto bytes = co_await txn.get(answer_key(where->place, where->token));
      is_open = bytes.has_value();
      if (!is_open) co_return;
      is_kept = co_await put_answer(txn, where->place, where->token, body);
    });
  }
  if (!is_open) co_return plain(403, "Request has expired\n");
  if (!is_kept) co_return plain(400, cat("There are ", kAnswersMax, " answers already\n"));
  co_return plain(200, "");
}

}  // namespace tidemill::cloudformation
