"""The part of <service>.cc for event streams: answers that go on as events of a @streaming union."""

from cpp import quoted


class Events:
    def __init__(self, model, types, speaks_cbor):
        self.model = model
        self.types = types
        self.speaks_cbor = speaks_cbor

    def unions(self):
        return [shape for name, shape in self.model.shapes.items() if self.types.is_event_stream(name)]

    def roots(self):
        """Names of the structures that are sent as events."""
        return [member.target for union in self.unions() for member, _, _, _ in self.types.members(union)]

    def of(self, shape):
        """(union's name, C++ name of the member) of an output that goes on as events, or None."""
        for member, name, _ in self.types.streams(shape) if shape else ():
            if self.types.is_event_stream(member.target):
                return member.target, name
        return None

    def functions(self):
        lines = []
        for union in self.unions():
            lines += [f"EventMessage event_of_{union.name}(const {union.name}& in, [[maybe_unused]] Encoding encoding) {{",
                      "  EventMessage out;"]
            for member, name, _, _ in self.types.members(union):
                lines += [f"  if (in.{name}) {{", f"    out.type = {quoted(member.name)};",
                          *self.write(member.target, "out.payload", f"*in.{name}", "encoding", "    "),
                          "    return out;", "  }"]
            errors = [quoted(member.target) for member in union.members.values()
                      if "error" in self.model.shape(member.target).traits]
            condition = " || ".join(f"code == {error}" for error in errors) or "false"
            lines += ["  return out;", "}", "",
                      f"bool is_error_of_{union.name}([[maybe_unused]] std::string_view code) {{",
                      f"  return {condition};", "}", ""]
        return lines

    def write(self, shape, out, value, encoding, indent):
        """Lines that write a structure in the request's encoding."""
        as_json = [f"{indent}json::Writer writer({out});", f"{indent}write_{shape}(writer, {value});"]
        if not self.speaks_cbor:
            return as_json
        return [f"{indent}if (is_cbor({encoding})) {{",
                f"{indent}  cbor::Writer writer({out}, time_unit_of({encoding}));",
                f"{indent}  cbor_write_{shape}(writer, {value});", f"{indent}}} else {{",
                *("  " + line for line in as_json), f"{indent}}}"]

    def serialize(self, shape, union, name):
        """The body of an output's serialize() after its status."""
        return [f"  EventFormat format{{info, out.encoding, {{}}, is_error_of_{union}}};",
                *self.write(shape.name, "format.initial_response", "in", "out.encoding", "  "),
                '  out.content_type = "application/vnd.amazon.eventstream";',
                f"  out.stream = message_stream(std::move(format), in.{name}, event_of_{union});"]
