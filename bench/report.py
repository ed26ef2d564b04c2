"""The one table of a run: each line with its floor, the ratio, and what is expected of it."""


class Report:
    def __init__(self):
        self.lines = []
        self.comparisons = []  # with other systems
        self.values = {}  # what later lines are compared with: "echo 64 per CPU-second" -> number

    def add(self, what, value, unit, floor=None, floor_value=None, ratio="higher", expect=None, note=""):
        """`floor`: its name; `ratio`: "higher" when more is better (value/floor as a share), "lower" for times and
        sizes (value as a multiple). `expect`: (text, whether it holds)."""
        share = None
        if floor_value and value is not None and value > 0:
            share = value / floor_value
        line = {"what": what, "value": value, "unit": unit, "floor": floor, "floor_value": floor_value, "ratio": share,
                "ratio_kind": ratio, "expected": expect[0] if expect else None, "holds": bool(expect[1]) if expect else None,
                "note": note}
        self.lines.append(line)
        self.values[what] = value

    def compare(self, what, unit, ours, floor_value, peers, floor, expect=(), note=""):
        """The same work elsewhere. `peers`: system -> its value, None where there is no such thing; lines of the same
        systems make a table. `expect`: (text, whether it holds) each."""
        self.comparisons.append({"what": what, "unit": unit, "tidemill": ours, "floor": floor, "floor_value": floor_value,
                                 "peers": peers,
                                 "expected": [{"text": text, "holds": bool(holds)} for text, holds in expect], "note": note})

    def markdown(self, about):
        head = (f"Tidemill {about['commit']}, {about['date']}: {about['cores']} cores of {about['cpu']}, "
                f"{about['memory_gb']} GB, Linux {about['kernel']}; append of 200 bytes and fdatasync: "
                f"{about['fdatasync_us']} us (median). The load generator runs on the same cores.")
        tables = []
        if self.lines:
            tables.append(table([("", "measured", "floor", "ratio", "expected", "")] + [self.row(line) for line in self.lines],
                                right={1, 3}))
        for systems in dict.fromkeys(tuple(line["peers"]) for line in self.comparisons):
            lines = [line for line in self.comparisons if tuple(line["peers"]) == systems]
            head_row = ("", "Tidemill", "floor", "ratio", *(cell for name in systems for cell in (name, "ratio")), "expected", "")
            tables.append(table([head_row] + [comparison_row(line) for line in lines],
                                right={1, *range(3, 4 + 2 * len(systems))}))
        return "\n\n".join([head, *tables])

    @staticmethod
    def row(line):
        ratio = ""
        if line["ratio"] is not None:
            ratio = f"{line['ratio']:.0%}" if line["ratio_kind"] == "higher" else f"{line['ratio']:.1f}x"
        floor = ""
        if line["floor"]:
            floor = line["floor"] + (f": {number(line['floor_value'])}" if line["floor_value"] is not None else "")
        expected = ""
        if line["expected"]:
            expected = f"{line['expected']}: {'yes' if line['holds'] else 'NO'}"
        return (line["what"], f"{number(line['value'])} {line['unit']}".strip(), floor, ratio, expected, line["note"])


def number(value):
    if value is None:
        return "-"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}"


def table(rows, right):
    """Markdown with aligned columns; the first row is the head, `right` says which columns are numbers."""
    columns = range(len(rows[0]))
    widths = [max(3, *(len(row[column]) for row in rows)) for column in columns]

    def text(row):
        cells = [cell.rjust(widths[column]) if column in right else cell.ljust(widths[column])
                 for column, cell in enumerate(row)]
        return "| " + " | ".join(cells) + " |"

    rule = "|" + "|".join(("-" * (widths[column] + 1) + ":") if column in right else "-" * (widths[column] + 2)
                          for column in columns) + "|"
    return "\n".join([text(rows[0]), rule, *map(text, rows[1:])])


def comparison_row(line):
    def times(value):
        return f"{line['tidemill'] / value:.1f}x" if value else ""

    expected = "; ".join(f"{each['text']}: {'yes' if each['holds'] else 'NO'}" for each in line["expected"])
    share = f"{line['tidemill'] / line['floor_value']:.0%}" if line["floor_value"] else ""
    floor = f"{line['floor']}: {number(line['floor_value'])}" if line["floor"] else ""
    peers = [cell for value in line["peers"].values() for cell in (number(value), times(value))]
    return (line["what"], f"{number(line['tidemill'])} {line['unit']}", floor, share, *peers, expected, line["note"])
