#include "services/dynamodb/stream_record.h"

#include <cstring>

#include "base/json.h"
#include "lang/dynamodb/json_codec.h"
#include "services/dynamodb/sequence_number.h"

namespace tidemill::dynamodb {

namespace {

constexpr char kVersion = 1;
constexpr size_t kHeaderSize = 2;
constexpr uint8_t kEventMask = 0x03;
constexpr uint8_t kHasKeys = 0x04;
constexpr uint8_t kHasNew = 0x08;
constexpr uint8_t kHasOld = 0x10;
constexpr uint8_t kExpired = 0x20;

constexpr std::string_view kEventNames[] = {"INSERT", "MODIFY", "REMOVE"};

bool shows_new(ViewType type) { return type == ViewType::new_image || type == ViewType::new_and_old_images; }
bool shows_old(ViewType type) { return type == ViewType::old_image || type == ViewType::new_and_old_images; }

void append_part(std::string& out, std::string_view part) {
  const auto size = static_cast<uint32_t>(part.size());
  out.append(reinterpret_cast<const char*>(&size), sizeof(size));
  out.append(part);
}

std::optional<ItemView> take_part(std::string_view& rest) {
  uint32_t size;
  if (rest.size() < sizeof(size)) return std::nullopt;
  std::memcpy(&size, rest.data(), sizeof(size));
  rest.remove_prefix(sizeof(size));
  if (rest.size() < size) return std::nullopt;
  const ItemView part(rest.substr(0, size));
  rest.remove_prefix(size);
  return part;
}

uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

std::string_view event_name_text(EventName name) { return kEventNames[static_cast<size_t>(name)]; }

size_t ChangeRecord::size_bytes() const {
  using lang::dynamodb::item_size;
  return item_size(keys) + (new_image ? item_size(*new_image) : 0) + (old_image ? item_size(*old_image) : 0);
}

Item key_of(ItemView item, std::string_view partition_name, std::string_view sort_name) {
  lang::dynamodb::MembersBuilder builder;
  if (const auto partition = item.find(partition_name)) builder.add(partition_name, *partition);
  if (!sort_name.empty()) {
    if (const auto sort = item.find(sort_name)) builder.add(sort_name, *sort);
  }
  return builder.build_item();
}

std::string encode_change(ViewType view_type, std::string_view partition_name, std::string_view sort_name,
                          std::optional<ItemView> before, std::optional<ItemView> after, bool expired) {
  const EventName event = !before ? EventName::insert : after ? EventName::modify : EventName::remove;
  const ItemView some = after ? *after : *before;
  if (!shows_new(view_type)) after.reset();
  if (!shows_old(view_type)) before.reset();
  std::string out;
  const bool with_keys = !after && !before;
  out.reserve(kHeaderSize + 16 + (after ? after->encoded().size() : 0) + (before ? before->encoded().size() : 0) +
              (with_keys ? 128 : 0));
  out.push_back(kVersion);
  out.push_back(static_cast<char>(static_cast<uint8_t>(event) | (with_keys ? kHasKeys : 0) | (after ? kHasNew : 0) |
                                  (before ? kHasOld : 0) | (expired ? kExpired : 0)));
  if (with_keys) append_part(out, key_of(some, partition_name, sort_name).encoded());
  if (after) append_part(out, after->encoded());
  if (before) append_part(out, before->encoded());
  return out;
}

std::optional<ChangeRecord> decode_change(std::string_view bytes, std::string_view partition_name,
                                          std::string_view sort_name) {
  if (bytes.size() < kHeaderSize || bytes[0] != kVersion) return std::nullopt;
  const auto flags = static_cast<uint8_t>(bytes[1]);
  bytes.remove_prefix(kHeaderSize);
  ChangeRecord change{.event = static_cast<EventName>(flags & kEventMask), .expired = (flags & kExpired) != 0};
  std::optional<ItemView> keys;
  if ((flags & kHasKeys) && !(keys = take_part(bytes))) return std::nullopt;
  if ((flags & kHasNew) && !(change.new_image = take_part(bytes))) return std::nullopt;
  if ((flags & kHasOld) && !(change.old_image = take_part(bytes))) return std::nullopt;
  if (keys) {
    change.keys = Item(*keys);
  } else {
    change.keys = key_of(change.new_image ? *change.new_image : change.old_image.value_or(ItemView()),
                         partition_name, sort_name);
  }
  return change;
}

std::string event_id(const store::LogId& log, store::Position position) {
  uint64_t seed = 0;
  for (const char c : log.bytes) seed = seed * 0x100000001b3 + static_cast<uint8_t>(c);
  // Each half is a bijection of the position's part, so two records of a log never share both.
  const uint64_t high = mixed(position.version.value ^ seed);
  const uint64_t low = mixed((uint64_t{position.index} + 1) * 0x9e3779b97f4a7c15 ^ high);
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text(32, '0');
  for (int i = 0; i < 16; ++i) {
    text[i] = kHex[(high >> (60 - 4 * i)) & 15];
    text[16 + i] = kHex[(low >> (60 - 4 * i)) & 15];
  }
  return text;
}

std::string lambda_event_json(const ChangeRecord& change, const Stream& stream, std::string_view stream_arn,
                              const store::LogId& log, store::Position position) {
  using lang::dynamodb::write;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(position.version.time().time_since_epoch());
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  writer.key("eventID"), writer.string(event_id(log, position));
  writer.key("eventName"), writer.string(event_name_text(change.event));
  writer.key("eventVersion"), writer.string("1.1");
  writer.key("eventSource"), writer.string("aws:dynamodb");
  writer.key("awsRegion"), writer.string(stream.address.table.region);
  writer.key("dynamodb");
  writer.begin_object();
  writer.key("ApproximateCreationDateTime"), writer.raw(std::to_string(seconds.count()) + ".0");
  writer.key("Keys"), write(writer, change.keys.view());
  if (change.new_image) writer.key("NewImage"), write(writer, *change.new_image);
  if (change.old_image) writer.key("OldImage"), write(writer, *change.old_image);
  writer.key("SequenceNumber"), writer.string(sequence_number(position));
  writer.key("SizeBytes"), writer.integer(change.size_bytes());
  writer.key("StreamViewType"), writer.string(view_type_name(stream.view_type));
  writer.end_object();
  if (change.expired) {
    writer.key("userIdentity");
    writer.begin_object();
    writer.key("type"), writer.string("Service");
    writer.key("principalId"), writer.string("dynamodb.amazonaws.com");
    writer.end_object();
  }
  writer.key("eventSourceARN"), writer.string(stream_arn);
  writer.end_object();
  return text;
}

}  // namespace tidemill::dynamodb
