// What test_cdk_more.py deploys, swaps and watches: a function, a state machine and a queue, and a table if it is asked for.
import { App, CfnOutput, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import * as dynamodb from "aws-cdk-lib/aws-dynamodb";
import * as lambda from "aws-cdk-lib/aws-lambda";
import * as sqs from "aws-cdk-lib/aws-sqs";
import * as sfn from "aws-cdk-lib/aws-stepfunctions";

const app = new App();
const stack = new Stack(app, "Tidal");
const told = (name, value) => app.node.tryGetContext(name) ?? value;

new lambda.Function(stack, "Tell", {
  functionName: "tidal-tell",
  runtime: lambda.Runtime.NODEJS_22_X,
  handler: "index.handler",
  code: lambda.Code.fromAsset("function"),
  environment: { TIDE: told("tide", "low") },
});

new sfn.StateMachine(stack, "Machine", {
  stateMachineName: "tidal-machine",
  definitionBody: sfn.DefinitionBody.fromChainable(
    new sfn.Pass(stack, "Say", { result: sfn.Result.fromObject({ tide: told("tide", "low") }) })),
});

const queue = new sqs.Queue(stack, "Queue", {
  queueName: told("queue", undefined),
  deliveryDelay: Duration.seconds(Number(told("delay", 5))),
});
if (told("stray", false)) {
  const stray = new sqs.Queue(stack, "Stray", { queueName: told("stray") });
  stray.node.defaultChild.overrideLogicalId("Stray");  // by which its mapping names it
}
if (told("table", false)) {
  new dynamodb.Table(stack, "Table", {
    tableName: told("table"),
    partitionKey: { name: "id", type: dynamodb.AttributeType.STRING },
    billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
    timeToLiveAttribute: told("expiry", undefined),
    removalPolicy: told("kept", false) ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
}
if (told("broken", false)) queue.node.defaultChild.addPropertyOverride("VisibilityTimeout", 99_999);
new CfnOutput(stack, "Url", { value: queue.queueUrl });
