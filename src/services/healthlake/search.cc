#include "services/healthlake/search.h"

#include <algorithm>
#include <memory>

#include "base/executor.h"
#include "base/hex.h"
#include "base/text.h"
#include "services/healthlake/errors.h"
#include "services/healthlake/fhir_answers.h"
#include "services/healthlake/resource_record.h"
#include "services/healthlake/store_keys.h"

namespace tidemill::healthlake {

using lang::fhir::SearchQuery;

namespace {

// What is read before any of it is looked at.
constexpr size_t kBatchEntries = 64;
constexpr size_t kBatchBytes = 256 << 10;

// Something that may match.
struct Candidate {
  std::string id;
  std::string position;  // the search goes on behind it
  std::string bytes;     // of the resource's record
};

// Candidates in an order of their own, a batch at a time; an empty batch is the end.
class Candidates {
 public:
  virtual ~Candidates() = default;
  virtual Task<std::vector<Candidate>> next() = 0;
};

// Where to look, which all of them need.
struct Place {
  store::Snapshot& snapshot;
  DatastoreKeys keys;
  std::string type;
};

class ByIds final : public Candidates {
 public:
  ByIds(Place place, std::vector<std::string> ids, const std::string& after)
      : place_(std::move(place)), ids_(std::move(ids)) {
    if (!after.empty()) at_ = static_cast<size_t>(std::ranges::upper_bound(ids_, after) - ids_.begin());
  }
  Task<std::vector<Candidate>> next() override {
    std::vector<Candidate> batch;
    for (; at_ < ids_.size() && batch.size() < kBatchEntries; ++at_) {
      auto bytes = co_await place_.snapshot.get(place_.keys.resource(place_.type, ids_[at_]));
      if (bytes) batch.push_back({ids_[at_], ids_[at_], *std::move(bytes)});
      if (batch.empty() && base::slice_is_over()) co_await base::give_way();
    }
    co_return batch;
  }

 private:
  Place place_;
  std::vector<std::string> ids_;
  size_t at_ = 0;
};

class ByTime final : public Candidates {
 public:
  ByTime(Place place, const lang::fhir::TimeRange& updated, const std::string& after)
      : place_(std::move(place)), range_(place_.keys.updates(place_.type, updated.begin, updated.end)) {
    if (updated.begin >= updated.end) range_.end = range_.begin;
    if (!after.empty()) range_.begin = after_checked(after);
  }
  Task<std::vector<Candidate>> next() override {
    std::vector<Candidate> batch;
    while (batch.empty() && range_.begin < range_.end) {
      const std::vector<std::string> updates = co_await read_keys();
      for (const std::string& key : updates) {
        const auto update = place_.keys.update_of(key);
        auto bytes = co_await place_.snapshot.get(place_.keys.resource(place_.type, update.id));
        // The entries of versions that are not the newest stay for exports.
        if (!bytes || decode_resource(*bytes).version != update.version) continue;
        batch.push_back({update.id, key, *std::move(bytes)});
      }
      if (updates.size() < kBatchEntries)
        range_.begin = range_.end;
      else
        range_.begin = updates.back() + '\0';
      if (base::slice_is_over(updates.size())) co_await base::give_way();
    }
    co_return batch;
  }

 private:
  [[nodiscard]] std::string after_checked(const std::string& after) const {
    if (after < range_.begin || after >= range_.end) throw fhir::invalid("The page is of another search");
    return after + '\0';
  }
  Task<std::vector<std::string>> read_keys() {
    std::vector<std::string> keys;
    const store::EntryVisitor visit = [&](std::string_view key, std::string_view) {
      keys.emplace_back(key);
      return true;
    };
    co_await place_.snapshot.scan(range_, store::first(kBatchEntries), visit);
    co_return keys;
  }

  Place place_;
  store::Range range_;
};

class OfType final : public Candidates {
 public:
  OfType(Place place, const std::string& after) : place_(std::move(place)), range_(place_.keys.resources(place_.type)) {
    if (!after.empty()) range_.begin = place_.keys.resource(place_.type, after) + '\0';
  }
  Task<std::vector<Candidate>> next() override {
    std::vector<Candidate> batch;
    size_t bytes = 0;
    std::string last;
    const store::EntryVisitor visit = [&](std::string_view key, std::string_view value) {
      if (bytes >= kBatchBytes) return false;
      bytes += value.size();
      last = key;
      std::string id = place_.keys.id_of_resource(key);
      batch.push_back({id, id, std::string(value)});
      return true;
    };
    if (range_.begin < range_.end) co_await place_.snapshot.scan(range_, store::first(kBatchEntries), visit);
    range_.begin = batch.empty() ? range_.end : last + '\0';
    co_return batch;
  }

 private:
  Place place_;
  store::Range range_;
};

std::unique_ptr<Candidates> candidates_of(Place place, const SearchQuery& query, const std::string& after) {
  if (query.ids) return std::make_unique<ByIds>(std::move(place), *query.ids, after);
  if (query.updated.begin != lang::fhir::kBeginningOfTime || query.updated.end != lang::fhir::kEndOfTime) {
    return std::make_unique<ByTime>(std::move(place), query.updated, after);
  }
  return std::make_unique<OfType>(std::move(place), after);
}

bool matches(const SearchQuery& query, const ResourceRecord& record) {
  if (record.deleted) return false;
  if (query.filters.empty()) return query.matches(json::Value(), record.updated);
  const auto resource = json::parse(record.json);
  if (!resource) throw std::runtime_error("a stored resource is damaged");
  return query.matches(*resource, record.updated);
}

std::string position_of_page(const std::string& page) {
  if (page.empty()) return {};
  const auto position = base::bytes_of_hex(page);
  if (!position || position->empty()) throw fhir::invalid("The page is of another search");
  return *position;
}

// Gathers what matches, as far as it belongs to the page.
class PageBuilder {
 public:
  explicit PageBuilder(const SearchQuery& query) : query_(query), counts_(query.only_total || query.with_total) {}

  // Whether more is wanted.
  [[nodiscard]] bool add(Candidate& candidate, std::string_view json) {
    ++total_;
    const bool has_room = page_.resources.size() < static_cast<size_t>(query_.count) &&
                          (page_.resources.empty() || bytes_ + json.size() <= kSearchPageBytesMax);
    if (query_.only_total) return true;
    if (!is_full_ && has_room) {
      bytes_ += json.size();
      last_ = candidate.position;
      page_.resources.push_back({candidate.id, std::string(json)});
      return true;
    }
    is_full_ = true;
    return counts_;
  }
  [[nodiscard]] SearchPage finish() {
    if (is_full_) page_.next = base::hex_of(last_);
    if (counts_) page_.total = total_;
    return std::move(page_);
  }

 private:
  const SearchQuery& query_;
  const bool counts_;
  SearchPage page_;
  std::string last_;
  size_t bytes_ = 0;
  uint64_t total_ = 0;
  bool is_full_ = false;
};

// All that match, from the beginning.
Task<uint64_t> count_matches(Place place, const SearchQuery& query) {
  const auto candidates = candidates_of(std::move(place), query, "");
  uint64_t total = 0;
  for (auto batch = co_await candidates->next(); !batch.empty(); batch = co_await candidates->next()) {
    for (const Candidate& candidate : batch) {
      if (matches(query, decode_resource(candidate.bytes))) ++total;
      if (base::slice_is_over(1 + candidate.bytes.size() / 256)) co_await base::give_way();
    }
  }
  co_return total;
}

}  // namespace

Task<SearchPage> find_resources(store::Snapshot& snapshot, const Datastore& datastore, std::string_view type,
                                const SearchQuery& query) {
  const Place place{snapshot, DatastoreKeys(datastore.address.id), std::string(type)};
  const std::string after = position_of_page(query.page);
  const auto candidates = candidates_of(place, query, after);
  PageBuilder page(query);
  bool wanted = true;
  for (auto batch = co_await candidates->next(); wanted && !batch.empty(); batch = co_await candidates->next()) {
    for (Candidate& candidate : batch) {
      const ResourceRecord record = decode_resource(candidate.bytes);
      wanted = !matches(query, record) || page.add(candidate, record.json);
      if (!wanted) break;
      // Parsing takes about a microsecond for each 256 bytes.
      if (base::slice_is_over(1 + candidate.bytes.size() / 256)) co_await base::give_way();
    }
    if (!wanted) break;
  }
  SearchPage found = page.finish();
  // A total is of all pages.
  if (found.total && !after.empty()) found.total = co_await count_matches(place, query);
  co_return found;
}

std::string write_searchset(std::string_view base_url, std::string_view type, const lang::fhir::Parameters& parameters,
                            const SearchQuery& query, const SearchPage& page) {
  std::string own;
  std::string rest;
  for (const std::string& name : query.used) {
    for (const std::string& value : parameters.at(name)) {
      append_parameter(own, name, value);
      if (name != "page") append_parameter(rest, name, value);
    }
  }
  std::string out;
  json::Writer writer(out);
  const auto text = [&](std::string_view name, std::string_view value) { writer.key(name), writer.string(value); };
  const auto link = [&](std::string_view relation, const std::string& search) {
    writer.begin_object();
    text("relation", relation);
    text("url", base::cat(base_url, "/", type, search.empty() ? "" : "?", search));
    writer.end_object();
  };
  writer.begin_object();
  text("resourceType", "Bundle");
  text("type", "searchset");
  if (page.total) writer.key("total"), writer.integer(*page.total);
  writer.key("link");
  writer.begin_array();
  link("self", own);
  if (!page.next.empty()) {
    append_parameter(rest, "page", page.next);
    link("next", rest);
  }
  writer.end_array();
  if (!page.resources.empty()) {
    writer.key("entry");
    writer.begin_array();
    for (const Found& found : page.resources) {
      writer.begin_object();
      text("fullUrl", base::cat(base_url, "/", type, "/", found.id));
      writer.key("resource"), writer.raw(found.json);
      writer.key("search"), writer.raw(R"({"mode":"match"})");
      writer.end_object();
    }
    writer.end_array();
  }
  writer.end_object();
  return out;
}

Task<std::string> search(store::Snapshot& snapshot, const Datastore& datastore, std::string_view base_url,
                         std::string_view type, const lang::fhir::Parameters& parameters,
                         lang::fhir::Handling handling) {
  SearchQuery query;
  try {
    query = SearchQuery::parse(type, parameters, handling);
  } catch (const lang::fhir::SearchError& error) {
    throw fhir::of_search(error);
  }
  const SearchPage page = co_await find_resources(snapshot, datastore, type, query);
  co_return write_searchset(base_url, type, parameters, query, page);
}

}  // namespace tidemill::healthlake
