#include "wire/respond.h"

#include <algorithm>

#include "base/base64.h"
#include "base/crc32.h"
#include "base/json.h"
#include "base/uuid.h"
#include "wire/cbor.h"
#include "wire/shape_bindings.h"
#include "wire/xml_writer.h"

namespace tidemill::wire {

namespace {

constexpr std::string_view kCbor = "application/x-amz-cbor-1.1";
constexpr std::string_view kSumHeader = "x-amz-crc32";
constexpr std::string_view kRpcCbor = "application/cbor";
constexpr std::string_view kWithDetail = "sqs";  // whose Query errors have an empty element Detail; the others have none
constexpr std::string_view kWithBareTypes = "kinesis";  // whose errors AWS names without a namespace
constexpr std::string_view kFhir = "http://hl7.org/fhir";  // whose errors are OperationOutcomes

// DynamoDB's clients check it; a wrong or missing one makes them retry or drop the answer.
void add_crc32(net::Response& response) {
  response.headers.add(std::string(kSumHeader), std::to_string(base::crc32(response.body)));
}

// Whose fault it was.
std::string_view fault_of(const Error& error) { return error.http_status < 500 ? "Sender" : "Receiver"; }
const std::string& query_code(const Error& error) { return error.query_code.empty() ? error.code : error.query_code; }

// "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"
std::string type_of(const ErrorStyle& style, const Error& error) {
  if (style.bare_types) return error.code;
  const std::string_view prefix = error.type_namespace.empty() ? style.type_namespace : error.type_namespace;
  return prefix.empty() ? error.code : std::string(prefix) + "#" + error.code;
}

// Without a type if that is empty.
std::string cbor_body(const Error& error, const std::string& type) {
  std::string body;
  cbor::Writer writer(body, cbor::TimeUnit::seconds);
  writer.begin_structure();
  if (!type.empty()) {
    writer.key("__type");
    writer.text(type);
  }
  if (!error.message.empty()) {
    writer.key(error.message_member);
    writer.text(error.message);
  }
  // They are kept as json.
  if (const auto more = json::parse("{" + error.more_members + "}")) {
    for (const auto& [name, value] : more->object()) {
      writer.key(name);
      writer.value(value);
    }
  }
  writer.end_structure();
  return body;
}

std::string json_body(const ErrorStyle& style, const Error& error) {
  std::string body;
  json::Writer writer(body);
  writer.begin_object();
  if (style.form == ErrorForm::json) {
    writer.key("__type");
    writer.string(type_of(style, error));
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

// What went wrong, of FHIR's value set issue-type: the error's own code if it is one of these ("not-found").
std::string_view issue_of(const Error& error) {
  if (!error.code.empty() && error.code.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos) {
    return error.code;
  }
  switch (error.http_status) {
    case 401: return "login";
    case 403: return "forbidden";
    case 404: return "not-found";
    case 413: return "too-long";
    case 429:
    case 503: return "throttled";
    default: return error.http_status < 500 ? "invalid" : "exception";
  }
}

std::string fhir_body(const Error& error) {
  std::string body;
  json::Writer writer(body);
  const auto text = [&](std::string_view name, std::string_view value) {
    writer.key(name);
    writer.string(value);
  };
  writer.begin_object();
  text("resourceType", "OperationOutcome");
  writer.key("issue");
  writer.begin_array();
  writer.begin_object();
  text("severity", "error");
  text("code", issue_of(error));
  text("diagnostics", error.message);
  writer.end_object();
  writer.end_array();
  writer.end_object();
  return body;
}

// S3 gives a second id, which means nothing to clients but stands in their reports.
std::string host_id(const std::string& request_id) { return base::base64_encode("tidemill:" + request_id); }

void add_request_id(net::Response& response, bool rest_xml, const std::string& request_id) {
  response.headers.add(rest_xml ? "x-amz-request-id" : "x-amzn-RequestId", request_id);
  if (rest_xml) response.headers.add("x-amz-id-2", host_id(request_id));
}

void add_rpc(net::Response& response) { response.headers.add("smithy-protocol", "rpc-v2-cbor"); }

// EC2's own form, which is like none of the others.
std::string ec2_body(const Error& error, const std::string& request_id) {
  std::string body;
  XmlWriter xml(body);
  xml.declaration();
  for (const char* name : {"Response", "Errors", "Error"}) xml.open(name);
  xml.text("Code", query_code(error));
  xml.text("Message", error.message);
  xml.close("Error");
  xml.close("Errors");
  xml.plain("RequestID", request_id);
  xml.close("Response");
  return body;
}

std::string xml_body(const ErrorStyle& style, const Error& error, const std::string& request_id) {
  std::string body;
  XmlWriter xml(body);
  if (style.form == ErrorForm::query) xml.declaration();
  else xml.declaration_with_encoding();
  if (style.form == ErrorForm::query) xml.open("ErrorResponse", style.type_namespace);
  xml.open("Error");
  if (style.form == ErrorForm::query) xml.plain("Type", fault_of(error));
  xml.text("Code", query_code(error));
  const bool has_own_message = style.form == ErrorForm::query && !error.query_message.empty();
  xml.text("Message", has_own_message ? error.query_message : error.message);
  for (const auto& [name, value] : error.details) xml.text(name, value);
  if (style.query_detail) xml.plain("Detail", "");
  if (style.form != ErrorForm::query) {
    xml.plain("RequestId", request_id);
    xml.plain("HostId", host_id(request_id));
  }
  xml.close("Error");
  if (style.form == ErrorForm::query) {
    xml.plain("RequestId", request_id);
    xml.close("ErrorResponse");
  }
  return body;
}

}  // namespace

std::string new_request_id(bool rest_xml) {
  std::string uuid = base::new_uuid();
  if (!rest_xml) return uuid;
  constexpr size_t kDigits = 16;
  std::erase(uuid, '-');
  uuid.resize(kDigits);
  std::ranges::transform(uuid, uuid.begin(), [](char c) { return c >= 'a' ? static_cast<char>(c - 0x20) : c; });
  return uuid;
}

namespace {

ErrorStyle style_of_form(const OperationInfo& info, Encoding encoding) {
  if (encoding == Encoding::query || info.protocol == Protocol::query) {
    return {.form = ErrorForm::query,
            .content_type = "text/xml",
            .type_namespace = info.xml_namespace,
            .query_detail = info.service == kWithDetail};
  }
  const bool also_query = !info.query_version.empty();
  if (encoding == Encoding::cbor) return {ErrorForm::cbor, kCbor, info.error_namespace, info.crc32, also_query};
  if (encoding == Encoding::rpc_cbor) {
    return {ErrorForm::cbor, kRpcCbor, info.error_namespace, info.crc32, also_query, true};
  }
  switch (info.protocol) {
    case Protocol::json_1_0:
      return {ErrorForm::json, "application/x-amz-json-1.0", info.error_namespace, info.crc32, also_query};
    case Protocol::json_1_1:
      return {ErrorForm::json, "application/x-amz-json-1.1", info.error_namespace, info.crc32, also_query};
    case Protocol::rest_json:
      if (info.error_namespace == kFhir) return {ErrorForm::fhir, "application/fhir+json"};
      return {ErrorForm::rest_json, "application/json", {}, info.crc32};
    case Protocol::rest_xml: return {ErrorForm::rest_xml, "application/xml"};
    case Protocol::query: break;  // above
  }
  return {};
}

}  // namespace

ErrorStyle error_style(const OperationInfo& info, Encoding encoding) {
  ErrorStyle style = style_of_form(info, encoding);
  style.bare_types = info.service == kWithBareTypes;
  return style;
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

// Of a Query request. What has its type is in one already: nobody else gives it one.
void put_into_envelope(const OperationInfo& info, WireResponse& response, const std::string& request_id) {
  if (response.encoding != Encoding::query || !response.content_type.empty()) return;
  response.body = query_envelope(info, response.body, request_id);
  response.content_type = "text/xml";
}

void set_stream(net::Response& response, const BodyStream& stream) {
  if (auto whole = stream.take_whole()) {
    response.body = *std::move(whole);
    return;
  }
  response.stream = [stream] { return stream.read(); };
  if (const auto length = stream.length()) response.headers.set("content-length", std::to_string(*length));
}

void complete(const OperationInfo& info, WireResponse& response, const std::string& request_id) {
  put_into_envelope(info, response, request_id);
  if (info.crc32) response.headers.emplace_back(kSumHeader, std::to_string(base::crc32(response.body)));
}

net::Response answer(const OperationInfo& info, WireResponse&& in, const std::string& request_id) {
  put_into_envelope(info, in, request_id);
  net::Response response;
  response.status = in.status;
  response.body = std::move(in.body);
  if (is_cbor(in.encoding) && !in.stream) in.content_type = in.encoding == Encoding::cbor ? kCbor : kRpcCbor;
  auto& entries = response.headers.entries();
  entries.reserve(4 + in.headers.size());
  add_request_id(response, info.protocol == Protocol::rest_xml, request_id);
  constexpr int kNoContent = 204;
  if (!in.content_type.empty() && in.status != kNoContent)
    entries.emplace_back("content-type", std::move(in.content_type));
  if (in.encoding == Encoding::rpc_cbor) add_rpc(response);
  if (info.crc32 && !shapes::find(in.headers, kSumHeader)) add_crc32(response);
  for (auto& header : in.headers) entries.push_back(std::move(header));
  if (in.stream) set_stream(response, *in.stream);
  return response;
}

std::string error_payload(const Error& error, Encoding encoding) {
  return is_cbor(encoding) ? cbor_body(error, {}) : json_body({ErrorForm::rest_json}, error);
}

net::Response answer_error(const ErrorStyle& style, const Error& error, const std::string& request_id) {
  constexpr int kNotModified = 304;
  net::Response response;
  const bool is_query = style.form == ErrorForm::query;
  response.status = is_query && error.query_status != 0 ? error.query_status : error.http_status;
  add_request_id(response, style.form == ErrorForm::rest_xml, request_id);
  for (const auto& [name, value] : error.headers) response.headers.add(name, value);
  if (response.status == kNotModified) return response;
  response.headers.add("content-type", std::string(style.content_type));
  if (is_query || style.form == ErrorForm::rest_xml) {
    response.body = xml_body(style, error, request_id);
  } else if (style.form == ErrorForm::fhir) {
    response.body = fhir_body(error);
  } else if (style.form == ErrorForm::ec2) {
    response.body = ec2_body(error, request_id);
  } else if (style.form == ErrorForm::cbor) {
    response.body = cbor_body(error, type_of(style, error));
  } else {
    response.body = json_body(style, error);
  }
  if (style.rpc) add_rpc(response);
  if (style.form == ErrorForm::rest_json) response.headers.add("x-amzn-errortype", error.code);
  if (style.query_header) {
    response.headers.add("x-amzn-query-error", query_code(error) + ";" + std::string(fault_of(error)));
  }
  if (style.crc32) add_crc32(response);
  return response;
}

}  // namespace tidemill::wire
