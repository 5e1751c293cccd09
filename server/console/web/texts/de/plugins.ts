import type {Part} from "../types.ts"
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
  graph: "Plugins, ihre Slots und deren Endpoints",
  none: "Die laufende Generation hat kein Plugin.",
  slot: "Slot",
  noEndpoint: "kein Endpoint",
  moreEndpoints: count => counted(count, {one: "# weiterer Endpoint", other: "# weitere Endpoints"}),
  count: (kind, count) => {
    const [one, other] = published[kind] ?? [`# ${kind}`, `# ${kind}`]
    return counted(count, {one, other})
  },
  pinned: "Die laufende Konfiguration ist fixiert: Die Datei gilt erst wieder, wenn sie sich ändert. Siehe",
  since: "Seit",
  origin: "Woher der Code kommt",
  origins: {
    source: "Quelltext des Projekts",
    built: "Build des Projekts",
    "built-in": "gehört zu svc",
    package: "ein installiertes Paket",
  },
  from: "Code",
  owner: "Plugin-Instanz",
  key: "Schlüssel in der Konfiguration",
  place: "Geschrieben in",
  remedies: {
    failed:
      "Es warf einen Fehler außerhalb seiner Handler und ließ sich nicht neu starten: korrigieren, dann erneut versuchen.",
    quarantined:
      "Es warf zum dritten Mal in zehn Minuten einen Fehler außerhalb seiner Handler und bleibt bis zur nächsten Generation ausgesperrt: korrigieren, dann erneut versuchen.",
  },
  disabledBy: (key, file) => `${key} ist in ${file} false: Nichts davon ist geladen.`,
  disable: "Deaktivieren",
  disableOf: name => `${name} deaktivieren`,
  disableSays: [
    "Befehle, Handler, Jobs, Routen und Endpoints fehlen, auch über Neustarts, bis es wieder aktiviert wird.",
    "Ist einer seiner Endpoints für die Bereitschaft erforderlich, ist der Host nicht bereit.",
    "Die laufende Konfiguration wird damit fixiert. svc.config.yml bleibt, wie sie ist; ändert sie sich, endet die Fixierung.",
  ],
  enable: "Aktivieren",
  enableOf: name => `${name} aktivieren`,
  enableSays: [
    "Es wird geladen und veröffentlicht, was es hat, als neue Generation.",
    "Deaktiviert die Datei es, wird die laufende Konfiguration fixiert; svc.config.yml bleibt, wie sie ist.",
  ],
  again: "Erneut versuchen",
  againOf: name => `${name} erneut versuchen`,
  againSays: "Die Konfiguration gilt, wie sie jetzt ist, und jedes fehlgeschlagene Plugin wird neu gestartet.",
  kinds: {
    command: "Befehle",
    job: "Jobs",
    handler: "Handler für Ereignisse",
    hears: "Nachrichten, auf die es hört",
    middleware: "Middleware",
    prompt: "Rückfragen",
    action: "Aktionen",
    route: "Routen",
    page: "Seiten",
    timer: "Timer",
    tool: "Werkzeuge für Agenten",
  },
  nameless: position => `Nummer ${position} von denen ohne Namen`,
  publishesNothing: "Es veröffentlicht jetzt nichts.",
  settings: "Einstellungen",
  fromFile: key => `Sie kommen aus der Konfigurationsdatei: ${key} in svc.config.yml ändern, dann neu laden.`,
  noSettings: "Keine, oder nicht bekannt, solange es nicht geladen ist.",
  noSetting: "Sein Schema hat keine Einstellung.",
  required: " (erforderlich)",
  byDefault: "Vorgabe",
  unset: "nicht gesetzt",
  secret: "gesetzt, wird nie gezeigt",
  lately: "Zuletzt",
  handlers: {
    title: "Seine Handler seit dem Start des Hosts",
    hour: "Letzte Stunde",
    day: "Letzte 24 Stunden",
    failed: (failed, ended) => `${failed} von ${ended} Versuchen fehlgeschlagen`,
    slowest: "Langsamster Handler",
    none: "noch keiner gelaufen",
    slow: (handler, mean, longest) => `${handler}: im Mittel ${ms(mean)}, höchstens ${ms(longest)}`,
    sparkline: count => `Fehlgeschlagene Versuche je Minute in der letzten Stunde: ${count}`,
    toFailed: "Anzeigen, woran es scheiterte, im Eingang",
    toEvents: "Seine Ereignisse",
  },
}

const tenths = new Intl.NumberFormat("de", {minimumFractionDigits: 1, maximumFractionDigits: 1})
const ms = (length: number) => `${tenths.format(length)} ms`
