#include "services/dynamodb/import_items.h"

#include "base/base64.h"
#include "base/utf8.h"
#include "lang/dynamodb/ion_codec.h"
#include "lang/dynamodb/json_codec_simdjson.h"
#include "services/dynamodb/item_checks.h"

namespace tidemill::dynamodb {

namespace {

using lang::dynamodb::ValueError;

constexpr std::string_view kItemMember = "Item";

[[noreturn]] void refuse_file(const std::string& message) { throw RecordError(message, true); }
[[noreturn]] void refuse_item(const std::string& message) { throw RecordError(message, false); }

Item read_ion(std::string_view record) {
  const Item document = lang::dynamodb::item_from_ion(record);
  const auto item = document.find(kItemMember);
  if (!item || item->type() != Type::M) refuse_file("The Item member is missing in the Ion struct");
  return Item(ItemView::of_map(*item));
}

Value value_of(const std::string& text, Type type) {
  if (type == Type::N) {
    const auto number = base::Decimal::parse(text);
    if (!number) refuse_item(base::decimal_error_message(number.error(), text));
    return Value::number(*number);
  }
  if (type == Type::B) {
    const auto bytes = base::base64_decode(text);
    if (!bytes) refuse_item("The value of a binary key is not valid base64");
    return Value::binary(*bytes);
  }
  return Value::string(text);
}

}  // namespace

struct ItemReader::Parser {
  simdjson::ondemand::parser parser;
  std::string text;  // with simdjson's padding behind it
};

ItemReader::ItemReader(const Table& table, SourceFormat format, CsvFormat csv)
    : table_(table),
      format_(format),
      delimiter_(csv.delimiter),
      header_(std::move(csv.header)),
      parser_(std::make_unique<Parser>()) {}

ItemReader::~ItemReader() = default;

std::optional<Item> ItemReader::read(std::string_view record) {
  if (take_header(record)) return std::nullopt;
  Item item;
  try {
    item = format_ == SourceFormat::csv   ? read_csv(record)
           : format_ == SourceFormat::ion ? read_ion(record)
                                          : read_json(record);
  } catch (const ValueError& error) {
    refuse_file(error.what());
  } catch (const simdjson::simdjson_error& error) {
    refuse_file(std::string("The item is not valid JSON: ") + error.what());
  }
  try {
    check_item_key(table_, item.view());
    check_item_size(item.view());
  } catch (const wire::Error& error) {
    refuse_item(error.message);
  }
  return item;
}

bool ItemReader::skip(std::string_view record) { return !take_header(record); }

bool ItemReader::take_header(std::string_view record) {
  if (format_ != SourceFormat::csv || !header_.empty()) return false;
  header_ = split(record);
  if (!base::is_utf8(record)) refuse_file("The header is not valid UTF-8");
  for (const std::string& name : header_) {
    if (name.empty()) refuse_file("A name in the header is empty");
  }
  return true;
}

Item ItemReader::read_json(std::string_view record) {
  std::string& text = parser_->text;
  text.assign(record);
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  simdjson::ondemand::document document = parser_->parser.iterate(text.data(), text.size(), text.capacity());
  std::optional<Item> item;
  // To the object's end, so that what follows the item is looked at, too.
  for (simdjson::ondemand::field member : document.get_object()) {
    const std::string_view name = member.unescaped_key();
    if (name == kItemMember) item = lang::dynamodb::decode_item(member.value());
  }
  if (!item) refuse_file("The Item member is missing in the JSON object");
  return *std::move(item);
}

Item ItemReader::read_csv(std::string_view record) const {
  if (!base::is_utf8(record)) refuse_file("The line is not valid UTF-8");
  const std::vector<std::string> values = split(record);
  if (values.size() != header_.size()) {
    refuse_item("The line has " + std::to_string(values.size()) + " values, the header " +
                std::to_string(header_.size()));
  }
  std::vector<std::pair<std::string, Value>> members;
  for (size_t i = 0; i < values.size(); ++i) {
    members.emplace_back(header_[i], value_of(values[i], type_of(header_[i])));
  }
  const Value map = Value::map(std::move(members));
  return Item(ItemView::of_map(map.view()));
}

// RFC 4180: a value in double quotes may hold delimiters, ends of lines and, doubled, quotes.
std::vector<std::string> ItemReader::split(std::string_view record) const {
  std::vector<std::string> values(1);
  bool quoted = false;
  for (size_t i = 0; i < record.size(); ++i) {
    const char c = record[i];
    if (c == '"') {
      if (quoted && i + 1 < record.size() && record[i + 1] == '"')
        values.back().push_back(record[++i]);
      else
        quoted = !quoted;
    } else if (c == delimiter_ && !quoted) {
      values.emplace_back();
    } else {
      values.back().push_back(c);
    }
  }
  return values;
}

Type ItemReader::type_of(std::string_view attribute) const {
  const auto is_named = [&](const KeyAttribute& key) { return key.name == attribute; };
  if (is_named(table_.partition)) return table_.partition.type;
  if (table_.sort && is_named(*table_.sort)) return table_.sort->type;
  for (const Index& index : table_.indexes) {
    const auto key = std::ranges::find_if(index.entry_key, is_named);
    if (key != index.entry_key.end()) return key->type;
  }
  return Type::S;
}

}  // namespace tidemill::dynamodb
