"""Records of a data stream while the server is killed and the stream is resharded: what was acknowledged is there once,
where its answer said, and the records of a key are in the order of their acknowledgements. See README.md here."""
import collections
import random
import time

from harness import eventually

STREAM = "crash"
SHARDS = (2, 3, 4)
RESHARDS_MAX = 9    # AWS's limit is ten in 24 hours
RESHARD_SECONDS = 4
READ_WITHIN_SECONDS = 180


class Records:
    """Each producer has keys of its own and numbers their records, so order and loss can be told from the data."""

    def __init__(self, run):
        self.run = run
        self.places = {}                        # data -> (shard, sequence number), of those that were acknowledged
        self.next = collections.Counter()       # key -> the number of its next record
        self.reshards = 0

    def open(self, cloud):
        cloud.kinesis.create_stream(StreamName=STREAM, ShardCount=SHARDS[0])
        cloud.data_stream_active(STREAM)

    def tasks(self):
        return [(self.put, 0), (self.put, 1), (self.reshard,)]

    def put(self, producer):
        chance = random.Random(self.run.arguments.seed * 6000 + producer)
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            batch = []
            for _ in range(chance.choice((1, 5, 50))):
                key = f"{producer}-{chance.randrange(5)}"
                batch.append({"PartitionKey": key, "Data": f"{key}/{self.next[key]}".encode()})
                self.next[key] += 1
            answer = self.run.attempt(lambda: cloud.kinesis.put_records(StreamName=STREAM, Records=batch))
            if answer is None:
                continue
            for record, entry in zip(batch, answer["Records"]):
                if "ErrorCode" in entry:
                    continue
                self.places[record["Data"]] = (entry["ShardId"], entry["SequenceNumber"])

    def reshard(self):
        chance = random.Random(self.run.arguments.seed * 6000 + 100)
        cloud = self.run.cloud()
        count = SHARDS[0]
        while not self.run.done.is_set() and self.reshards < RESHARDS_MAX:
            count = chance.choice([other for other in SHARDS if other != count])
            self.run.attempt(lambda: self.reshard_to(cloud, count))
            self.reshards += 1
            time.sleep(RESHARD_SECONDS)

    @staticmethod
    def reshard_to(cloud, count):
        try:
            return cloud.kinesis.update_shard_count(StreamName=STREAM, TargetShardCount=count, ScalingType="UNIFORM_SCALING")
        except cloud.kinesis.exceptions.ResourceInUseException:
            return None  # the one before is still under way

    def check(self, cloud):
        cloud.data_stream_active(STREAM)
        found = {}                              # data -> (shard, sequence number)
        order = collections.defaultdict(list)   # key -> its numbers, shards in the order of their making
        for shard in cloud.kinesis.list_shards(StreamName=STREAM)["Shards"]:
            for record in self.read(cloud, shard["ShardId"]):
                if record["Data"] in found:
                    self.run.violations.append(f"stream: {record['Data']} is there twice")
                found[record["Data"]] = (shard["ShardId"], record["SequenceNumber"])
                key, number = record["Data"].decode().split("/")
                order[key].append(int(number))
        if lost := [data for data, place in self.places.items() if found.get(data) != place]:
            self.run.violations.append(f"stream: {len(lost)} acknowledged records are not where they were put, {lost[0]} for one")
        for key, numbers in order.items():
            if numbers != sorted(numbers):
                self.run.violations.append(f"stream: the records of {key} are out of order")
        if not self.places or not self.reshards:
            self.run.violations.append("no record was put, or the stream was never resharded")

    @staticmethod
    def read(cloud, shard, stream=STREAM):
        iterator = cloud.kinesis.get_shard_iterator(
            StreamName=stream, ShardId=shard, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        records = []

        def at_end():
            nonlocal iterator
            page = cloud.kinesis.get_records(ShardIterator=iterator)
            records.extend(page["Records"])
            iterator = page.get("NextShardIterator")
            return iterator is None or page["MillisBehindLatest"] == 0
        eventually(at_end, f"the end of {shard}", READ_WITHIN_SECONDS)
        return records

    def summary(self):
        return f"{len(self.places)} records in a data stream that was resharded {self.reshards} times"
