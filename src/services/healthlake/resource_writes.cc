#include "services/healthlake/resource_writes.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "lang/fhir/time_range.h"
#include "services/healthlake/errors.h"
#include "services/healthlake/store_keys.h"

namespace tidemill::healthlake {

using base::cat;

namespace {

// With id and meta behind the type.
std::string stored_json(const json::Value& resource, const Written& written) {
  json::Object meta;
  if (const json::Value* given = resource.find("meta")) meta = given->object();
  meta.set("versionId", std::to_string(written.version));
  meta.set("lastUpdated", lang::fhir::write_instant(written.updated));
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.key("resourceType"), writer.string(written.type);
  writer.key("id"), writer.string(written.id);
  writer.key("meta"), writer.value(json::Value(std::move(meta)));
  for (const auto& [name, value] : resource.object()) {
    if (name == "resourceType" || name == "id" || name == "meta") continue;
    writer.key(name);
    writer.value(value);
  }
  writer.end_object();
  return out;
}

void check_expected(const WriteTarget& target, uint64_t version) {
  if (target.expected && *target.expected != version) throw fhir::other_version(cat(target.type, "/", target.id));
}

// Moves what was there to the versions before, and tells what the next one is like.
Written begin_write(store::Transaction& txn, const Datastore& datastore, const WriteTarget& target,
                    const std::optional<std::string>& before, base::Time now) {
  Written written{.type = target.type, .id = target.id, .version = 1};
  written.updated = std::chrono::floor<std::chrono::milliseconds>(std::max(now, datastore.epoch_began));
  written.created = true;
  if (!before) return written;
  const ResourceRecord old = decode_resource(*before);
  written.version = old.version + 1;
  written.updated = std::max(written.updated, old.updated);
  written.created = old.deleted;
  txn.put(DatastoreKeys(datastore.address.id).version(target.type, target.id, old.version), *before);
  return written;
}

void finish_write(store::Transaction& txn, const Datastore& datastore, const Written& written, bool deleted) {
  const DatastoreKeys keys(datastore.address.id);
  txn.put(keys.resource(written.type, written.id), encode_resource({.deleted = deleted,
                                                                    .version = written.version,
                                                                    .epoch = datastore.epoch,
                                                                    .updated = written.updated,
                                                                    .json = written.json}));
  txn.put(keys.update(written.type, {written.updated, written.id, written.version}), "");
}

}  // namespace

Task<Written> put_resource(store::Transaction& txn, const Datastore& datastore, const WriteTarget& target,
                           const json::Value& resource, base::Time now) {
  const auto before = co_await txn.get(DatastoreKeys(datastore.address.id).resource(target.type, target.id));
  check_expected(target, before ? decode_resource(*before).version : 0);
  Written written = begin_write(txn, datastore, target, before, now);
  written.json = stored_json(resource, written);
  finish_write(txn, datastore, written, false);
  co_return written;
}

Task<Written> delete_resource(store::Transaction& txn, const Datastore& datastore, const WriteTarget& target,
                              base::Time now) {
  const auto before = co_await txn.get(DatastoreKeys(datastore.address.id).resource(target.type, target.id));
  check_expected(target, before ? decode_resource(*before).version : 0);
  if (!before || decode_resource(*before).deleted) co_return Written{.type = target.type, .id = target.id};
  Written written = begin_write(txn, datastore, target, before, now);
  finish_write(txn, datastore, written, true);
  co_return written;
}

std::optional<uint64_t> version_of_tag(const std::optional<std::string>& tag) {
  if (!tag) return std::nullopt;
  std::string_view text = *tag;
  if (text.starts_with("W/")) text.remove_prefix(2);
  const bool quoted = text.size() > 2 && text.starts_with('"') && text.ends_with('"');
  uint64_t version = 0;
  if (quoted) text = text.substr(1, text.size() - 2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (!quoted || error != std::errc() || end != text.data() + text.size()) {
    throw fhir::invalid(cat("If-Match names no version: ", *tag));
  }
  return version;
}

std::string tag_of_version(uint64_t version) { return cat("W/\"", version, "\""); }

}  // namespace tidemill::healthlake
