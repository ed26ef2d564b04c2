#include "services/cloudformation/types/types.h"

#include <algorithm>
#include <vector>

namespace tidemill::cloudformation {

namespace {

// One line each, in the order of their names.
constexpr const ResourceType* kTypes[] = {
    &types::kCdkMetadata,
    &types::kCloudFormationCustomResource,
    &types::kCloudFormationStack,
    &types::kCloudFormationWaitCondition,
    &types::kCloudFormationWaitConditionHandle,
    &types::kCloudWatchAlarm,
    &types::kCloudWatchCompositeAlarm,
    &types::kCloudWatchDashboard,
    &types::kDynamoDbGlobalTable,
    &types::kDynamoDbTable,
    &types::kEcrRepository,
    &types::kEventsApiDestination,
    &types::kEventsArchive,
    &types::kEventsConnection,
    &types::kEventsEventBus,
    &types::kEventsEventBusPolicy,
    &types::kEventsRule,
    &types::kHealthLakeFhirDatastore,
    &types::kIamAccessKey,
    &types::kIamGroup,
    &types::kIamGroupPolicy,
    &types::kIamInstanceProfile,
    &types::kIamManagedPolicy,
    &types::kIamPolicy,
    &types::kIamRole,
    &types::kIamRolePolicy,
    &types::kIamServiceLinkedRole,
    &types::kIamUser,
    &types::kIamUserPolicy,
    &types::kIamUserToGroupAddition,
    &types::kKmsAlias,
    &types::kKmsKey,
    &types::kKinesisResourcePolicy,
    &types::kKinesisStream,
    &types::kKinesisStreamConsumer,
    &types::kLambdaAlias,
    &types::kLambdaEventInvokeConfig,
    &types::kLambdaEventSourceMapping,
    &types::kLambdaFunction,
    &types::kLambdaLayerVersion,
    &types::kLambdaLayerVersionPermission,
    &types::kLambdaPermission,
    &types::kLambdaUrl,
    &types::kLambdaVersion,
    &types::kLogsLogGroup,
    &types::kLogsLogStream,
    &types::kLogsMetricFilter,
    &types::kLogsQueryDefinition,
    &types::kLogsResourcePolicy,
    &types::kLogsSubscriptionFilter,
    &types::kPipesPipe,
    &types::kS3Bucket,
    &types::kS3BucketPolicy,
    &types::kSnsSubscription,
    &types::kSnsTopic,
    &types::kSnsTopicInlinePolicy,
    &types::kSnsTopicPolicy,
    &types::kSqsQueue,
    &types::kSqsQueueInlinePolicy,
    &types::kSqsQueuePolicy,
    &types::kSsmParameter,
    &types::kSchedulerSchedule,
    &types::kSchedulerScheduleGroup,
    &types::kSecretsManagerSecret,
    &types::kStepFunctionsActivity,
    &types::kStepFunctionsStateMachine,
    &types::kStepFunctionsAlias,
    &types::kStepFunctionsVersion,
};

}  // namespace

std::span<const ResourceType* const> all_types() { return kTypes; }

const ResourceType* find_type(std::string_view name) {
  if (name.starts_with("Custom::")) return &types::kCloudFormationCustomResource;
  const auto found = std::ranges::find_if(kTypes, [&](const ResourceType* type) { return type->name == name; });
  return found == std::end(kTypes) ? nullptr : *found;
}

}  // namespace tidemill::cloudformation
