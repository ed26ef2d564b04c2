// Replay: gives the records of a discarded batch to their function again.
//
// The document that a mapping sent to its failure destination (failure_document.h) says where the records stand. They are
// read from their stream while they live; or taken from the document itself where it carries them (those in buckets do),
// or from what the mapping has pinned (pinned_batch.h).
// Records between the batch's first and last that belonged to other batches are left out: those that the mapping's filter
// does not pass, and those of its other parallel lanes. If what is left is not the number of records that the document
// says, nothing is replayed. The function gets one event of the usual form, and no window.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/invoker.h"
#include "engine/mappings/mapping.h"
#include "engine/mappings/stream_source.h"

namespace tidemill::engine {

struct DiscardedRange;

enum class ReplayStatus {
  replayed,  // the function took all records
  failed,    // it was invoked and failed, or could not be
  lost,      // records are no longer in the stream or cannot be told from others: nothing was invoked
  dropped,   // as asked: nothing was invoked, and what was pinned of them is gone
};

struct ReplayReport {
  ReplayStatus status = ReplayStatus::replayed;
  std::string detail;  // a line for people: what was replayed, and why it failed
};

// The text is no document that Tidemill or AWS sends for a batch of records; what() says why, in one line.
class NotADocument : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Replayer {
 public:
  // All outlive this.
  Replayer(store::Store& store, std::vector<StreamSource*> sources, Invoker& invoker)
      : store_(store), sources_(std::move(sources)), invoker_(invoker) {}

  // Throws NotADocument. On any executor. What was pinned of the records is gone once the function took them.
  Task<ReplayReport> replay(std::string document);

  // Gives the records up: forgets what was pinned of them.
  Task<ReplayReport> drop(std::string document);

 private:
  // The mapping that discarded the batch; if it is gone, one with nothing but its source and its function.
  Task<Mapping> mapping_of(const DiscardedRange& range);
  Task<std::optional<std::string>> pinned_records(const DiscardedRange& range, const Mapping& mapping);
  Task<void> unpin(const DiscardedRange& range, const Mapping& mapping);
  // The records' events, with commas between them; in `report` why there are none.
  Task<std::string> records_of(const DiscardedRange& range, const Mapping& mapping, ReplayReport& report);
  struct Found {
    std::string records;
    int64_t count = 0;
    bool is_more = false;  // than the batch can have been; the records are not kept then
  };
  static Task<Found> find(StreamSource& source, SequenceSpan span, const DiscardedRange& range, const Mapping& mapping,
                          int lanes);
  Task<ReplayReport> invoke(const DiscardedRange& range, bool reads_answer, std::string records);

  store::Store& store_;
  std::vector<StreamSource*> sources_;
  Invoker& invoker_;
};

}  // namespace tidemill::engine
