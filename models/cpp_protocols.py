"""Which protocols a service speaks, and what has no form in them."""

from smithy import ModelError

PROTOCOLS = {"awsJson1_0": "json_1_0", "awsJson1_1": "json_1_1", "restJson1": "rest_json", "restXml": "rest_xml",
             "awsQuery": "query"}


class Protocols:
    def __init__(self, model, types):
        traits = model.service.traits
        self.model = model
        self.types = types
        self.own = next((PROTOCOLS[trait] for trait in PROTOCOLS if trait in traits), None)
        if not self.own:
            raise ModelError(f"{model.path}:{model.service.line}: the service has no protocol")
        self.is_rest = self.own in ("rest_json", "rest_xml")
        self.query = "awsQuery" in traits
        self.cbor = any(trait in traits for trait in ("awsCbor1_1", "rpcv2Cbor"))

    def event_stream(self, shape):
        """The member of an output that goes on as events, or None."""
        return next((member for member, _, _ in self.types.streams(shape) if self.types.is_event_stream(member.target)),
                    None) if shape else None

    def refuse_events(self, operation, request, response):
        if self.event_stream(request):
            raise ModelError(f"{self.model.path}:{operation.line}: requests have no events")
        stream = self.event_stream(response)
        if not stream:
            return
        if self.own not in ("json_1_0", "json_1_1", "rest_json", "rest_xml"):
            raise ModelError(f"{self.model.path}:{operation.line}: events are for the json protocols and rest-xml")
        for event in self.model.shape(stream.target).members.values():
            shape = self.model.shape(event.target)
            payload = next((member for member in shape.members.values() if "eventPayload" in member.traits), None)
            if self.own == "rest_xml" and shape.members and not payload:
                raise ModelError(f"{self.model.path}:{shape.line}: events of rest-xml have an @eventPayload or nothing")
            if self.own != "rest_xml" and payload and self.model.shape(payload.target).kind != "Blob":
                raise ModelError(f"{self.model.path}:{shape.line}: an @eventPayload is a blob")

    def refuse_documents(self, shape):
        """Documents and types written by hand stand in JSON only."""
        foreign = "CBOR" if self.cbor else "XML" if self.query or self.own == "rest_xml" else None
        documents = any(member.target == "Document" and "unsupported" not in member.traits
                        for member in shape.members.values())
        if foreign and (self.types.custom(shape.name) or documents):
            raise ModelError(f"{self.model.path}:{shape.line}: {shape.name} has no form in {foreign}")
