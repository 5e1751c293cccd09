import type {Part} from "../en/en.ts"
import {counted} from "./counted.ts"

export const events: Part<"events"> = {
  tabs: "Ereignisse oder Logs",
  events: "Ereignisse",
  logs: "Logs",
  demo: "Das Log des Hosts braucht das volle Token.",
  kind: "Art",
  all: "alles",
  search: "Enthält",
  searchFor: "Text, Endpoint, ID",
  pause: "Anhalten",
  goOn: "Fortsetzen",
  resume: missed => `Fortsetzen (${counted(missed, {one: "# Ereignis", other: "# Ereignisse"})} seitdem)`,
  nothing: "Keine passenden Ereignisse.",
  level: "Mindeststufe",
  run: "Lauf",
  thisRun: "dieser Lauf",
  thisRunKept: (at: string) => `dieser Lauf, ab ${at}`,
  earlierRun: (from, to) => `${from} bis ${to}`,
  noRecords: "Keine passenden Einträge.",
}
