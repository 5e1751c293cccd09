import type {InboxDetail} from "../../../shared/api/messages.ts"
import type {Static} from "../../../shared/type.ts"
import {until} from "./process.ts"
import type {TestHost} from "./test-host.ts"

/** Whether no handler is pending or running. An event fails with its first handler, while others may still run. */
export const haveEnded = (marks: readonly {readonly state?: unknown}[]): boolean =>
  marks.every(({state}) => state !== "pending" && state !== "running")

/** An inbox event, once none of its handlers is pending or running. */
export const eventOf = (host: Pick<TestHost, "get">, seq: number): Promise<Static<typeof InboxDetail>> =>
  until(`the handlers of event ${seq} to end`, async () => {
    const event = await host.get("/api/inbox/:seq", {seq})
    return haveEnded(event.marks) && event
  })
