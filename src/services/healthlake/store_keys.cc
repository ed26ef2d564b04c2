#include "services/healthlake/store_keys.h"

#include <stdexcept>

#include "base/hex.h"
#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::healthlake {

namespace {

enum Kind : char { resource_kind = 1, update_kind, version_kind, job_kind, job_file_kind, job_token_kind };

base::OrderedReader reader_behind(std::string_view key, size_t prefix_size) {
  return base::OrderedReader(key.substr(prefix_size + 1));
}

}  // namespace

DatastoreKeys::DatastoreKeys(std::string_view datastore_id) : prefix_(1, static_cast<char>(store::KeySpace::fhir)) {
  constexpr size_t kIdBytes = 16;
  const auto bytes = base::bytes_of_hex(datastore_id);
  if (!bytes || bytes->size() != kIdBytes) throw std::runtime_error("the id of a data store is damaged");
  prefix_ += *bytes;
}

std::string DatastoreKeys::begin(char kind, std::string_view first) const {
  std::string key = prefix_;
  key.push_back(kind);
  base::append_string(key, first);
  return key;
}

std::string DatastoreKeys::resource(std::string_view type, std::string_view id) const {
  std::string key = begin(resource_kind, type);
  base::append_string(key, id);
  return key;
}

store::Range DatastoreKeys::resources(std::string_view type) const {
  return store::Range::prefix(begin(resource_kind, type));
}

std::string DatastoreKeys::id_of_resource(std::string_view key) const {
  auto reader = reader_behind(key, prefix_.size());
  (void)reader.string();
  return reader.string();
}

std::string DatastoreKeys::update(std::string_view type, const Update& update) const {
  std::string key = begin(update_kind, type);
  base::append_i64(key, update.time.time_since_epoch().count());
  base::append_string(key, update.id);
  base::append_u64(key, update.version);
  return key;
}

store::Range DatastoreKeys::updates(std::string_view type, base::Time begin_time, base::Time end_time) const {
  std::string first = begin(update_kind, type);
  std::string last = first;
  base::append_i64(first, begin_time.time_since_epoch().count());
  if (end_time == base::Time::max()) return {first, base::prefix_end(last)};
  base::append_i64(last, end_time.time_since_epoch().count());
  return {first, last};
}

DatastoreKeys::Update DatastoreKeys::update_of(std::string_view key) const {
  auto reader = reader_behind(key, prefix_.size());
  (void)reader.string();
  Update update;
  update.time = base::Time(base::Duration(reader.i64()));
  update.id = reader.string();
  update.version = reader.u64();
  if (!reader.ok()) throw std::runtime_error("the index of a data store is damaged");
  return update;
}

std::string DatastoreKeys::version(std::string_view type, std::string_view id, uint64_t version) const {
  std::string key = begin(version_kind, type);
  base::append_string(key, id);
  base::append_u64(key, ~version);
  return key;
}

store::Range DatastoreKeys::versions(std::string_view type, std::string_view id) const {
  std::string key = begin(version_kind, type);
  base::append_string(key, id);
  return store::Range::prefix(key);
}

std::string DatastoreKeys::job(std::string_view id) const { return begin(job_kind, id); }

store::Range DatastoreKeys::jobs() const { return store::Range::prefix(prefix_ + static_cast<char>(job_kind)); }

std::string DatastoreKeys::id_of_job(std::string_view key) const { return reader_behind(key, prefix_.size()).string(); }

std::string DatastoreKeys::job_file(std::string_view job, uint32_t number) const {
  std::string key = begin(job_file_kind, job);
  base::append_u32(key, number);
  return key;
}

store::Range DatastoreKeys::job_files(std::string_view job) const {
  return store::Range::prefix(begin(job_file_kind, job));
}

std::string DatastoreKeys::job_token(std::string_view token) const { return begin(job_token_kind, token); }

}  // namespace tidemill::healthlake
