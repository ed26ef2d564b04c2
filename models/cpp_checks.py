"""The part of <service>.cc that says constraints: rules, and which members have something to check in them."""

from cpp import quoted

NUMBERS = ("Integer", "Long", "Float", "Double")


class Checks:
    def __init__(self, model, types):
        self.model = model
        self.types = types
        self.lines = []
        self.rule_names = {}
        self.patterns = {}

    def own_rule(self, member):
        trait = lambda name: self.model.trait(member, name)
        kind = self.model.shape(member.target).kind
        return bool(trait("length") or trait("range") or trait("pattern") or kind == "enum")

    def checked(self, member):
        """Whether a value of the member can violate something."""
        return self.own_rule(member) or self.needed(member.target)

    def needed(self, name, under_way=()):
        """Whether something inside a value of the shape can violate something."""
        if name in under_way or self.types.custom(name):
            return False
        shape = self.model.shape(name)
        under_way = (*under_way, name)
        for member in shape.members.values():
            if "unsupported" in member.traits or self.types.is_stream(member.target):
                continue
            if "required" in member.traits or self.own_rule(member) or self.needed(member.target, under_way):
                return True
        return False

    def pattern(self, text):
        if text not in self.patterns:
            self.patterns[text] = f"pattern_{len(self.patterns)}"
            self.lines.append(f"constinit wire::Pattern {self.patterns[text]}({quoted(text)});")
        return self.patterns[text]

    def rule(self, member):
        """(field of Member, name of the rule) that a member's own constraints make, or None."""
        if not self.own_rule(member) or self.types.custom(member.target):
            return None
        shape = self.model.shape(member.target)
        fields = []
        kind = shape.kind
        if kind not in ("String", "enum", "Blob", "list", "map", *NUMBERS):
            return None
        if length := self.model.trait(member, "length"):
            fields += [f".{key} = {length[key]}" for key in ("min", "max") if key in length]
        if kind in NUMBERS and (bounds := self.model.trait(member, "range")):
            fields += [f".{key} = {bounds[key]}" for key in ("min", "max") if key in bounds]
        if pattern := self.model.trait(member, "pattern"):
            fields.append(f".pattern = &{self.pattern(pattern)}")
        if kind == "enum":
            fields.append(f".values = values_{shape.name}")
        what = {"list": "Count", "map": "Count"}.get(kind, "Number" if kind in NUMBERS else "Text")
        if self.model.trait(member, "sensitive"):
            fields.append(".sensitive = true")
        if kind == "Blob":
            fields.append(".blob = true")
        if kind == "String" and (arn_max := self.model.trait(member, "orArn")):
            fields.append(f".arn_max = {arn_max}")
        if "terseConstraints" in self.model.service.traits:
            fields.append(".terse = true")
        text = f"{what}Rule{{{', '.join(fields)}}}"
        if text not in self.rule_names:
            name = f"rule_{len(self.rule_names)}"
            self.rule_names[text] = name
            self.lines.append(f"constexpr wire::{what}Rule {name}{{{', '.join(fields)}}};")
        return f"{what.lower()}_rule", self.rule_names[text]
