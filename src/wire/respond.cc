#include "wire/respond.h"

#include "base/crc32.h"
#include "base/json.h"

namespace tidemill::wire {

namespace {

// DynamoDB's clients check it; a wrong or missing one makes them retry or drop the answer.
void add_crc32(net::Response& response) {
  response.headers.add("x-amz-crc32", std::to_string(base::crc32(response.body)));
}

std::string json_body(const ErrorStyle& style, const Error& error) {
  std::string body;
  json::Writer writer(body);
  writer.begin_object();
  if (style.form == ErrorForm::json) {
    const std::string_view prefix = error.type_namespace.empty() ? style.type_namespace : error.type_namespace;
    writer.key("__type");
    writer.string(prefix.empty() ? error.code : std::string(prefix) + "#" + error.code);
  }
  if (!error.message.empty()) {
    writer.key(error.message_member);
    writer.string(error.message);
  }
  if (!error.more_members.empty()) {
    writer.separate();
    writer.buffer().append(error.more_members);
  }
  writer.end_object();
  return body;
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out.append("&lt;"); break;
      case '>': out.append("&gt;"); break;
      case '&': out.append("&amp;"); break;
      default: out.push_back(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
    }
  }
  return out;
}

std::string xml_body(const ErrorStyle& style, const Error& error, const std::string& request_id) {
  const std::string inner = "<Code>" + error.code + "</Code><Message>" + xml_text(error.message) + "</Message>";
  const std::string id = "<RequestId>" + request_id + "</RequestId>";
  const std::string declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  if (style.form == ErrorForm::rest_xml) return declaration + "<Error>" + inner + id + "</Error>";
  return declaration + "<ErrorResponse><Error><Type>Sender</Type>" + inner + "</Error>" + id + "</ErrorResponse>";
}

}  // namespace

ErrorStyle error_style(const OperationInfo& info) {
  switch (info.protocol) {
    case Protocol::json_1_0: return {ErrorForm::json, "application/x-amz-json-1.0", info.error_namespace, info.crc32};
    case Protocol::json_1_1: return {ErrorForm::json, "application/x-amz-json-1.1", info.error_namespace, info.crc32};
    case Protocol::rest_json: return {ErrorForm::rest_json, "application/json", {}, info.crc32};
  }
  return {};
}

net::Response answer(const OperationInfo& info, WireResponse&& in, const std::string& request_id) {
  net::Response response;
  response.status = in.status;
  response.body = std::move(in.body);
  auto& entries = response.headers.entries();
  entries.reserve(3 + in.headers.size());
  entries.emplace_back("x-amzn-requestid", request_id);
  if (!in.content_type.empty()) entries.emplace_back("content-type", std::move(in.content_type));
  if (info.crc32) add_crc32(response);
  for (auto& header : in.headers) entries.push_back(std::move(header));
  return response;
}

net::Response answer_error(const ErrorStyle& style, const Error& error, const std::string& request_id) {
  net::Response response;
  response.status = error.http_status;
  response.headers.add("x-amzn-requestid", request_id);
  response.headers.add("content-type", std::string(style.content_type));
  if (style.form == ErrorForm::query || style.form == ErrorForm::rest_xml) {
    response.body = xml_body(style, error, request_id);
  } else {
    response.body = json_body(style, error);
  }
  if (style.form == ErrorForm::rest_json) response.headers.add("x-amzn-errortype", error.code);
  if (style.crc32) add_crc32(response);
  return response;
}

}  // namespace tidemill::wire
