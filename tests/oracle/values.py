"""Attribute values as botocore has them, {"N": "1"}: equality, order, sizes, numbers; and random ones."""
import decimal

DIGITS_MAX = 38
EXPONENT_MAX = 125  # of the first digit
EXPONENT_MIN = -130
EXACT = decimal.Context(prec=400, Emin=-9999, Emax=9999, traps=[decimal.Inexact, decimal.InvalidOperation])
ORDERED = ("S", "N", "B")


class Refused(Exception):
    """The number cannot be kept; the argument is the beginning of AWS's message."""


def number(text):
    """The Decimal that the text means. Refused where DynamoDB cannot hold it."""
    return kept(EXACT.create_decimal(text))


def kept(result):
    if result == 0:
        return decimal.Decimal(0)
    if result.adjusted() > EXPONENT_MAX:
        raise Refused("Number overflow")
    if result.adjusted() < EXPONENT_MIN:
        raise Refused("Number underflow")
    if len(result.normalize(EXACT).as_tuple().digits) > DIGITS_MAX:
        raise Refused("Number overflow")  # of a sum; AWS calls it so
    return result


def plain_text(result):
    """As DynamoDB returns it: never scientific, no zeros that say nothing."""
    text = format(result, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    negative = text.startswith("-")
    text = text.lstrip("-").lstrip("0") or "0"
    text = "0" + text if text.startswith(".") else text
    return "-" + text if negative and text != "0" else text


def kind(value):
    return next(iter(value))


def content(value):
    return next(iter(value.values()))


def canonical(value):
    """Equal for equal values, and hashable."""
    tag, inside = kind(value), content(value)
    if tag == "N":
        return tag, number(inside)
    if tag == "NS":
        return tag, frozenset(number(text) for text in inside)
    if tag in ("SS", "BS"):
        return tag, frozenset(inside)
    if tag == "L":
        return tag, tuple(canonical(element) for element in inside)
    if tag == "M":
        return tag, frozenset((name, canonical(member)) for name, member in inside.items())
    return tag, inside


def equal(a, b):
    return canonical(a) == canonical(b)


def order(a, b):
    """-1, 0, 1, or None where there is no order."""
    if kind(a) != kind(b) or kind(a) not in ORDERED:
        return None
    left, right = (sort_key(a), sort_key(b))
    return (left > right) - (left < right)


def sort_key(value):
    tag, inside = kind(value), content(value)
    return number(inside) if tag == "N" else inside.encode() if tag == "S" else inside


def size(value):
    """What size() gives, or None."""
    tag, inside = kind(value), content(value)
    if tag == "S":
        return len(inside.encode("utf-16-le")) // 2
    return None if tag in ("N", "BOOL", "NULL") else len(inside)


def at(path, item):
    """What stands at the path, e.g. ["a", "x", 0], or None."""
    found = {"M": item}
    for step in path:
        wanted = "L" if isinstance(step, int) else "M"
        if kind(found) != wanted:
            return None
        inside = content(found)
        if isinstance(step, int):
            if step >= len(inside):
                return None
            found = inside[step]
        else:
            if step not in inside:
                return None
            found = inside[step]
    return found


# --- random values ---

NAMES = ["aa", "bb", "cc", "dd", "ee", "ff"]
MEMBERS = ["xx", "yy", "zz"]
TEXTS = ["", "a", "ab", "abc", "b", "ba", "é", "éa", "🦊", "z"]
BYTES = [b"", b"\x00", b"\x00\x01", b"\x01", b"\xff", b"\x80\x00"]
NUMBERS = ["0", "1", "2", "-1", "1.5", "10", "1e2", "-0.5", "3", "100.0"]


def random_value(random, depth=2, kinds=None):
    tag = random.choice(kinds or ["S", "S", "N", "N", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"])
    if tag == "S":
        return {"S": random.choice(TEXTS)}
    if tag == "N":
        return {"N": random.choice(NUMBERS)}
    if tag == "B":
        return {"B": random.choice(BYTES)}
    if tag == "BOOL":
        return {"BOOL": random.random() < 0.5}
    if tag == "NULL":
        return {"NULL": True}
    if tag == "SS":
        return {"SS": random.sample(TEXTS[1:], random.randint(1, 3))}
    if tag == "NS":
        distinct = {number(text): text for text in random.sample(NUMBERS, random.randint(1, 3))}
        return {"NS": list(distinct.values())}
    if tag == "BS":
        return {"BS": random.sample(BYTES[1:], random.randint(1, 3))}
    inner = None if depth > 0 else ["S", "N", "BOOL"]
    if tag == "L":
        return {"L": [random_value(random, depth - 1, inner) for _ in range(random.randint(0, 3))]}
    return {"M": {name: random_value(random, depth - 1, inner) for name in random.sample(MEMBERS, random.randint(0, 3))}}


def random_item(random, **key):
    item = {name: random_value(random) for name in NAMES if random.random() < 0.7}
    item.update(key)
    return item


def random_path(random, depth=2):
    path = [random.choice(NAMES)]
    while len(path) <= depth and random.random() < 0.35:
        path.append(random.choice(MEMBERS) if random.random() < 0.5 else random.randint(0, 3))
    return path


def random_number(random):
    """Text of a number that DynamoDB can hold, in one of many spellings."""
    digits = random.choice([1, 2, 5, 18, 37, 38])
    text = str(random.randint(1, 10 ** digits - 1))
    first = random.choice([random.randint(-5, 20), random.randint(-5, 20), random.randint(-129, 124), 125, -130])
    sign = random.choice(["", "-", "+"])
    if random.random() < 0.3:
        text = text[0] + "." + text[1:] if len(text) > 1 else text
        return f"{sign}{text}{random.choice('eE')}{first}"
    return f"{sign}{random.choice(['', '0', '000'])}{text}e{first - len(text) + 1}"
