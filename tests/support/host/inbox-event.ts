import type {InboxDetail} from "../../../shared/api/messages.ts"
import type {Static} from "../../../shared/type.ts"
import {until} from "./process.ts"

/** Does no handler wait or run? An event counts as failed as soon as one of its handlers has, while others may still run. */
export const haveEnded = (marks: readonly {readonly state?: unknown}[]): boolean =>
  marks.every(({state}) => state !== "pending" && state !== "running")

/** Whom a test asks by HTTP. */
interface Asked {
  get<T>(path: string): Promise<T>
}

/** One inbox event, once no handler of it waits or runs. */
export const eventOf = (host: Asked, seq: number): Promise<Static<typeof InboxDetail>> =>
  until(`the handlers of event ${seq} to end`, async () => {
    const event = await host.get<Static<typeof InboxDetail>>(`/api/inbox/${seq}`)
    return haveEnded(event.marks) && event
  })
