"""The one table of a run: each line with its floor, the ratio, and what is expected of it."""


class Report:
    def __init__(self):
        self.lines = []
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

    def markdown(self, about):
        head = (f"Tidemill {about['commit']}, {about['date']}: {about['cores']} cores of {about['cpu']}, "
                f"{about['memory_gb']} GB, Linux {about['kernel']}; append of 200 bytes and fdatasync: "
                f"{about['fdatasync_us']} us (median). The load generator runs on the same cores.")
        rows = [("", "measured", "floor", "ratio", "expected", "")]
        rows += [self.row(line) for line in self.lines]
        widths = [max(len(row[column]) for row in rows) for column in range(6)]
        right = {1, 3}

        def text(row):
            cells = [cell.rjust(width) if column in right else cell.ljust(width)
                     for column, (cell, width) in enumerate(zip(row, widths))]
            return "| " + " | ".join(cells) + " |"

        rule = "|" + "|".join(("-" * (width + 1) + ":") if column in right else "-" * (width + 2)
                              for column, width in enumerate(widths)) + "|"
        return "\n".join([head, "", text(rows[0]), rule, *map(text, rows[1:])])

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
