// Puts an item in place of whatever has its key.
#include "services/dynamodb/capacity.h"
#include "services/dynamodb/collection_metrics.h"
#include "services/dynamodb/item_checks.h"
#include "services/dynamodb/item_writes.h"
#include "services/dynamodb/legacy_parameters.h"
#include "services/dynamodb/operations.h"

namespace tidemill::dynamodb {

namespace {

class PutItem final : public ItemOperation {
 public:
  PutItem(const shapes::PutItemInput& request, MessageStyle style)
      : ItemOperation({request.table_name, request.return_values, request.return_consumed_capacity,
                       request.return_values_on_condition_check_failure, request.expression_attribute_values}),
        item_(request.item),
        expected_(request.expected) {
    check_not_mixed({{"Expected", request.expected.has_value()},
                     {"ConditionalOperator", request.conditional_operator.has_value()}},
                    {{"ConditionExpression", request.condition_expression.has_value()}});
    ExpressionParser parser(style, request.expression_attribute_names, values_,
                            {{"ConditionExpression", request.condition_expression}});
    condition_ = parser.condition(request.condition_expression);
    parser.finish();
    if (!condition_) condition_ = parse_expected(expected_, request.conditional_operator);
    check_item_size(item_);
    if (return_values_ != "NONE" && return_values_ != "ALL_OLD") {
      throw validation("ReturnValues can only be ALL_OLD or NONE");
    }
  }

  [[nodiscard]] Outcome apply(std::optional<ItemView> before) const override {
    check_condition(before);
    Outcome outcome{.after = After::of(item_), .write_units = units(before, item_)};
    if (before && return_values_ == "ALL_OLD") outcome.attributes = Item(*before);
    return outcome;
  }
  [[nodiscard]] size_t given_bytes() const override { return item_.encoded().size(); }

 protected:
  ItemView checked_key(const Table& table) const override {
    check_item_key(table, item_);
    return item_;
  }

 private:
  const Item item_;
  const LegacyExpected expected_;
};

}  // namespace

std::shared_ptr<ItemOperation> make_put(const shapes::PutItemInput& request, MessageStyle style) {
  return std::make_shared<PutItem>(request, style);
}

Task<shapes::PutItemOutput> put_item(Service& service, wire::Context& context, const shapes::PutItemInput& request) {
  const auto operation = make_put(request, MessageStyle::written);
  co_await run(service, context, request.table_name, operation);
  co_return shapes::PutItemOutput{
      .attributes = std::move(operation->outcome.attributes),
      .consumed_capacity = consumed_capacity(request.return_consumed_capacity, operation->table().address.name,
                                             operation->outcome.write_units),
      .item_collection_metrics = co_await collection_metrics(context, request.return_item_collection_metrics,
                                                             operation->table(), request.item)};
}

}  // namespace tidemill::dynamodb
