"""Python's values as DynamoDB's attribute values."""


def value(plain):
    """A Python value as an attribute value. int and float become N, bytes B, sets SS/NS/BS. A dict with one key that
    is a type name stays as it is: {"N": "1e3"}."""
    if isinstance(plain, dict) and len(plain) == 1 and next(iter(plain)) in (
            "S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"):
        return plain
    if plain is None:
        return {"NULL": True}
    if isinstance(plain, bool):
        return {"BOOL": plain}
    if isinstance(plain, str):
        return {"S": plain}
    if isinstance(plain, (int, float)):
        return {"N": str(plain)}
    if isinstance(plain, bytes):
        return {"B": plain}
    if isinstance(plain, set):
        some = next(iter(plain))
        if isinstance(some, str):
            return {"SS": sorted(plain)}
        if isinstance(some, bytes):
            return {"BS": sorted(plain)}
        return {"NS": sorted(map(str, plain))}
    if isinstance(plain, (list, tuple)):
        return {"L": [value(element) for element in plain]}
    return {"M": {key: value(element) for key, element in plain.items()}}


def item(**attributes):
    return {name: value(plain) for name, plain in attributes.items()}


def values(**attributes):
    """Expression attribute values: values(x=1) -> {":x": {"N": "1"}}."""
    return {":" + name: value(plain) for name, plain in attributes.items()}
