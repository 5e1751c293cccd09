import {setImmediate as turn} from "node:timers/promises"
import type {Assembled} from "./assembly/assemble.ts"
import type {Host} from "./host.ts"

type Parts = Pick<Assembled, "inbox" | "outbox" | "jobs" | "timers" | "starts" | "agents">

/** Whether any part of a Host is at work, and a promise for the end of that. Only handlers count of plugins' work. */
export const quietOf = ({inbox, outbox, jobs, timers, starts, agents}: Parts): Pick<Host, "settled" | "isQuiet"> => {
  const isQuiet = () => [inbox, outbox, jobs.scheduler, timers, starts, agents].every(part => part.isQuiet)
  return {
    isQuiet,
    settled: async () => {
      do {
        await Promise.all([inbox.settled(), outbox.settled(), jobs.scheduler.settled(), agents.settled()])
        await turn()
      } while (!isQuiet())
    },
  }
}
