// AWS::Events::Archive.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kArchiveNameSizeMax = 48;

constexpr Property kArchiveProperties[] = {
    {.name = "ArchiveName", .update = Update::replaces},
    {.name = "Description"},
    {.name = "EventPattern", .kind = Kind::json},
    {.name = "KmsKeyIdentifier"},
    {.name = "RetentionDays", .kind = Kind::integer},
    {.name = "SourceArn", .required = true, .update = Update::replaces},
};

json::Object archive_request(const std::string& name, const json::Object& properties) {
  json::Object request = take(properties, {"Description", "EventPattern", "RetentionDays", "KmsKeyIdentifier"});
  make_json_text(request, "EventPattern");
  request.set("ArchiveName", name);
  return request;
}

Task<std::string> create_archive(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "ArchiveName", kArchiveNameSizeMax);
  if (properties.find("ArchiveName")) {
    co_await claim(step, name,
                   {"events", "DescribeArchive", json::Object{{"ArchiveName", name}}, {"ResourceNotFoundException"}});
  }
  json::Object request = archive_request(name, properties);
  copy_member(request, properties, "SourceArn", "EventSourceArn");
  co_await step.call_or_null("events", "CreateArchive", std::move(request), {"ResourceAlreadyExistsException"});
  co_return name;
}

Task<std::string> update_archive(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  json::Object request = archive_request(name, after);
  set_removed(request, before, {{"Description", ""}, {"EventPattern", ""}, {"RetentionDays", 0}});
  co_await step.call("events", "UpdateArchive", std::move(request));
  co_return name;
}

Task<void> remove_archive(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("events", "DeleteArchive", json::Object{{"ArchiveName", name}},
                             {"ResourceNotFoundException"});
}

Task<json::Object> describe_archive(Step& step, std::string name, const json::Object&) {
  co_return json::Object{{"Arn", step.arn("events", base::cat("archive/", name))}};
}

}  // namespace

const ResourceType types::kEventsArchive = {
    .name = "AWS::Events::Archive",
    .properties = kArchiveProperties,
    .create = create_archive,
    .update = update_archive,
    .remove = remove_archive,
    .attributes = describe_archive,
    .name_property = "ArchiveName",
};

}  // namespace tidemill::cloudformation
