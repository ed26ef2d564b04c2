"""KMS with boto3 and the AWS CLI: keys, what they encrypt, and the file that opens all of it."""
import base64
import json
import pathlib

import pytest

from awscli_support import aws  # noqa: F401  the fixture
from harness import Cloud, Server, eventually, quietly, refused, unique

MISSING = "00000000-0000-0000-0000-000000000000"


@pytest.fixture
def kms(cloud):
    return cloud.client("kms")


@pytest.fixture
def make_key(cloud, kms):
    """Makes keys that are scheduled for deletion after the test, as nothing faster deletes one."""
    def make(**more):
        key = kms.create_key(**more)["KeyMetadata"]
        cloud.cleanup.callback(quietly, kms.schedule_key_deletion, KeyId=key["KeyId"], PendingWindowInDays=7)
        return key
    return make


@pytest.fixture
def key(make_key):
    """The id of a key."""
    return make_key()["KeyId"]


def test_a_key_is_shown_as_it_was_made(kms, make_key):
    made = make_key(Description="of the mill", Tags=[{"TagKey": "stage", "TagValue": "test"}])
    assert made["Arn"].endswith(f":key/{made['KeyId']}")
    assert (made["Description"], made["Enabled"], made["KeyState"]) == ("of the mill", True, "Enabled")
    assert (made["KeyManager"], made["Origin"], made["MultiRegion"]) == ("CUSTOMER", "AWS_KMS", False)
    assert (made["KeySpec"], made["KeyUsage"]) == ("SYMMETRIC_DEFAULT", "ENCRYPT_DECRYPT")
    assert made["EncryptionAlgorithms"] == ["SYMMETRIC_DEFAULT"]
    assert kms.describe_key(KeyId=made["Arn"])["KeyMetadata"] == made
    assert kms.list_resource_tags(KeyId=made["KeyId"])["Tags"] == [{"TagKey": "stage", "TagValue": "test"}]
    kms.untag_resource(KeyId=made["KeyId"], TagKeys=["stage"])
    kms.tag_resource(KeyId=made["KeyId"], Tags=[{"TagKey": "team", "TagValue": "a"}])
    assert kms.list_resource_tags(KeyId=made["KeyId"])["Tags"] == [{"TagKey": "team", "TagValue": "a"}]
    kms.update_key_description(KeyId=made["KeyId"], Description="other")
    assert kms.describe_key(KeyId=made["KeyId"])["KeyMetadata"]["Description"] == "other"
    assert made["KeyId"] in [each["KeyId"] for page in kms.get_paginator("list_keys").paginate(Limit=2)
                             for each in page["Keys"]]


def test_what_is_encrypted_is_opened_with_its_context_only(kms, key):
    context = {"tenant": "mill", "table": "tea"}
    sealed = kms.encrypt(KeyId=key, Plaintext=b"green tea", EncryptionContext=context)
    assert sealed["KeyId"].endswith(key) and sealed["EncryptionAlgorithm"] == "SYMMETRIC_DEFAULT"
    opened = kms.decrypt(CiphertextBlob=sealed["CiphertextBlob"], EncryptionContext=context)
    assert (opened["Plaintext"], opened["KeyId"]) == (b"green tea", sealed["KeyId"])
    for other in ({}, {"tenant": "mill"}, {**context, "table": "coffee"}):
        with refused("InvalidCiphertextException"):
            kms.decrypt(CiphertextBlob=sealed["CiphertextBlob"], EncryptionContext=other)
    with refused("InvalidCiphertextException"):
        kms.decrypt(CiphertextBlob=b"no ciphertext at all", EncryptionContext=context)
    assert len(kms.encrypt(KeyId=key, Plaintext=b"x" * 4096)["CiphertextBlob"]) <= 6144
    with refused("ValidationException", "Member must have length less than or equal to 4096"):
        kms.encrypt(KeyId=key, Plaintext=b"x" * 4097)


def test_a_ciphertext_moves_to_another_key(kms, key, make_key):
    sealed = kms.encrypt(KeyId=key, Plaintext=b"tea")["CiphertextBlob"]
    other = make_key()["Arn"]
    moved = kms.re_encrypt(CiphertextBlob=sealed, DestinationKeyId=other, DestinationEncryptionContext={"a": "b"})
    assert moved["SourceKeyId"].endswith(key) and moved["KeyId"] == other
    with refused("IncorrectKeyException"):
        kms.decrypt(CiphertextBlob=moved["CiphertextBlob"], KeyId=key, EncryptionContext={"a": "b"})
    assert kms.decrypt(CiphertextBlob=moved["CiphertextBlob"], KeyId=other,
                       EncryptionContext={"a": "b"})["Plaintext"] == b"tea"


def test_data_keys_come_open_and_sealed(kms, key):
    made = kms.generate_data_key(KeyId=key, KeySpec="AES_256")
    assert len(made["Plaintext"]) == 32
    assert kms.decrypt(CiphertextBlob=made["CiphertextBlob"])["Plaintext"] == made["Plaintext"]
    sealed = kms.generate_data_key_without_plaintext(KeyId=key, NumberOfBytes=100)
    assert "Plaintext" not in sealed
    assert len(kms.decrypt(CiphertextBlob=sealed["CiphertextBlob"])["Plaintext"]) == 100
    with refused("ValidationException"):
        kms.generate_data_key(KeyId=key)
    assert len(kms.generate_random(NumberOfBytes=64)["Plaintext"]) == 64


def test_a_disabled_key_opens_nothing(kms, key):
    sealed = kms.encrypt(KeyId=key, Plaintext=b"tea")["CiphertextBlob"]
    kms.disable_key(KeyId=key)
    with refused("DisabledException", " is disabled."):
        kms.decrypt(CiphertextBlob=sealed)
    kms.enable_key(KeyId=key)
    assert kms.decrypt(CiphertextBlob=sealed)["Plaintext"] == b"tea"


def test_a_key_that_is_to_be_deleted_may_be_kept(kms, key):
    answer = kms.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
    assert answer["KeyId"].endswith(key)
    shown = kms.describe_key(KeyId=key)["KeyMetadata"]
    assert (shown["KeyState"], shown["Enabled"]) == ("PendingDeletion", False)
    assert shown["DeletionDate"] == answer["DeletionDate"]
    with refused("KMSInvalidStateException", " is pending deletion."):
        kms.encrypt(KeyId=key, Plaintext=b"tea")
    kms.cancel_key_deletion(KeyId=key)
    assert kms.describe_key(KeyId=key)["KeyMetadata"]["KeyState"] == "Disabled"


def test_aliases_name_keys(cloud, kms, key, make_key):
    name = "alias/" + unique("alias")
    kms.create_alias(AliasName=name, TargetKeyId=key)
    cloud.cleanup.callback(quietly, kms.delete_alias, AliasName=name)
    with refused("AlreadyExistsException"):
        kms.create_alias(AliasName=name, TargetKeyId=key)
    assert kms.describe_key(KeyId=name)["KeyMetadata"]["KeyId"] == key
    assert [(each["AliasName"], each["TargetKeyId"]) for each in kms.list_aliases(KeyId=key)["Aliases"]] == [(name, key)]
    sealed = kms.encrypt(KeyId=name, Plaintext=b"tea")["CiphertextBlob"]
    other = make_key()["KeyId"]
    kms.update_alias(AliasName=name, TargetKeyId=other)
    assert kms.describe_key(KeyId=name)["KeyMetadata"]["KeyId"] == other
    assert kms.decrypt(CiphertextBlob=sealed)["Plaintext"] == b"tea"
    assert name in [each["AliasName"] for page in kms.get_paginator("list_aliases").paginate() for each in page["Aliases"]]
    kms.delete_alias(AliasName=name)
    with refused("NotFoundException", " is not found."):
        kms.describe_key(KeyId=name)


def test_policies_are_kept_as_they_came(kms, key):
    assert kms.list_key_policies(KeyId=key)["PolicyNames"] == ["default"]
    default = json.loads(kms.get_key_policy(KeyId=key, PolicyName="default")["Policy"])
    assert (default["Id"], default["Statement"][0]["Sid"]) == ("key-default-1", "Enable IAM User Permissions")
    mine = json.dumps({**default, "Id": "mine"})
    kms.put_key_policy(KeyId=key, PolicyName="default", Policy=mine)
    assert json.loads(kms.get_key_policy(KeyId=key, PolicyName="default")["Policy"])["Id"] == "mine"
    with refused("MalformedPolicyDocumentException"):
        kms.put_key_policy(KeyId=key, PolicyName="default", Policy='{"Statement": 1}')


def test_rotation_is_switched(kms, key):
    assert kms.get_key_rotation_status(KeyId=key)["KeyRotationEnabled"] is False
    kms.enable_key_rotation(KeyId=key)
    assert kms.get_key_rotation_status(KeyId=key)["KeyRotationEnabled"] is True
    kms.disable_key_rotation(KeyId=key)
    assert kms.get_key_rotation_status(KeyId=key)["KeyRotationEnabled"] is False


# Newer than the SDK of Debian 12.
def test_a_rotated_key_opens_what_it_encrypted_before(cloud, kms, key):
    old = kms.encrypt(KeyId=key, Plaintext=b"old")["CiphertextBlob"]
    status, _, answer = cloud.raw("kms", "POST", "/", json.dumps({"KeyId": key}), {
        "X-Amz-Target": "TrentService.RotateKeyOnDemand", "Content-Type": "application/x-amz-json-1.1"})
    assert status == 200, answer
    new = kms.encrypt(KeyId=key, Plaintext=b"new")["CiphertextBlob"]
    assert [kms.decrypt(CiphertextBlob=each)["Plaintext"] for each in (old, new)] == [b"old", b"new"]


def test_authentication_codes_are_verified(kms, make_key):
    key = make_key(KeySpec="HMAC_256", KeyUsage="GENERATE_VERIFY_MAC")
    assert key["MacAlgorithms"] == ["HMAC_SHA_256"]
    code = kms.generate_mac(KeyId=key["KeyId"], Message=b"tea", MacAlgorithm="HMAC_SHA_256")["Mac"]
    assert kms.verify_mac(KeyId=key["KeyId"], Message=b"tea", MacAlgorithm="HMAC_SHA_256", Mac=code)["MacValid"] is True
    with refused("KMSInvalidMacException"):
        kms.verify_mac(KeyId=key["KeyId"], Message=b"coffee", MacAlgorithm="HMAC_SHA_256", Mac=code)


def test_keys_that_are_not_there_are_named(kms):
    with refused("NotFoundException", f":key/{MISSING}' does not exist"):
        kms.describe_key(KeyId=MISSING)
    with refused("NotFoundException", "Invalid keyId 'mill'"):
        kms.describe_key(KeyId="mill")


@pytest.mark.local
def test_what_is_not_supported_is_refused_by_name(kms, key):
    with refused("UnsupportedOperationException", "RSA_2048"):
        kms.create_key(KeySpec="RSA_2048", KeyUsage="SIGN_VERIFY")
    with refused("UnsupportedOperationException", "MultiRegion"):
        kms.create_key(MultiRegion=True)
    with refused("UnsupportedOperationException", "CreateGrant"):
        kms.create_grant(KeyId=key, GranteePrincipal="arn:aws:iam::000000000000:role/r", Operations=["Decrypt"])
    with refused("UnsupportedOperationException", "Sign"):
        kms.sign(KeyId=key, Message=b"m", SigningAlgorithm="ECDSA_SHA_256")


@pytest.mark.local
def test_the_command_line_encrypts(aws, key):  # noqa: F811
    sealed = aws("kms", "encrypt", key_id=key, plaintext=base64.b64encode(b"tea").decode())["CiphertextBlob"]
    assert base64.b64decode(aws("kms", "decrypt", ciphertext_blob=sealed)["Plaintext"]) == b"tea"
    assert "(NotFoundException)" in aws.error("kms", "describe-key", key_id=MISSING)


# ---- The file ------------------------------------------------------------------------------------------------------

def started(directory, *flags):
    server = Server(directory / "data", *flags).start()
    return server, Cloud(server.endpoint).client("kms")


def key_files(directory):
    return [path for path in directory.rglob("*") if path.is_file() and "keys" in path.parts]


@pytest.mark.local
def test_what_was_encrypted_survives_a_kill(tmp_path):
    server, kms = started(tmp_path)
    try:
        key = kms.create_key()["KeyMetadata"]["KeyId"]
        sealed = kms.encrypt(KeyId=key, Plaintext=b"tea")["CiphertextBlob"]
        server.kill()
        server, kms = started(tmp_path)
        assert kms.decrypt(CiphertextBlob=sealed)["Plaintext"] == b"tea"
    finally:
        server.kill()


# A key that was made silently in the place of one that is lost would hide the loss until somebody reads.
@pytest.mark.local
def test_a_key_file_that_is_lost_or_anothers_is_named_and_never_made_anew(tmp_path):
    server, kms = started(tmp_path)
    try:
        sealed = kms.encrypt(KeyId=kms.create_key()["KeyMetadata"]["KeyId"], Plaintext=b"tea")["CiphertextBlob"]
        server.stop()
        [file] = key_files(tmp_path / "config")
        assert file.stat().st_mode & 0o777 == 0o600
        kept = file.rename(tmp_path / "kept")
        server, kms = started(tmp_path)
        eventually(lambda: "what is encrypted cannot be read" in server.log(), "the line in the log")
        with refused("KeyUnavailableException", f"the key file {file} is missing"):
            kms.decrypt(CiphertextBlob=sealed)
        with refused("KeyUnavailableException", str(file)):
            kms.create_key()
        assert not file.exists()
        server.stop()

        other, kms = started(tmp_path / "other", "--key-file", tmp_path / "other.key")
        kms.create_key()
        other.stop()
        server, kms = started(tmp_path, "--key-file", tmp_path / "other.key")
        with refused("KeyUnavailableException", "is of another data directory"):
            kms.decrypt(CiphertextBlob=sealed)
        server.stop()

        server, kms = started(tmp_path, "--key-file", kept)
        assert kms.decrypt(CiphertextBlob=sealed)["Plaintext"] == b"tea"
    finally:
        server.kill()


# A key that was read wrongly would encrypt what nobody can open again.
@pytest.mark.local
@pytest.mark.parametrize("damage", [lambda bytes_: bytes_[:len(bytes_) // 2], lambda bytes_: b"",
                                    lambda bytes_: bytes_[:9] + bytes([bytes_[9] ^ 1]) + bytes_[10:],
                                    lambda bytes_: bytes_[:-9] + bytes([bytes_[-9] ^ 1]) + bytes_[-8:]],
                         ids=["cut", "emptied", "flipped_in_front", "flipped_behind"])
def test_a_damaged_key_file_is_named_and_nothing_is_encrypted_with_it(tmp_path, damage):
    server, kms = started(tmp_path)
    try:
        key = kms.create_key()["KeyMetadata"]["KeyId"]
        sealed = kms.encrypt(KeyId=key, Plaintext=b"tea")["CiphertextBlob"]
        server.stop()
        [file] = key_files(tmp_path / "config")
        whole = file.read_bytes()
        file.write_bytes(damage(whole))
        server, kms = started(tmp_path)
        with refused("KeyUnavailableException", str(file)):
            kms.decrypt(CiphertextBlob=sealed)
        with refused("KeyUnavailableException", str(file)):
            kms.encrypt(KeyId=key, Plaintext=b"tea")
        server.stop()
        file.write_bytes(whole)
        server, kms = started(tmp_path)
        assert kms.decrypt(CiphertextBlob=sealed)["Plaintext"] == b"tea"
    finally:
        server.kill()


@pytest.mark.local
def test_no_key_is_in_the_data_directory_and_none_is_logged(tmp_path):
    server, kms = started(tmp_path, "--log-level", "debug")
    try:
        key = kms.create_key()["KeyMetadata"]["KeyId"]
        kms.encrypt(KeyId=key, Plaintext=b"the plain text of a secret")
        data_key = kms.generate_data_key(KeyId=key, KeySpec="AES_256")["Plaintext"]
        server.stop()
        eventually(lambda: "event=stopping" in server.log(), "all of the log")
        [file] = key_files(tmp_path / "config")
        digits = file.read_text().split("key ", 2)[2].split()[0]
        hidden = [bytes.fromhex(digits), digits.encode(), data_key, base64.b64encode(data_key), b"plain text of a secret"]
        everything = [path.read_bytes() for path in pathlib.Path(tmp_path / "data").rglob("*") if path.is_file()]
        everything.append(server.log().encode())
        assert len(digits) == 64 and len(everything) > 5
        assert not [secret for secret in hidden for content in everything if secret in content]
    finally:
        server.kill()
