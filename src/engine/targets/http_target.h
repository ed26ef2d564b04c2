// Posts a payload to a URL.
#pragma once

#include <functional>
#include <string>

#include "base/task.h"
#include "net/http_client.h"
#include "store/delivery.h"

namespace tidemill::engine {

// How calls leave: net::HttpClient::send, or a simulation's own.
using HttpSend = std::function<Task<net::HttpAnswer>(net::HttpCall call)>;

// 2xx is delivered; 4xx but 429 is rejected; all else, and no answer, is a failure that is tried again.
Task<store::SendOutcome> post_to_url(const HttpSend& send, net::HttpCall call);

}  // namespace tidemill::engine
