import type {Part} from "../types.ts"
import {counted} from "./counted.ts"

export const config: Part<"config"> = {
  editor: file => `Text von ${file}`,
  about: "Die Datei, wie sie geschrieben ist: Eine Variable bleibt ${NAME}. Vor dem Anwenden wird nichts geschrieben.",
  keys: "Strg-Leertaste vervollständigt, Strg-Z macht rückgängig, F8 geht zum nächsten Befund, Strg-[ und Strg-] rücken ein. Tab verlässt den Editor.",
  checking: "Wird geprüft",
  noFindings: "Keine Befunde.",
  findings: count => counted(count, {one: "# Befund", other: "# Befunde"}),
  findingAt: (line, column) => `${line}:${column}`,
  compare: "Mit der Datei vergleichen",
  diff: "Was sich ändern würde",
  same: "Nichts würde sich ändern.",
  restarts: what => `Dafür muss der Host neu starten: ${what}.`,
  unpins: generation => `Generation ${generation} ist fixiert; das Anwenden beendet die Fixierung.`,
  unready: "Danach nicht bereit:",
  apply: "Anwenden",
  applyRestart: "Anwenden und neu starten",
  applySays: [
    "Der Host probiert sie als Entwurf, schreibt die Datei und übernimmt sie als neue Generation.",
    "Scheitert der Entwurf, bleibt die Datei, wie sie ist.",
  ],
  applied: generation => `Angewendet: Generation ${generation} läuft.`,
  restarting: "Die Datei ist geschrieben, und der Host startet neu.",
  byHand: why => `Der Host kann die Datei nicht ersetzen: ${why}. Das Diff von Hand anwenden, zum Beispiel mit patch.`,
  changed: "Die Datei hat sich seit dem Öffnen geändert. Der eigene Text bleibt erhalten.",
  keepMine: "Eigenen Text mit der neuen Datei vergleichen",
  takeTheirs: "Eigenen Text verwerfen und die neue Datei laden",
  discard: "Eigene Änderungen verwerfen",
  restored: "Die noch nicht angewendeten Änderungen sind wieder da.",
}
