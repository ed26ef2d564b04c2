#include "services/s3/conditions.h"

#include "base/text.h"
#include "services/s3/errors.h"
#include "wire/timestamp.h"

namespace tidemill::s3 {
namespace {

using std::chrono::floor;
using std::chrono::seconds;

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view bare(std::string_view tag) {
  tag = trim(tag);
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  // AWS takes a tag with one quote, too.
  if (tag.starts_with('"')) tag.remove_prefix(1);
  if (tag.ends_with('"')) tag.remove_suffix(1);
  return tag;
}

std::optional<base::Time> date_of(const std::optional<std::string>& text) {
  return text ? wire::parse_timestamp(*text, wire::TimestampFormat::http_date) : std::nullopt;
}

// Which of the conditions does not hold; empty: none.
struct Verdict {
  std::string_view failed;       // answered with 412
  std::string_view not_modified;  // and these with 304
};

// `now`: a date in the future is none (RFC 9110, 13.1.3).
Verdict judge(const Object& object, const ReadConditions& conditions, base::Time now) {
  const auto modified = floor<seconds>(object.modified);
  Verdict verdict;
  if (conditions.if_match) {
    if (!has_tag(*conditions.if_match, object.etag)) verdict.failed = "If-Match";
  } else if (const auto date = date_of(conditions.if_unmodified_since); date && modified > *date) {
    verdict.failed = "If-Unmodified-Since";
  }
  if (conditions.if_none_match) {
    if (has_tag(*conditions.if_none_match, object.etag)) verdict.not_modified = "If-None-Match";
  } else if (const auto date = date_of(conditions.if_modified_since); date && *date <= now && modified <= *date) {
    verdict.not_modified = "If-Modified-Since";
  }
  return verdict;
}

}  // namespace

bool has_tag(std::string_view list, std::string_view etag) {
  for (;;) {
    const size_t comma = list.find(',');
    const std::string_view tag = bare(list.substr(0, comma));
    if (tag == "*" || tag == etag) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

void check_read(const Object& object, const ReadConditions& conditions, base::Time now) {
  const Verdict verdict = judge(object, conditions, now);
  if (!verdict.failed.empty()) throw errors::precondition_failed(verdict.failed);
  if (verdict.not_modified.empty()) return;
  wire::Error error = errors::error("NotModified", 304, "Not Modified");
  error.headers = {{"ETag", base::cat('"', object.etag, '"')},
                   {"Last-Modified", wire::format_timestamp(object.modified, wire::TimestampFormat::http_date)}};
  throw error;
}

void check_copy_source(const Object& object, const ReadConditions& conditions, base::Time now) {
  const Verdict verdict = judge(object, conditions, now);
  const std::string_view failed = verdict.failed.empty() ? verdict.not_modified : verdict.failed;
  if (failed.empty()) return;
  throw errors::precondition_failed(base::cat("x-amz-copy-source-", failed));
}

void check_completion(const Object* current, std::string_view key, const Upload& upload,
                      const std::optional<std::string>& if_match, const std::optional<std::string>& if_none_match) {
  if (!if_match && !if_none_match) return;
  check_write(current, key, if_match, if_none_match);
  const bool is_replaced = if_match && current->modified > upload.initiated;
  const bool is_gone = if_none_match && !upload.found_etag.empty();
  if (!is_replaced && !is_gone) return;
  throw errors::error("ConditionalRequestConflict", 409,
                      "The conditional request cannot succeed due to a conflicting operation against this resource.",
                      {{"Condition", if_match ? "If-Match" : "If-None-Match"}, {"Key", std::string(key)}});
}

void check_write(const Object* current, std::string_view key, const std::optional<std::string>& if_match,
                 const std::optional<std::string>& if_none_match) {
  if (if_none_match && trim(*if_none_match) != "*") {
    throw errors::error("NotImplemented", 501, "A header you provided implies functionality that is not implemented",
                        {{"Header", "If-None-Match"},
                         {"additionalMessage", "We don't accept the provided value of If-None-Match header for this API"}});
  }
  const bool exists = current && !current->is_marker;
  if (if_none_match && exists) throw errors::precondition_failed("If-None-Match");
  if (!if_match) return;
  if (!exists) throw errors::no_such_key(key);
  if (!has_tag(*if_match, current->etag)) throw errors::precondition_failed("If-Match");
}

}  // namespace tidemill::s3
