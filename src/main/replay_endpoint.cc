#include "main/replay_endpoint.h"

#include "base/json.h"
#include "base/uuid.h"

namespace tidemill {

namespace {

namespace json = base::json;

// A document of a bucket has its records in it: 6 MB of events, and some words.
constexpr size_t kDocumentBytesMax = 8 << 20;

std::string_view name_of(engine::ReplayStatus status) {
  switch (status) {
    case engine::ReplayStatus::replayed: return "replayed";
    case engine::ReplayStatus::failed: return "failed";
    case engine::ReplayStatus::lost: return "lost";
    case engine::ReplayStatus::dropped: return "dropped";
  }
  return "failed";
}

net::Response answer(int status, const json::Object& body) {
  net::Response response;
  response.status = status;
  response.headers.add("content-type", "application/json");
  response.headers.add("x-amzn-requestid", base::new_uuid());
  response.body = json::write(body) + "\n";
  return response;
}

}  // namespace

Task<net::Response> answer_replay(engine::Replayer& replayer, net::Request& request) {
  std::string document = co_await request.body->read_all(kDocumentBytesMax);
  try {
    const bool drops = request.target.ends_with("?drop");
    const engine::ReplayReport report =
        drops ? co_await replayer.drop(std::move(document)) : co_await replayer.replay(std::move(document));
    co_return answer(200, {{"outcome", name_of(report.status)}, {"detail", report.detail}});
  } catch (const engine::NotADocument& error) {
    co_return answer(400, {{"error", std::string(error.what())}});
  }
}

}  // namespace tidemill
