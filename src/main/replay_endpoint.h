// POST /_tidemill/replay: the body is the document of a discarded batch; the answer, with status 200,
//
//   {"outcome":"replayed","detail":"3 records 100..300 of shardId-… by arn:aws:lambda:…"}
//
// or "failed" or "lost" (engine/mappings/replay.h). With ?drop behind the path nothing is invoked: what was pinned of the batch is
// forgotten, and the outcome is "dropped". What is no such document is refused with 400 and {"error":"…"}.
#pragma once

#include "engine/mappings/replay.h"
#include "net/http.h"

namespace tidemill {

Task<net::Response> answer_replay(engine::Replayer& replayer, net::Request& request);

}  // namespace tidemill
