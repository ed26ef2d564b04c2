"""The part of <service>.cc for XML: what answers of the Query protocol and of rest-xml are written with, and the readers
of rest-xml requests."""

from cpp import quoted

READERS = {"String": "xml_text", "enum": "xml_text", "Boolean": "xml_boolean", "Integer": "xml_integer",
           "Long": "xml_long", "Float": "xml_double", "Double": "xml_double", "Blob": "xml_blob",
           "Timestamp": "xml_timestamp"}
TIMESTAMP_FORMATS = {"epoch-seconds": "epoch_seconds", "date-time": "date_time", "http-date": "http_date"}


def wire_name(member, default=None):
    return member.traits.get("xmlName", default or member.name)


def accepted_text(member):
    """The value that an @unsupported member may have, as text."""
    accepted = member.traits["unsupported"].get("unless")
    return "" if accepted is None else str(accepted).lower() if isinstance(accepted, bool) else str(accepted)


class XmlWriting:
    """`with_milliseconds`: times always show them, as S3 writes them."""

    def __init__(self, model, types, is_bound, with_milliseconds):
        self.model = model
        self.types = types
        self.is_bound = is_bound
        self.with_milliseconds = with_milliseconds

    def shapes_of(self, roots):
        names = self.types.reachable(roots, self.is_bound)
        return [shape for name, shape in self.model.shapes.items() if name in names and not self.types.custom(name)
                and shape.kind in ("structure", "union")]

    def attributes(self, shape):
        return [(m, name, bit) for m, name, _, bit in self.types.members(shape) if "xmlAttribute" in m.traits]

    def signature(self, shape):
        return f"[[maybe_unused]] void xml_{shape.name}(XmlWriter& xml, const {self.types.of(shape.name)}& in)"

    def text_of(self, member, value):
        """An expression for the text of a scalar, or None; and whether it needs escapes."""
        kind = self.model.shape(member.target).kind
        if kind in ("String", "enum"):
            return value, True
        if kind == "Blob":
            return f"base::base64_encode({value})", False
        if kind == "Timestamp":
            name = self.model.trait(member, "timestampFormat")
            if name is None and self.with_milliseconds:
                return f"shapes::xml_time({value})", False
            return f"format_timestamp({value}, TimestampFormat::{TIMESTAMP_FORMATS[name or 'date-time']})", False
        if kind in ("Boolean", "Integer", "Long"):
            return f"shapes::header_text({value})", False
        if kind in ("Float", "Double"):
            return f"json::write(json::Value({value}))", False
        return None, False

    def open(self, member, name, value, indent):
        """Lines that open an element for a structure."""
        shape = self.model.shape(member.target)
        namespace = member.traits.get("xmlNamespace") or shape.traits.get("xmlNamespace")
        attributes = self.attributes(shape)
        if not namespace and not attributes:
            return [f"{indent}xml.open({name});"]
        lines = [f"{indent}xml.begin({name});"]
        if namespace:
            prefix = namespace.get("prefix")
            lines.append(f'{indent}xml.attribute({quoted("xmlns:" + prefix if prefix else "xmlns")}, '
                         f'{quoted(namespace.get("uri") or namespace[""])});')
        for attribute, cpp_name, bit in attributes:
            text, _ = self.text_of(attribute, f"({value}).{cpp_name}" if bit is not None else f"*({value}).{cpp_name}")
            guard = "" if bit is not None else f"if (({value}).{cpp_name}) "
            lines.append(f"{indent}{guard}xml.attribute({quoted(wire_name(attribute))}, {text});")
        return [*lines, f"{indent}xml.end();"]

    def value(self, member, name, value, indent):
        """Lines that write `value` as an element `name`, or as several."""
        shape = self.model.shape(member.target)
        text, needs_escapes = self.text_of(member, value)
        if text:
            return [f"{indent}xml.{'text' if needs_escapes else 'plain'}({name}, {text});"]
        if shape.kind == "list":
            return self.list(member, shape, name, value, indent)
        if shape.kind == "map":
            return self.map(member, shape, name, value, indent)
        return [*self.open(member, name, value, indent), f"{indent}xml_{member.target}(xml, {value});",
                f"{indent}xml.close({name});"]

    def list(self, member, shape, name, value, indent):
        element = shape.members["member"]
        flattened = "xmlFlattened" in member.traits
        element_name = name if flattened else quoted(wire_name(element, "member"))
        lines = [f"{indent}for (const auto& element : {value}) {{",
                 *self.value(element, element_name, "element", indent + "  "), f"{indent}}}"]
        return lines if flattened else [f"{indent}xml.open({name});", *lines, f"{indent}xml.close({name});"]

    def map(self, member, shape, name, value, indent):
        flattened = "xmlFlattened" in member.traits
        entry = name if flattened else '"entry"'
        lines = [f"{indent}for (const auto& [key, value] : {value}) {{", f"{indent}  xml.open({entry});",
                 f"{indent}  xml.text({quoted(wire_name(shape.members['key'], 'key'))}, key);",
                 *self.value(shape.members["value"], quoted(wire_name(shape.members["value"], "value")), "value",
                             indent + "  "),
                 f"{indent}  xml.close({entry});", f"{indent}}}"]
        return lines if flattened else [f"{indent}xml.open({name});", *lines, f"{indent}xml.close({name});"]

    def structure(self, shape):
        lines = [self.signature(shape) + " {"]
        for member, name, _, bit in self.types.members(shape):
            if self.is_bound(member) or "xmlAttribute" in member.traits:
                continue
            wire = quoted(wire_name(member))
            if bit is not None:
                lines += self.value(member, wire, f"in.{name}", "  ")
            else:
                lines += [f"  if (in.{name}) {{", *self.value(member, wire, f"*in.{name}", "    "), "  }"]
        return lines + ["  (void)xml;", "  (void)in;", "}", ""]

    def functions(self, roots):
        shapes = self.shapes_of(roots)
        lines = [self.signature(shape) + ";" for shape in shapes] + [""]
        for shape in shapes:
            lines += self.structure(shape)
        return lines


class XmlReading:
    """Requests of rest-xml. Elements that a shape does not know make the document malformed, as S3's schema does."""

    def __init__(self, model, types, is_bound):
        self.model = model
        self.types = types
        self.is_bound = is_bound

    def signature(self, shape):
        return (f"[[maybe_unused]] void read_xml_{shape.name}(shapes::XmlElement element, {self.types.of(shape.name)}& out, "
                f"shapes::ReadContext& context)")

    def into(self, member, element, plain, emplace):
        """A statement that reads `element` into a place that is `plain` as an lvalue; `emplace` gives it afresh."""
        kind = self.model.shape(member.target).kind
        if kind in READERS:
            return f"{plain} = shapes::{READERS[kind]}({element});"
        return f"read_xml_{member.target}({element}, {emplace}, context);"

    def push(self, shape, element, place):
        """A statement that appends what `element` holds to the list `place`."""
        member = shape.members["member"]
        kind = self.model.shape(member.target).kind
        if kind in READERS:
            return f"{place}.push_back(shapes::{READERS[kind]}({element}));"
        return f"read_xml_{member.target}({element}, {place}.emplace_back(), context);"

    def member(self, member, name, bit):
        shape = self.model.shape(member.target)
        seen = [f"      out.missing_required &= ~uint64_t{{{1 << bit:#x}}};"] if bit is not None else []
        if shape.kind == "list" and "xmlFlattened" in member.traits:
            place = f"out.{name}" if bit is not None else f"(*out.{name})"
            make = [] if bit is not None else [f"      if (!out.{name}) out.{name}.emplace();"]
            return [*make, f"      {self.push(shape, 'child', place)}", *seen]
        fresh = f"shapes::fresh(out.{name})" if bit is not None else f"out.{name}.emplace()"
        return ["      " + self.into(member, "child", f"out.{name}", fresh), *seen]

    def structure(self, shape):
        mask = self.types.required_mask(shape)
        cpp = {member.name: (name, bit) for member, name, _, bit in self.types.members(shape)}
        lines = [self.signature(shape) + " {"]
        if mask:
            lines.append(f"  out.missing_required = {mask:#x};")
        lines += ["  for (shapes::XmlElement child = element.first(); child; child = child.next()) {",
                  "    const std::string_view name = child.name();"]
        for member in shape.members.values():
            if self.is_bound(member) or "xmlAttribute" in member.traits:
                continue
            lines.append(f"    if (name == {quoted(wire_name(member))}) {{")
            if "unsupported" in member.traits:
                lines.append(f"      shapes::refuse_unsupported(context.operation, child, {quoted(member.name)}, "
                             f"{quoted(accepted_text(member))});")
            else:
                lines += self.member(member, *cpp[member.name])
            lines += ["      continue;", "    }"]
        lines += ["    throw malformed_xml();", "  }"]
        for member, name, _, bit in self.types.members(shape):
            if "xmlAttribute" in member.traits:
                seen = f" out.missing_required &= ~uint64_t{{{1 << bit:#x}}};" if bit is not None else ""
                lines.append(f"  if (auto text = element.attribute({quoted(wire_name(member))})) {{ "
                             f"out.{name} = *std::move(text);{seen} }}")
        return lines + ["  (void)out;", "  (void)context;", "}", ""]

    def list(self, shape):
        element_name = wire_name(shape.members["member"], "member")
        return [self.signature(shape) + " {",
                "  for (shapes::XmlElement child = element.first(); child; child = child.next()) {",
                f"    if (child.name() != {quoted(element_name)}) throw malformed_xml();",
                "    " + self.push(shape, "child", "out"), "  }", "  (void)context;", "}", ""]

    def map(self, shape):
        key, value = shape.members["key"], shape.members["value"]
        return [self.signature(shape) + " {",
                "  for (shapes::XmlElement entry = element.first(); entry; entry = entry.next()) {",
                "    shapes::XmlElement key, value;",
                "    for (shapes::XmlElement child = entry.first(); child; child = child.next()) {",
                f"      if (child.name() == {quoted(wire_name(key, 'key'))}) key = child;",
                f"      else if (child.name() == {quoted(wire_name(value, 'value'))}) value = child;",
                "      else throw malformed_xml();", "    }",
                "    if (!key || !value) throw malformed_xml();",
                "    auto& slot = out[shapes::xml_text(key)];",
                "    " + self.into(value, "value", "slot", "slot"), "  }", "  (void)context;", "}", ""]

    def functions(self, roots):
        names = self.types.reachable(roots, self.is_bound)
        shapes = [shape for name, shape in self.model.shapes.items() if name in names and not self.types.custom(name)
                  and shape.kind in ("structure", "union", "list", "map")]
        lines, bodies = [], []
        for shape in shapes:
            lines.append(self.signature(shape) + ";")
            bodies += {"list": self.list, "map": self.map}.get(shape.kind, self.structure)(shape)
        return lines + [""] + bodies
