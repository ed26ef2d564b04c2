#include "services/states/item_manifest.h"

#include <charconv>

#include "base/text.h"
#include "engine/targets/bucket_access.h"
#include "lang/states/state_error.h"
#include "wire/gunzip_stream.h"

namespace tidemill::states {

using base::cat;

namespace {

constexpr std::string_view kBucketArn = "arn:aws:s3:::";

[[noreturn]] void fail(std::string cause) {
  throw asl::StateError(asl::error_name::kItemReaderFailed, std::move(cause), false);
}

std::optional<std::string> owner_of(const asl::ItemReader& reader) {
  if (reader.expected_bucket_owner.empty()) return std::nullopt;
  return reader.expected_bucket_owner;
}

// What an inventory's manifest says, as far as it is needed: "Inventory manifest" in the user guide of S3.
struct Manifest {
  std::string bucket;  // in which the files are
  std::vector<std::string> columns;
  std::vector<std::string> files;  // their keys
};

std::vector<std::string> columns_of(std::string_view schema) {
  std::vector<std::string> columns;
  while (!schema.empty()) {
    std::string_view name = schema.substr(0, schema.find(','));
    schema.remove_prefix(std::min(schema.size(), name.size() + 1));
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    columns.emplace_back(name);
  }
  return columns;
}

Manifest parse_manifest(std::string_view text) {
  const auto document = json::parse(text);
  if (!document || !document->is_object()) fail("The manifest is no JSON object.");
  const auto member = [&](std::string_view name) -> const std::string& {
    const json::Value* value = document->find(name);
    if (!value || !value->is_string()) fail(cat("The manifest lacks the field '", name, "'."));
    return value->string();
  };
  if (const std::string& format = member("fileFormat"); format != "CSV") {
    fail(cat("Inventories in the format ", format, " are not supported; they must be CSV."));
  }
  Manifest manifest{.bucket = member("destinationBucket"), .columns = columns_of(member("fileSchema")), .files = {}};
  if (manifest.bucket.starts_with(kBucketArn)) manifest.bucket.erase(0, kBucketArn.size());
  const json::Value* files = document->find("files");
  if (!files || !files->is_array()) fail("The manifest lacks the field 'files'.");
  for (const json::Value& file : files->array()) {
    const json::Value* key = file.find("key");
    if (!key || !key->is_string()) fail("A file of the manifest has no key.");
    manifest.files.push_back(key->string());
  }
  return manifest;
}

class ManifestItems final : public ItemSource {
 public:
  ManifestItems(wire::Platform& platform, LongEvaluations& evaluations, std::string arn, wire::Principal by,
                const asl::ItemReader& reader, ItemCursor cursor)
      : platform_(platform), evaluations_(evaluations), arn_(std::move(arn)), by_(std::move(by)),
        owner_(owner_of(reader)),
        bucket_(argument_of(reader.arguments, "Bucket", true, asl::error_name::kItemReaderFailed)),
        key_(argument_of(reader.arguments, "Key", true, asl::error_name::kItemReaderFailed)),
        where_(cat("S3://", bucket_, "/", key_)), cursor_(std::move(cursor)) {
    const std::string& token = cursor_.token;
    const size_t colon = token.find(':');
    if (colon == std::string::npos) return;
    std::from_chars(token.data(), token.data() + colon, file_);
    std::from_chars(token.data() + colon + 1, token.data() + token.size(), rows_);
    passing_ = rows_;
  }
  ~ManifestItems() override { evaluations_.let_go(manifest_bytes_, std::move(manifest_)); }

  Task<std::optional<SplitItem>> next() override {
    try {
      if (!manifest_) co_await read_manifest();
      while (file_ < manifest_->files.size()) {
        if (!rows_left_) co_await open();
        if (auto row = rows_left_->next()) {
          if (passing_ > 0) {
            --passing_;
          } else {
            co_return item_of(std::move(*row));
          }
        } else if (rows_left_->cursor().is_done) {
          rows_left_.reset();
          ++file_;
          rows_ = 0;
          passing_ = 0;
        } else {
          co_await feed();
        }
      }
      co_return std::nullopt;
    } catch (const engine::CallRefused& refused) {
      fail(refused.what());
    }
  }
  std::string where() const override { return where_; }

 private:
  SplitItem item_of(SplitItem row) {
    ++rows_;
    ++cursor_.index;
    cursor_.token = cat(file_, ":", rows_);
    row.after = cursor_;
    return row;
  }

  Task<void> read_manifest() {
    engine::BucketAccess bucket(platform_, arn_, bucket_, owner_, by_);
    const auto object = co_await bucket.get(key_, cursor_.etag);
    cursor_.etag = object.etag;
    std::string text;
    while (const auto piece = co_await object.body.read()) {
      text += *piece;
      if (text.size() > kManifestBytesMax) fail("The manifest is larger than 16 MiB.");
    }
    manifest_bytes_ = text.size();
    manifest_ = co_await evaluations_.run_large(
        text.size(), [&] { return std::make_unique<const Manifest>(parse_manifest(text)); });
  }

  Task<void> open() {
    const std::string& key = manifest_->files[file_];
    engine::BucketAccess bucket(platform_, arn_, manifest_->bucket, owner_, by_);
    body_ = (co_await bucket.get(key, "")).body;
    unpacker_ = key.ends_with(".gz") ? std::make_unique<wire::GunzipStream>() : nullptr;
    asl::ItemReader csv;
    csv.input_type = asl::ItemReader::InputType::csv;
    csv.header_location = asl::ItemReader::HeaderLocation::given;
    csv.headers = manifest_->columns;
    csv.delimiter = ',';
    rows_left_ = make_splitter(csv, {});
  }

  Task<void> feed() {
    if (unpacker_) {
      if (const auto part = unpacked()) co_return rows_left_->feed(*part);
    }
    auto piece = co_await body_->read();
    if (piece && unpacker_) {
      unpacker_->add(std::string(*piece));
    } else if (piece) {
      rows_left_->feed(*piece);
    } else {
      if (unpacker_ && !unpacker_->is_whole()) fail("A file of the inventory ends in its middle.");
      rows_left_->finish();
    }
  }

  std::optional<std::string_view> unpacked() {
    try {
      return unpacker_->next();
    } catch (const std::runtime_error&) {
      fail(cat("The file '", manifest_->files[file_], "' of the inventory is no gzip."));
    }
  }

  wire::Platform& platform_;
  LongEvaluations& evaluations_;
  const std::string arn_;
  const wire::Principal by_;
  const std::optional<std::string> owner_;
  const std::string bucket_;
  const std::string key_;
  const std::string where_;
  ItemCursor cursor_;
  std::unique_ptr<const Manifest> manifest_;  // null: not read yet
  size_t manifest_bytes_ = 0;
  size_t file_ = 0;
  uint64_t rows_ = 0;     // of the file, that are items by now
  uint64_t passing_ = 0;  // of these, still to be read again
  std::optional<wire::BodyStream> body_;
  std::unique_ptr<wire::GunzipStream> unpacker_;  // null: the file is not packed
  std::unique_ptr<ItemSplitter> rows_left_;
};

}  // namespace

std::unique_ptr<ItemSource> items_of_manifest(wire::Platform& platform, LongEvaluations& evaluations, std::string arn,
                                              wire::Principal by, const asl::ItemReader& reader, ItemCursor cursor) {
  return std::make_unique<ManifestItems>(platform, evaluations, std::move(arn), std::move(by), reader,
                                         std::move(cursor));
}

}  // namespace tidemill::states
