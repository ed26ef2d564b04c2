// What test_cdk_more.py deploys of the CDK's own custom resources, each of which is a function that the CDK brings.
import { App, CfnOutput, CustomResource, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import * as lambda from "aws-cdk-lib/aws-lambda";
import * as logs from "aws-cdk-lib/aws-logs";
import * as s3 from "aws-cdk-lib/aws-s3";
import * as deployment from "aws-cdk-lib/aws-s3-deployment";
import * as notifications from "aws-cdk-lib/aws-s3-notifications";
import * as sqs from "aws-cdk-lib/aws-sqs";
import * as resources from "aws-cdk-lib/custom-resources";

const app = new App();
const stack = new Stack(app, "Custom");
const value = app.node.tryGetContext("value") ?? "low";

const call = {
  service: "SSM",
  action: "putParameter",
  parameters: { Name: "/tidal/custom", Value: value, Type: "String", Overwrite: true },
  physicalResourceId: resources.PhysicalResourceId.of("/tidal/custom"),
};
const called = new resources.AwsCustomResource(stack, "Called", {
  installLatestAwsSdk: false,
  onUpdate: call,
  onDelete: { service: "SSM", action: "deleteParameter", parameters: { Name: "/tidal/custom" } },
  policy: resources.AwsCustomResourcePolicy.fromSdkCalls({ resources: ["*"] }),
});
new CfnOutput(stack, "Version", { value: called.getResponseField("Version") });

const made = new lambda.Function(stack, "Make", {
  functionName: "tidal-make",
  runtime: lambda.Runtime.PYTHON_3_12,
  handler: "index.handler",
  code: lambda.Code.fromInline(
    "def handler(event, context):\n    return {'PhysicalResourceId': 'it', 'Data': {'Said': event['RequestType']}}\n"),
  logRetention: logs.RetentionDays.ONE_WEEK,
});
const thing = new CustomResource(stack, "Thing", {
  serviceToken: new resources.Provider(stack, "Provider", { onEventHandler: made }).serviceToken,
  serviceTimeout: Duration.minutes(5),
  properties: { Value: value },
});
new CfnOutput(stack, "Said", { value: thing.getAttString("Said") });

const queue = new sqs.Queue(stack, "Queue");
const bucket = new s3.Bucket(stack, "Bucket", { removalPolicy: RemovalPolicy.DESTROY, autoDeleteObjects: true });
bucket.addEventNotification(s3.EventType.OBJECT_CREATED, new notifications.SqsDestination(queue), { prefix: "in/" });
new deployment.BucketDeployment(stack, "Site", {
  sources: [deployment.Source.asset("site"), deployment.Source.data("tide.txt", value)],
  destinationBucket: bucket,
});
new CfnOutput(stack, "BucketName", { value: bucket.bucketName });
