"""Updates as lists of actions: random ones, as text, and what becomes of an item.

    ("set", path, operand) ("remove", path) ("add", path, value) ("delete", path, value)
    operands: ("path", path) ("value", value) ("plus", x, y) ("minus", x, y) ("append", x, y) ("if_missing", path, y)
"""
import copy

from oracle import values

MISSING = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
WRONG_PATH = "The document path provided in the update expression is invalid for update"


class Impossible(Exception):
    """The update cannot be carried out on this item; the argument is what AWS says."""


# --- meaning ---

def compute(operand, item):
    tag = operand[0]
    if tag == "value":
        return operand[1]
    if tag == "path":
        found = values.at(operand[1], item)
        if found is None:
            raise Impossible(MISSING)
        return found
    if tag == "if_missing":
        found = values.at(operand[1], item)
        return found if found is not None else compute(operand[2], item)
    left, right = compute(operand[1], item), compute(operand[2], item)
    wanted = "L" if tag == "append" else "N"
    if values.kind(left) != wanted or values.kind(right) != wanted:
        raise Impossible(WRONG_TYPE)
    if tag == "append":
        return {"L": values.content(left) + values.content(right)}
    return add_numbers(left, right, -1 if tag == "minus" else 1)


def complaints(operand, item):
    """All that is wrong with an operand; which of it AWS names first is not documented."""
    try:
        compute(operand, item)
        return set()
    except Impossible as error:
        found = {str(error)}
    for side in operand[1:] if operand[0] in ("plus", "minus", "append") else operand[2:]:
        if isinstance(side, tuple):
            found |= complaints(side, item)
            wanted = {"plus": "N", "minus": "N", "append": "L"}.get(operand[0])
            if wanted and not complaints(side, item) and values.kind(compute(side, item)) != wanted:
                found.add(WRONG_TYPE)
    return found


def add_numbers(left, right, sign=1):
    a, b = values.number(values.content(left)), values.number(values.content(right))
    try:
        return {"N": values.plain_text(values.kept(values.EXACT.add(a, b if sign > 0 else b.copy_negate())))}
    except values.Refused as refused:
        raise Impossible(str(refused)) from None


def changed(action, old, item):
    """The value at the action's path afterwards, None if there is none."""
    if action[0] == "remove":
        return None
    if action[0] == "set":
        return compute(action[2], item)
    operand = action[2]
    if old is None:
        return operand if action[0] == "add" else None
    if values.kind(old) != values.kind(operand):
        raise Impossible(WRONG_TYPE)
    if values.kind(operand) == "N":
        return add_numbers(old, operand)
    tag = values.kind(old)
    theirs = {values.canonical({tag[0]: element}) for element in values.content(operand)}
    own = [element for element in values.content(old) if values.canonical({tag[0]: element}) not in theirs]
    result = own + (values.content(operand) if action[0] == "add" else [])
    return {tag: result} if result else None


def apply(actions, item):
    """(the item afterwards, None), or (None, every message with which it may be refused)."""
    errors, results = set(), []
    for action in actions:
        try:
            parent = values.at(action[1][:-1], item) if len(action[1]) > 1 else {"M": item}
            wanted = "L" if isinstance(action[1][-1], int) else "M"
            if parent is None or values.kind(parent) != wanted:
                raise Impossible(WRONG_PATH)
            results.append((action[1], changed(action, values.at(action[1], item), item)))
        except Impossible as error:
            errors.add(str(error))
            if action[0] == "set":
                errors |= complaints(action[2], item)
    if errors:
        return None, errors
    after = copy.deepcopy({"M": item})
    # First what lies beyond the ends of lists, in order; then elements from behind, so that indexes stay those of the
    # item before.
    for path, result in sorted(results, key=lambda pair: [f"{step:09}" if isinstance(step, int) else step for step in pair[0]]):
        append(after, path, result, item)
    for path, result in sorted(results, key=lambda pair: [-step if isinstance(step, int) else 0 for step in pair[0]]):
        place(after, path, result, item)
    return after["M"], None


def is_beyond(path, item):
    return isinstance(path[-1], int) and path[-1] >= len(values.content(values.at(path[:-1], item)))


def container(after, path):
    inside = after
    for step in path[:-1]:
        inside = values.content(inside)[step]
    return values.content(inside)


def place(after, path, result, item):
    if is_beyond(path, item):
        return
    inside = container(after, path)
    if result is not None:
        inside[path[-1]] = result
    elif isinstance(path[-1], int):
        del inside[path[-1]]
    else:
        inside.pop(path[-1], None)


def append(after, path, result, item):
    if is_beyond(path, item) and result is not None:
        container(after, path).append(result)


# --- text ---

def update_text(actions, text):
    """As an UpdateExpression, with the sections in some order. `text` is a conditions.Text."""
    sections = {}
    for action in actions:
        sections.setdefault(action[0], []).append(action_text(action, text))
    order = list(sections)
    text.random.shuffle(order)
    return " ".join(f"{text.random.choice([name.upper(), name])} {', '.join(sections[name])}" for name in order)


def action_text(action, text):
    path = text.path(action[1])
    if action[0] == "remove":
        return path
    if action[0] == "set":
        return f"{path} = {operand_text(action[2], text)}"
    return f"{path} {text.value(action[2])}"


def operand_text(operand, text):
    tag = operand[0]
    if tag in ("value", "path"):
        return text.operand(operand)
    if tag == "if_missing":
        return f"if_not_exists({text.path(operand[1])}, {operand_text(operand[2], text)})"
    left, right = operand_text(operand[1], text), operand_text(operand[2], text)
    if tag == "append":
        return f"list_append({left}, {right})"
    return f"{left} {'+' if tag == 'plus' else '-'} {right}"


# --- random updates, none of which is refused for its text alone ---

def random_update(random):
    actions, taken = [], []
    for _ in range(random.randint(1, 4)):
        path = values.random_path(random)
        if any(clash(path, other) for other in taken):
            continue
        taken.append(path)
        actions.append(random_action(random, path))
    return actions


def clash(path, other):
    """One lies in the other, or one takes for a list what the other takes for a map."""
    for a, b in zip(path, other):
        if isinstance(a, int) != isinstance(b, int):
            return True
        if a != b:
            return False
    return True


def random_action(random, path):
    tag = random.choice(["set", "set", "set", "remove", "add", "delete"])
    if tag == "remove":
        return (tag, path)
    if tag == "set":
        return (tag, path, random_operand(random))
    kinds = ["SS", "NS", "BS"] + (["N", "N", "N"] if tag == "add" else [])
    return (tag, path, values.random_value(random, kinds=kinds))


def random_operand(random):
    choice = random.random()
    if choice < 0.4:
        return ("value", values.random_value(random))
    if choice < 0.55:
        return ("path", values.random_path(random))
    if choice < 0.75:
        return (random.choice(["plus", "minus"]), random_side(random, "N"), random_side(random, "N"))
    if choice < 0.85:
        return ("append", random_side(random, "L"), random_side(random, "L"))
    return ("if_missing", values.random_path(random), random_side(random, None))


def random_side(random, kind):
    """A value of the kind, a path, or if_not_exists() of both."""
    value = ("value", values.random_value(random, kinds=[kind] if kind else None))
    choice = random.random()
    if choice < 0.4:
        return value
    path = values.random_path(random)
    return ("path", path) if choice < 0.7 else ("if_missing", path, value)
