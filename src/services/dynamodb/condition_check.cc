// A condition on an item that a transaction does not change.
#include "services/dynamodb/item_checks.h"
#include "services/dynamodb/item_writes.h"

namespace tidemill::dynamodb {

namespace {

// What the operation's base wants of a request and a check has not.
const std::optional<std::string> kNothing;

class ConditionCheck final : public ItemOperation {
 public:
  explicit ConditionCheck(const shapes::ConditionCheck& request)
      : ItemOperation({request.table_name, kNothing, kNothing, request.return_values_on_condition_check_failure,
                       request.expression_attribute_values}),
        key_(request.key) {
    const ExpressionParser::Text text = request.condition_expression;
    ExpressionParser parser(MessageStyle::bare, request.expression_attribute_names, values_,
                            {{"ConditionExpression", text}});
    condition_ = parser.condition(text);
    parser.finish();
  }

  [[nodiscard]] Outcome apply(std::optional<ItemView> before) const override {
    check_condition(before);
    return {.unchanged = true};
  }

 protected:
  ItemView checked_key(const Table& table) const override {
    check_key(table, key_);
    return key_;
  }

 private:
  const Item key_;
};

}  // namespace

std::shared_ptr<ItemOperation> make_condition_check(const shapes::ConditionCheck& request) {
  return std::make_shared<ConditionCheck>(request);
}

}  // namespace tidemill::dynamodb
