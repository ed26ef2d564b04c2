#include "services/dynamodb/item_operation.h"

#include "services/dynamodb/item_checks.h"
#include "wire/large_work.h"

namespace tidemill::dynamodb {

namespace {

using End = ItemOperation::End;

// How often an operation looks its table up anew because somebody keeps changing it.
constexpr int kTableChangesMax = 100;

// One after the other on the item, or on the items of a collection: each sees what the one before it left. Called anew
// for each attempt to commit.
Task<void> apply_all(store::Transaction& txn, const std::vector<ItemQueue::JobPtr>& jobs, const WriteOptions& options) {
  const Table* table = nullptr;  // of which `is_current` is said
  bool is_current = false;
  const std::string* place = nullptr;  // of the item that `current` is
  std::optional<std::string> stored;
  std::optional<ItemView> current;
  for (const auto& job : jobs) {
    auto& operation = static_cast<ItemOperation&>(*job);
    operation.error = nullptr;
    if (table != &operation.table()) {
      table = &operation.table();
      is_current = co_await dynamodb::is_current(txn, *table);
    }
    if (!place || *place != operation.place().bytes) {
      place = &operation.place().bytes;
      stored = co_await txn.get(*place);
      current.reset();
      if (stored) current = ItemView(*stored);
    }
    if (!is_current) {
      operation.end = End::table_changed;
      continue;
    }
    try {
      co_await wire::do_large_joined(options.large_items, operation.work_on(current),
                                     [&] { operation.outcome = operation.apply(current); });
      const auto after = operation.outcome.after.view();
      co_await write_item(txn, operation.table(), operation.place(), current, after, options);
      current = after;  // lives in the operation's outcome
      operation.end = End::done;
    } catch (const wire::Error&) {
      operation.error = std::current_exception();
      operation.end = End::failed;
    }
  }
}

// For a write whose outcome does not depend on what is there, to a table where nobody needs to know it.
Task<void> write_without_reading(wire::Context& context, ItemOperation& operation) {
  co_await context.store().transact([&operation](store::Transaction& txn) -> Task<void> {
    operation.end = End::table_changed;
    if (!co_await is_current(txn, operation.table())) co_return;
    operation.outcome = operation.apply(std::nullopt);
    write_blindly(txn, operation.place(), operation.outcome.after.view());
    operation.end = End::done;
  });
}

// What the jobs say of their end is what one attempt made of them, until its commit is durable. If the coroutine that
// carries them out is destroyed before that (its client has gone), the others must not take it for the truth.
class Undecided {
 public:
  explicit Undecided(const std::vector<ItemQueue::JobPtr>& jobs) : jobs_(jobs) {}
  ~Undecided() {
    if (decided_) return;
    for (const auto& job : jobs_) static_cast<ItemOperation&>(*job).end = End::open;
  }
  Undecided(const Undecided&) = delete;

  void decided() { decided_ = true; }

 private:
  const std::vector<ItemQueue::JobPtr>& jobs_;
  bool decided_ = false;
};

Task<void> read_and_write(Service& service, wire::Context& context, const std::shared_ptr<ItemOperation>& operation) {
  operation->end = End::open;
  ItemQueue::Turn turn =
      co_await service.queue().enter(queue_key(operation->table(), operation->place().bytes), operation);
  if (!turn.mine()) co_return;
  Undecided undecided(turn.jobs());
  const WriteOptions options{.collection_bytes_max = service.collection_bytes_max(),
                             .tables = &service.tables(),
                             .large_items = service.large_items()};
  try {
    co_await context.store().transact([&jobs = turn.jobs(), &options](store::Transaction& txn) -> Task<void> {
      return apply_all(txn, jobs, options);
    });
  } catch (...) {
    for (const auto& job : turn.jobs()) {
      auto& failed = static_cast<ItemOperation&>(*job);
      failed.end = End::failed;
      failed.error = std::current_exception();
    }
  }
  undecided.decided();
  turn.finish();
}

}  // namespace

ItemOperation::ItemOperation(const Parameters& parameters)
    : values_(parameters.expression_attribute_values),
      return_values_(parameters.return_values.value_or("NONE")),
      returns_item_on_failure_(parameters.return_values_on_condition_check_failure == "ALL_OLD"),
      measures_(wants_capacity(parameters.return_consumed_capacity)) {}

void ItemOperation::bind(TablePtr table) {
  check_scalar_keys(*table, condition_);
  place_ = key_in(*table, checked_key(*table));
  needs_item_ = always_needs_item_ || condition_ || return_values_ != "NONE" || measures_;
  table_ = std::move(table);
}

void ItemOperation::check_condition(std::optional<ItemView> before) const {
  if (!condition_ || evaluate(*condition_, before.value_or(ItemView()))) return;
  throw condition_failed(returns_item_on_failure_ ? before : std::nullopt);
}

ConsumedUnits ItemOperation::units(std::optional<ItemView> before, std::optional<ItemView> after) const {
  return measures_ || estimates_ ? units_of_change(*table_, before, after) : ConsumedUnits();
}

Task<void> run(Service& service, wire::Context& context, const std::string& table_name,
               std::shared_ptr<ItemOperation> operation) {
  const TableAddress address = resolve_table(context, table_name);
  Throttle& throttle = service.throttle();
  if (throttle.enabled()) operation->measure();
  else if (throttle.counts()) operation->estimate();
  for (int attempt = 0; attempt < kTableChangesMax; ++attempt) {
    const auto snapshot = context.store().snapshot();
    TablePtr table = co_await service.tables().find(*snapshot, address);
    if (!table) throw resource_not_found();
    throttle.admit(*table, Throttle::Kind::write);
    operation->bind(std::move(table));
    if (!operation->needs_item() && !needs_before(operation->table())) {
      co_await write_without_reading(context, *operation);
    } else {
      co_await read_and_write(service, context, operation);
    }
    switch (operation->end) {
      case End::done:
        throttle.charge(operation->table(), Throttle::Kind::write, operation->outcome.write_units);
        co_await service.note_write(operation->table());
        co_return;
      case End::failed:
        throttle.charge(operation->table(), Throttle::Kind::write, write_units(0));  // it was looked at
        std::rethrow_exception(operation->error);
      case End::open: throw internal_error("The request was given up; whether it was carried out is not known");
      case End::table_changed: break;
    }
  }
  throw store::Overloaded("the table keeps changing");
}

}  // namespace tidemill::dynamodb
