"""Versions of objects and delete markers."""
import pytest
from botocore.exceptions import ClientError


def refusal(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response


def versions_of(s3, bucket, **more):
    """(key, version id, is latest, is a marker), as listed."""
    listed = s3.list_object_versions(Bucket=bucket, **more)
    found = [(each["Key"], each["VersionId"], each["IsLatest"], False) for each in listed.get("Versions", [])]
    found += [(each["Key"], each["VersionId"], each["IsLatest"], True) for each in listed.get("DeleteMarkers", [])]
    return found


def test_versions_stay_until_they_are_deleted(s3, versioned):
    ids = [s3.put_object(Bucket=versioned, Key="k", Body=body)["VersionId"] for body in (b"1", b"2", b"3")]
    assert len(set(ids)) == 3
    answer = s3.get_object(Bucket=versioned, Key="k")
    assert (answer["Body"].read(), answer["VersionId"]) == (b"3", ids[2])
    for version, body in zip(ids, (b"1", b"2", b"3")):
        assert s3.get_object(Bucket=versioned, Key="k", VersionId=version)["Body"].read() == body
    assert versions_of(s3, versioned) == [("k", ids[2], True, False), ("k", ids[1], False, False),
                                          ("k", ids[0], False, False)]
    assert s3.delete_object(Bucket=versioned, Key="k", VersionId=ids[2])["VersionId"] == ids[2]
    assert s3.get_object(Bucket=versioned, Key="k")["Body"].read() == b"2"
    missing = refusal(s3.get_object, Bucket=versioned, Key="k", VersionId=ids[2])
    assert missing["Error"]["Code"] == "NoSuchVersion"
    malformed = refusal(s3.get_object, Bucket=versioned, Key="k", VersionId="x")
    assert malformed["Error"]["Code"] == "InvalidArgument"


def test_a_delete_marker_hides_and_gives_back(s3, versioned):
    version = s3.put_object(Bucket=versioned, Key="k", Body=b"1")["VersionId"]
    deleted = s3.delete_object(Bucket=versioned, Key="k")
    assert deleted["DeleteMarker"] is True
    marker = deleted["VersionId"]
    hidden = refusal(s3.get_object, Bucket=versioned, Key="k")
    assert hidden["Error"]["Code"] == "NoSuchKey"
    assert hidden["ResponseMetadata"]["HTTPHeaders"]["x-amz-delete-marker"] == "true"
    of_marker = refusal(s3.get_object, Bucket=versioned, Key="k", VersionId=marker)
    assert of_marker["Error"]["Code"] == "MethodNotAllowed"
    assert s3.list_objects_v2(Bucket=versioned)["KeyCount"] == 0
    assert versions_of(s3, versioned) == [("k", version, False, False), ("k", marker, True, True)]
    gone = s3.delete_object(Bucket=versioned, Key="k", VersionId=marker)
    assert gone["DeleteMarker"] is True
    assert s3.get_object(Bucket=versioned, Key="k")["Body"].read() == b"1"
    assert s3.list_objects_v2(Bucket=versioned)["KeyCount"] == 1


def test_what_was_there_before_versions_is_the_null_version(s3, bucket):
    assert "Status" not in s3.get_bucket_versioning(Bucket=bucket)
    assert "VersionId" not in s3.put_object(Bucket=bucket, Key="k", Body=b"before")
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    assert s3.get_bucket_versioning(Bucket=bucket)["Status"] == "Enabled"
    version = s3.put_object(Bucket=bucket, Key="k", Body=b"after")["VersionId"]
    assert versions_of(s3, bucket) == [("k", version, True, False), ("k", "null", False, False)]
    assert s3.get_object(Bucket=bucket, Key="k", VersionId="null")["Body"].read() == b"before"
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})
    assert s3.put_object(Bucket=bucket, Key="k", Body=b"suspended").get("VersionId", "null") == "null"
    assert versions_of(s3, bucket) == [("k", "null", True, False), ("k", version, False, False)]
    assert s3.delete_object(Bucket=bucket, Key="k")["VersionId"] == "null"
    assert versions_of(s3, bucket) == [("k", version, False, False), ("k", "null", True, True)]
    s3.delete_object(Bucket=bucket, Key="k", VersionId="null")
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"after"
    s3.delete_object(Bucket=bucket, Key="k", VersionId=version)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_versions_come_in_pages(s3, versioned, size):
    for key in ("a", "b/1", "b/2", "c"):
        for body in (b"1", b"2"):
            s3.put_object(Bucket=versioned, Key=key, Body=body)
    s3.delete_object(Bucket=versioned, Key="c")
    all_of_them = versions_of(s3, versioned)
    assert len(all_of_them) == 9
    met, prefixes = [], []
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=versioned,
                                                                  PaginationConfig={"PageSize": size}):
        found = [(each["Key"], each["VersionId"], each["IsLatest"], False) for each in page.get("Versions", [])]
        found += [(each["Key"], each["VersionId"], each["IsLatest"], True) for each in page.get("DeleteMarkers", [])]
        assert len(found) <= size
        met += found
    assert sorted(met) == sorted(all_of_them)
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=versioned, Delimiter="/",
                                                                  PaginationConfig={"PageSize": size}):
        prefixes += [each["Prefix"] for each in page.get("CommonPrefixes", [])]
    assert prefixes == ["b/"]


# The way that buckets are emptied.
@pytest.mark.parametrize("size", [1, 2, 3])
def test_nothing_is_left_of_versions_that_are_deleted_page_by_page(s3, bucket, size):
    s3.put_object(Bucket=bucket, Key="b", Body=b"0")
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    for key in ("a", "b", "c"):
        for body in (b"1", b"2", b"3"):
            s3.put_object(Bucket=bucket, Key=key, Body=body)
    for key in ("a", "c", "c", "d"):
        s3.delete_object(Bucket=bucket, Key=key)
    s3.put_object(Bucket=bucket, Key="c", Body=b"4")
    met, latest, marker = 0, 0, {}
    while marker is not None:
        page = s3.list_object_versions(Bucket=bucket, MaxKeys=size, **marker)
        for each in page.get("Versions", []) + page.get("DeleteMarkers", []):
            s3.delete_object(Bucket=bucket, Key=each["Key"], VersionId=each["VersionId"])
            met, latest = met + 1, latest + each["IsLatest"]
        marker = {"KeyMarker": page["NextKeyMarker"], "VersionIdMarker": page["NextVersionIdMarker"]} if page[
            "IsTruncated"] else None
    assert met == 15
    assert latest >= 4
    assert versions_of(s3, bucket) == []


def test_many_versions_are_deleted_at_once(s3, versioned):
    first = s3.put_object(Bucket=versioned, Key="k", Body=b"1")["VersionId"]
    second = s3.put_object(Bucket=versioned, Key="k", Body=b"2")["VersionId"]
    answer = s3.delete_objects(Bucket=versioned, Delete={"Objects": [{"Key": "k"}, {"Key": "k", "VersionId": first}]})
    markers = [each for each in answer["Deleted"] if each.get("DeleteMarker")]
    assert len(markers) == 1 and markers[0]["DeleteMarkerVersionId"]
    assert [each["VersionId"] for each in answer["Deleted"] if "VersionId" in each] == [first]
    assert versions_of(s3, versioned) == [("k", second, False, False),
                                          ("k", markers[0]["DeleteMarkerVersionId"], True, True)]


def test_copies_and_tags_of_versions(s3, versioned):
    first = s3.put_object(Bucket=versioned, Key="k", Body=b"1")["VersionId"]
    second = s3.put_object(Bucket=versioned, Key="k", Body=b"2")["VersionId"]
    copied = s3.copy_object(Bucket=versioned, Key="k", CopySource={"Bucket": versioned, "Key": "k", "VersionId": first})
    assert copied["CopySourceVersionId"] == first and copied["VersionId"] not in (first, second)
    assert s3.get_object(Bucket=versioned, Key="k")["Body"].read() == b"1"
    tags = {"TagSet": [{"Key": "a", "Value": "1"}]}
    assert s3.put_object_tagging(Bucket=versioned, Key="k", VersionId=first, Tagging=tags)["VersionId"] == first
    assert s3.get_object_tagging(Bucket=versioned, Key="k", VersionId=first)["TagSet"] == tags["TagSet"]
    assert s3.get_object_tagging(Bucket=versioned, Key="k")["TagSet"] == []
