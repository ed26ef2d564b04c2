#include "services/dynamodb/index_updates.h"

#include <algorithm>
#include <set>

#include "services/dynamodb/errors.h"
#include "services/dynamodb/index_backfill.h"
#include "services/dynamodb/index_description.h"
#include "services/dynamodb/index_validation.h"
#include "services/dynamodb/throughput_rules.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;
using Update = shapes::GlobalSecondaryIndexUpdate;

wire::Error limit_exceeded(std::string_view reason) {
  return wire::Error("LimitExceededException", 400, std::string("Subscriber limit exceeded: ").append(reason));
}

wire::Error one_at_a_time() {
  return limit_exceeded("Only 1 online index can be created or deleted simultaneously per table");
}

wire::Error index_not_found(const std::string& name) {
  return wire::Error("ResourceNotFoundException", 400, "Requested resource not found: Index: " + name + " not found");
}

const std::string& index_name(const Update& update) {
  if (update.create) return update.create->index_name;
  return update.delete_ ? update.delete_->index_name : update.update->index_name;
}

void check_action(const Update& update) {
  const int actions = update.create.has_value() + update.delete_.has_value() + update.update.has_value();
  if (actions == 0) {
    throw invalid_parameters(
        "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
        "GlobalSecondaryIndexUpdate.Delete must not be null");
  }
  if (actions > 1) {
    throw invalid_parameters("Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object");
  }
}

Index& existing_index(Table& table, const std::string& name, std::string_view action) {
  Index* index = table.find_index(name);
  if (!index) throw index_not_found(name);
  if (index->is_local()) {
    throw validation("Cannot " + std::string(action) + " an index that is not a GlobalSecondaryIndex: " + name);
  }
  return *index;
}

Task<void> create_index(store::Transaction& txn, Table& table, const shapes::GlobalSecondaryIndex& wanted,
                        const std::optional<AttributeDefinitions>& definitions, base::Time now) {
  if (table.find_index(wanted.index_name)) throw validation("Attempting to create an index which already exists");
  if (std::ranges::find(table.indexes, Index::Status::creating, &Index::status) != table.indexes.end()) {
    throw one_at_a_time();
  }
  if (std::ranges::count(table.indexes, Index::Kind::global, &Index::kind) >= std::ptrdiff_t{kGlobalIndexesMax}) {
    throw limit_exceeded("GlobalSecondaryIndex count exceeds the per-table limit of " +
                         std::to_string(kGlobalIndexesMax));
  }
  Index index = checked_new_index(table, wanted, definitions);
  index.status = Index::Status::creating;
  if (!table.add_index(std::move(index))) throw limit_exceeded("The table has had too many indexes");
  check_projected_attributes(table.indexes);
  co_await start_backfill(txn, table, table.indexes.back(), now);
}

Task<Index> delete_index(store::Transaction& txn, Table& table, const std::string& name) {
  const Index index = existing_index(table, name, "delete");
  if (index.status == Index::Status::creating) co_await cancel_backfill(txn, table, index);
  txn.erase_range(segment_range(table.id, 0, 1, index.number));
  std::erase_if(table.indexes, [&](const Index& each) { return each.number == index.number; });
  co_return index;
}

void change_index(Table& table, const shapes::UpdateGlobalSecondaryIndexAction& wanted, base::Time now) {
  Index& index = existing_index(table, wanted.index_name, "update");
  if (!wanted.provisioned_throughput && !wanted.on_demand_throughput && !wanted.warm_throughput) {
    throw invalid_parameters(table.on_demand ? "OnDemandThroughput must be specified for index: " + index.name
                                             : "Both ReadCapacityUnits and WriteCapacityUnits must be specified for "
                                               "index: " + index.name);
  }
  if (const auto& units = wanted.provisioned_throughput) {
    if (table.on_demand) {
      throw invalid_parameters("The only Updates for index: " + index.name +
                               " when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, "
                               "WarmThroughput");
    }
    change_throughput(index.throughput, units->read_capacity_units, units->write_capacity_units, now,
                      "index " + index.name);
  }
  if (const auto& maximum = wanted.on_demand_throughput) {
    set_index_maximum(table, index, *maximum);
  }
  if (wanted.warm_throughput) set_warm_throughput(table, index, *wanted.warm_throughput);
}

// A table that was on demand has no throughput for its indexes: all must be given.
void check_all_provisioned(const Table& table) {
  if (table.on_demand) return;
  std::string missing;
  for (const Index& index : table.indexes) {
    if (index.is_local() || index.throughput.read_units > 0) continue;
    missing += (missing.empty() ? "" : ",") + index.name;
  }
  if (!missing.empty()) throw invalid_parameters("ProvisionedThroughput must be specified for index: " + missing);
}

void forget_throughput(Table& table) {
  for (Index& index : table.indexes) {
    index.throughput.read_units = 0;
    index.throughput.write_units = 0;
  }
}

}  // namespace

void check_index_updates(const shapes::UpdateTableInput& request) {
  if (!request.global_secondary_index_updates) return;
  const auto& updates = *request.global_secondary_index_updates;
  if (updates.empty()) throw invalid_parameters("List of GlobalSecondaryIndexUpdates is empty");
  for (const Update& update : updates) {
    check_action(update);
    if (update.create) check_bounds(update.create->provisioned_throughput, update.create->index_name);
    if (update.update) check_bounds(update.update->provisioned_throughput, update.update->index_name);
  }
  std::set<std::string> names;
  int created_or_deleted = 0;
  for (const Update& update : updates) {
    if (!names.insert(index_name(update)).second) {
      throw invalid_parameters("Only one global secondary index update per index is allowed simultaneously. Index: " +
                               index_name(update));
    }
    created_or_deleted += update.create.has_value() + update.delete_.has_value();
  }
  if (created_or_deleted == 0) return;
  if (created_or_deleted > 1) throw one_at_a_time();
  if (request.provisioned_throughput && !request.billing_mode) {
    throw invalid_parameters("You cannot create or delete index while updating table IOPS");
  }
  if (request.stream_specification) {
    throw invalid_parameters("You cannot create or delete index while changing stream status");
  }
}

Task<IndexUpdates> update_indexes(store::Transaction& txn, Table& table, const shapes::UpdateTableInput& request,
                                  base::Time now) {
  IndexUpdates done;
  if (table.on_demand) forget_throughput(table);
  if (request.global_secondary_index_updates) {
    for (const Update& update : *request.global_secondary_index_updates) {
      if (update.create) {
        co_await create_index(txn, table, *update.create, request.attribute_definitions, now);
      } else if (update.delete_) {
        done.deleted = co_await delete_index(txn, table, update.delete_->index_name);
      } else {
        change_index(table, *update.update, now);
        done.updated.push_back(update.update->index_name);
      }
    }
  }
  check_all_provisioned(table);
  co_return done;
}

void describe_index_updates(const Table& table, const IndexUpdates& updates, shapes::TableDescription& description) {
  auto& described = description.global_secondary_indexes;
  if (described) {
    for (auto& index : *described) {
      if (index.index_status == "CREATING") index.backfilling = false;  // it begins after this answer
    }
  }
  if (updates.deleted) {
    if (!described) described.emplace();
    described->push_back(describe_global_index(table, *updates.deleted));
    described->back().index_status = "DELETING";
  }
  for (const std::string& name : updates.updated) {
    const auto found = std::ranges::find(*described, name, &shapes::GlobalSecondaryIndexDescription::index_name);
    if (found != described->end()) found->index_status = "UPDATING";
  }
}

}  // namespace tidemill::dynamodb
