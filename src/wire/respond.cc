#include "wire/respond.h"

#include "base/crc32.h"
#include "base/json.h"
#include "wire/xml_writer.h"

namespace tidemill::wire {

namespace {

// DynamoDB's clients check it; a wrong or missing one makes them retry or drop the answer.
void add_crc32(net::Response& response) {
  response.headers.add("x-amz-crc32", std::to_string(base::crc32(response.body)));
}

// Whose fault it was.
std::string_view fault_of(const Error& error) { return error.http_status < 500 ? "Sender" : "Receiver"; }
const std::string& query_code(const Error& error) { return error.query_code.empty() ? error.code : error.query_code; }

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

std::string xml_body(const ErrorStyle& style, const Error& error, const std::string& request_id) {
  std::string body;
  XmlWriter xml(body);
  xml.declaration();
  if (style.form == ErrorForm::query) xml.open("ErrorResponse", style.type_namespace);
  xml.open("Error");
  if (style.form == ErrorForm::query) xml.plain("Type", fault_of(error));
  xml.text("Code", query_code(error));
  const bool has_own_message = style.form == ErrorForm::query && !error.query_message.empty();
  xml.text("Message", has_own_message ? error.query_message : error.message);
  if (style.form == ErrorForm::query) xml.plain("Detail", "");
  else xml.plain("RequestId", request_id);
  xml.close("Error");
  if (style.form == ErrorForm::query) {
    xml.plain("RequestId", request_id);
    xml.close("ErrorResponse");
  }
  return body;
}

}  // namespace

ErrorStyle error_style(const OperationInfo& info, bool as_query) {
  if (as_query) return {ErrorForm::query, "text/xml", info.xml_namespace};
  const bool also_query = !info.query_version.empty();
  switch (info.protocol) {
    case Protocol::json_1_0:
      return {ErrorForm::json, "application/x-amz-json-1.0", info.error_namespace, info.crc32, also_query};
    case Protocol::json_1_1:
      return {ErrorForm::json, "application/x-amz-json-1.1", info.error_namespace, info.crc32, also_query};
    case Protocol::rest_json: return {ErrorForm::rest_json, "application/json", {}, info.crc32};
    case Protocol::query: return {ErrorForm::query, "text/xml", info.xml_namespace};
  }
  return {};
}

// The envelope of a Query answer around the operation's result.
std::string query_envelope(const OperationInfo& info, std::string_view result, const std::string& request_id) {
  const std::string name = std::string(info.name) + "Response";
  std::string body;
  XmlWriter xml(body);
  xml.declaration();
  xml.open(name, info.xml_namespace);
  body.append(result);
  xml.open("ResponseMetadata");
  xml.plain("RequestId", request_id);
  xml.close("ResponseMetadata");
  xml.close(name);
  return body;
}

net::Response answer(const OperationInfo& info, WireResponse&& in, const std::string& request_id) {
  net::Response response;
  response.status = in.status;
  response.body = in.as_query ? query_envelope(info, in.body, request_id) : std::move(in.body);
  if (in.as_query) in.content_type = "text/xml";
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
  const bool is_query = style.form == ErrorForm::query;
  response.status = is_query && error.query_status != 0 ? error.query_status : error.http_status;
  response.headers.add("x-amzn-requestid", request_id);
  response.headers.add("content-type", std::string(style.content_type));
  if (is_query || style.form == ErrorForm::rest_xml) {
    response.body = xml_body(style, error, request_id);
  } else {
    response.body = json_body(style, error);
  }
  if (style.form == ErrorForm::rest_json) response.headers.add("x-amzn-errortype", error.code);
  if (style.query_header) {
    response.headers.add("x-amzn-query-error", query_code(error) + ";" + std::string(fault_of(error)));
  }
  if (style.crc32) add_crc32(response);
  return response;
}

}  // namespace tidemill::wire
