"""Where the members of the rest protocols' requests and answers stand, and which of them cannot stand there."""

from smithy import ModelError

LOCATIONS = {"httpLabel": "label", "httpQuery": "query", "httpHeader": "header", "httpPrefixHeaders": "prefix_headers",
             "httpPayload": "payload", "eventPayload": "payload", "httpResponseCode": "status", "httpQueryParams": "query_params"}
QUERY_PARAMETERS = "std::map<std::string, std::vector<std::string>>"
SCALARS_AS_TEXT = ("String", "enum", "Integer", "Long", "Boolean", "Float", "Double", "Timestamp")


class Bindings:
    def __init__(self, model, types):
        self.model = model
        self.types = types

    def fail(self, member, message):
        raise ModelError(f"{self.model.path}:{member.line}: {message}")

    def location(self, member):
        """The name of its Location, or None: the body."""
        return next((LOCATIONS[trait] for trait in LOCATIONS if trait in member.traits), None)

    def bound_name(self, member):
        """Of its parameter, label, or header in lower case."""
        if "httpLabel" in member.traits:
            return member.name
        return member.traits.get("httpQuery") or (self.header(member) or "").lower()

    def header(self, member):
        return member.traits.get("httpHeader") or member.traits.get("httpPrefixHeaders")

    def body_stream(self, shape):
        """The member that is the body and is read or written piece by piece, or None."""
        for member, _, _ in self.types.streams(shape) if shape else ():
            if self.types.is_body_stream(member.target):
                if "httpPayload" not in member.traits:
                    self.fail(member, "a member that streams is the @httpPayload")
                return member
        return None

    def media_type(self, member):
        """Of a payload that is no structure."""
        kind = self.model.shape(member.target).kind
        if kind not in ("Blob", "String"):
            return None
        return self.model.trait(member, "mediaType") or ("application/octet-stream" if kind == "Blob" else "text/plain")

    def refuse(self, shape):
        """What the interpreters have no form for."""
        self.body_stream(shape)
        for member, _, _, _ in self.types.members(shape):
            kind = self.model.shape(member.target).kind
            custom = self.types.custom(member.target)
            location = self.location(member)
            if location == "payload" and (custom or kind not in ("Blob", "String", "structure", "union")):
                self.fail(member, "@httpPayload takes a blob, string or structure")
            if location == "query_params" and self.types.of(member.target) != QUERY_PARAMETERS:
                self.fail(member, "@httpQueryParams takes a map of lists of strings")
            if location in ("label", "query", "header"):
                element = self.model.shape(member.target).members.get("member") if kind == "list" else None
                is_texts = element and location != "label" and self.types.is_text(element.target)
                is_blob = kind == "Blob" and location == "header"
                if custom or not (kind in SCALARS_AS_TEXT or is_texts or is_blob):
                    self.fail(member, f"{member.name} cannot be bound to {location}")
