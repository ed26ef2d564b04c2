// Reads up to 100 items of any tables, from one snapshot. What there is no room or capacity for, and what faults take out
// (wire/faults.h), is given back as unprocessed.
#include <algorithm>
#include <span>

#include "lang/dynamodb/json_codec.h"
#include "services/dynamodb/capacity.h"
#include "services/dynamodb/expressions.h"
#include "services/dynamodb/item_checks.h"
#include "services/dynamodb/legacy_parameters.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/write_item.h"
#include "wire/faults.h"
#include "wire/large_work.h"

namespace tidemill::dynamodb {

namespace {

constexpr size_t kKeysMax = 100;
constexpr size_t kResponseBytesMax = 16 << 20;  // of items as they are stored

struct TableReads {
  const std::string* name;  // as in the request
  const shapes::KeysAndAttributes* request;
  std::optional<lang::dynamodb::Projection> projection;
  TablePtr table = nullptr;
  struct Key {
    ItemKey place;
    size_t number;  // in the request
  };
  std::vector<Key> keys = {};
  double units = 0;
};

std::vector<TableReads> parse(const shapes::BatchGetItemInput& request) {
  std::vector<TableReads> batch;
  size_t count = 0;
  const auto& items = request.request_items;
  // Also of different tables.
  check_not_mixed(
      {{"AttributesToGet",
        std::ranges::any_of(items, [](const auto& each) { return each.second.attributes_to_get.has_value(); })}},
      {{"ProjectionExpression",
        std::ranges::any_of(items, [](const auto& each) { return each.second.projection_expression.has_value(); })}});
  for (const auto& [name, part] : items) {
    count += part.keys.size();
    ExpressionParser parser(MessageStyle::bare, part.expression_attribute_names, std::nullopt,
                            {{"ProjectionExpression", part.projection_expression}});
    auto projection = parser.projection(part.projection_expression);
    parser.finish();
    if (!projection) projection = parse_attributes_to_get(MessageStyle::bare, part.attributes_to_get);
    batch.push_back({.name = &name, .request = &part, .projection = std::move(projection)});
  }
  if (count > kKeysMax) throw validation("Too many items requested for the BatchGetItem call");
  return batch;
}

// Keys that are spelled alike are refused; of those that differ only in how they spell a number the first is read.
void drop_duplicates(TableReads& part) {
  const auto& spelled = part.request->keys;
  std::vector<const TableReads::Key*> sorted;
  for (const TableReads::Key& key : part.keys) sorted.push_back(&key);
  std::ranges::sort(sorted, {}, [](const auto* key) { return std::pair(std::string_view(key->place.bytes), key->number); });
  std::vector<bool> again(spelled.size());
  for (size_t i = 0; i < sorted.size(); ++i) {
    for (size_t j = i; j-- > 0 && sorted[j]->place.bytes == sorted[i]->place.bytes;) {
      again[sorted[i]->number] = true;
      if (spelled_alike(spelled[sorted[i]->number], spelled[sorted[j]->number])) {
        throw validation("Provided list of item keys contains duplicates");
      }
    }
  }
  std::erase_if(part.keys, [&](const TableReads::Key& key) { return again[key.number]; });
}

void bind(TableReads& part) {
  check_scalar_keys(*part.table, part.projection);
  for (const auto& key : part.request->keys) {
    check_key(*part.table, key.item);
    part.keys.push_back({key_in(*part.table, key.item), part.keys.size()});
  }
  drop_duplicates(part);
}

// Collects what has been read, and from where on nothing fits any more.
struct Answer {
  Throttle& throttle;
  shapes::BatchGetItemOutput output;
  size_t bytes = 0;
  size_t keys = 0;  // looked at

  // `item` as it is shown, and the `size` of all of it as AWS weighs it.
  void add(TableReads& part, std::optional<Item> item, size_t size) {
    bytes += size;
    const double units = read_units(size, part.request->consistent_read.value_or(false));
    part.units += units;
    throttle.charge(*part.table, Throttle::Kind::read, units);
    ++keys;
    if (item) (*output.responses)[*part.name].push_back(*std::move(item));
  }

  [[nodiscard]] bool has_room_for(size_t size) const { return bytes == 0 || bytes + size <= kResponseBytesMax; }

  // The part's keys from the `from`th on that is still to be read.
  void leave(const TableReads& part, size_t from) {
    const auto [left, is_new] = output.unprocessed_keys->try_emplace(*part.name, *part.request);
    if (is_new) left->second.keys.clear();
    for (const TableReads::Key& key : std::span(part.keys).subspan(from)) {
      left->second.keys.push_back(part.request->keys[key.number]);
    }
  }
};

// Keys of the part that faults leave unread go into the answer as they came.
void take_out(wire::EntryFaults& faults, TableReads& part, shapes::BatchGetItemOutput& output) {
  std::vector<size_t> taken;
  std::erase_if(part.keys, [&](const TableReads::Key& key) {
    if (!faults.next("")) return false;
    taken.push_back(key.number);
    return true;
  });
  if (taken.empty()) return;
  shapes::KeysAndAttributes left = *part.request;
  left.keys.clear();
  for (const size_t number : taken) left.keys.push_back(part.request->keys[number]);
  output.unprocessed_keys->emplace(*part.name, std::move(left));
}

Task<void> read_table(Service& service, store::Snapshot& snapshot, TableReads& part, Answer& answer) {
  (*answer.output.responses)[*part.name];  // also where nothing is found
  for (size_t i = 0; i < part.keys.size(); ++i) {
    if (!answer.throttle.has_capacity(*part.table, Throttle::Kind::read)) {
      answer.leave(part, i);
      co_return;
    }
    auto stored = co_await snapshot.get(part.keys[i].place.bytes);
    // To weigh one of many values takes a millisecond, and to cut it another.
    std::optional<Item> item;
    const size_t size = co_await wire::do_large_joined(service.large_items(), stored ? stored->size() : 0, [&]() -> size_t {
      if (!stored) return 0;
      if (part.projection) item = lang::dynamodb::apply(*part.projection, ItemView(*stored));
      return lang::dynamodb::item_size(ItemView(*stored));
    });
    if (stored && !part.projection) item = Item::from_encoded(*std::move(stored));
    if (!answer.has_room_for(size)) {
      answer.leave(part, i);
      co_return;
    }
    answer.add(part, std::move(item), size);
  }
}

}  // namespace

Task<shapes::BatchGetItemOutput> batch_get_item(Service& service, wire::Context& context,
                                                const shapes::BatchGetItemInput& request) {
  std::vector<TableReads> batch = parse(request);
  const auto snapshot = context.store().snapshot();
  for (TableReads& part : batch) {
    const TableAddress address = resolve_table(context, *part.name);
    part.table = co_await service.tables().find(*snapshot, address);
    if (!part.table) throw resource_not_found();
    bind(part);
  }

  Answer answer{.throttle = service.throttle()};
  answer.output.responses.emplace();
  answer.output.unprocessed_keys.emplace();
  wire::EntryFaults faults(context, "dynamodb", "BatchGetItem");
  if (faults.any()) {
    for (TableReads& part : batch) take_out(faults, part, answer.output);
  }
  const bool any_left = std::ranges::any_of(batch, [](const TableReads& part) { return !part.keys.empty(); });
  for (TableReads& part : batch) co_await read_table(service, *snapshot, part, answer);
  if (answer.keys == 0 && any_left) answer.throttle.admit(*batch.front().table, Throttle::Kind::read);

  if (wants_capacity(request.return_consumed_capacity)) {
    answer.output.consumed_capacity.emplace();
    for (const TableReads& part : batch) {
      answer.output.consumed_capacity->push_back(
          *consumed_capacity(request.return_consumed_capacity, part.table->address.name, part.units));
    }
  }
  co_return std::move(answer.output);
}

}  // namespace tidemill::dynamodb
