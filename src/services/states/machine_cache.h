// Definitions as they run: parsed, and those used last kept. A definition may have a megabyte, which takes tens of
// milliseconds to parse and some to give back: large ones are parsed, and destroyed, on a thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/blocking_work.h"
#include "lang/states/machine.h"
#include "services/states/machine.h"
#include "wire/large_work.h"

namespace tidemill::states {

// A revision, ready to run.
struct ParsedDefinition {
  std::shared_ptr<const lang::states::Machine> machine;
  Definition definition;                        // its text is left out
  bool has_queries = false;                     // expressions of JSONata, which may take long
  mutable std::atomic<bool> runs_long = false;  // an Express execution of it has: the next do not try on the loop
};
using ParsedDefinitionPtr = std::shared_ptr<const ParsedDefinition>;

// Outlives every machine that comes of it. Any thread.
class MachineCache {
 public:
  static constexpr size_t kMachinesMax = 1000;
  // Of the text of all that are kept: parsed, a definition takes some ten times as much. One is always kept.
  static constexpr size_t kTextBytesMax = 16 << 20;
  // What is shorter is parsed where it is asked for, within a fraction of a millisecond.
  static constexpr size_t kBytesAtOnce = 16 << 10;

  MachineCache();
  ~MachineCache();

  // `revision` is unique in all of the platform. Null: it is not here.
  [[nodiscard]] ParsedDefinitionPtr find(std::string_view revision);
  void keep(ParsedDefinitionPtr parsed, size_t text_bytes);

  // Runs `parse`, which reads `text` and may use what its caller has, without holding the loop.
  template <class F>
  Task<std::invoke_result_t<F&>> parse(std::string_view text, F parse) {
    if (!is_long(text)) co_return parse();
    co_return co_await threads_.run_joined(std::move(parse));
  }
  // The same machine, given back without holding a loop whoever is the last to have it. `text` is its definition.
  [[nodiscard]] std::shared_ptr<const lang::states::Machine> given_back_elsewhere(
      std::shared_ptr<const lang::states::Machine> machine, std::string_view text);

 private:
  static bool is_long(std::string_view text) { return text.size() > kBytesAtOnce && wire::may_use_threads(); }

  struct Entries;
  base::BlockingWork threads_;  // before what may give machines to it
  std::unique_ptr<Entries> entries_;
};

// From the cache, or read and parsed.
Task<ParsedDefinitionPtr> parsed_definition(store::Snapshot& reader, MachineCache& cache, std::string account,
                                            std::string region, std::string machine, std::string revision);

}  // namespace tidemill::states
