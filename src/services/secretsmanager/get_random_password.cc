// GetRandomPassword.
#include <utility>
#include <vector>

#include "services/secretsmanager/operations.h"
#include "services/secretsmanager/random_text.h"

namespace tidemill::secretsmanager {
namespace {

namespace errors = shapes::errors;

constexpr int64_t kLengthUsual = 32;

// The kinds of letters that it may have, without those that are excluded.
std::vector<std::string> kinds_of(const shapes::GetRandomPasswordInput& request) {
  const std::string excluded = request.exclude_characters.value_or("");
  std::vector<std::string> kinds;
  const auto add = [&](const std::optional<bool>& is_excluded, std::string letters) {
    if (is_excluded.value_or(false)) return;
    std::erase_if(letters, [&](char letter) { return excluded.find(letter) != std::string::npos; });
    if (!letters.empty()) kinds.push_back(std::move(letters));
  };
  add(request.exclude_lowercase, "abcdefghijklmnopqrstuvwxyz");
  add(request.exclude_uppercase, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  add(request.exclude_numbers, "0123456789");
  add(request.exclude_punctuation, "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");
  add(!request.include_space.value_or(false), " ");
  return kinds;
}

// So that each is as likely at each place: those that must be there were put first.
void shuffle(std::string& text, size_t put_first) {
  for (size_t i = 0; i < put_first; ++i) std::swap(text[i], text[i + random_index(text.size() - i)]);
}

}  // namespace

Task<shapes::GetRandomPasswordOutput> get_random_password(Service&, wire::Context&,
                                                          const shapes::GetRandomPasswordInput& request) {
  const auto length = static_cast<size_t>(request.password_length.value_or(kLengthUsual));
  const std::vector<std::string> kinds = kinds_of(request);
  if (kinds.empty()) {
    throw errors::invalid_parameter_exception(
        "All characters are excluded: there is none to make a password of.");
  }
  std::string all;
  for (const std::string& kind : kinds) all += kind;
  std::string password;
  if (request.require_each_included_type.value_or(true)) {
    if (length < kinds.size()) {
      throw errors::invalid_parameter_exception("The password length is too short based on the required types.");
    }
    for (const std::string& kind : kinds) password += random_text(kind, 1);
  }
  const size_t put_first = password.size();
  password += random_text(all, length - password.size());
  shuffle(password, put_first);
  shapes::GetRandomPasswordOutput out;
  out.random_password = std::move(password);
  co_return out;
}

}  // namespace tidemill::secretsmanager
