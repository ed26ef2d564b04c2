"""Conditions and filters as trees of tuples: random ones, as text, and what they mean for an item.

    ("and", a, b) ("or", a, b) ("not", a)
    ("compare", "<", x, y) ("between", x, low, high) ("in", x, [y, …])
    ("call", "contains", x, y)                          also attribute_exists and the others
    operands: ("path", ["a", "x", 0]) ("value", {"N": "1"}) ("size", operand)
"""
from oracle import values

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
TYPES = ("S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS")


# --- meaning ---

def resolve(operand, item):
    tag, inside = operand
    if tag == "path":
        return values.at(inside, item)
    if tag == "value":
        return inside
    found = resolve(inside, item)
    length = values.size(found) if found is not None else None
    return {"N": str(length)} if length is not None else None


def holds(tree, item):
    tag = tree[0]
    if tag == "and":
        return holds(tree[1], item) and holds(tree[2], item)
    if tag == "or":
        return holds(tree[1], item) or holds(tree[2], item)
    if tag == "not":
        return not holds(tree[1], item)
    if tag == "compare":
        return compares(tree[1], resolve(tree[2], item), resolve(tree[3], item))
    if tag == "between":
        found, low, high = (resolve(operand, item) for operand in tree[1:])
        return compares(">=", found, low) and compares("<=", found, high)
    if tag == "in":
        found = resolve(tree[1], item)
        return any(compares("=", found, resolve(candidate, item)) for candidate in tree[2])
    return called(tree[1], [resolve(operand, item) for operand in tree[2:]])


def compares(operator, a, b):
    if a is None or b is None:
        return operator == "<>"
    if operator in ("=", "<>"):
        return values.equal(a, b) == (operator == "=")
    order = values.order(a, b)
    if order is None:
        return False
    return {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[operator]


def called(function, operands):
    first = operands[0]
    if function == "attribute_exists":
        return first is not None
    if function == "attribute_not_exists":
        return first is None
    if first is None or operands[1] is None:
        return False
    second = operands[1]
    if function == "attribute_type":
        return values.kind(first) == values.content(second)
    if function == "begins_with":
        return values.kind(first) == values.kind(second) and values.kind(first) in ("S", "B") and \
            values.content(first).startswith(values.content(second))
    return contains(first, second)


def contains(container, wanted):
    tag, inside = values.kind(container), values.content(container)
    if tag in ("S", "B"):
        return values.kind(wanted) == tag and values.content(wanted) in inside
    if tag in ("SS", "NS", "BS"):
        return values.kind(wanted) == tag[0] and any(
            values.equal({tag[0]: element}, wanted) for element in inside)
    return tag == "L" and any(values.equal(element, wanted) for element in inside)


# --- text ---

class Text:
    """Writes trees with placeholders; `parameters` are what the request needs beside the text."""

    def __init__(self, random):
        self.random = random
        self.names, self.values = {}, {}

    def parameters(self):
        more = {}
        if self.names:
            more["ExpressionAttributeNames"] = self.names
        if self.values:
            more["ExpressionAttributeValues"] = self.values
        return more

    def value(self, value):
        for placeholder, known in self.values.items():
            if known == value and self.random.random() < 0.5:
                return placeholder
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = value
        return placeholder

    def path(self, path):
        text = ""
        for step in path:
            if isinstance(step, int):
                text += f"[{step}]"
                continue
            if self.random.random() < 0.3:
                placeholder = f"#n{len(self.names)}"
                self.names[placeholder] = step
                step = placeholder
            text += ("." if text else "") + step
        return text

    def operand(self, operand):
        tag, inside = operand
        if tag == "size":
            return f"size({self.operand(inside)})"
        return self.path(inside) if tag == "path" else self.value(inside)

    def condition(self, tree, binding=0):
        """`binding`: how tightly the surroundings bind: 1 OR, 2 AND, 3 NOT."""
        tag = tree[0]
        if tag in ("and", "or"):
            own = 2 if tag == "and" else 1
            word = self.random.choice([tag.upper(), tag])
            # The right side is written one tighter, so that the text groups as the tree does.
            text = f"{self.condition(tree[1], own)} {word} {self.condition(tree[2], own + 1)}"
            return f"({text})" if binding > own else text
        if tag == "not":
            return f"NOT {self.condition(tree[1], 3)}"
        if tag == "compare":
            return f"{self.operand(tree[2])} {tree[1]} {self.operand(tree[3])}"
        if tag == "between":
            return f"{self.operand(tree[1])} BETWEEN {self.operand(tree[2])} AND {self.operand(tree[3])}"
        if tag == "in":
            return f"{self.operand(tree[1])} IN ({', '.join(self.operand(candidate) for candidate in tree[2])})"
        return f"{tree[1]}({', '.join(self.operand(operand) for operand in tree[2:])})"


# --- random trees, none of which is refused for its text alone ---

def random_condition(random, depth=3):
    if depth > 0 and random.random() < 0.6:
        tag = random.choice(["and", "or", "not"])
        inner = [random_condition(random, depth - 1) for _ in range(1 if tag == "not" else 2)]
        return (tag, *inner)
    first = ("path", values.random_path(random))
    choice = random.random()
    if choice < 0.4:
        return random_comparison(random, first)
    if choice < 0.5:
        low, high = bounds(random)
        return ("between", first, ("value", low), ("value", high))
    if choice < 0.6:
        return ("in", first, [("value", values.random_value(random)) for _ in range(random.randint(1, 4))])
    function = random.choice(["attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains",
                              "contains"])
    if function == "attribute_type":
        return ("call", function, first, ("value", {"S": random.choice(TYPES)}))
    if function == "begins_with":
        return ("call", function, first, ("value", values.random_value(random, kinds=["S", "B"])))
    if function == "contains":
        return ("call", function, first, random_operand(random, first))
    return ("call", function, first)


def random_comparison(random, first):
    operator = random.choice(COMPARISONS)
    if random.random() < 0.15:
        return ("compare", operator, ("size", first), ("value", {"N": str(random.randint(0, 4))}))
    kinds = None if operator in ("=", "<>") else list(values.ORDERED)
    second = random_operand(random, first, kinds)
    return ("compare", operator, *random.choice([(first, second), (second, first)]))


def random_operand(random, other, kinds=None):
    if random.random() < 0.2:
        path = ("path", values.random_path(random))
        if path != other:
            return path
    return ("value", values.random_value(random, kinds=kinds))


def bounds(random):
    kinds = [random.choice(values.ORDERED)]
    return sorted((values.random_value(random, kinds=kinds) for _ in range(2)), key=values.sort_key)
