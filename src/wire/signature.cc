#include "wire/signature.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/hex.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "crypto/hmac.h"
#include "wire/pipeline/request_head.h"

namespace tidemill::wire {

using base::cat;

namespace {

constexpr std::string_view kTerminator = "aws4_request";
constexpr size_t kCredentialParts = 5;
constexpr size_t kCanonicalSize = 512;  // of most requests

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

void append_encoded(std::string& out, std::string_view text, bool keeps_slashes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : text) {
    if (is_unreserved(c) || (keeps_slashes && c == '/')) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
}

// RFC 3986, 5.2.4, and runs of slashes are one.
std::string normal_path(std::string_view path) {
  std::vector<std::string> kept;
  const bool ends_open = path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..");
  for (std::string& part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..")
      kept.push_back(std::move(part));
    else if (!kept.empty())
      kept.pop_back();
  }
  std::string out;
  for (const std::string& part : kept) out.append("/").append(part);
  if (out.empty() || ends_open) out.push_back('/');
  return out;
}

std::string canonical_path(std::string_view target, PathForm form) {
  const std::string_view sent = target.substr(0, target.find('?'));
  if (sent == "/") return "/";
  std::string out;
  if (form == PathForm::as_it_is) {
    append_encoded(out, net::percent_decode(sent).value_or(std::string(sent)), true);
  } else {
    append_encoded(out, form == PathForm::normal ? normal_path(sent) : sent, true);
  }
  return out.empty() ? "/" : out;
}

// As sent and decoded; a '+' is a plus.
std::vector<std::pair<std::string, std::string>> query_of(std::string_view target) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const size_t begin = target.find('?');
  if (begin == std::string_view::npos) return pairs;
  for (const std::string& part : split(target.substr(begin + 1), '&')) {
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    const auto decoded = [](std::string_view text) { return net::percent_decode(text).value_or(std::string(text)); };
    pairs.emplace_back(decoded(std::string_view(part).substr(0, equals)),
                       equals == std::string::npos ? "" : decoded(std::string_view(part).substr(equals + 1)));
  }
  return pairs;
}

std::string canonical_query(std::string_view target, bool is_presigned) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [name, value] : query_of(target)) {
    if (is_presigned && name == "X-Amz-Signature") continue;
    auto& [encoded_name, encoded_value] = pairs.emplace_back();
    append_encoded(encoded_name, name, false);
    append_encoded(encoded_value, value, false);
  }
  std::ranges::sort(pairs);
  std::string out;
  for (const auto& [name, value] : pairs) {
    if (!out.empty()) out.push_back('&');
    out.append(name).append("=").append(value);
  }
  return out;
}

// Without white space at its ends, and one blank for each run of it inside.
void append_trimmed(std::string& out, std::string_view value) {
  const size_t begin = out.size();
  bool is_pending = false;
  for (const char c : value) {
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      is_pending = out.size() > begin;
      continue;
    }
    if (is_pending) out.push_back(' ');
    is_pending = false;
    out.push_back(c);
  }
}

void append_header(std::string& out, const net::Request& request, std::string_view name) {
  out.append(name).push_back(':');
  bool is_first = true;
  for (const auto& [sent, value] : request.headers.entries()) {
    if (!equals_ignoring_case(sent, name)) continue;
    if (!is_first) out.push_back(',');
    is_first = false;
    append_trimmed(out, value);
  }
  out.push_back('\n');
}

// Each with its values, and behind them the list of their names.
void append_headers(std::string& out, const net::Request& request, const auto& names) {
  for (const std::string_view name : names) append_header(out, request, name);
  char before = '\n';
  for (const std::string_view name : names) {
    out.push_back(before);
    out.append(name);
    before = ';';
  }
}

bool are_equal_in_any_case(std::string_view a, std::string_view b) {
  const auto lowered = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return a.size() == b.size() && std::ranges::equal(a, b, [&](char x, char y) { return lowered(x) == lowered(y); });
}

// As most clients send them.
bool is_in_order(const std::vector<std::string_view>& names) {
  const auto is_lower = [](std::string_view name) {
    return std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; });
  };
  return std::ranges::is_sorted(names) && std::ranges::all_of(names, is_lower);
}

void take_credential(Signature& out, std::string_view credential) {
  out.credential = credential;
  // One that came before, of whatever form, is none any more.
  out.access_key_id = out.date = out.region = out.service = out.terminator = {};
  // A key id may contain slashes; what stands behind it may not.
  std::string_view rest = out.credential;
  std::array<std::string_view, kCredentialParts - 1> behind;
  for (size_t i = behind.size(); i-- > 0;) {
    const size_t slash = rest.rfind('/');
    if (slash == std::string_view::npos) return;
    behind[i] = rest.substr(slash + 1);
    rest = rest.substr(0, slash);
  }
  out.access_key_id = rest;
  out.date = behind[0];
  out.region = behind[1];
  out.service = behind[2];
  out.terminator = behind[3];
}

void take_signed_headers(Signature& out, std::string_view list) {
  out.signed_headers.clear();
  out.signed_headers.reserve(static_cast<size_t>(std::ranges::count(list, ';')) + 1);
  for (;;) {
    const size_t end = list.find(';');
    out.signed_headers.push_back(list.substr(0, end));
    if (end == std::string_view::npos) return;
    list.remove_prefix(end + 1);
  }
}

// "AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…", parted by commas, blanks or both.
void parse_header(Signature& out, std::string_view header) {
  const size_t blank = header.find(' ');
  out.algorithm = header.substr(0, blank);
  std::string_view rest = blank == std::string_view::npos ? std::string_view() : header.substr(blank);
  while (!rest.empty()) {
    const size_t begin = rest.find_first_not_of(", ");
    if (begin == std::string_view::npos) return;
    rest.remove_prefix(begin);
    const std::string_view part = rest.substr(0, rest.find_first_of(", "));
    rest.remove_prefix(part.size());
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = part.substr(0, equals);
    const std::string_view value = part.substr(equals + 1);
    if (name == "Credential")
      take_credential(out, value);
    else if (name == "SignedHeaders")
      take_signed_headers(out, value);
    else if (name == "Signature")
      out.signature = value;
  }
}

void parse_query(Signature& out, std::string_view target) {
  out.is_presigned = true;
  for (auto& [name, text] : query_of(target)) {
    if (!name.starts_with("X-Amz-")) continue;
    const std::string_view value = out.decoded.emplace_back(std::move(text));
    if (name == "X-Amz-Algorithm")
      out.algorithm = value;
    else if (name == "X-Amz-Credential")
      take_credential(out, value);
    else if (name == "X-Amz-SignedHeaders")
      take_signed_headers(out, value);
    else if (name == "X-Amz-Signature")
      out.signature = value;
    else if (name == "X-Amz-Date")
      out.time = value;
    else if (name == "X-Amz-Expires")
      out.expires = value;
    else if (name == "X-Amz-Security-Token")
      out.token = value;
  }
}

}  // namespace

bool Signature::signs(std::string_view name) const {
  return std::ranges::any_of(signed_headers, [&](std::string_view each) { return are_equal_in_any_case(each, name); });
}

// What stands behind the key's id in the credential.
std::string_view Signature::scope() const {
  return access_key_id.empty() ? std::string_view() : credential.substr(access_key_id.size() + 1);
}

Signature parse_signature(const net::Request& request) {
  Signature out;
  if (const auto header = request.headers.find("authorization")) {
    parse_header(out, *header);
    out.time = request.headers.find("x-amz-date").value_or(request.headers.get("date"));
    out.token = request.headers.get("x-amz-security-token");
  } else {
    parse_query(out, request.target);
  }
  return out;
}

Signature parse_signature(const SignedFields& fields) {
  Signature out;
  out.algorithm = fields.algorithm;
  out.time = fields.date;
  out.signature = fields.signature;
  out.token = fields.token;
  take_credential(out, fields.credential);
  return out;
}

std::string canonical_request(const net::Request& request, const Signature& signature, PathForm form,
                              std::string_view payload_hash) {
  std::string out;
  out.reserve(kCanonicalSize);
  out.append(request.method).append("\n").append(canonical_path(request.target, form)).append("\n");
  out.append(canonical_query(request.target, signature.is_presigned)).append("\n");
  if (is_in_order(signature.signed_headers)) {
    append_headers(out, request, signature.signed_headers);
  } else {
    std::vector<std::string> ordered;
    for (const std::string_view name : signature.signed_headers) ordered.push_back(lower(name));
    std::ranges::sort(ordered);
    append_headers(out, request, ordered);
  }
  return out.append("\n").append(payload_hash);
}

std::string string_to_sign(const Signature& signature, std::string_view canonical) {
  return cat(kSignatureAlgorithm, "\n", signature.time, "\n", signature.scope(), "\n",
             base::hex_of(crypto::sha256(canonical)));
}

std::string signing_key(std::string_view secret, std::string_view date, std::string_view region,
                        std::string_view service) {
  std::string key = crypto::hmac_sha256(cat("AWS4", secret), date);
  for (const std::string_view part : {region, service, kTerminator}) key = crypto::hmac_sha256(key, part);
  return key;
}

std::string sign(std::string_view key, std::string_view text) { return base::hex_of(crypto::hmac_sha256(key, text)); }

std::optional<base::Time> parse_basic_date(std::string_view text) {
  constexpr size_t kSize = 16;
  if (text.size() != kSize || text[8] != 'T' || text[15] != 'Z') return std::nullopt;
  int parts[6];
  constexpr std::pair<size_t, size_t> kPlaces[] = {{0, 4}, {4, 2}, {6, 2}, {9, 2}, {11, 2}, {13, 2}};
  for (size_t i = 0; i < std::size(kPlaces); ++i) {
    const std::string_view digits = text.substr(kPlaces[i].first, kPlaces[i].second);
    if (digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    std::from_chars(digits.data(), digits.data() + digits.size(), parts[i]);
  }
  const std::chrono::year_month_day day{std::chrono::year(parts[0]),
                                        std::chrono::month(static_cast<unsigned>(parts[1])),
                                        std::chrono::day(static_cast<unsigned>(parts[2]))};
  if (!day.ok() || parts[3] > 23 || parts[4] > 59 || parts[5] > 60) return std::nullopt;
  return base::Time(std::chrono::sys_days(day)) + std::chrono::hours(parts[3]) + std::chrono::minutes(parts[4]) +
         std::chrono::seconds(parts[5]);
}

std::string basic_date(base::Time time) {
  std::string text = base::iso_milliseconds(time).substr(0, 19);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text + "Z";
}

}  // namespace tidemill::wire
