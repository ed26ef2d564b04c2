// What holds for the entries of every batch.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "services/sqs/errors.h"
#include "services/sqs/service.h"
#include "wire/faults.h"
#include "wire/shapes/sqs.h"

namespace tidemill::sqs {

inline constexpr size_t kBatchEntriesMax = 10;
inline constexpr size_t kBatchIdSizeMax = 80;

[[nodiscard]] inline bool is_batch_id(std::string_view id) {
  return !id.empty() && id.size() <= kBatchIdSizeMax && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

// The entries, each with an id of its own. `entry_name` is the shape's. Throws what AWS refuses a whole batch for.
template <class Entry>
const std::vector<Entry>& checked_batch(const std::optional<std::vector<Entry>>& entries, std::string_view entry_name) {
  if (!entries || entries->empty()) {
    throw errors::empty_batch_request(base::cat("There should be at least one ", entry_name, " in the request."));
  }
  if (entries->size() > kBatchEntriesMax) {
    throw errors::too_many_entries_in_batch_request(base::cat(
        "Maximum number of entries per request are ", kBatchEntriesMax, ". You have sent ", entries->size(), "."));
  }
  std::set<std::string_view> ids;
  for (const Entry& entry : *entries) {
    if (!entry.id) throw missing_parameter(base::cat(entry_name, ".Id"));
    if (!is_batch_id(*entry.id)) {
      throw errors::invalid_batch_entry_id(
          "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 "
          "letters long.");
    }
    if (!ids.insert(*entry.id).second) {
      throw errors::batch_entry_ids_not_distinct(base::cat("Id ", *entry.id, " repeated."));
    }
  }
  return *entries;
}

// Notes the outcome of an entry: what succeeded and what failed are there only if any did.
template <class Output>
void add_failure(Output& out, const std::string& id, const wire::Error& error) {
  if (!out.failed) out.failed.emplace();
  out.failed->push_back(failed_entry(id, error));
}

template <class Output, class Result>
void add_success(Output& out, Result result) {
  if (!out.successful) out.successful.emplace();
  out.successful->push_back(std::move(result));
}

// Throws what an entry fails with that a fault strikes (wire/faults.h).
inline void meet(wire::EntryFaults& faults) {
  constexpr int kInternal = 500;  // no fault of the sender
  if (auto failure = faults.next("InternalError")) throw wire::Error(failure->code, kInternal, failure->message);
}

// Does `work` (a Task<void> of transaction, queue, entry and time) for each entry, all in one transaction; one that throws
// wire::Error fails alone. It must throw before it writes. Entries that `faults` strike are not worked on.
template <class Output, class Entry, class Work>
Task<Output> change_each(Service& service, QueueAddress address, const std::vector<Entry>& entries,
                         wire::EntryFaults faults, Work work) {
  using Refusals = std::vector<std::optional<wire::Error>>;
  Refusals struck(entries.size());
  for (std::optional<wire::Error>& refusal : struck) {
    try {
      meet(faults);
    } catch (const wire::Error& error) {
      refusal = error;
    }
  }
  const Refusals refusals = co_await service.change(
      address, [&](store::Transaction& txn, const Queue& queue, base::Time now) -> Task<Refusals> {
        Refusals result = struck;
        for (size_t i = 0; i < entries.size(); ++i) {
          if (result[i]) continue;
          try {
            co_await work(txn, queue, entries[i], now);
          } catch (const wire::Error& error) {
            result[i] = error;
          }
        }
        co_return result;
      });
  Output out;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (refusals[i]) add_failure(out, *entries[i].id, *refusals[i]);
    else add_success(out, wire::sqs::BatchResultEntry{.id = entries[i].id});
  }
  co_return out;
}

}  // namespace tidemill::sqs
