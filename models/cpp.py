"""How names and types of a model become C++."""

import re

from smithy import ModelError

KEYWORDS = {
    "alignas", "and", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "const", "continue", "default",
    "delete", "do", "double", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
    "if", "inline", "int", "long", "mutable", "namespace", "new", "not", "operator", "or", "private", "protected",
    "public", "register", "requires", "return", "short", "signed", "sizeof", "static", "struct", "switch", "template",
    "this", "throw", "true", "try", "typedef", "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
    "while", "xor"}

SIMPLE_CPP = {
    "String": "std::string", "Boolean": "bool", "Integer": "int32_t", "Long": "int64_t", "Float": "double",
    "Double": "double", "Timestamp": "base::Time", "Blob": "std::string", "Document": "json::Value"}

JAVA_CLASSES = {
    "String": "java.lang.String", "Boolean": "java.lang.Boolean", "Integer": "java.lang.Integer",
    "Long": "java.lang.Long", "Float": "java.lang.Float", "Double": "java.lang.Double", "Timestamp": "java.util.Date",
    "Blob": "java.nio.ByteBuffer", "Document": "java.lang.Object"}


def snake(name):
    """TableName -> table_name, KMSKeyArn -> kms_key_arn, eventID -> event_id."""
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).replace("-", "_").replace(".", "_").lower()
    return name + "_" if name in KEYWORDS else name


def constant(name):
    """NEW_AND_OLD_IMAGES -> kNewAndOldImages, AllAtOnce -> kAllAtOnce."""
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", name) if part]
    parts = [("_" if part[0].isdigit() and index else "") + part for index, part in enumerate(parts)]
    return "k" + "".join(p if p[0] == "_" else p.capitalize() if p.isupper() or p.islower() else p[0].upper() + p[1:] for p in parts)


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def list_room(model, shape):
    """How many elements of a list readers keep; None: all. More than the list may have by far, so that it is refused in
    the end, with the elements that are sent by mistake in the message; but not millions, which as structures take a
    hundred times the memory of a body of them."""
    uses = [member for other in model.shapes.values() for member in other.members.values()
            if member.target == shape.name]
    most = [(model.trait(member, "length") or {}).get("max") for member in uses]
    return 2 * max(most) + 1000 if most and None not in most else None


class Types:
    """The C++ side of a model's shapes."""

    def __init__(self, model):
        self.model = model

    def custom(self, name):
        """The @cppType of a shape, or None."""
        return self.model.shape(name).traits.get("cppType")

    def is_text(self, name):
        """String, or an enum: a std::string of text."""
        return self.model.shape(name).kind in ("String", "enum") and not self.custom(name)

    def is_scalar(self, name):
        kind = self.model.shape(name).kind
        return not self.custom(name) and (kind in SIMPLE_CPP or kind == "enum")

    def is_body_stream(self, name):
        """A @streaming blob."""
        shape = self.model.shape(name)
        return shape.kind == "Blob" and "streaming" in shape.traits

    def is_event_stream(self, name):
        """A @streaming union."""
        shape = self.model.shape(name)
        return shape.kind == "union" and "streaming" in shape.traits

    def is_stream(self, name):
        return self.is_body_stream(name) or self.is_event_stream(name)

    def of(self, name):
        if self.is_body_stream(name):
            return "BodyStream"
        if custom := self.custom(name):
            return custom[""]
        shape = self.model.shape(name)
        if shape.kind in SIMPLE_CPP:
            return SIMPLE_CPP[shape.kind]
        if shape.kind == "enum":
            return "std::string"
        if shape.kind == "list":
            return f"std::vector<{self.of(shape.members['member'].target)}>"
        if shape.kind == "map":
            key = shape.members["key"]
            if not self.is_text(key.target):
                raise ModelError(f"{self.model.path}:{key.line}: keys of a map are strings")
            return f"std::map<std::string, {self.of(shape.members['value'].target)}>"
        if shape.kind in ("structure", "union"):
            return shape.name
        raise ModelError(f"{self.model.path}:{shape.line}: {shape.name} cannot be a member's type")

    def java(self, name):
        """The class that AWS's serialization errors name."""
        shape = self.model.shape(name)
        if shape.kind in JAVA_CLASSES:
            return JAVA_CLASSES[shape.kind]
        if shape.kind == "enum":
            return "java.lang.String"
        namespace = self.model.service.traits.get("errorNamespace", "com.amazonaws." + shape.name.lower())
        if shape.kind == "list":
            return f"java.util.List<{self.java(shape.members['member'].target)}>"
        if shape.kind == "map":
            value = shape.members["value"].target
            # A custom map stands for a map of custom values.
            element = f"{namespace}.AttributeValue" if value == "Document" else self.java(value)
            return f"java.util.Map<java.lang.String, {element}>"
        return f"{namespace}.{shape.name}"

    def members(self, shape):
        """(member, C++ name, C++ type, bit of its absence or None) for each member that C++ has."""
        bit = 0
        result = []
        for member in shape.members.values():
            if "unsupported" in member.traits or self.is_stream(member.target):
                continue
            if "streaming" in shape.traits and "error" in self.model.shape(member.target).traits:
                continue  # thrown, not sent
            own_bit = None
            if "required" in member.traits:
                own_bit, bit = bit, bit + 1
            result.append((member, snake(member.name), self.of(member.target), own_bit))
        return result

    def streams(self, shape):
        """(member, C++ name, C++ type) for the members that come or go piece by piece: they are always there."""
        return [(member, snake(member.name), f"EventStream<{member.target}>" if self.is_event_stream(member.target)
                 else "BodyStream") for member in shape.members.values() if self.is_stream(member.target)]

    def required_mask(self, shape):
        return sum(1 << bit for _, _, _, bit in self.members(shape) if bit is not None)

    def in_order(self):
        """Structures, each behind those that it holds by value."""
        done, under_way, result = set(), [], []

        def visit(name, by_value):
            shape = self.model.shape(name)
            if self.custom(name):
                return
            if shape.kind in ("list", "map"):
                for member in shape.members.values():
                    visit(member.target, False)
                return
            if shape.kind not in ("structure", "union") or name in done:
                return
            if name in under_way:
                if by_value:
                    raise ModelError(f"{self.model.path}:{shape.line}: {name} holds itself")
                return
            under_way.append(name)
            for member in shape.members.values():
                if "unsupported" not in member.traits:
                    visit(member.target, True)
            under_way.pop()
            done.add(name)
            result.append(shape)

        for name, shape in self.model.shapes.items():
            visit(name, False)
        return result

    def reachable(self, roots, skip=lambda member: False):
        """Names of all shapes that `roots` reach, not by way of members to skip, custom ones not entered."""
        seen = set()

        def visit(name):
            if name in seen:
                return
            seen.add(name)
            if self.custom(name):
                return
            for member in self.model.shape(name).members.values():
                if "unsupported" not in member.traits and not skip(member) and not self.is_stream(member.target):
                    visit(member.target)

        for root in roots:
            visit(root)
        return seen
