// AWS::CDK::Metadata: what the CDK leaves in templates to be counted. Nothing is made of it.
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kMetadataIdSizeMax = 128;

constexpr Property kMetadataProperties[] = {
    {.name = "Analytics"},
    {.name = "Modules"},
};

Task<std::string> create_metadata(Step& step, const json::Object&) { co_return step.physical_name(kMetadataIdSizeMax); }

Task<std::string> update_metadata(Step&, std::string id, const json::Object&, const json::Object&) { co_return id; }

Task<void> remove_metadata(Step&, std::string, const json::Object&) { co_return; }

}  // namespace

const ResourceType types::kCdkMetadata = {
    .name = "AWS::CDK::Metadata",
    .properties = kMetadataProperties,
    .create = create_metadata,
    .update = update_metadata,
    .remove = remove_metadata,
};

}  // namespace tidemill::cloudformation
