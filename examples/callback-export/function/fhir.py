"""The FHIR side of a HealthLake data store: plain HTTP, signed. Runs on AWS as it does here."""
import json
import urllib.error
import urllib.parse
import urllib.request

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest


class Store:
    def __init__(self, datastore_id, lake, credentials):
        self.id, self.lake, self.credentials = datastore_id, lake, credentials

    def send(self, method, path, document=None):
        """(status, parsed answer); `path` is relative to the data store's endpoint."""
        endpoint = self.lake.describe_fhir_datastore(DatastoreId=self.id)["DatastoreProperties"]["DatastoreEndpoint"]
        body = b"" if document is None else json.dumps(document).encode()
        request = AWSRequest(method=method, url=urllib.parse.urljoin(endpoint, path), data=body,
                             headers={"Content-Type": "application/fhir+json", "Prefer": "respond-async"})
        SigV4Auth(self.credentials, "healthlake", self.lake.meta.region_name).add_auth(request)
        signed = request.prepare()
        sent = urllib.request.Request(signed.url, data=body or None, method=method, headers=dict(signed.headers))
        try:
            with urllib.request.urlopen(sent, timeout=20) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")
