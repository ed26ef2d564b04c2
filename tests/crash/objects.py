"""Objects while the server is killed: what was acknowledged is there, what was deleted is not, none is torn, and no file is
left that no object has. See README.md here."""
import collections
import hashlib
import random
import threading
import uuid

from harness import eventually

BUCKET = "crash-bucket"
KEYS_PER_WORKER = 5
PART_BYTES = 5 << 20
STORED_BYTES_MAX = 64 << 10   # larger bodies are files
SIZES = (0, 1000, STORED_BYTES_MAX, STORED_BYTES_MAX + 1, 700_000)
SWEPT_WITHIN_SECONDS = 180
ABSENT = None


class Objects:
    """Workers with keys of their own. What a key may hold: what was acknowledged last, or what was asked for since."""

    def __init__(self, run):
        self.run = run
        self.possible = collections.defaultdict(lambda: {ABSENT})   # key -> digests
        self.acknowledged = self.copied = self.completed = self.reads = 0
        self.lock = threading.Lock()

    def open(self, cloud):
        cloud.s3.create_bucket(Bucket=BUCKET)

    def tasks(self):
        return [(self.work, 0), (self.work, 1)]

    def work(self, worker):
        chance = random.Random(self.run.arguments.seed * 7000 + worker)
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            key = f"{worker}/{chance.randrange(KEYS_PER_WORKER)}"
            act = chance.choice((self.put, self.put, self.delete, self.copy, self.upload, self.read, self.read))
            act(cloud, chance, key)

    def change(self, key, digest, ask):
        self.possible[key].add(digest)
        if self.run.attempt(ask) is None:
            return False
        self.possible[key] = {digest}
        with self.lock:
            self.acknowledged += 1
        return True

    @staticmethod
    def body(chance, size):
        body = uuid.uuid4().bytes * (size // 16 + 1)
        return body[:size], hashlib.md5(body[:size]).hexdigest()

    def put(self, cloud, chance, key):
        body, digest = self.body(chance, chance.choice(SIZES))
        self.change(key, digest, lambda: cloud.s3.put_object(Bucket=BUCKET, Key=key, Body=body))

    def delete(self, cloud, chance, key):
        self.change(key, ABSENT, lambda: cloud.s3.delete_object(Bucket=BUCKET, Key=key))

    def copy(self, cloud, chance, key):
        body, digest = self.body(chance, chance.choice(SIZES))
        if self.change(key, digest, lambda: cloud.s3.put_object(Bucket=BUCKET, Key=key, Body=body)):
            to = key + "-copy"
            source = {"Bucket": BUCKET, "Key": key}
            self.copied += self.change(to, digest, lambda: cloud.s3.copy_object(Bucket=BUCKET, Key=to, CopySource=source))

    def upload(self, cloud, chance, key):
        where = {"Bucket": BUCKET, "Key": key}
        begun = self.run.attempt(lambda: cloud.s3.create_multipart_upload(**where))
        if begun is None:
            return
        where["UploadId"] = begun["UploadId"]
        bodies = [self.body(chance, PART_BYTES)[0], self.body(chance, chance.choice(SIZES[1:]))[0]]
        parts = []
        for number, body in enumerate(bodies, 1):
            part = self.run.attempt(lambda: cloud.s3.upload_part(**where, PartNumber=number, Body=body))
            if part is None:
                return
            parts.append({"PartNumber": number, "ETag": part["ETag"]})
        digest = hashlib.md5(b"".join(bodies)).hexdigest()
        self.completed += self.change(key, digest, lambda: cloud.s3.complete_multipart_upload(
            **where, MultipartUpload={"Parts": parts}))

    def read(self, cloud, chance, key):
        found = self.run.attempt(lambda: (self.held(cloud, key),))
        if found is None:
            return
        self.reads += 1
        if found[0] not in self.possible[key]:
            self.run.violations.append(f"object {key} holds {found[0]}, which is none of {self.possible[key]}")
            self.run.done.set()
        self.possible[key] = {found[0]}

    @staticmethod
    def held(cloud, key):
        try:
            return hashlib.md5(cloud.s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()).hexdigest()
        except cloud.s3.exceptions.NoSuchKey:
            return ABSENT

    def check(self, cloud):
        for key in list(self.possible):
            self.read(cloud, None, key)
        for upload in cloud.s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []):
            cloud.s3.abort_multipart_upload(Bucket=BUCKET, Key=upload["Key"], UploadId=upload["UploadId"])
        for key in list(self.possible):
            cloud.s3.delete_object(Bucket=BUCKET, Key=key)

        functions = cloud.functions.get_paginator("list_functions").paginate()
        packages = {found["CodeSha256"] for page in functions for found in page["Functions"]}  # they lie there, too

        def swept():
            return len([path for path in (self.run.faults.data / "blobs").rglob("*") if path.is_file()]) == len(packages)
        try:
            eventually(swept, "no file is left of deleted objects", SWEPT_WITHIN_SECONDS, 0.05)
        except AssertionError as error:
            self.run.violations.append(f"objects: {error}")
        if not self.acknowledged or not self.reads:
            self.run.violations.append("no object was written or read")

    def summary(self):
        return (f"{self.acknowledged} changes of objects, {self.copied} of them copies and {self.completed} uploads in parts, "
                f"{self.reads} reads")
