#include "services/states/item_source.h"

#include "base/text.h"
#include "engine/targets/bucket_access.h"
#include "lang/states/state_error.h"
#include "services/states/item_manifest.h"

namespace tidemill::states {

using base::cat;

namespace {

[[noreturn]] void fail(std::string cause) {
  throw asl::StateError(asl::error_name::kItemReaderFailed, std::move(cause), false);
}

class InputItems final : public ItemSource {
 public:
  InputItems(asl::Document items, ItemCursor cursor) : items_(std::move(items)), cursor_(std::move(cursor)) {
    if (!items_->is_object()) return;
    member_ = items_->object().begin() + static_cast<ptrdiff_t>(cursor_.index);
  }

  Task<std::optional<SplitItem>> next() override {
    const bool is_object = items_->is_object();
    const size_t size = is_object ? items_->object().size() : items_->array().size();
    if (cursor_.index >= size) co_return std::nullopt;
    SplitItem item;
    if (is_object) {
      item.key = member_->first;
      item.value = asl::Document(items_, &member_->second);
      ++member_;
    } else {
      item.value = asl::Document(items_, &items_->array()[cursor_.index]);
    }
    ++cursor_.index;
    item.after = cursor_;
    co_return item;
  }

 private:
  const asl::Document items_;
  ItemCursor cursor_;
  json::Object::const_iterator member_;
};

class ObjectItems final : public ItemSource {
 public:
  ObjectItems(wire::Platform& platform, std::string arn, wire::Principal by, const asl::ItemReader& reader,
              ItemCursor cursor)
      : key_(argument_of(reader.arguments, "Key", true, asl::error_name::kItemReaderFailed)),
        where_(cat("S3://", argument_of(reader.arguments, "Bucket", true, asl::error_name::kItemReaderFailed), "/",
                   key_)),
        bucket_(platform, std::move(arn),
                argument_of(reader.arguments, "Bucket", true, asl::error_name::kItemReaderFailed),
                reader.expected_bucket_owner.empty() ? std::nullopt : std::optional(reader.expected_bucket_owner), std::move(by)),
        etag_(cursor.etag), splitter_(make_splitter(reader, std::move(cursor))) {}

  Task<std::optional<SplitItem>> next() override {
    for (;;) {
      if (auto item = splitter_->next()) {
        item->after.etag = etag_;
        co_return item;
      }
      if (splitter_->cursor().is_done) co_return std::nullopt;
      if (const auto piece = co_await read()) {
        splitter_->feed(*piece);
      } else {
        splitter_->finish();
      }
    }
  }
  std::string where() const override { return where_; }

 private:
  Task<std::optional<std::string>> read() {
    try {
      if (!body_) {
        auto object = co_await bucket_.get_from(key_, etag_, splitter_->cursor().offset);
        if (etag_.empty()) etag_ = object.etag;
        body_ = object.body;
      }
      co_return co_await body_->read();
    } catch (const engine::CallRefused& refused) {
      fail(refused.what());
    }
  }

  const std::string key_;
  const std::string where_;
  engine::BucketAccess bucket_;
  std::string etag_;
  std::unique_ptr<ItemSplitter> splitter_;
  std::optional<wire::BodyStream> body_;
};

class ListedItems final : public ItemSource {
 public:
  ListedItems(wire::Platform& platform, std::string arn, wire::Principal by, const asl::ItemReader& reader,
              ItemCursor cursor)
      : prefix_(argument_of(reader.arguments, "Prefix", false, asl::error_name::kItemReaderFailed)),
        where_(cat("S3://", argument_of(reader.arguments, "Bucket", true, asl::error_name::kItemReaderFailed))),
        bucket_(platform, std::move(arn),
                argument_of(reader.arguments, "Bucket", true, asl::error_name::kItemReaderFailed),
                reader.expected_bucket_owner.empty() ? std::nullopt : std::optional(reader.expected_bucket_owner), std::move(by)),
        cursor_(std::move(cursor)) {}

  Task<std::optional<SplitItem>> next() override {
    if (page_.empty() && has_more_) co_await read();
    if (page_.empty()) co_return std::nullopt;
    const engine::BucketAccess::Entry entry = std::move(page_.front());
    page_.pop_front();
    cursor_.token = entry.key;
    ++cursor_.index;
    const int64_t modified = std::chrono::floor<std::chrono::seconds>(entry.modified).time_since_epoch().count();
    SplitItem item{.value = asl::make_document(json::Object{{"Etag", entry.etag},
                                                            {"Key", entry.key},
                                                            {"LastModified", modified},
                                                            {"Size", entry.size},
                                                            {"StorageClass", entry.storage_class}}),
                   .key = {},
                   .after = cursor_};
    co_return item;
  }
  std::string where() const override { return where_; }

 private:
  Task<void> read() {
    try {
      auto page = co_await bucket_.list_entries(prefix_, cursor_.token);
      has_more_ = page.more;
      for (auto& entry : page.entries) page_.push_back(std::move(entry));
    } catch (const engine::CallRefused& refused) {
      fail(refused.what());
    }
  }

  const std::string prefix_;
  const std::string where_;
  engine::BucketAccess bucket_;
  ItemCursor cursor_;
  std::deque<engine::BucketAccess::Entry> page_;
  bool has_more_ = true;
};

// Of a reader whose arguments say nothing that could be read.
class NoItems final : public ItemSource {
 public:
  explicit NoItems(asl::StateError why) : why_(std::move(why)) {}
  Task<std::optional<SplitItem>> next() override { throw why_; }

 private:
  const asl::StateError why_;
};

std::unique_ptr<ItemSource> make_reader(wire::Platform& platform, LongEvaluations& evaluations, std::string arn,
                                        wire::Principal by, const asl::ItemReader& reader, ItemCursor cursor) {
  if (reader.resource.ends_with(":listObjectsV2")) {
    return std::make_unique<ListedItems>(platform, std::move(arn), std::move(by), reader, std::move(cursor));
  }
  if (reader.input_type == asl::ItemReader::InputType::manifest) {
    return items_of_manifest(platform, evaluations, std::move(arn), std::move(by), reader, std::move(cursor));
  }
  return std::make_unique<ObjectItems>(platform, std::move(arn), std::move(by), reader, std::move(cursor));
}

}  // namespace

std::string argument_of(const asl::Document& arguments, std::string_view name, bool is_required,
                        std::string_view error) {
  const json::Value* value = arguments ? arguments->find(name) : nullptr;
  if (value && value->is_string() && !value->string().empty()) return value->string();
  if (!is_required) return "";
  throw asl::StateError(error, cat("The field '", name, "' is required and must be a string."), false);
}

std::unique_ptr<ItemSource> items_of_input(asl::Document items, ItemCursor cursor) {
  return std::make_unique<InputItems>(std::move(items), std::move(cursor));
}

std::unique_ptr<ItemSource> items_of_reader(wire::Platform& platform, LongEvaluations& evaluations, std::string arn,
                                            wire::Principal by, const asl::ItemReader& reader, ItemCursor cursor) {
  try {
    return make_reader(platform, evaluations, std::move(arn), std::move(by), reader, std::move(cursor));
  } catch (const asl::StateError& error) {
    return std::make_unique<NoItems>(error);
  }
}

}  // namespace tidemill::states
