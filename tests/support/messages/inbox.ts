import type {Answer} from "../../../shared/api/operations/client.ts"
import type {SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import type {TestHost} from "../host/test-host.ts"
import {allOf} from "./gaps.ts"

export type InboxItem = Answer<"GET", "/api/inbox">["items"][number]

/** All events in the inbox, oldest first; optionally only those of an endpoint. */
export const inboxOf = async (host: TestHost, endpoint?: string): Promise<readonly InboxItem[]> =>
  (await allOf(cursor => host.get("/api/inbox", {limit: 500, cursor})))
    .filter(each => endpoint === undefined || each.endpoint === endpoint)
    .reverse()

export const eventsOf = async (host: TestHost, endpoint?: string): Promise<readonly SatoriEvent[]> =>
  (await inboxOf(host, endpoint)).map(({event}) => event)

export const textsBy = async (host: TestHost, endpoint?: string): Promise<readonly string[]> =>
  (await eventsOf(host, endpoint)).flatMap(({type, message}) =>
    type === "message-created" && message !== undefined ? [message.content] : [],
  )
