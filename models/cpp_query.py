"""The part of <service>.cc for the Query protocol: requests out of forms, answers as XML."""

from cpp import quoted

READERS = {"String": "query_text", "enum": "query_text", "Boolean": "query_boolean", "Integer": "query_integer",
           "Long": "query_long", "Float": "query_double", "Double": "query_double", "Blob": "query_blob",
           "Timestamp": "query_timestamp"}


def wire_name(member, default=None):
    return member.traits.get("xmlName", default or member.name)


class Query:
    def __init__(self, model, types):
        self.model = model
        self.types = types

    # ---- Reading ----

    def read_signature(self, shape):
        return (f"void query_{shape.name}(const shapes::QueryNode& node, {self.types.of(shape.name)}& out, "
                f"shapes::ReadContext& context)")

    def read_into(self, member, node, plain, emplace):
        """A statement that reads `node`; collections say by `member` how they are wrapped."""
        kind = self.model.shape(member.target).kind
        if kind in READERS:
            return f"{plain} = shapes::{READERS[kind]}({node});"
        if kind in ("list", "map"):
            return f"query_{member.target}({node}, {emplace}, context, {quoted(self.wrapper(member, kind))});"
        return f"query_{member.target}({node}, {emplace}, context);"

    def wrapper(self, member, kind):
        """What stands between a collection's name and its elements' numbers."""
        if "xmlFlattened" in member.traits:
            return ""
        if kind == "map":
            return "entry"
        return wire_name(self.model.shape(member.target).members["member"], "member")

    def read_structure(self, shape):
        mask = self.types.required_mask(shape)
        cpp = {member.name: (name, bit) for member, name, _, bit in self.types.members(shape)}
        lines = [self.read_signature(shape) + " {"]
        if mask:
            lines.append(f"  out.missing_required = {mask:#x};")
        for member in shape.members.values():
            lines.append(f"  if (const auto* member = node.find({quoted(wire_name(member))})) {{")
            if "unsupported" in member.traits:
                accepted = member.traits["unsupported"].get("unless")
                text = "" if accepted is None else str(accepted).lower() if isinstance(accepted, bool) else str(accepted)
                lines.append(f"    shapes::refuse_unsupported(context.operation, *member, {quoted(member.name)}, "
                             f"{quoted(text)});")
            else:
                name, bit = cpp[member.name]
                fresh = f"out.{name}" if bit is not None else f"out.{name}.emplace()"
                lines.append("    " + self.read_into(member, "*member", f"out.{name}", fresh))
                if bit is not None:
                    lines.append(f"    out.missing_required &= ~uint64_t{{{1 << bit:#x}}};")
            lines.append("  }")
        return lines + ["  (void)node;", "  (void)out;", "  (void)context;", "}", ""]

    def collection_signature(self, shape):
        return self.read_signature(shape)[:-1] + ", std::string_view wrapper)"

    def read_list(self, shape):
        member = shape.members["member"]
        if self.types.is_scalar(member.target):
            kind = self.model.shape(member.target).kind
            element = f"out.push_back(shapes::{READERS[kind]}(*element));"
        else:
            element = self.read_into(member, "*element", "", "out.emplace_back()")
        return [self.collection_signature(shape) + " {",
                "  for (const auto* element : shapes::query_elements(node, wrapper)) " + element,
                "  (void)context;", "}", ""]

    def read_map(self, shape):
        key, value = shape.members["key"], shape.members["value"]
        return [self.collection_signature(shape) + " {",
                "  for (const auto* entry : shapes::query_elements(node, wrapper)) {",
                f"    const auto* key = entry->find({quoted(wire_name(key, 'key'))});",
                f"    const auto* value = entry->find({quoted(wire_name(value, 'value'))});",
                "    if (!key || !value) continue;",
                "    auto& slot = out[shapes::query_text(*key)];",
                "    " + self.read_into(value, "*value", "slot", "slot"),
                "  }", "  (void)context;", "}", ""]

    def shapes_of(self, roots):
        names = self.types.reachable(roots)
        return [shape for name, shape in self.model.shapes.items() if name in names and not self.types.custom(name)
                and shape.kind in ("structure", "union", "list", "map")]

    def read_functions(self, roots):
        lines, bodies = [], []
        for shape in self.shapes_of(roots):
            is_collection = shape.kind in ("list", "map")
            lines.append((self.collection_signature(shape) if is_collection else self.read_signature(shape)) + ";")
            bodies += {"list": self.read_list, "map": self.read_map}.get(shape.kind, self.read_structure)(shape)
        return lines + [""] + bodies

    # ---- Writing ----

    def write_signature(self, shape):
        return f"void xml_{shape.name}(XmlWriter& xml, const {self.types.of(shape.name)}& in)"

    def write_value(self, member, name, value, indent):
        """Lines that write `value` as an element `name`, or as several."""
        shape = self.model.shape(member.target)
        if shape.kind in ("String", "enum"):
            return [f"{indent}xml.text({name}, {value});"]
        if shape.kind == "Blob":
            return [f"{indent}xml.plain({name}, base::base64_encode({value}));"]
        if shape.kind == "Timestamp":
            return [f"{indent}xml.plain({name}, format_timestamp({value}, TimestampFormat::date_time));"]
        if shape.kind in ("Boolean", "Integer", "Long"):
            return [f"{indent}xml.plain({name}, shapes::header_text({value}));"]
        if shape.kind in ("Float", "Double"):
            return [f"{indent}xml.plain({name}, json::write(json::Value({value})));"]
        if shape.kind == "list":
            return self.write_list(member, shape, name, value, indent)
        if shape.kind == "map":
            return self.write_map(member, shape, name, value, indent)
        return [f"{indent}xml.open({name});", f"{indent}xml_{member.target}(xml, {value});", f"{indent}xml.close({name});"]

    def write_list(self, member, shape, name, value, indent):
        element = shape.members["member"]
        flattened = "xmlFlattened" in member.traits
        element_name = name if flattened else quoted(wire_name(element, "member"))
        lines = [f"{indent}for (const auto& element : {value}) {{",
                 *self.write_value(element, element_name, "element", indent + "  "), f"{indent}}}"]
        return lines if flattened else [f"{indent}xml.open({name});", *lines, f"{indent}xml.close({name});"]

    def write_map(self, member, shape, name, value, indent):
        flattened = "xmlFlattened" in member.traits
        entry = name if flattened else '"entry"'
        lines = [f"{indent}for (const auto& [key, value] : {value}) {{", f"{indent}  xml.open({entry});",
                 f"{indent}  xml.text({quoted(wire_name(shape.members['key'], 'key'))}, key);",
                 *self.write_value(shape.members["value"], quoted(wire_name(shape.members["value"], "value")), "value",
                                   indent + "  "),
                 f"{indent}  xml.close({entry});", f"{indent}}}"]
        return lines if flattened else [f"{indent}xml.open({name});", *lines, f"{indent}xml.close({name});"]

    def write_structure(self, shape):
        lines = [self.write_signature(shape) + " {"]
        for member, name, _, bit in self.types.members(shape):
            wire = quoted(wire_name(member))
            if bit is not None:
                lines += self.write_value(member, wire, f"in.{name}", "  ")
            else:
                lines += [f"  if (in.{name}) {{", *self.write_value(member, wire, f"*in.{name}", "    "), "  }"]
        return lines + ["  (void)xml;", "  (void)in;", "}", ""]

    def write_functions(self, roots):
        shapes = [shape for shape in self.shapes_of(roots) if shape.kind in ("structure", "union")]
        lines = [self.write_signature(shape) + ";" for shape in shapes] + [""]
        for shape in shapes:
            lines += self.write_structure(shape)
        return lines
