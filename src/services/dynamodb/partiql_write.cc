// INSERT, UPDATE, DELETE as read-modify-writes of one item, and EXISTS as a check of one. What of WHERE is no key is a condition on the item. An
// UPDATE of what is not there fails its condition, a DELETE of it succeeds, as on AWS.
#include <array>

#include "services/dynamodb/item_checks.h"
#include "services/dynamodb/partiql.h"

namespace tidemill::dynamodb {

namespace {

using Kind = Statement::Kind;
using Returning = Statement::Returning;

// What the operation's base wants of a request and a statement has not.
const std::optional<std::string> kNoReturnValues;
const std::optional<Item> kNoValues;

wire::Error duplicate_item() {
  return wire::Error("DuplicateItemException", 400, "Duplicate primary key exists in table");
}

class StatementWrite final : public ItemOperation {
 public:
  StatementWrite(Statement statement, const std::optional<std::string>& return_consumed_capacity,
                 const std::optional<std::string>& return_values_on_condition_check_failure)
      : ItemOperation({statement.table, kNoReturnValues, return_consumed_capacity,
                       return_values_on_condition_check_failure, kNoValues}),
        statement_(std::move(statement)),
        tells_item_(return_values_on_condition_check_failure == "ALL_OLD") {
    always_needs_item_ = true;
    if (statement_.kind == Kind::insert) check_item_size(statement_.item);
  }

  [[nodiscard]] Outcome apply(std::optional<ItemView> before) const override {
    switch (statement_.kind) {
      case Kind::insert:
        return insert(before);
      case Kind::update:
        return update(before);
      case Kind::exists:
        return check(before);
      default:
        return remove(before);
    }
  }
  [[nodiscard]] size_t given_bytes() const override { return statement_.item.encoded().size(); }

 protected:
  ItemView checked_key(const Table& table) const override {
    if (statement_.kind == Kind::insert) {
      check_item_key(table, statement_.item);
      return statement_.item;
    }
    plan_ = plan_statement(statement_, table.key_schema());
    if (!plan_.is_one_key(table.sort.has_value())) {
      throw validation("Where clause does not contain a mandatory equality on all key attributes");
    }
    key_ = planned_key(plan_, table);
    check_key(table, key_);
    if (statement_.kind == Kind::update) {
      const lang::dynamodb::KeySchema schema = table.key_schema();
      const std::array<std::string_view, 2> keys{schema.partition_name, schema.sort_name};
      with_expression_errors(MessageStyle::bare, [&] { check_key_untouched(statement_.update, keys); });
    }
    return key_;
  }
  [[nodiscard]] size_t paths() const override { return paths_of(plan_.rest) + statement_.update.operand_paths.size(); }

 private:
  [[nodiscard]] Outcome insert(std::optional<ItemView> before) const {
    if (before) throw duplicate_item();
    return {.after = After::of(statement_.item), .write_units = units(before, statement_.item.view())};
  }

  [[nodiscard]] Outcome update(std::optional<ItemView> before) const {
    if (!before || (plan_.rest && !evaluate(*plan_.rest, *before))) {
      throw condition_failed(tells_item_ ? before : std::nullopt);
    }
    auto updated = lang::dynamodb::apply(statement_.update, *before);
    if (!updated) throw expression_error(MessageStyle::bare, updated.error());
    if (lang::dynamodb::item_size(*updated) > lang::dynamodb::kItemSizeMax) {
      throw validation("Item size to update has exceeded the maximum allowed size");
    }
    Outcome outcome{.attributes = returned(*before, *updated), .write_units = units(before, updated->view())};
    outcome.after = After::of(*std::move(updated));
    return outcome;
  }

  [[nodiscard]] Outcome remove(std::optional<ItemView> before) const {
    if (before && plan_.rest && !evaluate(*plan_.rest, *before)) {
      throw condition_failed(tells_item_ ? before : std::nullopt);
    }
    Outcome outcome{.after = After::none(), .write_units = units(before, std::nullopt)};
    if (before && statement_.returning == Returning::all_old) outcome.attributes = Item(*before);
    return outcome;
  }

  [[nodiscard]] Outcome check(std::optional<ItemView> before) const {
    if (!before || (plan_.rest && !evaluate(*plan_.rest, *before))) {
      throw condition_failed(tells_item_ ? before : std::nullopt);
    }
    return {.unchanged = true};
  }

  [[nodiscard]] std::optional<Item> returned(ItemView before, const Item& after) const {
    Item part;
    switch (statement_.returning) {
      case Returning::none:
        return std::nullopt;
      case Returning::all_old:
        return Item(before);
      case Returning::all_new:
        return after;
      case Returning::modified_old:
        part = lang::dynamodb::apply(statement_.update.paths, before);
        break;
      case Returning::modified_new:
        part = lang::dynamodb::apply(statement_.update.paths, after);
        break;
    }
    if (part.empty()) return std::nullopt;
    return part;
  }

  const Statement statement_;
  const bool tells_item_;
  // Depend on the table: made anew for each that the operation is bound to.
  mutable lang::partiql::KeyPlan plan_;
  mutable Item key_;
};

}  // namespace

std::shared_ptr<ItemOperation> make_write(Statement statement,
                                          const std::optional<std::string>& return_consumed_capacity,
                                          const std::optional<std::string>& return_values_on_condition_check_failure) {
  return std::make_shared<StatementWrite>(std::move(statement), return_consumed_capacity,
                                          return_values_on_condition_check_failure);
}

}  // namespace tidemill::dynamodb
