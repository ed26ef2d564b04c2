#include "services/states/machine_cache.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <stdexcept>
#include <unordered_map>

#include "base/text.h"

namespace tidemill::states {

struct MachineCache::Entries {
  struct Entry {
    ParsedDefinitionPtr parsed;
    size_t text_bytes;
  };
  std::mutex mutex;
  std::list<Entry> by_use;  // the one used last comes first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_revision;
  size_t text_bytes = 0;  // of all

  [[nodiscard]] bool is_too_much() const {
    return by_use.size() > kMachinesMax || (text_bytes > kTextBytesMax && by_use.size() > 1);
  }
};

MachineCache::MachineCache() : entries_(std::make_unique<Entries>()) {}
MachineCache::~MachineCache() = default;

ParsedDefinitionPtr MachineCache::find(std::string_view revision) {
  const std::lock_guard lock(entries_->mutex);
  const auto found = entries_->by_revision.find(revision);
  if (found == entries_->by_revision.end()) return nullptr;
  entries_->by_use.splice(entries_->by_use.begin(), entries_->by_use, found->second);
  return found->second->parsed;
}

void MachineCache::keep(ParsedDefinitionPtr parsed, size_t text_bytes) {
  std::list<Entries::Entry> dropped;  // destroyed without the lock
  const std::lock_guard lock(entries_->mutex);
  Entries& kept = *entries_;
  if (kept.by_revision.contains(parsed->definition.revision)) return;
  kept.by_use.push_front({std::move(parsed), text_bytes});
  kept.by_revision.emplace(kept.by_use.front().parsed->definition.revision, kept.by_use.begin());
  kept.text_bytes += text_bytes;
  while (kept.is_too_much()) {
    kept.text_bytes -= kept.by_use.back().text_bytes;
    kept.by_revision.erase(kept.by_use.back().parsed->definition.revision);
    dropped.splice(dropped.begin(), kept.by_use, std::prev(kept.by_use.end()));
  }
}

std::shared_ptr<const lang::states::Machine> MachineCache::given_back_elsewhere(
    std::shared_ptr<const lang::states::Machine> machine, std::string_view text) {
  if (!is_long(text)) return machine;
  const auto* const shared = machine.get();
  return {shared, [this, machine = std::move(machine)](const lang::states::Machine*) mutable {
            threads_.post([last = std::move(machine)]() mutable { last = nullptr; });
          }};
}

namespace {

bool has_queries(const lang::states::Flow& flow) {
  return std::ranges::any_of(flow.states(), [](const auto& state) {
    const auto are_in = [](const auto& inner) { return inner && has_queries(*inner); };
    return state->query_language == lang::states::QueryLanguage::jsonata ||
           std::ranges::any_of(state->branches, are_in) || are_in(state->processor);
  });
}

}  // namespace

Task<ParsedDefinitionPtr> parsed_definition(store::Snapshot& reader, MachineCache& cache, std::string account,
                                            std::string region, std::string machine, std::string revision) {
  if (auto found = cache.find(revision)) co_return found;
  Definition definition = co_await load_definition(reader, account, region, machine, revision);
  const std::string text = std::move(definition.text);
  definition.text.clear();
  auto parsed = co_await cache.parse(text, [&] { return lang::states::parse_machine(text); });
  if (!parsed.machine) {
    throw std::runtime_error(base::cat("the definition ", revision, " of ", machine,
                                       " is refused: ", lang::states::refusal(parsed.diagnostics)));
  }
  const bool queries = has_queries(parsed.machine->flow());
  auto kept = std::make_shared<const ParsedDefinition>(cache.given_back_elsewhere(std::move(parsed.machine), text),
                                                       std::move(definition), queries);
  cache.keep(kept, text.size());
  co_return kept;
}

}  // namespace tidemill::states
