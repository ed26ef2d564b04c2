#include "services/dynamodb/import_log.h"

#include "base/utf8.h"
#include "engine/targets/bucket_access.h"
#include "engine/targets/internal_call.h"
#include "wire/registry.h"
#include "wire/shapes/logs.h"

namespace tidemill::dynamodb {

namespace {

namespace ops = wire::logs::ops;

constexpr std::string_view kService = "CloudWatchLogs";

// "PutLogEvents" in the API reference.
constexpr size_t kLogRequestBytesMax = 1 << 20;
constexpr size_t kLogEventOverheadBytes = 26;

std::string event_text(const Import& record, std::string_view file, const ImportError& error) {
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  writer.key("itemS3Pointer");
  writer.begin_object();
  writer.key("bucket"), writer.string(record.request.s3_bucket_source.s3_bucket);
  writer.key("key"), writer.string(file);
  writer.key("itemIndex"), writer.integer(error.item);
  writer.end_object();
  writer.key("importArn"), writer.string(record.address.arn());
  writer.key("errorMessages");
  writer.begin_array();
  writer.string(base::to_utf8(std::string_view(error.message).substr(0, kImportErrorBytesMax)));
  writer.end_array();
  writer.end_object();
  return text;
}

// Makes something that may be there already.
template <class Op>
Task<void> make(wire::Context& context, const typename Op::Request& request) {
  try {
    co_await context.registry().call<Op>(context, request);
  } catch (const wire::Error& error) {
    if (error.code != "ResourceAlreadyExistsException") engine::throw_refusal(kService, error);
  }
}

Task<void> make_stream(wire::Context& context, const Import& record) {
  ops::CreateLogGroup::Request group;
  group.log_group_name = std::string(kImportLogGroup);
  co_await make<ops::CreateLogGroup>(context, group);
  ops::CreateLogStream::Request stream;
  stream.log_group_name = group.log_group_name;
  stream.log_stream_name = record.log_stream();
  co_await make<ops::CreateLogStream>(context, stream);
}

// Its events are gone then.
Task<void> send(wire::Context& context, ops::PutLogEvents::Request& request) {
  try {
    co_await context.registry().call<ops::PutLogEvents>(context, request);
  } catch (const wire::Error& error) {
    engine::throw_refusal(kService, error);
  }
  request.log_events.clear();
}

}  // namespace

Task<void> log_import_errors(wire::Platform& platform, const Import& record, std::string_view file,
                             std::span<const ImportError> errors) {
  const auto room = static_cast<size_t>(std::max<int64_t>(0, kImportErrorsLoggedMax - record.logged));
  errors = errors.first(std::min(errors.size(), room));
  if (errors.empty()) co_return;
  const std::string arn = record.address.arn();
  wire::Context context = engine::internal_context(platform, arn);
  if (record.logged == 0) co_await make_stream(context, record);
  ops::PutLogEvents::Request request;
  request.log_group_name = std::string(kImportLogGroup);
  request.log_stream_name = record.log_stream();
  const int64_t now = std::chrono::floor<std::chrono::milliseconds>(platform.clock.now().time_since_epoch()).count();
  size_t bytes = 0;
  for (const ImportError& error : errors) {
    std::string text = event_text(record, file, error);
    const size_t size = text.size() + kLogEventOverheadBytes;
    if (bytes + size > kLogRequestBytesMax) {
      co_await send(context, request);
      bytes = 0;
    }
    bytes += size;
    request.log_events.push_back({.timestamp = now, .message = std::move(text)});
  }
  co_await send(context, request);
}

}  // namespace tidemill::dynamodb
