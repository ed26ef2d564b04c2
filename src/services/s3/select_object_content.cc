// Asks an object a statement; the rows follow as events, then how much was read, and the end. What is wrong with the
// statement, or shows in the object's first piece, refuses the request; what comes later is an error among the events.
#include "base/generator.h"
#include "services/s3/body_output.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/reading.h"
#include "services/s3/select_format.h"

namespace tidemill::s3 {
namespace {

namespace select = lang::select;
using Event = shapes::SelectObjectContentEventStream;

// Rows wait until they come to this.
constexpr size_t kRecordsBytes = 64 << 10;

wire::Error truncated() {
  return errors::error("TruncatedInput", 400,
                       "Object decompression failed. Check that the object is properly compressed using the format "
                       "specified in the request.");
}

// A query under way. What takes long is done on the service's threads, which nobody else waits for.
class Selection {
 public:
  Selection(Service& service, OpenObject open, std::shared_ptr<wire::BodySource> source, Packing packing,
            select::Scan scan)
      : service_(service),
        open_(std::move(open)),
        source_(std::move(source)),
        unpacker_(make_unpacker(packing)),
        scan_(std::move(scan)) {}

  // Some of the object, and the rows of it. False: that was the rest.
  Task<bool> go_on() {
    if (!is_more_ && !is_read_) co_await read();
    is_more_ = co_await service_.select_work().run_joined([this] { return work(); });
    co_return is_more_ || !is_read_;
  }

  [[nodiscard]] std::string& rows() { return rows_; }
  template <class Shape>
  [[nodiscard]] Shape totals() const {
    return {.bytes_scanned = static_cast<int64_t>(scanned_),
            .bytes_processed = static_cast<int64_t>(processed_),
            .bytes_returned = static_cast<int64_t>(returned_)};
  }

 private:
  Task<void> read() {
    auto piece = co_await source_->next();
    if (piece) {
      scanned_ += piece->size();
      unpacker_->add(*std::move(piece));
    } else {
      is_read_ = true;
    }
  }

  // True: there is more to do with what was read. Throws wire::Error.
  bool work() {
    try {
      while (true) {
        const bool is_more = scan_.go_on();
        const std::string rows = scan_.take();
        returned_ += rows.size();
        rows_ += rows;
        if (scan_.is_done()) is_read_ = true;
        if (is_more) return true;
        if (scan_.is_done() || is_ended_) return false;
        if (const auto part = unpacker_->next()) {
          processed_ += part->size();
          scan_.add(*part);
        } else if (is_read_) {
          if (!unpacker_->is_whole()) throw truncated();
          scan_.end();
          is_ended_ = true;
        } else {
          return false;
        }
      }
    } catch (const select::SelectError& error) {
      throw select_refusal(error);
    } catch (const std::runtime_error&) {
      throw truncated();
    }
  }

  Service& service_;
  OpenObject open_;  // pins what is read
  std::shared_ptr<wire::BodySource> source_;
  std::unique_ptr<Unpacker> unpacker_;
  select::Scan scan_;
  std::string rows_;
  bool is_more_ = false;
  bool is_read_ = false;
  bool is_ended_ = false;
  uint64_t scanned_ = 0;
  uint64_t processed_ = 0;
  uint64_t returned_ = 0;
};

base::Generator<Event> events_of(std::shared_ptr<Selection> selection, bool is_more, bool wants_progress) {
  while (true) {
    std::string& rows = selection->rows();
    if (!rows.empty() && (rows.size() >= kRecordsBytes || !is_more)) {
      co_yield Event{.records = shapes::RecordsEvent{.payload = std::exchange(rows, {})}};
      if (wants_progress)
        co_yield Event{.progress = shapes::ProgressEvent{.details = selection->totals<shapes::Progress>()}};
    }
    if (!is_more) break;
    is_more = co_await selection->go_on();
  }
  co_yield Event{.stats = shapes::StatsEvent{.details = selection->totals<shapes::Stats>()}};
  co_yield Event{.end = shapes::EndEvent{}};
}

select::Statement statement_of(const std::string& text) {
  try {
    return select::Statement::parse(text);
  } catch (const select::SelectError& error) {
    throw select_refusal(error);
  }
}

}  // namespace

Task<shapes::SelectObjectContentOutput> select_object_content(Service& service, wire::Context& context,
                                                              const shapes::SelectObjectContentInput& request) {
  if (request.expression_type != "SQL") {
    throw errors::error("InvalidExpressionType", 400,
                        "The ExpressionType is invalid. Only SQL expressions are supported.");
  }
  select::Input input = select_input_of(request.input_serialization);
  const Packing packing = packing_of(request.input_serialization);
  select::Output output = select_output_of(request.output_serialization);
  select::Statement statement = statement_of(request.expression);
  OpenObject open = co_await open_object(service.store(), service.blobs(),
                                         {request.bucket, request.key, {}, request.expected_bucket_owner, "POST"});
  auto source = read_pieces(service.blobs(), open.snapshot, open.bucket.id, open.list.pieces, open.pins);
  std::optional<select::Scan> scan;
  try {
    scan.emplace(std::move(statement), std::move(input), std::move(output), context.now());
  } catch (const select::SelectError& error) {
    throw select_refusal(error);
  }
  auto selection = std::make_shared<Selection>(service, std::move(open), std::move(source), packing, *std::move(scan));
  const bool is_more = co_await selection->go_on();
  const bool wants_progress = request.request_progress && request.request_progress->enabled.value_or(false);
  shapes::SelectObjectContentOutput out;
  out.payload = events_of(std::move(selection), is_more, wants_progress);
  co_return out;
}

}  // namespace tidemill::s3
