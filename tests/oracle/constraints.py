"""What AWS says of a request that violates constraints of its model, worked out from the model and the request alone."""
import json

from . import texts
from .models import NUMBERS, is_custom, is_scalar

LISTED_MAX = 10
NOT_NULL = "Member must not be null"


def java_text(value):
    """How Java prints a scalar."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


class Path:
    """Where a value stands: with members' small first letters, and as the model declares them."""
    def __init__(self, small, declared):
        self.small, self.declared = small, declared

    @staticmethod
    def of_member(parent, name):
        small = name[0].lower() + name[1:]
        return Path(f"{parent.small}.{small}", f"{parent.declared}.{name}") if parent else Path(small, name)

    def inside(self, key):
        return Path(f"{self.small}.{key}.member", f"{self.declared}.{key}.member")


class Judge:
    def __init__(self, operation):
        self.model = operation.model
        self.hides_collections = "hideCollections" in operation.traits
        self.terse = "terseConstraints" in operation.traits
        self.found = []

    def trait(self, member, name):
        return self.model.trait(member, name)

    # ---- One violation ----

    def add(self, path, shown, constraint):
        value = "" if shown is None else f" '{shown}'"
        path = path.declared if self.terse and shown is None else path.small
        self.found.append(f"Value{value} at '{path}' failed to satisfy constraint: {constraint}")

    def text_constraints(self, member, value):
        """Of a text or blob: those that it violates, in the order in which AWS tells them."""
        shape = self.model.shape(member.target)
        length, pattern = self.trait(member, "length") or {}, self.trait(member, "pattern")
        most = self.trait(member, "orArn")
        if shape.kind == "String" and most and value.startswith("arn:"):
            return [length_most(most)] if len(value) > most else []
        if shape.kind == "String" and most and not value:
            return [length_least(1)]
        found = []
        if shape.kind == "enum" and value not in [name for _, name in shape.values]:
            found.append(self.enum_text(shape))
        if pattern and not texts.fits(pattern, java_text(value)):
            found.append(f"Member must satisfy regular expression pattern: {pattern}")
        if len(value) < length.get("min", 0):
            found.append(length_least(length["min"]))
        if "max" in length and len(value) > length["max"]:
            found.append(length_most(length["max"]))
        return found

    @staticmethod
    def enum_text(shape):
        return f"Member must satisfy enum value set: [{', '.join(value for _, value in shape.values)}]"

    def number_constraints(self, member, value):
        bounds = self.trait(member, "range") or {}
        if "min" in bounds and value < bounds["min"]:
            return [f"Member must have value greater than or equal to {bounds['min']}"]
        if "max" in bounds and value > bounds["max"]:
            return [f"Member must have value less than or equal to {bounds['max']}"]
        return []

    def scalar_constraints(self, member, value):
        kind = self.model.shape(member.target).kind
        if kind in ("String", "Blob", "enum"):
            return self.text_constraints(member, value)
        return self.number_constraints(member, value) if kind in NUMBERS else []

    def all_constraints(self, member):
        """What is said of a collection with an element or key that violates any of these."""
        shape, found = self.model.shape(member.target), []
        length = self.trait(member, "length") or {}
        if "max" in length:
            found.append(length_most(length["max"]))
        if "max" in length or length.get("min", 0) > 0:
            found.append(length_least(length.get("min", 0)))
        bounds = self.trait(member, "range") or {} if shape.kind in NUMBERS else {}
        if "max" in bounds:
            found.append(f"Member must have value less than or equal to {bounds['max']}")
        if "min" in bounds:
            found.append(f"Member must have value greater than or equal to {bounds['min']}")
        if pattern := self.trait(member, "pattern"):
            found.append(f"Member must satisfy regular expression pattern: {pattern}")
        if shape.kind == "enum":
            found.append(self.enum_text(shape))
        return "[" + ", ".join(found if self.terse else [*found, NOT_NULL]) + "]"

    # ---- The walk ----

    def structure(self, shape, value, path=None):
        for name, member in shape.members.items():
            at = Path.of_member(path, name)
            if "unsupported" in member.traits or "streaming" in self.model.shape(member.target).traits:
                continue
            if value.get(name) is None:
                if "required" in member.traits:
                    self.found.append(f"Value null at '{at.small}' failed to satisfy constraint: {NOT_NULL}")
            else:
                self.member(member, value[name], at)

    def member(self, member, value, path):
        shape = self.model.shape(member.target)
        if is_custom(shape):
            return
        if shape.kind in ("structure", "union"):
            self.structure(shape, value, path)
        elif shape.kind in ("list", "map"):
            self.collection(member, shape, value, path)
        else:
            for constraint in self.scalar_constraints(member, value):
                self.add(path, self.shown(member, shape, value), constraint)

    def shown(self, member, shape, value):
        if self.trait(member, "sensitive") or (self.terse and shape.kind in NUMBERS):
            return None
        if shape.kind == "Blob":
            return f"java.nio.HeapByteBuffer[pos=0 lim={len(value)} cap={len(value)}]"
        return java_text(value)

    def shown_collection(self, shape, value, sensitive):
        element = shape.members["member" if shape.kind == "list" else "value"]
        if sensitive or self.terse or (self.hides_collections and value):
            return None
        if value and not is_scalar(self.model.shape(element.target)):
            return None
        if shape.kind == "list":
            return "[" + ", ".join(map(java_text, value)) + "]"
        return "{" + ", ".join(f"{key}={java_text(value[key])}" for key in sorted(value)) + "}"

    def as_json(self, shape, value):
        return json.dumps(self.in_order(shape, value), separators=(",", ":"), ensure_ascii=False)

    def in_order(self, shape, value):
        """As the server writes it: members in the model's order."""
        if is_custom(shape) or is_scalar(shape):
            return value
        if shape.kind == "list":
            element = self.model.shape(shape.members["member"].target)
            return [self.in_order(element, each) for each in value]
        if shape.kind == "map":
            element = self.model.shape(shape.members["value"].target)
            return {key: self.in_order(element, value[key]) for key in sorted(value)}
        return {name: self.in_order(self.model.shape(member.target), value[name])
                for name, member in shape.members.items() if value.get(name) is not None}

    def collection(self, member, shape, value, path):
        length = self.trait(member, "length") or {}
        shown = self.shown_collection(shape, value, self.trait(member, "sensitive"))
        if len(value) < length.get("min", 0):
            self.add(path, shown, length_least(length["min"]))
        elif "max" in length and len(value) > length["max"]:
            self.add(path, shown, length_most(length["max"]))
        if shape.kind == "map" and any(self.text_constraints(shape.members["key"], key) for key in value):
            sensitive = self.trait(shape.members["key"], "sensitive")
            structures = self.model.shape(shape.members["value"].target).kind == "structure"
            shown = self.as_json(shape, value) if self.terse and structures else self.shown_collection(shape, value, sensitive)
            self.add(path, shown,
                     "Map keys must satisfy constraint: " + self.all_constraints(shape.members["key"]))
        self.elements(shape, value, path)

    def elements(self, shape, value, path):
        element = shape.members["member" if shape.kind == "list" else "value"]
        target = self.model.shape(element.target)
        if is_custom(target):
            return
        entries = list(enumerate(value, 1)) if shape.kind == "list" else sorted(value.items())
        if is_scalar(target):
            if any(self.scalar_constraints(element, each) for _, each in entries):
                whole = "Member" if shape.kind == "list" else "Map value"
                shown = self.shown_collection(shape, value, self.trait(element, "sensitive"))
                self.add(path, shown, f"{whole} must satisfy constraint: {self.all_constraints(element)}")
            return
        if self.terse and shape.kind == "map" and target.kind == "list" and value and not any(value.values()):
            length = self.trait(element, "length") or {}
            if length.get("min"):
                shown = "{" + ", ".join(f"{key}=[]" for key in sorted(value)) + "}"
                return self.add(path, shown, "Map value must satisfy constraint: "
                                             f"[{length_most(length['max'])}, {length_least(length['min'])}]")
        for key, each in entries:
            self.member(element, each, path.inside(key))


def length_least(size):
    return f"Member must have length greater than or equal to {size}"


def length_most(size):
    return f"Member must have length less than or equal to {size}"


def message_for(operation, request):
    """The message of the refusal, or None if nothing is violated."""
    judge = Judge(operation)
    judge.structure(operation.input, request)
    if not judge.found:
        return None
    count = min(len(judge.found), LISTED_MAX)
    errors = "1 validation error" if count == 1 else f"{count} validation errors"
    return f"{errors} detected: " + "; ".join(judge.found[:LISTED_MAX])
