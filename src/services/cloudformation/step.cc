#include "services/cloudformation/step.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/uuid.h"
#include "crypto/digest.h"
#include "wire/arn.h"
#include "wire/error.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {

constexpr size_t kRandomLetters = 12;
constexpr std::string_view kMixed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz0123456789";

// What services call a request that violates their model's constraints, or whose names they cannot make out.
constexpr std::array<std::string_view, 6> kMalformed = {"ValidationException",      "ValidationError",
                                                        "InvalidParameterException", "InvalidArgumentException",
                                                        "InvalidArgument",           "MissingParameter"};

std::string digest_of(const StepScope& scope, std::string_view purpose) {
  return crypto::sha256(cat(scope.stack_id, '\n', scope.logical_id, '\n', scope.operation, '\n', purpose));
}

std::string to_lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return text;
}

}  // namespace

std::string Step::arn(std::string_view service, std::string_view resource) const {
  return wire::Arn{.service = service, .region = region(), .account = account(), .resource = resource}.text();
}

Task<json::Value> Step::call_or_null(std::string service, std::string operation, json::Value document,
                                     std::vector<std::string_view> codes) {
  try {
    co_return co_await call(std::move(service), std::move(operation), std::move(document));
  } catch (const wire::Error& error) {
    if (std::ranges::find(codes, error.code) == codes.end() &&
        std::ranges::find(codes, error.query_code) == codes.end()) {
      throw;
    }
  }
  co_return json::Value();
}

Task<void> Step::take_away(std::string service, std::string operation, json::Value document,
                           std::vector<std::string_view> codes) {
  codes.insert(codes.end(), kMalformed.begin(), kMalformed.end());
  co_await call_or_null(std::move(service), std::move(operation), std::move(document), std::move(codes));
}

// AWS shortens the stack's and the resource's name alike where all does not fit; how exactly is not documented.
std::string Step::physical_name(size_t size_max, NameLetters letters, std::string_view suffix) const {
  const std::string_view alphabet = letters == NameLetters::lower ? kLower : kMixed;
  const std::string digest = digest_of(scope_, "name");
  std::string random;
  for (size_t i = 0; i < kRandomLetters; ++i) {
    const auto high = static_cast<unsigned char>(digest[2 * i]), low = static_cast<unsigned char>(digest[2 * i + 1]);
    random.push_back(alphabet[(high * 256U + low) % alphabet.size()]);
  }
  const size_t fixed = random.size() + suffix.size() + 2;  // two hyphens
  const size_t room = size_max > fixed ? size_max - fixed : 0;
  std::string stack = scope_.stack_name, logical = scope_.logical_id;
  if (stack.size() + logical.size() > room) {
    const size_t half = room / 2;
    const size_t of_logical = std::min(logical.size(), std::max(half, room - std::min(room, stack.size())));
    logical.resize(of_logical);
    stack.resize(std::min(stack.size(), room - of_logical));
  }
  std::string name = cat(stack, '-', logical, '-', random);
  if (letters == NameLetters::lower) name = to_lower(std::move(name));
  return cat(name, suffix);
}

std::string Step::client_token(std::string_view purpose) const {
  return base::uuid_text(digest_of(scope_, cat("token ", purpose)));
}

std::string Step::client_token_of(int64_t operation) const {
  StepScope other = scope_;
  other.operation = operation;
  return base::uuid_text(digest_of(other, "token "));
}

}  // namespace tidemill::cloudformation
