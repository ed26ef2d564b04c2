// CloudWatch with the AWS SDK for JavaScript v3, which speaks json here.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  CloudWatchClient, DeleteAlarmsCommand, DescribeAlarmHistoryCommand, DescribeAlarmsCommand,
  DescribeAlarmsForMetricCommand, DisableAlarmActionsCommand, EnableAlarmActionsCommand, GetMetricDataCommand,
  GetMetricStatisticsCommand, InvalidNextToken, ListMetricsCommand, ListTagsForResourceCommand, PutMetricAlarmCommand,
  PutMetricDataCommand, ResourceNotFoundException, SetAlarmStateCommand, TagResourceCommand, UntagResourceCommand,
  paginateDescribeAlarmHistory, paginateDescribeAlarms,
} from "@aws-sdk/client-cloudwatch";
import { eventually, handlers, startServer, unique } from "./client.mjs";

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

    // An alarm whose state changes only as it is set: its metric has no values.
    async function createAlarm(more = {}) {
      const AlarmName = more.AlarmName ?? unique("js");
      await cloudwatch.send(new PutMetricAlarmCommand({
        AlarmName, Namespace: "js", MetricName: AlarmName, Statistic: "Sum", Period: 60, EvaluationPeriods: 1,
        Threshold: 1, ComparisonOperator: "GreaterThanThreshold", TreatMissingData: "ignore", ...more,
      }));
      return AlarmName;
    }

    async function alarmCalled(AlarmName) {
      const { MetricAlarms } = await cloudwatch.send(new DescribeAlarmsCommand({ AlarmNames: [AlarmName] }));
      return MetricAlarms[0];
    }

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
        MetricDataQueries: [{
          Id: "a", MetricStat: { Metric: { Namespace, MetricName: "m" }, Period: 3600, Stat: "p50" },
        }],
        ...range(),
      }));
      assert.deepEqual(data.MetricDataResults[0].Values, [3]);
      const listed = await cloudwatch.send(new ListMetricsCommand({ Namespace }));
      assert.deepEqual(listed.Metrics.map(({ MetricName }) => MetricName), ["m"]);
    });

    it("alarms are made and set", async () => {
      const AlarmName = await createAlarm();
      await cloudwatch.send(new SetAlarmStateCommand({ AlarmName, StateValue: "OK", StateReason: "a drill" }));
      assert.equal((await alarmCalled(AlarmName)).StateValue, "OK");
      await assert.rejects(
        cloudwatch.send(new SetAlarmStateCommand({ AlarmName: "none", StateValue: "OK", StateReason: "" })),
        (error) => error.name === "ResourceNotFound");
    });

    it("an alarm's actions are switched off and on again", async () => {
      const one = await createAlarm({ AlarmDescription: "too much", Threshold: 2.5 });
      const other = await createAlarm({ ActionsEnabled: false });
      const enabled = async () => [(await alarmCalled(one)).ActionsEnabled, (await alarmCalled(other)).ActionsEnabled];
      const { AlarmDescription, Threshold, StateValue, AlarmArn } = await alarmCalled(one);
      assert.deepEqual([AlarmDescription, Threshold, StateValue], ["too much", 2.5, "INSUFFICIENT_DATA"]);
      assert.ok(AlarmArn.endsWith(`:alarm:${one}`));
      assert.deepEqual(await enabled(), [true, false]);
      await cloudwatch.send(new EnableAlarmActionsCommand({ AlarmNames: [one, other, unique("none")] }));
      assert.deepEqual(await enabled(), [true, true]);
      await cloudwatch.send(new DisableAlarmActionsCommand({ AlarmNames: [one] }));
      assert.deepEqual(await enabled(), [false, true]);
      await cloudwatch.send(new DeleteAlarmsCommand({ AlarmNames: [one, other] }));
      assert.equal(await alarmCalled(one), undefined);
      assert.equal(await alarmCalled(other), undefined);
    });

    it("no operation takes more than a hundred alarms at once", async () => {
      const AlarmName = await createAlarm();
      const AlarmNames = [AlarmName, ...Array.from({ length: 100 }, (_, i) => `${AlarmName}-${i}`)];
      for (const Command of [
        EnableAlarmActionsCommand, DisableAlarmActionsCommand, DeleteAlarmsCommand, DescribeAlarmsCommand,
      ]) {
        await assert.rejects(cloudwatch.send(new Command({ AlarmNames })), {
          name: /^Validation(Error|Exception)$/,
          message: /'alarmNames' failed to satisfy constraint: Member must have length less than or equal to 100/,
        });
      }
      assert.equal((await alarmCalled(AlarmName)).ActionsEnabled, true);
    });

    it("alarms are found by prefix, by state and by metric", async () => {
      const MetricName = unique("js");
      const prefix = unique("js");
      for (const [end, Period] of [["a", 60], ["b", 60], ["c", 300]]) {
        await createAlarm({ AlarmName: `${prefix}-${end}`, MetricName, Period });
      }
      await cloudwatch.send(new SetAlarmStateCommand({
        AlarmName: `${prefix}-b`, StateValue: "ALARM", StateReason: "a drill",
      }));
      const names = (alarms) => alarms.map(({ AlarmName }) => AlarmName.slice(prefix.length + 1)).sort();
      const found = [];
      const all = { AlarmNamePrefix: prefix };
      for await (const page of paginateDescribeAlarms({ client: cloudwatch, pageSize: 2 }, all)) {
        assert.ok(page.MetricAlarms.length <= 2);
        found.push(...page.MetricAlarms);
      }
      assert.deepEqual(names(found), ["a", "b", "c"]);
      const raised = await cloudwatch.send(new DescribeAlarmsCommand({ AlarmNamePrefix: prefix, StateValue: "ALARM" }));
      assert.deepEqual(names(raised.MetricAlarms), ["b"]);
      assert.equal(raised.MetricAlarms[0].StateReason, "a drill");
      const ofMetric = async (more) => {
        const request = { Namespace: "js", MetricName, ...more };
        return names((await cloudwatch.send(new DescribeAlarmsForMetricCommand(request))).MetricAlarms);
      };
      assert.deepEqual(await ofMetric(), ["a", "b", "c"]);
      assert.deepEqual(await ofMetric({ Statistic: "Sum", Period: 300 }), ["c"]);
      assert.deepEqual(await ofMetric({ Statistic: "Average" }), []);
      await assert.rejects(ofMetric({ Period: 0 }), {
        name: /^Validation(Error|Exception)$/,
        message: /'period' failed to satisfy constraint: Member must have value greater than or equal to 1/,
      });
      await cloudwatch.send(new DeleteAlarmsCommand({ AlarmNames: ["a", "b"].map((end) => `${prefix}-${end}`) }));
      assert.deepEqual(await ofMetric(), ["c"]);
    });

    it("an alarm's history tells what happened to it", async () => {
      const AlarmName = await createAlarm();
      for (const StateValue of ["ALARM", "OK"]) {
        await cloudwatch.send(new SetAlarmStateCommand({ AlarmName, StateValue, StateReason: "a drill" }));
      }
      const request = { AlarmName, HistoryItemType: "StateUpdate" };
      const history = async () => {
        const { AlarmHistoryItems } = await cloudwatch.send(new DescribeAlarmHistoryCommand(request));
        return AlarmHistoryItems.length === 2 && AlarmHistoryItems;
      };
      const items = await eventually(history, "two changes");
      assert.deepEqual(items.map(({ HistorySummary }) => HistorySummary),
        ["Alarm updated from ALARM to OK", "Alarm updated from INSUFFICIENT_DATA to ALARM"]);
      assert.ok(items[0].Timestamp instanceof Date);
      const oldest = [];
      const ascending = { ...request, ScanBy: "TimestampAscending" };
      for await (const page of paginateDescribeAlarmHistory({ client: cloudwatch, pageSize: 1 }, ascending)) {
        oldest.push(...page.AlarmHistoryItems.map(({ HistorySummary }) => HistorySummary));
      }
      assert.deepEqual(oldest, items.map(({ HistorySummary }) => HistorySummary).reverse());
      for (const Command of [DescribeAlarmHistoryCommand, DescribeAlarmsCommand]) {
        await assert.rejects(cloudwatch.send(new Command({ NextToken: "nonsense" })), InvalidNextToken);
      }
    });

    it("tags are put on an alarm and taken off", async () => {
      const AlarmName = await createAlarm({ Tags: [{ Key: "team", Value: "a" }] });
      const { AlarmArn: ResourceARN } = await alarmCalled(AlarmName);
      const tags = async () => {
        const { Tags } = await cloudwatch.send(new ListTagsForResourceCommand({ ResourceARN }));
        return Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value]));
      };
      assert.deepEqual(await tags(), { team: "a" });
      await cloudwatch.send(new TagResourceCommand({
        ResourceARN, Tags: [{ Key: "team", Value: "b" }, { Key: "stage", Value: "test" }],
      }));
      assert.deepEqual(await tags(), { team: "b", stage: "test" });
      await cloudwatch.send(new UntagResourceCommand({ ResourceARN, TagKeys: ["team", "none"] }));
      assert.deepEqual(await tags(), { stage: "test" });
      await cloudwatch.send(new DeleteAlarmsCommand({ AlarmNames: [AlarmName] }));
      for (const command of [
        new ListTagsForResourceCommand({ ResourceARN }), new UntagResourceCommand({ ResourceARN, TagKeys: ["a"] }),
        new TagResourceCommand({ ResourceARN, Tags: [{ Key: "a", Value: "1" }] }),
      ]) {
        await assert.rejects(cloudwatch.send(command), (error) => {
          assert.ok(error instanceof ResourceNotFoundException, `${command.constructor.name}: ${error}`);
          return true;
        });
      }
    });

    it("what cannot be is refused by its error", async () => {
      const metric = { Namespace: "js", MetricName: "m" };
      const day = 24 * 3600 * 1000;
      const days = (count) => ({ StartTime: new Date(Date.now() - count * day), EndTime: new Date() });
      const statistics = (more) => cloudwatch.send(
        new GetMetricStatisticsCommand({ ...metric, Period: 60, Statistics: ["Sum"], ...more }));
      await assert.rejects(statistics(days(2)), {
        name: /^InvalidParameterCombination/, message: /exceeds the limit of 1440/,
      });
      const backwards = { StartTime: new Date(), EndTime: new Date(Date.now() - day) };
      await assert.rejects(statistics(backwards), {
        name: /^InvalidParameterValue/, message: "The parameter StartTime must be less than the parameter EndTime.",
      });
      const query = { Id: "a", MetricStat: { Metric: metric, Period: 60, Stat: "Sum" } };
      await assert.rejects(
        cloudwatch.send(new GetMetricDataCommand({ MetricDataQueries: [query, query], ...range() })),
        { name: /^Validation(Error|Exception)$|^InvalidParameterValue/, message: /not unique/ });
      await assert.rejects(cloudwatch.send(new ListMetricsCommand({ NextToken: "nonsense" })), {
        name: /^InvalidNextToken$|^InvalidParameterValue/,
      });
      await assert.rejects(createAlarm({ Statistic: "Sums" }), {
        name: /^Validation(Error|Exception)$/, message: /'statistic' failed to satisfy constraint/,
      });
      const AlarmName = await createAlarm();
      await assert.rejects(
        cloudwatch.send(new SetAlarmStateCommand({ AlarmName, StateValue: "RED", StateReason: "" })), {
          name: /^Validation(Error|Exception)$/,
          message: /^1 validation error detected: Value 'RED' at 'stateValue' failed to satisfy constraint/,
        });
    });

    it("what is wrong is refused", async () => {
      await assert.rejects(
        cloudwatch.send(new PutMetricDataCommand({ Namespace: "AWS/X", MetricData: [{ MetricName: "m", Value: 1 }] })),
        (error) => error.name === "InvalidParameterValueException" || error.name === "InvalidParameterValue");
    });
  });
}
