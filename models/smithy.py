"""Reads the subset of Smithy IDL 2.0 that models/README.md describes into plain objects, and refuses what is not in it."""

import re
from dataclasses import dataclass, field

SIMPLE_TYPES = {"String", "Boolean", "Integer", "Long", "Float", "Double", "Timestamp", "Blob", "Document"}
SIMPLE_KEYWORDS = {name.lower(): name for name in SIMPLE_TYPES}

# Trait name -> what its argument is: "none", "value" (one literal) or "fields" (name: literal, ...).
TRAITS = {
    "required": "none", "httpLabel": "none", "httpPayload": "none", "eventPayload": "none", "httpResponseCode": "none", "sensitive": "none",
    "length": "fields", "range": "fields", "pattern": "value", "http": "fields", "httpQuery": "value",
    "httpHeader": "value", "httpQueryParams": "none", "httpError": "value", "error": "value", "jsonName": "value", "timestampFormat": "value",
    "mediaType": "value", "documentation": "value", "awsJson1_0": "none", "awsJson1_1": "none", "restJson1": "none",
    "restXml": "none", "httpPrefixHeaders": "value", "xmlAttribute": "none", "streaming": "none", "requiresLength": "none",
    "s3UnwrappedXmlOutput": "none", "rpcv2Cbor": "none", "awsCbor1_1": "none",
    "awsQuery": "none", "xmlName": "value", "xmlFlattened": "none", "xmlNamespace": "mixed", "awsQueryError": "fields", "queryPathMember": "value",
    # ours
    "signingName": "value", "targetPrefix": "value", "errorNamespace": "value", "throttlingError": "value",
    "internalError": "value", "unsupportedError": "value", "validationError": "value", "requestBytesMax": "value", "hideCollections": "none",
    "cppType": "mixed", "unsupported": "fields", "prefixedValueErrors": "none", "endsWithClient": "none",
    "responseCrc32": "none", "terseConstraints": "none", "orArn": "value",
}


class ModelError(Exception):
    """What is wrong with a model, as one line that begins with file and line."""


@dataclass
class Member:
    name: str
    target: str
    traits: dict
    line: int


@dataclass
class Shape:
    kind: str  # structure, union, list, map, enum, operation, service, or the name of a simple type
    name: str
    traits: dict
    line: int
    members: dict = field(default_factory=dict)  # name -> Member; list: "member"; map: "key", "value"
    values: list = field(default_factory=list)  # enum: (name, value)
    properties: dict = field(default_factory=dict)  # operation: input, output, errors; service: version, operations


TOKEN = re.compile(
    r"""(?P<space>[\s,]+|//[^\n]*)|(?P<string>"(?:[^"\\]|\\.)*")|(?P<number>-?\d+(?:\.\d+)?)"""
    r"""|(?P<name>[A-Za-z_$][\w.\#]*)|(?P<assign>:=)|(?P<punctuation>[{}\[\]():=@])""")


def tokens_of(text, path):
    line, at = 1, 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise ModelError(f"{path}:{line}: cannot read {text[at:at + 20]!r}")
        if match.lastgroup != "space":
            yield match.lastgroup, match.group(), line
        line += match.group().count("\n")
        at = match.end()
    yield "end", "", line


class Parser:
    def __init__(self, text, path):
        self.path = path
        self.tokens = list(tokens_of(text, path))
        self.at = 0
        self.shapes = {}

    def fail(self, message, line=None):
        raise ModelError(f"{self.path}:{line or self.tokens[self.at][2]}: {message}")

    def peek(self):
        return self.tokens[self.at][1]

    def kind(self):
        return self.tokens[self.at][0]

    def line(self):
        return self.tokens[self.at][2]

    def next(self, expected=None):
        token = self.tokens[self.at]
        if expected is not None and token[1] != expected:
            self.fail(f"expected {expected!r}, found {token[1]!r}")
        self.at += 1
        return token[1]

    def name(self):
        if self.kind() != "name":
            self.fail(f"expected a name, found {self.peek()!r}")
        return self.next()

    def accept(self, text):
        if self.peek() == text and self.kind() != "string":
            self.at += 1
            return True
        return False

    def literal(self):
        kind, text, _ = self.tokens[self.at]
        if kind == "string":
            self.at += 1
            return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m.group(1), m.group(1)), text[1:-1])
        if kind == "number":
            self.at += 1
            return float(text) if "." in text else int(text)
        if text in ("true", "false", "null"):
            self.at += 1
            return {"true": True, "false": False, "null": None}[text]
        if self.accept("["):
            values = []
            while not self.accept("]"):
                values.append(self.literal())
            return values
        if self.accept("{"):
            fields = {}
            while not self.accept("}"):
                key = self.literal() if self.kind() == "string" else self.name()
                self.next(":")
                fields[key] = self.literal()
            return fields
        return self.name()

    def traits(self):
        traits = {}
        while self.accept("@"):
            line = self.line()
            name = self.name()
            form = TRAITS.get(name)
            if form is None:
                self.fail(f"the trait @{name} is not in the subset", line)
            value = True
            if self.accept("("):
                positional, fields = [], {}
                while not self.accept(")"):
                    if self.kind() == "name" and self.tokens[self.at + 1][1] == ":":
                        key = self.name()
                        self.next(":")
                        fields[key] = self.literal()
                    else:
                        positional.append(self.literal())
                if form == "value" and len(positional) == 1 and not fields:
                    value = positional[0]
                elif form == "fields" and not positional:
                    value = fields
                elif form == "mixed" and (len(positional) == 1 or (fields and not positional)):
                    value = {"": positional[0] if positional else None, **fields}
                else:
                    self.fail(f"@{name} does not take such an argument", line)
            elif form in ("value", "mixed"):
                self.fail(f"@{name} needs an argument", line)
            elif form == "fields":
                value = {}
            if name in traits:
                self.fail(f"@{name} stands twice")
            traits[name] = value
        return traits

    def add(self, shape):
        if shape.name in self.shapes:
            self.fail(f"{shape.name} is defined twice", shape.line)
        if shape.name in SIMPLE_TYPES:
            self.fail(f"{shape.name} is the name of a simple type", shape.line)
        self.shapes[shape.name] = shape
        return shape

    def member_block(self, shape):
        self.next("{")
        while not self.accept("}"):
            traits = self.traits()
            line = self.line()
            name = self.name()
            self.next(":")
            shape.members[name] = Member(name, self.name(), traits, line)

    def enum_block(self, shape):
        self.next("{")
        while not self.accept("}"):
            self.traits()
            name = self.name()
            shape.values.append((name, self.literal() if self.accept("=") else name))

    def operation_block(self, shape):
        self.next("{")
        while not self.accept("}"):
            key = self.name()
            if key in ("input", "output"):
                if self.accept(":="):
                    traits = self.traits()
                    inline = self.add(Shape("structure", shape.name + key.capitalize(), traits, self.line()))
                    self.member_block(inline)
                    shape.properties[key] = inline.name
                else:
                    self.next(":")
                    shape.properties[key] = self.name()
            elif key == "errors":
                self.next(":")
                shape.properties[key] = self.literal()
            else:
                self.fail(f"operations have no {key!r} in the subset")

    def service_block(self, shape):
        self.next("{")
        while not self.accept("}"):
            key = self.name()
            if key not in ("version", "operations", "errors"):
                self.fail(f"services have no {key!r} in the subset")
            self.next(":")
            shape.properties[key] = self.literal()

    def parse(self):
        while self.kind() != "end":
            if self.peek().startswith("$"):
                self.next()
                self.next(":")
                self.literal()
                continue
            if self.peek() == "namespace":
                self.next()
                self.name()
                continue
            traits = self.traits()
            line = self.line()
            keyword = self.name()
            if keyword in SIMPLE_KEYWORDS:
                self.add(Shape(SIMPLE_KEYWORDS[keyword], self.name(), traits, line))
                continue
            blocks = {"structure": self.member_block, "union": self.member_block, "list": self.member_block,
                      "map": self.member_block, "enum": self.enum_block, "operation": self.operation_block,
                      "service": self.service_block}
            if keyword not in blocks:
                self.fail(f"{keyword!r} is not in the subset", line)
            shape = self.add(Shape(keyword, self.name(), traits, line))
            blocks[keyword](shape)
        return self.shapes


class Model:
    """All shapes of a file, checked: every target exists, there is exactly one service."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            parser = Parser(file.read(), path)
        self.path = path
        self.shapes = parser.parse()
        services = [shape for shape in self.shapes.values() if shape.kind == "service"]
        if len(services) != 1:
            raise ModelError(f"{path}:1: a model has exactly one service")
        self.service = services[0]
        self.check()

    def fail(self, message, line):
        raise ModelError(f"{self.path}:{line}: {message}")

    def shape(self, name):
        """The shape of that name; simple types are shapes without traits."""
        if name in SIMPLE_TYPES:
            return Shape(name, name, {}, 0)
        return self.shapes[name]

    def check(self):
        for shape in self.shapes.values():
            wanted = {"list": {"member"}, "map": {"key", "value"}}.get(shape.kind)
            if wanted and set(shape.members) != wanted:
                self.fail(f"a {shape.kind} has {' and '.join(sorted(wanted))}", shape.line)
            for member in shape.members.values():
                if member.target not in SIMPLE_TYPES and member.target not in self.shapes:
                    self.fail(f"{shape.name}${member.name} refers to {member.target}, which is not defined", member.line)
            names = list(shape.properties.get("errors", [])) + list(shape.properties.get("operations", []))
            names += [shape.properties[key] for key in ("input", "output") if key in shape.properties]
            for name in names:
                if name not in self.shapes:
                    self.fail(f"{shape.name} refers to {name}, which is not defined", shape.line)
        for operation in self.operations() + self.refused_operations():
            if operation.kind != "operation":
                self.fail(f"{operation.name} is no operation", operation.line)
        for operation in self.refused_operations():
            if not operation.traits["unsupported"].get("reason"):
                self.fail(f"{operation.name} is refused without a reason", operation.line)
            if operation.properties:
                self.fail(f"{operation.name} is refused, whatever its shapes: it needs none", operation.line)

    def all_operations(self):
        return [self.shapes[name] for name in self.service.properties.get("operations", [])]

    def operations(self):
        """Those that a handler answers."""
        return [operation for operation in self.all_operations() if "unsupported" not in operation.traits]

    def refused_operations(self):
        """Those that AWS knows and we do not: @unsupported(reason: "...")."""
        return [operation for operation in self.all_operations() if "unsupported" in operation.traits]

    def errors(self):
        return [shape for shape in self.shapes.values() if "error" in shape.traits]

    def trait(self, member, name):
        """A trait of a member, or else of its target."""
        if name in member.traits:
            return member.traits[name]
        return self.shape(member.target).traits.get(name)
