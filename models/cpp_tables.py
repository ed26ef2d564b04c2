"""The part of <service>.cc that says its shapes as tables (src/wire/shape_table.h)."""

from cpp import list_room, quoted
from cpp_header import more_members

SIMPLE = {"String": "kText", "Boolean": "kBoolean", "Integer": "kInteger", "Long": "kLong", "Float": "kNumber",
          "Double": "kNumber", "Timestamp": "kTimestamp", "Blob": "kBlob", "Document": "kDocument"}
TIMESTAMP_FORMATS = {"epoch-seconds": "epoch_seconds", "date-time": "date_time", "http-date": "http_date"}

FLAGS = (("xmlFlattened", "flattened"), ("xmlAttribute", "attribute"), ("unsupported", "unsupported"))


def accepted_json(value):
    """The value that asks for nothing of an @unsupported member, as JSON text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, dict)):
        return "[]" if isinstance(value, list) else "{}"
    return str(value)


def accepted_text(value):
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


class Tables:
    def __init__(self, model, types, bindings, checks):
        self.model = model
        self.types = types
        self.bindings = bindings
        self.checks = checks
        self.details = {}

    # ---- Which shapes have tables ----

    def shapes(self, roots):
        """All that requests, answers, events and errors reach."""
        errors = [error.name for error in self.model.errors() if more_members(error)]
        events = [name for name in self.model.shapes if self.types.is_event_stream(name)]
        sent = [member.target for name in events for member, _, _, _ in self.types.members(self.model.shapes[name])]
        reached = self.types.reachable([*roots, *errors, *sent])
        return [shape for name, shape in self.model.shapes.items()
                if name in events or (name in reached and self.name_of(name) == f"shape_{name}")]

    def name_of(self, target):
        shape = self.model.shape(target)
        if self.types.is_body_stream(target):
            return "shapes::kBodyStream"
        if not self.types.custom(target) and shape.kind in SIMPLE:
            return "shapes::" + SIMPLE[shape.kind]
        return f"shape_{target}"

    # ---- Members ----

    def details_of(self, member):
        """The name of what few members have, or None."""
        fields = {}
        if header := self.bindings.header(member):
            fields["header"] = header
        if "httpPayload" in member.traits and (media := self.bindings.media_type(member)):
            fields["media_type"] = media
        if "unsupported" in member.traits:
            accepted = member.traits["unsupported"].get("unless")
            fields.update(accepted_json=accepted_json(accepted), accepted_text=accepted_text(accepted))
        elif namespace := self.model.trait(member, "xmlNamespace"):
            fields.update(namespace_prefix=namespace.get("prefix", ""),
                          namespace_uri=namespace.get("uri") or namespace[""])
        text = ", ".join(f".{name} = {quoted(value)}" for name, value in fields.items() if value)
        if not text:
            return None
        return self.details.setdefault(text, f"details_{len(self.details)}")

    def xml_name(self, member):
        if "httpPayload" in member.traits or "eventPayload" in member.traits:
            return member.traits.get("xmlName") or self.model.shape(member.target).traits.get("xmlName", member.target)
        return member.traits.get("xmlName", member.name)

    def member(self, member, place=None):
        """A member as an initializer. `place`: (structure, C++ name, C++ type, bit of its absence, whether it is
        optional); without one it is a part of a collection, or unsupported."""
        fields = [f".name = {quoted(member.name)}"]
        add = lambda name, value: fields.append(f".{name} = {value}")
        if (json := member.traits.get("jsonName", member.name)) != member.name:
            add("json", quoted(json))
        if (xml := self.xml_name(member)) != member.name:
            add("xml", quoted(xml))
        unsupported = "unsupported" in member.traits
        if not unsupported:
            add("shape", "&" + self.name_of(member.target))
        if place:
            structure, name, type_name, bit, optional = place
            if optional:
                add("optional", f"&shapes::kOptional<{type_name}>")
            if bit is not None:
                add("required", f"{1 << bit:#x}")
            add("offset", f"offsetof({structure}, {name})")
        if location := self.bindings.location(member):
            add("location", f"shapes::Location::{location}")
        if not unsupported and not self.types.is_stream(member.target) and self.checks.checked(member):
            add("checked", "true")
        for trait, name in FLAGS:
            if trait in member.traits:
                add(name, "true")
        if self.model.trait(member, "sensitive"):
            add("sensitive", "true")
        if any("xmlAttribute" in inner.traits for inner in self.model.shape(member.target).members.values()):
            add("wraps_attributes", "true")
        if form := self.model.trait(member, "timestampFormat"):
            add("format", f"wire::TimestampFormat::{TIMESTAMP_FORMATS[form]}")
        if bound := self.bindings.bound_name(member):
            add("bound", quoted(bound))
        if not unsupported and (rule := self.checks.rule(member)):
            add(rule[0], "&" + rule[1])
        if details := self.details_of(member):
            add("details", "&" + details)
        return f"{{{', '.join(fields)}}}"

    def members(self, shape):
        streams = {member.name: (shape.name, name, type_name, None, False)
                   for member, name, type_name in self.types.streams(shape)}
        known = {member.name: (shape.name, name, type_name, bit, bit is None)
                 for member, name, type_name, bit in self.types.members(shape)}
        shown = more_members(shape) if "error" in shape.traits else shape.members.values()
        for member in shown:
            place = streams.get(member.name) or known.get(member.name)
            if place or "unsupported" in member.traits:
                yield self.member(member, place)

    # ---- Shapes ----

    def shape(self, shape):
        """Lines that define its table."""
        name = shape.name
        common = f".name = {quoted(name)}, .class_name = {quoted(self.types.java(name))}"
        define = lambda fields: f"constinit const shapes::Shape shape_{name}{{{fields}}};"
        if custom := self.types.custom(name):
            return [define(f".kind = shapes::Kind::custom, {common}, "
                           f".codec = wire::codecs::codec_of(std::type_identity<{custom['']}>())")]
        if shape.kind == "enum":
            return [define(f'.kind = shapes::Kind::text, .name = {quoted(name)}, .values = values_{name}')]
        if shape.kind == "list":
            return [f"constinit const shapes::Member element_{name}{self.member(shape.members['member'])};",
                    define(self.list_fields(shape, common))]
        if shape.kind == "map":
            value = self.types.of(shape.members["value"].target)
            return [f"constinit const shapes::Member key_{name}{self.member(shape.members['key'])};",
                    f"constinit const shapes::Member element_{name}{self.member(shape.members['value'])};",
                    define(f".kind = shapes::Kind::map, {common}, .element = &element_{name}, .key = &key_{name}, "
                           f".map = &shapes::kMap<{value}>")]
        return self.structure(shape, common, define)

    def list_fields(self, shape, common):
        element = self.types.of(shape.members["member"].target)
        fields = f".kind = shapes::Kind::list, {common}, .element = &element_{shape.name}, " \
                 f".list = &shapes::kList<{element}>"
        if room := list_room(self.model, shape):
            fields += f", .room = {room}"
        return fields

    def structure(self, shape, common, define):
        name = shape.name
        lines, fields = [], [".kind = shapes::Kind::structure", common]
        if members := list(self.members(shape)):
            lines += [f"constinit const shapes::Member members_{name}[] = {{",
                      *(f"    {member}," for member in members), "};"]
            fields.append(f".members = members_{name}")
        fields.append(f".lifetime = shapes::kLifetime<{name}>")
        if mask := self.types.required_mask(shape):
            fields += [f".required = {mask:#x}", f".missing_offset = offsetof({name}, missing_required)"]
        if shape.kind == "union":
            fields.append(".is_union = true")
        fields.append(f".xml_root = {quoted(shape.traits.get('xmlName', name))}")
        if self.types.is_event_stream(name):
            fields[0] = ".kind = shapes::Kind::event_stream"
            errors = [quoted(member.target) for member in shape.members.values()
                      if "error" in self.model.shape(member.target).traits]
            if errors:
                lines.append(f"constexpr std::string_view errors_{name}[] = {{{', '.join(errors)}}};")
                fields.append(f".values = errors_{name}")
            fields.append(f".events = &shapes::kEvents<{name}>")
        return [*lines, define(", ".join(fields))]

    @staticmethod
    def absent(name):
        """Of the empty structure of an operation without input or output."""
        return (f"constinit const shapes::Shape shape_{name}{{.kind = shapes::Kind::structure, "
                f".name = {quoted(name)}, .lifetime = shapes::kLifetime<{name}>, .given = false}};")

    def text(self, roots, absent):
        """All lines: forward declarations, rules and details, tables."""
        shapes = self.shapes(roots)
        tables = [line for shape in shapes for line in self.shape(shape)] + [self.absent(name) for name in absent]
        enums = [shape for shape in shapes if shape.kind == "enum"]
        values = [f"constexpr std::string_view values_{shape.name}[] = "
                  f"{{{', '.join(quoted(value) for _, value in shape.values)}}};" for shape in enums]
        details = [f"constexpr shapes::MemberDetails {name}{{{fields}}};" for fields, name in self.details.items()]
        declarations = [f"extern const shapes::Shape shape_{shape.name};" for shape in shapes]
        return [*values, *self.checks.lines, *details, *declarations, "", *tables, ""]
