// Windows of time: every item that expires within the same five minutes has the same `expirationWindow`.
const WINDOW_SECONDS = 5 * 60;

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}

/** startISO_endISO; the end is the next one's start. */
export function windowOf(seconds: number): string {
  const start = seconds - (seconds % WINDOW_SECONDS);
  return `${iso(start)}_${iso(start + WINDOW_SECONDS)}`;
}
