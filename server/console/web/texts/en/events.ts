import {counted} from "./counted.ts"

export const events = {
  tabs: "Events or logs",
  events: "Events",
  logs: "Logs",
  demo: "The Host's log needs the full token.",
  kind: "Of",
  all: "everything",
  search: "With",
  searchFor: "text, endpoint, id",
  pause: "Pause",
  goOn: "Go on",
  resume: (missed: number) => `Go on (${counted(missed, {one: "# event", other: "# events"})} since)`,
  nothing: "No event fits.",
  level: "From level",
  run: "Run",
  thisRun: "this one",
  thisRunKept: (at: string) => `this one, from ${at} on`,
  earlierRun: (from: string, to: string) => `${from} to ${to}`,
  noRecords: "No record fits.",
} as const
