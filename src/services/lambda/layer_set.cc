#include "services/lambda/layer_set.h"

#include "base/hex.h"
#include "base/json_record.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "store/resources.h"

namespace tidemill::lambda {
namespace {

namespace fs = std::filesystem;
namespace json = base::json;

constexpr store::ResourceType kSets{"lambda", "layer-set"};
constexpr std::string_view kMerged = "layers-";

std::string key_of(std::string_view name) { return store::resource_key(kSets, "", "", name); }

int64_t count_of(const std::optional<std::string>& bytes) {
  return bytes ? json::Record("layer set", *bytes).integer("functions") : 0;
}

Task<void> change_count(store::Transaction& txn, std::string name, int64_t change) {
  const std::string key = key_of(name);
  const int64_t count = count_of(co_await txn.get(key)) + change;
  if (count <= 0) {
    txn.erase(key);
    co_return;
  }
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "functions", count);
  writer.end_object();
  txn.put(key, out);
}

void place(const fs::directory_entry& entry, const fs::path& target) {
  const bool is_directory = entry.is_directory() && !entry.is_symlink();
  if (is_directory && fs::is_directory(fs::symlink_status(target))) return;
  fs::remove_all(target);  // what a former layer has there
  if (is_directory) fs::create_directory(target);
  else if (entry.is_symlink()) fs::copy_symlink(entry.path(), target);
  else fs::create_hard_link(entry.path(), target);
}

}  // namespace

std::string layer_set_name(const std::vector<std::string>& digests) {
  if (digests.empty()) return "";
  if (digests.size() == 1) return digests.front();
  std::string all;
  for (const std::string& digest : digests) all += digest;
  return base::cat(kMerged, base::hex_of(crypto::sha256(all)));
}

bool is_merged_set(std::string_view name) { return name.starts_with(kMerged); }

Task<void> refer_to_layer_set(store::Transaction& txn, std::string name) {
  if (!is_merged_set(name)) return Task<void>::ready();
  return change_count(txn, std::move(name), 1);
}

Task<void> drop_layer_set(store::Transaction& txn, std::string name) {
  if (!is_merged_set(name)) return Task<void>::ready();
  return change_count(txn, std::move(name), -1);
}

Task<bool> is_layer_set_used(store::Snapshot& reader, std::string name) {
  co_return (co_await reader.get(key_of(name))).has_value();
}

void merge_layers(const std::vector<fs::path>& layers, const fs::path& into) {
  fs::create_directories(into);
  for (const fs::path& layer : layers) {
    for (const auto& entry : fs::recursive_directory_iterator(layer)) {
      place(entry, into / entry.path().lexically_relative(layer));
    }
  }
}

}  // namespace tidemill::lambda
