import {counted} from "./counting.ts"

export const events = {
  tabs: "Events or logs",
  events: "Events",
  logs: "Logs",
  demo: "The Host's log needs the full token.",
  kind: "Kind",
  all: "all",
  search: "Contains",
  searchFor: "text, endpoint, id",
  pause: "Pause",
  goOn: "Resume",
  resume: (missed: number) => `Resume (${counted(missed, {one: "# event", other: "# events"})} since)`,
  nothing: "No matching events.",
  level: "Minimum level",
  run: "Run",
  thisRun: "this run",
  thisRunKept: (at: string) => `this run, from ${at}`,
  earlierRun: (from: string, to: string) => `${from} to ${to}`,
  noRecords: "No matching records.",
} as const
