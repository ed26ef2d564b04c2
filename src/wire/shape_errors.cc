#include "wire/shape_errors.h"

#include "base/json.h"
#include "wire/shape_json.h"
#include "wire/shape_writer.h"
#include "wire/shape_xml.h"

namespace tidemill::wire::shapes {

namespace {

void add_details(const Shape& shape, const void* more, Error& error) {
  for (const Member& member : shape.members) {
    const void* value = value_of(member, more);
    if (value) error.details.emplace_back(std::string(member.xml), xml_text_of(member, value, true));
  }
}

void add_members(const Shape& shape, const void* more, Error& error) {
  std::string text;
  json::Writer writer(text);
  write_json(writer, shape, more);
  add_error_members(error, text);
}

}  // namespace

Error make_error(const ErrorShape& shape, std::string message, const void* more) {
  Error error(std::string(shape.code), shape.status, std::move(message));
  error.message_member = shape.message_member;
  error.query_code = shape.query_code;
  error.query_status = shape.query_status;
  if (!shape.type.empty()) error.more_members = "\"Type\":\"" + std::string(shape.type) + "\"";
  if (more && shape.in_xml) add_details(*shape.members, more, error);
  if (more && !shape.in_xml) add_members(*shape.members, more, error);
  return error;
}

}  // namespace tidemill::wire::shapes
