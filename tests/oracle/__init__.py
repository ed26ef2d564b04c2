"""A second opinion on DynamoDB's expressions and numbers, written from the developer guide and without a look at the
server: plain Python over decimal.Decimal. It makes random items and expressions as trees, writes them as text for the
server, and works out from the tree what must come of it.

And a second opinion on every operation of every service: models.py reads the API shapes, requests.py makes requests of
them at random, right and wrong ones (texts.py: texts that fit a pattern), constraints.py works out what AWS says of the wrong
ones, wire_forms.py writes them in each protocol, and rules.py says once what holds for every answer.

Of expressions, start with values.py (attribute values), then conditions.py and updates.py. Everything random comes from the
random.Random that is handed in, so a seed repeats a run.
"""
