#include "main/explain_endpoint.h"

#include "main/own_answer.h"

namespace tidemill {

namespace {

constexpr std::string_view kNobodyIsJudged =
    "without rights there is nothing to explain: start the server with --auth iam";

net::Response answer(const rights::Explanations& explanations, const net::Request& request) {
  if (request.method != "GET") return wrong_method();
  std::string id;
  for (auto& [name, value] : net::parse_query(request.target)) {
    if (name != "request") return refusal(400, "the query has \"request\" only");
    id = std::move(value);
  }
  const auto found = id.empty() ? explanations.last_denied() : explanations.find(id);
  if (!found) return refusal(404, id.empty() ? "nothing was denied" : "nothing is known of that request, or no longer");
  return json_answer(200, rights::document_of(*found).object());
}

}  // namespace

Task<net::Response> answer_explain(const rights::Explanations* explanations, net::Request& request) {
  return Task<net::Response>::ready(explanations ? answer(*explanations, request) : refusal(400, kNobodyIsJudged));
}

}  // namespace tidemill
