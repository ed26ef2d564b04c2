// Asks an object a statement; the rows follow as events, then how much was read, and the end. What is wrong with the
// statement, or shows in the object's first piece, refuses the request; what comes later is an error among the events.
#include "base/generator.h"
#include "services/s3/body_output.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/reading.h"
#include "services/s3/select_format.h"
#include "services/s3/select_query.h"

namespace tidemill::s3 {
namespace {

namespace select = lang::select;
using Event = shapes::SelectObjectContentEventStream;

// Of one event; the SDKs take no more than 24 MB.
constexpr size_t kEventRowsBytesMax = 1 << 20;

// A query under way. The object is read here; what takes long is done on the service's threads, which may be at it
// still when this goes: nobody waits for that, and what they use is theirs as well.
class Selection {
 public:
  Selection(Service& service, OpenObject open, std::shared_ptr<wire::BodySource> source,
            std::shared_ptr<SelectQuery> query)
      : service_(service), open_(std::move(open)), source_(std::move(source)), query_(std::move(query)) {}
  ~Selection() { query_->abandon(); }
  Selection(const Selection&) = delete;

  // Some of the object, and the rows of it. False: that was the rest.
  Task<bool> go_on() {
    if (!is_more_ && !is_read_) co_await read();
    is_more_ = co_await service_.select_work().run([query = query_] { return query->take_turn(); });
    if (query_->is_done()) is_read_ = true;
    co_return is_more_ || !is_read_;
  }
  // The first piece of it, unless that has many rows.
  Task<bool> begin() {
    bool is_more = true;
    do {
      is_more = co_await go_on();
    } while (is_more_ && rows().size() < kSelectRowsBytes);
    co_return is_more;
  }

  [[nodiscard]] std::string& rows() { return query_->rows(); }
  template <class Shape>
  [[nodiscard]] Shape totals() const {
    return {.bytes_scanned = static_cast<int64_t>(scanned_),
            .bytes_processed = static_cast<int64_t>(query_->processed()),
            .bytes_returned = static_cast<int64_t>(query_->returned())};
  }

 private:
  Task<void> read() {
    auto piece = co_await source_->next();
    if (piece) {
      scanned_ += piece->size();
      query_->add(*std::move(piece));
    } else {
      is_read_ = true;
      query_->end();
    }
  }

  Service& service_;
  OpenObject open_;  // pins what is read
  std::shared_ptr<wire::BodySource> source_;
  std::shared_ptr<SelectQuery> query_;
  bool is_more_ = false;
  bool is_read_ = false;
  uint64_t scanned_ = 0;
};

// As many as an event takes, to the end of a character.
std::string take_some(std::string& rows) {
  if (rows.size() <= kEventRowsBytesMax) return std::exchange(rows, {});
  size_t end = kEventRowsBytesMax;
  while (end > 0 && (rows[end] & 0xC0) == 0x80) --end;
  std::string some = rows.substr(0, end);
  rows.erase(0, end);
  return some;
}

base::Generator<Event> events_of(std::shared_ptr<Selection> selection, bool is_more, bool wants_progress) {
  while (true) {
    std::string& rows = selection->rows();
    if (rows.size() >= kSelectRowsBytes || !is_more) {
      while (!rows.empty()) {
        co_yield Event{.records = shapes::RecordsEvent{.payload = take_some(rows)}};
        if (wants_progress)
          co_yield Event{.progress = shapes::ProgressEvent{.details = selection->totals<shapes::Progress>()}};
      }
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
  // Long ones take long.
  select::Statement statement =
      co_await service.select_work().run([text = request.expression] { return statement_of(text); });
  OpenObject open = co_await open_object(service.store(), service.blobs(),
                                         {request.bucket, request.key, {}, request.expected_bucket_owner, "POST"});
  auto source = read_pieces(service.blobs(), std::exchange(open.snapshot, nullptr), open.bucket.id, open.list.pieces,
                            open.pins);
  std::shared_ptr<SelectQuery> query;
  try {
    query = std::make_shared<SelectQuery>(std::move(statement), std::move(input), std::move(output), context.now(),
                                          packing);
  } catch (const select::SelectError& error) {
    throw select_refusal(error);
  }
  auto selection = std::make_shared<Selection>(service, std::move(open), std::move(source), std::move(query));
  const bool is_more = co_await selection->begin();
  const bool wants_progress = request.request_progress && request.request_progress->enabled.value_or(false);
  shapes::SelectObjectContentOutput out;
  out.payload = events_of(std::move(selection), is_more, wants_progress);
  co_return out;
}

}  // namespace tidemill::s3
