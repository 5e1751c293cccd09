import type {Part} from "../types.ts"
import {counted} from "./counted.ts"

export const configForm: Part<"configForm"> = {
  change: "Einstellungen ändern",
  changeAccount: "Seine Einstellungen ändern",
  title: plugin => `Einstellungen von ${plugin}`,
  about: file =>
    `Die Änderungen werden in ${file} geschrieben; Kommentare bleiben erhalten. Vor dem Schreiben gibt es eine Vorschau.`,
  readOnly: (file, why) =>
    `Der Host kann ${file} nicht schreiben: ${why}. Die Vorschau zeigt die Änderung, damit sie von Hand übernommen werden kann.`,
  pinned: number =>
    `Generation ${number} ist fixiert und läuft anstelle der Datei. Eine Änderung der Datei beendet die Fixierung.`,
  unknown: "Seine Einstellungen sind unbekannt, bis es läuft. Zuerst aktivieren oder die Datei bearbeiten.",
  noSettings: "Es hat keine Einstellungen.",
  account: id => `Konto ${id}`,
  newAccount: "ID eines neuen Kontos",
  newAccountSays:
    "Kleinbuchstaben, Ziffern, - und _. Es ist der Name des Kontos in svc und lässt sich später nicht ändern.",
  addAccount: "Konto hinzufügen",
  removeAccount: id => `Konto ${id} entfernen`,
  keepAccount: id => `Konto ${id} behalten`,
  removed: "Wird aus der Datei entfernt. Gespeicherte Daten bleiben.",
  disable: "In der Datei deaktivieren",
  enable: "In der Datei aktivieren",
  remove: "Aus der Datei entfernen",
  byDefault: value => `Vorgabe: ${value}`,
  unset: "nicht gesetzt",
  yes: "ja",
  no: "nein",
  secret: "Der Name einer Umgebungsvariable. Ihr Wert kommt aus der Umgebung oder aus .env und wird nie angezeigt.",
  secretSet: name => `${name} ist gesetzt.`,
  secretUnset: name => `${name} ist nicht gesetzt: in die Umgebung oder in .env eintragen.`,
  list: "Ein Wert je Zeile.",
  yaml: "Als YAML oder JSON.",
  unknownKey: "Das Schema hat diesen Schlüssel nicht.",
  preview: "Vorschau",
  previewTitle: "Änderungen an der Datei",
  same: "Die Datei würde sich nicht ändern.",
  wrong: count => counted(count, {one: "Ein Problem:", other: "# Probleme:"}),
  ends: number => `Das beendet die Fixierung der Generation ${number}.`,
  needsRestart: what => `Dafür muss der Host neu starten: ${what}.`,
  restartSays: {
    production:
      "Der Host schreibt die Datei, probiert seinen nächsten Start und startet neu. Scheitert die Probe, stellt er die Datei wieder her.",
    development:
      "Der Host schreibt die Datei und läuft mit der bisherigen Konfiguration weiter. Zum Anwenden den Host selbst neu starten.",
  },
  apply: "Anwenden",
  applyRestart: {production: "Schreiben und neu starten", development: "Datei schreiben"},
  back: "Zurück zum Formular",
  conflict: file =>
    `${file} wurde inzwischen geändert. Die Eingaben bleiben erhalten. Die Vorschau erneut prüfen: Sie geht jetzt von der geänderten Datei aus.`,
  applied: generation => `Geschrieben; läuft als Generation ${generation}.`,
  restarting: "Geschrieben. Der Host startet neu.",
  waits: what => `Geschrieben. Zum Anwenden den Host neu starten: ${what}.`,
  unchanged: "So steht es schon in der Datei.",
  unwritable: (file, why) =>
    `Nichts wurde geändert, weil der Host ${file} nicht schreiben kann: ${why}. Dies als change.diff im Projekt speichern, dann ausführen:`,
  commit: "In Git fehlt der aktuelle Stand der Konfiguration. Für einen Commit:",
  add: "Plugin hinzufügen",
  which: "Plugin",
  origins: {"built-in": "Teil von svc", project: "in plugins/"},
  noneLeft: "Alle verfügbaren Plugins stehen bereits in der Datei.",
  packages: "Für ein Plugin von npm oder ein eigenes neues einen Befehl im Projektordner ausführen:",
}
