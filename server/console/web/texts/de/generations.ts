import type {Part} from "../types.ts"

export const generations: Part<"generations"> = {
  list: "Übernommene Generationen, die neueste zuerst",
  current: "läuft",
  failed: "Die neueste Konfiguration wurde nicht übernommen",
  pinned: number => `Generation ${number} ist fixiert`,
  unpin: "Fixierung aufheben",
  unpinSays: "Die Konfigurationsdatei gilt wieder, so wie sie jetzt ist, als neue Generation.",
  reload: "Konfiguration neu laden",
  reloadSays:
    "Die Konfigurationsdatei gilt, so wie sie jetzt ist. Eine, die nicht startet, ersetzt die laufende nicht.",
  unchanged: "Es hatte sich nichts geändert.",
  runs: number => `Generation ${number} läuft.`,
  rollBack: "Zurückrollen",
  rollBackTo: number => `Auf Generation ${number} zurückrollen`,
  rollBackSays: number => `Die Konfiguration der Generation ${number} läuft wieder, als neue Generation.`,
  enables: names => `Aktiviert ${names}.`,
  disables: names => `Deaktiviert ${names}.`,
  codeChanged: names => `Geänderter Code: ${names}.`,
  codeStays:
    "Plugins laufen mit dem Code, den sie jetzt haben: Ein Zurückrollen stellt die Konfiguration wieder her, aber keinen Code.",
  codeIsNot: (names, number) =>
    `Ein Zurückrollen stellt keinen Code wieder her: ${names} hat sich seit Generation ${number} geändert und läuft mit dem jetzigen Code.`,
  rollBackPins:
    "Sie bleibt fixiert, auch über Neustarts, bis sich die Datei ändert oder die Fixierung aufgehoben wird. Nachrichten und Daten bleiben, wie sie sind.",
  rolledBack: (number, made) => `Generation ${made} läuft mit der Konfiguration der Generation ${number}.`,
  changes: "Änderungen",
  changesOf: number => `Änderungen der Generation ${number}`,
  compare: number => `Mit ${number} vergleichen`,
  compareWith: (number, running) => `Mit ${running} vergleichen: Generation ${number}`,
  diff: (from, to) => `Von Generation ${from} zu ${to}`,
  same: "Die Konfigurationen sind gleich.",
}
