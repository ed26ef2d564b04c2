#include "wire/pipeline/foreign_services.h"

#include <algorithm>
#include <iterator>

namespace tidemill::wire {

namespace {

// Each sorted. A service that Tidemill comes to have needs no change here: its operations are looked for first.
constexpr std::string_view kQuery[] = {
    "autoscaling", "cloudformation", "cloudsearch", "elasticache", "elasticbeanstalk", "elasticloadbalancing",
    "email", "iam", "importexport", "rds", "redshift", "sdb", "ses", "sts"};
constexpr std::string_view kRestXml[] = {
    "cloudfront", "route53", "s3-control", "s3-object-lambda", "s3-outposts", "s3express"};
constexpr std::string_view kJson[] = {
    "IoTSecuredTunneling", "a4b", "acm", "acm-pca", "aoss", "application-autoscaling", "applicationinsights",
    "apprunner", "appstream", "appstream2", "athena", "autoscaling-plans", "aws-marketplace", "backup-gateway",
    "bcm-data-exports", "budgets", "cassandra", "ce", "cloud9", "cloudcontrolapi", "cloudhsm", "cloudhsmv2",
    "cloudtrail", "codebuild", "codecommit", "codedeploy", "codepipeline", "codestar", "codestar-connections",
    "cognito-identity", "cognito-idp", "comprehend", "comprehendmedical", "compute-optimizer", "config", "cur",
    "datapipeline", "datasync", "dax", "devicefarm", "directconnect", "discovery", "dms", "ds",
    "ec2-instance-connect", "ecr", "ecr-public", "ecs", "elasticmapreduce", "firehose", "fms", "forecast",
    "forecastquery", "frauddetector", "freetier", "fsx", "gamelift", "globalaccelerator", "glue", "health",
    "healthlake", "identitystore", "inspector", "iotfleetwise", "iotthingsgraph", "kendra", "kinesisanalytics",
    "kms", "license-manager", "lightsail", "lookoutequipment", "machinelearning", "macie",
    "marketplacecommerceanalytics", "mediastore", "memory-db", "memorydb", "mgh", "migrationhub-config",
    "mturk-requester", "network-firewall", "opsworks", "opsworks-cm", "organizations", "payment-cryptography",
    "personalize", "pi", "pricing", "proton", "qldb", "redshift-data", "redshift-serverless", "rekognition",
    "route53-recovery-cluster", "route53domains", "route53resolver", "sagemaker", "secretsmanager",
    "servicecatalog", "servicediscovery", "servicequotas", "shield", "sms", "sms-voice", "snowball", "ssm",
    "ssm-contacts", "sso", "states", "storagegateway", "support", "swf", "tagging", "textract", "timestream",
    "transcribe", "transfer", "translate", "verifiedpermissions", "voiceid", "waf", "waf-regional", "wafv2",
    "workmail", "workspaces"};
constexpr std::string_view kRestJson[] = {
    "AWSMobileHubService", "access-analyzer", "account", "airflow", "amplify", "amplifybackend", "amplifyuibuilder",
    "apigateway", "app-integrations", "appconfig", "appconfigdata", "appflow", "application-cost-profiler",
    "appmesh", "appsync", "aps", "arc-zonal-shift", "auditmanager", "awsssooidc", "awsssoportal", "b2bi", "backup",
    "backup-storage", "backupstorage", "batch", "bedrock", "bedrock-agentcore", "billingconductor", "braket",
    "cases", "chime", "clouddirectory", "cloudsearchdomain", "codeartifact", "codecatalyst", "codeguru-profiler",
    "codeguru-reviewer", "codestar-notifications", "cognito-sync", "connect", "connect-campaigns", "contact-lens",
    "controltower", "databrew", "dataexchange", "datazone", "deadline", "detective", "devops-guru", "dlm",
    "docdb-elastic", "drs", "dsql", "ebs", "eks", "elastic-inference", "elasticfilesystem", "elastictranscoder",
    "emr-containers", "emr-serverless", "es", "evidently", "execute-api", "finspace", "finspace-api", "fis",
    "gamesparks", "geo", "glacier", "grafana", "greengrass", "groundstation", "guardduty", "honeycode",
    "identity-chime", "imagebuilder", "inspector2", "internetmonitor", "iot", "iot-jobs-data", "iot1click",
    "iotanalytics", "iotdata", "iotdeviceadvisor", "iotevents", "ioteventsdata", "iotfleethub", "iotroborunner",
    "iotsitewise", "iottwinmaker", "iotwireless", "ivs", "ivschat", "kafka", "kafkaconnect", "kinesisvideo",
    "lakeformation", "lex", "license-manager-user-subscriptions", "lookoutmetrics", "lookoutvision", "m2", "macie2",
    "managedblockchain", "media-pipelines-chime", "mediaconnect", "mediaconvert", "medialive", "mediapackage",
    "mediapackage-vod", "mediapackagev2", "mediatailor", "meetings-chime", "messaging-chime", "mgn",
    "migrationhub-orchestrator", "migrationhub-strategy", "mobile", "mobiletargeting", "models-v2-lex", "mq",
    "networkmanager", "nimble", "oam", "oidc", "omics", "osis", "outposts", "panorama", "personalize-events",
    "personalize-runtime", "pinpoint", "pipes", "polly", "private-networks", "profile", "qbusiness", "quicksight",
    "ram", "rbin", "rds-data", "refactor-spaces", "resiliencehub", "resource-explorer-2", "resource-groups",
    "robomaker", "rolesanywhere", "route53-recovery-control-config", "route53-recovery-readiness", "rum",
    "runtime-v2-lex", "s3tables", "s3vectors", "sagemaker-geospatial", "savingsplans", "scheduler", "schemas",
    "securityhub", "securitylake", "serverlessrepo", "servicecatalog-appregistry", "signer", "simspaceweaver",
    "snow-device-management", "ssm-incidents", "ssm-sap", "supportapp", "synthetics", "voice-chime",
    "wellarchitected", "wisdom", "workdocs", "worklink", "workmailmessageflow", "workspaces-web", "xray"};

static_assert(std::ranges::is_sorted(kQuery) && std::ranges::is_sorted(kRestXml) && std::ranges::is_sorted(kJson) &&
              std::ranges::is_sorted(kRestJson));

}  // namespace

std::optional<ForeignForm> form_of_foreign_service(std::string_view name) {
  if (name == "ec2") return ForeignForm::ec2;
  if (std::ranges::binary_search(kQuery, name)) return ForeignForm::query;
  if (std::ranges::binary_search(kRestXml, name)) return ForeignForm::rest_xml;
  if (std::ranges::binary_search(kJson, name)) return ForeignForm::json;
  if (std::ranges::binary_search(kRestJson, name)) return ForeignForm::rest_json;
  return std::nullopt;
}

}  // namespace tidemill::wire
