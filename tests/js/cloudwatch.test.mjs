// CloudWatch with the AWS SDK for JavaScript v3, which speaks json here.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  CloudWatchClient, DescribeAlarmsCommand, GetMetricDataCommand, GetMetricStatisticsCommand, ListMetricsCommand,
  PutMetricAlarmCommand, PutMetricDataCommand, SetAlarmStateCommand,
} from "@aws-sdk/client-cloudwatch";
import { handlers, startServer, unique } from "./client.mjs";

let server;

before(async () => { server = await startServer(); });
after(async () => { await server?.stop(); });

for (const protocol of Object.keys(handlers)) {
  describe(`metrics over ${protocol}`, () => {
    let cloudwatch;
    before(() => {
      cloudwatch = new CloudWatchClient({
        endpoint: server.endpoint, region: "us-east-1", maxAttempts: 1, requestHandler: handlers[protocol](),
        credentials: { accessKeyId: "test", secretAccessKey: "test" },
      });
    });
    after(() => cloudwatch.destroy());

    const range = () => ({ StartTime: new Date(Date.now() - 600_000), EndTime: new Date(Date.now() + 60_000) });

    it("values become statistics", async () => {
      const Namespace = unique("js");
      await cloudwatch.send(new PutMetricDataCommand({
        Namespace, MetricData: [{ MetricName: "m", Values: [1, 3], Counts: [1, 2], Unit: "Count" }],
      }));
      const { Datapoints } = await cloudwatch.send(new GetMetricStatisticsCommand({
        Namespace, MetricName: "m", Period: 3600, Statistics: ["Sum", "SampleCount"], ...range(),
      }));
      assert.equal(Datapoints[0].Sum, 7);
      assert.equal(Datapoints[0].SampleCount, 3);
      assert.ok(Datapoints[0].Timestamp instanceof Date);
      const data = await cloudwatch.send(new GetMetricDataCommand({
        MetricDataQueries: [{ Id: "a", MetricStat: { Metric: { Namespace, MetricName: "m" }, Period: 3600, Stat: "p50" } }],
        ...range(),
      }));
      assert.deepEqual(data.MetricDataResults[0].Values, [3]);
      const listed = await cloudwatch.send(new ListMetricsCommand({ Namespace }));
      assert.deepEqual(listed.Metrics.map(({ MetricName }) => MetricName), ["m"]);
    });

    it("alarms are made and set", async () => {
      const AlarmName = unique("js");
      await cloudwatch.send(new PutMetricAlarmCommand({
        AlarmName, Namespace: "js", MetricName: "m", Statistic: "Sum", Period: 60, EvaluationPeriods: 1, Threshold: 1,
        ComparisonOperator: "GreaterThanThreshold",
      }));
      await cloudwatch.send(new SetAlarmStateCommand({ AlarmName, StateValue: "OK", StateReason: "a drill" }));
      const { MetricAlarms } = await cloudwatch.send(new DescribeAlarmsCommand({ AlarmNames: [AlarmName] }));
      assert.equal(MetricAlarms[0].StateValue, "OK");
      await assert.rejects(
        cloudwatch.send(new SetAlarmStateCommand({ AlarmName: "none", StateValue: "OK", StateReason: "" })),
        (error) => error.name === "ResourceNotFound");
    });

    it("what is wrong is refused", async () => {
      await assert.rejects(
        cloudwatch.send(new PutMetricDataCommand({ Namespace: "AWS/X", MetricData: [{ MetricName: "m", Value: 1 }] })),
        (error) => error.name === "InvalidParameterValueException" || error.name === "InvalidParameterValue");
    });
  });
}
