#include "main/replay_endpoint.h"

#include "base/json.h"
#include "main/own_answer.h"

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

}  // namespace

Task<net::Response> answer_replay(engine::Replayer& replayer, net::Request& request) {
  if (request.method != "POST") co_return wrong_method();
  std::string document = co_await request.body->read_all(kDocumentBytesMax);
  try {
    const bool drops = request.target.ends_with("?drop");
    const engine::ReplayReport report =
        drops ? co_await replayer.drop(std::move(document)) : co_await replayer.replay(std::move(document));
    co_return json_answer(200, {{"outcome", name_of(report.status)}, {"detail", report.detail}});
  } catch (const engine::NotADocument& error) {
    co_return refusal(400, error.what());
  }
}

}  // namespace tidemill
