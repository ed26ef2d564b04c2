"""The part of <service>.cc for CBOR: readers of requests and writers of answers, for services whose model asks for it."""

from cpp import list_room, quoted
from cpp_xml import accepted_text
from smithy import ModelError

READERS = {"String": "text", "enum": "text", "Boolean": "boolean", "Integer": "integer", "Long": "long_integer",
           "Float": "number", "Double": "number", "Blob": "bytes", "Timestamp": "timestamp"}
WRITERS = {**READERS, "Integer": "integer", "Long": "integer"}


class Cbor:
    def __init__(self, model, types):
        self.model = model
        self.types = types

    def shapes_of(self, roots):
        names = self.types.reachable(roots)
        shapes = [shape for name, shape in self.model.shapes.items() if name in names]
        for shape in shapes:
            documents = any(member.target == "Document" and "unsupported" not in member.traits
                            for member in shape.members.values())
            if self.types.custom(shape.name) or documents:
                raise ModelError(f"{self.model.path}:{shape.line}: {shape.name} has no form in CBOR")
        return [shape for shape in shapes if shape.kind in ("structure", "union", "list", "map")]

    # ---- Reading ----

    def read_signature(self, shape):
        return (f"[[maybe_unused]] void cbor_read_{shape.name}(cbor::Reader& in, {self.types.of(shape.name)}& out, "
                f"shapes::ReadContext& context)")

    def read_into(self, member, plain, emplace):
        """A statement that reads the next value into a place that is `plain` as an lvalue; `emplace` gives it afresh."""
        kind = self.model.shape(member.target).kind
        if kind in READERS:
            return f"{plain} = in.{READERS[kind]}();"
        return f"cbor_read_{member.target}(in, {emplace}, context);"

    def read_structure(self, shape):
        mask = self.types.required_mask(shape)
        cpp = {member.name: (name, bit) for member, name, _, bit in self.types.members(shape)}
        lines = [self.read_signature(shape) + " {"]
        if mask:
            lines.append(f"  out.missing_required = {mask:#x};")
        lines += ["  cbor::Reader::Container map = in.open_map();", "  while (in.more(map)) {",
                  "    const std::string_view name = in.key();", "    if (in.null()) continue;"]
        for member in shape.members.values():
            if member.name not in cpp and "unsupported" not in member.traits:
                continue
            lines.append(f"    if (name == {quoted(member.traits.get('jsonName', member.name))}) {{")
            if "unsupported" in member.traits:
                lines.append(f"      in.refuse_unsupported(context.operation, {quoted(member.name)}, "
                             f"{quoted(accepted_text(member))});")
            else:
                name, bit = cpp[member.name]
                fresh = f"shapes::fresh(out.{name})" if bit is not None else f"out.{name}.emplace()"
                lines.append("      " + self.read_into(member, f"out.{name}", fresh))
                if bit is not None:
                    lines.append(f"      out.missing_required &= ~uint64_t{{{1 << bit:#x}}};")
            lines += ["      continue;", "    }"]
        return lines + ["    in.skip();", "  }", "  (void)out;", "  (void)context;", "}", ""]

    def read_list(self, shape):
        member = shape.members["member"]
        kind = self.model.shape(member.target).kind
        read = (f"out.push_back(in.{READERS[kind]}());" if kind in READERS
                else self.read_into(member, "", "out.emplace_back()"))
        room = list_room(self.model, shape)
        full = [f"    if (out.size() >= {room}) {{", "      in.skip();", "      continue;", "    }"] if room else []
        return [self.read_signature(shape) + " {", "  cbor::Reader::Container list = in.open_list();",
                "  while (in.more(list)) {", "    in.refuse_null();", *full, f"    {read}", "  }", "  (void)context;",
                "}", ""]

    def read_map(self, shape):
        return [self.read_signature(shape) + " {", "  cbor::Reader::Container map = in.open_map();",
                "  while (in.more(map)) {", "    const std::string name = in.text();", "    if (in.null()) continue;",
                "    auto& slot = out[name];",
                "    " + self.read_into(shape.members["value"], "slot", "shapes::fresh(slot)"), "  }",
                "  (void)context;", "}", ""]

    def read_functions(self, roots):
        lines, bodies = [], []
        for shape in self.shapes_of(roots):
            lines.append(self.read_signature(shape) + ";")
            bodies += {"list": self.read_list, "map": self.read_map}.get(shape.kind, self.read_structure)(shape)
        return lines + [""] + bodies

    # ---- Writing ----

    def write_signature(self, shape):
        return f"[[maybe_unused]] void cbor_write_{shape.name}(cbor::Writer& writer, const {self.types.of(shape.name)}& in)"

    def write_value(self, member, value):
        kind = self.model.shape(member.target).kind
        if kind in WRITERS:
            return f"writer.{WRITERS[kind]}({value});"
        return f"cbor_write_{member.target}(writer, {value});"

    def write_function(self, shape):
        lines = [self.write_signature(shape) + " {"]
        if shape.kind == "list":
            lines += ["  writer.list(in.size());",
                      f"  for (const auto& element : in) {self.write_value(shape.members['member'], 'element')}"]
        elif shape.kind == "map":
            lines += ["  writer.map(in.size());", "  for (const auto& [key, value] : in) {", "    writer.key(key);",
                      f"    {self.write_value(shape.members['value'], 'value')}", "  }"]
        else:
            lines.append("  writer.begin_structure();")
            for member, name, _, bit in self.types.members(shape):
                key = f"writer.key({quoted(member.traits.get('jsonName', member.name))});"
                if bit is not None:
                    lines += [f"  {key}", "  " + self.write_value(member, f"in.{name}")]
                else:
                    lines += [f"  if (in.{name}) {{", f"    {key}", "    " + self.write_value(member, f"*in.{name}"), "  }"]
            lines += ["  writer.end_structure();", "  (void)in;"]
        return lines + ["}", ""]

    def write_functions(self, roots):
        lines, bodies = [], []
        for shape in self.shapes_of(roots):
            lines.append(self.write_signature(shape) + ";")
            bodies += self.write_function(shape)
        return lines + [""] + bodies
