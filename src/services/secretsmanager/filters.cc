#include "services/secretsmanager/filters.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

namespace tidemill::secretsmanager {
namespace {

using wire::secretsmanager::Filter;
namespace errors = wire::secretsmanager::errors;

constexpr std::array<std::string_view, 7> kKeys{"description",    "name",           "tag-key", "tag-value",
                                                "primary-region", "owning-service", "all"};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return result;
}

// Words as the service sees them: what stands between anything but letters and digits.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char letter : lower(text)) {
    const bool is_of_word = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    if (is_of_word) words.back().push_back(letter);
    else if (!words.back().empty()) words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// Each word of `value` begins a word of `text`, in either case.
bool has_words(std::string_view text, std::string_view value) {
  const std::vector<std::string> words = words_of(text);
  return std::ranges::all_of(words_of(value), [&](const std::string& wanted) {
    return std::ranges::any_of(words, [&](const std::string& word) { return word.starts_with(wanted); });
  });
}

bool has_tag_key(const Secret& secret, std::string_view value) {
  return std::ranges::any_of(secret.tags, [&](const auto& tag) { return tag.first.starts_with(value); });
}

bool has_tag_value(const Secret& secret, std::string_view value) {
  return std::ranges::any_of(secret.tags, [&](const auto& tag) { return tag.second.starts_with(value); });
}

bool has_anywhere(const Secret& secret, std::string_view value) {
  std::string all = base::cat(secret.address.name, " ", secret.description.value_or(""));
  for (const auto& [key, text] : secret.tags) all += base::cat(" ", key, " ", text);
  return has_words(all, value);
}

bool fits(std::string_view key, const Secret& secret, std::string_view value) {
  if (key == "name") return secret.address.name.starts_with(value);
  if (key == "description") return has_words(secret.description.value_or(""), value);
  if (key == "tag-key") return has_tag_key(secret, value);
  if (key == "tag-value") return has_tag_value(secret, value);
  if (key == "primary-region") return secret.address.region.starts_with(value);
  if (key == "owning-service") return false;  // all are the user's
  return has_anywhere(secret, value);
}

// A value that begins with '!' wants what does not fit.
bool fits_any(const Filter& filter, const Secret& secret) {
  return std::ranges::any_of(*filter.values, [&](const std::string& value) {
    const bool is_negated = value.starts_with('!');
    return fits(*filter.key, secret, std::string_view(value).substr(is_negated ? 1 : 0)) != is_negated;
  });
}

}  // namespace

void check_filters(const Filters& filters) {
  if (!filters) return;
  for (const Filter& filter : *filters) {
    if (!filter.key) throw errors::invalid_parameter_exception("Invalid filter key");
    if (std::ranges::find(kKeys, *filter.key) == kKeys.end()) {
      throw errors::validation_exception(base::cat(
          "1 validation error detected: Value '", *filter.key, "' at 'filters.1.member.key' failed to satisfy constraint: "
          "Member must satisfy enum value set: [all, name, tag-key, description, tag-value, owning-service, primary-region]"));
    }
    if (!filter.values) {
      throw errors::invalid_parameter_exception(base::cat("Invalid filter values for key: ", *filter.key));
    }
  }
}

bool is_wanted(const Filters& filters, const Secret& secret) {
  return !filters || std::ranges::all_of(*filters, [&](const Filter& filter) { return fits_any(filter, secret); });
}

}  // namespace tidemill::secretsmanager
