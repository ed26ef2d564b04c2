"""A second opinion on DynamoDB's expressions and numbers, written from the developer guide and without a look at the
server: plain Python over decimal.Decimal. It makes random items and expressions as trees, writes them as text for the
server, and works out from the tree what must come of it.

Start with values.py (attribute values), then conditions.py and updates.py. Everything random comes from the
random.Random that is handed in, so a seed repeats a run.
"""
