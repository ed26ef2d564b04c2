import { Duration, RemovalPolicy, Stack, StackProps } from "aws-cdk-lib";
import { AttributeType, BillingMode, ProjectionType, Table } from "aws-cdk-lib/aws-dynamodb";
import { EventField, Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Runtime } from "aws-cdk-lib/aws-lambda";
import { NodejsFunction } from "aws-cdk-lib/aws-lambda-nodejs";
import { Construct } from "constructs";

const INDEX = "by-window";

export interface PreciseExpiryProps extends StackProps {
  /** Minutes from one run of the function to the next. */
  readonly every: number;
}

/** A table whose items expire natively, and one where a function does it by hand. */
export class PreciseExpiry extends Stack {
  constructor(scope: Construct, id: string, props: PreciseExpiryProps) {
    super(scope, id, props);
    const sessions = {
      partitionKey: { name: "id", type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      removalPolicy: RemovalPolicy.DESTROY,
    };
    new Table(this, "Native", { ...sessions, tableName: "sessions-native", timeToLiveAttribute: "ttl" });
    const byHand = new Table(this, "ByHand", {
      ...sessions,
      tableName: "sessions-by-hand",
      timeToLiveAttribute: "purgeAt", // for what the function leaves behind
    });
    byHand.addGlobalSecondaryIndex({
      indexName: INDEX,
      partitionKey: { name: "expirationWindow", type: AttributeType.STRING },
      sortKey: { name: "ttl", type: AttributeType.NUMBER },
      projectionType: ProjectionType.KEYS_ONLY,
    });

    const expire = new NodejsFunction(this, "Expire", {
      functionName: "expire",
      entry: "function/expire.ts",
      runtime: Runtime.NODEJS_22_X,
      timeout: Duration.minutes(5),
      memorySize: 2048,
      environment: { TABLE: byHand.tableName, INDEX },
    });
    expire.addToRolePolicy(new PolicyStatement({
      actions: ["dynamodb:Query", "dynamodb:BatchWriteItem"],
      resources: [byHand.tableArn, `${byHand.tableArn}/index/${INDEX}`],
    }));

    new Rule(this, "EveryMinutes", {
      schedule: Schedule.cron({ minute: `*/${props.every}` }),
      // Of the event the function gets its time alone.
      targets: [new LambdaFunction(expire, { event: RuleTargetInput.fromObject({ time: EventField.fromPath("$.time") }) })],
    });
  }
}
