"""Follows the changes of the table "orders": prints each one, and keeps a readable line of it in "orders-feed".

A stream delivers every change at least once, so the same change may come twice. The line's key is the order and the
change's sequence number: writing it again changes nothing.
"""
import os

import boto3

FEED = boto3.resource("dynamodb").Table(os.environ["FEED_TABLE"])


def handler(event, context):
    for record in event["Records"]:
        change = record["dynamodb"]
        order = change["Keys"]["order"]["S"]
        line = describe(record["eventName"], change.get("OldImage"), change.get("NewImage"))
        print(f"{order}: {line}")
        FEED.put_item(Item={
            "order": order,
            # Sequence numbers are whole numbers of up to 40 digits; padded, their text sorts as they do.
            "sequence": change["SequenceNumber"].zfill(40),
            "line": line,
        })


def describe(name, old, new):
    if name == "INSERT":
        return f"placed by {text(new, 'customer')} for {text(new, 'total')}"
    if name == "REMOVE":
        return "removed"
    changed = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
    return ", ".join(f"{key} {text(old, key)} -> {text(new, key)}" for key in changed)


def text(image, key):
    """An attribute's value without its type: {"S": "paid"} -> paid."""
    return next(iter(image[key].values())) if key in image else "(none)"
