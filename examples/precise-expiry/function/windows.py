"""Windows of time: every item that expires within the same five minutes has the same `expirationWindow`."""
from datetime import datetime, timezone

MINUTES = 5


def iso(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def window_of(seconds):
    """startISO_endISO; the end is the next one's start."""
    start = seconds - seconds % (MINUTES * 60)
    return f"{iso(start)}_{iso(start + MINUTES * 60)}"
