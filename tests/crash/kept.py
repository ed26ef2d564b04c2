"""Keys, parameters and secrets while the server is killed: what was acknowledged is read back, or what was asked for since;
what a key has encrypted it decrypts. See README.md here."""
import collections
import random

KEYS_MAX = 5
NAMES = 4
CIPHERTEXTS_MAX = 300  # kept to be decrypted


class Kept:
    """One worker, who counts up what each name holds."""

    def __init__(self, run):
        self.run = run
        self.keys = []                             # that were acknowledged
        self.ciphertexts = []                      # (key, ciphertext, plaintext)
        self.sent = collections.Counter()          # kind and name -> highest number
        self.acknowledged = collections.Counter()  # the same
        self.versions = {}                         # kind and name -> the version that the last acknowledgement told
        self.reads = 0

    def open(self, cloud):
        self.keys.append(cloud.client("kms").create_key()["KeyMetadata"]["KeyId"])
        for number in range(NAMES):
            cloud.client("secretsmanager").create_secret(Name=f"crash-{number}", SecretString="0", KmsKeyId=self.keys[0])

    def tasks(self):
        return [(self.work,)]

    def work(self):
        chance = random.Random(self.run.arguments.seed * 17_000)
        cloud = self.run.cloud()
        deeds = [self.encrypt, self.put_parameter, self.put_secret, self.read_parameter, self.read_secret]
        while not self.run.done.is_set():
            chance.choice(deeds)(cloud, chance)
            if len(self.keys) < KEYS_MAX and chance.random() < 0.02:
                answer = self.run.attempt(lambda: cloud.client("kms").create_key())
                if answer is not None:
                    self.keys.append(answer["KeyMetadata"]["KeyId"])
            self.run.done.wait(chance.random() * 0.02)

    def encrypt(self, cloud, chance):
        key, plain = chance.choice(self.keys), chance.randbytes(chance.randrange(1, 4096))
        if chance.random() < 0.1:
            self.run.attempt(lambda: cloud.client("kms").rotate_key_on_demand(KeyId=key) if self.may_rotate(cloud, key) else {})
        answer = self.run.attempt(lambda: cloud.client("kms").encrypt(
            KeyId=key, Plaintext=plain, EncryptionContext={"of": "crash"}))
        if answer is not None and len(self.ciphertexts) < CIPHERTEXTS_MAX:
            self.ciphertexts.append((key, answer["CiphertextBlob"], plain))

    @staticmethod
    def may_rotate(cloud, key):
        """A key may be rotated on demand ten times."""
        if not hasattr(cloud.client("kms"), "rotate_key_on_demand"):
            return False
        return len(cloud.client("kms").list_key_rotations(KeyId=key).get("Rotations", [])) < 10

    def put_parameter(self, cloud, chance):
        name = chance.randrange(NAMES)
        self.put(("parameter", name), lambda value: cloud.client("ssm").put_parameter(
            Name=f"/crash/{name}", Value=value, Type="SecureString", KeyId=self.keys[0], Overwrite=True))

    def put_secret(self, cloud, chance):
        name = chance.randrange(NAMES)
        self.put(("secret", name), lambda value: cloud.client("secretsmanager").put_secret_value(
            SecretId=f"crash-{name}", SecretString=value))

    def put(self, place, call):
        self.sent[place] += 1
        number = self.sent[place]
        answer = self.run.attempt(lambda: call(str(number)))
        if answer is not None:
            self.acknowledged[place] = number
            self.versions[place] = answer.get("Version", answer.get("VersionId"))

    def read_parameter(self, cloud, chance):
        name = chance.randrange(NAMES)
        self.see(("parameter", name), lambda: self.parameter(cloud, name))

    def read_secret(self, cloud, chance):
        name = chance.randrange(NAMES)
        self.see(("secret", name), lambda: self.secret(cloud, name))

    @staticmethod
    def parameter(cloud, name):
        found = cloud.client("ssm").get_parameters(Names=[f"/crash/{name}"], WithDecryption=True)["Parameters"]
        return (found[0]["Value"], found[0]["Version"]) if found else ("0", None)

    @staticmethod
    def secret(cloud, name):
        found = cloud.client("secretsmanager").get_secret_value(SecretId=f"crash-{name}")
        return found["SecretString"], found["VersionId"]

    def see(self, place, read):
        """Only this worker writes, so what it finds is the last acknowledged value, or one that got no answer since."""
        found = self.run.attempt(read)
        if found is None:
            return
        self.reads += 1
        value, version = int(found[0]), found[1]
        if not self.acknowledged[place] <= value <= self.sent[place]:
            self.run.violations.append(f"kept: {place} holds {value}, {self.acknowledged[place]} was acknowledged and "
                                       f"{self.sent[place]} sent")
        elif value == self.acknowledged[place] > 0 and version != self.versions[place]:
            self.run.violations.append(f"kept: {place} has the version {version}, {self.versions[place]} was acknowledged")

    def check(self, cloud):
        for name in range(NAMES):
            self.see(("parameter", name), lambda: self.parameter(cloud, name))
            self.see(("secret", name), lambda: self.secret(cloud, name))
        kms = cloud.client("kms")
        there = {one["KeyId"] for page in kms.get_paginator("list_keys").paginate() for one in page["Keys"]}
        if lost := set(self.keys) - there:
            self.run.violations.append(f"kept: the keys {sorted(lost)} were acknowledged and are not there")
        for key, ciphertext, plain in self.ciphertexts:
            opened = kms.decrypt(CiphertextBlob=ciphertext, EncryptionContext={"of": "crash"})
            if opened["Plaintext"] != plain or not opened["KeyId"].endswith(key):
                self.run.violations.append(f"kept: what {key} has encrypted is decrypted as something else")
        if not self.ciphertexts or not self.reads:
            self.run.violations.append("kept: nothing was encrypted or read")

    def summary(self):
        return (f"{len(self.ciphertexts)} texts encrypted by {len(self.keys)} keys, {sum(self.acknowledged.values())} parameters "
                f"and secrets put, {self.reads} read")
