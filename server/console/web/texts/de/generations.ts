import type {Part} from "../en/en.ts"

export const generations: Part<"generations"> = {
  list: "Übernommene Generationen, die neueste zuerst",
  current: "läuft",
  failed: "Die neueste Konfiguration wurde nicht übernommen",
  pinned: number => `Generation ${number} ist fixiert`,
  unpin: "Fixierung aufheben",
  unpinSays: "Der Host lädt die Konfigurationsdatei in ihrem jetzigen Stand, als neue Generation.",
  reload: "Konfiguration neu laden",
  reloadSays:
    "Der Host lädt die Konfigurationsdatei in ihrem jetzigen Stand. Startet diese Konfiguration nicht, läuft die bisherige weiter.",
  unchanged: "Die Konfiguration hat sich nicht geändert.",
  runs: number => `Generation ${number} läuft.`,
  rollBack: "Zurückrollen",
  rollBackTo: number => `Auf Generation ${number} zurückrollen`,
  rollBackSays: number => `Der Host verwendet wieder die Konfiguration der Generation ${number}, als neue Generation.`,
  enables: names => `Aktiviert ${names}.`,
  disables: names => `Deaktiviert ${names}.`,
  codeChanged: names => `Der Code hat sich geändert: ${names}.`,
  codeStays:
    "Plugins laufen mit ihrem aktuellen Code: Ein Zurückrollen stellt die Konfiguration wieder her, nicht den Code.",
  codeIsNot: (names, number) =>
    `Ein Zurückrollen stellt keinen Code wieder her. Der Code von ${names} hat sich seit Generation ${number} geändert; der aktuelle Code bleibt in Gebrauch.`,
  rollBackPins:
    "Der Host fixiert sie, auch über Neustarts hinweg, bis sich die Datei ändert oder die Fixierung aufgehoben wird. Nachrichten und Daten bleiben, wie sie sind.",
  rolledBack: (number, made) => `Generation ${made} läuft mit der Konfiguration der Generation ${number}.`,
  changes: "Änderungen",
  changesOf: number => `Änderungen der Generation ${number}`,
  compare: number => `Mit ${number} vergleichen`,
  compareWith: (number, running) => `Mit ${running} vergleichen: Generation ${number}`,
  diff: (from, to) => `Von Generation ${from} zu ${to}`,
  same: "Die Konfigurationen sind gleich.",
}
