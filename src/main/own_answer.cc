#include "main/own_answer.h"

#include <algorithm>

#include "base/uuid.h"

namespace tidemill {

net::Response own_answer(int status, std::string_view content_type, std::string body) {
  net::Response response;
  response.status = status;
  response.headers.add("content-type", std::string(content_type));
  response.headers.add("x-amzn-RequestId", base::new_uuid());
  response.body = std::move(body);
  return response;
}

net::Response json_answer(int status, const base::json::Object& body) {
  return own_answer(status, "application/json", base::json::write(body) + "\n");
}

net::Response refusal(int status, std::string_view why) { return json_answer(status, {{"error", std::string(why)}}); }

net::Response wrong_method() { return refusal(405, "the method is not one that this path knows"); }

std::optional<std::string> other_member(const base::json::Value& document,
                                        std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : document.object()) {
    if (std::ranges::find(known, name) == known.end()) return name;
  }
  return std::nullopt;
}

}  // namespace tidemill
