"""Adds up what comes within a window of time, and writes the totals down when the window ends.

One handler for both mappings: sales from a data stream, and changes of stock from a table's stream. Between the
invocations of a window Lambda keeps the state that the handler returns; when `isFinalInvokeForWindow` is set nothing
more comes, and the state is the window's result. Records that are replayed belong to no window any more: they are
written down at once.
"""
import base64
import json
import os

import boto3

# Sales of the new tills are in euros. The function learns of them late, as functions do.
READS_EUROS = os.environ.get("READS_EUROS") == "yes"

table = boto3.resource("dynamodb").Table(os.environ["TOTALS_TABLE"])


def handler(event, context):
    state = event.get("state") or {"totals": {}, "last": ""}
    for record in event["Records"]:
        name, amount = read(record)
        total = state["totals"].setdefault(name, {"amount": 0, "records": 0})
        total["amount"] += amount
        total["records"] += 1
        state["last"] = record["eventID"]
    is_over = "window" not in event or event["isFinalInvokeForWindow"] or event["isWindowTerminatedEarly"]
    if is_over:
        write_down(event, state)
    return {"state": state}


def read(record):
    """What the record counts for, and how much. A record that cannot be read raises: the mapping isolates it."""
    if record["eventSource"] == "aws:kinesis":
        sale = json.loads(base64.b64decode(record["kinesis"]["data"]))
        cents = round(float(sale["euros"]) * 100) if READS_EUROS and "euros" in sale else sale["cents"]
        return "sales/" + sale["shop"], cents
    change = record["dynamodb"]
    pieces = pieces_in(change.get("NewImage")) - pieces_in(change.get("OldImage"))
    return "stock/" + change["Keys"]["product"]["S"], pieces


def pieces_in(image):
    return int(image["pieces"]["N"]) if image else 0


def write_down(event, state):
    """Each shard has its own window, and one whose state became too large goes on with an empty one: so the shard and
    the last record are part of the key. Writing twice changes nothing; a final invocation may come again."""
    begin = f"{event['window']['start']}/{event['shardId']}" if "window" in event else "replayed"
    place = f"{begin}/{state['last']}"
    for name, total in state["totals"].items():
        table.put_item(Item={"name": name, "window": place, **total})
        print(f"{name} {place}: {total['amount']} in {total['records']} records")
