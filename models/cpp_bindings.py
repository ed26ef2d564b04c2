"""The part of <service>.cc for rest-json and rest-xml: labels, query, headers, payload and status."""

from cpp import quoted
from cpp_xml import TIMESTAMP_FORMATS, accepted_text, wire_name
from smithy import ModelError

BOUND = ("httpLabel", "httpQuery", "httpHeader", "httpPrefixHeaders", "httpPayload", "httpResponseCode")
FROM_TEXT = {"String": "text_of", "Integer": "integer_of", "Long": "long_of", "Boolean": "boolean_of",
             "Float": "double_of", "Double": "double_of", "Timestamp": "timestamp_of"}


class Bindings:
    """`xml`: an XmlWriting if the service speaks rest-xml, else None."""

    def __init__(self, model, types):
        self.model = model
        self.types = types
        self.xml = None

    def fail(self, member, message):
        raise ModelError(f"{self.model.path}:{member.line}: {message}")

    def is_bound(self, member):
        return any(trait in member.traits for trait in BOUND)

    def payload(self, shape):
        """The member that is the whole body, if there is one; streams are not among them."""
        return next((m for m in shape.members.values() if "httpPayload" in m.traits
                     and not self.types.is_stream(m.target)), None)

    def body_stream(self, shape):
        """(member, C++ name) of the body that is read or written piece by piece, or None."""
        for member, name, _ in self.types.streams(shape) if shape else ():
            if self.types.is_body_stream(member.target):
                if "httpPayload" not in member.traits:
                    self.fail(member, "a member that streams is the @httpPayload")
                return member, name
        return None

    def xml_name(self, member):
        """The root element of a payload."""
        return wire_name(member, self.model.shape(member.target).traits.get("xmlName", member.target))

    # ---- Reading ----

    def read_payload(self, shape, payload):
        mask = self.types.required_mask(shape)
        name, bit = next((name, bit) for member, name, _, bit in self.types.members(shape) if member is payload)
        lines = [f"  input.missing_required = {mask:#x};"] if mask else []
        kind = self.model.shape(payload.target).kind
        lines.append("  if (!request.body.empty()) {")
        if kind in ("Blob", "String"):
            lines.append(f"    input.{name} = std::string(request.body);")
        elif kind in ("structure", "union") and not self.types.custom(payload.target):
            place = f"input.{name}" if bit is not None else f"input.{name}.emplace()"
            if self.xml:
                lines += [f"    const shapes::XmlBody body(request.body, {quoted(self.xml_name(payload))});",
                          f"    read_xml_{payload.target}(body.root(), {place}, context);"]
            else:
                lines += ["    try {", "      shapes::JsonBody body(request.body);",
                          f"      read_{payload.target}(body.root(), {place}, context, shapes::Place::field);",
                          "      body.finish();", "    } catch (const simdjson::simdjson_error& error) {",
                          "      shapes::refuse_malformed(error);", "    }"]
        else:
            self.fail(payload, "@httpPayload takes a blob, string or structure")
        if bit is not None:
            lines.append(f"    input.missing_required &= ~uint64_t{{{1 << bit:#x}}};")
        return lines + ["  }"]

    def source_of(self, member):
        """Which pairs of the request hold a member, and under what name."""
        if "httpLabel" in member.traits:
            return "labels", member.name
        if "httpQuery" in member.traits:
            return "query", member.traits["httpQuery"]
        if "httpHeader" in member.traits:
            return "headers", member.traits["httpHeader"].lower()
        return None

    def refuse_unsupported(self, shape):
        lines = []
        for member in shape.members.values():
            if "unsupported" in member.traits and (source_and_key := self.source_of(member)):
                source, key = source_and_key
                lines.append(f"  shapes::refuse_unsupported(info, request.{source}, {quoted(key)}, "
                             f"{quoted(accepted_text(member))});")
        return lines

    def read_bound(self, shape):
        lines = self.refuse_unsupported(shape)
        for member, name, _, bit in self.types.members(shape):
            seen = [f"    input.missing_required &= ~uint64_t{{{1 << bit:#x}}};"] if bit is not None else []
            if "httpPrefixHeaders" in member.traits:
                lines.append(f"  shapes::read_prefixed(request.headers, {quoted(member.traits['httpPrefixHeaders'].lower())}, "
                             f"input.{name});")
                continue
            if not (source_and_key := self.source_of(member)):
                continue
            source, key = source_and_key
            target = self.model.shape(member.target)
            if target.kind == "list" and source != "labels" and self.types.is_text(target.members["member"].target):
                place = f"input.{name}" if bit is not None else f"input.{name}.emplace()"
                reader = "all_of" if source == "query" else "list_of"
                lines += [f"  if (shapes::find(request.{source}, {quoted(key)})) {{",
                          f"    {place} = shapes::{reader}(request.{source}, {quoted(key)});", *seen, "  }"]
                continue
            kind = "String" if target.kind == "enum" else target.kind
            if kind not in FROM_TEXT:
                self.fail(member, f"{member.name} cannot be bound to {source}")
            more = f", {quoted(key)}" if self.xml and kind in ("Integer", "Long") else ""
            lines += [f"  if (const std::string* text = shapes::find(request.{source}, {quoted(key)})) {{",
                      f"    input.{name} = shapes::{FROM_TEXT[kind]}(*text{more});", *seen, "  }"]
        return lines

    # ---- Checking ----

    def check_payload(self, name, checks):
        """What S3 says of a body before it looks at anything else."""
        shape = self.model.shapes.get(name)
        payload = self.payload(shape) if shape and self.xml else None
        if not payload:
            return []
        cpp, bit = next((name, bit) for member, name, _, bit in self.types.members(shape) if member is payload)
        lines = []
        if bit is not None:
            lines += [f"  if (request.missing_required & {1 << bit:#x}) throw shapes::missing_body();"]
        if self.model.shape(payload.target).kind in ("structure", "union") and checks.needed(payload.target):
            value = f"request.{cpp}" if bit is not None else f"*request.{cpp}"
            guard = "" if bit is not None else f"  if (request.{cpp}) {{"
            lines += [guard, "  Violations of_body(true);", f"  check_{payload.target}({value}, nullptr, of_body);",
                      "  if (of_body.any()) throw malformed_xml();", "" if bit is not None else "  }"]
        return [line for line in lines if line]

    # ---- Writing ----

    def write_header(self, member, value, guard):
        header = member.traits["httpHeader"]
        target = self.model.shape(member.target)
        if header.lower() == "content-type":
            return [f"  {guard}out.content_type = {value};"]
        if target.kind == "list":
            return [f"  {guard}out.headers.emplace_back({quoted(header)}, shapes::joined({value}));"]
        more = ""
        if target.kind == "Timestamp" and (name := self.model.trait(member, "timestampFormat")):
            more = f", TimestampFormat::{TIMESTAMP_FORMATS[name]}"
        return [f"  {guard}out.headers.emplace_back({quoted(header)}, shapes::header_text({value}{more}));"]

    def write_payload(self, member, value, guard):
        kind = self.model.shape(member.target).kind
        media = self.model.trait(member, "mediaType")
        if kind in ("Blob", "String"):
            media = media or ("application/octet-stream" if kind == "Blob" else "text/plain")
            return [f"  out.content_type = {quoted(media)};", f"  {guard}out.body = {value};"]
        if not self.xml:
            return ['  out.content_type = "application/json";', "  json::Writer writer(out.body);",
                    f"  {guard}write_{member.target}(writer, {value});"]
        return ["  " + (guard or "") + "{", *self.write_root(quoted(self.xml_name(member)), f"xml_{member.target}(xml, {value});"),
                "  }"]

    @staticmethod
    def write_root(name, content):
        return ['    out.content_type = "application/xml";', "    XmlWriter xml(out.body);", "    xml.declaration();",
                f"    xml.open({name}, info.xml_namespace);", f"    {content}", f"    xml.close({name});"]

    def write_whole(self, shape, operation):
        """The output's own members as the body."""
        if not self.xml:
            return ['  out.content_type = "application/json";', "  json::Writer writer(out.body);",
                    f"  write_{shape.name}(writer, in);"]
        members = [entry for entry in self.types.members(shape) if not self.is_bound(entry[0])]
        if not members:
            return []
        if "s3UnwrappedXmlOutput" in operation.traits:
            member, name, _, bit = members[0]
            value = f"in.{name}" if bit is not None else f"in.{name}.value_or(std::string())"
            return ['  out.content_type = "application/xml";', "  XmlWriter xml(out.body);", "  xml.declaration();",
                    f"  xml.text({quoted(wire_name(member))}, {value}, info.xml_namespace);"]
        root = quoted(shape.traits.get("xmlName", shape.name))
        return ["  {", *self.write_root(root, f"xml_{shape.name}(xml, in);"), "  }"]

    def write_output(self, shape, operation):
        no_content = operation.traits["http"].get("code") == 204
        if shape is None:
            return ["  (void)in;"]
        lines, headers = [], []
        has_payload = False
        if stream := self.body_stream(shape):
            has_payload = True
            media = self.model.trait(stream[0], "mediaType") or "application/octet-stream"
            lines += [f"  out.content_type = {quoted(media)};", f"  out.stream = in.{stream[1]};"]
        for member, name, _, bit in self.types.members(shape):
            value = f"in.{name}" if bit is not None else f"*in.{name}"
            guard = "" if bit is not None else f"if (in.{name}) "
            if "httpHeader" in member.traits:
                headers += self.write_header(member, value, guard)
            elif "httpPrefixHeaders" in member.traits:
                prefix = quoted(member.traits["httpPrefixHeaders"])
                headers.append(f"  {guard}shapes::write_prefixed({value}, {prefix}, out.headers);")
            elif "httpResponseCode" in member.traits:
                lines.append(f"  {guard}out.status = {value};")
            elif "httpPayload" in member.traits:
                has_payload = True
                lines += self.write_payload(member, value, guard)
        if not has_payload and not no_content:
            lines += self.write_whole(shape, operation)
        return lines + headers + ["  (void)in;"]
