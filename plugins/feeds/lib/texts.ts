/** The bot's texts in each of its languages. */
export const texts = {
  en: {
    about: "Show the feeds and their state",
    more: "and {count, number} more",
    gone: "{name} does not exist any more (HTTP 410). The bot has stopped reading it.",
    none: "The configuration names no feeds.",
    fine: "{name}: read {ago, plural, =0 {just now} one {# minute ago} other {# minutes ago}}",
    waiting: "{name}: not read yet",
    failing:
      "{name}: failed {failures, plural, one {once} other {# times}} ({problem, select, late {no answer in time} unreachable {not reachable} large {larger than 2 MB} format {not a feed} redirect {redirect refused} other {HTTP {problem}}}), next attempt in {wait, plural, one {# minute} other {# minutes}}",
    stopped: "{name}: stopped, because it does not exist any more (HTTP 410)",
    held: "{name}: held by a restore until an operator runs svc timer release --held",
  },
  de: {
    about: "Zeigt die Feeds und ihren Zustand",
    more: "und {count, number} weitere",
    gone: "{name} gibt es nicht mehr (HTTP 410). Der Bot liest diesen Feed nicht mehr.",
    none: "In der Konfiguration stehen keine Feeds.",
    fine: "{name}: gelesen {ago, plural, =0 {gerade eben} one {vor # Minute} other {vor # Minuten}}",
    waiting: "{name}: noch nicht gelesen",
    failing:
      "{name}: {failures, plural, one {einmal} other {#-mal}} misslungen ({problem, select, late {keine Antwort} unreachable {nicht erreichbar} large {größer als 2 MB} format {kein Feed} redirect {Weiterleitung abgelehnt} other {HTTP {problem}}}), nächster Versuch in {wait, plural, one {# Minute} other {# Minuten}}",
    stopped: "{name}: beendet, denn es gibt ihn nicht mehr (HTTP 410)",
    held: "{name}: nach einer Wiederherstellung angehalten, bis jemand svc timer release --held ausführt",
  },
} as const
