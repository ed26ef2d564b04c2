#include "services/dynamodb/transaction.h"

#include <algorithm>
#include <set>

#include "services/dynamodb/cancellation.h"
#include "services/dynamodb/item_checks.h"
#include "services/dynamodb/table_metrics.h"
#include "wire/large_work.h"

namespace tidemill::dynamodb {

namespace {

// How often a transaction looks its tables up anew because somebody keeps changing them.
constexpr int kTableChangesMax = 100;

// Does `body` for one action. What is wrong with it cancels the transaction, the first that there is.
template <class Body>
void bind_action(size_t action, size_t actions, Body body) {
  try {
    body();
  } catch (const RequestError&) {
    throw;
  } catch (const wire::Error& error) {
    CancellationReasons reasons(actions);
    reasons.add(action, error);
    throw reasons.error();
  }
}

void check_distinct(std::vector<std::string_view> keys) {
  std::ranges::sort(keys);
  if (std::ranges::adjacent_find(keys) != keys.end()) {
    throw validation("Transaction request cannot include multiple operations on one item");
  }
}

Task<void> bind_all(Service& service, wire::Context& context, const std::vector<TransactedWrite>& writes) {
  std::vector<TablePtr> tables;
  const auto snapshot = context.store().snapshot();
  for (size_t i = 0; i < writes.size(); ++i) {
    if (i > 0 && writes[i].table_name == writes[i - 1].table_name) {
      tables.push_back(tables.back());
      continue;
    }
    const TableAddress address = resolve_table(context, writes[i].table_name);
    tables.push_back(co_await service.tables().find(*snapshot, address));
    if (!tables.back()) throw resource_not_found();
  }
  std::vector<std::string_view> keys;
  for (size_t i = 0; i < writes.size(); ++i) {
    bind_action(i, writes.size(), [&] { writes[i].operation->bind(std::move(tables[i])); });
    keys.push_back(writes[i].operation->place().bytes);
  }
  check_distinct(std::move(keys));
}

// In an order that all transactions and batches share, so that none waits in a circle.
Task<std::vector<ItemQueue::Turn>> lock_items(ItemQueue& queue, const std::vector<TransactedWrite>& writes,
                                              wire::PlatformMetrics* usage) {
  std::vector<std::pair<std::string, size_t>> keys;
  for (size_t i = 0; i < writes.size(); ++i) {
    const ItemOperation& operation = *writes[i].operation;
    keys.emplace_back(queue_key(operation.table(), operation.place().bytes), i);
  }
  std::ranges::sort(keys);
  const auto same = std::ranges::unique(keys, {}, &std::pair<std::string, size_t>::first);  // of one collection
  keys.erase(same.begin(), same.end());
  std::vector<ItemQueue::Turn> turns;
  turns.reserve(keys.size());
  for (auto& [key, action] : keys) {
    try {
      turns.push_back(co_await queue.lock(std::move(key)));
    } catch (const store::Overloaded&) {
      CancellationReasons reasons(writes.size());
      reasons.add_conflict(action);
      const TableAddress& table = writes[action].operation->table().address;
      if (usage) usage->add(kTransactionConflict, table.account, table.region, table.name);
      throw reasons.error();
    }
  }
  co_return turns;
}

// One attempt at all of a transaction's writes, inside a transaction of the store.
class Attempt {
 public:
  Attempt(store::Transaction& txn, const std::vector<TransactedWrite>& writes, bool count_writes,
          const WriteOptions& options)
      : txn_(txn), writes_(writes), count_writes_(count_writes), options_(options) {}

  // Nothing: a table is not what it was, and nothing is written. Throws TransactionCanceledException.
  Task<std::optional<TransactionUsage>> run() {
    for (const TransactedWrite& write : writes_) {
      if (!co_await check_table(write.operation->table())) co_return std::nullopt;
    }
    CancellationReasons reasons(writes_.size());
    for (size_t i = 0; i < writes_.size(); ++i) {
      const ItemOperation& operation = *writes_[i].operation;
      const std::optional<std::string> stored = co_await txn_.get(operation.place().bytes);
      std::optional<ItemView> before;
      if (stored) before = ItemView(*stored);
      try {
        co_await write(operation, before);
      } catch (const RequestError&) {
        throw;
      } catch (const wire::Error& error) {
        reasons.add(i, error);
      }
    }
    if (reasons.any()) throw reasons.error();
    co_return std::move(usage_);
  }

 private:
  Task<bool> check_table(const Table& table) {
    if (std::ranges::find(checked_, &table) != checked_.end()) return Task<bool>::ready(true);
    checked_.push_back(&table);
    return is_current(txn_, table);
  }

  Task<void> write(const ItemOperation& operation, std::optional<ItemView> before) {
    const size_t bytes = operation.given_bytes() + (before ? before->encoded().size() : 0);
    Outcome outcome;
    co_await wire::do_large_joined(options_.large_items, operation.work_on(before),
                                   [&] { outcome = operation.apply(before); });
    const std::optional<ItemView> after = outcome.unchanged ? before : outcome.after.view();
    if (!outcome.unchanged) co_await write_item(txn_, operation.table(), operation.place(), before, after, options_);
    co_await wire::do_large_joined(options_.large_items, bytes, [&] {
      usage_.add_write(operation.table(), before, after, count_writes_);
    });
  }

  store::Transaction& txn_;
  const std::vector<TransactedWrite>& writes_;
  const bool count_writes_;
  const WriteOptions options_;
  std::vector<const Table*> checked_;
  TransactionUsage usage_;
};

// Nothing: a table is not what it was.
Task<std::optional<TransactionResult>> attempt(store::Transaction& txn, const std::vector<TransactedWrite>& writes,
                                               const std::optional<RequestToken>& token, bool count_writes,
                                               const WriteOptions& options, base::Time now) {
  PriorUse prior;
  if (token) prior = co_await find_prior_use(txn, *token, now);
  if (prior.payload) {
    co_return TransactionResult{TransactionUsage::decode(*prior.payload), TransactionKind::read};
  }
  std::optional<TransactionUsage> usage = co_await Attempt(txn, writes, count_writes, options).run();
  if (!usage) co_return std::nullopt;
  if (token) co_await remember_use(txn, *token, prior, usage->encode(), now);
  co_return TransactionResult{*std::move(usage)};
}

Task<void> note_writes(Service& service, const std::vector<TransactedWrite>& writes) {
  const Table* noted = nullptr;
  for (const TransactedWrite& write : writes) {
    const Table& table = write.operation->table();
    if (&table != noted) co_await service.note_write(table);
    noted = &table;
  }
}

// Each action that its table has no capacity for is a reason to refuse them all.
template <class Action, class TableOf>
void admit_all(Throttle& throttle, Throttle::Kind kind, const std::vector<Action>& actions, TableOf table_of) {
  if (!throttle.enabled()) return;
  CancellationReasons reasons(actions.size());
  for (size_t i = 0; i < actions.size(); ++i) {
    try {
      throttle.admit(table_of(actions[i]), kind);
    } catch (const wire::Error& error) {
      reasons.add(i, error);
    }
  }
  if (reasons.any()) throw reasons.error();
}

template <class Action, class TableOf>
void charge_all(Throttle& throttle, TransactionKind kind, const TransactionUsage& usage,
                const std::vector<Action>& actions, TableOf table_of) {
  if (!throttle.counts()) return;
  std::set<const Table*> charged;
  for (const Action& action : actions) {
    const Table& table = table_of(action);
    if (charged.insert(&table).second) usage.charge(throttle, table, kind);
  }
}

const Table& table_of_write(const TransactedWrite& write) { return write.operation->table(); }
const Table& table_of_read(const TransactedRead& read) { return *read.table; }

}  // namespace

void check_transaction_size(size_t bytes) {
  if (bytes > kTransactionBytesMax) throw validation("Transaction payload size cannot exceed 4 MB");
}

Task<TransactionResult> write_transaction(Service& service, wire::Context& context,
                                          std::vector<TransactedWrite> writes, std::optional<RequestToken> token,
                                          const std::optional<std::string>& return_consumed_capacity) {
  const bool count_writes = service.throttle().counts() || wants_capacity(return_consumed_capacity);
  const WriteOptions options{.collection_bytes_max = service.collection_bytes_max(),
                             .tables = &service.tables(),
                             .large_items = service.large_items()};
  for (int change = 0; change < kTableChangesMax; ++change) {
    co_await bind_all(service, context, writes);
    admit_all(service.throttle(), Throttle::Kind::write, writes, table_of_write);
    std::optional<TransactionResult> result;
    {
      const std::vector<ItemQueue::Turn> turns = co_await lock_items(service.queue(), writes, context.platform().usage);
      result = co_await context.store().transact([&](store::Transaction& txn) {
        return attempt(txn, writes, token, count_writes, options, context.now());
      });
    }
    if (!result) continue;
    charge_all(service.throttle(), result->kind, result->usage, writes, table_of_write);
    co_await note_writes(service, writes);
    co_return *std::move(result);
  }
  throw store::Overloaded("a table keeps changing");
}

Task<TransactionUsage> read_transaction(Service& service, store::Snapshot& snapshot,
                                        std::vector<TransactedRead>& reads) {
  std::vector<std::string_view> keys;
  for (size_t i = 0; i < reads.size(); ++i) {
    TransactedRead& read = reads[i];
    bind_action(i, reads.size(), [&] { check_key(*read.table, read.key); });
    read.place = key_in(*read.table, read.key);
    keys.push_back(read.place.bytes);
  }
  check_distinct(std::move(keys));

  admit_all(service.throttle(), Throttle::Kind::read, reads, table_of_read);
  TransactionUsage usage;
  size_t bytes = 0;
  for (TransactedRead& read : reads) {
    read.stored = co_await snapshot.get(read.place.bytes);
    const size_t size = co_await wire::do_large_joined(
        service.large_items(), read.stored ? read.stored->size() : 0,
        [&read] { return read.stored ? lang::dynamodb::item_size(ItemView(*read.stored)) : 0; });
    check_transaction_size(bytes += size);
    usage.add_read(*read.table, size);
  }
  charge_all(service.throttle(), TransactionKind::read, usage, reads, table_of_read);
  co_return usage;
}

}  // namespace tidemill::dynamodb
