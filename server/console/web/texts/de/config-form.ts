import type {Part} from "../types.ts"
import {counted} from "./counted.ts"

export const configForm: Part<"configForm"> = {
  change: "Einstellungen ändern",
  changeAccount: "Seine Einstellungen ändern",
  title: plugin => `Einstellungen von ${plugin}`,
  about: file =>
    `Änderungen hier werden in ${file} geschrieben; Kommentare bleiben. Nichts wird geschrieben, bevor es in der Vorschau stand.`,
  readOnly: (file, why) =>
    `Der Host kann ${file} nicht schreiben: ${why}. Die Vorschau zeigt die Änderung, um sie von Hand zu machen.`,
  pinned: number =>
    `Generation ${number} ist fixiert und läuft statt der Datei. Eine Änderung der Datei beendet die Fixierung.`,
  unknown: "Seine Einstellungen sind bekannt, sobald es läuft: zuerst aktivieren oder die Datei selbst ändern.",
  noSettings: "Es hat keine Einstellungen.",
  config: "Einstellungen",
  account: id => `Konto ${id}`,
  newAccount: "ID eines neuen Kontos",
  newAccountSays:
    "Kleinbuchstaben, Ziffern, - und _. Es ist der Name des Kontos in svc und lässt sich später nicht ändern.",
  addAccount: "Konto hinzufügen",
  removeAccount: id => `Konto ${id} entfernen`,
  keepAccount: id => `Konto ${id} behalten`,
  removed: "Verschwindet aus der Datei. Nichts Gespeichertes wird gelöscht.",
  disable: "In der Datei deaktivieren",
  enable: "In der Datei aktivieren",
  remove: "Aus der Datei entfernen",
  byDefault: value => `Vorgabe: ${value}`,
  unset: "nicht gesetzt",
  yes: "ja",
  no: "nein",
  secret: "Der Name einer Umgebungsvariable. Ihr Wert steht in der Umgebung oder in .env und wird nie gezeigt.",
  secretSet: name => `${name} ist gesetzt.`,
  secretUnset: name => `${name} ist nicht gesetzt: in die Umgebung oder in .env eintragen.`,
  list: "Ein Wert je Zeile.",
  yaml: "Als YAML oder JSON.",
  unknownKey: "Das Schema kennt diesen Schlüssel nicht.",
  preview: "Vorschau",
  nothing: "Noch ist nichts geändert.",
  previewTitle: "Was sich in der Datei ändert",
  same: "Die Datei bliebe, wie sie ist.",
  wrong: count => counted(count, {one: "Ein Punkt stimmt nicht:", other: "# Punkte stimmen nicht:"}),
  ends: number => `Die Fixierung der Generation ${number} endet.`,
  needsRestart: what => `Das braucht einen Neustart des Hosts: ${what}.`,
  restartSays: {
    production:
      "Die Datei wird geschrieben, der nächste Start geprobt, und der Host startet neu. Scheitert die Probe, ist die Datei wie zuvor.",
    development:
      "Die Datei wird geschrieben. Den Host selbst neu starten: Bis dahin läuft er mit dem weiter, was er hat.",
  },
  apply: "Anwenden",
  applyRestart: {production: "Schreiben und neu starten", development: "Schreiben"},
  back: "Zurück zum Formular",
  conflict: file =>
    `${file} wurde inzwischen geändert. Die Eingaben bleiben erhalten; die Vorschau noch einmal ansehen, sie geht jetzt von der Datei aus, wie sie nun ist.`,
  applied: generation => `Geschrieben; läuft als Generation ${generation}.`,
  restarting: "Geschrieben. Der Host startet neu.",
  waits: what => `Geschrieben. Es wartet auf einen Neustart des Hosts: ${what}.`,
  unchanged: "So steht es schon in der Datei.",
  unwritable: (file, why) =>
    `Nichts wurde geändert, denn ${file} lässt sich nicht schreiben: ${why}. Dies als change.diff im Projekt speichern, dann:`,
  commit: "Git hat die Konfiguration nicht in diesem Stand. Für einen Commit:",
  add: "Plugin hinzufügen",
  which: "Plugin",
  origins: {"built-in": "gehört zu svc", project: "in plugins/"},
  noneLeft: "Jedes vorhandene Plugin steht schon in der Datei.",
  packages: "Ein Plugin von npm oder ein neues eigenes kommt durch einen Befehl im Ordner des Projekts hinzu:",
}
