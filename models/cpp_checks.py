"""The part of <service>.cc that checks constraints: rule tables and one check_… function per structure that has any."""

from cpp import lower_first, quoted

NUMBERS = ("Integer", "Long", "Float", "Double")


class Checks:
    def __init__(self, model, types):
        self.model = model
        self.types = types
        self.rule_lines = []
        self.rule_names = {}
        self.patterns = {}
        self.enums = {}

    # ---- Which shapes have something to check ----

    def own_rule(self, member):
        trait = lambda name: self.model.trait(member, name)
        kind = self.model.shape(member.target).kind
        return bool(trait("length") or trait("range") or trait("pattern") or kind == "enum")

    def needed(self, name, under_way=()):
        """Whether a value of the shape can violate something."""
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

    # ---- Rule tables ----

    def rules(self):
        return self.rule_lines

    def pattern(self, text):
        if text not in self.patterns:
            self.patterns[text] = f"pattern_{len(self.patterns)}"
            self.rule_lines.append(f"constinit Pattern {self.patterns[text]}({quoted(text)});")
        return self.patterns[text]

    def enum(self, shape):
        if shape.name not in self.enums:
            self.enums[shape.name] = f"kValuesOf{shape.name}"
            values = ", ".join(quoted(value) for _, value in shape.values)
            self.rule_lines.append(f"constexpr std::string_view kValuesOf{shape.name}[] = {{{values}}};")
        return self.enums[shape.name]

    def rule(self, member):
        """The name of the rule that a member's own constraints make, or None."""
        if not self.own_rule(member):
            return None
        shape = self.model.shape(member.target)
        fields = []
        kind = shape.kind
        if length := self.model.trait(member, "length"):
            for key in ("min", "max"):
                if key in length:
                    fields.append(f".{key} = {length[key]}")
        if kind in NUMBERS and (bounds := self.model.trait(member, "range")):
            for key in ("min", "max"):
                if key in bounds:
                    fields.append(f".{key} = {bounds[key]}")
        if pattern := self.model.trait(member, "pattern"):
            fields.append(f".pattern = &{self.pattern(pattern)}")
        if kind == "enum":
            fields.append(f".values = {self.enum(shape)}")
        type_name = {"list": "CountRule", "map": "CountRule"}.get(kind, "NumberRule" if kind in NUMBERS else "TextRule")
        if "sensitive" in member.traits or "sensitive" in shape.traits:
            fields.append(".sensitive = true")
        if kind == "Blob":
            fields.append(".blob = true")
        text = f"{type_name}{{{', '.join(fields)}}}"
        if text not in self.rule_names:
            name = f"kRule{len(self.rule_names)}"
            self.rule_names[text] = name
            self.rule_lines.append(f"constexpr {type_name} {name}{{{', '.join(fields)}}};")
        return self.rule_names[text]

    # ---- Functions ----

    def check(self, member, value, path, depth):
        """Statements that check `value`, which is there."""
        target = member.target
        if self.types.custom(target):
            return []
        shape = self.model.shape(target)
        indent = "  " * depth
        rule = self.rule(member)
        if shape.kind in ("String", "enum", "Blob") or shape.kind in NUMBERS:
            return [f"{indent}shapes::check({value}, {rule}, {path}, out);"] if rule else []
        lines = []
        if shape.kind in ("structure", "union"):
            return [f"{indent}check_{target}({value}, &{path}, out);"] if self.needed(target) else []
        if shape.kind not in ("list", "map"):
            return []
        if rule:
            lines.append(f"{indent}shapes::check_count({value}, {rule}, {path}, out);")
        if shape.kind == "map" and (key_rule := self.rule(shape.members["key"])):
            lines.append(f"{indent}shapes::check_keys({value}, {key_rule}, {path}, out);")
        element = shape.members["member" if shape.kind == "list" else "value"]
        if self.types.is_scalar(element.target):
            if element_rule := self.rule(element):
                lines.append(f"{indent}shapes::check_elements({value}, {element_rule}, {path}, out);")
            return lines
        inner = self.check(element, f"element{depth}", f"at{depth}", depth + 1)
        if not inner:
            return lines
        if shape.kind == "list":
            lines += [f"{indent}for (size_t i{depth} = 0; i{depth} < {value}.size(); ++i{depth}) {{",
                      f"{indent}  const auto& element{depth} = {value}[i{depth}];",
                      f"{indent}  const Path index{depth}(&{path}, i{depth} + 1);"]
        else:
            lines += [f"{indent}for (const auto& [key{depth}, element{depth}] : {value}) {{",
                      f"{indent}  const Path index{depth}(&{path}, key{depth});"]
        lines += [f'{indent}  const Path at{depth}(&index{depth}, "member");', *inner, f"{indent}}}"]
        return lines

    def structure(self, shape):
        lines = [f"void check_{shape.name}(const {shape.name}& in, const Path* parent, Violations& out) {{"]
        for member, name, _, bit in self.types.members(shape):
            path = f"Path(parent, {quoted(lower_first(member.name))})"
            if bit is not None:
                inner = self.check(member, f"in.{name}", "at", 2)
                lines.append(f"  if (in.missing_required & {1 << bit:#x}) {{")
                lines.append(f"    out.add_missing({path});")
                if inner:
                    lines += ["  } else {", f"    const {path.replace('Path(', 'Path at(', 1)};", *inner]
                lines.append("  }")
            else:
                inner = self.check(member, f"(*in.{name})", "at", 2)
                if inner:
                    lines += [f"  if (in.{name}) {{", f"    const {path.replace('Path(', 'Path at(', 1)};", *inner, "  }"]
        return lines + ["}", ""]

    def functions(self, roots):
        names = self.types.reachable(roots)
        shapes = [shape for name, shape in self.model.shapes.items()
                  if name in names and shape.kind in ("structure", "union") and self.needed(name)]
        lines = [f"void check_{s.name}(const {s.name}& in, const Path* parent, Violations& out);" for s in shapes]
        lines.append("")
        for shape in shapes:
            lines += self.structure(shape)
        return lines
