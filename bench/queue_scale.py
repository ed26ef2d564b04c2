"""What a look at the front of a queue costs after many entries were taken from it: it should not depend on how many."""
import json
import subprocess

from rig import progress

TAKEN = (10_000, 1_000_000, 10_000_000)
LOOK_US_MAX = 200


def measure(rig, report):
    program = [str(rig.build / "bench" / "queue_scale")]
    result = subprocess.run([*program, str(rig.scratch / "queue"), *(str(taken) for taken in TAKEN if taken <= rig.arguments.entries)], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    first = lines[0]
    for line in lines:
        what = f"timers: {line['taken']:,} taken"
        report.add(f"{what}, an empty look", line["look_us"], "us", f"{first['taken']:,} taken", first["look_us"], ratio="lower",
                   expect=(f"{LOOK_US_MAX} us", line["look_us"] <= LOOK_US_MAX), note=f"longest {line['look_max_us']:,.0f} us")
        report.add(f"{what}, set and take", line["take_cpu_us"], "us CPU", f"{first['taken']:,} taken", first["take_cpu_us"],
                   ratio="lower", expect=("2x", line["take_cpu_us"] <= 2 * first["take_cpu_us"]))
        progress(f"{what}: an empty look {line['look_us']:.0f} us")
