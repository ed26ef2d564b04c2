// A read-modify-write of one item. Everything that can be checked without the item is checked while the operation is
// made; apply() is const and has no effect but its result, so that a transaction that lost a race may run it again.
#pragma once

#include <exception>
#include <expected>
#include <memory>
#include <optional>
#include <string>

#include "lang/dynamodb/condition.h"
#include "services/dynamodb/capacity.h"
#include "services/dynamodb/expressions.h"
#include "services/dynamodb/item_queue.h"
#include "services/dynamodb/service.h"
#include "services/dynamodb/table_cache.h"
#include "services/dynamodb/write_item.h"

namespace tidemill::dynamodb {

// The item after an operation: none, or one that the operation owns, or a new one.
class After {
 public:
  static After none() { return {}; }
  // `item` must live as long as this.
  static After of(const Item& item) {
    After after;
    after.borrowed_ = &item;
    return after;
  }
  static After of(Item&& item) {
    After after;
    after.owned_ = std::make_unique<Item>(std::move(item));
    after.borrowed_ = after.owned_.get();
    return after;
  }
  [[nodiscard]] std::optional<ItemView> view() const {
    if (!borrowed_) return std::nullopt;
    return borrowed_->view();
  }

 private:
  const Item* borrowed_ = nullptr;
  std::unique_ptr<Item> owned_;
};

// What an operation makes of the item that it found.
struct Outcome {
  After after;
  bool unchanged = false;          // only a check: `after` says nothing
  std::optional<Item> attributes;  // of the answer
  ConsumedUnits write_units;       // if the operation measures them
};

class ItemOperation : public ItemQueue::Job {
 public:
  // What all three writing operations have in common.
  struct Parameters {
    const std::string& table_name;
    const std::optional<std::string>& return_values;
    const std::optional<std::string>& return_consumed_capacity;
    const std::optional<std::string>& return_values_on_condition_check_failure;
    const std::optional<Item>& expression_attribute_values;
  };

  // Throws wire::Error where the condition fails or the item does not suit. `before` is missing if there is no such
  // item, and always if !needs_item().
  [[nodiscard]] virtual Outcome apply(std::optional<ItemView> before) const = 0;

  // Checks what the request says against the table and finds the item's place. Throws ValidationException.
  void bind(TablePtr table);

  [[nodiscard]] const Table& table() const { return *table_; }
  [[nodiscard]] const ItemKey& place() const { return place_; }
  // About how much the request brings that the outcome is made of.
  [[nodiscard]] virtual size_t given_bytes() const { return values_ ? values_->encoded().size() : 0; }
  // How much work apply() is: the bytes that it goes through, as often as it does.
  [[nodiscard]] size_t work_on(std::optional<ItemView> before) const {
    return (given_bytes() + (before ? before->encoded().size() : 0)) * passes_of(paths());
  }
  // Whether the outcome depends on the item before, beyond what the table's stream or indexes need.
  [[nodiscard]] bool needs_item() const { return needs_item_; }

  // Has the outcome tell the units it consumed, also if the request did not ask for them. Before bind().
  void measure() { measures_ = true; }
  // The same as far as the outcome is known without reading the item: where nothing else needs it, an item that was
  // there is taken to be no larger than what takes its place.
  void estimate() { estimates_ = true; }

  // How it ended; set by whoever carried it out.
  enum class End { open, done, table_changed, failed };
  End end = End::open;
  Outcome outcome;
  std::exception_ptr error;

 protected:
  explicit ItemOperation(const Parameters& parameters);

  // Checks the key in the request against the table and returns what holds it.
  virtual ItemView checked_key(const Table& table) const = 0;

  // How many paths apply() looks up in the item.
  [[nodiscard]] virtual size_t paths() const { return paths_of(condition_); }
  // Throws ConditionalCheckFailedException, with the item if the request asks for it.
  void check_condition(std::optional<ItemView> before) const;
  // What the change consumes; nothing unless the request, measure() or estimate() asked for it.
  [[nodiscard]] ConsumedUnits units(std::optional<ItemView> before, std::optional<ItemView> after) const;

  // Owned, since expressions refer to it and the operation may outlive its request's coroutine.
  const std::optional<Item> values_;
  const std::string return_values_;  // "NONE" if the request does not say
  std::optional<lang::dynamodb::Condition> condition_;
  bool always_needs_item_ = false;  // the outcome depends on the item whatever the request's options

 private:
  const bool returns_item_on_failure_;
  bool measures_;
  bool estimates_ = false;
  bool needs_item_ = false;
  TablePtr table_;
  ItemKey place_;
};

// Carries the operation out, durably, together with others on the same item where several wait. The result is the
// operation's outcome. Throws wire::Error, store::StoreFailed, store::Overloaded.
Task<void> run(Service& service, wire::Context& context, const std::string& table_name,
               std::shared_ptr<ItemOperation> operation);

}  // namespace tidemill::dynamodb
