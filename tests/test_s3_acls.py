"""Access control lists, where a bucket's Object Ownership leaves them on."""
import json

import pytest
from botocore.exceptions import ClientError

from harness import Cloud, Server, unique

EVERYBODY = "http://acs.amazonaws.com/groups/global/AllUsers"
OTHER = "111122223333"


def refusal(call, **arguments):
    with pytest.raises(ClientError) as refused:
        call(**arguments)
    error = refused.value.response["Error"]
    return error["Code"], error["Message"]


def grants(acl):
    """(who, what) of a list, the owner's name for its id."""
    owner = acl["Owner"]["ID"]
    return [("owner" if each["Grantee"].get("ID") == owner else each["Grantee"].get("URI") or each["Grantee"]["ID"],
             each["Permission"]) for each in acl["Grants"]]


def with_lists(s3, ownership="ObjectWriter", blocked=False):
    name = unique("lists")
    s3.create_bucket(Bucket=name, ObjectOwnership=ownership)
    if not blocked:
        s3.delete_public_access_block(Bucket=name)
    return name


def drop(s3, name):
    for each in s3.list_objects_v2(Bucket=name).get("Contents", []):
        s3.delete_object(Bucket=name, Key=each["Key"])
    s3.delete_bucket(Bucket=name)


@pytest.fixture
def listed(s3):
    name = with_lists(s3)
    yield name
    drop(s3, name)


def test_a_canned_list_is_kept_and_shown(s3, listed):
    assert grants(s3.get_bucket_acl(Bucket=listed)) == [("owner", "FULL_CONTROL")]
    s3.put_bucket_acl(Bucket=listed, ACL="public-read-write")
    assert grants(s3.get_bucket_acl(Bucket=listed)) == [("owner", "FULL_CONTROL"), (EVERYBODY, "READ"), (EVERYBODY, "WRITE")]
    s3.put_bucket_acl(Bucket=listed, ACL="private")
    assert grants(s3.get_bucket_acl(Bucket=listed)) == [("owner", "FULL_CONTROL")]
    where = {"Bucket": listed, "Key": "key"}
    s3.put_object(**where, Body=b"x", ACL="public-read")
    assert grants(s3.get_object_acl(**where)) == [("owner", "FULL_CONTROL"), (EVERYBODY, "READ")]
    assert "acl" not in s3.head_object(**where)["Metadata"]
    s3.put_object_acl(**where, ACL="authenticated-read")
    assert grants(s3.get_object_acl(**where))[1] == (
        "http://acs.amazonaws.com/groups/global/AuthenticatedUsers", "READ")
    # A new object has a list of its own, and so has a copy.
    s3.copy_object(Bucket=listed, Key="copy", CopySource=f"{listed}/key")
    s3.put_object(**where, Body=b"x")
    for key in ("key", "copy"):
        assert grants(s3.get_object_acl(Bucket=listed, Key=key)) == [("owner", "FULL_CONTROL")]


def test_grants_are_taken_from_headers_and_documents(s3, cloud, listed):
    other = cloud.as_account(OTHER).s3.list_buckets()["Owner"]["ID"]
    where = {"Bucket": listed, "Key": "key"}
    s3.put_object(**where, Body=b"x", GrantRead=f'id="{other}", uri="{EVERYBODY}"', GrantWriteACP=f'id="{other}"')
    acl = s3.get_object_acl(**where)
    assert grants(acl) == [(other, "READ"), (EVERYBODY, "READ"), (other, "WRITE_ACP")]
    document = {"Owner": acl["Owner"], "Grants": acl["Grants"][:1]}
    s3.put_object_acl(**where, AccessControlPolicy=document)
    assert grants(s3.get_object_acl(**where)) == [(other, "READ")]
    s3.put_bucket_acl(Bucket=listed, AccessControlPolicy=document)
    assert grants(s3.get_bucket_acl(Bucket=listed)) == [(other, "READ")]


def test_what_is_wrong_with_lists(s3, listed):
    where = {"Bucket": listed, "Key": "key"}
    s3.put_object(**where, Body=b"x")
    owner = s3.get_object_acl(**where)["Owner"]
    assert refusal(s3.put_bucket_acl, Bucket=listed)[0] == "MissingSecurityHeader"
    assert refusal(s3.put_bucket_acl, Bucket=listed, ACL="private", GrantRead=f'uri="{EVERYBODY}"') == (
        "InvalidRequest", "Specifying both Canned ACLs and Header Grants is not allowed")
    assert refusal(s3.put_bucket_acl, Bucket=listed, ACL="everything")[0] == "InvalidArgument"
    assert refusal(s3.put_bucket_acl, Bucket=listed, GrantRead='id="wrong"') == ("InvalidArgument", "Invalid id")
    assert refusal(s3.put_bucket_acl, Bucket=listed, GrantRead='uri="http://wrong"') == ("InvalidArgument", "Invalid group uri")
    assert refusal(s3.put_object_acl, **where, GrantRead='emailAddress="a@b"')[0] == "UnresolvableGrantByEmailAddress"
    grant = {"Grantee": {"Type": "CanonicalUser", "ID": owner["ID"]}, "Permission": "EVERYTHING"}
    for policy in [{"Grants": []}, {"Owner": owner, "Grants": [grant]}]:
        assert refusal(s3.put_object_acl, **where, AccessControlPolicy=policy)[0] == "MalformedACLError"
    assert refusal(s3.put_object_acl, **where, AccessControlPolicy={"Owner": {"ID": "0" * 64}, "Grants": []})[0] == "AccessDenied"


def test_public_lists_are_blocked_where_that_is_said(s3):
    name = with_lists(s3, blocked=True)
    try:
        assert refusal(s3.put_bucket_acl, Bucket=name, ACL="public-read")[0] == "AccessDenied"
        assert refusal(s3.put_object, Bucket=name, Key="key", Body=b"", ACL="public-read")[0] == "AccessDenied"
        s3.put_bucket_acl(Bucket=name, ACL="private")
    finally:
        drop(s3, name)
    assert refusal(s3.create_bucket, Bucket=unique("public"), ObjectOwnership="ObjectWriter", ACL="public-read") == (
        "InvalidBucketAclWithBlockPublicAccessError", "Bucket cannot have public ACLs set with BlockPublicAccess enabled")
    assert refusal(s3.create_bucket, Bucket=unique("enforced"), ACL="public-read")[0] == "InvalidBucketAclWithObjectOwnership"


def test_lists_are_turned_off_only_where_nobody_else_is_granted_anything(s3, listed):
    s3.put_object(Bucket=listed, Key="key", Body=b"x", ACL="public-read")
    s3.put_bucket_acl(Bucket=listed, ACL="public-read")
    controls = {"Bucket": listed, "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}}
    assert refusal(s3.put_bucket_ownership_controls, **controls)[0] == "InvalidBucketAclWithObjectOwnership"
    s3.put_bucket_acl(Bucket=listed, ACL="private")
    s3.put_bucket_ownership_controls(**controls)
    assert grants(s3.get_object_acl(Bucket=listed, Key="key")) == [("owner", "FULL_CONTROL")]
    assert refusal(s3.put_object_acl, Bucket=listed, Key="key", ACL="private")[0] == "AccessControlListNotSupported"


@pytest.mark.parametrize("ownership, canned, is_writers", [
    ("ObjectWriter", "private", True), ("ObjectWriter", "bucket-owner-full-control", True),
    ("BucketOwnerPreferred", "private", True), ("BucketOwnerPreferred", "bucket-owner-full-control", False)])
def test_who_owns_what_another_account_puts(s3, cloud, ownership, canned, is_writers):
    name = with_lists(s3, ownership)
    try:
        writer = cloud.as_account(OTHER).s3
        writer.put_object(Bucket=name, Key="key", Body=b"x", ACL=canned)
        acl = s3.get_object_acl(Bucket=name, Key="key")
        ids = [client.list_buckets()["Owner"]["ID"] for client in (s3, writer)]
        assert acl["Owner"]["ID"] == ids[is_writers]
        both = ownership == "ObjectWriter" and canned != "private"
        assert grants(acl) == [("owner", "FULL_CONTROL")] + ([(ids[0], "FULL_CONTROL")] if both else [])
    finally:
        drop(s3, name)


@pytest.mark.local
def test_where_rights_are_judged_a_list_gives_them(tmp_path):
    server = Server(tmp_path / "data", "--auth", "iam", log=tmp_path / "log").start()
    try:
        root = Cloud(server.endpoint, access_key=server.root_key["AWS_ACCESS_KEY_ID"],
                     secret_key=server.root_key["AWS_SECRET_ACCESS_KEY"])
        iam, s3 = root.client("iam"), root.s3
        iam.create_user(UserName="ann")
        key = iam.create_access_key(UserName="ann")["AccessKey"]
        ann = Cloud(server.endpoint, access_key=key["AccessKeyId"], secret_key=key["SecretAccessKey"]).s3
        name = with_lists(s3)
        s3.put_object(Bucket=name, Key="open", Body=b"x", ACL="public-read")
        s3.put_object(Bucket=name, Key="shut", Body=b"x")
        assert ann.get_object(Bucket=name, Key="open")["Body"].read() == b"x"
        for call, more in [(ann.get_object, {"Key": "shut"}), (ann.put_object, {"Key": "open", "Body": b""}),
                           (ann.delete_object, {"Key": "open"}), (ann.list_objects_v2, {})]:
            assert refusal(call, Bucket=name, **more)[0] == "AccessDenied"
        # A list counts at once, and so does its end; and beside a policy, which may still deny.
        s3.put_object_acl(Bucket=name, Key="shut", ACL="public-read")
        s3.put_bucket_acl(Bucket=name, ACL="public-read")
        assert ann.get_object(Bucket=name, Key="shut")["Body"].read() == b"x"
        assert len(ann.list_objects_v2(Bucket=name)["Contents"]) == 2
        s3.put_bucket_policy(Bucket=name, Policy=json.dumps({"Version": "2012-10-17", "Statement": {
            "Effect": "Deny", "Principal": {"AWS": iam.get_user(UserName="ann")["User"]["Arn"]}, "Action": "s3:GetObject",
            "Resource": f"arn:aws:s3:::{name}/shut"}}))
        assert refusal(ann.get_object, Bucket=name, Key="shut")[0] == "AccessDenied"
        assert ann.get_object(Bucket=name, Key="open")["Body"].read() == b"x"
        s3.put_public_access_block(Bucket=name, PublicAccessBlockConfiguration={"IgnorePublicAcls": True})
        assert refusal(ann.get_object, Bucket=name, Key="open")[0] == "AccessDenied"
        s3.delete_public_access_block(Bucket=name)
        s3.put_object(Bucket=name, Key="open", Body=b"x")
        assert refusal(ann.get_object, Bucket=name, Key="open")[0] == "AccessDenied"
        # Each version has its own list: that of the newest opens none of the older ones.
        s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        old = s3.put_object(Bucket=name, Key="twice", Body=b"1")["VersionId"]
        new = s3.put_object(Bucket=name, Key="twice", Body=b"2", ACL="public-read")["VersionId"]
        assert ann.get_object(Bucket=name, Key="twice")["Body"].read() == b"2"
        assert refusal(ann.get_object, Bucket=name, Key="twice", VersionId=old)[0] == "AccessDenied"
        assert ann.get_object(Bucket=name, Key="twice", VersionId=new)["Body"].read() == b"2"
        # To give away takes the right to give away, in whichever form it is said.
        iam.put_user_policy(UserName="ann", PolicyName="put", PolicyDocument=json.dumps({
            "Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "s3:PutObject", "Resource": "*"}}))
        ann.put_object(Bucket=name, Key="hers", Body=b"")
        for given in ({"ACL": "public-read"}, {"GrantRead": 'uri="http://acs.amazonaws.com/groups/global/AllUsers"'}):
            assert refusal(ann.put_object, Bucket=name, Key="hers", Body=b"", **given)[0] == "AccessDenied"
    finally:
        server.kill()
