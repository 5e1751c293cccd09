import type {Part} from "../en/en.ts"
import {counted} from "./counted.ts"

export const attention: Part<"attention"> = {
  component: name => `${name} ist nicht bereit`,
  ingress: "Ingress ist pausiert",
  ingressWhy: reasons => `Der Host nimmt keine Ereignisse an und sendet nichts Neues: ${reasons}.`,
  ingressDo: "Fortsetzen, sobald die Ursache behoben ist.",
  generation: "Die neueste Konfiguration wurde nicht übernommen",
  generationDo: "Die Konfiguration korrigieren. Die vorherige Generation läuft weiter.",
  lastGood: number => `Die letzte funktionierende Generation ${number} läuft; der Host ist nicht bereit`,
  lastGoodWhy: "Das Projekt startet in seinem jetzigen Zustand nicht.",
  lastGoodDo: "Beheben, was den Start des Projekts verhindert, dann den Host neu starten.",
  pin: number => `Generation ${number} ist fixiert`,
  pinWhy:
    "Ein Zurückrollen oder ein deaktiviertes Plugin hat sie fixiert. Der Host ignoriert die Konfigurationsdatei, bis sie sich ändert oder die Fixierung aufgehoben wird.",
  pinDo: "Fixierung aufheben, sobald die Datei stimmt.",
  noCheckpoint: "Noch kein Checkpoint verifiziert",
  oldCheckpoint: age => `Der neueste verifizierte Checkpoint ist ${age} alt`,
  checkpointWhy: "Was seitdem geschehen ist, ließe sich nicht wiederherstellen.",
  checkpointDo: "Einen Checkpoint anlegen und verifizieren.",
  checkpointFailed: "Der letzte Checkpoint ließ sich nicht anlegen oder nicht verifizieren",
  checkpointFailedDo: "Die gemeldete Ursache beheben, dann einen neuen Checkpoint anlegen.",
  endpoint: (name, state) => `${name}: ${state}`,
  deaf: (name, place) => `${name} kann ${place} nicht lesen`,
  notConnected: name => `${name} nimmt an, ist aber nicht verbunden`,
  awaySince: at => `Keine Verbindung seit ${at}.`,
  tried: attempt => counted(attempt, {one: "Ein Versuch.", other: "# Versuche."}),
  lastError: error => `Der letzte Fehler: ${error}.`,
  triesAt: at => `Nächster Versuch um ${at}.`,
  notConnectedDo: "Dieser Endpoint ist erforderlich. Die Bereitschaft prüft nur, ob er Ereignisse annimmt.",
  endpointDo: "Den Endpoint öffnen, um den letzten Fehler und die Versuche zu sehen.",
  plugin: (name, state) => `Plugin ${name}: ${state}`,
  pluginDo:
    "Das Plugin öffnen, um Fehler und Stelle zu sehen. Bis es wieder läuft, funktioniert nichts von dem, was es veröffentlicht.",
  failing: (name, failed, ended) =>
    `Das Plugin ${name} schlägt immer wieder fehl: ${failed} von ${ended} Versuchen in der letzten Stunde`,
  failingDo: "Das Plugin öffnen, um den Fehler und seine Stelle zu sehen. Deaktivieren, falls es Schaden anrichtet.",
  inboxAside: count =>
    counted(count, {
      one: "# Handler ist fehlgeschlagen oder angehalten",
      other: "# Handler sind fehlgeschlagen oder angehalten",
    }),
  inboxWhy: "Einige Handler sind nicht fertig geworden; ihre Ereignisse sind nur teilweise beantwortet.",
  inboxDo: "Prüfen, dann wiederholen, freigeben oder verwerfen.",
  outboxAside: count =>
    counted(count, {
      one: "# Nachricht wurde vielleicht nicht zugestellt",
      other: "# Nachrichten wurden vielleicht nicht zugestellt",
    }),
  outboxWhy: "Fehlgeschlagene, aufgegebene, unbekannte und angehaltene Nachrichten warten auf eine Entscheidung.",
  outboxDo: "Prüfen, dann wiederholen, freigeben oder verwerfen.",
  overdue: count =>
    counted(count, {one: "# blockierte Aufgabe ist überfällig", other: "# blockierte Aufgaben sind überfällig"}),
  overdueWhy: "Die Frist für die Blockade ist verstrichen.",
  overdueDo: "Bei der Person nachfragen, die die Blockade lösen muss.",
  disk: days => `Bei diesem Tempo ist die Platte in ${days} voll`,
  diskWhy: "Der Host pausiert Ingress, bevor es so weit ist.",
  diskDo: "Platz schaffen oder Daten kürzer aufbewahren (retention).",
  unclean: "Der vorherige Lauf wurde gewaltsam beendet",
  uncleanWhy:
    "Der Host hat unfertige Arbeit wieder aufgenommen. Eine Nachricht, die gerade gesendet wurde, kann unbekannt sein.",
  uncleanDo: "Das Log aus der Zeit vor dem Abbruch prüfen.",
  supervisor: "Kein Supervisor startet diesen Host neu",
  supervisorWhy: "Er läuft in Produktion ohne einen Supervisor, den svc kennt.",
  supervisorDo: "Unter einem Supervisor betreiben.",
  jobs: "Der Host hat die Job-Datei abgelehnt",
  jobsDo: "data/schedule-jobs.json korrigieren. Die bisherigen Jobs laufen weiter.",
  jobsFailed: count =>
    counted(count, {
      one: "Der letzte Lauf eines Jobs ist fehlgeschlagen",
      other: "Die letzten Läufe von # Jobs sind fehlgeschlagen",
    }),
  jobsFailedDo:
    "Den Lauf öffnen, um den Grund zu sehen. svc wiederholt ihn nicht: Den Job nach der Korrektur erneut ausführen.",
  jobsUnreachable: count =>
    counted(count, {one: "Ein Job erreicht sein Ziel nicht", other: "# Jobs erreichen ihr Ziel nicht"}),
  jobsUnreachableDo: "Den Job korrigieren oder das Ziel, das er nennt.",
  approvals: count =>
    counted(count, {
      one: "Ein Agent wartet auf eine Freigabe",
      other: "# Aufrufe von Agenten warten auf eine Freigabe",
    }),
  approvalsDo: "Freigeben oder verweigern. Entscheidet niemand rechtzeitig, verweigert svc den Aufruf.",
  agentsHeld: count => counted(count, {one: "Ein Agentenlauf ist angehalten", other: "# Agentenläufe sind angehalten"}),
  agentsHeldDo: "Prüfen, dann freigeben oder verwerfen.",
  agentsWrong: count =>
    counted(count, {one: "Ein Agent ist nicht konfiguriert", other: "# Agenten sind nicht konfiguriert"}),
  agentsWrongDo: "Die Bindung in svc.config.yml korrigieren, dann neu laden.",
  agentsFailed: count =>
    counted(count, {
      one: "Der letzte Lauf eines Agenten ist fehlgeschlagen",
      other: "Die letzten Läufe von # Agenten sind fehlgeschlagen",
    }),
  agentsFailedDo: "Den Lauf öffnen, um den Grund zu sehen. svc startet ihn nicht erneut.",
  show: "Anzeigen",
}
