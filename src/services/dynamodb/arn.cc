#include "services/dynamodb/arn.h"

#include <algorithm>
#include <cctype>

#include "services/dynamodb/errors.h"

namespace tidemill::dynamodb {

namespace {

constexpr std::string_view kPrefix = "arn:aws:dynamodb:";
constexpr std::string_view kTableResource = "table/";
constexpr std::string_view kStreamResource = "stream/";

// Takes what stands before `separator` off the front; nothing if there is no separator.
std::optional<std::string_view> take(std::string_view& rest, char separator) {
  const size_t at = rest.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(at + 1);
  return part;
}

bool take_prefix(std::string_view& rest, std::string_view prefix) {
  if (!rest.starts_with(prefix)) return false;
  rest.remove_prefix(prefix.size());
  return true;
}

// Everything up to "table/"; `rest` then begins with the name.
bool take_table_head(std::string_view& rest, TableAddress& table) {
  if (!take_prefix(rest, kPrefix)) return false;
  const auto region = take(rest, ':');
  const auto account = region ? take(rest, ':') : std::nullopt;
  if (!account || !take_prefix(rest, kTableResource)) return false;
  table.region = *region;
  table.account = *account;
  return true;
}

bool is_stream_label(std::string_view label) {
  return !label.empty() && std::ranges::all_of(label, [](unsigned char c) {
    return std::isdigit(c) || c == '-' || c == ':' || c == '.' || c == 'T';
  });
}

}  // namespace

std::string TableAddress::arn() const {
  return std::string(kPrefix) + region + ":" + account + ":" + std::string(kTableResource) + name;
}

std::string StreamAddress::arn() const { return table.arn() + "/" + std::string(kStreamResource) + label; }

std::optional<TableAddress> parse_table_arn(std::string_view arn) {
  TableAddress table;
  if (!take_table_head(arn, table) || !is_table_name(arn)) return std::nullopt;
  table.name = arn;
  return table;
}

std::optional<StreamAddress> parse_stream_arn(std::string_view arn) {
  StreamAddress stream;
  if (!take_table_head(arn, stream.table)) return std::nullopt;
  const auto name = take(arn, '/');
  if (!name || !is_table_name(*name) || !take_prefix(arn, kStreamResource) || !is_stream_label(arn)) {
    return std::nullopt;
  }
  stream.table.name = *name;
  stream.label = arn;
  return stream;
}

bool is_table_name(std::string_view name) {
  return name.size() >= kTableNameSizeMin && name.size() <= kTableNameSizeMax &&
         std::ranges::all_of(
             name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; });
}

TableAddress resolve_table(const wire::Context& context, std::string_view name_or_arn) {
  if (is_table_name(name_or_arn)) return {context.account, context.region, std::string(name_or_arn)};
  if (!name_or_arn.starts_with("arn:")) {
    throw validation(
        "Invalid table/index name.  Table/index names must be between 3 and 255 characters long, and may contain only "
        "the characters a-z, A-Z, 0-9, '_', '-', and '.'");
  }
  auto table = parse_table_arn(name_or_arn);
  if (!table) throw validation("Invalid table ARN: " + std::string(name_or_arn));
  if (table->region != context.region) {
    throw validation("The region of the table ARN does not match the region of the request: " +
                     std::string(name_or_arn));
  }
  if (table->account != context.account) throw resource_not_found();
  return *std::move(table);
}

}  // namespace tidemill::dynamodb
