import type {Part} from "../types.ts"
import {counted} from "./counted.ts"

export const attention: Part<"attention"> = {
  component: name => `${name} ist nicht bereit`,
  optionalComponent: name => `${name} ist nicht bereit (optional)`,
  ingress: "Ingress ist pausiert",
  ingressWhy: reasons => `Kein Ereignis wird angenommen und nichts Neues gesendet: ${reasons}.`,
  ingressDo: "Fortsetzen, sobald der Grund behoben ist.",
  generation: "Die neueste Konfiguration wurde nicht übernommen",
  generationDo: "Die Konfiguration korrigieren; die Generation davor läuft weiter.",
  lastGood: number => `Die letzte gute Generation ${number} läuft, und der Host ist nicht bereit`,
  lastGoodWhy: "Das Projekt startet in seinem jetzigen Zustand nicht.",
  lastGoodDo: "Korrigieren, was den Start verhindert, dann den Host neu starten.",
  pin: number => `Generation ${number} ist fixiert`,
  pinWhy:
    "Durch ein Zurückrollen oder weil ein Plugin deaktiviert wurde. Die Konfigurationsdatei gilt erst wieder, wenn sie sich ändert oder die Fixierung aufgehoben wird.",
  pinDo: "Fixierung aufheben, sobald die Datei stimmt.",
  noCheckpoint: "Noch wurde kein Checkpoint verifiziert",
  oldCheckpoint: age => `Der neueste verifizierte Checkpoint ist ${age} alt`,
  checkpointWhy: "Was seitdem geschah, ließe sich nicht wiederherstellen.",
  checkpointDo: "Einen anlegen und verifizieren.",
  checkpointFailed: "Der letzte Checkpoint wurde nicht angelegt oder nicht verifiziert",
  checkpointFailedDo: "Korrigieren, was gemeldet wird, und einen neuen anlegen.",
  endpoint: (name, state) => `${name}: ${state}`,
  notConnected: name => `${name} nimmt an, ist aber nicht verbunden`,
  awaySince: at => `Keine Verbindung seit ${at}.`,
  tried: attempt => counted(attempt, {one: "Ein Versuch.", other: "# Versuche."}),
  lastError: error => `Der letzte Fehler: ${error}.`,
  triesAt: at => `Nächster Versuch um ${at}.`,
  notConnectedDo: "Dieser Endpoint ist erforderlich. Die Bereitschaft fragt nur, ob er Ereignisse annimmt.",
  endpointDo: "Seine Seite zeigt den letzten Fehler und die Versuche.",
  plugin: (name, state) => `Plugin ${name}: ${state}`,
  pluginDo: "Seine Seite zeigt, welchen Fehler es wo warf; was es veröffentlicht, fehlt so lange.",
  failing: (name, failed, ended) =>
    `Das Plugin ${name} schlägt wiederholt fehl: ${failed} von ${ended} Versuchen in der letzten Stunde`,
  failingDo: "Seine Seite zeigt den Fehler und seine Stelle. Deaktivieren, falls es Schaden anrichtet.",
  inboxAside: count =>
    counted(count, {
      one: "# Handler im Eingang ist fehlgeschlagen oder angehalten",
      other: "# Handler im Eingang sind fehlgeschlagen oder angehalten",
    }),
  inboxWhy: "Ihre Ereignisse wurden nicht vollständig beantwortet.",
  inboxDo: "Ansehen, dann wiederholen, freigeben oder verwerfen.",
  outboxAside: count =>
    counted(count, {
      one: "# Nachricht ging nicht oder vielleicht nicht hinaus",
      other: "# Nachrichten gingen nicht oder vielleicht nicht hinaus",
    }),
  outboxWhy: "Sie sind fehlgeschlagen, aufgegeben, unbekannt oder angehalten und warten auf eine Entscheidung.",
  outboxDo: "Ansehen, dann wiederholen, freigeben oder verwerfen.",
  overdue: count =>
    counted(count, {one: "# blockierte Aufgabe ist überfällig", other: "# blockierte Aufgaben sind überfällig"}),
  overdueWhy: "Die Frist dessen, worauf sie warten, ist verstrichen.",
  overdueDo: "Nachfragen, wer die Blockade beendet.",
  disk: days => `Die Platte ist bei diesem Tempo in ${days} voll`,
  diskWhy: "Vorher pausiert Ingress von selbst.",
  diskDo: "Platz schaffen oder kürzer aufbewahren (retention).",
  unclean: "Der Lauf vor diesem wurde abgeschossen",
  uncleanWhy: "Laufendes wurde wieder aufgenommen; eine Nachricht, die gerade gesendet wurde, kann unbekannt sein.",
  uncleanDo: "Das Log aus der Zeit davor ansehen.",
  supervisor: "Nichts startet diesen Host neu",
  supervisorWhy: "Er läuft in Produktion ohne einen Supervisor, den svc kennt.",
  supervisorDo: "Unter einem Supervisor betreiben.",
  databaseFailing: "Die Datenbank versagt",
  databaseWhy: "Was jetzt geschieht, wird vielleicht nicht gespeichert.",
  databaseDo: "Die Platte und das Log des Hosts prüfen.",
  jobs: "Die Job-Datei wurde abgelehnt",
  jobsDo: "data/schedule-jobs.json korrigieren; die bisherigen Jobs laufen weiter.",
  jobsFailed: count =>
    counted(count, {
      one: "Der letzte Lauf eines Jobs schlug fehl",
      other: "Die letzten Läufe von # Jobs schlugen fehl",
    }),
  jobsFailedDo: "Der Lauf nennt den Grund. Er wird nicht von selbst wiederholt: nach der Korrektur erneut ausführen.",
  jobsUnreachable: count =>
    counted(count, {one: "Ein Job erreicht sein Ziel nicht", other: "# Jobs erreichen ihr Ziel nicht"}),
  jobsUnreachableDo: "Den Job korrigieren oder das, was er nennt.",
  approvals: count =>
    counted(count, {one: "Ein Agent fragt, bevor er handelt", other: "Agenten fragen, bevor sie #-mal handeln"}),
  approvalsDo: "Freigeben oder verweigern. Entscheidet niemand rechtzeitig, wird der Aufruf verweigert.",
  agentsHeld: count =>
    counted(count, {
      one: "Ein Lauf eines Agenten ist seit einer Wiederherstellung angehalten",
      other: "# Läufe von Agenten sind seit einer Wiederherstellung angehalten",
    }),
  agentsHeldDo: "Ansehen, dann freigeben oder verwerfen.",
  agentsWrong: count =>
    counted(count, {one: "Ein Agent ist nicht konfiguriert", other: "# Agenten sind nicht konfiguriert"}),
  agentsWrongDo: "Die Bindung in svc.config.yml korrigieren, dann neu laden.",
  agentsFailed: count =>
    counted(count, {
      one: "Der letzte Lauf eines Agenten schlug fehl",
      other: "Die letzten Läufe von # Agenten schlugen fehl",
    }),
  agentsFailedDo: "Der Lauf nennt den Grund. Er startet nicht von selbst neu.",
  show: "Anzeigen",
}
