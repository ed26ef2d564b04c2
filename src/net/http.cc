#include "net/http.h"

#include "base/hex.h"
#include "net/text.h"

namespace tidemill::net {

namespace {

// A malformed escape stays as it is: a query is not worth refusing a request for.
std::string decode_query_part(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] == '%' && i + 2 < text.size() && base::hex_digit(text[i + 1]) >= 0 && base::hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(base::hex_digit(text[i + 1]) * 16 + base::hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

void Headers::set(std::string_view name, std::string value) {
  bool found = false;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (!equal_ignoring_case(entry->first, name)) {
      ++entry;
    } else if (!found) {
      found = true;
      entry->second = std::move(value);
      ++entry;
    } else {
      entry = entries_.erase(entry);
    }
  }
  if (!found) entries_.emplace_back(name, std::move(value));
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (equal_ignoring_case(key, name)) return value;
  }
  return std::nullopt;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = base::hex_digit(text[i + 1]);
    const int low = base::hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view target) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const size_t mark = target.find('?');
  if (mark == std::string_view::npos) return pairs;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    pairs.emplace_back(decode_query_part(part.substr(0, equals)),
                       equals == std::string_view::npos ? "" : decode_query_part(part.substr(equals + 1)));
  }
  return pairs;
}

}  // namespace tidemill::net
