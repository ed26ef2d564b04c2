"""Random requests from the models: right ones, and ones in which a few things are wrong.

A value is what JSON has (dict, list, str, int, float, bool), bytes for a blob, and Seconds for a time. A member that is not
there is None, or no key at all.
"""
import copy

from . import texts
from .models import NUMBERS, is_custom, is_scalar

DEPTH_MAX = 5
ELEMENTS_MAX = 3
LONG_TEXT_MAX = 6000  # what is longer is not sent just to be too long
COUNT_BREAK_MAX = 120
BITS = {"Integer": 31, "Long": 63}


class Seconds(int):
    """A point in time, since 1970."""


def members_of(shape, model):
    """Those that a request may have: neither refused nor streams."""
    return {name: member for name, member in shape.members.items()
            if "unsupported" not in member.traits and "streaming" not in model.shape(member.target).traits}


class Maker:
    def __init__(self, chance, model):
        self.chance, self.model = chance, model

    def structure(self, shape, depth=0):
        found = {}
        for name, member in members_of(shape, self.model).items():
            likely = 0.3 if depth == 0 else 0.15
            if "required" in member.traits or "httpLabel" in member.traits or (
                    depth < DEPTH_MAX and self.chance.random() < likely):
                found[name] = self.member(member, depth + 1)
        if shape.kind == "union" and not found and shape.members:
            name = self.chance.choice(list(shape.members))
            found[name] = self.member(shape.members[name], depth + 1)
        return found

    def bounds(self, member, trait="length"):
        bounds = self.model.trait(member, trait) or {}
        return bounds.get("min"), bounds.get("max")

    def member(self, member, depth=0):
        shape = self.model.shape(member.target)
        if is_custom(shape):
            return self.custom(shape)
        if shape.kind in ("structure", "union"):
            return self.structure(shape, depth)
        if shape.kind in ("list", "map"):
            return self.collection(member, shape, depth)
        if shape.kind == "enum":
            return self.chance.choice(shape.values)[1]
        if shape.kind == "Boolean":
            return self.chance.random() < 0.5
        if shape.kind in NUMBERS:
            return self.number(member, shape)
        if shape.kind == "Timestamp":
            return Seconds(self.chance.randint(1_600_000_000, 1_800_000_000))
        if shape.kind == "Document":
            return {"any": "thing"}
        text = self.text(member)
        return text.encode() if shape.kind == "Blob" else text

    def custom(self, shape):
        return {"S": "x"} if shape.name == "AttributeValue" else {"id": {"S": "x"}}

    def collection(self, member, shape, depth):
        least, most = self.bounds(member)
        least, most = least or 0, ELEMENTS_MAX if most is None else min(most, ELEMENTS_MAX)
        count = self.chance.randint(least, max(least, most)) if depth < DEPTH_MAX else least
        if shape.kind == "list":
            return [self.member(shape.members["member"], depth + 1) for _ in range(count)]
        keys = [self.member(shape.members["key"], depth + 1) for _ in range(count)]
        return {key: self.member(shape.members["value"], depth + 1) for key in keys}

    def number(self, member, shape):
        least, most = self.bounds(member, "range")
        low = 0 if least is None else least
        number = self.chance.randint(low, low + 100 if most is None else most)
        return number if shape.kind in BITS else float(number)

    def text(self, member):
        least, most = self.bounds(member)
        if pattern := self.model.trait(member, "pattern"):
            found = texts.of_pattern(self.chance, pattern, least or 0, most)
            if found is not None:
                return found
        size = self.chance.randint(max(least or 0, 1), max(least or 0, min(most or 12, 12), 1))
        return "".join(self.chance.choice("abcdefghijkmnpqrstuvwxyz") for _ in range(size))


class Breaker:
    """Makes one thing wrong in a request, somewhere."""

    def __init__(self, chance, model):
        self.chance, self.model = chance, model

    def break_one(self, shape, request):
        """A copy of the request with something wrong in it, or None if this attempt found nothing to do."""
        request = copy.deepcopy(request)
        places = list(self.places(shape, request))
        if not places:
            return None
        holder, key, member, can_lack = self.chance.choice(places)
        ways = self.ways(member, holder.get(key) if isinstance(holder, dict) else holder[key])
        if can_lack:
            ways.append(None)
        if not ways:
            return None
        way = self.chance.choice(ways)
        if way is None:
            del holder[key]
        else:
            holder[key] = way()
        return request

    def places(self, shape, found):
        """(dict or list, key, member, whether leaving it out is wrong) of everything within a structure."""
        for name, member in members_of(shape, self.model).items():
            if name not in found:
                continue
            is_label = "httpLabel" in member.traits
            yield found, name, member, "required" in member.traits and not is_label
            yield from self.within(member, found[name])

    def within(self, member, value):
        shape = self.model.shape(member.target)
        if is_custom(shape):
            return
        if shape.kind in ("structure", "union"):
            yield from self.places(shape, value)
        elif shape.kind in ("list", "map"):
            element = shape.members["member" if shape.kind == "list" else "value"]
            for key in range(len(value)) if shape.kind == "list" else list(value):
                yield value, key, element, False
                yield from self.within(element, value[key])

    def ways(self, member, value):
        shape = self.model.shape(member.target)
        if is_custom(shape):
            return []
        trait = lambda name: self.model.trait(member, name) or {}
        ways = []
        if shape.kind == "enum":
            ways.append(lambda: "nonesuch")
        if shape.kind in NUMBERS and (within := trait("range")):
            limit = 1 << BITS.get(shape.kind, 31)
            make = float if shape.kind not in BITS else int
            if "min" in within and within["min"] - 1 >= -limit:
                ways.append(lambda: make(within["min"] - 1))
            if "max" in within and within["max"] + 1 < limit:
                ways.append(lambda: make(within["max"] + 1))
        bounds = trait("length")
        if shape.kind in ("list", "map"):
            if bounds.get("min", 0) > 0:
                ways.append(lambda: type(value)())
            if value and bounds.get("max", COUNT_BREAK_MAX) < COUNT_BREAK_MAX:
                ways.append(lambda: self.too_many(shape, value, bounds["max"] + 1))
        if shape.kind in ("String", "Blob"):
            as_kind = (lambda text: text.encode()) if shape.kind == "Blob" else (lambda text: text)
            is_label = "httpLabel" in member.traits
            if bounds.get("min", 0) > (1 if is_label else 0):
                ways.append(lambda: as_kind("a" * (bounds["min"] - 1)))
            if bounds.get("max", LONG_TEXT_MAX) < LONG_TEXT_MAX:
                ways.append(lambda: as_kind("a" * (bounds["max"] + 1)))
            if trait("pattern"):
                ways.append(lambda: as_kind("!{no}"))
        return ways

    def too_many(self, shape, value, count):
        if shape.kind == "list":
            return [copy.deepcopy(value[0]) for _ in range(count)]
        one = next(iter(value.values()))
        return {f"key{number}": copy.deepcopy(one) for number in range(count)}


def pruned(value):
    """Without what forms cannot say: empty lists, maps and structures."""
    if isinstance(value, dict):
        kept = {key: pruned(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each not in ({}, [], None)}
    if isinstance(value, list):
        return [each for each in map(pruned, value) if each not in ({}, [], None)]
    return value


def is_worth_breaking(shape, model, seen=()):
    """Whether something in a structure has a constraint at all."""
    for member in members_of(shape, model).values():
        target = model.shape(member.target)
        if "required" in member.traits and "httpLabel" not in member.traits:
            return True
        if any(model.trait(member, name) for name in ("length", "range", "pattern")) or target.kind == "enum":
            return True
        inner = [target] if target.kind in ("structure", "union") else [
            model.shape(each.target) for each in target.members.values() if target.kind in ("list", "map")]
        for each in inner:
            if each.name not in seen and not is_scalar(each) and is_worth_breaking(each, model, (*seen, each.name)):
                return True
    return False
