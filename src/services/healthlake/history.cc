// The versions of a resource, newest first.
#include <charconv>

#include "base/text.h"
#include "services/healthlake/errors.h"
#include "services/healthlake/fhir_answers.h"
#include "services/healthlake/operations.h"
#include "services/healthlake/store_keys.h"

namespace tidemill::healthlake {

using base::cat;

namespace {

constexpr size_t kPageBytesMax = 4 << 20;

struct Wanted {
  size_t count = lang::fhir::kCountDefault;
  base::Time since = lang::fhir::kBeginningOfTime;
  uint64_t below = UINT64_MAX;  // of versions: where the page begins
};

size_t number_of(std::string_view name, std::string_view text) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) throw fhir::invalid(cat(name, " is no number: ", text));
  return number;
}

Wanted wanted_of(const std::optional<lang::fhir::Parameters>& parameters) {
  Wanted wanted;
  if (!parameters) return wanted;
  for (const auto& [name, values] : *parameters) {
    const std::string& value = values.back();
    if (name == "_count") {
      wanted.count = std::min<size_t>(number_of(name, value), lang::fhir::kCountMax);
    } else if (name == "page") {
      wanted.below = number_of(name, value);
    } else if (name == "_since") {
      const auto time = lang::fhir::parse_time(value);
      if (!time) throw fhir::invalid(cat("_since is no instant: ", value));
      wanted.since = time->begin;
    } else if (name != "_format") {
      throw fhir::not_supported(cat("the parameter ", name, " of a history"));
    }
  }
  return wanted;
}

class HistoryBundle {
 public:
  HistoryBundle(std::string url, const Wanted& wanted) : url_(std::move(url)), wanted_(wanted), writer_(entries_) {}

  // False: there is no room.
  bool add(const ResourceRecord& record) {
    if (record.version >= wanted_.below || record.updated < wanted_.since) return true;
    if (count_ >= wanted_.count || (count_ > 0 && entries_.size() + record.json.size() > kPageBytesMax)) {
      more_ = true;
      return false;
    }
    ++count_;
    last_ = record.version;
    write(record);
    return true;
  }

  [[nodiscard]] std::string finish(std::optional<uint64_t> total) const {
    std::string out = R"({"resourceType":"Bundle","type":"history")";
    if (total) out += cat(R"(,"total":)", *total);
    out += R"(,"link":[{"relation":"self","url":")" + url_ + "\"}";
    if (more_ && count_ > 0) {
      std::string query;
      append_parameter(query, "_count", std::to_string(wanted_.count));
      if (wanted_.since != lang::fhir::kBeginningOfTime) {
        append_parameter(query, "_since", lang::fhir::write_instant(wanted_.since));
      }
      append_parameter(query, "page", std::to_string(last_));
      out += cat(R"(,{"relation":"next","url":")", url_, "?", query, "\"}");
    }
    out += "]";
    if (count_ > 0) out += cat(R"(,"entry":[)", entries_, "]");
    return out + "}";
  }

 private:
  void write(const ResourceRecord& record) {
    const std::string_view resource_url =
        std::string_view(url_).substr(0, url_.size() - std::string_view("/_history").size());
    const auto text = [&](std::string_view name, std::string_view value) { writer_.key(name), writer_.string(value); };
    writer_.begin_object();
    text("fullUrl", resource_url);
    if (!record.deleted) writer_.key("resource"), writer_.raw(record.json);
    writer_.key("request");
    writer_.begin_object();
    text("method", record.deleted ? "DELETE" : record.version == 1 ? "POST" : "PUT");
    text("url", resource_url.substr(resource_url.find("/r4/") + 4));
    writer_.end_object();
    writer_.key("response");
    writer_.begin_object();
    text("status", record.deleted ? "204 No Content" : record.version == 1 ? "201 Created" : "200 OK");
    text("etag", tag_of_version(record.version));
    text("lastModified", lang::fhir::write_instant(record.updated));
    writer_.end_object();
    writer_.end_object();
  }

  const std::string url_;
  const Wanted wanted_;
  std::string entries_;
  json::Writer writer_;
  size_t count_ = 0;
  uint64_t last_ = 0;
  bool more_ = false;
};

}  // namespace

Task<rest::FhirAnswer> fhir_history(Service& service, wire::Context& context, const rest::FhirHistoryInput& request) {
  check_type(request.resource_type);
  check_id(request.resource_id);
  const Wanted wanted = wanted_of(request.parameters);
  const std::string name = cat(request.resource_type, "/", request.resource_id);
  const auto snapshot = service.store().snapshot();
  const Datastore datastore = co_await active_datastore(*snapshot, context, request.datastore_id);
  const DatastoreKeys keys(datastore.address.id);
  const auto newest = co_await snapshot->get(keys.resource(request.resource_type, request.resource_id));
  if (!newest) throw fhir::not_found(name);
  const ResourceRecord record = decode_resource(*newest);
  HistoryBundle bundle(cat(base_url(context, request.datastore_id), "/", name, "/_history"), wanted);
  if (bundle.add(record)) {
    store::Range range = keys.versions(request.resource_type, request.resource_id);
    if (wanted.below != UINT64_MAX)
      range.begin = keys.version(request.resource_type, request.resource_id, wanted.below);
    const store::EntryVisitor visit = [&](std::string_view, std::string_view value) {
      return bundle.add(decode_resource(value));
    };
    co_await snapshot->scan(range, store::Direction::forward, visit);
  }
  const bool is_whole = wanted.since == lang::fhir::kBeginningOfTime;
  rest::FhirAnswer out;
  out.body = bundle.finish(is_whole ? std::optional(record.version) : std::nullopt);
  co_return out;
}

}  // namespace tidemill::healthlake
