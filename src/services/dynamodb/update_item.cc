// Changes attributes of an item, or makes one that has its key alone.
#include <algorithm>
#include <array>

#include "services/dynamodb/capacity.h"
#include "services/dynamodb/collection_metrics.h"
#include "services/dynamodb/item_checks.h"
#include "services/dynamodb/item_writes.h"
#include "services/dynamodb/legacy_parameters.h"
#include "services/dynamodb/operations.h"

namespace tidemill::dynamodb {

namespace {

using lang::dynamodb::Update;

class UpdateItem final : public ItemOperation {
 public:
  UpdateItem(const shapes::UpdateItemInput& request, MessageStyle style)
      : ItemOperation({request.table_name, request.return_values, request.return_consumed_capacity,
                       request.return_values_on_condition_check_failure, request.expression_attribute_values}),
        key_(request.key),
        expected_(request.expected),
        attribute_updates_(request.attribute_updates) {
    always_needs_item_ = true;
    check_not_mixed({{"AttributeUpdates", request.attribute_updates.has_value()},
                     {"Expected", request.expected.has_value()},
                     {"ConditionalOperator", request.conditional_operator.has_value()}},
                    {{"UpdateExpression", request.update_expression.has_value()},
                     {"ConditionExpression", request.condition_expression.has_value()}});
    ExpressionParser parser(style, request.expression_attribute_names, values_,
                            {{"UpdateExpression", request.update_expression},
                             {"ConditionExpression", request.condition_expression}});
    update_ = parser.update(request.update_expression);
    condition_ = parser.condition(request.condition_expression);
    parser.finish();
    if (!update_) update_ = parse_attribute_updates(attribute_updates_);
    if (!condition_) condition_ = parse_expected(expected_, request.conditional_operator);
  }

  [[nodiscard]] Outcome apply(std::optional<ItemView> before) const override {
    check_condition(before);
    if (!before && only_removes()) return {.after = After::none(), .write_units = units(before, std::nullopt)};
    Item updated = changed(before.value_or(key_.view()));
    Outcome outcome{.attributes = attributes(before, updated), .write_units = units(before, updated)};
    outcome.after = After::of(std::move(updated));
    return outcome;
  }

 protected:
  ItemView checked_key(const Table& table) const override {
    if (update_) check_scalar_keys(table, *update_);
    check_key(table, key_);
    if (update_) {
      const lang::dynamodb::KeySchema schema = table.key_schema();
      const std::array<std::string_view, 2> keys{schema.partition_name, schema.sort_name};
      with_expression_errors(MessageStyle::bare, [&] { check_key_untouched(*update_, keys); });
    }
    return key_;
  }
  [[nodiscard]] size_t paths() const override {
    return ItemOperation::paths() + (update_ ? update_->operand_paths.size() : 0);
  }

 private:
  // Removing from an item that does not exist does not make one (as AWS, though its documents do not say so).
  [[nodiscard]] bool only_removes() const {
    return update_ && std::ranges::all_of(update_->actions, [](const Update::Action& action) {
             return action.section == Update::Section::remove || action.section == Update::Section::del;
           });
  }

  [[nodiscard]] Item changed(ItemView before) const {
    if (!update_) return Item(before);
    auto updated = lang::dynamodb::apply(*update_, before);
    if (!updated) throw expression_error(MessageStyle::bare, updated.error());
    if (updated->encoded().size() > lang::dynamodb::kItemSizeMax / 2 &&
        lang::dynamodb::item_size(*updated) > lang::dynamodb::kItemSizeMax) {
      throw validation("Item size to update has exceeded the maximum allowed size");
    }
    check_computed_index_keys(*updated);
    return *std::move(updated);
  }

  // An index's key that the request does not bring itself, of a type that it cannot have.
  void check_computed_index_keys(ItemView updated) const {
    for (size_t i = 0; i < update_->actions.size() && !table().indexes.empty(); ++i) {
      const Update::Action& action = update_->actions[i];
      const bool is_computed = action.section == Update::Section::set &&
                               update_->operands[action.operand].kind != Update::Operand::Kind::value;
      const std::string_view target = update_->paths.paths[i].attribute();
      const auto value = is_computed ? updated.find(target) : std::nullopt;
      if (!value) continue;
      for (const Index& index : table().indexes) {
        const auto key = std::ranges::find(index.entry_key, target, &KeyAttribute::name);
        if (key == index.entry_key.end() || key->type == value->type()) continue;
        throw validation("The update expression attempted to update the secondary index key to unsupported type");
      }
    }
  }

  [[nodiscard]] std::optional<Item> attributes(std::optional<ItemView> before, const Item& after) const {
    if (return_values_ == "ALL_NEW") return after;
    if (return_values_ == "ALL_OLD" && before) return Item(*before);
    if (!update_) return std::nullopt;
    Item part;
    if (return_values_ == "UPDATED_OLD" && before) part = lang::dynamodb::apply(update_->paths, *before);
    if (return_values_ == "UPDATED_NEW") part = lang::dynamodb::apply(update_->paths, after);
    if (part.empty()) return std::nullopt;
    return part;
  }

  const Item key_;
  const LegacyExpected expected_;
  const LegacyUpdates attribute_updates_;
  std::optional<Update> update_;
};

}  // namespace

std::shared_ptr<ItemOperation> make_update(const shapes::UpdateItemInput& request, MessageStyle style) {
  return std::make_shared<UpdateItem>(request, style);
}

Task<shapes::UpdateItemOutput> update_item(Service& service, wire::Context& context,
                                           const shapes::UpdateItemInput& request) {
  const auto operation = make_update(request, MessageStyle::written);
  co_await run(service, context, request.table_name, operation);
  co_return shapes::UpdateItemOutput{
      .attributes = std::move(operation->outcome.attributes),
      .consumed_capacity = consumed_capacity(request.return_consumed_capacity, operation->table().address.name,
                                             operation->outcome.write_units),
      .item_collection_metrics = co_await collection_metrics(context, request.return_item_collection_metrics,
                                                             operation->table(), request.key)};
}

}  // namespace tidemill::dynamodb
