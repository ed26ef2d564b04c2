"""The part of <service>.cc for the Query protocol that reads requests out of forms. cpp_xml.py writes the answers."""

from cpp import quoted
from cpp_xml import accepted_text, wire_name

READERS = {"String": "query_text", "enum": "query_text", "Boolean": "query_boolean", "Integer": "query_integer",
           "Long": "query_long", "Float": "query_double", "Double": "query_double", "Blob": "query_blob",
           "Timestamp": "query_timestamp"}


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
                lines.append(f"    shapes::refuse_unsupported(context.operation, *member, {quoted(member.name)}, "
                             f"{quoted(accepted_text(member))});")
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
