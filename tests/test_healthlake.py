"""HealthLake: data stores and export jobs through boto3, FHIR over plain signed HTTP, exports that survive kill -9."""
import json
import random
import time
import urllib.parse
import urllib.request

import pytest

from harness import Cloud, eventually, refused, unique

ROLE = "arn:aws:iam::000000000000:role/lake"
KEY = "arn:aws:kms:us-east-1:000000000000:key/any"
FHIR = {"Content-Type": "application/fhir+json"}


class Lake:
    """A data store, as FHIR's clients use it."""

    def __init__(self, cloud, **more):
        self.cloud = cloud
        self.client = cloud.client("healthlake")
        made = self.client.create_fhir_datastore(DatastoreTypeVersion="R4", **more)
        self.id, self.endpoint = made["DatastoreId"], made["DatastoreEndpoint"]
        eventually(lambda: self.describe()["DatastoreStatus"] == "ACTIVE", "the data store is active")

    def describe(self):
        return self.client.describe_fhir_datastore(DatastoreId=self.id)["DatastoreProperties"]

    def send(self, method, path, document=None, headers=None):
        """(status, headers, parsed body) of a signed request; `path` behind /r4."""
        body = b"" if document is None else document if isinstance(document, bytes) else json.dumps(document).encode()
        where = urllib.parse.urlsplit(self.endpoint).path.rstrip("/") + path
        status, got, answer = self.cloud.raw("healthlake", method, where, body, {**FHIR, **(headers or {})})
        return status, got, json.loads(answer) if answer else None

    def put(self, resource, status=None):
        got, _, answer = self.send("PUT", f"/{resource['resourceType']}/{resource['id']}", resource)
        assert got == status if status else got in (200, 201), answer
        return answer

    def search(self, query):
        status, _, answer = self.send("GET", f"/{query}")
        assert status == 200, answer
        return answer

    def export(self, bucket, query="", prefix="out"):
        return self.send("POST", f"/$export{query}", {
            "JobName": "nightly", "DataAccessRoleArn": ROLE,
            "OutputDataConfig": {"S3Configuration": {"S3Uri": f"s3://{bucket}/{prefix}", "KmsKeyId": KEY}}},
            {"Prefer": "respond-async"})

    def job(self, job_id):
        status, _, answer = self.send("GET", f"/export/{job_id}")
        assert status in (200, 202), answer
        return answer

    def exported(self, job_id):
        """The resources that a job has written, once it has ended."""
        def ended():
            status = self.job(job_id)["exportJobProperties"]["jobStatus"]
            assert status in ("SUBMITTED", "QUEUED", "IN_PROGRESS", "COMPLETED"), self.job(job_id)
            return status == "COMPLETED"
        eventually(ended, "the export", 60)
        found = []
        for each in self.job(job_id)["output"]:
            bucket, key = each["url"].removeprefix("s3://").split("/", 1)
            lines = self.cloud.s3.get_object(Bucket=bucket, Key=key)["Body"].read().decode().splitlines()
            resources = [json.loads(line) for line in lines]
            assert all(resource["resourceType"] == each["type"] for resource in resources)
            found += resources
        return found

    def drop(self):
        self.client.delete_fhir_datastore(DatastoreId=self.id)


@pytest.fixture
def make_lake(cloud):
    def make(**more):
        lake = Lake(cloud, **more)
        cloud.cleanup.callback(lake.drop)
        return lake
    return make


@pytest.fixture
def lake(make_lake):
    return make_lake()


def issue(answer):
    assert answer["resourceType"] == "OperationOutcome"
    return answer["issue"][0]["code"], answer["issue"][0]["diagnostics"]


def patient(patient_id, **more):
    return {"resourceType": "Patient", "id": patient_id, **more}


# --- data stores -----------------------------------------------------------------------------------------------------

def test_a_data_store_lives_from_creation_to_deletion(cloud):
    name = unique("lake")
    lake = Lake(cloud, DatastoreName=name, Tags=[{"Key": "team", "Value": "a"}])
    client = lake.client
    described = lake.describe()
    assert described["DatastoreName"] == name and described["DatastoreTypeVersion"] == "R4"
    assert described["DatastoreArn"].endswith(f":datastore/fhir/{lake.id}")
    assert described["DatastoreEndpoint"] == lake.endpoint and lake.endpoint.endswith(f"/datastore/{lake.id}/r4/")
    listed = client.list_fhir_datastores(Filter={"DatastoreName": name})["DatastorePropertiesList"]
    assert [each["DatastoreId"] for each in listed] == [lake.id]
    client.tag_resource(ResourceARN=described["DatastoreArn"], Tags=[{"Key": "b", "Value": "c"}])
    client.untag_resource(ResourceARN=described["DatastoreArn"], TagKeys=["team"])
    assert client.list_tags_for_resource(ResourceARN=described["DatastoreArn"])["Tags"] == [{"Key": "b", "Value": "c"}]
    assert client.delete_fhir_datastore(DatastoreId=lake.id)["DatastoreStatus"] == "DELETING"
    eventually(lambda: lake.describe()["DatastoreStatus"] == "DELETED", "the data store is deleted")
    assert lake.send("GET", "/Patient")[0] == 404
    with refused("ResourceNotFoundException"):
        client.describe_fhir_datastore(DatastoreId="0" * 32)


@pytest.mark.local
def test_what_is_not_supported_is_refused_by_name(cloud, lake):
    client = cloud.client("healthlake")
    with refused("ValidationException", "PreloadDataConfig"):
        client.create_fhir_datastore(DatastoreTypeVersion="R4", PreloadDataConfig={"PreloadDataType": "SYNTHEA"})
    with refused("ValidationException", "StartFHIRImportJob"):
        client.start_fhir_import_job(InputDataConfig={"S3Uri": "s3://bucket/in"}, DatastoreId=lake.id,
                                     JobOutputDataConfig={"S3Configuration": {"S3Uri": "s3://bucket", "KmsKeyId": KEY}},
                                     DataAccessRoleArn=ROLE)
    for method, path, named in [
            ("PATCH", "/Patient/p", "FhirPatch"), ("POST", "/Patient/$export", "FhirPatientExport"),
            ("GET", "/_history", "FhirSystemHistory"), ("GET", "/Patient/_history", "FhirTypeHistory"),
            ("DELETE", "/Patient?name=x", "FhirConditionalDelete"), ("GET", "?_id=x", "FhirSystemSearch"),
            ("GET", "/Patient/p/a/b", "FhirOtherGet"), ("GET", "/Patient/$match", "$match")]:
        status, headers, answer = lake.send(method, path)
        assert status == 400 and headers["Content-Type"] == "application/fhir+json", (path, answer)
        assert issue(answer)[0] == "not-supported" and named in issue(answer)[1]
    status, _, answer = lake.send("POST", "/Patient", patient("x"), {"If-None-Exist": "name=x"})
    assert status == 400 and "if-none-exist" in issue(answer)[1].lower()


# --- resources -------------------------------------------------------------------------------------------------------

def test_a_resource_lives_from_creation_to_deletion(lake):
    status, headers, made = lake.send("POST", "/Patient", {"resourceType": "Patient", "active": True})
    assert status == 201 and headers["ETag"] == 'W/"1"' and headers["Content-Type"] == "application/fhir+json"
    assert headers["Location"] == f"{lake.endpoint}Patient/{made['id']}/_history/1" and headers["Last-Modified"]
    assert made["meta"]["versionId"] == "1" and made["meta"]["lastUpdated"].endswith("Z")
    path = f"/Patient/{made['id']}"
    assert lake.send("GET", path)[2] == made
    status, headers, changed = lake.send("PUT", path, {**made, "gender": "female"})
    assert status == 200 and headers["ETag"] == 'W/"2"' and changed["meta"]["versionId"] == "2"
    assert lake.send("GET", path + "/_history/1")[2] == made
    assert lake.send("PUT", path, made, {"If-Match": 'W/"1"'})[0] == 412
    assert lake.send("GET", path, headers={"If-None-Match": 'W/"2"'})[0] == 304
    history = lake.send("GET", path + "/_history")[2]
    assert history["type"] == "history"
    assert [each["resource"]["meta"]["versionId"] for each in history["entry"]] == ["2", "1"]
    assert lake.send("DELETE", path)[0] == 204
    status, _, answer = lake.send("GET", path)
    assert status == 410 and issue(answer)[0] == "deleted"
    status, _, answer = lake.send("GET", "/Patient/nobody")
    assert status == 404 and issue(answer)[0] == "not-found"


def test_a_put_creates_under_the_clients_id(lake):
    lake.put(patient("mine"), 201)
    lake.put(patient("mine"), 200)
    assert lake.send("PUT", "/Patient/other", patient("mine"))[0] == 400


def test_numbers_keep_their_digits(lake):
    body = b'{"resourceType":"Observation","id":"o","status":"final","valueQuantity":{"value":1.50}}'
    assert lake.send("PUT", "/Observation/o", body)[0] == 201
    where = urllib.parse.urlsplit(lake.endpoint).path
    assert b'"value":1.50' in lake.cloud.raw("healthlake", "GET", f"{where}Observation/o")[2]


@pytest.mark.parametrize("body, code", [(b"{", "structure"), (b'{"resourceType":"Group"}', "invalid"),
                                        (b'{"resourceType":"Patient","name":[]}', "invalid")])
def test_what_is_no_resource_is_refused_as_an_operation_outcome(lake, body, code):
    status, headers, answer = lake.send("POST", "/Patient", body)
    assert status == 400 and issue(answer)[0] == code and headers["Content-Type"] == "application/fhir+json"


@pytest.mark.local
def test_the_real_host_name_reaches_the_data_store(cloud, lake):
    """As a client does whose requests are sent here under the name that the endpoint has on AWS."""
    lake.put(patient("p"))
    path = urllib.parse.urlsplit(lake.endpoint).path
    for headers in ({"Host": "healthlake.us-east-1.amazonaws.com"}, {}):
        request = urllib.request.Request(cloud.endpoint + path + "Patient/p", headers=headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert json.loads(answer.read())["id"] == "p"


# --- searches --------------------------------------------------------------------------------------------------------

def ids(bundle):
    return [each["resource"]["id"] for each in bundle.get("entry", [])]


def follow(lake, query):
    """The ids of all pages."""
    found, bundle = [], lake.search(query)
    while True:
        found += ids(bundle)
        links = {link["relation"]: link["url"] for link in bundle["link"]}
        if "next" not in links:
            return found
        bundle = lake.search(links["next"].removeprefix(lake.endpoint))


def test_searches_find_what_matches_page_by_page(lake):
    for i in range(7):
        lake.put(patient(f"p{i}", gender="male" if i % 2 else "female", birthDate=f"19{80 + i}-01-01",
                         name=[{"family": f"Fam{i}", "given": ["Jürgen"]}],
                         identifier=[{"system": "urn:mrn", "value": str(i)}]))
        lake.put({"resourceType": "Observation", "id": f"o{i}", "status": "final",
                  "subject": {"reference": f"Patient/p{i}"}})
    assert follow(lake, "Patient?_count=3") == [f"p{i}" for i in range(7)]
    assert follow(lake, "Patient?gender=male&_count=2") == ["p1", "p3", "p5"]
    assert ids(lake.search("Patient?birthdate=ge1985&birthdate=lt1986")) == ["p5"]
    assert ids(lake.search("Patient?identifier=urn:mrn%7C4")) == ["p4"]
    assert ids(lake.search("Patient?name=j%C3%BCrgen&family=fam2")) == ["p2"]
    assert ids(lake.search("Observation?patient=p3")) == ["o3"]
    assert ids(lake.search("Patient?_id=p6,p1")) == ["p1", "p6"]
    assert lake.search("Patient?gender=male&_summary=count")["total"] == 3
    status, _, answer = lake.send("POST", "/Patient/_search", b"gender=male&_count=1",
                                  {"Content-Type": "application/x-www-form-urlencoded"})
    assert status == 200 and ids(answer) == ["p1"]
    status, _, answer = lake.send("POST", "/Patient/_search", b"gender=male&" * 1000 + b"_count=1",
                                  {"Content-Type": "application/x-www-form-urlencoded"})
    assert status == 400 and answer["issue"][0]["diagnostics"] == "A search has at most 1000 parameters", answer


def test_searches_find_what_was_updated_since(lake):
    def put_later(name, than):
        """Times are told in milliseconds, and two puts may come within one."""
        updated = than
        while updated == than:
            updated = lake.put(patient(name))["meta"]["lastUpdated"]
        return updated

    moment = put_later("at", lake.put(patient("before"))["meta"]["lastUpdated"])
    put_later("after", moment)
    found = ids(lake.search(f"Patient?_lastUpdated=ge{moment}"))
    assert sorted(found) == ["after", "at"]
    assert "at" not in ids(lake.search(f"Patient?_lastUpdated=gt{moment}"))
    assert "after" not in ids(lake.search(f"Patient?_lastUpdated=eb{moment}"))


def test_unknown_parameters_are_refused_unless_handling_is_lenient(lake):
    status, _, answer = lake.send("GET", "/Patient?colour=red")
    assert status == 400 and "colour" in issue(answer)[1]
    assert lake.send("GET", "/Patient?colour=red", headers={"Prefer": "handling=lenient"})[0] == 200
    status, _, answer = lake.send("GET", "/Patient?_include=Patient:link", headers={"Prefer": "handling=lenient"})
    assert status == 400 and issue(answer)[0] == "not-supported"


def test_the_capability_statement_names_what_works(lake):
    status, _, answer = lake.send("GET", "/metadata")
    assert status == 200 and answer["resourceType"] == "CapabilityStatement" and answer["fhirVersion"] == "4.0.1"
    assert answer["implementation"]["url"] == lake.endpoint.rstrip("/")


# --- bundles ---------------------------------------------------------------------------------------------------------

def transaction(*more):
    return {"resourceType": "Bundle", "type": "transaction", "entry": [
        {"fullUrl": "urn:uuid:8c6f26a4-66cc-4c50-9e7e-8e2c5b0c3b6e", "resource": {"resourceType": "Patient"},
         "request": {"method": "POST", "url": "Patient"}},
        {"resource": {"resourceType": "Observation", "status": "final",
                      "subject": {"reference": "urn:uuid:8c6f26a4-66cc-4c50-9e7e-8e2c5b0c3b6e"}},
         "request": {"method": "POST", "url": "Observation"}}, *more]}


def test_a_transaction_resolves_references_and_is_all_or_nothing(lake):
    status, _, answer = lake.send("POST", "", transaction({"request": {"method": "GET", "url": "Patient/nobody"}}))
    assert status == 404 and not ids(lake.search("Patient"))
    status, _, answer = lake.send("POST", "/", transaction())
    assert status == 200 and answer["type"] == "transaction-response"
    assert [each["response"]["status"] for each in answer["entry"]] == ["201 Created"] * 2
    made = ids(lake.search("Patient"))[0]
    assert len(ids(lake.search(f"Observation?subject=Patient/{made}"))) == 1


def test_a_batch_does_what_it_can(lake):
    status, _, answer = lake.send("POST", "", {"resourceType": "Bundle", "type": "batch", "entry": [
        {"resource": patient("p"), "request": {"method": "PUT", "url": "Patient/p"}},
        {"request": {"method": "GET", "url": "Patient/nobody"}}]})
    assert status == 200
    assert [each["response"]["status"][:3] for each in answer["entry"]] == ["201", "404"]
    assert issue(answer["entry"][1]["response"]["outcome"])[0] == "not-found"


# --- exports ---------------------------------------------------------------------------------------------------------

def test_an_export_writes_what_is_there_in_the_documented_layout(cloud, lake):
    bucket = cloud.create_bucket()
    for i in range(5):
        lake.put(patient(f"p{i}"))
    lake.put({"resourceType": "Practitioner", "id": "d"})
    lake.put(patient("gone"))
    lake.send("DELETE", "/Patient/gone")
    status, headers, answer = lake.export(bucket)
    assert status == 202 and set(answer) == {"datastoreId", "jobId", "jobStatus"} and answer["jobStatus"] == "SUBMITTED"
    job = answer["jobId"]
    assert headers["Content-Location"] == f"{lake.endpoint}export/{job}"
    assert sorted(each["id"] for each in lake.exported(job)) == ["d", "p0", "p1", "p2", "p3", "p4"]
    folder = f"out/{lake.id}-FHIR_EXPORT-{job}/"
    keys = [each["Key"] for each in cloud.s3.list_objects_v2(Bucket=bucket)["Contents"]]
    assert all(key.startswith(folder) for key in keys) and folder + "manifest.json" in keys
    manifest = json.loads(cloud.s3.get_object(Bucket=bucket, Key=folder + "manifest.json")["Body"].read())
    assert manifest["resourceCount"] == 6
    described = lake.client.describe_fhir_export_job(DatastoreId=lake.id, JobId=job)["ExportJobProperties"]
    assert described["JobStatus"] == "COMPLETED" and described["EndTime"] >= described["SubmitTime"]
    assert described["OutputDataConfig"]["S3Configuration"] == {"S3Uri": f"s3://{bucket}/{folder}", "KmsKeyId": KEY}


def test_an_export_takes_types_and_what_was_updated_since(cloud, lake):
    bucket = cloud.create_bucket()
    lake.put(patient("old"))
    def updated(name):
        return lake.send("GET", f"/Patient/{name}")[2]["meta"]["lastUpdated"]
    eventually(lambda: lake.put(patient("new"))["meta"]["lastUpdated"] > updated("old"), "a later millisecond")
    since = updated("new")
    lake.put({"resourceType": "Group", "id": "g"})
    job = lake.export(bucket, f"?_since={since}&_type=Patient,Practitioner")[2]["jobId"]
    assert [each["id"] for each in lake.exported(job)] == ["new"]
    job = lake.export(bucket, f"?_since={urllib.parse.quote(since)}")[2]["jobId"]
    assert sorted(each["id"] for each in lake.exported(job)) == ["g", "new"]
    # Some clients escape the dollar sign.
    output = {"S3Configuration": {"S3Uri": f"s3://{bucket}", "KmsKeyId": KEY}}
    status, _, answer = lake.send("POST", "/%24export", {"DataAccessRoleArn": ROLE, "OutputDataConfig": output})
    assert status == 202 and len(lake.exported(answer["jobId"])) == 3


def test_jobs_of_the_native_api_are_described_and_listed(cloud, lake):
    client, bucket = cloud.client("healthlake"), cloud.create_bucket()
    lake.put(patient("p"))
    jobs = []
    for i in range(3):
        jobs.append(client.start_fhir_export_job(
            JobName=f"job{i}", DatastoreId=lake.id, DataAccessRoleArn=ROLE,
            OutputDataConfig={"S3Configuration": {"S3Uri": f"s3://{bucket}/a/", "KmsKeyId": KEY}})["JobId"])
        assert [each["id"] for each in lake.exported(jobs[-1])] == ["p"]
    pages = [client.list_fhir_export_jobs(DatastoreId=lake.id, MaxResults=2)]
    pages.append(client.list_fhir_export_jobs(DatastoreId=lake.id, MaxResults=2, NextToken=pages[0]["NextToken"]))
    assert [each["JobId"] for page in pages for each in page["ExportJobPropertiesList"]] == jobs
    named = client.list_fhir_export_jobs(DatastoreId=lake.id, JobName="job1")["ExportJobPropertiesList"]
    assert [each["JobId"] for each in named] == [jobs[1]]
    with refused("ResourceNotFoundException"):
        client.describe_fhir_export_job(DatastoreId=lake.id, JobId="nothing")


def test_an_export_to_a_bucket_that_is_not_there_fails_with_the_reason(lake):
    job = lake.export(unique("nowhere"))[2]["jobId"]
    failed = eventually(lambda: next((each for each in [lake.job(job)["exportJobProperties"]]
                                      if each["jobStatus"] == "FAILED"), None), "the job fails")
    assert "NoSuchBucket" in failed["message"]


@pytest.mark.local
def test_a_second_export_waits_if_the_data_store_says_so(cloud, make_lake):
    lake = make_lake(Tags=[{"Key": "tidemill:export", "Value": "queue"}])
    bucket = cloud.create_bucket()
    lake.put(patient("p"))
    jobs = [lake.export(bucket)[2]["jobId"] for _ in range(4)]
    for job in jobs:
        assert [each["id"] for each in lake.exported(job)] == ["p"]
    ends = [lake.job(job)["exportJobProperties"]["endTime"] for job in jobs]
    assert ends == sorted(ends)
    status, _, answer = lake.send("DELETE", f"/export/{jobs[0]}")
    assert status == 409 and issue(answer)[0] == "conflict"


KILLS = 6
COUNT = 3000


@pytest.mark.local
def test_exports_go_on_after_kill_9(start_server, tmp_path):
    """Every export that was acknowledged is complete, whatever happens to the server meanwhile."""
    chance = random.Random(5)
    server = start_server(data=tmp_path / "data")
    cloud = Cloud(server.endpoint)
    lake = Lake(cloud, Tags=[{"Key": "tidemill:export", "Value": "queue"}])
    bucket = cloud.create_bucket()
    for begin in range(0, COUNT, 500):
        entries = [{"resource": patient(f"p{i}", text={"div": "x" * 500}),
                    "request": {"method": "PUT", "url": f"Patient/p{i}"}} for i in range(begin, begin + 500)]
        assert lake.send("POST", "", {"resourceType": "Bundle", "type": "batch", "entry": entries})[0] == 200
    jobs = []
    for _ in range(KILLS):
        jobs += [lake.export(bucket)[2]["jobId"] for _ in range(2)]
        time.sleep(chance.uniform(0.0, 0.1))
        server.kill()
        server = start_server(data=tmp_path / "data")
        lake.cloud = cloud = Cloud(server.endpoint)
        lake.client = cloud.client("healthlake")
    for job in jobs:
        assert sorted(each["id"] for each in lake.exported(job)) == sorted(f"p{i}" for i in range(COUNT))
