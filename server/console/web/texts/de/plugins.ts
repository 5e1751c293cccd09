import type {Part} from "../en/en.ts"
import {counted} from "./counted.ts"

const published: Readonly<Record<string, readonly [one: string, other: string]>> = {
  command: ["# Befehl", "# Befehle"],
  job: ["# Job", "# Jobs"],
  handler: ["# Handler", "# Handler"],
  hears: ["# gehörtes Muster", "# gehörte Muster"],
  middleware: ["# Middleware", "# Middlewares"],
  prompt: ["# Rückfrage", "# Rückfragen"],
  action: ["# Aktion", "# Aktionen"],
  route: ["# Route", "# Routen"],
  page: ["# Seite", "# Seiten"],
  timer: ["# Timer", "# Timer"],
  tool: ["# Werkzeug", "# Werkzeuge"],
  service: ["# Dienst", "# Dienste"],
}

export const plugins: Part<"plugins"> = {
  graph: "Plugins, ihre Slots und ihre Endpoints",
  none: "Die laufende Generation hat keine Plugins.",
  slot: "Slot",
  noEndpoint: "kein Endpoint",
  moreEndpoints: count => counted(count, {one: "# weiterer Endpoint", other: "# weitere Endpoints"}),
  count: (kind, count) => {
    const [one, other] = published[kind] ?? [`# ${kind}`, `# ${kind}`]
    return counted(count, {one, other})
  },
  pinned: "Die laufende Konfiguration ist fixiert: Der Host ignoriert die Datei, bis sie sich ändert. Siehe",
  since: "Seit",
  origin: "Herkunft des Codes",
  origins: {
    source: "Quelltext des Projekts",
    built: "Build des Projekts",
    "built-in": "Teil von svc",
    package: "ein installiertes Paket",
  },
  from: "Code",
  owner: "Plugin-Instanz",
  key: "Schlüssel in der Konfiguration",
  place: "Stelle",
  remedies: {
    failed:
      "Es warf einen Fehler außerhalb seiner Handler, und svc konnte es nicht neu starten. Den Fehler beheben, dann erneut versuchen.",
    quarantined:
      "Es warf zum dritten Mal in zehn Minuten einen Fehler außerhalb seiner Handler. svc lässt es bis zur nächsten Generation aus. Den Fehler beheben, dann erneut versuchen.",
  },
  disabledBy: (key, file) => `${key} ist in ${file} auf false gesetzt; der Host lädt dieses Plugin nicht.`,
  disable: "Deaktivieren",
  disableOf: name => `${name} deaktivieren`,
  disableSays: [
    "Befehle, Handler, Jobs, Routen und Endpoints bleiben aus, auch nach einem Neustart, bis das Plugin wieder aktiviert wird.",
    "Ist einer seiner Endpoints für die Bereitschaft erforderlich, ist der Host nicht mehr bereit.",
    "Das fixiert die laufende Konfiguration. svc.config.yml bleibt, wie sie ist; ihre nächste Änderung beendet die Fixierung.",
  ],
  enable: "Aktivieren",
  enableOf: name => `${name} aktivieren`,
  enableSays: [
    "Der Host lädt das Plugin und veröffentlicht, was es bereitstellt, als neue Generation.",
    "Ist es in der Datei deaktiviert, fixiert der Host die laufende Konfiguration. svc.config.yml bleibt, wie sie ist.",
  ],
  again: "Erneut versuchen",
  againOf: name => `${name} erneut versuchen`,
  againSays: "Der Host lädt die Konfiguration in ihrem jetzigen Stand und startet jedes fehlgeschlagene Plugin neu.",
  kinds: {
    command: "Befehle",
    job: "Jobs",
    handler: "Ereignis-Handler",
    hears: "Gehörte Muster",
    middleware: "Middleware",
    prompt: "Rückfragen",
    action: "Aktionen",
    route: "Routen",
    page: "Seiten",
    timer: "Timer",
    tool: "Werkzeuge für Agenten",
  },
  nameless: position => `ohne Namen, Nummer ${position}`,
  publishesNothing: "Es veröffentlicht derzeit nichts.",
  settings: "Einstellungen",
  fromFile: key =>
    `Sie kommen aus der Konfigurationsdatei. Zum Ändern ${key} in svc.config.yml bearbeiten, dann neu laden.`,
  noSettings: "Keine, oder unbekannt, bis das Plugin geladen ist.",
  noSetting: "Sein Schema hat keine Einstellungen.",
  required: " (erforderlich)",
  byDefault: "Vorgabe",
  unset: "nicht gesetzt",
  secret: "gesetzt, wird nie angezeigt",
  lately: "Letzte Zustände",
  handlers: {
    title: "Seine Handler",
    hour: "Letzte Stunde",
    day: "Letzte 24 Stunden",
    failed: (failed, ended) => `${failed} von ${ended} Versuchen fehlgeschlagen`,
    slowest: "Langsamster Handler seit dem Start des Hosts",
    none: "noch keiner gelaufen",
    slow: (handler, mean, longest) => `${handler}: im Mittel ${ms(mean)}, höchstens ${ms(longest)}`,
    sparkline: count => `Fehlgeschlagene Versuche je Minute in der letzten Stunde: ${count}`,
    toFailed: "Seine Fehler im Eingang anzeigen",
    toEvents: "Seine Ereignisse",
  },
}

const tenths = new Intl.NumberFormat("de", {minimumFractionDigits: 1, maximumFractionDigits: 1})
const ms = (length: number) => `${tenths.format(length)} ms`
