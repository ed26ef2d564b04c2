"""The part of <service>.cc for rest-json: labels, query, headers, payload and status."""

from cpp import quoted
from smithy import ModelError

BOUND = ("httpLabel", "httpQuery", "httpHeader", "httpPayload", "httpResponseCode")
FROM_TEXT = {"String": "text_of", "Integer": "integer_of", "Long": "long_of", "Boolean": "boolean_of",
             "Float": "double_of", "Double": "double_of", "Timestamp": "timestamp_of"}


class Bindings:
    def __init__(self, model, types):
        self.model = model
        self.types = types

    def is_bound(self, member):
        return any(trait in member.traits for trait in BOUND)

    def payload(self, shape):
        return next((m for m in shape.members.values() if "httpPayload" in m.traits), None)

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
            lines += ["    try {", "      shapes::JsonBody body(request.body);",
                      f"      read_{payload.target}(body.root(), {place}, context, shapes::Place::field);",
                      "      body.finish();", "    } catch (const simdjson::simdjson_error& error) {",
                      "      shapes::refuse_malformed(error);", "    }"]
        else:
            raise ModelError(f"{self.model.path}:{payload.line}: @httpPayload takes a blob, string or structure")
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
                lines.append(f"  shapes::refuse_unsupported(info, request.{source}, {quoted(key)});")
        return lines

    def read_bound(self, shape):
        lines = self.refuse_unsupported(shape)
        for member, name, _, bit in self.types.members(shape):
            seen = [f"    input.missing_required &= ~uint64_t{{{1 << bit:#x}}};"] if bit is not None else []
            if not (source_and_key := self.source_of(member)):
                continue
            source, key = source_and_key
            target = self.model.shape(member.target)
            if target.kind == "list" and source == "query" and self.types.is_text(target.members["member"].target):
                place = f"input.{name}" if bit is not None else f"input.{name}.emplace()"
                lines += [f"  if (shapes::find(request.{source}, {quoted(key)})) {{",
                          f"    {place} = shapes::all_of(request.{source}, {quoted(key)});", *seen, "  }"]
                continue
            kind = "String" if target.kind == "enum" else target.kind
            if kind not in FROM_TEXT:
                raise ModelError(f"{self.model.path}:{member.line}: {member.name} cannot be bound to {source}")
            lines += [f"  if (const std::string* text = shapes::find(request.{source}, {quoted(key)})) {{",
                      f"    input.{name} = shapes::{FROM_TEXT[kind]}(*text);", *seen, "  }"]
        return lines

    def write_output(self, shape, operation):
        no_content = operation.traits["http"].get("code") == 204
        if shape is None:
            return ["  (void)in;"]
        lines, payload = [], None
        for member, name, _, bit in self.types.members(shape):
            value = f"in.{name}" if bit is not None else f"*in.{name}"
            guard = "" if bit is not None else f"if (in.{name}) "
            if "httpHeader" in member.traits:
                lines.append(f"  {guard}out.headers.emplace_back({quoted(member.traits['httpHeader'])}, "
                             f"shapes::header_text({value}));")
            elif "httpResponseCode" in member.traits:
                lines.append(f"  {guard}out.status = {value};")
            elif "httpPayload" in member.traits:
                payload = member
                kind = self.model.shape(member.target).kind
                media = self.model.trait(member, "mediaType")
                if kind in ("Blob", "String"):
                    media = media or ("application/octet-stream" if kind == "Blob" else "text/plain")
                    lines += [f"  out.content_type = {quoted(media)};", f"  {guard}out.body = {value};"]
                else:
                    lines += ['  out.content_type = "application/json";', "  json::Writer writer(out.body);",
                              f"  {guard}write_{member.target}(writer, {value});"]
        if payload is None and not no_content:
            lines += ['  out.content_type = "application/json";', "  json::Writer writer(out.body);",
                      f"  write_{shape.name}(writer, in);"]
        return lines + ["  (void)in;"]
