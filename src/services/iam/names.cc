#include "services/iam/names.h"

#include "base/text.h"
#include "wire/access_key.h"

namespace tidemill::iam {
namespace {

constexpr size_t kIdLetters = 17;

bool is_upper(char letter) { return letter >= 'A' && letter <= 'Z'; }

}  // namespace

std::string lower(std::string_view name) {
  std::string result(name);
  for (char& letter : result) {
    if (is_upper(letter)) letter = static_cast<char>(letter - 'A' + 'a');
  }
  return result;
}

std::string key_of(store::ResourceType type, std::string_view account, std::string_view name) {
  return store::resource_key(type, account, kNoRegion, lower(name));
}

store::Range range_of(store::ResourceType type, std::string_view account) {
  return store::resources_range(type, account, kNoRegion);
}

std::string arn_of(std::string_view account, std::string_view type, std::string_view path, std::string_view name) {
  return base::cat("arn:aws:iam::", account, ":", type, path, name);
}

std::string new_id(std::string_view kind) { return std::string(kind) + wire::random_base32(kIdLetters); }

}  // namespace tidemill::iam
