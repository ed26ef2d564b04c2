// Every type of resource that Tidemill carries: a line here, and one in types.cc.
#pragma once

#include <string_view>

#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

// Null: there is no such type. "Custom::Anything" is that of custom resources.
[[nodiscard]] const ResourceType* find_type(std::string_view name);

// All, in the order of their names.
[[nodiscard]] std::span<const ResourceType* const> all_types();

namespace types {
extern const ResourceType kCdkMetadata;
extern const ResourceType kCloudFormationCustomResource;
extern const ResourceType kCloudFormationStack;
extern const ResourceType kCloudFormationWaitCondition;
extern const ResourceType kCloudFormationWaitConditionHandle;
extern const ResourceType kCloudWatchAlarm;
extern const ResourceType kCloudWatchCompositeAlarm;
extern const ResourceType kCloudWatchDashboard;
extern const ResourceType kDynamoDbGlobalTable;
extern const ResourceType kDynamoDbTable;
extern const ResourceType kEcrRepository;
extern const ResourceType kEventsApiDestination;
extern const ResourceType kEventsArchive;
extern const ResourceType kEventsConnection;
extern const ResourceType kEventsEventBus;
extern const ResourceType kEventsEventBusPolicy;
extern const ResourceType kEventsRule;
extern const ResourceType kHealthLakeFhirDatastore;
extern const ResourceType kIamAccessKey;
extern const ResourceType kIamGroup;
extern const ResourceType kIamGroupPolicy;
extern const ResourceType kIamInstanceProfile;
extern const ResourceType kIamManagedPolicy;
extern const ResourceType kIamPolicy;
extern const ResourceType kIamRole;
extern const ResourceType kIamRolePolicy;
extern const ResourceType kIamServiceLinkedRole;
extern const ResourceType kIamUser;
extern const ResourceType kIamUserPolicy;
extern const ResourceType kIamUserToGroupAddition;
extern const ResourceType kKinesisResourcePolicy;
extern const ResourceType kKinesisStream;
extern const ResourceType kKinesisStreamConsumer;
extern const ResourceType kKmsAlias;
extern const ResourceType kKmsKey;
extern const ResourceType kLambdaAlias;
extern const ResourceType kLambdaEventInvokeConfig;
extern const ResourceType kLambdaEventSourceMapping;
extern const ResourceType kLambdaFunction;
extern const ResourceType kLambdaLayerVersion;
extern const ResourceType kLambdaLayerVersionPermission;
extern const ResourceType kLambdaPermission;
extern const ResourceType kLambdaUrl;
extern const ResourceType kLambdaVersion;
extern const ResourceType kLogsLogGroup;
extern const ResourceType kLogsLogStream;
extern const ResourceType kLogsMetricFilter;
extern const ResourceType kLogsQueryDefinition;
extern const ResourceType kLogsResourcePolicy;
extern const ResourceType kLogsSubscriptionFilter;
extern const ResourceType kPipesPipe;
extern const ResourceType kS3Bucket;
extern const ResourceType kS3BucketPolicy;
extern const ResourceType kSecretsManagerSecret;
extern const ResourceType kSnsSubscription;
extern const ResourceType kSnsTopic;
extern const ResourceType kSnsTopicInlinePolicy;
extern const ResourceType kSnsTopicPolicy;
extern const ResourceType kSqsQueue;
extern const ResourceType kSqsQueueInlinePolicy;
extern const ResourceType kSqsQueuePolicy;
extern const ResourceType kSsmParameter;
extern const ResourceType kSchedulerSchedule;
extern const ResourceType kSchedulerScheduleGroup;
extern const ResourceType kStepFunctionsActivity;
extern const ResourceType kStepFunctionsStateMachine;
extern const ResourceType kStepFunctionsAlias;
extern const ResourceType kStepFunctionsVersion;
}

}  // namespace tidemill::cloudformation
